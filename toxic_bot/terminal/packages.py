"""Packages that only some commands need."""

from __future__ import annotations

from toxic_bot.judge.errors import ToxicBotError

CLONE = "clone"
"""What a command needs that runs in a clone of the repository only."""

EXTRAS = {
    "boto3": "aws",
    "botocore": "aws",
    "fastapi": "service",
    "httptools": "service",
    "prometheus_client": "service",
    "pyarrow": "archives",
    "pydantic": "service",
    "ray": "ray",
    "rich": "archives",
    "slack_sdk": "slack",
    "starlette": "service",
    "urllib3": "slack",
    "uvicorn": "service",
    "waitress": "slack",
    "websockets": "slack",
}
"""The extra that brings a package, unless a command names its own."""


class MissingPackageError(ToxicBotError):
    """A command's package is not installed."""

    @classmethod
    def explaining(
        cls, error: ModuleNotFoundError, extra: str | None
    ) -> MissingPackageError | None:
        """Return the error that says how to install a package.

        Parameters
        ----------
        error
            What the import raised.
        extra
            The extra of the command, if it has one of its own.

        Returns
        -------
        MissingPackageError or None
            None if it is no package of any extra that is missing.
        """
        package = (error.name or "").partition(".")[0]
        if extra == CLONE:
            return cls(
                f"this command needs {package}, and runs in a clone of the repository only: run "
                "'make demo' there"
            )
        extra = extra or EXTRAS.get(package)
        if extra is None or package == "toxic_bot":
            return None
        return cls(f'the package {package} is missing: pip install "toxic-bot[{extra}]"')

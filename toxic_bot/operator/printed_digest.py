"""The moderators' digest on the command line: printed now, or posted in a local workspace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.slack.i18n.translation import Language, texts_in
from toxic_bot.slack.moderators.digest_post import digest_sections
from toxic_bot.slack.moderators.figures import HistoryStore, read_figures

TIMEOUT = 60.0
"""Seconds that a local workspace may take to post the digest; its function starts cold."""
_CHANNEL = re.compile(r"<#(\w+)>")
_LINK = re.compile(r"<([^|>]+)\|([^>]+)>")


class DigestError(ToxicBotError):
    """The digest cannot be made."""


def table(name: str) -> HistoryStore:
    """Return a deployment's table, read with this shell's credentials."""
    from botocore.exceptions import BotoCoreError, ClientError

    from toxic_bot.deployment.history_table import HistoryTable
    from toxic_bot.operator.stack import create_session, reason

    @contextmanager
    def reachable() -> Iterator[None]:
        try:
            yield
        except (BotoCoreError, ClientError) as error:
            raise DigestError(
                f"the table {name} cannot be read ({reason(error)}): check its name, the region "
                "and your AWS credentials"
            ) from error

    return HistoryTable(create_session().client("dynamodb"), name, reachable)


def database(path: Path) -> HistoryStore:
    """Return the standalone bot's SQLite file.

    Raises
    ------
    DigestError
        When there is no such file.
    """
    from toxic_bot.standalone.database import Database
    from toxic_bot.standalone.sqlite_store import SQLiteStore

    if not path.is_file():
        raise DigestError(f"{path} does not exist: give the file of 'toxic-bot socket'")
    return SQLiteStore(Database(path))


def plain_digest(store: HistoryStore) -> str:
    """Return the digest of the last seven days, today included, as plain text.

    Parameters
    ----------
    store
        Where verdict counts and votes are stored.
    """
    figures = read_figures(store, (datetime.now(UTC) + timedelta(days=1)).date())
    messages = {one: f"{one.channel} {one.ts}" for one in figures.disputed}
    text = "\n\n".join(digest_sections(figures, messages, texts_in(Language.ENGLISH)))
    return _LINK.sub(r"\2 (\1)", _CHANNEL.sub(r"\1", text)).replace("*", "").replace("`", "")


def post_in_workspace(url: str) -> None:
    """Let a local workspace post the digest in its moderators' channel.

    Parameters
    ----------
    url
        The address that ``toxic-bot workspace`` prints.

    Raises
    ------
    DigestError
        When there is no workspace, or its digest fails.
    """
    from urllib3 import PoolManager, Timeout
    from urllib3.exceptions import HTTPError

    with PoolManager(retries=False, timeout=Timeout(total=TIMEOUT)) as pool:
        try:
            response = pool.request("POST", f"{url.rstrip('/')}/client/digest", json={})
            answer = response.json()
        except (HTTPError, ValueError) as error:
            raise DigestError(
                f"no workspace answers at {url} ({type(error).__name__}): start 'toxic-bot "
                "workspace' and give the address that it prints"
            ) from error
    if response.status != 200:
        raise DigestError(f"the digest could not be posted: {answer.get('error')}")

"""The moderators' cases as CSV, with the trail of who did what and when."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from toxic_bot.deployment.table import CASE, EXPIRATION
from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.slack.cases.case import Case, Entry

COLUMNS = (
    "id",
    "opened",
    "channel",
    "link",
    "author",
    "reporter",
    "reason",
    "kinds",
    "score",
    "state",
    "outcome",
    "trail",
)
"""The file's columns. The reason is why the message was reported, or ``note``."""


class CasesError(ToxicBotError):
    """The cases cannot be read, or the file cannot be written."""


def cases_in_table(name: str) -> list[Case]:
    """Return the cases in a deployment's table, read with this shell's credentials.

    Raises
    ------
    CasesError
        When it cannot be read.
    """
    from botocore.exceptions import BotoCoreError, ClientError

    from toxic_bot.operator.stack import create_session, reason

    try:
        return _sorted(_scanned(create_session().client("dynamodb"), name))
    except (BotoCoreError, ClientError) as error:
        raise CasesError(
            f"the table {name} cannot be read ({reason(error)}): check its name, the region and "
            "your AWS credentials"
        ) from error


def _scanned(client: Any, name: str) -> Iterator[Case]:
    pages = client.get_paginator("scan").paginate(
        TableName=name, FilterExpression=f"attribute_exists({CASE})"
    )
    for page in pages:
        for item in page["Items"]:
            # DynamoDB takes days to delete what has expired.
            if int(item[EXPIRATION]["N"]) >= time.time():
                yield Case.from_json(item[CASE]["S"])


def cases_in_database(path: Path) -> list[Case]:
    """Return the cases in the standalone bot's SQLite file.

    Raises
    ------
    CasesError
        When there is no such file.
    """
    from toxic_bot.standalone.database import Database

    if not path.is_file():
        raise CasesError(f"{path} does not exist: give the file of 'toxic-bot socket'")
    database = Database(path)
    rows = database.query("SELECT content, number FROM moderation_case", ())
    database.close()
    return _sorted(
        replace(Case.from_json(str(content)), number=int(str(number))) for content, number in rows
    )


def write(cases: Sequence[Case], path: Path) -> None:
    """Write cases as CSV, readable by their owner only.

    Raises
    ------
    CasesError
        When the file cannot be written.
    """
    lines = io.StringIO()
    rows = csv.writer(lines, lineterminator="\n")
    rows.writerow(COLUMNS)
    rows.writerows(_row(case) for case in cases)
    try:
        path.touch(mode=0o600)
        path.write_text(lines.getvalue(), "utf-8")
    except OSError as error:
        raise CasesError(f"{path} cannot be written ({error.strerror})") from error


def _sorted(cases: Iterator[Case]) -> list[Case]:
    return sorted(cases, key=lambda case: (case.opened_at, case.id))


def _row(case: Case) -> list[str]:
    return [
        case.id,
        _utc(case.opened_at),
        case.channel,
        case.link.replace("&amp;", "&"),
        case.author,
        case.reporter,
        case.reason,
        case.kinds,
        f"{case.score:.4f}",
        case.state.value,
        case.outcome,
        "; ".join(map(_done, case.trail)),
    ]


def _done(entry: Entry) -> str:
    detail = f" ({entry.detail})" if entry.detail else ""
    return f"{_utc(entry.at)} {entry.user} {entry.step}{detail}"


def _utc(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

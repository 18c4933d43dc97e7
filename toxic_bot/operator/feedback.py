"""Votes on verdicts as labeled texts, which ``python -m model_build data`` reads.

A vote holds no text. It is fetched from Slack when the votes are exported, with a token of the
operator's, and exists from then on in the exported file only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.slack.answers.votes import Vote
from toxic_bot.slack.retry import RateLimitedError, TryAgainError
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.message import Message
from toxic_bot.slack.web_api.mrkdwn import plain_text
from toxic_bot.slack.web_api.remedies import SlackRefusedError

SOURCE = "feedback"
"""The source that the exported rows name."""


class FeedbackError(ToxicBotError):
    """The votes or their texts cannot be read, or the file cannot be written."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A version of a message, and what people think of it.

    Parameters
    ----------
    channel, ts, edited
        The version.
    toxic, fine
        How many people think that it is toxic, and that it is not.
    vote
        One of the votes, for the verdict and the model.
    """

    channel: str
    ts: str
    edited: str
    toxic: int
    fine: int
    vote: Vote

    @property
    def is_conflict(self) -> bool:
        """Whether people disagree evenly, so that there is no label."""
        return self.toxic == self.fine


@dataclass(frozen=True, slots=True)
class Export:
    """What became of the votes.

    Parameters
    ----------
    rows
        The labeled texts.
    conflicts
        Messages that people disagree about evenly.
    gone
        Messages that were deleted or edited since, or cannot be read.
    """

    rows: list[dict[str, Any]]
    conflicts: int
    gone: int


def votes_in_table(table: str) -> Iterator[Vote]:
    """Yield the votes in a deployment's table, read with this shell's credentials.

    Raises
    ------
    FeedbackError
        When it cannot be read.
    """
    from botocore.exceptions import BotoCoreError, ClientError

    from toxic_bot.operator.stack import create_session, reason

    try:
        pages = create_session().client("dynamodb").get_paginator("scan")
        for page in pages.paginate(TableName=table, FilterExpression="attribute_exists(vote)"):
            yield from (Vote(**json.loads(item["vote"]["S"])) for item in page["Items"])
    except (BotoCoreError, ClientError) as error:
        raise FeedbackError(
            f"the table {table} cannot be read ({reason(error)}): check its name, the region "
            "and your AWS credentials"
        ) from error


def votes_in_database(path: Path) -> list[Vote]:
    """Return the votes in the standalone bot's SQLite file."""
    from toxic_bot.standalone.database import Database

    if not path.is_file():
        raise FeedbackError(f"{path} does not exist: give the file of 'toxic-bot socket'")
    database = Database(path)
    rows = database.query("SELECT vote FROM vote", ())
    database.close()
    return [Vote(**json.loads(str(row[0]))) for row in rows]


def count_opinions(votes: Iterable[Vote]) -> list[Subject]:
    """Return each version of a message that somebody voted on, in order."""
    groups: dict[tuple[str, str, str], list[Vote]] = {}
    for vote in votes:
        groups.setdefault((vote.channel, vote.ts, vote.edited), []).append(vote)
    return [
        Subject(
            *version,
            toxic=sum(_says_toxic(vote) for vote in group),
            fine=sum(not _says_toxic(vote) for vote in group),
            vote=group[0],
        )
        for version, group in sorted(groups.items())
    ]


def export(
    subjects: Iterable[Subject],
    fetch: Callable[[str, str], Message | None],
) -> Export:
    """Fetch the texts of messages and label them.

    Parameters
    ----------
    subjects
        What people think of which messages.
    fetch
        Reads a message of a channel; None if it is gone.
    """
    rows: list[dict[str, Any]] = []
    conflicts = gone = 0
    for subject in subjects:
        if subject.is_conflict:
            conflicts += 1
            continue
        message = fetch(subject.channel, subject.ts)
        if message is None or message.deleted or message.edited != subject.edited:
            gone += 1
            continue
        rows.append(_row(subject, plain_text(message.text)))
    return Export(rows, conflicts, gone)


def fetch_with(
    slack: SlackClient, sleep: Callable[[float], None]
) -> Callable[[str, str], Message | None]:
    """Return a function that reads a message, at the rate that Slack allows.

    Parameters
    ----------
    slack
        The workspace, with the operator's token.
    sleep
        Waits for some seconds.
    """

    def fetch(channel: str, ts: str) -> Message | None:
        while True:
            try:
                return slack.fetch(channel, ts, find_answer=False)
            except RateLimitedError as error:
                sleep(error.delay or error.interval)
            except TryAgainError as error:
                raise FeedbackError(f"{error}: try again later") from error
            except SlackRefusedError as error:
                if error.error in ("not_in_channel", "channel_not_found"):
                    return None
                raise FeedbackError(str(error)) from error

    return fetch


def write(rows: list[dict[str, Any]], path: Path) -> None:
    """Write rows as JSON lines, readable by their owner only."""
    try:
        path.touch(mode=0o600)
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    except OSError as error:
        raise FeedbackError(f"{path} cannot be written ({error.strerror})") from error


def _says_toxic(vote: Vote) -> bool:
    return vote.right == (vote.verdict == "toxic")


def _row(subject: Subject, text: str) -> dict[str, Any]:
    toxic = subject.toxic > subject.fine
    # The kinds are the model's own, so they are known only where it was right.
    known = toxic and subject.vote.verdict == "toxic" and subject.vote.kinds
    return {
        "text": text,
        "label": int(toxic),
        "weight": abs(subject.toxic - subject.fine),
        "kinds": subject.vote.kinds if known else None,
        "source": SOURCE,
        "split": "train",
        "verdict": subject.vote.verdict,
        "score": subject.vote.score,
        "model": subject.vote.model,
        "judged_kinds": subject.vote.kinds,
    }

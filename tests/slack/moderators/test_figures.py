from __future__ import annotations

import dataclasses
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from handler.dynamodb_store import DynamoDBStore, reachable
from simulators.slack.block_kit import parse_blocks
from tests.aws_account import Account, dynamodb
from toxic_bot.deployment.history_table import HistoryTable
from toxic_bot.slack.answers.verdict_counts import VerdictCounts
from toxic_bot.slack.answers.votes import Vote, VoteStore
from toxic_bot.slack.i18n.english import ENGLISH
from toxic_bot.slack.moderators.digest_post import MAX_CHANNELS, digest_post, digest_sections
from toxic_bot.slack.moderators.figures import Dispute, Figures, HistoryStore, Share, read_figures
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.sqlite_store import SQLiteStore

END = date(2026, 11, 23)
VOTE = Vote(
    team="T0001",
    channel="C0001",
    ts="1766000000.000100",
    edited="",
    user="U0001",
    right=False,
    verdict="toxic",
    score=0.92,
    kinds="insult",
    model="0123456789ab",
    voted_at=0.0,
)


def noon(day: date) -> float:
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp()


class Past:
    """A store in which verdicts are counted and votes are kept as the bot does it."""

    def __init__(self, written: DynamoDBStore | SQLiteStore, history: HistoryStore) -> None:
        self.verdict_counts = VerdictCounts(written)
        self.history = history
        self._votes: VoteStore = written

    def judged(self, days_ago: int, channel: str, *kinds: str, team: str = "T0001") -> None:
        verdict = "toxic" if kinds else "fine"
        moment = noon(END - timedelta(days=days_ago))
        self.verdict_counts.add(team, channel, verdict, kinds, moment)

    def vote(self, user: str, ts: str, *, right: bool, days_ago: int = 1) -> None:
        moment = noon(END - timedelta(days=days_ago))
        vote = dataclasses.replace(VOTE, user=user, ts=ts, right=right, voted_at=moment)
        self._votes.keep_vote(vote, int(moment) + 1_000_000)


@pytest.fixture(params=["dynamodb", "sqlite"])
def past(request: pytest.FixtureRequest, account: Account, tmp_path: Path) -> Past:  # noqa: ARG001 - the table must exist
    if request.param == "dynamodb":
        client = dynamodb()
        return Past(DynamoDBStore(client, "claims"), HistoryTable(client, "claims", reachable))
    store = SQLiteStore(Database(tmp_path / "claims.sqlite"))
    return Past(store, store)


def test_a_week_is_counted_by_channel_and_kind_and_compared_with_the_one_before(past: Past) -> None:
    past.judged(1, "C0001", "insult", "threat")
    past.judged(7, "C0001", "insult")
    past.judged(3, "C0002", "obscene", team="T0002")
    past.judged(3, "C0001")
    past.judged(8, "C0001", "insult")
    past.judged(14, "C0002")
    past.judged(15, "C0001", "insult")  # before both weeks
    past.judged(0, "C0001", "insult")  # today
    figures = read_figures(past.history, END)
    assert (figures.first, figures.last) == (date(2026, 11, 16), date(2026, 11, 22))
    assert figures.total == Share(toxic=3, judged=4)
    assert figures.total_before == Share(toxic=1, judged=2)
    assert figures.days == (1, 0, 0, 0, 1, 0, 1)
    assert list(figures.channels.items()) == [
        ("C0001", (Share(2, 3), 1)),
        ("C0002", (Share(1, 1), 0)),
    ]
    assert {name: (one.now, one.before) for name, one in figures.kinds.items()} == {
        "insult": (2, 1),
        "obscene": (1, 0),
        "threat": (1, 0),
    }


def test_the_verdicts_that_most_people_called_wrong_come_first(past: Past) -> None:
    for user in ("U1", "U2", "U3"):
        past.vote(user, "1766000002.000100", right=False)
    past.vote("U4", "1766000002.000100", right=True)
    past.vote("U1", "1766000001.000100", right=False)
    past.vote("U1", "1766000003.000100", right=True)  # undisputed
    past.vote("U1", "1766000004.000100", right=False, days_ago=8)  # last week
    disputed = read_figures(past.history, END).disputed
    assert [(one.ts, one.wrong, one.right) for one in disputed] == [
        ("1766000002.000100", 3, 1),
        ("1766000001.000100", 1, 0),
    ]


def test_a_verdict_is_counted_in_one_write(account: Account) -> None:  # noqa: ARG001 - the table must exist
    client = dynamodb()
    calls: list[str] = []
    client.meta.events.register("before-call", lambda model, **_: calls.append(model.name))
    VerdictCounts(DynamoDBStore(client, "claims")).add(
        "T1", "C1", "toxic", ("insult", "threat"), 0.0
    )
    assert calls == ["UpdateItem"]


DISPUTE = Dispute("C0001", "1766000000.000100", "toxic", 0.92, wrong=3, right=1)
QUIET = Figures(
    first=date(2026, 11, 16),
    last=date(2026, 11, 22),
    total=Share(0, 0),
    total_before=Share(2, 5),
    days=(0,) * 7,
    channels={},
    kinds={},
    disputed=(),
)


def test_the_digest_says_so_when_nobody_asked() -> None:
    [only] = digest_sections(QUIET, {}, ENGLISH)
    assert only == "*16 November to 22 November*\nNobody asked, ▼ 2 fewer than the week before."


def test_the_digest_links_disputed_verdicts_and_leaves_out_those_that_are_gone() -> None:
    figures = dataclasses.replace(QUIET, disputed=(DISPUTE,))
    [_, disputed] = digest_sections(figures, {DISPUTE: "https://a.example/p1"}, ENGLISH)
    assert (
        "<https://a.example/p1|toxic, score 92%> in <#C0001>: 3 called it wrong, 1 right"
        in disputed
    )
    assert len(digest_sections(figures, {}, ENGLISH)) == 1


def test_slack_takes_the_digest_of_a_large_workspace() -> None:
    channels = {f"C{number:010}": (Share(9_999, 99_999), 7) for number in range(5_000)}
    figures = dataclasses.replace(QUIET, channels=channels, days=(0, 1, 2, 3, 4, 5, 7))
    post = digest_post(figures, {}, ENGLISH)
    assert parse_blocks(post.blocks) == post.blocks
    assert f"and {5_000 - MAX_CHANNELS} more" in str(post.blocks)
    assert "▁▂▃▄▅▆█" in str(post.blocks)

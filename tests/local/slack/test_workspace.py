"""The state of a workspace."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.samples import CHANNEL, RAE, SAM, VIEWER, create_workspace
from local.slack.block_kit import parse_blocks, parse_metadata
from local.slack.rate_limits import Limit, RateLimiter
from local.slack.server import escape
from local.slack.workspace import MOST_REACTIONS, Message, SlackError, Workspace

EMOJI = "biohazard_sign"


@pytest.fixture
def workspace() -> Workspace:
    return create_workspace()


def test_timestamps_are_unique_and_in_order(workspace: Workspace) -> None:
    with ThreadPoolExecutor(8) as executor:
        posts = [executor.submit(workspace.post, CHANNEL, RAE, str(n)) for n in range(200)]
        written = {post.result().ts for post in posts}
    assert len(written) == 200
    assert [message.ts for message in workspace.messages(CHANNEL)] == sorted(written)


def test_a_reply_to_a_reply_goes_to_the_parents_thread(workspace: Workspace) -> None:
    parent = workspace.post(CHANNEL, RAE, "parent")
    reply = workspace.post(CHANNEL, SAM, "reply", thread_ts=parent.ts)
    second = workspace.post(CHANNEL, SAM, "second", thread_ts=reply.ts)
    assert second.thread_ts == parent.ts
    assert [one.text for one in workspace.thread(CHANNEL, parent.ts)] == [
        "parent",
        "reply",
        "second",
    ]


def test_a_person_reacts_once_with_each_emoji(workspace: Workspace) -> None:
    message = workspace.post(CHANNEL, RAE, "hello")
    workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    with pytest.raises(SlackError, match="already_reacted"):
        workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    workspace.unreact(CHANNEL, message.ts, VIEWER, EMOJI)
    with pytest.raises(SlackError, match="no_reaction"):
        workspace.unreact(CHANNEL, message.ts, VIEWER, EMOJI)
    assert message.reactions == {}


def test_a_message_takes_so_many_emoji(workspace: Workspace) -> None:
    message = workspace.post(CHANNEL, RAE, "hello")
    for number in range(MOST_REACTIONS):
        workspace.react(CHANNEL, message.ts, VIEWER, f"emoji_{number}")
    with pytest.raises(SlackError, match="too_many_emoji"):
        workspace.react(CHANNEL, message.ts, VIEWER, "one_more")


@pytest.mark.parametrize("action", ["edit", "delete", "react"])
def test_a_message_that_is_not_there_cannot_be_changed(workspace: Workspace, action: str) -> None:
    arguments = {"edit": ("text",), "delete": (), "react": (VIEWER, EMOJI)}[action]
    with pytest.raises(SlackError, match="message_not_found"):
        getattr(workspace, action)(CHANNEL, "1.000000", *arguments)
    with pytest.raises(SlackError, match="channel_not_found"):
        getattr(workspace, action)("C0NOWHERE", "1.000000", *arguments)


def test_a_verdict_ends_the_question_and_tells_how_long_it_took(workspace: Workspace) -> None:
    message = workspace.post(CHANNEL, RAE, "hello")
    workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    assert message.asked_at is not None
    payload = {"channel": CHANNEL, "ts": message.ts, "edited": ""}
    answer = workspace.post(
        CHANNEL,
        workspace.bot.id,
        "verdict",
        thread_ts=message.ts,
        metadata={"event_type": "toxic_verdict", "event_payload": payload},
    )
    assert message.asked_at is None
    assert answer.answer_ms is not None
    assert answer.answer_ms > 0


def test_other_emoji_ask_nothing(workspace: Workspace) -> None:
    message = workspace.post(CHANNEL, RAE, "hello")
    workspace.react(CHANNEL, message.ts, VIEWER, "thumbsup")
    assert message.asked_at is None


def test_watchers_hear_of_every_change_until_they_stop(workspace: Workspace) -> None:
    heard: list[str] = []

    def watcher(message: Message) -> None:
        heard.append(message.text)

    stop = workspace.watch(watcher)
    message = workspace.post(CHANNEL, RAE, "first")
    workspace.edit(CHANNEL, message.ts, "second")
    stop()
    workspace.edit(CHANNEL, message.ts, "third")
    assert heard == ["first", "second"]


@given(st.text())
def test_typed_text_is_escaped_as_slack_does(text: str) -> None:
    escaped = escape(text)
    assert "<" not in escaped
    assert ">" not in escaped
    restored = escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert restored == text


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "elements", "fields", "x"]), inner)
    ),
    max_leaves=10,
)


@given(_json)
def test_any_blocks_and_metadata_are_taken_or_refused_in_slacks_words(value: object) -> None:
    refusals: list[str] = []
    for parse in (parse_blocks, parse_metadata):
        try:
            parse(value)
        except SlackError as error:
            refusals.append(error.error)
    assert all(error.startswith(("invalid_", "metadata_")) for error in refusals)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=60), st.integers(1, 10))
def test_no_window_ever_holds_more_calls_than_the_limit(moments: list[float], calls: int) -> None:
    now = 0.0
    limiter = RateLimiter({"m": Limit(calls, 10)}, lambda: now)
    taken: list[float] = []
    waits: list[int] = []
    for moment in sorted(moments):
        now = moment
        try:
            limiter.count("m", "t", "")
        except SlackError as error:
            waits.append(int(error.headers["Retry-After"]))
        else:
            taken.append(moment)
    assert all(1 <= wait <= 10 for wait in waits)
    for moment in taken:
        assert sum(moment - 10 < one <= moment for one in taken) <= calls

"""The state of a workspace, and the validation and limits of what enters it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulators.samples import CHANNEL, RAE, SAM, VIEWER, create_workspace
from simulators.slack.block_kit import parse_blocks, parse_metadata
from simulators.slack.composing import escape
from simulators.slack.rate_limits import Limit, RateLimiter
from simulators.slack.workspace import MAX_REACTIONS, Message, SlackError, Workspace

EMOJI = "biohazard_sign"


@pytest.fixture
def workspace() -> Workspace:
    return create_workspace()


def test_timestamps_are_unique_and_increasing(workspace: Workspace) -> None:
    with ThreadPoolExecutor(8) as executor:
        posts = [executor.submit(workspace.post, CHANNEL, RAE, str(n)) for n in range(200)]
        timestamps = {post.result().ts for post in posts}
    assert len(timestamps) == 200
    assert [message.ts for message in workspace.messages(CHANNEL)] == sorted(timestamps)


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


def test_a_person_can_react_only_once_with_each_emoji(workspace: Workspace) -> None:
    message = workspace.post(CHANNEL, RAE, "hello")
    workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    with pytest.raises(SlackError, match="already_reacted"):
        workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    workspace.unreact(CHANNEL, message.ts, VIEWER, EMOJI)
    with pytest.raises(SlackError, match="no_reaction"):
        workspace.unreact(CHANNEL, message.ts, VIEWER, EMOJI)
    assert message.reactions == {}


def test_the_number_of_emoji_on_a_message_is_limited(workspace: Workspace) -> None:
    message = workspace.post(CHANNEL, RAE, "hello")
    for number in range(MAX_REACTIONS):
        workspace.react(CHANNEL, message.ts, VIEWER, f"emoji_{number}")
    with pytest.raises(SlackError, match="too_many_emoji"):
        workspace.react(CHANNEL, message.ts, VIEWER, "one_more")


@pytest.mark.parametrize("action", ["edit", "delete", "react"])
def test_a_nonexistent_message_cannot_be_changed(workspace: Workspace, action: str) -> None:
    arguments = {"edit": ("text",), "delete": (), "react": (VIEWER, EMOJI)}[action]
    with pytest.raises(SlackError, match="message_not_found"):
        getattr(workspace, action)(CHANNEL, "1.000000", *arguments)
    with pytest.raises(SlackError, match="channel_not_found"):
        getattr(workspace, action)("C0NOWHERE", "1.000000", *arguments)


def test_a_verdict_completes_the_request_and_has_its_duration(workspace: Workspace) -> None:
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


def test_other_emoji_request_no_verdict(workspace: Workspace) -> None:
    message = workspace.post(CHANNEL, RAE, "hello")
    workspace.react(CHANNEL, message.ts, VIEWER, "thumbsup")
    assert message.asked_at is None


def test_watchers_are_notified_of_every_change_until_they_stop(workspace: Workspace) -> None:
    texts: list[str] = []

    def watcher(message: Message) -> None:
        texts.append(message.text)

    unwatch = workspace.watch(watcher)
    message = workspace.post(CHANNEL, RAE, "first")
    workspace.edit(CHANNEL, message.ts, "second")
    unwatch()
    workspace.edit(CHANNEL, message.ts, "third")
    assert texts == ["first", "second"]


@given(st.text())
def test_typed_text_is_escaped_like_in_slack(text: str) -> None:
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
@pytest.mark.slow
def test_any_blocks_and_metadata_are_accepted_or_rejected_with_slacks_error_codes(
    value: object,
) -> None:
    errors: list[str] = []
    for parse in (parse_blocks, parse_metadata):
        try:
            parse(value)
        except SlackError as error:
            errors.append(error.error)
    assert all(error.startswith(("invalid_", "metadata_")) for error in errors)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=60), st.integers(1, 10))
@pytest.mark.slow
def test_no_window_contains_more_calls_than_the_limit(times: list[float], calls: int) -> None:
    now = 0.0
    limiter = RateLimiter({"m": Limit(calls, 10)}, lambda: now)
    accepted: list[float] = []
    waits: list[int] = []
    for time in sorted(times):
        now = time
        try:
            limiter.count("m", "t", "")
        except SlackError as error:
            waits.append(int(error.headers["Retry-After"]))
        else:
            accepted.append(time)
    assert all(1 <= wait <= 10 for wait in waits)
    for time in accepted:
        assert sum(time - 10 < one <= time for one in accepted) <= calls

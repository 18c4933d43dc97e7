"""Notes to the moderators, from a reaction to the click on Seen, in a local Slack."""

from __future__ import annotations

import dataclasses
import json
import time

import pytest

from simulators.slack.faults import Fault
from simulators.slack.workspace import Message
from tests.aws_account import dynamodb
from tests.slack.moderators.scene import (
    CHANNEL,
    DIRECT,
    INSULT,
    MODERATORS,
    THANKS,
    Scene,
)
from toxic_bot.slack.gestures.clicks import Click
from toxic_bot.slack.gestures.reading import read_gesture
from toxic_bot.slack.requests.events import Dropped
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.settings import BotSettings, SettingsError


def test_a_toxic_verdict_gets_a_note_with_a_link_and_without_the_text(scene: Scene) -> None:
    message = scene.workspace.post(CHANNEL, "U0WROTE", INSULT)
    scene.ask(scene.bot(), message)
    [note] = scene.notes()
    shown = json.dumps([note.text, note.blocks], ensure_ascii=False)
    assert f"<#{CHANNEL}> reads as toxic" in shown
    assert "an insult" in shown
    assert f"<{scene.address}/archives/{CHANNEL}/p{message.ts.replace('.', '')}|" in shown
    assert "Toxicity score" in shown
    for private in ("idiot", "pathetic", "U0WROTE", "U0ASKS"):
        assert private not in shown
    [post] = [one for one in scene.api.calls if one.arguments.get("channel") == MODERATORS][-1:]
    assert str(post.arguments["unfurl_links"]).lower() in ("false", "0")


@pytest.mark.parametrize(
    ("channel", "text", "environment"),
    [
        (CHANNEL, THANKS, {}),
        (CHANNEL, INSULT, {"MODERATOR_NOTES": ""}),
        (CHANNEL, INSULT, {"MODERATOR_NOTES": "100"}),
        (MODERATORS, INSULT, {}),
        (DIRECT, INSULT, {}),
    ],
    ids=["fine", "switched off", "below the limit", "among moderators", "direct message"],
)
def test_nothing_else_gets_a_note(
    scene: Scene, channel: str, text: str, environment: dict[str, str]
) -> None:
    message = scene.workspace.post(channel, "U0WROTE", text)
    scene.ask(scene.bot(**environment), message)
    assert scene.answers(message) == 1
    assert [one for one in scene.notes() if one.thread_ts is None] == []


@pytest.mark.parametrize("mode", ["thread", "ephemeral", "nudge"])
def test_each_version_of_a_message_gets_one_note_however_often_people_ask(
    scene: Scene, mode: str
) -> None:
    message = scene.workspace.post(CHANNEL, "U0WROTE", INSULT)
    bot = scene.bot(ANSWER=mode)
    for _ in range(3):
        scene.ask(bot, message)
        scene.clock_offset += 60
    assert len(scene.notes()) == 1
    scene.workspace.edit(CHANNEL, message.ts, f"{INSULT} Truly.")
    scene.ask(bot, message)
    assert len(scene.notes()) == 2


@pytest.mark.parametrize("mode", ["thread", "ephemeral"])
@pytest.mark.parametrize("method", ["conversations.history", "chat.getPermalink"])
@pytest.mark.slow
def test_a_note_that_failed_is_made_up_for_without_a_second_answer(
    scene: Scene, method: str, mode: str
) -> None:
    message = scene.workspace.post(CHANNEL, "U0WROTE", INSULT)
    bot = scene.bot(ANSWER=mode)
    scene.api.faults.add(method, Fault(error="ratelimited", status=429, retry_after=1))
    with pytest.raises(TryAgainError):
        scene.ask(bot, message, event="Ev1")
    assert scene.notes() == []
    # Another environment, which does not know of the limit.
    scene.ask(scene.bot(ANSWER=mode), message, event="Ev1")
    assert len(scene.notes()) == 1
    answers = scene.workspace.messages(CHANNEL)[1:]
    assert len(answers) == 1


def test_a_note_whose_response_was_lost_is_found_and_not_posted_again(scene: Scene) -> None:
    message = scene.workspace.post(CHANNEL, "U0WROTE", INSULT)
    scene.api.faults.add("chat.postMessage", Fault())
    scene.api.faults.add("chat.postMessage", Fault(cut=True))
    with pytest.raises(TryAgainError):
        scene.ask(scene.bot(), message, event="Ev1")
    scene.clock_offset += 60
    scene.ask(scene.bot(), message, event="Ev1")
    assert len(scene.notes()) == 1
    assert scene.answers(message) == 1


def test_too_little_time_puts_the_note_off_and_not_the_answer(scene: Scene) -> None:
    message = scene.workspace.post(CHANNEL, "U0WROTE", INSULT)
    with pytest.raises(TryAgainError, match="too little time"):
        scene.ask(scene.bot(), message, seconds=14)
    assert (scene.answers(message), scene.notes()) == (1, [])


def test_a_channel_that_the_bot_is_not_in_costs_the_note_and_not_the_answer(scene: Scene) -> None:
    scene.workspace.channels[MODERATORS].members.discard(scene.workspace.bot.id)
    message = scene.workspace.post(CHANNEL, "U0WROTE", INSULT)
    scene.ask(scene.bot(), message)
    assert scene.answers(message) == 1


def noted(scene: Scene) -> tuple[Message, Message]:
    message = scene.workspace.post(CHANNEL, "U0WROTE", INSULT)
    scene.ask(scene.bot(), message)
    [note] = scene.notes()
    return message, note


@pytest.mark.slow
def test_seen_names_who_has_seen_the_note_and_takes_the_button_away(scene: Scene) -> None:
    message, note = noted(scene)
    click = scene.click(note, "seen")
    assert isinstance(click, Click)
    # As it comes out of the queue.
    scene.bot().answer(read_gesture(json.loads(click.to_json())), time.time() + 30)
    [note] = scene.notes()
    assert "Seen by <@U0MOD>" in str(note.blocks)
    assert [one["action_id"] for one in note.blocks[-1]["elements"]] == ["wrong"]
    scene.workspace.delete(CHANNEL, message.ts)
    again = read_gesture({**json.loads(click.to_json()), "event_id": "another"})
    scene.bot().answer(again, time.time() + 30)
    assert "has since been deleted" in str(scene.notes()[0].blocks)


def test_a_note_names_the_worst_kind_first(scene: Scene) -> None:
    _, note = noted(scene)
    click = scene.click(note, "seen")
    assert isinstance(click, Click)
    # As a button of an earlier version has them: the likeliest first.
    subject = dataclasses.replace(click.subject, kinds="insult,obscene,threat")
    scene.bot().answer(dataclasses.replace(click, subject=subject), time.time() + 30)
    assert "reads as toxic: a threat and obscene words" in scene.notes()[0].text


def test_moderators_are_told_of_a_likely_threat_that_the_thread_does_not_name(scene: Scene) -> None:
    text = "You'd better watch yourself, you clown."
    message = scene.workspace.post(CHANNEL, "U0WROTE", text)
    scene.ask(scene.bot(), message)
    [note] = scene.notes()
    assert "reads as toxic: a threat" in note.text
    answer = scene.workspace.thread(CHANNEL, message.ts)[-1]
    assert "toxic" in answer.text
    assert "an insult" not in answer.text


@pytest.mark.slow
def test_wrong_below_a_note_is_a_vote_on_the_message_that_it_is_about(scene: Scene) -> None:
    message, note = noted(scene)
    click = scene.click(note, "wrong")
    assert isinstance(click, Click)
    scene.bot().answer(click, time.time() + 30)
    items = dynamodb().scan(TableName="claims")["Items"]
    [vote] = [json.loads(item["vote"]["S"]) for item in items if "vote" in item]
    assert (vote["channel"], vote["ts"]) == (CHANNEL, message.ts)
    assert (vote["user"], vote["right"], vote["verdict"]) == ("U0MOD", False, "toxic")
    assert scene.workspace.messages(MODERATORS)[-1].only_for == "U0MOD"


def test_the_buttons_of_a_note_work_where_only_its_messages_channel_is_allowed(
    scene: Scene,
) -> None:
    _, note = noted(scene)
    assert isinstance(scene.click(note, "seen", CHANNELS=CHANNEL), Click)
    refused = scene.click(note, "seen", CHANNELS="C0OTHER")
    assert isinstance(refused, Dropped)
    assert refused.reason == "other_channel"
    assert isinstance(scene.click(note, "seen", GESTURES="reaction"), Click)
    assert isinstance(scene.click(note, "wrong", GESTURES="reaction"), Dropped)


@pytest.mark.parametrize("notes", ["0", "0.9", "101", "high"])
def test_a_limit_that_is_no_percentage_is_refused(notes: str) -> None:
    with pytest.raises(SettingsError, match="MODERATOR_NOTES is malformed"):
        BotSettings.from_environment({"MODERATORS": "C1", "MODERATOR_NOTES": notes})


def test_notes_need_a_channel() -> None:
    with pytest.raises(SettingsError, match="set the environment variable MODERATORS"):
        BotSettings.from_environment({"MODERATOR_NOTES": "90"})

"""`/toxic settings` end to end, in AWS's Lambda runtime and under the functions' own roles."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import pytest

from simulators.samples import RAE, SAM, VIEWER
from simulators.slack.workspace import Channel, Message
from simulators.stack import Stack
from tests.end_to_end.entering import chosen, entered
from tests.end_to_end.test_gestures import EMOJI, INSULT, TIMEOUT, private_answer, shown
from toxic_bot.slack.requests.interactions import COMMAND, SETTINGS
from toxic_bot.slack.requests.settings_form import OPEN_ACTION

pytestmark = pytest.mark.slow

NUMBERS = count(1)


@pytest.fixture
def channel(stack: Stack) -> str:
    """A channel about which no worker knows anything yet; Sam has created it."""
    name = f"C0SET{next(NUMBERS):04}"
    members = {VIEWER, RAE, SAM, stack.workspace.bot.id}
    stack.workspace.add_channel(Channel(name, name.lower(), members=members, creator=SAM))
    return name


def ask(stack: Stack, channel: str, user: str) -> Message:
    return private_answer(
        stack,
        lambda: stack.interactivity.type_command(channel, user, COMMAND, SETTINGS),
        channel,
        user,
    )


def open_form(stack: Stack, channel: str, user: str = VIEWER) -> dict[str, Any]:
    offer = ask(stack, channel, user)
    stack.interactivity.click(channel, offer.ts, user, OPEN_ACTION)
    modals = stack.interactivity.modals
    assert stack.wait_for(lambda: modals.of(user) is not None, TIMEOUT), stack.log("worker")
    view = modals.of(user)
    assert view is not None
    return view


def save(stack: Stack, channel: str, user: str = VIEWER, **changed: dict[str, Any]) -> Message:
    """Change a channel's settings, and return what the person is told."""
    open_form(stack, channel, user)

    def submit() -> None:
        assert stack.interactivity.submit_view(user, entered(**changed)).result() == {}

    return private_answer(stack, submit, channel, user)


def react(stack: Stack, message: Message, emoji: str = EMOJI, user: str = VIEWER) -> None:
    stack.workspace.react(message.channel, message.ts, user, emoji)


def wait(stack: Stack, condition: Callable[[], bool]) -> None:
    assert stack.wait_for(condition, TIMEOUT), stack.log("worker")


def test_an_admin_opens_the_form_and_what_is_saved_is_shown_the_next_time(
    stack: Stack, channel: str
) -> None:
    told = save(stack, channel, answer=chosen("ephemeral"), threshold=chosen("cautious"))
    assert told.text.startswith("Saved.")
    assert "only the person who asks sees the answer" in told.text
    assert stack.interactivity.modals.of(VIEWER) is None
    fields = {
        one.get("block_id"): one.get("element") for one in open_form(stack, channel)["blocks"]
    }
    assert fields["answer"]["initial_option"]["value"] == "ephemeral"
    assert fields["threshold"]["initial_option"]["value"] == "cautious"
    stack.interactivity.modals.close(VIEWER)


def test_the_creator_of_the_channel_may_and_others_are_told_who_may(
    stack: Stack, channel: str
) -> None:
    open_form(stack, channel, SAM)
    stack.interactivity.modals.close(SAM)
    refused = ask(stack, channel, RAE)
    assert "Only admins and owners of this workspace" in refused.text
    assert f"<@{SAM}>" in refused.text
    assert OPEN_ACTION not in shown(refused)


def test_who_loses_the_right_while_the_form_is_open_changes_nothing(
    stack: Stack, channel: str
) -> None:
    open_form(stack, channel, SAM)
    stack.workspace.channels[channel].creator = RAE

    def submit() -> None:
        stack.interactivity.submit_view(SAM, entered(listens=chosen("no"))).result()

    assert "Only admins" in private_answer(stack, submit, channel, SAM).text
    assert "I do not listen" not in shown(ask(stack, channel, RAE))


def test_errors_are_shown_in_the_form_which_stays_open(stack: Stack, channel: str) -> None:
    open_form(stack, channel)
    errors = stack.interactivity.submit_view(
        VIEWER, entered(reactions={"value": "☣️"}, percent={"value": "30"})
    ).result()
    assert set(errors) == {"reactions", "percent"}
    assert stack.interactivity.modals.of(VIEWER) is not None
    stack.interactivity.modals.close(VIEWER)


def test_a_button_that_is_pressed_when_the_bot_is_too_slow_is_offered_again(
    stack: Stack, channel: str
) -> None:
    offer = ask(stack, channel, VIEWER)

    def press_late() -> None:
        send = stack.interactivity.send
        assert send is not None

        def send_late(kind: str, fields: dict[str, Any]) -> Any:
            stack.interactivity.modals.expire_triggers()
            return send(kind, fields)

        stack.interactivity.send = send_late
        try:
            stack.interactivity.click(channel, offer.ts, VIEWER, OPEN_ACTION)
        finally:
            stack.interactivity.send = send

    again = private_answer(stack, press_late, channel)
    assert "press it again" in shown(again)
    stack.interactivity.click(channel, again.ts, VIEWER, OPEN_ACTION)
    wait(stack, lambda: stack.interactivity.modals.of(VIEWER) is not None)
    stack.interactivity.modals.close(VIEWER)


def test_another_emoji_asks_in_its_channel_and_the_usual_one_no_longer_does(
    stack: Stack, channel: str
) -> None:
    save(stack, channel, reactions={"value": "skull"})
    message = stack.workspace.post(channel, RAE, INSULT)
    react(stack, message)
    # A warm receiver may know the emoji of half a minute ago.
    people = iter([VIEWER, SAM, RAE])

    def asked() -> bool:
        user = next(people, "")
        if user:
            react(stack, message, "skull", user)
        return stack.wait_for(lambda: bool(stack.answers(message)), 15)

    assert any(asked() for _ in range(3)), stack.log("worker")
    assert stack.settle()
    assert len(stack.answers(message)) == 1
    assert "another emoji asks in this channel" in stack.log("worker")


def test_the_limit_of_a_channel_decides_and_is_shown(stack: Stack, channel: str) -> None:
    save(stack, channel, threshold=chosen("number"), percent={"value": "99"})
    message = stack.workspace.post(channel, RAE, "You are an idiot, but I still like the plan.")
    react(stack, message)
    wait(stack, lambda: stack.is_answered(message))
    assert "(flagged from 99%)" in shown(stack.answers(message)[0])


def test_a_channel_names_who_hears_of_its_urgent_messages(stack: Stack, channel: str) -> None:
    name = f"C0SAF{channel[-4:]}"
    stack.workspace.add_channel(Channel(name, name.lower(), members={VIEWER}))
    told = save(stack, channel, urgent={"selected_conversations": [name]})
    assert f"I am not in <#{name}>: invite me there" in told.text
    stack.workspace.channels[name].members.add(stack.workspace.bot.id)
    told = save(
        stack,
        channel,
        urgent={"selected_conversations": [name]},
        urgent_people={"selected_users": [SAM]},
    )
    assert f"urgent messages are passed on to <#{name}>" in told.text
    assert "invite me" not in told.text
    message = stack.workspace.post(channel, RAE, "I will find you and break your legs, you moron.")
    react(stack, message)
    wait(stack, lambda: bool(stack.workspace.messages(name)))
    [note] = stack.workspace.messages(name)
    assert f"<#{channel}> reads as toxic: a threat" in note.text
    assert f"<@{SAM}>: please take a look now." in shown(note)


def test_where_the_bot_does_not_listen_nothing_is_answered_and_one_line_says_so(
    stack: Stack, channel: str
) -> None:
    save(stack, channel, listens=chosen("no"))
    message = stack.workspace.post(channel, RAE, INSULT)
    since, logged = len(stack.workspace.messages(channel)), stack.log("worker")
    react(stack, message)
    stack.interactivity.type_command(channel, VIEWER, COMMAND, "you are an idiot")
    line = "the bot does not listen in this channel"
    wait(stack, lambda: stack.log("worker").count(line) == logged.count(line) + 2)
    assert stack.settle()
    assert len(stack.workspace.messages(channel)) == since
    assert "I do not listen" in shown(ask(stack, channel, VIEWER))


def test_messages_of_exempt_people_are_not_judged_and_everybody_who_asks_is_told(
    stack: Stack, channel: str
) -> None:
    save(stack, channel, exempt={"selected_users": [RAE]})
    message = stack.workspace.post(channel, RAE, INSULT)
    for user in (VIEWER, SAM):
        asking = partial(react, stack, message, user=user)
        told = private_answer(stack, asking, channel, user)
        assert told.text == "I do not judge this person's messages in this channel."
    calls = [one.arguments for one in stack.web_api.calls if one.method == "conversations.replies"]
    assert channel not in {one.get("channel") for one in calls}
    other = stack.workspace.post(channel, SAM, INSULT)
    react(stack, other)
    wait(stack, lambda: stack.is_answered(other))


def test_the_home_tab_tells_how_each_channel_is_answered(stack: Stack, channel: str) -> None:
    save(stack, channel, answer=chosen("nudge"), reactions={"value": "skull"})
    stack.workspace.homes.clear()
    stack.workspace.open_home(VIEWER)
    wait(stack, lambda: VIEWER in stack.workspace.homes)
    home = json.dumps(stack.workspace.homes[VIEWER])
    assert f"<#{channel}>: only the author sees a note" in home
    assert "the emoji is :skull:" in home

"""Moderators of the local Slack's workspace: a report, and all that becomes of it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from simulators.samples import CHANNEL, NOOR, RAE, SAM, VIEWER
from simulators.slack.workspace import Channel, Message
from tests.http_slack import HttpSlack
from tests.socket_mode import SocketModeSlack, wait_for
from toxic_bot.slack.requests.interactions import REPORT

MODERATORS = "C0MODS"
CANARY = "zeppelinkanarie"
INSULT = f"You are a pathetic {CANARY} idiot and everybody here hates you."

Slack = SocketModeSlack | HttpSlack


def chosen(value: str) -> dict[str, Any]:
    return {"value": {"selected_option": {"value": value}}}


def typed(text: str) -> dict[str, Any]:
    return {"value": {"value": text}}


def add_moderators(slack: Slack) -> None:
    members = {slack.workspace.bot.id, VIEWER, NOOR}
    slack.workspace.add_channel(Channel(MODERATORS, "moderators", members=members))
    slack.environment["MODERATORS"] = MODERATORS


def follow_a_case(slack: Slack, database: Path) -> Message:
    """Report a message; let two take the case at once, and one write, close and look at Home."""
    message = slack.workspace.post(CHANNEL, RAE, INSULT)
    slack.interactivity.choose_shortcut(CHANNEL, message.ts, SAM, REPORT)
    submit(
        slack,
        SAM,
        {
            "reason": chosen("insult"),
            "word": typed(f"again, this {CANARY}"),
            "name": chosen("anonymous"),
        },
    )
    wait_for(lambda: bool(reports(slack)))
    # Its buttons are there before the bot has written down where it has posted them.
    wait_for(lambda: is_quiet(database))
    [post] = reports(slack)
    for user in (VIEWER, NOOR):
        slack.interactivity.click(MODERATORS, post.ts, user, "case_take")
    wait_for(lambda: bool(told(slack, VIEWER) or told(slack, NOOR)))
    first, second = (VIEWER, NOOR) if told(slack, NOOR) else (NOOR, VIEWER)
    assert told(slack, second) == [f"<@{first}> has already taken this case."]
    wait_for(lambda: f"*Taken by <@{first}>*" in shown(post))
    slack.interactivity.click(MODERATORS, post.ts, first, "case_write")
    submit(slack, first, {"letter": typed(f"Please, no more {CANARY}.")})
    wait_for(lambda: told(slack, first) == ["Your message has been sent to the author."])
    [letter] = slack.workspace.messages(f"D{RAE[1:]}")
    assert CANARY in shown(letter)
    slack.interactivity.click(MODERATORS, post.ts, first, "case_close")
    submit(slack, first, {"outcome": chosen("talked_to")})
    wait_for(lambda: "*Closed: talked to the author*" in shown(post))
    slack.workspace.open_home(first)
    wait_for(lambda: "Cases not yet closed: 0" in json.dumps(slack.workspace.homes.get(first)))
    wait_for(lambda: is_quiet(database))
    assert len(reports(slack)) == 1
    assert CANARY in shown(post)
    assert SAM not in shown(post)
    return post


def submit(slack: Slack, user: str, values: dict[str, dict[str, Any]]) -> None:
    wait_for(lambda: slack.interactivity.modals.of(user) is not None)
    assert slack.interactivity.submit_view(user, values).result() == {}
    slack.interactivity.modals.close(user)


def reports(slack: Slack) -> list[Message]:
    # The digest of last week is there, too.
    posts = [(one.metadata or {}, one) for one in slack.workspace.messages(MODERATORS)]
    return [one for metadata, one in posts if metadata.get("event_type") == "toxic_report"]


def told(slack: Slack, user: str) -> list[str]:
    return [one.text for one in slack.workspace.messages(MODERATORS) if one.only_for == user]


def shown(message: Message) -> str:
    return json.dumps(message.blocks, ensure_ascii=False)


def is_quiet(database: Path) -> bool:
    """Report whether nothing is queued."""
    with closing(sqlite3.connect(database)) as connection:
        [[count]] = connection.execute("SELECT COUNT(*) FROM gesture").fetchall()
    return not count


def places(folder: Path) -> list[str]:
    """Return the files in which there is something that somebody wrote."""
    files = (one for one in folder.rglob("*") if one.is_file())
    return [str(one) for one in files if CANARY.encode() in one.read_bytes()]

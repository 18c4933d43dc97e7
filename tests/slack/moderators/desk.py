"""Somebody who reports a message, and the bot that takes the report."""

from __future__ import annotations

import json
from concurrent.futures import Future
from typing import Any

from simulators.slack.workspace import Message
from tests.slack.moderators.scene import Scene
from toxic_bot.slack.gesture_router import GestureRouter
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.reading import read_gesture
from toxic_bot.slack.gestures.report_gestures import Report, ReportRequest
from toxic_bot.slack.requests.events import Dropped
from toxic_bot.slack.requests.interactions import REPORT, parse_interaction
from toxic_bot.slack.requests.settings_form import Rejected

REPORTER = "U0ASKS"


def chosen(value: str) -> dict[str, Any]:
    return {"value": {"selected_option": {"value": value}}}


def entered(word: str = "This is not the first time.", name: str = "named") -> dict[str, Any]:
    return {
        "reason": chosen("insult"),
        "word": {"value": {"value": word}},
        "name": chosen(name),
    }


class Desk:
    """Somebody who reports, and the bot: what Slack sends goes to it through the queue's form."""

    def __init__(self, scene: Scene, **environment: str) -> None:
        self.scene = scene
        self.environment = environment
        self.gestures: list[Gesture] = []
        self.dropped: list[Dropped] = []
        self.rejected: list[Rejected] = []
        scene.interactivity.send = self._send

    def _send(self, _: str, fields: dict[str, Any]) -> Future[str | None]:
        settings = self.scene.settings(**self.environment)
        at = str(self.scene.clock())
        parsed = parse_interaction(fields, settings.subscription, at, settings.slack_api_url)
        answered: Future[str | None] = Future()
        answered.set_result("")
        if isinstance(parsed, Dropped):
            self.dropped.append(parsed)
        elif isinstance(parsed, Rejected):
            self.rejected.append(parsed)
            answered = Future()
            answered.set_result(json.dumps(parsed.to_response()))
        else:
            assert isinstance(parsed, Gesture)
            self.gestures.append(read_gesture(json.loads(parsed.to_json())))
        return answered

    def bot(self) -> GestureRouter:
        return self.scene.bot(**self.environment)

    def handle(self, gesture: Gesture, bot: GestureRouter | None = None) -> None:
        (bot or self.bot()).answer(gesture, self.scene.clock() + 30)

    def choose(self, message: Message) -> ReportRequest:
        self.scene.interactivity.choose_shortcut(message.channel, message.ts, REPORTER, REPORT)
        request = self.gestures[-1]
        assert isinstance(request, ReportRequest)
        return request

    def submit(self, values: dict[str, Any]) -> Report:
        assert self.scene.interactivity.submit_view(REPORTER, values).result() == {}
        report = self.gestures[-1]
        assert isinstance(report, Report)
        return report

    def report(self, message: Message, values: dict[str, Any]) -> Report:
        self.handle(self.choose(message))
        report = self.submit(values)
        self.handle(report)
        return report

    def cases(self) -> list[Message]:
        return self.scene.notes()


def shown(message: Message) -> str:
    return json.dumps([message.text, message.blocks], ensure_ascii=False)

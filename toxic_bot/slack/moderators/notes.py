"""Notes for moderators: one for each toxic verdict above a limit, with a link and never a text.

A note is posted after the answer, so it adds no latency. If the worker dies in between, the
reaction comes back, the thread shows the answer, and only the note is made up for. Only reactions
lead to notes: who asks privately is answered privately.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from toxic_bot.judge.verdict import LIKELY_FROM, worst_first
from toxic_bot.slack.answers.answer_records import record_refusal
from toxic_bot.slack.answers.assessment import Judgment, Outcome, Version
from toxic_bot.slack.answers.buttons import button
from toxic_bot.slack.answers.judging import Judge
from toxic_bot.slack.answers.posts import describe_kinds, explain_briefly
from toxic_bot.slack.cases.case import NOTE, Case, short_hash
from toxic_bot.slack.cases.case_desk import CaseDesk
from toxic_bot.slack.gestures.clicks import Action, Click, Subject
from toxic_bot.slack.gestures.event_gestures import Edit, Reaction
from toxic_bot.slack.gestures.watched_messages import JudgedMessage
from toxic_bot.slack.i18n.texts import Texts
from toxic_bot.slack.i18n.translation import texts_in
from toxic_bot.slack.moderators.single_notes import Noted, SingleNotes
from toxic_bot.slack.settings import BotSettings, Care, GestureName
from toxic_bot.slack.telemetry import logger
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.message import Post
from toxic_bot.slack.web_api.metadata import NOTE_TYPE
from toxic_bot.slack.web_api.remedies import SlackRefusedError


class Notes:
    """Tells moderators of toxic messages.

    Parameters
    ----------
    slack
        The workspace.
    judge
        Knows the threshold and the model's version.
    single
        Prevents a second note.
    settings
        The moderators' channel, and the limit.
    desk
        Opens cases there.
    clock
        Returns Unix seconds.
    """

    def __init__(
        self,
        slack: SlackClient,
        judge: Judge,
        single: SingleNotes,
        settings: BotSettings,
        desk: CaseDesk,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._slack = slack
        self._judge = judge
        self._single = single
        self._moderation = settings.moderation
        self._care = settings.care
        self._texts = texts_in(settings.wording.language)
        self._has_votes = GestureName.VOTE in settings.subscription.gestures
        self._desk = desk
        self._clock = clock

    def post(
        self,
        cause: Reaction | Edit | JudgedMessage,
        version: Version,
        judgment: Judgment,
        deadline: float,
    ) -> None:
        """Post a note about a verdict, if it is due and has not been posted yet.

        Parameters
        ----------
        cause
            Asked for the verdict, or led to another one.
        version
            The version of the message that was judged.
        judgment
            The verdict.
        deadline
            Unix seconds at which this invocation ends, and the claim lapses.

        Raises
        ------
        TryAgainError
            When it should be tried again later.
        """
        limit = self._moderation.note_limit
        if limit is None or not (judgment.listed or judgment.score >= limit):
            return
        try:
            self._post_once(cause, version, judgment, deadline)
        except SlackRefusedError as error:
            # The answer is there: a channel that was archived costs the note and no more.
            record_refusal(error)

    def post_urgent(
        self,
        cause: Reaction | Edit | JudgedMessage,
        version: Version,
        judgment: Judgment,
        deadline: float,
    ) -> None:
        """Post a note whatever the limit, and mention who is to look at once; see `post`.

        Raises
        ------
        TryAgainError
            When it should be tried again later.
        SlackRefusedError
            When Slack refuses the note and would refuse a retry.
        """
        mentioned = mentions(self._care, self._texts)
        self._post_once(cause, version, judgment, deadline, mentioned=mentioned)

    def _post_once(
        self,
        cause: Reaction | Edit | JudgedMessage,
        version: Version,
        judgment: Judgment,
        deadline: float,
        *,
        mentioned: str = "",
    ) -> None:
        # Direct messages have a D; the bot lacks the scopes for those of a group.
        if not self._moderation.channel or not judgment.toxic or cause.channel.startswith("D"):
            return
        if cause.channel == self._moderation.channel:
            return
        # Moderators look for themselves: what is likely is named, too.
        kinds = worst_first({*judgment.kinds, *judgment.urgent})
        subject = Subject(
            cause.ts,
            version.edited,
            judgment.outcome.value,
            round(judgment.score, 4),
            ",".join(kinds),
            self._judge.model,
            cause.channel,
            judgment.listed,
        )
        noted = Noted(cause.channel, cause.ts, version.edited)
        self._single.once(
            "note",
            noted,
            lambda: self._post(subject, noted, version.author or "", mentioned),
            deadline,
        )

    def mark_seen(self, click: Click) -> None:
        """Say in a note who has seen it."""
        if click.note is None:
            return
        link = self._slack.permalink(click.channel, click.subject.ts)
        self._slack.update(
            self._moderation.channel,
            click.note,
            self._note(click.subject, link, seen_by=click.user),
        )

    def _post(self, subject: Subject, noted: Noted, author: str, mentioned: str) -> None:
        channel, metadata = self._moderation.channel, noted.metadata(NOTE_TYPE)

        def linked() -> Post | None:
            link = self._slack.permalink(subject.channel, subject.ts)
            return None if link is None else self._note(subject, link, mentioned=mentioned)

        if self._moderation.note_cases:
            self._open_case(subject, author, mentioned, metadata)
        elif self._single.post(channel, metadata, linked):
            logger.info("note posted")

    def _open_case(
        self, subject: Subject, author: str, mentioned: str, metadata: dict[str, Any]
    ) -> None:
        link = self._slack.permalink(subject.channel, subject.ts)
        if link is None:
            logger.info("no note: the message is gone")
            return
        note = self._note(subject, link, is_case=True, mentioned=mentioned)
        self._desk.open(self._case(subject, author, link), note, metadata)
        logger.info("note posted")

    def _case(self, subject: Subject, author: str, link: str) -> Case:
        return Case(
            id=short_hash(NOTE, subject.channel, subject.ts, subject.edited),
            opened_at=self._clock(),
            reason=NOTE,
            channel=subject.channel,
            ts=subject.ts,
            message=short_hash(subject.channel, subject.ts),
            link=link,
            author=author,
            reporter="",
            verdict=subject.verdict,
            score=subject.score,
            kinds=subject.kinds,
        )

    def _note(
        self,
        subject: Subject,
        link: str | None,
        *,
        seen_by: str = "",
        is_case: bool = False,
        mentioned: str = "",
    ) -> Post:
        words = self._texts["moderators"]
        kinds = tuple(filter(None, subject.kinds.split(",")))
        toxic = describe_kinds(kinds, self._texts)
        line = words["note"].format(channel=subject.channel, toxic=toxic)
        judgment = Judgment(Outcome.TOXIC, subject.score, kinds, subject.listed)
        notes = [explain_briefly(judgment, self._judge.threshold, self._texts)]
        if seen_by:
            notes.append(words["seen_by"].format(user=seen_by))
        notes.append(self._texts["verdict"]["disclaimer"])
        is_for_urgent = self._care.channel == self._moderation.channel
        is_urgent = is_for_urgent and not LIKELY_FROM.keys().isdisjoint(kinds)
        sign = ":rotating_light:" if is_urgent else ":large_orange_circle:"
        opened = f"<{link}|{words['open_message']}>" if link else f"{words['gone']}."
        blocks: list[dict[str, Any]] = [
            {
                "type": "section",
                "text": {"type": "mrkdwn", "text": f"{sign} *{line}* {opened}{mentioned}"},
            },
            {
                "type": "context",
                "elements": [{"type": "mrkdwn", "text": f"{' · '.join(notes)}."}],
            },
        ]
        if buttons := self._buttons(subject.to_value(), is_seen=is_case or bool(seen_by)):
            blocks.append({"type": "actions", "elements": buttons})
        return Post(text=line, blocks=blocks)

    def _buttons(self, value: str, *, is_seen: bool) -> list[dict[str, Any]]:
        actions = [] if is_seen else [Action.SEEN]
        if self._has_votes:
            actions.append(Action.WRONG)
        return [button(action, value, self._texts) for action in actions]


def mentions(care: Care, texts: Texts) -> str:
    """Return a line that mentions those who look after what is urgent, or nothing."""
    people = " ".join(f"<@{user}>" for user in care.people)
    return f"\n{texts['care']['please_look'].format(people=people)}" if people else ""

"""Notes for moderators: one for each toxic verdict above a limit, with a link and never a text.

A note is posted after the answer, so it adds no latency, under its own claim. If the worker
dies in between, the reaction comes back, the thread shows the answer, and only the note is made up
for. If it dies after the note, the claim lapses, and the note is found in the moderators' channel
by its metadata. Only reactions lead to notes: who asks privately is answered privately.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from toxic_bot.slack.answers.assessment import Judgment, Version
from toxic_bot.slack.answers.buttons import button
from toxic_bot.slack.answers.claims import Claims
from toxic_bot.slack.answers.judging import Judge
from toxic_bot.slack.answers.posts import describe_kinds, describe_score
from toxic_bot.slack.gestures import Action, Click, Reaction, Subject
from toxic_bot.slack.i18n.translation import texts_in
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.settings import BotSettings, GestureName
from toxic_bot.slack.telemetry import count, logger
from toxic_bot.slack.web_api.calls import TIMEOUT
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.message import Post
from toxic_bot.slack.web_api.metadata import NOTE_TYPE
from toxic_bot.slack.web_api.remedies import SlackRefusedError

NOTE_EXPIRY = 7 * 24 * 3600
"""Seconds for which a version of a message counts as noted: as long as it counts as answered."""
LOOK_BACK = 3 * 3600.0
"""Seconds within which an earlier note is looked for; a reaction waits for two hours at most."""
MIN_SECONDS = 3 * TIMEOUT + 2.0
"""Seconds without which no note is begun: three slow calls to Slack, and the claim."""


class Notes:
    """Tells moderators of toxic messages.

    Parameters
    ----------
    slack
        The workspace.
    judge
        Knows the threshold and the model's version.
    claims
        Prevent a second note.
    settings
        The moderators' channel, and the limit.
    clock
        Returns Unix seconds.
    """

    def __init__(
        self,
        slack: SlackClient,
        judge: Judge,
        claims: Claims,
        settings: BotSettings,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._slack = slack
        self._judge = judge
        self._claims = claims
        self._moderation = settings.moderation
        self._texts = texts_in(settings.wording.language)
        self._has_votes = GestureName.VOTE in settings.subscription.gestures
        self._clock = clock

    def post(
        self, reaction: Reaction, version: Version, judgment: Judgment, deadline: float
    ) -> None:
        """Post a note about a verdict, if it is due and has not been posted yet.

        Parameters
        ----------
        reaction
            Asked for the verdict.
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
        if not self._is_due(reaction, judgment):
            return
        if deadline - self._clock() < MIN_SECONDS:
            raise TryAgainError("too little time is left for the note", reason="no_time", delay=0)
        subject = Subject(
            reaction.ts,
            version.edited,
            judgment.outcome.value,
            round(judgment.score, 4),
            ",".join(judgment.kinds),
            self._judge.model,
            reaction.channel,
        )
        try:
            self._claims.once(
                f"note#{reaction.channel}#{reaction.ts}#{version.edited}",
                lambda: self._post(subject),
                deadline=deadline,
                expires_after=NOTE_EXPIRY,
            )
        except SlackRefusedError as error:
            # The answer is there: a channel that was archived costs the note and no more.
            count("SlackRefused", error=error.error)
            logger.error(f"no note to the moderators: {error}", slack_error=error.error)

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

    def _is_due(self, reaction: Reaction, judgment: Judgment) -> bool:
        limit = self._moderation.note_limit
        return (
            limit is not None
            and judgment.toxic
            and judgment.score >= limit
            and reaction.channel != self._moderation.channel
            # Direct messages have a D; the bot lacks the scopes for those of a group.
            and not reaction.channel.startswith("D")
        )

    def _post(self, subject: Subject) -> dict[str, Any]:
        channel = self._moderation.channel
        # Not "ts", which would make it an answer in a thread of this channel.
        payload = {"channel": subject.channel, "message": subject.ts, "edited": subject.edited}
        metadata = {"event_type": NOTE_TYPE, "event_payload": payload}
        if self._slack.has_posted(channel, metadata, since=self._clock() - LOOK_BACK):
            logger.info("the note is already in the moderators' channel")
            return {}
        link = self._slack.permalink(subject.channel, subject.ts)
        if link is None:
            logger.info("no note: the message is gone")
            return {}
        self._slack.post_message(channel, self._note(subject, link), metadata=metadata)
        logger.info("note posted")
        return {}

    def _note(self, subject: Subject, link: str | None, *, seen_by: str = "") -> Post:
        words = self._texts["moderators"]
        kinds = tuple(filter(None, subject.kinds.split(",")))
        toxic = describe_kinds(kinds, self._texts)
        line = words["note"].format(channel=subject.channel, toxic=toxic)
        notes = [describe_score(subject.score, self._judge.threshold, self._texts)]
        if seen_by:
            notes.append(words["seen_by"].format(user=seen_by))
        notes.append(self._texts["verdict"]["disclaimer"])
        opened = f"<{link}|{words['open_message']}>" if link else f"{words['gone']}."
        blocks: list[dict[str, Any]] = [
            {
                "type": "section",
                "text": {"type": "mrkdwn", "text": f":large_orange_circle: *{line}* {opened}"},
            },
            {
                "type": "context",
                "elements": [{"type": "mrkdwn", "text": f"{' · '.join(notes)}."}],
            },
        ]
        if buttons := self._buttons(subject.to_value(), is_seen=bool(seen_by)):
            blocks.append({"type": "actions", "elements": buttons})
        return Post(text=line, blocks=blocks)

    def _buttons(self, value: str, *, is_seen: bool) -> list[dict[str, Any]]:
        actions = [] if is_seen else [Action.SEEN]
        if self._has_votes:
            actions.append(Action.WRONG)
        return [button(action, value, self._texts) for action in actions]

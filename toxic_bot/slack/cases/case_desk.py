"""Opens cases in the moderators' channel, and does what moderators click there.

A gesture is recognized by its key in the case's trail. So whatever fails on the way is made up
for when the gesture comes again, and is not done twice. Two moderators who click at once change
the same version of the case: one of them is first, and the other is told who.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from toxic_bot.slack.answers.claims import StoreUnavailableError
from toxic_bot.slack.cases.case import (
    BEGUN,
    DAY,
    DONE,
    REPEAT_DAYS,
    UNKNOWN,
    Case,
    CaseStore,
    Entry,
    State,
    short_hash,
)
from toxic_bot.slack.cases.case_actions import CaseActions
from toxic_bot.slack.cases.case_modal import case_modal
from toxic_bot.slack.cases.case_post import case_post, is_possible
from toxic_bot.slack.gestures.case_gestures import ACTIONS, LETTERS, CaseClick, CaseForm, Step
from toxic_bot.slack.i18n.texts import CaseTexts
from toxic_bot.slack.i18n.translation import choose, texts_in
from toxic_bot.slack.retry import OutcomeUnknownError, TryAgainError
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.telemetry import count, logger
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.form_blocks import section
from toxic_bot.slack.web_api.locales import Locales
from toxic_bot.slack.web_api.message import Post
from toxic_bot.slack.web_api.remedies import GONE, LATE, OUT_OF_REACH, SlackRefusedError

LOOK_BACK = 3 * 3600.0
"""Seconds within which a case's post is looked for; a gesture waits for two hours at most."""
ATTEMPTS = 10
"""Attempts to change a case, or its post, while others change it."""

_AT_ONCE = (Step.TAKE, Step.HAND_BACK, Step.REOPEN)
"""What needs no form."""


class CaseDesk:
    """Keeps the cases.

    Parameters
    ----------
    slack
        The workspace.
    store
        Where cases are stored.
    locales
        Know the language of each person.
    settings
        The moderators' channel, and how long cases are kept.
    clock
        Returns Unix seconds.
    """

    def __init__(
        self,
        slack: SlackClient,
        store: CaseStore,
        locales: Locales,
        settings: BotSettings,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._slack = slack
        self._store = store
        self._locales = locales
        self._moderation = settings.moderation
        self._texts = texts_in(settings.wording.language)
        self._actions = CaseActions(slack, locales, settings.wording)
        self._clock = clock

    def open(self, case: Case, head: Post, metadata: dict[str, Any]) -> bool:
        """Store a case and post it, as far as that has not been done.

        Parameters
        ----------
        case
            The case.
        head
            What its post says about it, above its state.
        metadata
            By which the post is found again.

        Returns
        -------
        bool
            Whether it was posted just now.

        Raises
        ------
        TryAgainError
            When it should be tried again later.
        SlackRefusedError
            When Slack refuses the post and would refuse a retry.
        """
        days = min(REPEAT_DAYS, self._moderation.case_days)
        case = self._store.open(case, case.opened_at - days * DAY, self._expiry())
        if case.post:
            return False
        channel = self._moderation.channel
        ts = self._slack.posted_at(channel, metadata, since=self._clock() - LOOK_BACK)
        is_new = ts is None
        if ts is None:
            post = case_post(head, case, self._texts)
            ts = self._slack.post_message(channel, post, metadata=metadata)
        link = self._slack.permalink(channel, ts) or ""
        self._change(case.id, lambda now: replace(now, post=ts, post_link=link))
        return is_new

    def unclosed(self, user: str) -> Sequence[Case] | None:
        """Return the cases that are not closed; None for who is no moderator.

        Raises
        ------
        TryAgainError
            When it should be tried again later.
        """
        if not self._moderation.channel:
            return None
        try:
            return self._store.unclosed() if self._may_act(user) else None
        except SlackRefusedError as error:
            # The Home tab is there for more than this.
            logger.warning(str(error), slack_error=error.error)
            return None

    def click(self, click: CaseClick) -> None:
        """Do what a button asks for, or open the form that asks first."""
        self._locales.expect(click.user)
        case = self._store.read(click.case)
        if case is None:
            said = self._words(click.user)["not_kept"]
        elif click.step in _AT_ONCE:
            # In a public channel, Slack shows buttons to people who are not in it.
            if self._may_act(click.user):
                said = self._step(click.case, self._entry(click), click)
            else:
                logger.warning("this person may not handle cases", user=click.user)
                said = self._words(click.user)["not_allowed"]
        else:
            # Whether they may is checked when they submit it: here, every second counts.
            said = self._in_the_way(case, click.step, click.user) or self._open_form(case, click)
        if said:
            self._slack.respond(click.response_url, _said(said))

    def submit(self, form: CaseForm) -> None:
        """Do what a form asks for, and tell who submitted it what became of it."""
        self._locales.expect(form.user)
        if not self._may_act(form.user):
            logger.warning("this person may not handle cases", user=form.user)
            return
        if form.step in ACTIONS:
            said = self._act(form)
        else:
            said = self._step(form.case, self._entry(form), form)
        if said:
            channel = self._moderation.channel
            self._slack.post_privately(channel, form.user, _said(said), thread=None)

    def _step(self, case_id: str, entry: Entry, gesture: CaseClick | CaseForm) -> str:
        """Take a step that is done once the case says so; return what to tell who takes it."""
        said = ""

        def step(case: Case) -> Case:
            nonlocal said
            said = ""
            if case.entry(entry.key):
                return case
            said = self._in_the_way(case, entry.step, entry.user)
            if said:
                return case
            if isinstance(gesture, CaseForm) and gesture.outcome is not None:
                return case.closed(entry, gesture.outcome)
            if entry.step is Step.TAKE:
                return case if case.state is State.TAKEN else case.taken(entry)
            # Handing back what nobody has, or opening what is open, changes nothing.
            is_there = case.state is (State.TAKEN if entry.step is Step.HAND_BACK else State.CLOSED)
            return case.opened(entry) if is_there else case

        case = self._change(case_id, step, key=entry.key)
        if case is None:
            return self._words(entry.user)["not_kept"]
        if case.entry(entry.key):
            count("CaseStep", step=entry.step.value)
            logger.info("case changed", step=entry.step.value, case=case_id)
        self._refresh(case_id)
        return said

    def _act(self, form: CaseForm) -> str:
        """Act once; return what to tell who asked for it."""
        entry, said, before = self._entry(form), "", None

        def begin(case: Case) -> Case:
            nonlocal said, before
            said, before = "", case.entry(entry.key)
            if before is None:
                said = self._in_the_way(case, form.step, form.user)
            return case if before or said else case.begun(entry)

        case = self._change(form.case, begin, key=entry.key)
        if case is None:
            return self._words(form.user)["not_kept"]
        if said:
            return said
        detail = DONE if before is None else before.detail
        if before is None or before.detail == BEGUN:
            detail = self._done(case, form, entry.key, again=before is not None)
            self._change(form.case, lambda now: now.settled(entry.key, detail))
            count("CaseStep", step=form.step.value)
            logger.info("acted on a case", step=form.step.value, case=form.case, detail=detail)
        self._refresh(form.case)
        return describe_result(form.step, detail, self._words(form.user))

    def _done(self, case: Case, form: CaseForm, key: str, *, again: bool) -> str:
        """Do an action, and return what became of it."""
        if again and form.step in LETTERS:
            # It was begun and nobody knows how it ended: better no letter than two.
            return UNKNOWN
        try:
            self._actions.act(case, form.step, form.letter, key)
        except OutcomeUnknownError:
            raise
        except TryAgainError:
            self._change(form.case, lambda now: now.settled(key, ""))
            raise
        except SlackRefusedError as error:
            count("SlackRefused", error=error.error)
            logger.warning(str(error), slack_error=error.error)
            return error.error
        return DONE

    def _in_the_way(self, case: Case, step: Step, user: str) -> str:
        """Return why somebody cannot take a step now; empty if they can."""
        words = self._words(user)
        if case.state is State.CLOSED and step is not Step.REOPEN:
            return words["closed_before"].format(
                user=_last(case, Step.CLOSE), outcome=choose(words["outcomes"], case.outcome)
            )
        is_theirs = case.state is State.TAKEN and case.taken_by != user
        if is_theirs and step in (Step.TAKE, *ACTIONS):
            return words["taken_before"].format(user=case.taken_by)
        if step in ACTIONS and not is_possible(step, case):
            return words["not_possible"]
        return ""

    def _open_form(self, case: Case, click: CaseClick) -> str:
        view = case_modal(case, click.step, self._locales.language(click.user))
        try:
            self._slack.open_modal(click.event_id, view)
        except SlackRefusedError as error:
            if error.error not in LATE:
                raise
            logger.info("the form came too late: the moderator was asked to press the button again")
            return self._locales.texts(click.user)["channel"]["press_again"]
        return ""

    def _change(self, case_id: str, edit: Callable[[Case], Case], *, key: str = "") -> Case | None:
        """Change a case, whatever others do with it meanwhile; return it as it is then."""
        for _ in range(ATTEMPTS):
            case = self._store.read(case_id)
            if case is None:
                return None
            edited = edit(case)
            if edited is not case:
                edited = replace(edited, version=case.version + 1)
            elif case.entry(key) is None:
                return case
            # Also what has been stored before: what follows from it may not have been.
            if self._store.change(edited, self._expiry()):
                return edited
        raise StoreUnavailableError

    def _refresh(self, case_id: str) -> None:
        """Let a case's post show how far it is."""
        channel = self._moderation.channel
        for _ in range(ATTEMPTS):
            case = self._store.read(case_id)
            if case is None or not case.post:
                return
            # What a reporter said is kept nowhere else.
            shown = self._slack.post_at(channel, case.post)
            if shown is None:
                logger.info("the case's post has been deleted")
                return
            self._slack.update(channel, case.post, case_post(shown, case, self._texts))
            now = self._store.read(case_id)
            if now is None or now.version == case.version:
                return

    def _may_act(self, user: str) -> bool:
        # People of another company may be in a shared channel.
        channel = self._moderation.channel
        return self._slack.is_in_channel(channel, user) and self._slack.is_member(user)

    def _entry(self, gesture: CaseClick | CaseForm) -> Entry:
        at = int(float(gesture.event_ts))
        return Entry(short_hash(gesture.event_id), at, gesture.user, gesture.step)

    def _words(self, user: str) -> CaseTexts:
        return self._locales.texts(user)["case"]

    def _expiry(self) -> int:
        return int(self._clock()) + self._moderation.case_days * DAY


def describe_result(step: Step, detail: str, words: CaseTexts) -> str:
    """Return what to tell a moderator about an action.

    Parameters
    ----------
    step
        The action.
    detail
        What became of it, as its entry has it.
    words
        In the language of the moderator.
    """
    if detail == DONE:
        return choose(words["told"], step)
    if detail in (BEGUN, UNKNOWN):
        return words["told_unknown"]
    if detail == "cant_delete_message":
        return words["told_cannot_remove"]
    if detail == "messages_tab_disabled":
        return words["told_no_messages_tab"]
    if detail in OUT_OF_REACH:
        return words["told_out_of_reach"]
    if detail in GONE:
        return words["told_gone"]
    return words["told_refused"].format(error=detail)


def _last(case: Case, step: Step) -> str:
    return next((one.user for one in reversed(case.trail) if one.step is step), "")


def _said(text: str) -> Post:
    return Post(text, [section(text)])

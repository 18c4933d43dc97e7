"""Reports: what people tell the moderators about a message, with the verdict on it beside.

A report works wherever Slack shows a message's menu, also in direct messages and where the bot is
not: the verdict is about the text that Slack sends along, which goes no further. Moderators get a
case with a link, what the reporter says, and the verdict; what is urgent is told at once, too. Who
wants to stay anonymous is named nowhere.
"""

from __future__ import annotations

from typing import Any

from toxic_bot.slack.answers.assessment import Judgment, Outcome
from toxic_bot.slack.answers.judging import Judge
from toxic_bot.slack.answers.posts import describe_kinds, describe_score, plain_section
from toxic_bot.slack.cases.case import Case, short_hash
from toxic_bot.slack.cases.case_desk import CaseDesk
from toxic_bot.slack.gestures.report_gestures import Report, ReportedMessage, ReportRequest
from toxic_bot.slack.i18n.texts import ReportTexts
from toxic_bot.slack.i18n.translation import Language, choose, texts_in
from toxic_bot.slack.moderators.single_notes import Noted
from toxic_bot.slack.moderators.urgent_notes import UrgentNotes
from toxic_bot.slack.requests.form_input import INPUT
from toxic_bot.slack.requests.report_form import (
    ANONYMOUS,
    CALLBACK,
    MAX_WORD,
    NAMED,
    URGENT_REASONS,
    Reason,
    ReportField,
    ReportPlace,
)
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.telemetry import count, logger
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.form_blocks import choices, labeled_input, plain, section
from toxic_bot.slack.web_api.locales import Locales
from toxic_bot.slack.web_api.message import Post
from toxic_bot.slack.web_api.metadata import REPORT_TYPE
from toxic_bot.slack.web_api.mrkdwn import plain_text
from toxic_bot.slack.web_api.remedies import LATE, SlackRefusedError


class Reports:
    """Shows the form, and passes on what is entered into it.

    Parameters
    ----------
    slack
        The workspace.
    judge
        Judges the reported text.
    locales
        Know the language of each person.
    settings
        The moderators' channel.
    desk
        Opens cases there.
    urgent
        Tells people of what they have to see at once.
    """

    def __init__(
        self,
        slack: SlackClient,
        judge: Judge,
        locales: Locales,
        settings: BotSettings,
        desk: CaseDesk,
        urgent: UrgentNotes,
    ) -> None:
        self._slack = slack
        self._judge = judge
        self._locales = locales
        self._moderators = settings.moderation.channel
        self._texts = texts_in(settings.wording.language)
        self._desk = desk
        self._urgent = urgent

    def open_form(self, request: ReportRequest) -> None:
        """Show the form to somebody who wants to report a message."""
        self._locales.expect(request.user)
        if not self._moderators:
            self._respond(request, "nobody")
            return
        judgment = self._judge.text(plain_text(request.text))
        message = ReportedMessage(
            request.channel,
            request.ts,
            request.author,
            judgment.outcome.value,
            round(judgment.score, 4),
            ",".join(judgment.kinds),
            request.edited,
            ",".join(judgment.urgent),
        )
        language = self._locales.language(request.user)
        try:
            self._slack.open_modal(request.event_id, report_modal(message, language))
        except SlackRefusedError as error:
            if error.error not in LATE:
                raise
            # Slack allows three seconds, and the worker may just have started.
            logger.info("the form came too late")
            self._respond(request, "too_late")

    def post(self, report: Report, deadline: float) -> None:
        """Open a case for what somebody has reported, and pass on what is urgent, each once.

        Parameters
        ----------
        report
            What they have said, and about which message.
        deadline
            Unix seconds at which this invocation ends.

        Raises
        ------
        TryAgainError
            When it should be tried again later.
        SlackRefusedError
            When Slack refuses the case's post and would refuse a retry.
        """
        message, case = report.message, self._case(report)
        if not _is_urgent(report):
            self._open(report, case)
            return
        self._urgent.report(
            Noted(message.channel, message.ts, message.edited),
            lambda mentioned: self._note(report, case.link, mentioned),
            lambda mentioned: self._open(report, case, mentioned),
            deadline,
        )

    def _open(self, report: Report, case: Case, mentioned: str = "") -> None:
        metadata = {"event_type": REPORT_TYPE, "event_payload": {"report": report.event_id}}
        if self._desk.open(case, self._head(report, case.link, mentioned), metadata):
            count("ReportPosted", reason=report.reason)
            # The log names messages, and is not to say of one that its author is unwell.
            logger.info("report posted")

    def _respond(self, request: ReportRequest, name: str) -> None:
        text = choose(self._locales.texts(request.user)["report"], name)
        block = {"type": "section", "text": {"type": "mrkdwn", "text": text}}
        self._slack.respond(request.response_url, Post(text, [block]), thread=request.thread)

    def _case(self, report: Report) -> Case:
        message = report.message
        # Nobody else can open a direct message, and its ID says nothing to anybody.
        is_direct = message.channel.startswith("D")
        link = None if is_direct else self._slack.permalink(message.channel, message.ts)
        return Case(
            id=short_hash("report", report.event_id),
            opened_at=float(report.event_ts),
            reason=report.reason,
            channel="" if is_direct else message.channel,
            ts="" if is_direct else message.ts,
            message=short_hash(message.channel, message.ts),
            link=link or "",
            author=message.author or "",
            reporter="" if report.anonymous else report.user,
            verdict=message.outcome,
            score=message.score,
            kinds=message.kinds,
        )

    def _head(self, report: Report, link: str, mentioned: str) -> Post:
        """Return what a case says about its report."""
        words = self._texts["report"]
        by = words["anonymous"] if report.anonymous else words["named"].format(user=report.user)
        line, about = self._about(report, link)
        blocks: list[dict[str, Any]] = [
            section(f"{about}{mentioned}"),
            *([plain_section(report.word)] if report.word else []),
            _context(f"{by} · {self._verdict(report.message)}"),
        ]
        return Post(line, blocks)

    def _note(self, report: Report, link: str, mentioned: str) -> Post:
        """Return what is said of it elsewhere: neither what the reporter says, nor who that is."""
        line, about = self._about(report, link)
        case = self._texts["report"]["case_in"].format(channel=self._moderators)
        context = _context(f"{self._verdict(report.message)} · {case}")
        return Post(line, [section(f"{about}{mentioned}"), context])

    def _about(self, report: Report, link: str) -> tuple[str, str]:
        words, message = self._texts["report"], report.message
        reason = choose(words["reasons"], report.reason)
        line = words["headline"].format(reason=reason)
        where = words["in_channel"].format(channel=message.channel)
        if message.channel.startswith("D"):
            where = words["in_direct_message"]
        about = [where]
        if message.author:
            about.append(words["author"].format(user=message.author))
        if link:
            about.append(f"<{link}|{self._texts['moderators']['open_message']}>")
        is_in_need = report.reason == Reason.SELF_HARM
        sign = ":yellow_heart:" if is_in_need else ":rotating_light:"
        return line, f"{sign} *{line}*\n{' · '.join(about)}"

    def _verdict(self, message: ReportedMessage) -> str:
        words = self._texts["report"]
        kinds = tuple(filter(None, message.kinds.split(",")))
        judgment = Judgment(Outcome(message.outcome), message.score, kinds)
        if not judgment.is_verdict:
            return words["not_judged"]
        score = describe_score(judgment.score, self._judge.threshold, self._texts, in_sentence=True)
        if not judgment.toxic:
            return words["reads_as_fine"].format(score=score)
        toxic = describe_kinds(kinds, self._texts)
        return words["reads_as_toxic"].format(toxic=toxic, score=score)


def _is_urgent(report: Report) -> bool:
    message = report.message
    return (
        report.reason in URGENT_REASONS
        or message.outcome == Outcome.SELF_HARM
        or bool(message.urgent)
    )


def report_modal(message: ReportedMessage, language: Language) -> dict[str, Any]:
    """Return the form in which somebody reports a message.

    Parameters
    ----------
    message
        The message.
    language
        That of the person who reports it.
    """
    words: ReportTexts = texts_in(language)["report"]
    reasons = {one.value: choose(words["reasons"], one) for one in Reason}
    names = {ANONYMOUS: words["stay_anonymous"], NAMED: words["be_named"]}
    word = {
        "type": "plain_text_input",
        "action_id": INPUT,
        "multiline": True,
        "max_length": MAX_WORD,
    }
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "private_metadata": ReportPlace(message, language).to_metadata(),
        "title": plain(words["title"]),
        "submit": plain(words["send"]),
        "close": plain(words["cancel"]),
        "blocks": [
            section(words["intro"]),
            labeled_input(
                ReportField.REASON,
                words["reason"],
                choices("static_select", reasons, Reason.OTHER),
            ),
            labeled_input(
                ReportField.WORD, words["word"], word, hint=words["word_hint"], optional=True
            ),
            labeled_input(
                ReportField.NAME, words["name"], choices("radio_buttons", names, ANONYMOUS)
            ),
        ],
    }


def _context(text: str) -> dict[str, Any]:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text}]}

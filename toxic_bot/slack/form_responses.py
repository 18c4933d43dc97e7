"""What the bot responds to a form at once; Slack shows it instead of the form, or in it.

`toxic_bot.slack.request_handler` imports this module only for a form: whoever reacts to a message
does not wait for what reads forms.
"""

from __future__ import annotations

from typing import Any

from toxic_bot.slack.channels.lists_trial import trial_response
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.report_gestures import Report
from toxic_bot.slack.i18n.translation import texts_in
from toxic_bot.slack.requests.events import Challenge, Dropped
from toxic_bot.slack.requests.http import Request
from toxic_bot.slack.requests.interactions import parse_form
from toxic_bot.slack.requests.report_form import thanks_response
from toxic_bot.slack.requests.settings_form import Rejected, Tried
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.telemetry import count


def read_form(request: Request, bot: BotSettings) -> Gesture | Dropped | Rejected | Tried:
    """Return what somebody asks for with a slash command, a click or a form.

    Raises
    ------
    MalformedEventError
        When it is not in a shape that Slack sends.
    """
    return parse_form(
        request.body,
        bot.subscription,
        request.headers["x-slack-request-timestamp"],
        bot.slack_api_url,
        bot.wording.language,
    )


def form_response(
    form: Gesture | Challenge | Dropped | Rejected | Tried, bot: BotSettings
) -> dict[str, Any] | None:
    """Return the response to a form, None if it needs none, as what is no form does.

    Parameters
    ----------
    form
        What was read; a gesture must be safe by now.
    bot
        The settings of the environment.
    """
    if isinstance(form, Rejected):
        count("EventDropped", reason="form_rejected")
        return form.to_response()
    if isinstance(form, Tried):
        count("EventDropped", reason="lists_tried")
        return trial_response(form, bot)
    if isinstance(form, Report):
        return thanks_response(texts_in(form.language)["report"])
    return None

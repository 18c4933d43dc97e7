"""What a channel's lists would do to a text: shown in the form before they are saved.

The receiver answers, which has no model: it says which words count in any case and which are left
out, and that the model judges the rest.
"""

from __future__ import annotations

from typing import Any

from toxic_bot.slack.i18n.quotes import MAX_SHOWN, name_words, shorten
from toxic_bot.slack.i18n.translation import Language, texts_in
from toxic_bot.slack.requests.settings_form import Field, Tried
from toxic_bot.slack.settings import BotSettings


def trial_response(tried: Tried, defaults: BotSettings) -> dict[str, Any]:
    """Return the response that shows the form again, with what the lists would do.

    Parameters
    ----------
    tried
        What was entered.
    defaults
        The settings of the environment.
    """
    # Slack is waiting for the receiver, which needs it for nothing else.
    from toxic_bot.slack.channels.settings_modal import settings_modal

    language = tried.place.language or Language.ENGLISH
    texts = texts_in(language)
    words = texts["form"]
    found = tried.settings.lists.read(tried.sample)
    lines = []
    if found.never:
        lines.append(words["tried_never"].format(words=name_words(found.never, texts)))
    if found.always:
        lines.append(words["tried_always"].format(words=name_words(found.always, texts)))
    elif found.never and found.text:
        rest = texts["verdict"]["quote"].format(words=shorten(found.text, MAX_SHOWN))
        lines.append(words["tried_rest"].format(rest=rest))
    elif not found.never:
        lines.append(words["tried_nothing"])
    result = "\n".join([*lines, words["not_saved_yet"]])
    view = settings_modal(
        tried.settings,
        defaults,
        tried.place.channel,
        language,
        trial=result,
        sample=Field.NEXT_SAMPLE if tried.field is Field.SAMPLE else Field.SAMPLE,
    )
    return {"response_action": "update", "view": view}

"""What the bot says when it is invited to a channel."""

from __future__ import annotations

from toxic_bot.slack.i18n.texts import Texts
from toxic_bot.slack.i18n.translation import choose
from toxic_bot.slack.requests.interactions import COMMAND
from toxic_bot.slack.settings import BotSettings, GestureName
from toxic_bot.slack.web_api.message import Post


def ways_to_ask(settings: BotSettings, texts: Texts) -> list[str]:
    """Return the ways to ask that are switched on, each as a sentence in mrkdwn."""
    gestures, words = settings.subscription.gestures, texts["home"]
    ways = []
    if GestureName.REACTION in gestures:
        names = sorted(settings.subscription.reactions)
        emoji = texts["channel"]["alternative"].join(f":{name}:" for name in names)
        who_sees = choose(texts["channel"]["who_sees"], settings.answer)
        ways.append(words["ask_reaction"].format(emoji=emoji, who_sees=who_sees))
    if GestureName.SHORTCUT in gestures:
        ways.append(words["ask_shortcut"])
    if GestureName.COMMAND in gestures:
        ways.append(words["ask_command"].format(command=COMMAND))
    return ways


def welcome_post(settings: BotSettings, texts: Texts) -> Post:
    """Return the message to a channel that the bot was invited to."""
    ways = "\n".join(f"• {way}" for way in ways_to_ask(settings, texts))
    text = f"{texts['home']['hello']}\n{ways}\n{texts['home']['stored']}"
    return Post(text, [{"type": "section", "text": {"type": "mrkdwn", "text": text}}])

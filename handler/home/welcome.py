"""What the bot says when it is invited to a channel."""

from __future__ import annotations

from handler.channels.settings_posts import WHO_SEES
from handler.settings import BotSettings, GestureName
from handler.slack.interactions import COMMAND
from handler.slack.message import Post

STORED = "I store no texts: messages are read when somebody asks, and forgotten."


def ways_to_ask(settings: BotSettings) -> list[str]:
    """Return the ways to ask that are switched on, each as a sentence in mrkdwn."""
    gestures = settings.subscription.gestures
    ways = []
    if GestureName.REACTION in gestures:
        emoji = " or ".join(f":{name}:" for name in sorted(settings.subscription.reactions))
        ways.append(f"React to a message with {emoji}: {WHO_SEES[settings.answer]}.")
    if GestureName.SHORTCUT in gestures:
        ways.append("Choose *Is this toxic?* in a message's menu: only you see the answer.")
    if GestureName.COMMAND in gestures:
        ways.append(f"Type `{COMMAND}` and a text before you post it: only you see the answer.")
    return ways


def welcome_post(settings: BotSettings) -> Post:
    """Return the message to a channel that the bot was invited to."""
    ways = "\n".join(f"• {way}" for way in ways_to_ask(settings))
    text = f"Hello! I say whether a message reads as toxic, when somebody asks.\n{ways}\n{STORED}"
    return Post(text, [{"type": "section", "text": {"type": "mrkdwn", "text": text}}])

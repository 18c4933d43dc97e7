"""What somebody types, as the mrkdwn that Slack makes of it.

Source: https://docs.slack.dev/messaging/formatting-message-text
"""

from __future__ import annotations

import re

from simulators.slack.workspace import Workspace

_BLOCK = "```"
_EVERYBODY = ("here", "channel", "everyone")


def as_mrkdwn(text: str, workspace: Workspace, user: str) -> str:
    """Return typed text with its links and mentions, and its control characters escaped.

    Parameters
    ----------
    text
        The text. Code in it is left as it is.
    workspace
        The people and channels that it may mention.
    user
        ID of its author, who can only mention channels that they are a member of.
    """
    people = {f"@{person.name}": f"<@{person.id}>" for person in workspace.people.values()}
    channels = {
        f"#{channel.name}": f"<#{channel.id}|{channel.name}>"
        for channel in workspace.channels.values()
        if user in channel.members
    }
    mentions = {f"@{name}": f"<!{name}>" for name in _EVERYBODY} | people | channels
    names = "|".join(map(re.escape, sorted(mentions, key=len, reverse=True)))
    pattern = re.compile(
        r"(?P<code>`[^`\n]+`)"
        r"|(?P<url>\bhttps?://[^\s<>|`]*[^\s<>|`.,;:!?'\")\]])"
        rf"|(?<!\w)(?P<mention>{names})(?![\w-])"
    )

    def replacement(match: re.Match[str]) -> str:
        if match["url"]:
            return f"<{escape(match['url'])}>"
        return mentions[match["mention"]] if match["mention"] else escape(match["code"])

    def linked(part: str) -> str:
        end, pieces = 0, []
        for match in pattern.finditer(part):
            pieces += [escape(part[end : match.start()]), replacement(match)]
            end = match.end()
        return "".join([*pieces, escape(part[end:])])

    parts = text.split(_BLOCK)
    # Every second part is a block of code, if something closes it.
    return _BLOCK.join(
        escape(part) if number % 2 and number < len(parts) - 1 else linked(part)
        for number, part in enumerate(parts)
    )


def escape(text: str) -> str:
    """Escape the control characters of mrkdwn, as Slack does."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

"""Slack's errors that the same call would get again, and what the operator should do.

What is not named here passes, or is not known: the event goes back to the queue, and at
last to the dead-letter queue, where nothing is lost.

Source: the errors listed at https://docs.slack.dev/reference/methods/chat.postMessage,
chat.postEphemeral and conversations.replies.
"""

from __future__ import annotations

GONE = frozenset({"message_not_found", "thread_not_found"})
"""The message has been deleted."""

TOKEN_ERRORS = frozenset(
    {"invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive"}
)
"""The bot token is no longer good; a fresh one may be."""

_INSTALL = "install the app again and store the new bot token"

REMEDIES = {
    "message_not_found": "nothing: the message was deleted",
    "thread_not_found": "nothing: the thread was deleted",
    "channel_not_found": "invite the bot to the channel",
    "not_in_channel": "invite the bot to the channel",
    "user_not_in_channel": "nothing: that person has left the channel",
    "is_archived": "nothing: the channel is archived",
    "missing_scope": "add the manifest's scopes to the app and install it again",
    "no_permission": "add the manifest's scopes to the app and install it again",
    "invalid_auth": _INSTALL,
    "not_authed": _INSTALL,
    "token_revoked": _INSTALL,
    "token_expired": _INSTALL,
    "account_inactive": _INSTALL,
    "restricted_action": "ask a workspace admin to let the app post in this channel",
    "restricted_action_read_only_channel": "nothing: the channel is read-only",
    "restricted_action_thread_locked": "nothing: the thread is locked",
    "cannot_reply_to_message": "nothing: Slack allows no reply to such a message",
}
"""Each error with its remedy."""

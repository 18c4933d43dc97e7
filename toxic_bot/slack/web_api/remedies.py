"""Slack errors that retrying cannot fix, and what the operator should do about each.

An error that is not listed here may pass, so its event goes back to the queue. If the error
persists, the event ends in the dead-letter queue, where it is not lost.

Source: the errors listed at https://docs.slack.dev/reference/methods/chat.postMessage,
chat.postEphemeral, chat.update, chat.delete and conversations.replies.
"""

from __future__ import annotations

from toxic_bot.judge.errors import ToxicBotError

GONE = frozenset({"message_not_found", "thread_not_found"})
"""The message has been deleted."""

OUT_OF_REACH = frozenset({"channel_not_found", "not_in_channel"})
"""The bot is not in the channel."""

LATE = frozenset({"expired_trigger_id", "exchanged_trigger_id", "invalid_trigger_id"})
"""A modal can no longer be opened for a gesture."""

TOKEN_ERRORS = frozenset(
    {"invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive"}
)
"""The bot token is no longer valid; a fresh one may be."""

_REINSTALL = "reinstall the app and store the new bot token"
_ADD_SCOPES = "add the manifest's scopes to the app and reinstall it"

REMEDIES = {
    "message_not_found": "nothing to do: the message was deleted",
    "thread_not_found": "nothing to do: the thread was deleted",
    "cant_update_message": "nothing to do: the message is not the bot's own",
    "cant_delete_message": "nothing to do: the message is not the bot's own",
    "compliance_exports_prevent_deletion": "delete the bot's answer by hand: Slack keeps it",
    "channel_not_found": "invite the bot to the channel",
    "not_in_channel": "invite the bot to the channel",
    "user_not_in_channel": "nothing to do: that person has left the channel",
    "is_archived": "nothing to do: the channel is archived",
    "missing_scope": _ADD_SCOPES,
    "no_permission": _ADD_SCOPES,
    "invalid_auth": _REINSTALL,
    "not_authed": _REINSTALL,
    "token_revoked": _REINSTALL,
    "token_expired": _REINSTALL,
    "account_inactive": _REINSTALL,
    "restricted_action": "ask a workspace admin to let the app post in this channel",
    "restricted_action_read_only_channel": "nothing to do: the channel is read-only",
    "restricted_action_thread_locked": "nothing to do: the thread is locked",
    "restricted_action_thread_only_channel": "set ANSWER to thread: it takes only replies",
    "restricted_action_non_threadable_channel": "set ANSWER to ephemeral: it has no threads",
    "ekm_access_denied": "ask a workspace admin: Enterprise Key Management blocks posting here",
    "team_access_not_granted": "ask an org admin to grant the app access to this workspace",
    "edit_window_closed": "nothing to do: the workspace does not allow edits after this time",
    "expired_trigger_id": "nothing to do: the person presses the button again",
    "exchanged_trigger_id": "nothing to do: the form is open already",
    "invalid_trigger_id": "nothing to do: the person presses the button again",
    "messages_tab_disabled": "switch on the app's Messages tab, as manifest.yaml does",
    "cannot_dm_bot": "nothing to do: the author is an app",
    "user_disabled": "nothing to do: that person's account is deactivated",
    "user_not_found": "nothing to do: that person no longer exists",
    "cannot_reply_to_message": "nothing to do: Slack allows no replies to this kind of message",
}
"""The remedy for each error."""


class SlackRefusedError(ToxicBotError):
    """Slack refused a call and would refuse a retry too.

    Parameters
    ----------
    error
        Slack's own name for it, such as ``not_in_channel``.
    remedy
        What the operator should do.
    """

    def __init__(self, error: str, remedy: str) -> None:
        super().__init__(f"Slack answered {error}: {remedy}")
        self.error = error
        self.remedy = remedy

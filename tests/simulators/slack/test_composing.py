"""What somebody types, as Slack's mrkdwn."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulators.samples import PRIVATE_CHANNEL, RAE, VIEWER, create_workspace
from simulators.slack.composing import as_mrkdwn

TOKEN = re.compile(r"<(?:https?://[^<>|]+|@\w+|#\w+\|[\w-]+|!(?:here|channel|everyone))>")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("see https://example.com/a?b=1&c=2.", "see <https://example.com/a?b=1&amp;c=2>."),
        ("(http://example.com)", "(<http://example.com>)"),
        ("thanks @Rae Lindqvist!", f"thanks <@{RAE}>!"),
        ("@here lunch? mail@here.com", "<!here> lunch? mail@here.com"),
        ("ask in #team-leads", f"ask in <#{PRIVATE_CHANNEL}|team-leads>"),
        ("#team-leads-2 and #nowhere", "#team-leads-2 and #nowhere"),
        ("`https://example.com` <b>", "`https://example.com` &lt;b&gt;"),
        ("```\n@here\n``` @here", "```\n@here\n``` <!here>"),
        ("``` @here", "``` <!here>"),
    ],
)
def test_links_and_mentions_become_mrkdwn_outside_of_code(typed: str, expected: str) -> None:
    assert as_mrkdwn(typed, create_workspace(), VIEWER) == expected


def test_nobody_mentions_a_channel_that_they_are_not_in() -> None:
    workspace = create_workspace()
    workspace.channels[PRIVATE_CHANNEL].members.discard(VIEWER)
    assert as_mrkdwn("#team-leads", workspace, VIEWER) == "#team-leads"


@given(
    st.lists(
        st.sampled_from(
            ["`", "```", "<", ">", "&", "https://", "a.b/c", "@Rae Lindqvist", " ", "\n"]
        )
    ).map("".join)
)
def test_no_typed_character_acts_as_a_control_character(typed: str) -> None:
    workspace = create_workspace()
    written = as_mrkdwn(typed, workspace, VIEWER)
    without_tokens = TOKEN.sub("", written)
    assert "<" not in without_tokens
    assert ">" not in without_tokens
    restored = TOKEN.sub(lambda match: match[0][1:-1].replace(f"@{RAE}", "@Rae Lindqvist"), written)
    assert restored.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") == typed

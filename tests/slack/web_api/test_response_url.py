from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from simulators.process import free_port
from tests.aws_account import SlackServer
from toxic_bot.slack.retry import OutcomeUnknownError, RateLimitedError, TryAgainError
from toxic_bot.slack.web_api.message import Post
from toxic_bot.slack.web_api.remedies import SlackRefusedError
from toxic_bot.slack.web_api.response_url import ResponseUrls

POST = Post("hello", [{"type": "divider"}])


class Hook:
    """A response URL that answers with a status."""

    status = 200
    headers: dict[str, str] = {}  # noqa: RUF012 - replaced, never changed
    received: object = None
    url = ""


@pytest.fixture
def hook(slack_server: SlackServer) -> Hook:
    hook = Hook()

    async def answer(request: Request) -> Response:
        hook.received = await request.json()
        return PlainTextResponse("ok", hook.status, hook.headers)

    slack_server.serve(Starlette(routes=[Route("/hook", answer, methods=["POST"])]))
    hook.url = f"{slack_server.address}/hook"
    return hook


def test_an_answer_is_private_and_leaves_the_original_alone(hook: Hook) -> None:
    ResponseUrls(5, None).post(hook.url, POST, thread="1766000000.000100")
    assert hook.received == {
        "response_type": "ephemeral",
        "replace_original": False,
        "text": "hello",
        "blocks": [{"type": "divider"}],
        "thread_ts": "1766000000.000100",
    }


@pytest.mark.parametrize(
    ("status", "error"),
    [(404, SlackRefusedError), (400, SlackRefusedError), (500, OutcomeUnknownError)],
)
def test_an_error_that_will_not_pass_is_told_from_one_that_may(
    hook: Hook, status: int, error: type[Exception]
) -> None:
    hook.status = status
    with pytest.raises(error) as caught:
        ResponseUrls(5, None).post(hook.url, POST)
    # Whoever has the URL can post with it.
    assert hook.url not in str(caught.value)


@pytest.mark.parametrize(
    ("header", "delay"),
    [("7", 7.0), ("soon", 1.0), (None, 1.0), ("0", 1.0), ("-3", 1.0), ("nan", 1.0), ("1e9", 60.0)],
)
def test_a_rate_limit_says_how_long_to_wait(hook: Hook, header: str | None, delay: float) -> None:
    hook.status = 429
    hook.headers = {} if header is None else {"Retry-After": header}
    with pytest.raises(RateLimitedError) as caught:
        ResponseUrls(5, None).post(hook.url, POST)
    assert caught.value.delay == delay


def test_a_connection_that_was_never_made_has_no_unknown_outcome() -> None:
    with pytest.raises(TryAgainError) as caught:
        ResponseUrls(5, None).post(f"http://127.0.0.1:{free_port()}/hook", POST)
    assert not isinstance(caught.value, OutcomeUnknownError)

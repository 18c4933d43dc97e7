"""The HTTP server of the simulated Slack: the Web API and the web client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Collection
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from simulators import LocalError
from simulators.slack.composing import as_mrkdwn
from simulators.slack.interactivity import Interactivity
from simulators.slack.methods import WebApi
from simulators.slack.modals import Modals
from simulators.slack.socket_mode import SocketMode
from simulators.slack.view import is_visible, message_view, workspace_view
from simulators.slack.workspace import Message, SlackError, Workspace
from toxic_bot.slack.requests.interactions import COMMAND, SHORTCUT

PAGE = Path(__file__).parent / "page"
HEARTBEAT_INTERVAL = 15.0
"""Seconds between heartbeats on an idle event stream."""
CONTENT_SECURITY_POLICY = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'"


def application(
    web_api: WebApi,
    viewer: str,
    socket_mode: SocketMode | None = None,
    reading: Callable[[Message], dict[str, Any]] | None = None,
    interactivity: Interactivity | None = None,
    post_digest: Callable[[], None] | None = None,
    asking: Callable[[str], Collection[str]] | None = None,
) -> Starlette:
    """Return Slack as an ASGI application.

    Parameters
    ----------
    web_api
        The Web API, served at ``/api/``.
    viewer
        ID of the person who uses the page, which is served at ``/``.
    socket_mode
        Socket Mode, served at ``/link``; None to leave it out.
    reading
        Returns how the bot reads a message; None without a bot behind the workspace.
    interactivity
        Shortcuts, commands and buttons; None for an app without them.
    post_digest
        Lets the app post its digest now; None for an app without one.
    asking
        Returns the emoji that ask for a verdict in a channel; None for the workspace's everywhere.
    """
    interactivity = interactivity or Interactivity(web_api.workspace, web_api.modals)
    socket_routes = [WebSocketRoute("/link", socket_mode.serve)] if socket_mode else []
    return Starlette(
        routes=[
            *socket_routes,
            Route("/", _page),
            # Slack's own addresses of channels and messages.
            Route("/home", _page),
            Route("/archives/{channel}", _page),
            Route("/archives/{channel}/{message}", _page),
            Route("/api/{method}", _api_endpoint(web_api), methods=["GET", "POST"]),
            Route("/response/{key}", _response_endpoint(interactivity), methods=["POST"]),
            Mount(
                "/client",
                routes=[
                    *_client_routes(web_api.workspace, viewer, reading, interactivity, asking),
                    Route("/digest", _digest_endpoint(post_digest), methods=["POST"]),
                ],
            ),
            Mount("/page", StaticFiles(directory=PAGE)),
        ]
    )


async def _page(_: Request) -> Response:
    return FileResponse(
        PAGE / "index.html", headers={"Content-Security-Policy": CONTENT_SECURITY_POLICY}
    )


def _api_endpoint(web_api: WebApi) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        arguments = await _arguments(request)
        scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
        token = credentials if scheme.lower() == "bearer" else str(arguments.get("token") or "")
        arguments.pop("token", None)
        response = await run_in_threadpool(
            web_api.call, request.path_params["method"], token, arguments
        )
        headers = dict(response.headers)
        if response.content is not None:
            return Response(response.content, response.status, headers)
        if response.cut:
            # More is announced than sent, so the server closes the connection.
            return StreamingResponse(_one(b"{"), 200, {"Content-Length": "100"})
        return JSONResponse(response.body, response.status, headers)

    return endpoint


def _response_endpoint(interactivity: Interactivity) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        try:
            content = await request.json()
            if not isinstance(content, dict):
                raise SlackError("invalid_payload", status=400)
            interactivity.respond(request.path_params["key"], content)
        except ValueError:
            return PlainTextResponse("invalid_payload", 400)
        except SlackError as error:
            return PlainTextResponse(error.error, error.status if error.status != 200 else 400)
        return PlainTextResponse("ok")

    return endpoint


async def _one(chunk: bytes) -> AsyncIterator[bytes]:
    yield chunk


async def _arguments(request: Request) -> dict[str, Any]:
    arguments: dict[str, Any] = dict(request.query_params)
    if request.headers.get("content-type", "").startswith("application/json"):
        try:
            body = await request.json()
        except ValueError:
            return arguments
        return arguments | (body if isinstance(body, dict) else {})
    form = (await request.body()).decode("utf-8", "replace")
    return arguments | dict(parse_qsl(form, keep_blank_values=True))


def _client_routes(
    workspace: Workspace,
    viewer: str,
    reading: Callable[[Message], dict[str, Any]] | None,
    interactivity: Interactivity,
    asking: Callable[[str], Collection[str]] | None,
) -> list[Route]:
    def state(_: dict[str, Any]) -> dict[str, Any]:
        return workspace_view(workspace, viewer) | {"modal": interactivity.modals.of(viewer)}

    def read(query: dict[str, Any]) -> dict[str, Any]:
        message = workspace.find(_text(query, "channel"), _text(query, "ts"))
        if reading is None or message is None or not is_visible(workspace, message, viewer):
            raise SlackError("message_not_found")
        return reading(message)

    def post(body: dict[str, Any]) -> dict[str, Any]:
        thread = body.get("thread_ts")
        message = workspace.post(
            _text(body, "channel"),
            viewer,
            as_mrkdwn(_text(body, "text"), workspace, viewer),
            thread_ts=str(thread) if thread else None,
        )
        return message_view(workspace, message)

    def edit(body: dict[str, Any]) -> dict[str, Any]:
        channel, ts, text = _text(body, "channel"), _text(body, "ts"), _text(body, "text")
        message = workspace.find(channel, ts)
        if message is not None and message.user != viewer:
            raise SlackError("cant_update_message")
        return message_view(
            workspace, workspace.edit(channel, ts, as_mrkdwn(text, workspace, viewer))
        )

    def delete(body: dict[str, Any]) -> dict[str, Any]:
        channel, ts = _text(body, "channel"), _text(body, "ts")
        message = workspace.find(channel, ts)
        if message is not None and message.user != viewer:
            raise SlackError("cant_delete_message")
        workspace.delete(channel, ts)
        return {}

    def react(body: dict[str, Any]) -> dict[str, Any]:
        channel, ts, name = _text(body, "channel"), _text(body, "ts"), _text(body, "name")
        message = workspace.find(channel, ts)
        has_reacted = message is not None and viewer in message.reactions.get(name, [])
        (workspace.unreact if has_reacted else workspace.react)(channel, ts, viewer, name)
        return {}

    def ask(body: dict[str, Any]) -> dict[str, Any]:
        channel, ts = _text(body, "channel"), _text(body, "ts")
        emoji = min(workspace.reactions if asking is None else asking(channel))
        message = workspace.find(channel, ts)
        if message is not None and viewer in message.reactions.get(emoji, []):
            # As in Slack, only a new reaction asks again.
            workspace.unreact(channel, ts, viewer, emoji)
        workspace.react(channel, ts, viewer, emoji)
        return {}

    def choose_shortcut(body: dict[str, Any]) -> dict[str, Any]:
        chosen = str(body.get("shortcut") or SHORTCUT)
        interactivity.choose_shortcut(_text(body, "channel"), _text(body, "ts"), viewer, chosen)
        return {}

    def type_command(body: dict[str, Any]) -> dict[str, Any]:
        text = as_mrkdwn(str(body.get("text") or ""), workspace, viewer)
        interactivity.type_command(_text(body, "channel"), viewer, COMMAND, text)
        return {}

    def click(body: dict[str, Any]) -> dict[str, Any]:
        action = _text(body, "action")
        interactivity.click(_text(body, "channel"), _text(body, "ts"), viewer, action)
        return {}

    def open_home(_: dict[str, Any]) -> dict[str, Any]:
        workspace.open_home(viewer)
        return {}

    def click_home(body: dict[str, Any]) -> dict[str, Any]:
        values = body.get("values")
        interactivity.click_home(
            viewer, _text(body, "action"), values if isinstance(values, dict) else {}
        )
        return {}

    def submit_view(body: dict[str, Any]) -> dict[str, Any]:
        values = body.get("values")
        submitted = interactivity.submit_view(viewer, values if isinstance(values, dict) else {})
        return {"errors": submitted.result()}

    def close_view(_: dict[str, Any]) -> dict[str, Any]:
        interactivity.modals.close(viewer)
        return {}

    async def feed(request: Request) -> Response:
        # Watched before the response begins: the page takes its state once that has begun.
        return StreamingResponse(
            _Feed(workspace, viewer, interactivity.modals).events(request),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store"},
        )

    return [
        Route("/state", _client_endpoint(state), methods=["GET"]),
        Route("/reading", _client_endpoint(read), methods=["GET"]),
        Route("/feed", feed, methods=["GET"]),
        Route("/messages", _client_endpoint(post), methods=["POST"]),
        Route("/messages", _client_endpoint(edit), methods=["PATCH"]),
        Route("/messages", _client_endpoint(delete), methods=["DELETE"]),
        Route("/reactions", _client_endpoint(react), methods=["POST"]),
        Route("/asks", _client_endpoint(ask), methods=["POST"]),
        Route("/shortcuts", _client_endpoint(choose_shortcut), methods=["POST"]),
        Route("/commands", _client_endpoint(type_command), methods=["POST"]),
        Route("/actions", _client_endpoint(click), methods=["POST"]),
        Route("/home", _client_endpoint(open_home), methods=["POST"]),
        Route("/home/actions", _client_endpoint(click_home), methods=["POST"]),
        Route("/modal", _client_endpoint(submit_view), methods=["POST"]),
        Route("/modal", _client_endpoint(close_view), methods=["DELETE"]),
    ]


def _digest_endpoint(post_digest: Callable[[], None] | None) -> Callable[[Request], Any]:
    def post(_: dict[str, Any]) -> dict[str, Any]:
        if post_digest is None:
            raise SlackError("there is no app with a digest")
        try:
            post_digest()
        except LocalError as error:
            raise SlackError(str(error)) from error
        return {}

    return _client_endpoint(post)


def _client_endpoint(
    action: Callable[[dict[str, Any]], dict[str, Any]],
) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        body: Any = dict(request.query_params)
        if request.method != "GET":
            # To send this content type, another site needs permission through CORS.
            if not request.headers.get("content-type", "").startswith("application/json"):
                return JSONResponse({"error": "json_not_object"}, 415)
            try:
                body = await request.json()
            except ValueError:
                return JSONResponse({"error": "invalid_json"}, 400)
        try:
            arguments = body if isinstance(body, dict) else {}
            return JSONResponse(await run_in_threadpool(action, arguments))
        except SlackError as error:
            return JSONResponse({"error": error.error}, 400)

    return endpoint


class _Feed:
    """The changes of a workspace that one person sees, from now on."""

    def __init__(self, workspace: Workspace, viewer: str, modals: Modals) -> None:
        self._workspace = workspace
        self._modals = modals
        self._viewer = viewer
        self._loop = asyncio.get_running_loop()
        self._changes: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._unwatch = workspace.watch(self._on_change)
        self._unwatch_homes = workspace.watch_homes(self._on_home)
        self._unwatch_modals = modals.watch(self._on_modal)

    def _on_change(self, message: Message) -> None:
        if is_visible(self._workspace, message, self._viewer):
            self._add(message_view(self._workspace, message))

    def _on_home(self, user: str) -> None:
        if user == self._viewer:
            self._add({"home": self._workspace.homes[user]})

    def _on_modal(self, user: str) -> None:
        if user == self._viewer:
            self._add({"modal": self._modals.of(user)})

    def _add(self, change: dict[str, Any]) -> None:
        self._loop.call_soon_threadsafe(self._changes.put_nowait, change)

    async def events(self, request: Request) -> AsyncIterator[str]:
        """Yield server-sent events until the page disconnects."""
        try:
            yield "retry: 1000\n\n"
            while not await request.is_disconnected():
                try:
                    change = await asyncio.wait_for(self._changes.get(), HEARTBEAT_INTERVAL)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                yield f"data: {json.dumps(change)}\n\n"
        finally:
            self._unwatch()
            self._unwatch_homes()
            self._unwatch_modals()


def _text(body: dict[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value.strip():
        raise SlackError("no_text" if name == "text" else "invalid_arguments")
    return value

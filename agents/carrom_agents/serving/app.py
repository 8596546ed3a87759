"""The web application: pages, the games behind them, and what protects both.

Pages load nothing from elsewhere, and scripts of other sites reach nothing here: requests that
change something, and WebSockets, have to come from pages of this host, and the host has to be
one by which the server is meant to be called.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Collection
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from carrom.errors import CarromError, ConfigError
from carrom.replay import html, save
from carrom.replay.page.filling import part
from carrom_agents.serving.connection import GONE, Connection
from carrom_agents.serving.hosted import Hosted
from carrom_agents.serving.hosting import Host
from carrom_agents.serving.messages import LONGEST, read_settings
from carrom_agents.serving.pages import FILES, game_page, refusal_page, start_page
from carrom_agents.serving.settings import LARGEST_SEED

_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def application(host: Host, *, preferred: str, called: Collection[str] | None = None) -> ASGIApp:
    """The application.

    Args:
        host: of the games.
        preferred: the computing player that is chosen at first, and prepared at the start.
        called: the host's names; None for any.
    """

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        running = asyncio.create_task(host.run([preferred]))
        yield
        running.cancel()
        host.close()

    async def start(_: Request) -> Response:
        return HTMLResponse(start_page(list(host.players), preferred))

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in FILES:
            return PlainTextResponse("no such file\n", 404)
        package, kind = FILES[name]
        return Response(part(name, package), media_type=kind)

    async def open_game(request: Request) -> Response:
        if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
            return _refused("content-type: expected application/json", 415)
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > 4 * LONGEST:
                return _refused(f"message: expected at most {LONGEST} characters", 413)
        try:
            seed = secrets.randbelow(LARGEST_SEED)
            settings = read_settings(body.decode(), list(host.players), seed)
            hosted = await host.open(settings)
        except UnicodeDecodeError:
            return _refused("message: expected UTF-8")
        except CarromError as error:
            return _refused(str(error))
        return JSONResponse({"game": hosted.token})

    async def game(request: Request) -> Response:
        return HTMLResponse(game_page(_hosted(host, request).game))

    async def replay(request: Request) -> Response:
        hosted = _hosted(host, request)
        _refuse_if_under_way(hosted)
        content = await host.compute(lambda: _as_file(hosted))
        return _download(content, "application/gzip", "carrom.json.gz")

    async def replay_page(request: Request) -> Response:
        hosted = _hosted(host, request)
        _refuse_if_under_way(hosted)
        content = await host.compute(lambda: html(hosted.game.replay()))
        return _download(content.encode(), "text/html", "carrom.html")

    async def socket(web: WebSocket) -> None:
        await web.accept()
        try:
            hosted = host.find(web.path_params["token"])
            shown = _count(web.query_params.get("from", "0"))
        except ConfigError as error:
            await web.send_json({"type": "error", "error": str(error)})
            await web.close(GONE)
            return
        await Connection(web, host, hosted, shown).run()

    async def refused(_: Request, error: Exception) -> Response:
        return HTMLResponse(refusal_page(str(error)), 404)

    routes = [
        Route("/", start),
        Route("/files/{name}", file),
        Route("/games", open_game, methods=["POST"]),
        Route("/games/{token}", game),
        Route("/games/{token}/replay.json.gz", replay),
        Route("/games/{token}/replay.html", replay_page),
        WebSocketRoute("/games/{token}/socket", socket),
    ]
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={CarromError: refused})
    return _Guard(app, None if called is None else {name.lower() for name in called})


class _Guard:
    """Refuses foreign hosts and origins, and adds headers that protect the pages."""

    def __init__(self, app: ASGIApp, called: Collection[str] | None) -> None:
        self._app, self._called = app, called

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        fault = self._fault(Headers(scope=scope), scope)
        if fault and scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": fault})
        elif fault:
            await _refused(fault, 403)(scope, receive, send)
        else:
            await self._app(scope, receive, _protected(send))

    def _fault(self, headers: Headers, scope: Scope) -> str | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        try:
            name, from_host = urlsplit(f"//{host}").hostname, urlsplit(origin or "").netloc
        except ValueError:
            return "host or origin: expected addresses"
        if self._called is not None and name not in self._called:
            return f"host {host!r:.60}: expected one of {', '.join(sorted(self._called))}"
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if changes and origin is not None and from_host != host:
            return f"origin {origin!r:.60}: expected a page of this host"
        return None


def _protected(send: Send) -> Send:
    async def sends(message: Message) -> None:
        if message["type"] == "http.response.start":
            extra = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
            message = {**message, "headers": [*message["headers"], *extra]}
        await send(message)

    return sends


def _hosted(host: Host, request: Request) -> Hosted:
    return host.find(request.path_params["token"])


def _refuse_if_under_way(hosted: Hosted) -> None:
    if hosted.busy or not hosted.game.strokes:
        raise ConfigError("no replay now: expected at least one stroke, and none under way")


def _as_file(hosted: Hosted) -> bytes:
    with TemporaryDirectory() as folder:
        return save(hosted.game.replay(), Path(folder) / "carrom.json.gz").read_bytes()


def _count(text: str) -> int:
    if not (text.isdecimal() and text.isascii() and len(text) <= 7):
        raise ConfigError(f"from = {text!r:.60}: expected a count of strokes")
    return int(text)


def _download(content: bytes, kind: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)


def _refused(error: str, status: int = 400) -> Response:
    return JSONResponse({"error": error}, status)

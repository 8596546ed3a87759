"""One page's connection to its game."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from carrom.errors import CarromError, ConfigError
from carrom_agents.serving.allowance import Allowance
from carrom_agents.serving.hosted import Hosted
from carrom_agents.serving.hosting import Host
from carrom_agents.serving.messages import read_message

GONE = 4404
"""The WebSocket's closing code where there is no such game, or no more: coming back is no use."""
_TOO_MUCH = 4429
_REPLIES = 32
"""Answers that wait for a slow page; older ones are dropped."""
_REFUSALS = 100
"""Messages beyond its allowance after which a connection is closed."""


class Connection:
    """Sends a page all that is new, and takes what it wants to do.

    Args:
        socket: accepted.
        host: of the game.
        hosted: the game.
        shown: how many strokes the page has already.
    """

    def __init__(self, socket: WebSocket, host: Host, hosted: Hosted, shown: int) -> None:
        self._socket, self._host, self._hosted = socket, host, hosted
        # A page may have strokes of a game that there is no more; it gets them all again.
        self._shown = shown if shown <= hosted.game.shown["number"] else 0
        self._news = asyncio.Event()
        self._news.set()
        self._replies: deque[Any] = deque(maxlen=_REPLIES)
        self._allowance = Allowance(
            host.limits.messages_per_s,
            host.limits.messages_at_once,
            host.limits.messages_at_once,
            host.clock(),
        )

    async def run(self) -> None:
        """Until the page has gone, or the game."""
        self._host.join(self._hosted, self._news.set)
        sending = asyncio.create_task(self._send())
        try:
            await self._receive()
        finally:
            self._host.leave(self._hosted, self._news.set)
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await sending

    async def _send(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            while self._replies:
                await self._socket.send_json(self._replies.popleft())
            news = self._hosted.since(self._shown)
            self._shown = news["now"]["number"]
            await self._socket.send_json(news)
            if self._hosted.closed:
                await self._socket.close(GONE, "the game was closed, having been idle")
                return

    async def _receive(self) -> None:
        refused = 0
        while True:
            received = await self._socket.receive()
            if received["type"] == "websocket.disconnect":
                return
            allowed, self._allowance = self._allowance.spent(self._host.clock())
            if not allowed:
                refused += 1
                if refused > _REFUSALS:
                    await self._socket.close(_TOO_MUCH, "too many messages")
                    return
            try:
                if not allowed:
                    raise ConfigError("too many messages: expected some time between them")
                if received.get("text") is None:
                    raise ConfigError("message of bytes: expected text")
                self._host.take(self._hosted, read_message(received["text"]), self._reply)
            except CarromError as error:
                self._reply({"type": "error", "error": str(error)})

    def _reply(self, message: Any) -> None:
        self._replies.append(message)
        self._news.set()

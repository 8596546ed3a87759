"""A server of games, with players that need no preparation, as tests talk to it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from starlette.testclient import TestClient

from carrom_agents.serving.hosting import Host
from carrom_agents.serving.shared_player import SharedPlayer

NAMES = ("aimer", "random")
WISH = {
    **{"first": "person", "second": "random", "task": "board", "noise": "none"},
    **{"breaks": "first", "seed": 3},
}


@dataclasses.dataclass
class Site:
    """A client of an application, with the host behind it."""

    client: TestClient
    host: Host
    now: list[float]

    def open(self, **wish: Any) -> str:
        """Open a game; its token."""
        told = self.client.post("/games", json=WISH | wish)
        assert told.status_code == 200, told.text
        return told.json()["game"]

    def socket(self, token: str, count: int = 0) -> Any:
        return self.client.websocket_connect(f"/games/{token}/socket?from={count}")


def players() -> dict[str, SharedPlayer]:
    return {name: SharedPlayer(name) for name in NAMES}


def until(socket: Any, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The first message of which it holds."""
    for _ in range(500):
        message = socket.receive_json()
        if holds(message):
            return message
    raise AssertionError("never came true")


def idle(message: dict[str, Any]) -> bool:
    return message["type"] == "table" and not message["now"]["busy"]


@dataclasses.dataclass
class Running:
    """A server at an address, and its games, in this process."""

    address: str
    host: Host

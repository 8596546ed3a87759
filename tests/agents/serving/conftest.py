"""Servers of games: for a client in this process, and for a browser."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from game_site import Running, Site, players
from starlette.testclient import TestClient

from carrom_agents.serving.app import application
from carrom_agents.serving.hosted import Limits
from carrom_agents.serving.hosting import Host
from carrom_agents.serving.server import listening, names_of, server


@pytest.fixture
def site() -> Iterator[Site]:
    """Its clock stands still until a test moves it on."""
    now = [0.0]
    limits = Limits(games=4, idle_s=100.0, sweep_s=0.01, messages_at_once=1000.0)
    host = Host(players(), limits, clock=lambda: now[0])
    app = application(host, preferred="random", called=["testserver"])
    with TestClient(app) as client:
        yield Site(client, host, now)


@pytest.fixture(scope="session")
def running() -> Iterator[Running]:
    """A server as the program runs it, on a port of its own."""
    host = Host(players())
    app = application(host, preferred="random", called=names_of("127.0.0.1"))
    sock = listening("127.0.0.1", 0)
    served = server(app)
    thread = threading.Thread(target=served.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    while not served.started:
        assert thread.is_alive()
        time.sleep(0.01)
    yield Running(f"http://127.0.0.1:{sock.getsockname()[1]}", host)
    served.should_exit = True
    thread.join(timeout=20)
    assert not thread.is_alive()

"""Runs the web application with uvicorn."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import sys
import webbrowser
from collections.abc import Callable, Collection

import uvicorn
from starlette.types import ASGIApp

from carrom.errors import ConfigError
from carrom_agents.serving.hosting import Host

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""Names by which a machine calls itself."""
_EVERYWHERE = ("", "0.0.0.0", "::")
_LARGEST_FRAME = 1 << 16
"""Bytes of a WebSocket message beyond which the connection is closed unread."""


def names_of(host: str) -> Collection[str] | None:
    """By which names a server that listens on ``host`` may be called; None for any."""
    return None if host in _EVERYWHERE else {*LOOPBACK, host}


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Args:
        host: name or address of this machine.
        port: 0 for any that is free.

    Raises:
        ConfigError: there is no such host here, or the port is taken or not allowed.
    """
    if not 0 <= port < 1 << 16:
        raise ConfigError(f"port = {port}: expected 0 to {(1 << 16) - 1}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    # A port that was in use a moment ago, by a server that has ended, can be had again.
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen()
    except (OSError, UnicodeError) as error:
        made.close()
        reason = getattr(error, "strerror", None) or error
        elsewhere = isinstance(error, (socket.gaierror, UnicodeError)) or (
            error.errno == errno.EADDRNOTAVAIL
        )
        expected = (
            "a name or address of this machine (--host)" if elsewhere else "a free port (--port)"
        )
        raise ConfigError(
            f"cannot listen on {host}, port {port}: {reason}; expected {expected}"
        ) from error
    return made


def serve(
    app: ASGIApp, sock: socket.socket, host: str, *, say: Callable[[str], None], opens: bool
) -> None:
    """Serve until interrupted.

    Args:
        app: the application.
        sock: that listens.
        host: by which name it is called.
        say: tells the address.
        opens: show the page in the browser of this machine.
    """
    port = sock.getsockname()[1]
    shown = "127.0.0.1" if host in _EVERYWHERE else host
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"
    say(address)
    if opens:
        # The socket listens already: the browser waits until the server has started.
        webbrowser.open(address)
    with contextlib.suppress(KeyboardInterrupt):
        server(app).run(sockets=[sock])


def end(host: Host) -> None:
    """End the process at once if a thread still computes for a host that is closed.

    The interpreter would wait for it, up to a minute for a player who is being prepared, for
    whom nobody waits any more. Nothing can be lost: games are kept in memory only, pages have
    been told, and all that these threads leave on disk is compiled programs, of which one cut off
    in the instant of being written is compiled anew.
    """
    if host.busy:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def server(app: ASGIApp) -> uvicorn.Server:
    """The server of an application."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        ws_max_size=_LARGEST_FRAME,
        timeout_graceful_shutdown=2,
    )
    return uvicorn.Server(config)

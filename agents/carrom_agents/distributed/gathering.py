"""The hosts of a training find each other, and find out whether they mean the same.

Before JAX connects them, host 0 listens at the coordinator's address for a moment. Each other
host tells it who it is and what it computes with, as one line of JSON, and is told whether
all is well, as another. So a host that is missing, or is about to train something else, is
one clear error on all hosts, where JAX would abort the process, or compute nonsense.
"""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Mapping
from typing import Any

from carrom.errors import ConfigError
from carrom_agents.distributed.versions import difference

_LONGEST_LINE = 2**16
"""Bytes of what a host tells."""
_PATIENCE_S = 5.0
"""How long one that has connected may take to tell it."""
_AGAIN_AFTER_S = 0.1


def gather(
    address: tuple[str, int], count: int, own: int, told: Mapping[str, str], within_s: float
) -> None:
    """Wait until all hosts are there, and all tell the same.

    Args:
        address: where host 0 listens, and the others look for it.
        count: number of hosts.
        own: number of this one.
        told: what all have to agree on, by name.
        within_s: seconds that this may take.

    Raises:
        ConfigError: hosts are missing, one tells something else, two have the same number, or
            host 0 cannot listen at the address.
    """
    until = time.monotonic() + within_s
    if own == 0:
        _listen(address, count, told, until, within_s)
    else:
        _report(address, count, own, told, until, within_s)


def _listen(
    address: tuple[str, int], count: int, told: Mapping[str, str], until: float, within_s: float
) -> None:
    here: dict[int, socket.socket] = {}
    with contextlib.ExitStack() as opened:
        try:
            listening = opened.enter_context(socket.create_server(address, backlog=count))
        except OSError as error:
            raise ConfigError(
                f"coordinator = {_named(address)!r}: host 0 cannot listen there ({error.strerror})"
            ) from None
        wrong: str | None = None
        while wrong is None and len(here) < count - 1:
            listening.settimeout(max(until - time.monotonic(), 0.0) or 0.001)
            try:
                caller = opened.enter_context(listening.accept()[0])
            except TimeoutError:
                missing = sorted(set(range(1, count)) - set(here))
                wrong = f"hosts {missing} of {count} have not come within {within_s:g} s"
                break
            news = _line_from(caller)
            if news is None:
                continue  # somebody else
            number = news.get("host")
            if not isinstance(number, int):
                continue
            if news.get("hosts") != count:
                wrong = f"host {number} was told hosts = {news.get('hosts')}: expected {count}"
            elif number in here or not 0 < number < count:
                wrong = f"host_id = {number}: expected 0 to {count - 1}, each once"
            elif (differs := difference(told, news.get("told", {}))) is not None:
                wrong = f"host {number}: {differs.replace('as here', 'as on host 0')}"
            here.setdefault(number, caller)
            if wrong is not None and here[number] is not caller:
                _answer(caller, wrong)
        for caller in here.values():
            _answer(caller, wrong)
        if wrong is not None:
            raise ConfigError(wrong)


def _report(
    address: tuple[str, int],
    count: int,
    own: int,
    told: Mapping[str, str],
    until: float,
    within_s: float,
) -> None:
    while time.monotonic() < until:
        try:
            with socket.create_connection(address, timeout=_PATIENCE_S) as host:
                news = {"host": own, "hosts": count, "told": dict(told)}
                host.sendall(json.dumps(news).encode() + b"\n")
                # Host 0 answers once everybody is there, or has not come in time.
                answer = _line_from(host, until - time.monotonic() + _PATIENCE_S)
        except OSError:
            answer = None
        if answer is not None:
            if answer.get("wrong") is not None:
                raise ConfigError(answer["wrong"])
            return
        time.sleep(_AGAIN_AFTER_S)
    raise ConfigError(f"host 0 has not answered at {_named(address)} within {within_s:g} s")


def _answer(caller: socket.socket, wrong: str | None) -> None:
    with contextlib.suppress(OSError):  # it has ended meanwhile
        caller.sendall(json.dumps({"wrong": wrong}).encode() + b"\n")


def _line_from(caller: socket.socket, within_s: float = _PATIENCE_S) -> dict[str, Any] | None:
    """What the other end tells; None if it is nothing that a host would."""
    caller.settimeout(within_s)
    line = b""
    try:
        while not line.endswith(b"\n") and len(line) < _LONGEST_LINE:
            part = caller.recv(4096)
            if not part:
                return None
            line += part
        news = json.loads(line)
    except (OSError, ValueError):
        return None
    return news if isinstance(news, dict) else None


def _named(address: tuple[str, int]) -> str:
    return f"{address[0]}:{address[1]}"

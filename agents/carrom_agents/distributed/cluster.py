"""The connection to a Ray cluster; the one place that knows how Ray is set up.

Needs the extra ``distributed``. Nothing is shipped to the machines of a cluster: this project
must be installed on each of them, in the same version. That is looked at before any work is
given to them, because results are to be the same wherever they were computed.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from carrom.errors import ConfigError, WorkerError
from carrom_agents.distributed.versions import difference, what_computes

LOCAL = "local"
"""The address of a cluster of this machine alone, made for this program."""
_ANSWER_WITHIN_S = 5.0
"""How long somebody at the address may take to accept a connection."""
_LOOK_WITHIN_S = 60.0
"""How long a machine may take to say what it computes with: it starts a process for it."""
_OBJECT_STORE_BYTES = 80 * 2**20
"""Of the cluster of this machine alone: what is exchanged is small."""


@dataclass(frozen=True)
class Cluster:
    """A cluster that this program is connected to.

    Attributes:
        address: by which it was found.
        nodes: machines.
        processors: that may be used at once, of all machines.
    """

    address: str
    nodes: int
    processors: int


@contextlib.contextmanager
def connected(address: str, processors: int | None = None) -> Iterator[Cluster]:
    """The time in which this program may use the cluster at ``address``.

    Args:
        address: "local" for one of this machine's cores, made now and ended afterwards; "auto"
            for the one that this machine is part of; or HOST:PORT of a cluster's head, as
            ``ray start`` says it. The program itself must run on a machine of the cluster.
        processors: of the cluster that "local" makes; None for as many as there are cores.

    Raises:
        ConfigError: the extra is missing, the address is none, nobody answers there, or a
            machine of the cluster computes with other versions.
        WorkerError: a machine of the cluster does not say what it computes with.
    """
    if importlib.util.find_spec("ray") is None:
        raise ConfigError(
            f"ray = {address!r} needs Ray: pip install 'carrom-rl[distributed]', on every machine"
        )
    _check_address(address)
    with _session(address, processors):
        import ray

        nodes = check_machines()
        found = int(ray.cluster_resources().get("CPU", 0))
        if found == 0:
            raise ConfigError(f"ray = {address!r}: the cluster has no processor: expected one")
        yield Cluster(address, nodes, found)


@contextlib.contextmanager
def _session(address: str, processors: int | None) -> Iterator[None]:
    # Ray reads these when it is imported, and nothing is to be told to anybody.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    if _is_loopback(address):
        # Otherwise Ray makes of a loopback address the one that other machines see.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    import ray

    options: dict[str, Any] = {"address": address}
    if address == LOCAL:
        options |= {
            "num_cpus": processors,
            "include_dashboard": False,
            "object_store_memory": _OBJECT_STORE_BYTES,
            "_node_ip_address": "127.0.0.1",
        }
    try:
        ray.init(**options, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError, ValueError, AssertionError) as error:
        raise ConfigError(f"ray = {address!r}: {_in_one_line(error)}") from None
    try:
        yield
    finally:
        ray.shutdown()


def _check_address(address: str) -> None:
    """Refuse what Ray would try to reach for minutes."""
    if address in (LOCAL, "auto"):
        return
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isdigit() and int(port) < 2**16) or "/" in host:
        raise ConfigError(f"ray = {address!r}: expected local, auto or HOST:PORT")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWER_WITHIN_S).close()
    except OSError as error:
        raise ConfigError(
            f"ray = {address!r}: nobody answers there ({error}): expected the head of a cluster, "
            "see ray start --head"
        ) from None


def _is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0]
    return address == LOCAL or host in ("localhost", "[::1]") or host.startswith("127.")


def check_machines() -> int:
    """How many machines the cluster has; refuses those that compute with something else.

    Raises:
        ConfigError: this project is not installed on one, or other versions are.
        WorkerError: one does not answer.
    """
    import ray
    from ray.exceptions import GetTimeoutError, RayError
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    nodes = [node for node in ray.nodes() if node["Alive"]]
    look = ray.remote(num_cpus=0)(what_computes)
    asked = [
        look.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], False))
        for node in nodes
    ]
    answers = [task.remote() for task in asked]
    ours = what_computes()
    for node, answer in zip(nodes, answers, strict=True):
        name = f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']})"
        try:
            theirs = ray.get(answer, timeout=_LOOK_WITHIN_S)
        except GetTimeoutError:
            raise WorkerError(
                f"machine {name} of the cluster has not said within {_LOOK_WITHIN_S:g} s what it "
                "computes with"
            ) from None
        except RayError as error:
            raise ConfigError(
                f"machine {name} of the cluster cannot run this project "
                f"({_in_one_line(error)}): expected carrom-rl to be installed there"
            ) from None
        differs = difference(ours, theirs)
        if differs is not None:
            raise ConfigError(f"machine {name} of the cluster: {differs}")
    return len(nodes)


def _in_one_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    # Of an error in a worker the last line is the error, what comes before is the way to it.
    return (lines[-1] if lines else type(error).__name__)[:300]

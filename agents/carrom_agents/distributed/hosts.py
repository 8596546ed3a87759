"""Training on the devices of several hosts: the same program runs on each of them.

The program of a training is compiled for all devices, and a host runs it on its own. What is
random on a board follows from the board's number, and gradients are summed over all devices,
so it is the training that one host with as many devices does, to float rounding. Whatever is
not the program (evaluation, the run folder, what is shown) is the work of host 0 alone.
"""

from __future__ import annotations

import contextlib
import sys
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, PartitionSpec

from carrom.errors import ConfigError, WorkerError
from carrom_agents.distributed.gathering import gather
from carrom_agents.distributed.versions import what_computes

_GATHERED_WITHIN_S = 120.0
"""How long the hosts may take to come together."""
_SILENT_FOR_S = 30
"""After so many seconds without a sign a host is lost, and all others end with an error."""
ABORTED = 134
"""Status that a shell shows for a process that JAX has aborted, by SIGABRT."""


@dataclass(frozen=True)
class Hosts:
    """The hosts of a training, seen from one of them.

    Raises:
        ConfigError: the address is none, or a number is out of range.
    """

    coordinator: str
    """HOST:PORT under which all hosts reach host 0; any free port of it."""
    count: int
    """How many hosts there are."""
    own: int
    """The number of this one."""

    def __post_init__(self) -> None:
        host, colon, port = self.coordinator.rpartition(":")
        if not (host and colon and port.isdigit() and 0 < int(port) < 2**16):
            raise ConfigError(f"coordinator = {self.coordinator!r}: expected HOST:PORT")
        if self.count < 2:
            raise ConfigError(f"hosts = {self.count}: expected at least 2")
        if not 0 <= self.own < self.count:
            raise ConfigError(f"host_id = {self.own}: expected 0 to {self.count - 1}")

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of the coordinator."""
        host, _, port = self.coordinator.rpartition(":")
        return host, int(port)

    def own_devices(self, devices: int) -> int:
        """How many of all ``devices`` are on this host.

        Raises:
            ConfigError: they cannot be shared out evenly.
        """
        if devices % self.count:
            raise ConfigError(
                f"devices = {devices}: expected a multiple of hosts = {self.count}, as these are "
                "the devices of all hosts together"
            )
        return devices // self.count


@contextlib.contextmanager
def joined(hosts: Hosts, told: Mapping[str, str]) -> Iterator[None]:
    """The time in which this process is one of the hosts.

    It must begin before JAX is first used. Where it ends with an error the process should end
    as well, without the courtesies of its exit: JAX would wait for hosts that do not come, and
    then abort.

    Args:
        hosts: all of them.
        told: what the hosts have to agree on, besides the versions of what computes.

    Raises:
        ConfigError: hosts are missing, or do not agree.
        WorkerError: a host was lost before the end. Where JAX notices first, it has aborted the
            process instead.
    """
    gather(hosts.address, hosts.count, hosts.own, {**what_computes(), **told}, _GATHERED_WITHIN_S)
    # Ignored where the devices are no processors.
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    # It would catch SIGTERM, for a checkpoint that nobody here asks it for, and go on.
    jax.config.update("jax_enable_preemption_service", False)
    jax.distributed.initialize(
        hosts.coordinator,
        hosts.count,
        hosts.own,
        cluster_detection_method="deactivate",
        # JAX would listen at all addresses of host 0.
        coordinator_bind_address=hosts.coordinator,
        heartbeat_timeout_seconds=_SILENT_FOR_S,
        shutdown_timeout_seconds=_SILENT_FOR_S,
    )
    _connect_devices()
    # JAX aborts most processes that lose another before an error of ours could be raised.
    print(
        f"host {hosts.own} of {hosts.count}: if one is lost all end, by us or with status "
        f"{ABORTED} by JAX; to go on from the newest checkpoint: --resume RUN on every host",
        file=sys.stderr,
        flush=True,
    )
    yield
    part()


def _connect_devices() -> None:
    """Let all devices hear of each other now, while all hosts are here.

    Gloo would do it when a program first needs it, and gives the others 30 s: hosts that compile
    or evaluate for longer than others would be taken for lost.
    """
    mesh = Mesh(np.array(jax.devices()), ("devices",))
    counted = jax.shard_map(
        lambda one: jax.lax.psum(one, "devices"),
        mesh=mesh,
        in_specs=PartitionSpec(),
        out_specs=PartitionSpec(),
        check_vma=False,
    )
    with noticing_losses():
        jax.jit(counted)(np.float32(1)).block_until_ready()


def leading() -> bool:
    """Whether this process is host 0, or the only one."""
    return jax.process_index() == 0


def part() -> None:
    """End what the hosts do together, once all of them are here; what follows is each one's own.

    Raises:
        WorkerError: a host was lost.
    """
    if not jax.distributed.is_initialized():
        return
    from jax.experimental import multihost_utils

    with noticing_losses():
        # However long the others still take; JAX's own way out would wait for a while only.
        multihost_utils.sync_global_devices("part")
    jax.distributed.shutdown()


def check_beginning(update: int, learner: Any) -> None:
    """Refuse to train together from different beginnings: the sums would be of nothing.

    Args:
        update: at which this host begins.
        learner: with which.

    Raises:
        ConfigError: another host begins with something else, as it reads other files.
        WorkerError: a host was lost.
    """
    if jax.process_count() == 1:
        return
    from jax.experimental import multihost_utils

    digest = 0
    for leaf in jax.tree.leaves(jax.device_get(learner)):
        digest = zlib.crc32(np.asarray(leaf).tobytes(), digest)
    with noticing_losses():
        begun = multihost_utils.process_allgather(np.array([update, digest], np.uint32))
    for host, (their_update, their_digest) in enumerate(begun.tolist()):
        if (their_update, their_digest) != tuple(begun[0].tolist()):
            raise ConfigError(
                f"host {host} begins at update {their_update} with a learner of digest "
                f"{their_digest:08x}: expected {begun[0, 0]} and {begun[0, 1]:08x}, as host 0: do "
                "all hosts read the same run folder?"
            )


@contextlib.contextmanager
def noticing_losses() -> Iterator[None]:
    """Make of what JAX raises where another host is lost one clear error.

    Raises:
        WorkerError: a host was lost.
    """
    try:
        yield
    except (ValueError, RuntimeError) as error:
        lost = any(sign in str(error) for sign in ("Gloo", "coordination service", "NCCL"))
        if not lost or jax.process_count() == 1:
            raise
        raise WorkerError(
            f"host {jax.process_index()} has lost another host: resume the run from its last "
            f"checkpoint ({' '.join(str(error).split())[:160]})"
        ) from None


def local(tree: Any) -> Any:
    """The arrays of ``tree``, which every device has, as arrays of one device of this host."""
    # One that is on a single device stays as it is: another copy would be bound to its device,
    # which asks for other programs.
    return jax.tree.map(
        lambda leaf: leaf if len(leaf.sharding.device_set) == 1 else leaf.addressable_data(0), tree
    )

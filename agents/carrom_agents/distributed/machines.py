"""On which machines a program trains, as its command line says."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from carrom.errors import ConfigError
from carrom.vector import BoardWorkers
from carrom_agents.config import ExperimentConfig, dump_config
from carrom_agents.distributed.hosts import Hosts, joined
from carrom_agents.processor import share_processor


@dataclass(frozen=True)
class Machines:
    """More machines than this one, if any.

    Attributes:
        ray: address of the Ray cluster on whose processors MuJoCo's boards are played.
        hosts: whose devices the boards of the planar engine are played on.
    """

    ray: str | None = None
    hosts: Hosts | None = None

    @contextlib.contextmanager
    def used(self, config: ExperimentConfig) -> Iterator[BoardWorkers | None]:
        """The time in which they may be used; it must begin before JAX is first used.

        Args:
            config: of the training.

        Yields:
            What hires workers for the boards of a vector environment; None for processes.

        Raises:
            ConfigError: they do not suit the engine of the training, or cannot be used.
            WorkerError: a host was lost before the end.
        """
        physics = config.env.physics
        if self.ray is not None and physics != "mujoco":
            raise ConfigError(
                f"ray = {self.ray!r}: expected env.physics = 'mujoco'; with {physics!r} a training "
                "spans machines by --hosts, --host-id and --coordinator"
            )
        if self.hosts is not None and physics != "planar":
            raise ConfigError(
                f"hosts = {self.hosts.count}: expected env.physics = 'planar'; with {physics!r} a "
                "training spans machines by --ray"
            )
        if self.ray is not None:
            from carrom_agents.distributed.cluster import connected

            with connected(self.ray) as cluster:
                from carrom_agents.distributed.boards import actors_on  # needs Ray

                yield actors_on(cluster)
        elif self.hosts is not None:
            share_processor(self.hosts.own_devices(config.devices))
            with joined(self.hosts, {"configuration": dump_config(config)}):
                yield None
        else:
            share_processor(config.devices)
            yield None


def machines_of(arguments: Sequence[str]) -> tuple[Machines, list[str]]:
    """The machines that a command line names, and what else it says.

    Raises:
        ConfigError: some of what belongs together is missing, or a value is wrong.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--ray")
    parser.add_argument("--hosts", type=int)
    parser.add_argument("--host-id", type=int)
    parser.add_argument("--coordinator")
    found, rest = parser.parse_known_args(arguments)
    together = {name: vars(found)[name] for name in ("hosts", "host_id", "coordinator")}
    together = {f"--{name.replace('_', '-')}": value for name, value in together.items()}
    given = [name for name, value in together.items() if value is not None]
    if not given:
        return Machines(found.ray), rest
    if len(given) < len(together):
        missing = [name for name in together if name not in given]
        raise ConfigError(f"{' '.join(given)}: expected {' and '.join(missing)}, too")
    if found.ray is not None:
        raise ConfigError(f"--ray {found.ray} and --hosts {found.hosts}: expected one of them")
    return Machines(hosts=Hosts(found.coordinator, found.hosts, found.host_id)), rest

"""The cells of a sweep as tasks of a Ray cluster, each a process of its own on its machine.

The sweep's folder must be readable and writable under the same path on all machines: a cell
keeps its checkpoints there, and goes on from them wherever it is begun anew.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from carrom.errors import ConfigError
from carrom_agents.distributed.cluster import Cluster
from carrom_agents.distributed.tasks import in_tasks
from carrom_agents.sweep.running import Outcome, Training, train_alone
from carrom_agents.sweep.schedule import Cell
from carrom_agents.sweep.settings import SweepConfig


def cells_on(cluster: Cluster) -> Training:
    """Trains cells on the processors of a cluster; see ``carrom_agents.sweep.running``."""

    def train(cells: Sequence[Cell], sweep: SweepConfig) -> Iterator[tuple[Cell, Outcome]]:
        by_name = {cell.name: cell for cell in cells}
        # Programs run in another working directory there.
        whole = {
            name: dataclasses.replace(cell, folder=cell.folder.absolute())
            for name, cell in by_name.items()
        }
        shared = (whole, sweep.place.absolute())
        done = in_tasks(_train, by_name, shared, cluster.processors, "cell {}".format)
        return ((by_name[name], outcome) for name, outcome in done)

    return train


def _train(name: str, cells: dict[str, Cell], folder: Path) -> Outcome:
    cell = cells[name]
    if not cell.folder.is_dir():
        raise ConfigError(
            f"folder = {str(folder)!r}: not there on a machine of the cluster: expected one that "
            "all machines share"
        )
    return train_alone(cell, folder)

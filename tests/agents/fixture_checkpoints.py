"""The checkpoints in ``tests/data/checkpoints``, one of each layout there has been.

A layout's is written once, by the version that introduced it, and never again:

    python tests/agents/fixture_checkpoints.py /tmp/fixture/v3

and copied here: a checkpoint says where it was written.

Its numbers are counted out, so that what must be read needs no other file.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from carrom_agents.agent import agent_of
from carrom_agents.checkpoint import CONFIG_FILE, save
from carrom_agents.config import (
    EnvConfig,
    ExperimentConfig,
    LeagueConfig,
    LoggingConfig,
    NetworkConfig,
)
from carrom_agents.learning import TrainingState, initial_state
from carrom_agents.normaliser import RunningStatistics

CONFIG = ExperimentConfig(
    name="fixture",
    seed=3,
    env=EnvConfig(id="CarromBoard-v0", physics="planar", opponent="league"),
    network=NetworkConfig(width=2, place_width=1),
    league=LeagueConfig(snapshots=2),
    logging=LoggingConfig(wandb="disabled"),
)


def counted_out() -> TrainingState:
    """A state whose k-th array counts from k on, in quarters; flags alternate."""
    blank = initial_state(CONFIG, agent_of(CONFIG))
    statistics = dataclasses.astuple(blank.statistics)
    leaves, tree = jax.tree.flatten((blank.learner, statistics, blank.league))
    counted = [_count(k, leaf) for k, leaf in enumerate(leaves)]
    learner, statistics, league = jax.tree.unflatten(tree, counted)
    learner = jax.tree.map(jnp.asarray, learner)
    return TrainingState(learner, RunningStatistics(*statistics), 12, league)


def _count(start: int, leaf: np.ndarray | jax.Array) -> np.ndarray:
    numbers = np.arange(start, start + leaf.size).reshape(leaf.shape)
    if leaf.dtype == bool:
        return numbers % 2 == 0
    return numbers.astype(leaf.dtype) if leaf.dtype.kind == "i" else numbers.astype(leaf.dtype) / 4


if __name__ == "__main__":
    from carrom_agents.config import dump_config

    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    (folder / CONFIG_FILE).write_text(dump_config(CONFIG), encoding="utf-8")
    save(folder, CONFIG, counted_out())

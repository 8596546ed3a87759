"""A whole experiment in small, and what is asserted of it whatever the engine."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jax
import numpy as np

from carrom_agents.checkpoint import load_player
from carrom_agents.config import (
    EnvConfig,
    EvaluationConfig,
    ExperimentConfig,
    LoggingConfig,
    NetworkConfig,
    PpoConfig,
)
from carrom_agents.experiment import resume

UPDATES = 4


def small_experiment(
    name: str, env: EnvConfig, network: NetworkConfig, directory: Path
) -> ExperimentConfig:
    """Four updates of two steps each, with a checkpoint and an evaluation after every other."""
    return ExperimentConfig(
        name=name,
        total_strokes=UPDATES * 2 * env.num_envs,
        env=env,
        network=network,
        ppo=PpoConfig(rollout_length=2, minibatches=2, epochs=1),
        evaluation=EvaluationConfig(
            every_updates=2, positions=8, final_positions=8, video_strokes=0
        ),
        logging=LoggingConfig(
            directory=str(directory),
            progress=False,
            wandb="disabled",
            checkpoint_every_updates=2,
        ),
    )


def records(folder: Path) -> list[dict[str, float]]:
    """What was recorded, but for timings."""
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    return [
        {name: value for name, value in json.loads(line).items() if not name.startswith("time/")}
        for line in lines
    ]


def assert_recorded_at_every_update(folder: Path, strokes: int) -> None:
    """``strokes``: of an update."""
    found = records(folder)
    assert [record["global_step"] for record in found] == [k * strokes for k in range(5)]
    assert ["evaluation/reward" in record for record in found] == [True, False, True, False, True]
    assert all(np.isfinite(value) for record in found for value in record.values())


def assert_resumes_to_the_same_bits(folder: Path) -> None:
    """The second half is taken away and done again; so the same seed gives the same bits."""
    before, player = records(folder), load_player(folder)
    shutil.rmtree(folder / "checkpoints" / "00000004")
    resume(folder)
    assert records(folder) == before
    again = load_player(folder)
    for one, two in zip(jax.tree.leaves(player.params), jax.tree.leaves(again.params), strict=True):
        np.testing.assert_array_equal(one, two)

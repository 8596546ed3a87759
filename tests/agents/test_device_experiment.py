"""An experiment on the planar engine in small: training on the device, evaluation on both."""

import dataclasses
import json
import shutil

import jax
import numpy as np
import pytest

from carrom_agents.checkpoint import load_player
from carrom_agents.config import (
    EnvConfig,
    EvaluationConfig,
    ExperimentConfig,
    LoggingConfig,
    PpoConfig,
)
from carrom_agents.experiment import resume, train


@pytest.fixture(scope="module")
def small(toy_config: ExperimentConfig, tmp_path_factory) -> ExperimentConfig:
    folder = tmp_path_factory.mktemp("runs")
    return ExperimentConfig(
        name="device",
        total_strokes=4 * 64,
        env=EnvConfig(physics="planar", num_envs=32),
        network=toy_config.network,
        ppo=PpoConfig(rollout_length=2, minibatches=2, epochs=1),
        evaluation=EvaluationConfig(
            every_updates=2, positions=8, final_positions=8, video_strokes=0
        ),
        logging=LoggingConfig(
            directory=str(folder), progress=False, wandb="disabled", checkpoint_every_updates=2
        ),
    )


@pytest.fixture(scope="module")
def folder(small: ExperimentConfig):
    (folder,) = train(small)
    return folder


def records(folder) -> list[dict[str, float]]:
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    return [
        {name: value for name, value in json.loads(line).items() if not name.startswith("time/")}
        for line in lines
    ]


def test_training_is_recorded_and_evaluated_on_both_engines(folder):
    found = records(folder)
    assert [record["global_step"] for record in found] == [0, 64, 128, 192, 256]
    assert all(np.isfinite(value) for record in found for value in record.values())
    results = json.loads((folder / "evaluation.json").read_text())
    assert set(results) == {"shots", "shots_planar"}
    assert all(shots["positions"] == 8 for shots in results.values())


def test_a_resumed_run_ends_with_the_same_bits(folder):
    before, player = records(folder), load_player(folder)
    shutil.rmtree(folder / "checkpoints" / "00000004")
    resume(folder)
    assert records(folder) == before
    again = load_player(folder)
    for one, two in zip(jax.tree.leaves(player.params), jax.tree.leaves(again.params), strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["aimer", "self", "the run before"])
def test_boards_are_trained_on_against_every_kind_of_opponent(folder, small, opponent):
    name = str(folder) if opponent == "the run before" else opponent
    boards = dataclasses.replace(
        small,
        total_strokes=2 * 64,
        env=dataclasses.replace(small.env, id="CarromBoard-v0", opponent=name),
        evaluation=dataclasses.replace(small.evaluation, boards=2),
    )
    (folder,) = train(boards)
    assert all(np.isfinite(value) for record in records(folder) for value in record.values())
    results = json.loads((folder / "evaluation.json").read_text())
    assert set(results) == {"shots", "shots_planar", "boards", "boards_planar"}


@pytest.mark.slow
def test_two_seeds_make_two_folders(small):
    folders = train(dataclasses.replace(small, seeds=2, total_strokes=64))
    assert ["-seed0-" in folders[0].name, "-seed1-" in folders[1].name] == [True, True]
    one, two = (records(folder)[-1]["reward"] for folder in folders)
    assert one != two

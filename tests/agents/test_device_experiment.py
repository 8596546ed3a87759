"""An experiment on the planar engine in small: training on the device, evaluation on both."""

import dataclasses
import json

import numpy as np
import pytest
from experiments import (
    assert_recorded_at_every_update,
    assert_resumes_to_the_same_bits,
    records,
    small_experiment,
)

from carrom_agents.config import EnvConfig, ExperimentConfig
from carrom_agents.experiment import train

# Compiling is most of what this takes, and what is compared is compiled alike.
pytestmark = pytest.mark.usefixtures("compiled_in_haste")


@pytest.fixture(scope="module")
def small(toy_config: ExperimentConfig, tmp_path_factory) -> ExperimentConfig:
    env = EnvConfig(physics="planar", num_envs=32)
    return small_experiment("device", env, toy_config.network, tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def folder(small: ExperimentConfig):
    (folder,) = train(small)
    return folder


def test_training_is_recorded_and_evaluated_on_both_engines(folder):
    assert_recorded_at_every_update(folder, strokes=64)
    results = json.loads((folder / "evaluation.json").read_text())
    assert set(results) == {"shots", "shots_planar"}
    assert all(shots["positions"] == 8 for shots in results.values())


def test_a_resumed_run_ends_with_the_same_bits(folder):
    assert_resumes_to_the_same_bits(folder)


@pytest.mark.slow
@pytest.mark.parametrize("doubles", [False, True], ids=["singles", "doubles"])
@pytest.mark.parametrize("opponent", ["aimer", "self", "league", "the run before"])
def test_boards_are_trained_on_against_every_kind_of_opponent(folder, small, opponent, doubles):
    name = str(folder) if opponent == "the run before" else opponent
    boards = dataclasses.replace(
        small,
        total_strokes=2 * 64,
        env=dataclasses.replace(small.env, id="CarromBoard-v0", opponent=name, doubles=doubles),
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

"""A whole experiment in small, on the real environment: what is in the run folder."""

import dataclasses
import json
import re
import shutil

import imageio_ffmpeg
import jax
import numpy as np
import pytest

from carrom.errors import ConfigError
from carrom_agents.checkpoint import load_player, run_config
from carrom_agents.config import (
    EnvConfig,
    EvaluationConfig,
    ExperimentConfig,
    LoggingConfig,
    PpoConfig,
)
from carrom_agents.experiment import make_envs, resume, train
from carrom_agents.pictures import film


@pytest.fixture(scope="module")
def small(toy_config: ExperimentConfig, tmp_path_factory) -> ExperimentConfig:
    folder = tmp_path_factory.mktemp("runs")
    return ExperimentConfig(
        name="small",
        total_strokes=4 * 32,
        env=EnvConfig(num_envs=16),
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


def test_the_run_folder_says_what_was_done(folder, small):
    assert re.fullmatch(r"small-\d{8}-\d{6}", folder.name)
    assert run_config(folder) == small
    assert {"jax", "mujoco", "python"} <= set(json.loads((folder / "versions.json").read_text()))
    assert "training in" in (folder / "console.log").read_text()
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(p.name for p in (folder / "checkpoints").iterdir()) == ["00000002", "00000004"]


def test_metrics_are_recorded_at_every_update(folder):
    found = records(folder)
    assert [record["global_step"] for record in found] == [0, 32, 64, 96, 128]
    assert ["evaluation/reward" in record for record in found] == [True, False, True, False, True]
    assert all(np.isfinite(value) for record in found for value in record.values())


def test_the_final_evaluation_compares_three_players(folder):
    shots = json.loads((folder / "evaluation.json").read_text())["shots"]
    assert list(shots["players"]) == ["trained", "untrained", "random"]
    assert shots["positions"] == 8
    for player in shots["players"].values():
        assert player["points"]["low"] <= player["points"]["value"] <= player["points"]["high"]


def test_a_resumed_run_ends_with_the_same_bits(folder, small):
    """The second half is taken away and done again; so the same seed gives the same bits."""
    before, player = records(folder), load_player(folder)
    shutil.rmtree(folder / "checkpoints" / "00000004")
    resume(folder)
    assert records(folder) == before
    again = load_player(folder)
    for one, two in zip(jax.tree.leaves(player.params), jax.tree.leaves(again.params), strict=True):
        np.testing.assert_array_equal(one, two)


def test_an_unknown_option_fails_before_anything_is_made(small, tmp_path):
    wrong = dataclasses.replace(
        small,
        env=dataclasses.replace(small.env, noise="drunk"),
        logging=dataclasses.replace(small.logging, directory=str(tmp_path)),
    )
    with pytest.raises(ConfigError, match="drunk"):
        train(wrong)
    assert not list(tmp_path.iterdir())


def test_an_unknown_environment_is_a_clear_error():
    with pytest.raises(ConfigError, match=r"env\.id = 'Carom-v9'"):
        make_envs(EnvConfig(id="Carom-v9"))


@pytest.mark.render
def test_the_film_shows_the_strokes(folder, small, tmp_path):
    film(load_player(folder), small.env, strokes=2, seed=1, target=tmp_path / "film.mp4")
    count, seconds = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "film.mp4"))
    assert count is not None
    assert seconds == pytest.approx(count / 30, abs=0.1)
    assert count > 2 * 15  # each stroke is followed by half a second of rest

"""A whole experiment in small, on the real environment: what is in the run folder."""

import dataclasses
import json
import re

import imageio_ffmpeg
import pytest
from experiments import (
    assert_recorded_at_every_update,
    assert_resumes_to_the_same_bits,
    small_experiment,
)

from carrom.errors import ConfigError
from carrom_agents.checkpoint import load_player, run_config
from carrom_agents.conclusion import write_page
from carrom_agents.config import EnvConfig, ExperimentConfig
from carrom_agents.experiment import make_envs, train
from carrom_agents.pictures import film
from carrom_agents.player import untrained_player

# Compiling is most of what this takes, and what is compared is compiled alike.
pytestmark = pytest.mark.usefixtures("compiled_in_haste")


@pytest.fixture(scope="module")
def small(toy_config: ExperimentConfig, tmp_path_factory) -> ExperimentConfig:
    folder = tmp_path_factory.mktemp("runs")
    return small_experiment("small", EnvConfig(num_envs=16), toy_config.network, folder)


@pytest.fixture(scope="module")
def folder(small: ExperimentConfig):
    (folder,) = train(small)
    return folder


def test_the_run_folder_says_what_was_done(folder, small):
    assert re.fullmatch(r"small-\d{8}-\d{6}", folder.name)
    assert run_config(folder) == small
    assert {"jax", "mujoco", "python"} <= set(json.loads((folder / "versions.json").read_text()))
    assert "training in" in (folder / "console.log").read_text()
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(p.name for p in (folder / "checkpoints").iterdir()) == ["00000002", "00000004"]


def test_metrics_are_recorded_at_every_update(folder):
    assert_recorded_at_every_update(folder, strokes=32)


def test_the_final_evaluation_compares_three_players(folder):
    shots = json.loads((folder / "evaluation.json").read_text())["shots"]
    assert list(shots["players"]) == ["trained", "untrained", "random"]
    assert shots["positions"] == 8
    for player in shots["players"].values():
        assert player["points"]["low"] <= player["points"]["value"] <= player["points"]["high"]


def test_a_resumed_run_ends_with_the_same_bits(folder):
    assert_resumes_to_the_same_bits(folder)


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


def test_what_was_trained_in_pairs_is_shown_in_pairs(small, tmp_path):
    env = EnvConfig(id="CarromBoard-v0", physics="planar", num_envs=16, doubles=True)
    config = dataclasses.replace(small, env=env)
    write_page(config, untrained_player(config), tmp_path)
    page = (tmp_path / "trained.html").read_text()
    assert re.search(r"trained \(seats 0, 2\) - random \(seats 1, 3\)", page)

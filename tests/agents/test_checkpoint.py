"""Checkpoints: what is restored is what was saved, bit for bit, and errors say what is wrong."""

import dataclasses
import shutil
from pathlib import Path

import jax
import numpy as np
import pytest

from carrom.board import Board
from carrom.errors import CheckpointError
from carrom.midgame import random_layout
from carrom.observation import SIZE, encode
from carrom.view import View
from carrom_agents.agent import agent_of, new_statistics
from carrom_agents.checkpoint import CONFIG_FILE, load_player, restore, save
from carrom_agents.config import ExperimentConfig, NetworkConfig, dump_config
from carrom_agents.learning import TrainingState, initial_state
from carrom_agents.player import player_of, untrained_player

CONFIG = ExperimentConfig(network=NetworkConfig(width=8, place_width=4))


def views(count: int, seed: int = 0) -> list[View]:
    rng, board = np.random.default_rng(seed), Board()
    layouts = [random_layout(board, rng, white=4, black=5, queen=True) for _ in range(count)]
    return [View(board, layout.positions, layout.on_board) for layout in layouts]


@pytest.fixture(scope="module")
def state() -> TrainingState:
    statistics = new_statistics().including(np.stack([encode(view) for view in views(50)]))
    learner = initial_state(dataclasses.replace(CONFIG, seed=5), agent_of(CONFIG)).learner
    return TrainingState(dataclasses.replace(learner, skipped=learner.skipped + 3), statistics, 42)


@pytest.fixture
def run(state: TrainingState, tmp_path: Path) -> Path:
    (tmp_path / CONFIG_FILE).write_text(dump_config(CONFIG))
    save(tmp_path, state)
    return tmp_path


def test_everything_comes_back_with_its_type_and_bits(run, state):
    found = restore(run, CONFIG)
    assert found.update == 42
    assert int(found.learner.skipped) == 3
    mine, theirs = (
        (s.learner, s.statistics.count, s.statistics.mean, s.statistics.squares)
        for s in (state, found)
    )
    assert jax.tree.structure(mine) == jax.tree.structure(theirs)
    for one, two in zip(jax.tree.leaves(mine), jax.tree.leaves(theirs), strict=True):
        assert one.dtype == two.dtype
        np.testing.assert_array_equal(one, two)


def test_the_newest_checkpoint_is_the_one_read(run, state):
    save(run, dataclasses.replace(state, update=100))
    save(run, dataclasses.replace(state, update=7))
    assert restore(run, CONFIG).update == 100


def test_loaded_player_plays_the_same_bits(run, state):
    for samples in (False, True):
        mine = player_of(CONFIG, state, samples=samples)
        loaded = load_player(run, samples=samples)
        for view in views(10, seed=1):
            one, two = (p(view, np.random.default_rng(3)) for p in (mine, loaded))
            assert one == two


def test_sampling_depends_on_the_generator_and_the_mode_does_not(run):
    view = views(1)[0]
    for samples in (False, True):
        player = load_player(run, samples=samples)
        strikes = {player(view, np.random.default_rng(seed)) for seed in range(5)}
        assert (len(strikes) > 1) == samples


def test_untrained_player_depends_on_the_seed_alone():
    view = views(1)[0]
    rng = np.random.default_rng(0)
    strikes = [
        untrained_player(dataclasses.replace(CONFIG, seed=seed))(view, rng) for seed in (0, 0, 1)
    ]
    assert strikes[0] == strikes[1] != strikes[2]


def test_another_network_is_refused(run):
    other = dataclasses.replace(CONFIG, network=NetworkConfig(width=16, place_width=4))
    with pytest.raises(CheckpointError, match=r"another network .*float32 \[.*, expected float32"):
        restore(run, other)


def test_missing_ones_are_named(tmp_path):
    with pytest.raises(CheckpointError, match="nowhere: no such run folder"):
        restore(tmp_path / "nowhere", CONFIG)
    with pytest.raises(CheckpointError, match="no checkpoint in"):
        restore(tmp_path, CONFIG)
    with pytest.raises(CheckpointError, match=f"not a run folder: it has no {CONFIG_FILE}"):
        load_player(tmp_path)


def test_an_unfinished_checkpoint_does_not_count(run):
    (run / "checkpoints" / ".00000099").mkdir()
    assert restore(run, CONFIG).update == 42


@pytest.mark.parametrize("what", ["manifest", "garbled manifest", "arrays", "array data"])
def test_damage_is_reported_as_such(run, what):
    folder = run / "checkpoints" / "00000042"
    if what == "manifest":
        (folder / "manifest.json").unlink()
    elif what == "garbled manifest":
        (folder / "manifest.json").write_text("{")
    elif what == "arrays":
        shutil.rmtree(folder / "state")
    else:
        for path in (folder / "state").rglob("*"):
            if path.is_file() and path.stat().st_size > 1000:
                path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(CheckpointError, match="damaged"):
        restore(run, CONFIG)


def test_observation_size_is_the_environments():
    assert new_statistics().mean.shape == (SIZE,)

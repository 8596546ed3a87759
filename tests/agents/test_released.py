"""Agents that come along: they play as the run they were made of, or say what is wrong."""

import dataclasses
import re
from typing import Any

import gymnasium as gym
import jax
import numpy as np
import pytest

import carrom
from carrom.errors import CheckpointError, ConfigError
from carrom_agents import released
from carrom_agents.agent import agent_of
from carrom_agents.checkpoint import CONFIG_FILE, load_player, save
from carrom_agents.config import ExperimentConfig, dump_config
from carrom_agents.foresight.settings import ITERATION_FILE
from carrom_agents.learning import initial_state
from carrom_agents.released import ARRAYS_FILE, RELEASED, load_released, release
from carrom_agents.roster import find_player


@pytest.fixture(scope="module")
def run(toy_config: ExperimentConfig, tmp_path_factory):
    """A run folder whose network and statistics are no initial ones."""
    folder = tmp_path_factory.mktemp("run")
    state = initial_state(toy_config, agent_of(toy_config))
    moved = jax.tree.map(lambda leaf: leaf + 0.01, state.learner.params)
    rng = np.random.default_rng(0)
    statistics = state.statistics.including(rng.normal(0.1, 0.2, (50, 74)))
    state = dataclasses.replace(
        state, learner=dataclasses.replace(state.learner, params=moved), statistics=statistics
    )
    (folder / CONFIG_FILE).write_text(dump_config(toy_config), encoding="utf-8")
    save(folder, toy_config, state)
    return folder


@pytest.fixture
def folder(run, tmp_path):
    release(run, tmp_path / "agent")
    return tmp_path / "agent"


def test_a_released_agent_decides_as_its_run(run, folder):
    env = gym.make("CarromShot-v0", noise="expert").unwrapped
    assert isinstance(env, carrom.CarromEnv)
    ours, theirs, by_name = load_released(folder), load_player(run), find_player(str(folder))
    for seed in range(5):
        env.reset(seed=seed)
        rng = np.random.default_rng(0)
        assert ours(env.view(), rng) == theirs(env.view(), rng) == by_name(env.view(), rng)


def test_what_is_wrong_is_said(folder):
    file = folder / ARRAYS_FILE
    whole = file.read_bytes()
    with np.load(file) as arrays:
        content: dict[str, Any] = dict(arrays)
    first = next(iter(content))

    def error() -> str:
        with pytest.raises(CheckpointError) as caught:
            load_released(folder)
        return str(caught.value)

    def write(**arrays: Any) -> None:
        np.savez(file, **arrays)

    write(**{name: array for name, array in content.items() if name != first})
    assert f"{first} is nothing: expected float32" in error()
    write(**content | {first: np.zeros(3)})
    assert f"{first} is float64 [3]: expected float32" in error()
    write(**content, more=np.zeros(3))
    assert "more is not expected there" in error()
    write(**content | {first: np.array([{"a": 1}], dtype=object)})
    assert "cannot be read" in error()
    file.write_bytes(whole[: len(whole) // 2])
    assert re.search(r"player\.npz: cannot be read", error())
    file.unlink()
    assert "cannot be read" in error()


def test_an_agent_of_another_kind_is_replaced(run, folder):
    (folder / ITERATION_FILE).write_text("name: other\n", encoding="utf-8")
    release(run, folder)
    assert sorted(path.name for path in folder.iterdir()) == [CONFIG_FILE, ARRAYS_FILE]
    with pytest.raises(ConfigError, match="expected a folder"):
        release(run, folder / CONFIG_FILE)


def test_there_is_no_agent_of_another_name():
    with pytest.raises(AttributeError, match="nobody"):
        released.nobody  # noqa: B018


def test_those_that_come_along_are_small_and_found_by_name():
    names = sorted(path.parent.name for path in RELEASED.glob(f"*/{ARRAYS_FILE}"))
    for name in names:
        assert name in carrom.opponent_names()
        assert (RELEASED / name / ARRAYS_FILE).stat().st_size < 5e6
        assert callable(getattr(released, name))

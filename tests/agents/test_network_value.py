"""The value of a network, asked in another way."""

import gymnasium as gym
import jax
import numpy as np
import pytest

import carrom
from carrom.functional import Functional
from carrom.observation import encode
from carrom_agents.agent import Agent
from carrom_agents.config import ExperimentConfig
from carrom_agents.normaliser import Scale
from carrom_agents.planner.position import sights_of
from carrom_agents.player import NetworkPlayer, NetworkValue


@pytest.fixture(scope="module")
def player(toy_config: ExperimentConfig) -> NetworkPlayer:
    agent = Agent(toy_config.network, "target")
    rng = np.random.default_rng(0)
    scale = Scale(
        mean=np.asarray(rng.normal(0, 0.1, 74), np.float32),
        std=np.asarray(rng.uniform(0.5, 2, 74), np.float32),
    )
    return NetworkPlayer(toy_config, agent, agent.init(jax.random.key(1)), scale)


@pytest.fixture(scope="module")
def views():
    env = gym.make("CarromBoard-v0", opponent="random", noise="club").unwrapped
    assert isinstance(env, carrom.CarromEnv)
    env.action_space.seed(0)
    found = []
    env.reset(seed=0)
    while len(found) < 8:
        found.append(env.view())
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        assert not terminated
        assert not truncated
    return found


def test_the_worth_of_a_position_is_the_networks_value_of_what_is_observed(player, views):
    worth = NetworkValue(player)(sights_of(views, Functional("board")))
    observed = np.stack([encode(view) for view in views])
    expected = player.agent.value(player.params, player.scale, observed)
    np.testing.assert_allclose(np.asarray(worth), np.asarray(expected), atol=1e-4)

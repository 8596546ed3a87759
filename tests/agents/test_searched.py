"""The search with learned parts: they are the network's, asked in another way."""

import gymnasium as gym
import jax
import numpy as np
import pytest

import carrom
from carrom.observation import encode
from carrom_agents.agent import Agent
from carrom_agents.config import ExperimentConfig
from carrom_agents.normaliser import Scale
from carrom_agents.planner.position import sights_of
from carrom_agents.player import NetworkPlayer
from carrom_agents.searched import LearnedProposals, LearnedWorth, searching


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
    worth = LearnedWorth(player)(sights_of(views, searching(player).env))
    observed = np.stack([encode(view) for view in views])
    expected = player.agent.value(player.params, player.scale, observed)
    np.testing.assert_allclose(np.asarray(worth), np.asarray(expected), atol=1e-4)


def test_the_first_proposal_is_what_the_player_would_play(player, views):
    for view in views:
        found = LearnedProposals(player)(view, np.random.default_rng(0), 16)
        assert found.shape == (16, 3)
        strike = player(view, np.random.default_rng(0))
        np.testing.assert_allclose(found[0], (strike.place, strike.direction, strike.speed))


def test_proposals_follow_from_the_generator(player, views):
    one, two, other = (
        LearnedProposals(player)(views[1], np.random.default_rng(seed), 16) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one[1:8], other[1:8])
    # Not one strike again and again.
    assert len(np.unique(one[1:8].round(4), axis=0)) > 3

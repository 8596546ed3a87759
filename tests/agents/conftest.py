"""Toy environments with carrom's spaces: what is right in them can be said in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chex
import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

from carrom.action import N_POCKETS
from carrom.observation import SIZE
from carrom_agents.agent import Agent
from carrom_agents.config import EnvConfig, ExperimentConfig, NetworkConfig, PpoConfig

_OBSERVATION = spaces.Box(-50.0, 50.0, (SIZE,), np.float32)
_TARGET_ACTION = spaces.Dict(shot=spaces.Discrete(40), residual=spaces.Box(-1.0, 1.0, (3,)))


class FarthestRight(gym.Env):
    """Three own carrommen; the shot to name is the one farthest to the right, to pocket 1.

    The reward is 1 for that shot, less how far the speed residual is from 0.5. So the optimum
    is 1, and naming shots at random earns 1/12 at best. One step, always terminated.
    """

    observation_space = _OBSERVATION
    action_space = _TARGET_ACTION

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._observation = np.zeros(SIZE, np.float32)
        pieces = self._observation[:57].reshape(19, 3)
        pieces[:3, :2] = self.np_random.uniform(-0.3, 0.3, size=(3, 2))
        pieces[:3, 2] = 1
        return self._observation.copy(), {}

    def step(self, action: Any):
        right = int(np.argmax(self._observation[:9:3]))
        reward = float(action["shot"] == N_POCKETS * right + 1)
        reward -= abs(float(action["residual"][2]) - 0.5)
        return self._observation.copy(), reward, True, False, {}


class Corridor(gym.Env):
    """Episodes whose lengths and kinds of end are drawn; the reward is drawn, too.

    A lone carromman's place says which episode and which step it is, so that every position
    has a value of its own. Actions do nothing.
    """

    observation_space = _OBSERVATION
    action_space = _TARGET_ACTION

    def __init__(self) -> None:
        self._episode = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._episode += 1
        self._time = 0
        self._length = int(self.np_random.integers(1, 5))
        self._cut_off = bool(self.np_random.integers(2))
        self._rewards = self.np_random.normal(size=self._length)
        return self._observe(), {}

    def step(self, action: Any):
        reward = float(self._rewards[self._time])
        self._time += 1
        over = self._time == self._length
        return self._observe(), reward, over and not self._cut_off, over and self._cut_off, {}

    def _observe(self) -> np.ndarray:
        observation = np.zeros(SIZE, np.float32)
        observation[:3] = 0.01 * self._episode, 0.05 * self._time, 1
        return observation


@pytest.fixture(scope="session")
def toy_config() -> ExperimentConfig:
    """An experiment for the toys; all tests share its shapes, and so its compiled code."""
    return ExperimentConfig(
        total_strokes=6_000,
        env=EnvConfig(num_envs=16),
        network=NetworkConfig(width=16, place_width=8, initial_std=(0.1, 0.1, 0.3)),
        ppo=PpoConfig(
            rollout_length=16, minibatches=2, learning_rate=1e-2, final_learning_rate=1e-3
        ),
    )


@pytest.fixture(scope="session")
def toy_agent(toy_config: ExperimentConfig) -> Agent:
    """Decides in the toys; fails when one of its functions is traced a second time."""
    return Agent(toy_config.network, "target", wrap=traced_once)


def traced_once(function: Callable[..., Any]) -> Callable[..., Any]:
    return chex.assert_max_traces(function, n=1)


@pytest.fixture
def vector_of():
    """Makes a vector environment of a toy."""

    def make(
        kind: type[gym.Env], count: int, mode: gym.vector.AutoresetMode
    ) -> gym.vector.SyncVectorEnv:
        return gym.vector.SyncVectorEnv([kind] * count, autoreset_mode=mode)

    return make


@pytest.fixture
def farthest_right() -> type[gym.Env]:
    return FarthestRight


@pytest.fixture
def corridor() -> type[gym.Env]:
    return Corridor

"""Collecting experience from a vector environment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from carrom.errors import ConfigError
from carrom_agents.agent import Agent, Sample
from carrom_agents.networks import environment_action
from carrom_agents.normaliser import Scale
from carrom_agents.ppo import Parameters, Rollout


@dataclass(frozen=True, eq=False)
class Experience:
    """A rollout, and what is told about it.

    Attributes:
        rollout: [T, B].
        observations: (N, D), those in which a valid decision was taken.
        episode_returns: undiscounted returns of the episodes that ended.
    """

    rollout: Rollout
    observations: NDArray[np.float32]
    episode_returns: tuple[float, ...]

    def summary(self) -> dict[str, float]:
        """Mean reward of a stroke, and mean return of an episode where one ended."""
        valid = np.asarray(self.rollout.valid)
        summary = {"reward": float(np.asarray(self.rollout.reward)[valid].mean())}
        if self.episode_returns:
            summary["episode_return"] = float(np.mean(self.episode_returns))
        return summary


class Collector:
    """Plays the environments from where they are, with whatever parameters it is given.

    Args:
        envs: B environments in the autoreset mode SAME_STEP or NEXT_STEP.
        agent: decides.
        steps: T, steps of each environment in a rollout.
        seed: of the first episodes.

    Raises:
        ConfigError: the environments do not reset themselves.
    """

    def __init__(
        self, envs: gym.vector.VectorEnv[Any, Any, Any], agent: Agent, steps: int, seed: int
    ) -> None:
        mode = envs.metadata.get("autoreset_mode")
        if mode not in (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP):
            raise ConfigError(
                f"autoreset_mode = {mode!r}: expected AutoresetMode.SAME_STEP or NEXT_STEP"
            )
        self._same_step = mode is AutoresetMode.SAME_STEP
        self._envs = envs
        self._agent = agent
        self._steps = steps
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Begin new episodes everywhere; those in progress are dropped."""
        self._observation: NDArray[np.float32] = self._envs.reset(seed=seed)[0]
        self._resetting = np.zeros(self._envs.num_envs, bool)
        self._returns = np.zeros(self._envs.num_envs)

    def collect(self, params: Parameters, scale: Scale, key: jax.Array) -> Experience:
        """Play T steps."""
        shape = (self._steps, self._envs.num_envs)
        samples: list[Sample] = []
        reward = np.zeros(shape, np.float32)
        # Only truncations in the mode SAME_STEP leave a value that no later step computes.
        final_value = np.zeros(shape, np.float32)
        terminated, truncated, valid = np.zeros((3, *shape), bool)
        seen: list[NDArray[np.float32]] = []
        episode_returns: list[float] = []
        for t, step_key in enumerate(jax.random.split(key, self._steps)):
            valid[t] = ~self._resetting
            seen.append(self._observation[valid[t]])
            sample = self._agent.act(params, scale, self._observation, step_key)
            samples.append(sample)
            self._observation, reward[t], terminated[t], truncated[t], infos = self._envs.step(
                environment_action(sample.action)
            )
            over = terminated[t] | truncated[t]
            if self._same_step and truncated[t].any():
                final = _final_observations(infos, truncated[t], self._observation)
                final_value[t] = self._agent.value(params, scale, final)
            self._resetting = np.zeros_like(over) if self._same_step else over
            self._returns += reward[t]
            episode_returns.extend(self._returns[over].tolist())
            self._returns[over] = 0
        value = jnp.stack([sample.value for sample in samples])
        last = self._agent.value(params, scale, self._observation)
        next_value = jnp.concatenate([value[1:], last[None]])
        if self._same_step:
            next_value = jnp.where(truncated, final_value, next_value)
        inputs, action, log_prob = jax.tree.map(
            lambda *leaves: jnp.stack(leaves),
            *[(sample.inputs, sample.action, sample.log_prob) for sample in samples],
        )
        rollout = Rollout(
            inputs=inputs,
            action=action,
            log_prob=log_prob,
            value=value,
            next_value=next_value,
            reward=jnp.asarray(reward),
            terminated=jnp.asarray(terminated),
            truncated=jnp.asarray(truncated),
            valid=jnp.asarray(valid),
        )
        return Experience(rollout, np.concatenate(seen), tuple(episode_returns))


def _final_observations(
    infos: dict[str, Any], ended: NDArray[np.bool_], observation: NDArray[np.float32]
) -> NDArray[np.float32]:
    """``observation`` [B, D] with the final ones of the episodes that ``ended`` put in."""
    result = observation.copy()
    for index in np.flatnonzero(ended):
        result[index] = infos["final_obs"][index]
    return result

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

from carrom.errors import ConfigError, Dump
from carrom_agents.agent import Agent, Sample
from carrom_agents.guard import (
    MOST_STROKES,
    failed_strokes,
    failures,
    finite_action,
    finite_rows,
)
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
        failed_strokes: that the physics gave up, of whomever.
        not_finite: steps whose observation, reward or following observation was not finite.
        dumps: of some of the failed strokes.
    """

    rollout: Rollout
    observations: NDArray[np.float32]
    episode_returns: tuple[float, ...]
    failed_strokes: int
    not_finite: int
    dumps: tuple[Dump, ...]

    def summary(self) -> dict[str, float]:
        """Mean reward of a stroke, mean return of an episode where one ended, and failures."""
        valid = np.asarray(self.rollout.valid)
        reward = np.asarray(self.rollout.reward)[valid]
        summary = {
            "reward": float(reward.mean()) if len(reward) else 0.0,
            "failed_strokes": float(self.failed_strokes),
            "steps_not_finite": float(self.not_finite),
        }
        if self.episode_returns:
            summary["episode_return"] = float(np.mean(self.episode_returns))
        return summary


class Collector:
    """Plays the environments from where they are, with whatever parameters it is given.

    A step that is not finite is not learnt from; where the physics gave a stroke up (its board
    is void, 140) the learner takes the episode to be cut off.

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
        self._see(self._envs.reset(seed=seed)[0])
        self._resetting = np.zeros(self._envs.num_envs, bool)
        self._returns = np.zeros(self._envs.num_envs)

    def _see(self, observation: NDArray[np.float32]) -> None:
        self._observation, self._sound = finite_rows(observation)

    def collect(self, params: Parameters, scale: Scale, key: jax.Array) -> Experience:
        """Play T steps."""
        shape = (self._steps, self._envs.num_envs)
        samples: list[Sample] = []
        reward = np.zeros(shape, np.float32)
        # Only truncations in the mode SAME_STEP leave a value that no later step computes.
        final_value = np.zeros(shape, np.float32)
        terminated, truncated, valid, cut, strange = np.zeros((5, *shape), bool)
        seen: list[NDArray[np.float32]] = []
        episode_returns: list[float] = []
        failed, dumps = 0, []
        for t, step_key in enumerate(jax.random.split(key, self._steps)):
            strange[t] = ~self._sound
            valid[t] = ~self._resetting & self._sound
            seen.append(self._observation[valid[t]])
            sample = self._agent.act(params, scale, self._observation, step_key)
            samples.append(sample)
            observation, earned, terminated[t], truncated[t], infos = self._envs.step(
                finite_action(environment_action(sample.action))
            )
            self._see(observation)
            over = terminated[t] | truncated[t]
            reward[t], known = finite_rows(np.asarray(earned, np.float32))
            known &= self._sound | over
            if self._same_step and truncated[t].any():
                final = _final_observations(infos, truncated[t], self._observation)
                final, finite = finite_rows(final)
                known &= finite | ~truncated[t]
                final_value[t] = self._agent.value(params, scale, final)
            strange[t] |= ~known & ~self._resetting
            valid[t] &= known
            gave_up, later = failures(infos, len(over))
            cut[t] = (gave_up > 0) & ~over
            if gave_up.any():
                dumps += failed_strokes(self._envs)[: MOST_STROKES - len(dumps)]
            failed += int(gave_up.sum() + later.sum())
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
            truncated=jnp.asarray(truncated | cut),
            valid=jnp.asarray(valid),
        )
        return Experience(
            rollout,
            np.concatenate(seen),
            tuple(episode_returns),
            failed_strokes=failed,
            not_finite=int(strange.sum()),
            dumps=tuple(dumps),
        )


def _final_observations(
    infos: dict[str, Any], ended: NDArray[np.bool_], observation: NDArray[np.float32]
) -> NDArray[np.float32]:
    """``observation`` [B, D] with the final ones of the episodes that ``ended`` put in."""
    result = observation.copy()
    for index in np.flatnonzero(ended):
        result[index] = infos["final_obs"][index]
    return result

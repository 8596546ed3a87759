"""The agent: the network with the compiled functions by which it decides."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct

from carrom.board import Board
from carrom.observation import SIZE
from carrom_agents.config import ExperimentConfig, NetworkConfig
from carrom_agents.distributions import Action
from carrom_agents.networks import NORMALISED, ActorCritic, Decision
from carrom_agents.normaliser import RunningStatistics, Scale
from carrom_agents.ppo import Evaluation, Parameters


@struct.dataclass
class Sample:
    """A decision as a rollout records it; leading axis [B]."""

    inputs: Any
    action: Action
    log_prob: jax.Array
    value: jax.Array


class Agent:
    """A network's decisions as compiled functions, each once for each batch size.

    Holds no state: parameters and observation statistics are arguments.

    Args:
        network: sizes of the network.
        action_coding: "target" or "direct".
        wrap: applied to each function before it is compiled; tests count traces with it.
    """

    def __init__(
        self,
        network: NetworkConfig,
        action_coding: str,
        wrap: Callable[[Callable[..., Any]], Callable[..., Any]] = lambda function: function,
    ) -> None:
        self.network = ActorCritic(network, action_coding=action_coding, board=Board())
        self.init = jax.jit(self._init)
        self.act = jax.jit(wrap(self._act))
        self.mode = jax.jit(wrap(self._mode))
        self.draw = jax.jit(wrap(self._draw))
        self.value = jax.jit(wrap(self._value))

    def evaluate(self, params: Parameters, inputs: Any) -> Evaluation:
        """Policy and values for what ``Sample.inputs`` records; not compiled."""
        decision = self.network.apply(params, inputs)
        assert isinstance(decision, Decision)
        return Evaluation(decision.policy, decision.value)

    def judge(self, params: Parameters, observation: jax.Array) -> Evaluation:
        """Policy and values for scaled observations (..., 74); not compiled."""
        return self.evaluate(params, self.network.inputs(observation))

    def _init(self, key: jax.Array) -> Parameters:
        """Initial parameters; only the shapes of the inputs matter."""
        observation = jax.ShapeDtypeStruct((1, SIZE), jnp.float32)
        shapes = jax.eval_shape(self.network.inputs, observation)
        inputs = jax.tree.map(lambda shape: jnp.zeros(shape.shape, shape.dtype), shapes)
        return self.network.init(key, inputs)

    def _act(
        self, params: Parameters, scale: Scale, observation: jax.Array, key: jax.Array
    ) -> Sample:
        """Draw actions for observations [B, 74]."""
        inputs = self.network.inputs(scale(observation))
        policy, value = self.evaluate(params, inputs)
        action = policy.sample(key)
        return Sample(inputs, action, policy.log_prob(action), value)

    def _mode(self, params: Parameters, scale: Scale, observation: jax.Array) -> Action:
        """The most probable actions for observations [B, 74]."""
        return self.judge(params, scale(observation)).policy.mode()

    def _draw(
        self, params: Parameters, scale: Scale, observation: jax.Array, key: jax.Array
    ) -> Action:
        """Actions drawn from the policy for observations [B, 74]."""
        return self.judge(params, scale(observation)).policy.sample(key)

    def _value(self, params: Parameters, scale: Scale, observation: jax.Array) -> jax.Array:
        """Expected returns [B] of observations [B, 74]."""
        return self.judge(params, scale(observation)).value


@functools.cache
def _agent(network: NetworkConfig, action_coding: str) -> Agent:
    return Agent(network, action_coding)


def agent_of(config: ExperimentConfig) -> Agent:
    """The agent of an experiment; equal networks share one, and its compiled code."""
    return _agent(config.network, config.env.action_coding)


def new_statistics() -> RunningStatistics:
    """Statistics of no observation."""
    return RunningStatistics.empty(SIZE)


def scale_of(statistics: RunningStatistics) -> Scale:
    """How observations are scaled for the network."""
    return statistics.scale(NORMALISED)

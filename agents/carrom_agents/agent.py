"""The learning agent: network, optimiser and the compiled functions that use them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import struct

from carrom.board import Board
from carrom.observation import SIZE
from carrom_agents import ppo
from carrom_agents.config import ExperimentConfig
from carrom_agents.distributions import Action
from carrom_agents.networks import NORMALISED, ActorCritic, Decision
from carrom_agents.normaliser import RunningStatistics, Scale


@struct.dataclass
class Sample:
    """A decision as a rollout records it; leading axis [B]."""

    inputs: Any
    action: Action
    log_prob: jax.Array
    value: jax.Array


class Agent:
    """What an experiment's configuration makes of a network.

    Holds no state but compiled code: parameters and statistics are arguments. Each function
    is compiled once for each batch size.

    Args:
        config: the experiment.
        board: the board played on.
        wrap: applied to each function before it is compiled; tests count traces with it.
    """

    def __init__(
        self,
        config: ExperimentConfig,
        board: Board | None = None,
        wrap: Callable[[Callable[..., Any]], Callable[..., Any]] = lambda function: function,
    ) -> None:
        self.network = ActorCritic(
            config.network, action_coding=config.env.action_coding, board=board or Board()
        )
        hyper = config.ppo
        steps = config.updates * hyper.epochs * hyper.minibatches
        rate = optax.linear_schedule(hyper.learning_rate, hyper.final_learning_rate, steps)
        self.optimiser = optax.chain(
            optax.clip_by_global_norm(hyper.max_gradient_norm), optax.adam(rate)
        )
        update = functools.partial(
            ppo.update,
            apply=self._apply,
            optimiser=self.optimiser,
            discount=hyper.discount,
            trace=hyper.trace,
            clip=hyper.clip,
            value_coefficient=hyper.value_coefficient,
            epochs=hyper.epochs,
            minibatches=hyper.minibatches,
            target_kl=hyper.target_kl,
        )
        self.init = jax.jit(self._init)
        self.act = jax.jit(wrap(self._act))
        self.mode = jax.jit(wrap(self._mode))
        self.draw = jax.jit(wrap(self._draw))
        self.value = jax.jit(wrap(self._value))
        self.update = jax.jit(wrap(update))

    def _decide(self, params: ppo.Parameters, scale: Scale, observation: jax.Array) -> Decision:
        decision = self.network.apply(params, self.network.inputs(scale(observation)))
        assert isinstance(decision, Decision)
        return decision

    def _apply(self, params: ppo.Parameters, inputs: Any) -> ppo.Evaluation:
        decision = self.network.apply(params, inputs)
        assert isinstance(decision, Decision)
        return ppo.Evaluation(decision.policy, decision.value)

    def _init(self, key: jax.Array) -> ppo.Learner:
        """A new learner: initial parameters drawn with ``key``."""
        params = self.network.init(key, self.network.inputs(jnp.zeros((1, SIZE))))
        return ppo.Learner(params, self.optimiser.init(params), jnp.zeros((), jnp.int32))

    def _act(
        self, params: ppo.Parameters, scale: Scale, observation: jax.Array, key: jax.Array
    ) -> Sample:
        """Draw actions for observations [B, 74]."""
        inputs = self.network.inputs(scale(observation))
        policy, value = self._apply(params, inputs)
        action = policy.sample(key)
        return Sample(inputs, action, policy.log_prob(action), value)

    def _mode(self, params: ppo.Parameters, scale: Scale, observation: jax.Array) -> Action:
        """The most probable actions for observations [B, 74]."""
        return self._decide(params, scale, observation).policy.mode()

    def _draw(
        self, params: ppo.Parameters, scale: Scale, observation: jax.Array, key: jax.Array
    ) -> Action:
        """Actions drawn from the policy for observations [B, 74]."""
        return self._decide(params, scale, observation).policy.sample(key)

    def _value(self, params: ppo.Parameters, scale: Scale, observation: jax.Array) -> jax.Array:
        """Expected returns [B] of observations [B, 74]."""
        return self._decide(params, scale, observation).value


def new_statistics() -> RunningStatistics:
    """Statistics of no observation."""
    return RunningStatistics.empty(SIZE)


def scale_of(statistics: RunningStatistics) -> Scale:
    """How observations are scaled for the network."""
    return statistics.scale(NORMALISED)

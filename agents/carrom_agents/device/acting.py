"""Deciding on one board inside compiled code."""

from __future__ import annotations

from typing import NamedTuple

import jax

from carrom.functional import Action as CodedAction
from carrom_agents.agent import Agent
from carrom_agents.distributions import Action
from carrom_agents.geometry import N_PLACES
from carrom_agents.ppo import Parameters


class Decided(NamedTuple):
    """A decision, with what the learner needs to know of it."""

    action: Action
    log_prob: jax.Array
    value: jax.Array


def act(agent: Agent, params: Parameters, observation: jax.Array, key: jax.Array) -> Decided:
    """Draw an action for a scaled observation (74,)."""
    policy, value = agent.judge(params, observation)
    action = policy.sample(key)
    return Decided(action, policy.log_prob(action), value)


def coded(action: Action) -> CodedAction:
    """What the functional environment is told when ``action`` was drawn from the policy."""
    if isinstance(action, dict):
        return {"shot": action["choice"] // N_PLACES, "residual": action["residual"]}
    return action

"""A learned player that searches: its policy proposes strikes, its value weighs what they leave.

It is the planner's search (``carrom_agents.planner``) with learned parts, as policy and value
guide the search of Silver et al. 2018 (https://doi.org/10.1126/science.aar6404); strikes being
continuous, the policy's own draws are the candidates, as in sampled AlphaZero (Hubert et al.
2021, https://arxiv.org/abs/2104.06303).
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field

import jax
import numpy as np

from carrom.action import action_coding
from carrom.functional import Sight
from carrom.observation import encode, encode_position
from carrom.physics.material import Material
from carrom.view import View
from carrom_agents.networks import environment_action
from carrom_agents.planner.player import Planner
from carrom_agents.planner.proposing import Propose, ScriptedProposals, Strikes
from carrom_agents.player import NetworkPlayer


@dataclass(frozen=True)
class LearnedProposals:
    """The most probable strike, draws from the policy, and what another one proposes.

    Attributes:
        player: whose policy it is.
        others: names the rest of the candidates: where the policy is wrong, it is sure of it.
        share: of all candidates, those of the policy.
    """

    player: NetworkPlayer
    others: Propose = field(default_factory=ScriptedProposals)
    share: float = 0.5

    def __call__(self, view: View, rng: np.random.Generator, count: int, /) -> Strikes:
        """As ``carrom_agents.planner.proposing.Propose``."""
        player, drawn = self.player, math.ceil(self.share * count)
        seen = np.tile(encode(view), (drawn, 1))
        agent, key = player.agent, jax.random.key(rng.integers(2**32))
        modes = jax.device_get(agent.mode(player.params, player.scale, seen[:1]))
        draws = jax.device_get(agent.draw(player.params, player.scale, seen, key))
        coding = action_coding(player.config.env.action_coding, "snap", Material())
        strikes = []
        for number in range(drawn):
            actions, row = (draws, number) if number else (modes, 0)
            action = environment_action(jax.tree.map(lambda leaf, r=row: leaf[r], actions))
            strike = coding.decode(action, view)
            strikes.append((strike.place, strike.direction, strike.speed))
        return np.concatenate([np.array(strikes), self.others(view, rng, count - drawn)])


@dataclass(frozen=True)
class LearnedWorth:
    """What the learned value says of positions.

    Attributes:
        player: whose value it is; trained on the reward ``aicf``, whose unit are points.
    """

    player: NetworkPlayer

    def __call__(self, sights: Sight, /) -> jax.Array:
        """As ``carrom_agents.planner.rollouts.Evaluate``."""
        return self.player.agent.value(self.player.params, self.player.scale, _encoded(sights))


@jax.jit
def _encoded(sights: Sight) -> jax.Array:
    return jax.vmap(encode_position)(sights)


def searching(player: NetworkPlayer) -> Planner:
    """The planner that searches with what ``player`` has learned."""
    return Planner(propose=LearnedProposals(player), evaluate=LearnedWorth(player))


def __getattr__(name: str) -> Planner:
    """``searched``: the search with the released agent ``ppo``."""
    if name != "searched":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _searched()


@functools.cache
def _searched() -> Planner:
    from carrom_agents import released

    return searching(released.ppo)

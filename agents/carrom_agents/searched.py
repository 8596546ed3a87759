"""A learned player that searches: its network proposes strikes and weighs what they leave.

It is the planner's search (``carrom_agents.planner``) with learned parts, as policy and value
guide the search of Silver et al. 2018 (https://doi.org/10.1126/science.aar6404): candidates are
the strikes of which the network expects most, of more than the planner could try.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from carrom.view import View
from carrom_agents.foresight.player import ForesightPlayer, LearnedValue
from carrom_agents.planner.halving import Round
from carrom_agents.planner.player import Planner
from carrom_agents.planner.proposing import Strikes

PLAN = (Round(32, 12), Round(16, 24), Round(8, 64))
"""1,280 strokes for a decision: with what the network takes, 59 ms where the planner takes 46."""


@dataclass(frozen=True)
class ForeseenProposals:
    """Of many strikes those that a network expects most of, the best first.

    Attributes:
        player: whose network it is, and who names the strikes.
        asked: how many are weighed.
    """

    player: ForesightPlayer
    asked: int = 160

    def __call__(self, view: View, rng: np.random.Generator, count: int, /) -> Strikes:
        """As ``carrom_agents.planner.proposing.Propose``."""
        strikes = self.player.propose(view, rng, max(self.asked, count))
        return strikes[np.argsort(-self.player.worths(view, strikes), kind="stable")[:count]]


def searching(player: ForesightPlayer) -> Planner:
    """The planner that searches with what ``player`` has learned."""
    return Planner(
        propose=ForeseenProposals(player),
        evaluate=LearnedValue(player.foresight, player.params),
        breaker=player.breaker,
        noise=player.foresight.noise,
        plan=PLAN,
    )


def __getattr__(name: str) -> Planner:
    """``searched``: the search with the released agent ``league``."""
    if name != "searched":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _searched()


@functools.cache
def _searched() -> Planner:
    from carrom_agents import released

    player = released.league
    assert isinstance(player, ForesightPlayer)
    return searching(player)

"""What the planner would play, and what else it weighed, for people to look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carrom.physics.strike import Strike
from carrom.view import View
from carrom_agents.planner.player import Planner


@dataclass(frozen=True)
class Candidate:
    """A strike that came to the last round of the search.

    Attributes:
        strike: to be played.
        points: mean of its rollouts: points it gains and the worth of what it leaves.
        standard_error: of ``points``, see ``carrom_agents.planner.halving.Ranking``.
        rollouts: how many there were.
    """

    strike: Strike
    points: float
    standard_error: float
    rollouts: int


def candidates(planner: Planner, view: View, rng: np.random.Generator) -> tuple[Candidate, ...]:
    """The candidates of the search's last round, those with the most points first.

    The first is what the planner plays with the same generator, unless a break is to be made:
    breaks it does not search for. Being the best of several, its mean rather flatters it.
    """
    strikes, ranking = planner.search(view, rng)
    last = np.flatnonzero(ranking.rollouts == ranking.rollouts[ranking.best])
    order = last[np.argsort(-ranking.mean[last], kind="stable")]
    return tuple(
        Candidate(
            Strike(*strikes[index].tolist(), forward=view.forward),
            float(ranking.mean[index]),
            float(ranking.standard_error[index]),
            int(ranking.rollouts[index]),
        )
        for index in order.tolist()
    )

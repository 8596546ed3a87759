"""Which strikes are worth trying: candidates for the search."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from carrom.action import MIN_SPEED
from carrom.opponents import random_player
from carrom.view import View
from carrom_agents.offers import Kind, Offers, offers
from carrom_agents.scripted import TARGETS, wanted_targets
from carrom_agents.shots import ShotOptions
from carrom_agents.ways import touching

Strikes = NDArray[np.float64]
"""(n, 3): place, m; direction, rad; speed, m/s."""


KINDS = frozenset(Kind) - {Kind.DOUBLE_REBOUND}
"""A striker that takes two frames first misses too often to be worth the time of looking."""


class Propose(Protocol):
    """Who names the candidates."""

    def __call__(self, view: View, rng: np.random.Generator, count: int, /) -> Strikes:
        """Strikes (count, 3) to be tried in the position ``view``, the likeliest first."""
        ...


@dataclass(frozen=True)
class ScriptedProposals:
    """Shots that geometry finds, variations of the best of them, and strikes at random.

    Shots of one carromman into one pocket come from several places and at several speeds,
    which differ in where they leave the striker and the others. What no geometry says, such as
    a cluster to be opened, is found by strikes at random that meet some carromman.

    Attributes:
        options: which shots there are.
        kinds: of shots.
        aimed_share: of all candidates at most, shots as they are.
        varied_share: of all candidates at most, their variations.
        varied: how many of the best shots are varied.
        repeated: what every further shot of the same kind at the same carromman into the same
            pocket counts less than the one before it, as a factor.
        turned_by: standard deviation of a variation's direction, rad.
        faster: variations are at least as fast as the first, at most as the second factor says.
        blind_share: of the strikes at random, those that are not even sent at a carromman.
    """

    options: ShotOptions = field(default_factory=ShotOptions)
    kinds: frozenset[Kind] = KINDS
    aimed_share: float = 0.5
    varied_share: float = 0.25
    varied: int = 8
    repeated: float = 0.9
    turned_by: float = math.radians(0.3)
    faster: tuple[float, float] = (0.8, 2.2)
    blind_share: float = 0.2

    def __call__(self, view: View, rng: np.random.Generator, count: int, /) -> Strikes:
        """As ``Propose``."""
        targets = TARGETS[wanted_targets(view.on_board, view.queen, view.queen_allowed)]
        found = offers(view, targets, self.options, self.kinds)
        chosen = _promising(found, self.repeated)[: math.ceil(self.aimed_share * count)]
        shots = found.shots
        aimed = np.stack([shots.place, shots.direction, shots.speed], axis=1)[chosen]
        n_varied = min(math.ceil(self.varied_share * count), self.varied * len(aimed))
        varied = self._varied(aimed, rng, n_varied)
        rest = max(count - len(aimed) - len(varied), 0)
        n_blind = round(self.blind_share * rest)
        blind = [random_player(view, rng) for _ in range(n_blind)]
        drawn = np.array([(each.place, each.direction, each.speed) for each in blind])
        met = self._meeting(view, rng, rest - n_blind)
        return np.concatenate([aimed, varied, met, drawn.reshape(-1, 3)])[:count]

    def _varied(self, aimed: Strikes, rng: np.random.Generator, count: int) -> Strikes:
        """Variations of the first of the shots, in turn."""
        if not count:
            return np.empty((0, 3))
        strikes = aimed[np.arange(count) % min(self.varied, len(aimed))].copy()
        strikes[:, 1] += self.turned_by * rng.standard_normal(count)
        slowest, fastest = map(math.log, self.faster)
        strikes[:, 2] *= np.exp(rng.uniform(slowest, fastest, count))
        full = self.options.material.full_speed
        strikes[:, 2] = np.clip(strikes[:, 2], MIN_SPEED, full)
        return strikes

    def _meeting(self, view: View, rng: np.random.Generator, count: int) -> Strikes:
        """Strikes that would meet a carromman, if nothing else were in the way."""
        pieces = view.positions[view.on_board]
        low, high = np.array(view.free_places).T
        # A place in proportion to lengths; where only points are free, any of these.
        weight = (high - low) + 1e-9
        interval = rng.choice(len(low), count, p=weight / weight.sum())
        place = rng.uniform(low[interval], high[interval])
        target = pieces[rng.integers(len(pieces), size=count)]
        way = target - np.stack([place, np.full(count, view.board.base_line_y + view.forward)], 1)
        reach = np.minimum(touching(view.board) / np.hypot(*way.T), 1.0)
        aside = np.arcsin(reach * rng.uniform(-1, 1, count))
        direction = np.arctan2(-way[:, 0], way[:, 1]) + aside
        speed = rng.uniform(MIN_SPEED, self.options.material.full_speed, count)
        return np.stack([place, direction, speed], axis=1)


def _promising(found: Offers, repeated: float) -> NDArray[np.intp]:
    """Indices of the shots, the likeliest first, those like an earlier one put back."""
    chance = found.shots.chance
    order = np.argsort(-chance, kind="stable")
    like = np.stack([found.kind, found.shots.carromman, found.shots.pocket], axis=1)[order]
    group = np.unique(like, axis=0, return_inverse=True)[1].reshape(-1)
    by_group = np.argsort(group, kind="stable")
    rank = np.empty(len(order), np.intp)
    rank[by_group] = np.arange(len(order)) - np.searchsorted(group[by_group], group[by_group])
    return order[np.argsort(-chance[order] * repeated**rank, kind="stable")]

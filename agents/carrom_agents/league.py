"""A league: former selves that a learner goes on playing against.

Episodes are shared out among the learner itself, the aimer, and snapshots of the learner, of
which those that beat it most are met most often (prioritised fictitious self-play: Vinyals et
al. 2019, https://doi.org/10.1038/s41586-019-1724-z). Ratings on Elo's scale say how it gets on:
the aimer's is 0, a snapshot keeps the rating that the learner had, and the learner's follows
its results.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import jax
import numpy as np
from flax import struct
from numpy.typing import NDArray

from carrom_agents.config import LeagueConfig
from carrom_agents.normaliser import Scale
from carrom_agents.ppo import Parameters

ELO = 400 / math.log(10)
"""Rating points for which the odds grow e-fold."""
_PATIENCE = 0.2
"""How far the learner's rating goes, in one update, to what explains its results best."""


@struct.dataclass
class League:
    """The members, K snapshots, then the aimer, then the learner itself, and what they won.

    Attributes:
        params: of the snapshots; leading axis [K].
        scale: of their observations, leading axis [K]; an empty tuple where they are not scaled.
        filled: bool [K], where there is a snapshot.
        rating: float64 [K + 2], on Elo's scale; the last one is the learner's.
        games: float64 [K + 1], the learner's games with each of the others, the older the less.
        score: float64 [K + 1], what it won of them, an undecided one being half.
    """

    params: Parameters
    scale: Scale | tuple[()]
    filled: NDArray[np.bool_]
    rating: NDArray[np.float64]
    games: NDArray[np.float64]
    score: NDArray[np.float64]

    @classmethod
    def empty(cls, config: LeagueConfig, params: Parameters, scale: Scale | tuple[()]) -> League:
        """A league without snapshots, with room for those of networks like ``params``."""
        count = config.snapshots

        def room(leaf: Any) -> NDArray[Any]:
            leaf = np.asarray(leaf)
            return np.zeros((count, *leaf.shape), leaf.dtype)

        return cls(
            params=jax.tree.map(room, params),
            scale=jax.tree.map(lambda leaf: np.ones_like(room(leaf)), scale),
            filled=np.zeros(count, bool),
            rating=np.zeros(count + 2),
            games=np.zeros(count + 1),
            score=np.zeros(count + 1),
        )

    @property
    def won(self) -> NDArray[np.float64]:
        """The learner's share against each of the others, [K + 1]; a half where unknown."""
        return (self.score + 1) / (self.games + 2)

    def weights(self, config: LeagueConfig) -> NDArray[np.float64]:
        """How often each member, [K + 2], is met; they add up to 1."""
        hard = np.where(self.filled, (1 - self.won[:-1]) ** config.priority, 0)
        share = 1 - config.self_share - config.aimer_share
        if not hard.any():
            return np.array([*hard, config.aimer_share, config.self_share + share])
        return np.array([*(share * hard / hard.sum()), config.aimer_share, config.self_share])

    def after(
        self, games: NDArray[np.floating], score: NDArray[np.floating], config: LeagueConfig
    ) -> League:
        """The league after an update's results.

        The learner's rating takes part of a Newton step to the maximum of their likelihood
        (Bradley and Terry 1952), the ratings of the others staying as they are.

        Args:
            games: [K + 2], that ended, by whom they were played against.
            score: [K + 2], what the learner won of them.
            config: says how fast results are forgotten.
        """
        games, score = np.asarray(games, np.float64)[:-1], np.asarray(score, np.float64)[:-1]
        rating = self.rating.copy()
        expected = 1 / (1 + np.exp((rating[:-1] - rating[-1]) / ELO))
        surprise = np.sum(score - games * expected)
        rating[-1] += _PATIENCE * ELO * surprise / (1 + np.sum(games * expected * (1 - expected)))
        return dataclasses.replace(
            self,
            rating=rating,
            games=config.memory * self.games + games,
            score=config.memory * self.score + score,
        )

    def with_snapshot(self, params: Parameters, scale: Scale | tuple[()]) -> League:
        """The league with a snapshot of the learner; if it is full, the easiest one goes."""
        place = int(np.argmax(np.where(self.filled, self.won[:-1], np.inf)))

        def put(room: NDArray[Any], leaf: Any) -> NDArray[Any]:
            room = np.array(room)
            room[place] = np.asarray(leaf)
            return room

        return League(
            params=jax.tree.map(put, self.params, params),
            scale=jax.tree.map(put, self.scale, scale),
            filled=put(self.filled, True),
            rating=put(self.rating, self.rating[-1]),
            games=put(self.games, 0),
            score=put(self.score, 0),
        )

    def metrics(self) -> dict[str, float]:
        """What is told about it."""
        present = self.rating[:-2][self.filled]
        found = {
            "league/rating": float(self.rating[-1]),
            "league/snapshots": float(self.filled.sum()),
            "league/won_against_aimer": float(self.won[-1]),
        }
        if len(present):
            found["league/best_snapshot"] = float(present.max())
            found["league/won_against_hardest"] = float(self.won[:-1][self.filled].min())
        return found

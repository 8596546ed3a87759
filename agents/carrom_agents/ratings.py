"""How strong players are, from who beat whom: ratings that seat, colour and luck cannot fool.

Every start is played twice with the places swapped, and such a pair of games is what is
independent of the others: they are resampled for the intervals, never the single games.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carrom.errors import ConfigError
from carrom_agents.bradley_terry import OUTCOMES, Float, Strengths, chances, fit, likely_range
from carrom_agents.statistics import CONFIDENCE, RESAMPLES, Estimate

ELO = 400 / math.log(10)
"""Elo's units in a natural one: 400 between two players are odds of ten to one."""
CAUTION = 3.0
"""Games of the prior by which pairings are resampled that always went one way. Chosen so that
the bound on a player who has won all of 10, 40 or 200 games is that of Clopper and Pearson."""
_WON, _DRAWN, _LOST = range(OUTCOMES)
_OF_SCORE = {1.0: _WON, 0.5: _DRAWN, 0.0: _LOST}


@dataclass(frozen=True)
class Pair:
    """One start that two players played twice, each breaking once.

    Attributes:
        one: name of a player.
        two: name of the other.
        breaking: what ``one`` scored when he broke: 1 won, 0.5 drawn, 0 lost.
        replying: what ``one`` scored when ``two`` broke.
    """

    one: str
    two: str
    breaking: float
    replying: float

    def __post_init__(self) -> None:
        if self.one == self.two:
            raise ConfigError(f"{self.one!r} against himself: expected two players")
        for name in ("breaking", "replying"):
            if getattr(self, name) not in _OF_SCORE:
                raise ConfigError(f"{name} = {getattr(self, name)!r}: expected 1, 0.5 or 0")


@dataclass(frozen=True)
class Ratings:
    """What results say about the players.

    Attributes:
        players: rating of each, in Elo's units, the strongest first. An end of an interval is
            infinite where the results set no bound: whoever has conceded nothing, not even by
            way of others, to the anchor may be any stronger; the rating itself then rests on
            the prior.
        anchor: the player whose rating is 0.
        breaking: what the break is worth, in Elo's units.
        draws: share of draws between equals, neither of whom has the break.
    """

    players: dict[str, Estimate]
    anchor: str
    breaking: Estimate
    draws: Estimate


def rate(
    pairs: Sequence[Pair],
    *,
    anchor: str,
    rng: np.random.Generator,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
) -> Ratings:
    """Rate the players by ``carrom_agents.bradley_terry``, with bootstrap intervals.

    Every resample holds as many pairs of each pairing as were played, drawn from those that
    were. Where all of a pairing's pairs ended alike, those would show no spread at all: there
    the pairs are drawn from the model, fitted with a prior of ``CAUTION`` games. The intervals
    are the percentiles of the resamples' ratings, and of the players' at least what the
    likelihood leaves possible (``bradley_terry.likely_range``): a resampling knows that the two
    games of a pair may not be independent, the likelihood how little one upset tells.

    Args:
        pairs: what was played, in any order.
        anchor: the player whose rating is 0.
        rng: draws the resamples.
        confidence: share of intervals that hold the true rating, in the long run.
        resamples: number of bootstrap resamples.

    Raises:
        ConfigError: no pairs, no such player as the anchor, or players that have not met,
            not even by way of others, so that nothing can be said about how they compare.
    """
    names = sorted({name for pair in pairs for name in (pair.one, pair.two)})
    if anchor not in names:
        raise ConfigError(f"anchor = {anchor!r}: expected one of {names}")
    index = {name: place for place, name in enumerate(names)}
    counts = _counts(pairs, index)
    table = _table(counts, index)
    conceded = _conceded(table)
    _check_connected(conceded | conceded.T, names)

    zero = index[anchor]
    strengths = fit(table)
    found = _elo(strengths, zero)
    resampled = _resampled(counts, _expected(fit(table, prior=CAUTION), index), rng, resamples)
    drawn = _elo(fit(_table(resampled, index, (resamples,))), zero)
    tail = (1 - confidence) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    least, most = (ELO * end for end in likely_range(table, zero, confidence))
    low[: len(names)] = np.minimum(low[: len(names)], least)
    high[: len(names)] = np.maximum(high[: len(names)], most)
    bounded = _reached(conceded)
    high[: len(names)][~bounded[:, zero]] = math.inf
    low[: len(names)][~bounded[zero]] = -math.inf

    def estimate(place: int, samples: int) -> Estimate:
        return Estimate(float(found[place]), float(low[place]), float(high[place]), samples)

    played = {name: sum(name in (pair.one, pair.two) for pair in pairs) for name in names}
    rated = {name: estimate(index[name], played[name]) for name in names}
    return Ratings(
        players=dict(sorted(rated.items(), key=lambda item: -item[1].value)),
        anchor=anchor,
        breaking=estimate(-2, len(pairs)),
        draws=estimate(-1, len(pairs)),
    )


Counts = dict[tuple[str, str], Float]
"""For each pairing the number of its pairs by both outcomes, (..., 3, 3): of the game in which
the first player broke, and of the other, both as he saw them."""


def _counts(pairs: Sequence[Pair], index: dict[str, int]) -> Counts:
    """In alphabetical order, so that the order of play changes nothing."""
    met = sorted({tuple(sorted((pair.one, pair.two))) for pair in pairs})
    counts = {(one, two): np.zeros((OUTCOMES, OUTCOMES)) for one, two in met}
    for pair in pairs:
        outcome = _OF_SCORE[pair.breaking], _OF_SCORE[pair.replying]
        if index[pair.one] < index[pair.two]:
            counts[pair.one, pair.two][outcome] += 1
        else:  # seen from the other side
            counts[pair.two, pair.one][_LOST - outcome[1], _LOST - outcome[0]] += 1
    return counts


def _table(counts: Counts, index: dict[str, int], batch: tuple[int, ...] = ()) -> Float:
    """Games as ``bradley_terry.fit`` expects them, (*batch, n, n, 3)."""
    n = len(index)
    table = np.zeros((*batch, n, n, OUTCOMES))
    for (one, two), outcomes in counts.items():
        table[..., index[one], index[two], :] = outcomes.sum(axis=-1)
        table[..., index[two], index[one], :] = outcomes.sum(axis=-2)[..., ::-1]
    return table


def _expected(strengths: Strengths, index: dict[str, int]) -> Counts:
    """Chances of each pairing's outcomes by the model, in which two games are independent."""
    chance, expected = chances(strengths), {}
    for one, two in itertools.combinations(index, 2):
        breaking = chance[index[one], index[two]]
        replying = chance[index[two], index[one], ::-1]
        expected[one, two] = breaking[:, None] * replying
    return expected


def _resampled(
    counts: Counts, expected: Counts, rng: np.random.Generator, resamples: int
) -> Counts:
    drawn: Counts = {}
    for pairing, outcomes in counts.items():
        played = outcomes.sum()
        shares = expected[pairing] if outcomes.max() == played else outcomes / played
        resampled = rng.multinomial(int(played), shares.ravel(), size=resamples)
        drawn[pairing] = resampled.reshape(-1, OUTCOMES, OUTCOMES).astype(np.float64)
    return drawn


def _elo(strengths: Strengths, anchor: int) -> Float:
    """Ratings, what the break is worth, and the share of draws between equals, (..., n + 2)."""
    players = strengths.players - strengths.players[..., anchor, None]
    weight = np.exp(strengths.drawing)
    return np.concatenate(
        [
            ELO * players,
            ELO * strengths.breaking[..., None],
            (weight / (2 + weight))[..., None],
        ],
        axis=-1,
    )


def _conceded(table: Float) -> NDArray[np.bool_]:
    """Whether one player has lost to, or drawn with, another, (n, n)."""
    won, drawn, lost = np.moveaxis(table, -1, 0) > 0
    return (lost | drawn) | (won | drawn).T


def _reached(steps: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether steps lead from one player to another, (n, n); from each to himself (Warshall)."""
    reached = steps | np.eye(len(steps), dtype=bool)
    for via in range(len(steps)):
        reached |= reached[:, [via]] & reached[via]
    return reached


def _check_connected(met: NDArray[np.bool_], names: list[str]) -> None:
    others = [name for name, reached in zip(names, _reached(met)[0], strict=True) if not reached]
    if others:
        together = [name for name in names if name not in others]
        raise ConfigError(
            f"{', '.join(together)} and {', '.join(others)} have not met, not even by way of "
            "others: expected results that connect all players"
        )

"""Shots shared out among candidates: sequential halving (Karnin, Koren and Somekh, 2013).

Every round plays the candidates that are left equally often, with the same errors of the hand
for all, and keeps the best of them. Errors in common make differences between candidates
smaller in variance than the values themselves.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carrom.errors import ConfigError

Sample = Callable[[NDArray[np.intp], int], NDArray[np.float64]]
"""Values (k, r) of the candidates with these indices (k,), r rollouts of each, new ones."""


@dataclass(frozen=True)
class Round:
    """A round of the search.

    Attributes:
        candidates: how many are left, those with the best means so far.
        rollouts: of each, in this round.
    """

    candidates: int
    rollouts: int

    @property
    def shots(self) -> int:
        """How many strokes it takes."""
        return self.candidates * self.rollouts


def check_plan(plan: Sequence[Round]) -> None:
    """Refuse what is no plan.

    Raises:
        ConfigError: no rounds, a number below 1, or a round with more candidates than the one
            before it.
    """
    numbers = [(each.candidates, each.rollouts) for each in plan]
    widening = any(after > before for (before, _), (after, _) in itertools.pairwise(numbers))
    if not numbers or min(min(pair) for pair in numbers) < 1 or widening:
        raise ConfigError(
            f"plan = {numbers}: expected rounds of (candidates, rollouts), at least one of each, "
            "never more candidates than before"
        )


@dataclass(frozen=True, eq=False)
class Ranking:
    """What the search has found.

    Attributes:
        best: index of the candidate with the greatest mean among those of the last round.
        mean: (n,), of each candidate's rollouts; -inf for those that were never played.
        rollouts: (n,), how many those were.
        standard_error: (n,), of each mean, as if its rollouts were independent; inf for those
            played less than twice. Rollouts whose errors are spread evenly are less apart than
            independent ones, so that it is rather too large.
    """

    best: int
    mean: NDArray[np.float64]
    rollouts: NDArray[np.int64]
    standard_error: NDArray[np.float64]


def halve(
    sample: Sample, candidates: int, plan: Sequence[Round], *, time_limit_s: float | None = None
) -> Ranking:
    """Find the best of some candidates.

    Args:
        sample: plays them.
        candidates: how many there are; rounds for more than that play all of them.
        plan: the rounds.
        time_limit_s: after so much time no further round is begun; what is left after the
            plan goes into more of its last round. None for the plan as it is, which is
            repeatable.
    """
    begun = time.monotonic()
    total, rollouts = np.zeros(candidates), np.zeros(candidates, np.int64)
    squares = np.zeros(candidates)
    alive = np.arange(candidates)

    def play(each: Round) -> NDArray[np.intp]:
        # The sort is stable: among equals the first one stays.
        left = alive[np.argsort(-_means(total, rollouts)[alive], kind="stable")][: each.candidates]
        left = np.sort(left)
        drawn = sample(left, each.rollouts)
        total[left] += drawn.sum(axis=1)
        squares[left] += (drawn**2).sum(axis=1)
        rollouts[left] += each.rollouts
        return left

    def time_is_up() -> bool:
        return time_limit_s is not None and time.monotonic() - begun >= time_limit_s

    for number, each in enumerate(plan):
        if number and time_is_up():
            break
        alive = play(each)
    while time_limit_s is not None and not time_is_up():
        alive = play(plan[-1])
    mean = np.where(rollouts > 0, _means(total, rollouts), -np.inf)
    best = int(alive[np.argmax(mean[alive])])
    return Ranking(best, mean, rollouts, _standard_errors(total, squares, rollouts))


def _means(total: NDArray[np.float64], rollouts: NDArray[np.int64]) -> NDArray[np.float64]:
    return total / np.maximum(rollouts, 1)


def _standard_errors(
    total: NDArray[np.float64], squares: NDArray[np.float64], rollouts: NDArray[np.int64]
) -> NDArray[np.float64]:
    spread = np.maximum(squares - total * _means(total, rollouts), 0.0)
    within = np.sqrt(spread / np.maximum(rollouts - 1, 1) / np.maximum(rollouts, 1))
    return np.where(rollouts > 1, within, np.inf)

"""The plan of a turn, against the expectation over every order in which it can be played."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrom_agents.run_plan import cover_value, run_value, run_with_queen

CHANCES = st.lists(st.floats(0.05, 1.0), min_size=0, max_size=4)
QUEEN = -1


def _played(order: tuple[int, ...], chances: list[float], queen: float, worth: float) -> float:
    """Expected worth of a turn that goes for these in this order, by laws 15, 48, 96 and 107."""
    alive, total, waiting, taken = 1.0, 0.0, False, False
    left = len(chances)
    for target in order:
        if target == QUEEN:
            alive *= queen
            waiting = taken = True
            continue
        if left == 1 and QUEEN in order and not taken:
            return -np.inf  # the board would be lost
        alive *= chances[target]
        total += alive * (1.0 + worth * waiting)
        waiting, left = False, left - 1
    return total if not waiting else -np.inf


@given(CHANCES)
@settings(max_examples=50, deadline=None)
def test_the_surest_first_is_the_best_order(chances: list[float]) -> None:
    orders = permutations(range(len(chances)))
    best = max(_played(order, chances, 0.0, 0.0) for order in orders)
    assert run_value(np.array(chances)) == pytest.approx(best, abs=1e-12)


@given(CHANCES.filter(bool), st.floats(0.0, 1.0), st.floats(0.0, 4.0))
@settings(max_examples=50, deadline=None)
def test_the_queen_comes_when_it_is_best(chances: list[float], queen: float, worth: float) -> None:
    """Never taken, or taken anywhere: with her left alone the last own carromman is spared."""
    with_her = [
        _played(order, chances, queen, worth)
        for order in permutations([*range(len(chances)), QUEEN])
    ]
    without = [
        _played(order, chances, 0.0, 0.0)
        for order in permutations(range(len(chances)), len(chances) - 1)
    ]
    best = max(*with_her, *without)
    assert run_with_queen(np.array(chances), queen, worth) <= best + 1e-12
    # She is placed in the order of the surest first, which is best but for ties of her cover.
    assert run_with_queen(np.array(chances), queen, worth) >= 0.9 * best - 1e-12


@given(CHANCES, st.floats(0.0, 4.0))
@settings(max_examples=50, deadline=None)
def test_the_surest_covers_the_queen(chances: list[float], worth: float) -> None:
    best = max(
        (
            _played((QUEEN, *order), chances, 1.0, worth)
            for order in permutations(range(len(chances)))
        ),
        default=0.0,
    )
    assert cover_value(np.array(chances), worth) == pytest.approx(max(best, 0.0), abs=1e-12)


def test_a_doubtful_queen_waits_and_a_sure_one_need_not() -> None:
    sure, doubtful = np.array([1.0, 1.0, 1.0]), 0.3
    later = run_with_queen(sure, doubtful, 2.5)
    assert later == pytest.approx(2.0 + 0.3 * (1.0 + 2.5))
    assert later > doubtful * cover_value(sure, 2.5)

"""The player random_coin: where it aims."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from carrom.board import Board
from carrom.midgame import random_layout
from carrom.pieces import QUEEN
from carrom.view import View
from carrom_agents.simple import random_coin

BOARD = Board()


def _missed_by(view: View, strike, index: int) -> float:
    """Distance of a carromman's centre from the line of the strike, m."""
    x, y = view.positions[index] - (strike.place, BOARD.base_line_y)
    return abs(x * math.cos(strike.direction) + y * math.sin(strike.direction))


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(0, 9), st.booleans())
@settings(max_examples=60, deadline=None)
def test_it_strikes_at_the_centre_of_a_carromman(
    seed: int, own: int, opponent: int, allowed: bool
) -> None:
    rng = np.random.default_rng(seed)
    layout = random_layout(BOARD, rng, white=own, black=opponent, queen=True)
    view = View(BOARD, layout.positions, layout.on_board, queen_allowed=allowed)
    strike = random_coin(view, np.random.default_rng(seed))
    candidates = [*range(own), *([QUEEN] if allowed else [])]
    ahead = [i for i in candidates if _missed_by(view, strike, i) < 1e-9]
    assert ahead
    x, y = view.positions[ahead[0]] - (strike.place, BOARD.base_line_y)
    assert -x * math.sin(strike.direction) + y * math.cos(strike.direction) > 0


def test_every_carromman_gets_its_turn() -> None:
    rng = np.random.default_rng(0)
    layout = random_layout(BOARD, rng, white=3, black=3, queen=True)
    view = View(BOARD, layout.positions, layout.on_board, queen_allowed=True)
    hit = np.zeros(19, int)
    for _ in range(400):
        strike = random_coin(view, rng)
        hit[np.argmin([_missed_by(view, strike, i) for i in range(19)])] += 1
    assert np.all(hit[[0, 1, 2, QUEEN]] > 60)

"""What holds of every scripted player."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrom.action import MIN_SPEED
from carrom.baseline import is_free
from carrom.board import Board
from carrom.midgame import random_layout
from carrom.opponents import find_opponent
from carrom.physics.material import Material
from carrom.view import View
from carrom_agents.banker import banker
from carrom_agents.planner import planner
from carrom_agents.scripted import aimer
from carrom_agents.simple import random_coin

PLAYERS = {"aimer": aimer, "banker": banker, "planner": planner, "random_coin": random_coin}
BOARD = Board()


@pytest.mark.parametrize("name", PLAYERS)
def test_it_is_found_by_name_and_pickles(name: str) -> None:
    player = find_opponent(name)
    assert player is PLAYERS[name]
    assert pickle.loads(pickle.dumps(player)) == player


@pytest.mark.parametrize("name", sorted(PLAYERS.keys() - {"planner"}))
@given(
    seed=st.integers(0, 2**32 - 1),
    own=st.integers(1, 9),
    opponent=st.integers(0, 9),
    allowed=st.booleans(),
)
@settings(max_examples=50, deadline=None)
def test_its_strikes_are_legal_and_repeatable(
    name: str, seed: int, own: int, opponent: int, allowed: bool
) -> None:
    """The planner, which compiles, is asked in its own tests."""
    rng = np.random.default_rng(seed)
    layout = random_layout(BOARD, rng, white=own, black=opponent, queen=True)
    view = View(BOARD, layout.positions, layout.on_board, queen_allowed=allowed)
    strike = PLAYERS[name](view, np.random.default_rng(seed))
    assert is_free(view.free_places, strike.place)
    assert MIN_SPEED <= strike.speed <= Material().full_speed
    assert math.isfinite(strike.direction)
    assert strike == PLAYERS[name](view, np.random.default_rng(seed))

"""Players by name, and the player that strikes at random."""

from __future__ import annotations

import numpy as np
import pytest

from carrom.baseline import is_free
from carrom.board import Board
from carrom.errors import ConfigError
from carrom.midgame import random_layout
from carrom.opponents import find_opponent, opponent_names, random_player
from carrom.view import View


def test_names_include_the_players_of_other_packages() -> None:
    assert {"random", "aimer"} <= set(opponent_names())
    assert all(callable(find_opponent(name)) for name in opponent_names())


def test_a_callable_is_its_own_player() -> None:
    assert find_opponent(random_player) is random_player


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"opponent = 'nobody'.*'aimer'.*'random'"):
        find_opponent("nobody")


def test_random_strikes_are_legal_and_fill_their_ranges() -> None:
    board, rng = Board(), np.random.default_rng(0)
    layout = random_layout(board, rng, white=9, black=9, queen=True)
    view = View(board, layout.positions, layout.on_board)
    strikes = [random_player(view, rng) for _ in range(3000)]
    assert all(is_free(view.free_places, strike.place) for strike in strikes)
    directions = np.array([strike.direction for strike in strikes])
    speeds = np.array([strike.speed for strike in strikes])
    assert np.histogram(directions, 8, (-np.pi, np.pi))[0].min() > 300
    assert np.histogram(speeds, 5, (0.25, 5.0))[0].min() > 500

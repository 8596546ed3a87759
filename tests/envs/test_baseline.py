"""Where the striker may stand, against a brute-force reading of laws 130 and 134."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrom.baseline import free_places, is_free, legal_places, nearest_place
from carrom.board import Board

EMPTY = np.zeros((19, 2)), np.zeros(19, bool)


def _proper(board: Board, x: float) -> bool:
    """Law 130 tested directly on a striker at (x, base_line_y)."""
    radius, circle = board.striker_radius, board.base_circle_radius
    y = board.base_line_y
    for side in (-1, 1):
        distance = abs(x - side * board.base_circle_x)
        if radius - circle < distance < radius + circle:
            return False  # 130.b: the circle is covered partly
        if distance >= radius + circle and side * x > board.base_circle_x:
            return False  # beyond the circle: off the lines
    arrow = min(abs(x - y), abs(x + y)) / math.sqrt(2)
    return arrow >= radius + board.arrow_thickness / 2


@pytest.mark.law("130.a")
@pytest.mark.law("130.b")
def test_the_legal_places_are_those_of_the_specification() -> None:
    (left, middle, right) = legal_places(Board())
    assert middle == pytest.approx((-0.1825, 0.1825), abs=1e-4)
    assert right[0] == pytest.approx(0.2191 - 0.00475)
    assert left == pytest.approx((-right[1], -right[0]))


@pytest.mark.law("130.b")
@given(st.floats(-0.26, 0.26), st.floats(0.0380, 0.0413), st.floats(0.7350, 0.7396))
def test_legal_places_agree_with_the_law(x: float, striker: float, side: float) -> None:
    board = Board(striker_diameter=striker, side=side)
    places = legal_places(board)
    edges = [edge for interval in places for edge in interval]
    if min(abs(x - edge) for edge in edges) > 1e-9:
        assert is_free(places, x) == _proper(board, x)


@pytest.mark.law("134")
@settings(deadline=None)
@given(st.data())
def test_free_places_overlap_no_carromman_and_miss_none(data: st.DataObject) -> None:
    board = Board()
    n = data.draw(st.integers(0, 19))
    near_line = st.tuples(st.floats(-0.3, 0.3), st.floats(-0.32, -0.18))
    positions = np.zeros((19, 2))
    positions[:n] = np.array(data.draw(st.lists(near_line, min_size=n, max_size=n))).reshape(n, 2)
    on_board = np.arange(19) < n
    places = free_places(board, positions, on_board)
    touch = board.striker_radius + board.carromman_radius
    for x in np.linspace(-0.25, 0.25, 401):
        gaps = np.hypot(positions[:n, 0] - x, positions[:n, 1] - board.base_line_y) - touch
        if n and np.min(np.abs(gaps)) < 1e-5:
            continue  # within the clearance either answer is right
        wanted = is_free(legal_places(board), x) and bool(np.all(gaps > 0))
        assert is_free(places, x) == wanted


@pytest.mark.law("142")
def test_a_blocked_line_has_no_place() -> None:
    board = Board()
    positions = np.zeros((19, 2))
    positions[:, 0] = np.linspace(-0.25, 0.25, 19)
    positions[:, 1] = board.base_line_y
    places = free_places(board, positions, np.ones(19, bool))
    assert places == ()
    assert nearest_place(places, 0.0) is None


@given(st.floats(-0.3, 0.3))
def test_nearest_place_is_the_nearest(x: float) -> None:
    places = legal_places(Board())
    nearest = nearest_place(places, x)
    assert nearest is not None
    assert is_free(places, nearest)
    grid = np.concatenate([np.linspace(low, high, 2001) for low, high in places])
    assert abs(nearest - x) <= np.abs(grid - x).min() + 1e-12

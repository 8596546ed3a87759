"""The board against the laws' equipment table, chapter I."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carrom.board import Board, legal_range, to_board, to_seat
from carrom.errors import BoardError

# Read off the laws' table, not off the code: name, smallest, largest (m, kg).
TABLE = [
    ("side", 0.7350, 0.7400),
    ("frame_height", 0.0190, 0.0254),
    ("frame_width", 0.0635, 0.0760),
    ("pocket_diameter", 0.0445 - 0.0015, 0.0445 + 0.0015),
    ("base_line_thickness", 0.0050, 0.0065),
    ("base_line_from_frame", 0.1015, 0.1015),
    ("base_line_spacing", 0.0318, 0.0318),
    ("base_circle_diameter", 0.0318, 0.0318),
    ("base_circle_red_diameter", 0.0254, 0.0254),
    ("arrow_tip_gap", 0.0500, 0.0500),
    ("arrow_arc_diameter", 0.0635, 0.0635),
    ("centre_circle_diameter", 0.0318 - 0.0016, 0.0318 + 0.0016),
    ("outer_circle_diameter", 0.1700 - 0.0030, 0.1700 + 0.0030),
    ("carromman_diameter", 0.0302, 0.0318),
    ("carromman_thickness", 0.0070, 0.0090),
    ("carromman_mass", 0.00525, 0.00550),
]
AT_MOST = [
    ("arrow_thickness", 0.0015),
    ("arrow_length", 0.2670),
    ("striker_diameter", 0.0413),
    ("striker_mass", 0.0150),
]


@pytest.mark.law(
    *("I.A", "I.B", "I.C", "I.E", "I.F", "I.G", "I.J", "I.K", "I.L", "I.M", "I.frame height"),
    *("I.base lines", "I.base circles", "I.carrommen", "A3", "A20"),
)
@pytest.mark.parametrize(("name", "low", "high"), TABLE)
def test_tolerances_are_those_of_the_law(name: str, low: float, high: float) -> None:
    assert legal_range(name) == pytest.approx((low, high), abs=1e-12)
    for value in (low - 1e-5, high + 1e-5, math.nan):
        with pytest.raises(BoardError, match=rf"{name} = .*equipment.*allows"):
            Board(**{name: value})


@pytest.mark.law("I.arrows", "I.I", "I.striker", "A20")
@pytest.mark.parametrize(("name", "high"), AT_MOST)
def test_upper_limits_are_those_of_the_law(name: str, high: float) -> None:
    assert legal_range(name)[1] == pytest.approx(high, abs=1e-12)
    Board(**{name: high})
    with pytest.raises(BoardError, match=name):
        Board(**{name: high + 1e-5})


@pytest.mark.law("3")
def test_every_dimension_is_in_the_table() -> None:
    listed = {name for name, *_ in TABLE + AT_MOST}
    assert listed == {field.name for field in dataclasses.fields(Board)}


@pytest.mark.law("I.D", "I.N", "I.arrows", "A26", "A27", "U15")
def test_derived_geometry_of_the_default_board() -> None:
    board = Board()
    # Equipment, "consequences": h = 0.3683.
    assert board.base_circle_x == pytest.approx(0.3683 - 0.1492)
    assert board.base_line_y == pytest.approx(-(0.3683 - 0.1174))
    assert board.base_line_length == pytest.approx(0.4700)
    assert board.pocket_offset == pytest.approx(0.3683 - 0.02225)
    assert board.placing_radii == pytest.approx((0.0318, 0.0691))
    # A base circle is 0.0225 from the arrow, so the striker on it clears the arrow.
    distance = (-board.base_line_y - board.base_circle_x) / math.sqrt(2)
    assert distance == pytest.approx(0.0225, abs=1e-4)
    # So two circles on either side of an arrow leave the gap that it passes through.
    assert 2 * (distance - board.base_circle_radius) == pytest.approx(0.0132, abs=1e-4)


@pytest.mark.law("I.D")
def test_a_side_whose_base_lines_miss_their_length_is_refused() -> None:
    Board(side=0.7396)
    with pytest.raises(BoardError, match="base_line_length"):
        Board(side=0.7400)


def test_turning_is_exact_and_right_neighbour_is_next_seat() -> None:
    board = Board()
    in_front_of_me = np.array([0.1, board.base_line_y])
    # My right-hand neighbour sits at positive x; his right is my far side.
    assert to_board(in_front_of_me, 1).tolist() == [-board.base_line_y, 0.1]
    assert to_board(in_front_of_me, 2).tolist() == [-0.1, -board.base_line_y]


@given(st.lists(st.tuples(*[st.floats(-0.4, 0.4)] * 2), min_size=1, max_size=5), st.integers(0, 3))
def test_to_seat_undoes_to_board(points: list[tuple[float, float]], seat: int) -> None:
    array = np.array(points)
    assert np.array_equal(to_seat(to_board(array, seat), seat), array)


@pytest.mark.parametrize("seat", range(4))
def test_pockets_turn_with_the_seat(seat: int) -> None:
    centres = Board().pocket_centres
    turned = to_board(centres, seat)
    assert np.array_equal(turned, np.roll(centres, -seat, axis=0))

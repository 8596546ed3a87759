"""Where the striker may stand, against a brute-force reading of laws 130 and 134."""

import functools
import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from carrom.baseline import (
    CLEARANCE,
    free_line,
    free_places,
    is_free,
    legal_places,
    line_band,
    nearest_place,
    striker_faults,
)
from carrom.board import Board

BOARD = Board()
BAND = line_band(BOARD)
REACH = BOARD.striker_radius + BOARD.carromman_radius
NOBODY = np.zeros((19, 2)), np.zeros(19, bool)

boards = st.builds(
    Board,
    striker_diameter=st.floats(0.0320, 0.0413),
    side=st.floats(0.7350, 0.7396),
    base_line_thickness=st.floats(0.0050, 0.0065),
    arrow_thickness=st.floats(0.0005, 0.0015),
    arrow_length=st.sampled_from([0.2670, 0.1, 0.09, 0.08, 0.0500]),
)


def men(*places: tuple[float, float]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Carrommen at (x, forward of the middle between the base lines)."""
    positions = np.zeros((19, 2))
    positions[: len(places)] = np.reshape(places, (-1, 2)) + np.array([0, BOARD.base_line_y])
    return positions, np.arange(19) < len(places)


def as_drawn(board: Board, place: float, forward: float) -> dict[str, tuple[float, bool]]:
    """Law 130 on points drawn along the lines, circles and arrows of the board.

    Returns, for each law, by how much it is kept or broken (m), and whether it is broken.
    """
    striker, radius = np.array([place, board.base_line_y + forward]), board.striker_radius
    lower = -(board.half_side - board.base_line_from_frame)
    upper = -(board.half_side - board.base_line_from_frame - board.base_line_spacing)
    end, step = board.base_circle_x, 5e-5

    def nearest(points: NDArray[np.float64]) -> float:
        return float(np.hypot(*(points - striker).T).min())

    along = np.linspace(-end, end, round(2 * end / step))
    line = functools.partial(np.full_like, along)
    edges = [lower, lower + board.base_line_thickness]
    if edges[0] <= striker[1] <= edges[1]:
        edges.append(striker[1])
    to_lower = min(nearest(np.stack([along, line(y)], -1)) for y in edges)
    to_upper = nearest(np.stack([along, line(upper)], -1))
    off_lines = max(to_lower, to_upper) - radius
    turn = np.linspace(0, 2 * math.pi, 2000)
    rim = board.base_circle_radius * np.stack([np.cos(turn), np.sin(turn)], -1)
    least, partly = math.inf, False
    for side in (-1, 1):
        circle = rim + np.array([side * end, (lower + upper) / 2])
        inside = radius - np.hypot(*(circle - striker).T)
        partly |= bool(inside.max() > 0 > inside.min())
        least = min(least, abs(inside.max()), abs(inside.min()))
    tip = math.sqrt(2) * board.pocket_offset - board.pocket_radius - board.arrow_tip_gap
    on = np.linspace(tip - board.arrow_length, tip, round(board.arrow_length / step))
    to_arrow = min(nearest(np.stack([s * on, -on], -1) / math.sqrt(2)) for s in (-1, 1))
    on_arrow = radius + board.arrow_thickness / 2 - to_arrow
    return {
        "130.a": (abs(off_lines), off_lines > 0),
        "130.b": (min(least, abs(on_arrow)), partly or on_arrow > 0),
    }


@pytest.mark.law("130.a")
def test_the_band_is_that_of_the_specification() -> None:
    middle_from_frame = BOARD.half_side + BOARD.base_line_y
    from_frame = [middle_from_frame + forward for forward in BAND]
    assert from_frame == pytest.approx([0.1127, 0.1272], abs=6e-5)


@pytest.mark.law("130.a")
@pytest.mark.law("130.b")
def test_the_legal_places_are_those_of_the_specification() -> None:
    (left, middle, right) = legal_places(BOARD)
    assert middle == pytest.approx((-0.1825, 0.1825), abs=1e-4)
    assert right[0] == pytest.approx(0.2191 - 0.00475)
    # A disc at (x, base line) is this far from the arrow's middle: 0.0214 is kept.
    assert (-BOARD.base_line_y - right[1]) / math.sqrt(2) == pytest.approx(0.0214)
    assert left == (-right[1], -right[0])


@pytest.mark.law("130.a")
@pytest.mark.law("130.b")
@settings(deadline=None)
@given(boards, st.floats(-0.27, 0.27), st.floats(-0.02, 0.02))
@example(BOARD, 0.2191, 0.0)
@example(BOARD, 0.2191, -0.004)
@example(BOARD, 0.2330, 0.0)
@example(BOARD, 0.26, 0.0)
def test_faults_agree_with_a_drawing_of_the_board(
    board: Board, place: float, forward: float
) -> None:
    drawn = as_drawn(board, place, forward)
    assume(min(margin for margin, _ in drawn.values()) > 1e-6)
    wanted = tuple(law for law, (_, broken) in drawn.items() if broken)
    assert striker_faults(board, place, forward) == wanted


@pytest.mark.law("130.b")
@given(boards, st.floats(-0.27, 0.27))
def test_faults_agree_with_the_places_of_the_middle_line(board: Board, x: float) -> None:
    edges = [edge for interval in legal_places(board) for edge in interval]
    for place in (x, *edges):
        if place in edges or min(abs(place - edge) for edge in edges) > 2e-9:
            assert is_free(legal_places(board), place) == (not striker_faults(board, place))


@pytest.mark.law("130.a")
@pytest.mark.law("130.b")
@given(boards, st.floats(-0.27, 0.27), st.floats(-0.006, 0.012))
def test_faults_agree_with_the_places_of_any_line(
    board: Board, place: float, forward: float
) -> None:
    places = free_places(board, *NOBODY, forward)
    edges = [edge for interval in places for edge in interval]
    assume(min((abs(place - edge) for edge in edges), default=1.0) > 1e-7)
    assume(min(abs(forward - edge) for edge in line_band(board)) > 1e-8)
    assert is_free(places, place) == (not striker_faults(board, place, forward))
    assert not any(striker_faults(board, edge, forward) for edge in edges)


@pytest.mark.law("130.a")
@pytest.mark.parametrize(("forward", "wanted"), [(0.0, ()), (-0.0048, ("130.a",))])
def test_outside_the_band_the_striker_misses_a_line(
    forward: float, wanted: tuple[str, ...]
) -> None:
    assert striker_faults(BOARD, 0.1, forward) == wanted
    assert bool(free_places(BOARD, *NOBODY, forward)) == (wanted == ())
    for edge in BAND:
        assert striker_faults(BOARD, 0.1, edge) == ()
        assert free_places(BOARD, *NOBODY, edge)


@pytest.mark.law("134")
@settings(deadline=None)
@given(st.data(), st.just(0.0) | st.floats(*BAND))
def test_free_places_overlap_no_carromman_and_miss_none(
    data: st.DataObject, forward: float
) -> None:
    near_line = st.tuples(st.floats(-0.3, 0.3), st.floats(-0.07, 0.07))
    crowd = data.draw(st.lists(near_line, max_size=19))
    places = free_places(BOARD, *men(*crowd), forward)
    for x in np.linspace(-0.25, 0.25, 401):
        gaps = [math.hypot(a - x, b - forward) - REACH for a, b in crowd]
        if min((abs(gap) for gap in gaps), default=1.0) < 1e-5:
            continue  # within the clearance either answer is right
        wanted = is_free(free_places(BOARD, *NOBODY, forward), x) and min(gaps, default=1.0) > 0
        assert is_free(places, x) == wanted


@functools.cache
def legal_grid() -> NDArray[np.float64]:
    """Every proper (x, forward) on a grid a quarter of a millimetre wide."""
    xs, forwards = np.arange(-0.2250, 0.2251, 0.00025), np.arange(*BAND, 0.00025)
    return np.array([p for p in itertools.product(xs, forwards) if not striker_faults(BOARD, *p)])


def grid_is_blocked(positions: NDArray[np.float64], on_board: NDArray[np.bool_]) -> bool:
    crowd = positions[on_board] - [0, BOARD.base_line_y]
    gaps = np.hypot(*(legal_grid()[:, None] - crowd).T) - REACH
    return not np.any(np.all(gaps > 2 * CLEARANCE, axis=0))


def check_line(positions: NDArray[np.float64], on_board: NDArray[np.bool_]) -> float | None:
    """``free_line``, after making sure that it is right as far as the grid can tell."""
    forward = free_line(BOARD, positions, on_board)
    assert (forward == 0.0) == bool(free_places(BOARD, positions, on_board))
    if forward is None:
        assert grid_is_blocked(positions, on_board)
        return None
    places = free_places(BOARD, positions, on_board, forward)
    assert places
    for x in itertools.chain(*places):
        assert striker_faults(BOARD, x, forward) == ()
        spot = np.array([x, BOARD.base_line_y + forward])
        gaps = np.hypot(*(positions[on_board] - spot).T) - REACH
        assert gaps.min(initial=1.0) > CLEARANCE / 2
    return forward


@pytest.mark.law("142")
def test_a_row_on_the_middle_leaves_room_before_it() -> None:
    spacing = 0.0724
    crowd = men(*((spacing * k, 0.0) for k in range(-3, 4)))
    assert free_places(BOARD, *crowd) == ()
    forward = check_line(*crowd)
    assert forward is not None
    # From this height on there is room between neighbours; behind, the band ends sooner.
    height = math.sqrt(REACH**2 - (spacing / 2) ** 2)
    assert -BAND[0] < height < forward <= BAND[1]


@pytest.mark.law("142")
def test_a_row_that_fills_the_band_leaves_no_place() -> None:
    row = [(0.0700 * k, 0.0025) for k in range(-3, 4)]
    assert check_line(*men(*row)) is None
    for missing in range(len(row)):
        assert check_line(*men(*row[:missing], *row[missing + 1 :])) is not None


@pytest.mark.law("142")
@pytest.mark.parametrize("forward", [-0.004, -0.001, 0.003, 0.009])
@pytest.mark.parametrize("turn", [0.0, 0.3, 0.9])
@pytest.mark.parametrize(("room", "found"), [(1e-7, True), (1e-5, True), (-1e-7, False)])
def test_a_hole_between_three_carrommen_is_found_however_small(
    forward: float, turn: float, room: float, found: bool
) -> None:
    reach = REACH + CLEARANCE + room
    angles = turn + np.arange(3) * 2 * math.pi / 3
    hole = [(reach * math.cos(a), forward + reach * math.sin(a)) for a in angles]
    left = [(x, 0.0025) for x in (-0.2300, -0.1900, -0.1300, -0.0900, -0.0600)]
    crowd = men(*hole, *left, *((-x, y) for x, y in left))
    line = check_line(*crowd)
    assert (line is not None) == found
    if line is not None:
        assert line == pytest.approx(forward, abs=3 * room)
        (low, high), *others = free_places(BOARD, *crowd, line)
        assert not others
        assert low <= high
        assert abs(low) < 3 * room


@pytest.mark.law("142")
@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(6, 9))
def test_a_free_line_is_found_whenever_there_is_one(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    xs = np.linspace(-0.22, 0.22, count) + rng.normal(0, 0.002, count)
    crowd = list(zip(xs, rng.uniform(-0.015, 0.02, count), strict=True))
    check_line(*men(*crowd))


@pytest.mark.law("142")
def test_a_blocked_line_has_no_place() -> None:
    crowd = men(*((x, 0.0) for x in np.linspace(-0.25, 0.25, 19)))
    places = free_places(BOARD, *crowd)
    assert places == ()
    assert free_line(BOARD, *crowd) is None
    assert nearest_place(places, 0.0) is None


@given(st.floats(-0.3, 0.3))
def test_nearest_place_is_the_nearest(x: float) -> None:
    places = legal_places(BOARD)
    nearest = nearest_place(places, x)
    assert nearest is not None
    assert is_free(places, nearest)
    grid = np.concatenate([np.linspace(low, high, 2001) for low, high in places])
    assert abs(nearest - x) <= np.abs(grid - x).min() + 1e-12

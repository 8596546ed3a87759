"""Dues: which places are legal, and the nearest of them, against plain calculations on a grid."""

from __future__ import annotations

import functools
import itertools
import math

import hypothesis
import hypothesis.strategies as st
import jax
import numpy as np
import pytest
from numpy.typing import NDArray

from carrom.board import Board
from carrom.errors import ActionError, ConfigError
from carrom.laws import (
    due_faults,
    due_faults_jit,
    legal_due_place,
    legal_due_places_jit,
    nearest_due_place,
    nearest_due_place_jit,
    place_due,
    place_due_jit,
)
from carrom.layout import Layout
from carrom.pieces import N_CARROMMEN, QUEEN
from carrom.rack import Packing, rack

BOARD = Board()
INNER, OUTER = BOARD.placing_radii
SIZES = [BOARD, Board(carromman_diameter=0.0302)]
NOBODY = Layout(np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool))
QUEEN_ALONE = NOBODY.with_piece(QUEEN, (0.0, 0.0))

seeds = st.integers(0, 2**32 - 1)
sizes = pytest.mark.parametrize("board", SIZES, ids=["31.8 mm", "30.2 mm"])


def lined_up(points: np.ndarray, queen: np.ndarray) -> NDArray[np.bool_]:
    """Whether a carromman at each point is lined up with the queen on a pocket (17, 114)."""
    found = np.zeros(len(points), bool)
    for pocket in BOARD.pocket_centres:
        for near, far in ((points, np.broadcast_to(queen, points.shape)), (queen, points)):
            ahead = far - near
            ahead = ahead / np.linalg.norm(ahead, axis=-1, keepdims=True)
            along = np.sum((pocket - far) * ahead, axis=-1)
            off = np.linalg.norm(pocket - far - along[:, None] * ahead, axis=-1)
            found |= (along > 0) & (off < BOARD.pocket_radius)
    return found


@functools.cache
def ring_grid(board: Board) -> NDArray[np.float64]:
    """Points three quarters of a millimetre apart in the ring of dues, off its rims."""
    inner, outer = board.placing_radii
    axis = np.arange(-outer, outer, 0.00075)
    points = np.array(list(itertools.product(axis, axis)))
    distance = np.linalg.norm(points, axis=1)
    return points[(distance >= inner + 2e-6) & (distance <= outer - 2e-6)]


def legal_on_grid(layout: Layout, board: Board, clear) -> NDArray[np.float64]:
    """Points of the grid at which a due may lie, by the plain calculation."""
    points = ring_grid(board)
    points = points[clear(points, layout.positions[layout.on_board], board, gap=3e-6)]
    if layout.queen_on_board and len(points):
        points = points[~lined_up(points, layout.positions[QUEEN])]
    return points


def check_legal(place: tuple[float, float], layout: Layout, board: Board, clear) -> None:
    point = np.array(place)
    inner, outer = board.placing_radii
    assert inner - 1e-7 <= np.linalg.norm(point) <= outer + 1e-7
    others = layout.positions[layout.on_board]
    assert clear(point[None], others, board, gap=-1e-7)[0]
    if layout.queen_on_board:
        # Half a micrometre nearer to the queen's line at the most: a pocket is far away.
        assert not lined_up(point[None], layout.positions[QUEEN])[0]
    assert due_faults_jit(layout, place, board=board) == ()


@pytest.mark.law("84.a", "84.b", "86", "89.b", "114")
@sizes
@hypothesis.settings(max_examples=120, deadline=None)
@hypothesis.given(
    seed=seeds,
    queen=st.booleans(),
    wished=st.tuples(st.floats(-0.12, 0.12), st.floats(-0.12, 0.12)),
    debtors=st.sampled_from([(0,), (3,), (0, 2), (1, 3)]),
)
def test_a_due_is_corrected_to_the_nearest_legal_place(
    seed: int, queen: bool, wished: tuple[float, float], debtors, board: Board, crowd, clear
):
    layout = crowd(seed, board=board, queen=queen)
    place = nearest_due_place_jit(layout, wished, board=board)
    placed = place_due_jit(layout, debtors, board=board)
    legal = legal_on_grid(layout, board, clear)
    if place is None:
        assert placed is None  # 79.a: both wait
        assert not len(legal)
        return
    assert placed is not None
    for each in (place, placed):
        check_legal(each, layout, board, clear)
        layout.with_piece(int(np.argmin(layout.on_board)), each).check(board)
    distance = np.linalg.norm(np.array(place) - wished)
    assert distance <= np.linalg.norm(legal - wished, axis=1).min(initial=1.0) + 3e-6
    if not due_faults_jit(layout, wished, board=board):
        assert place == wished


@pytest.mark.law("79.a")
@sizes
@pytest.mark.parametrize("count", range(1, 19))
def test_dues_find_room_in_any_crowd_or_wait(count: int, board: Board, crowd, clear):
    for seed in range(3):
        layout = crowd(7000 + 100 * count + seed, board=board, count=count, queen=seed > 0)
        place = nearest_due_place_jit(layout, (0.01, -0.02), board=board)
        placed = place_due_jit(layout, (seed, (seed + 2) % 4), board=board)
        legal = legal_on_grid(layout, board, clear)
        assert (place is None) == (placed is None)
        if place is None or placed is None:
            assert not len(legal)
            continue
        check_legal(place, layout, board, clear)
        check_legal(placed, layout, board, clear)
        nearest = np.linalg.norm(legal - [0.01, -0.02], axis=1).min(initial=1.0)
        assert np.linalg.norm(np.array(place) - [0.01, -0.02]) <= nearest + 3e-6


@pytest.mark.law("79.a")
@sizes
def test_around_an_undisturbed_rack_there_is_no_room_for_a_due(board: Board):
    positions = rack(board, np.random.default_rng(1))
    whole = Layout(positions, np.ones(N_CARROMMEN, bool))
    assert place_due_jit(whole, (0,), board=board) is None
    assert nearest_due_place_jit(whole, (0.05, 0.0), board=board) is None
    assert not legal_due_places_jit(whole, ring_grid(board), board=board).any()


@pytest.mark.law("79.a", "114")
@pytest.mark.parametrize("queen", [True, False])
@pytest.mark.parametrize("hole", [4, 7, 13, 17])
def test_where_a_man_is_missing_from_a_rack_there_is_room(hole: int, queen: bool):
    positions = rack(BOARD, np.random.default_rng(0), packing=Packing(gap=3e-6, jitter=0.0))
    indices = np.arange(N_CARROMMEN)
    layout = Layout(positions, (indices != hole) & (queen | (indices != QUEEN)))
    assert place_due_jit(layout, (0,), board=BOARD) is not None
    place = nearest_due_place_jit(layout, (0.0, 0.0), board=BOARD)
    assert place is not None
    # Where the queen is missing there is no room: that is the centre circle (89.b).
    np.testing.assert_allclose(place, positions[hole], atol=2e-5)


@pytest.mark.law("86")
@pytest.mark.parametrize(("room", "fits"), [(3e-7, True), (1e-5, True), (-5e-7, False)])
@pytest.mark.parametrize("turn", [0.0, 0.5, 1.0])
def test_a_hole_between_three_men_is_found_however_tight(room: float, fits: bool, turn: float):
    hole = 0.05 * np.array([math.cos(turn), math.sin(turn)])
    layout = NOBODY
    for index in range(3):
        angle = turn + 0.4 + index * 2 * math.pi / 3
        beside = np.array([math.cos(angle), math.sin(angle)])
        spot = hole + (BOARD.carromman_diameter + 1e-6 + room) * beside
        layout = layout.with_piece(index, tuple(spot))
    wish = (hole[0] + 2e-3, hole[1] - 1e-3)
    place = nearest_due_place_jit(layout, wish, board=BOARD)
    assert place is not None
    assert (np.linalg.norm(place - hole) < 1e-4) == fits


@pytest.mark.law("86")
def test_without_others_the_nearest_place_is_the_foot_on_the_rim():
    for angle, (wish, radius) in itertools.product(
        np.linspace(0, 6, 13), [(0.001, INNER), (0.3, OUTER), (10.0, OUTER)]
    ):
        ahead = np.array([math.cos(angle), math.sin(angle)])
        place = nearest_due_place_jit(NOBODY, tuple(wish * ahead), board=BOARD)
        assert place is not None
        np.testing.assert_allclose(place, radius * ahead, atol=3e-6)


@pytest.mark.law("86", "89.b")
def test_from_the_middle_of_the_board_or_of_a_man_some_nearest_place_is_found():
    place = nearest_due_place_jit(NOBODY, (0.0, 0.0), board=BOARD)
    assert place is not None
    assert math.hypot(*place) == pytest.approx(INNER, abs=2e-6)
    on_it = NOBODY.with_piece(0, (0.0, 0.05))
    place = nearest_due_place_jit(on_it, (0.0, 0.05), board=BOARD)
    assert place is not None
    assert math.hypot(place[0], place[1] - 0.05) == pytest.approx(0.0318, abs=2e-6)
    assert not due_faults_jit(on_it, place, board=BOARD)


@pytest.mark.law("114")
def test_a_shot_with_the_queen_is_corrected_across_its_line():
    wish = np.array([0.036, 0.036])  # on the diagonal, beside the queen on the centre
    place = np.array(nearest_due_place_jit(QUEEN_ALONE, tuple(wish), board=BOARD))
    # Perpendicular to an edge of the pocket seen from the queen.
    pocket = BOARD.pocket_centres[1]
    half = math.asin(BOARD.pocket_radius / np.linalg.norm(pocket))
    assert np.linalg.norm(place - wish) == pytest.approx(
        np.linalg.norm(wish) * math.sin(half), abs=3e-6
    )
    angle = math.atan2(place[1], place[0])
    assert abs(angle - math.pi / 4) == pytest.approx(half, abs=1e-4)


@pytest.mark.law("85", "86", "89.b", "114")
@hypothesis.settings(max_examples=60, deadline=None)
@hypothesis.given(seed=seeds, queen=st.booleans())
def test_faults_of_a_due_agree_with_a_plain_calculation(seed: int, queen: bool, crowd, clear):
    layout = crowd(seed, board=BOARD, queen=queen)
    points = ring_grid(BOARD)[::61]
    points = np.concatenate([points, points * 2, points * 0.5])
    faults = due_faults(points, layout.positions, layout.on_board, board=BOARD)
    distance = np.linalg.norm(points, axis=1)
    others = layout.positions[layout.on_board]
    sure = np.abs(distance - OUTER) > 1e-6
    np.testing.assert_array_equal(np.asarray(faults.outside)[sure], (distance > OUTER)[sure])
    sure = np.abs(distance - INNER) > 1e-6
    np.testing.assert_array_equal(np.asarray(faults.on_centre)[sure], (distance < INNER)[sure])
    overlapping = np.asarray(faults.overlaps)
    assert not overlapping[clear(points, others, BOARD)].any()
    assert overlapping[~clear(points, others, BOARD, gap=-1e-6)].all()
    inside = distance < 0.2  # farther out nobody places dues
    shots = lined_up(points[inside], layout.positions[QUEEN]) & layout.queen_on_board
    np.testing.assert_array_equal(np.asarray(faults.makes_shot)[inside], shots)
    # Point by point and all together they say the same.
    legal = legal_due_places_jit(layout, points, board=BOARD)
    for k in range(0, len(points), 97):
        assert (due_faults_jit(layout, tuple(points[k]), board=BOARD) == ()) == legal[k]


@pytest.mark.law("89.b")
@pytest.mark.parametrize(
    ("radius", "legal"),
    [(INNER, True), (INNER - 1e-6, False), (OUTER, True), (OUTER + 1e-6, False), (0.05, True)],
)
def test_the_ring_of_dues(radius: float, legal: bool):
    assert legal_due_places_jit(NOBODY, [[0.0, radius]], board=BOARD).tolist() == [legal]


@pytest.mark.law("85", "86", "89.b", "114")
@pytest.mark.parametrize(
    ("point", "laws"),
    [
        ((0.0, 0.05), ()),
        ((0.07, 0.0), ("85",)),
        ((0.03, 0.0), ("89.b", "86")),
        ((0.0, 0.07), ("85", "86")),
        ((0.04, 0.04), ("114",)),
        ((0.055, 0.055), ("85", "114")),
        ((0.01, 0.01), ("89.b", "86", "114")),
    ],
)
def test_faults_are_named_by_law_and_in_order(point: tuple[float, float], laws: tuple[str, ...]):
    layout = QUEEN_ALONE.with_piece(2, (0.0, 0.0849))
    assert due_faults_jit(layout, point, board=BOARD) == laws


@pytest.mark.law("114")
def test_on_a_diagonal_a_due_makes_a_shot_only_with_the_queen_on_the_board():
    assert due_faults_jit(QUEEN_ALONE, (0.04, 0.04), board=BOARD) == ("114",)
    assert due_faults_jit(NOBODY, (0.04, 0.04), board=BOARD) == ()


def test_bad_points_and_seats_are_refused():
    with pytest.raises(ActionError, match=r"wished = \(nan, 0.0\).*a point \(2,\)"):
        nearest_due_place_jit(NOBODY, (math.nan, 0.0), board=BOARD)
    with pytest.raises(ActionError, match=r"points = .*points \(n, 2\)"):
        legal_due_places_jit(NOBODY, [0.0, 0.05], board=BOARD)
    for seats in ((), (4,), (0, -1)):
        with pytest.raises(ConfigError, match="debtor_seats"):
            place_due_jit(NOBODY, seats, board=BOARD)


def test_batches_of_layouts_agree_with_single_ones():
    rng = np.random.default_rng(5)
    positions = rng.uniform(-0.2, 0.2, (4, N_CARROMMEN, 2))
    on_board = rng.random((4, N_CARROMMEN)) < 0.3
    debtors = rng.random((4, 4)) < 0.5
    points = rng.uniform(-0.1, 0.1, (4, 2))
    for function, arguments in (
        (place_due, (positions, on_board, debtors)),
        (nearest_due_place, (points, positions, on_board)),
        (legal_due_place, (points, positions, on_board)),
    ):
        single = jax.jit(functools.partial(function, board=BOARD))
        batch = jax.jit(jax.vmap(single))(*arguments)
        for k in range(4):
            one = single(*(argument[k] for argument in arguments))
            for a, b in zip(jax.tree.leaves(batch), jax.tree.leaves(one), strict=True):
                np.testing.assert_allclose(a[k], b, atol=1e-6)

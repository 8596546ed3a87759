"""Places of queen, jumped carrommen and dues: legal, free, and the best by a fine search."""

from __future__ import annotations

import functools
import itertools
import math

import hypothesis
import hypothesis.strategies as st
import jax
import numpy as np
import pytest

from carrom.board import Board, to_board
from carrom.laws import (
    due_faults,
    legal_due_place,
    nearest_due_place,
    place_centre,
    place_centre_jit,
    place_due,
    place_due_jit,
    place_jumped,
)
from carrom.laws.prospects import leeway, openness
from carrom.layout import Layout
from carrom.pieces import N_CARROMMEN, QUEEN
from carrom.rack import rack

BOARD = Board()
DIAMETER = BOARD.carromman_diameter
INNER, OUTER = BOARD.placing_radii
put_back = jax.jit(functools.partial(place_jumped, board=BOARD))


@st.composite
def crowds(draw: st.DrawFn) -> Layout:
    """Non-overlapping carrommen crowded round the centre, by dropping them one after another."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    spread = draw(st.sampled_from([0.03, 0.07, 0.11, 0.2]))
    wanted = draw(st.integers(0, N_CARROMMEN))
    queen = draw(st.booleans())
    positions, on_board = np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool)
    order = [QUEEN, *range(QUEEN)] if queen else list(range(QUEEN))
    for index in order[:wanted]:
        for point in rng.uniform(-spread, spread, (30, 2)):
            if clear(point[None], positions[on_board])[0]:
                positions[index], on_board[index] = point, True
                break
    return Layout(positions, on_board)


def clear(points: np.ndarray, others: np.ndarray, gap: float = 0.0) -> np.ndarray:
    """Whether a carromman at each point overlaps none of the others, in double precision."""
    if not len(others):
        return np.ones(len(points), bool)
    distance = np.linalg.norm(points[:, None] - others[None], axis=-1)
    return np.all(distance >= DIAMETER + gap, axis=1)


def lined_up(points: np.ndarray, queen: np.ndarray) -> np.ndarray:
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


def ring_grid(margin: float) -> np.ndarray:
    """Points a millimetre apart in the ring of dues, ``margin`` away from its rims."""
    axis = np.arange(-OUTER, OUTER, 0.001)
    points = np.array(list(itertools.product(axis, axis)))
    distance = np.linalg.norm(points, axis=1)
    return points[(distance >= INNER + margin) & (distance <= OUTER - margin)]


GRID = ring_grid(2e-6)


@pytest.mark.law("94")
@hypothesis.settings(max_examples=80, deadline=None)
@hypothesis.given(layout=crowds(), seat=st.integers(0, 3))
def test_the_queen_lies_free_and_nearest_to_the_centre(layout: Layout, seat: int):
    layout = Layout(layout.positions, layout.on_board & (np.arange(N_CARROMMEN) != QUEEN))
    place = np.array(place_centre_jit(layout, seat, board=BOARD))
    others = layout.positions[layout.on_board]
    assert clear(place[None], others)[0]
    found = np.linalg.norm(place)
    # Every point that is clearly nearer is taken, on a polar grid of half a millimetre.
    for radius in np.arange(0, found - 1e-5, 0.0005):
        angles = np.linspace(0, 2 * math.pi, max(8, int(radius / 0.0005)), endpoint=False)
        circle = radius * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        assert not clear(circle, others, gap=3e-6).any()


@pytest.mark.law("93")
def test_an_empty_centre_takes_the_queen_exactly():
    nothing = Layout(np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool))
    assert place_centre_jit(nothing, 0, board=BOARD) == (0.0, 0.0)


@pytest.mark.law("94")
@pytest.mark.parametrize("seat", range(4))
def test_behind_a_man_on_the_centre_she_lies_away_from_the_next_player(seat: int):
    positions, on_board = np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool)
    on_board[3] = True
    place = np.array(place_centre_jit(Layout(positions, on_board), seat, board=BOARD))
    np.testing.assert_allclose(place, to_board(np.array([0, DIAMETER]), seat), atol=2e-6)


@pytest.mark.law("94")
@pytest.mark.parametrize(("seat", "side"), [(0, 1), (2, -1)])
def test_of_two_equal_places_the_queen_takes_the_harder_one(seat: int, side: int):
    positions, on_board = np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool)
    positions[[0, 9]], on_board[[0, 9]] = [[0.02, 0], [-0.02, 0]], True
    place = place_centre_jit(Layout(positions, on_board), seat, board=BOARD)
    # Equally near, in front of or behind the two; behind them the cut is thinner.
    height = math.sqrt(DIAMETER**2 - 0.02**2)
    np.testing.assert_allclose(place, (0, side * height), atol=3e-6)


@pytest.mark.law("114")
@hypothesis.settings(max_examples=120, deadline=None)
@hypothesis.given(layout=crowds(), seat=st.integers(0, 3))
def test_a_due_lies_legally_or_there_is_no_room(layout: Layout, seat: int):
    hypothesis.assume(not layout.on_board[8])
    place = place_due_jit(layout, (seat,), board=BOARD)
    others = layout.positions[layout.on_board]
    if place is None:
        free = clear(GRID, others, gap=3e-6)
        if layout.queen_on_board:
            free &= ~lined_up(GRID, layout.positions[QUEEN])
        assert not free.any()
        return
    point = np.array(place)
    assert INNER - 1e-9 <= np.linalg.norm(point) <= OUTER + 1e-9
    assert clear(point[None], others)[0]
    if layout.queen_on_board:
        assert not lined_up(point[None], layout.positions[QUEEN])[0]
    layout.with_piece(8, place).check(BOARD)


@hypothesis.settings(max_examples=60, deadline=None)
@hypothesis.given(layout=crowds())
def test_faults_of_a_due_agree_with_a_plain_calculation(layout: Layout):
    points = GRID[::37]
    points = np.concatenate([points, points * 2, points * 0.5])
    faults = due_faults(points, layout.positions, layout.on_board, board=BOARD)
    distance = np.linalg.norm(points, axis=1)
    others = layout.positions[layout.on_board]
    sure = np.abs(distance - OUTER) > 1e-6
    np.testing.assert_array_equal(np.asarray(faults.outside)[sure], (distance > OUTER)[sure])
    sure = np.abs(distance - INNER) > 1e-6
    np.testing.assert_array_equal(np.asarray(faults.on_centre)[sure], (distance < INNER)[sure])
    overlapping = np.asarray(faults.overlaps)
    assert not overlapping[clear(points, others)].any()
    assert overlapping[~clear(points, others, gap=-1e-6)].all()
    inside = distance < 0.2  # farther out nobody places dues
    shots = lined_up(points[inside], layout.positions[QUEEN]) & layout.queen_on_board
    np.testing.assert_array_equal(np.asarray(faults.makes_shot)[inside], shots)


@pytest.mark.law("89.b")
@pytest.mark.parametrize(
    ("radius", "legal"),
    [(INNER, True), (INNER - 1e-6, False), (OUTER, True), (OUTER + 1e-6, False), (0.05, True)],
)
def test_the_ring_of_dues(radius: float, legal: bool):
    nobody = np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool)
    point = np.array([0.0, radius])
    assert bool(legal_due_place(point, *nobody, board=BOARD)) == legal


@pytest.mark.law("114")
def test_on_a_diagonal_a_due_makes_a_shot_with_the_queen_on_the_centre():
    on_board = np.arange(N_CARROMMEN) == QUEEN
    positions = np.zeros((N_CARROMMEN, 2))
    diagonal, straight = np.array([0.04, 0.04]), np.array([0.0, 0.05])
    faults = due_faults(np.stack([diagonal, straight]), positions, on_board, board=BOARD)
    assert np.asarray(faults.makes_shot).tolist() == [True, False]
    faults = due_faults(diagonal, positions, on_board & False, board=BOARD)
    assert not bool(faults.makes_shot)


@pytest.mark.law("79.a")
def test_around_an_undisturbed_rack_there_is_no_room_for_a_due():
    positions = rack(BOARD, np.random.default_rng(1))
    whole = Layout(positions, np.ones(N_CARROMMEN, bool))
    assert place_due_jit(whole, (0,), board=BOARD) is None
    one_less = Layout(positions, np.arange(N_CARROMMEN) != 17)
    assert place_due_jit(one_less, (0,), board=BOARD) is not None  # where it lay


@pytest.mark.parametrize("seat", range(4))
def test_the_scripted_creditor_takes_the_hardest_place(seat: int):
    on_board = np.arange(N_CARROMMEN) == QUEEN
    layout = Layout(np.zeros((N_CARROMMEN, 2)), on_board)
    place = place_due_jit(layout, (seat,), board=BOARD)
    assert place is not None
    legal = np.asarray(legal_due_place(GRID, layout.positions, on_board, board=BOARD))
    seats = np.arange(4) == seat
    shots = functools.partial(
        leeway, positions=layout.positions, on_board=on_board, seats=seats, board=BOARD
    )
    assert shots(np.array([place]))[0] <= shots(GRID[legal]).min() * 1.05


def test_openness_is_one_on_a_direct_line_and_falls_with_the_cut():
    # Striker in the middle of the base line, pocket at the far right: on the line, and off it.
    start, pocket = np.array([0, BOARD.base_line_y]), BOARD.pocket_centres[1]
    on_line = start + 0.5 * (pocket - start)
    values = np.asarray(openness(np.stack([on_line, [0.0, 0.07]]), 0, BOARD))
    np.testing.assert_allclose(values[0], 1.0, atol=1e-6)
    assert values[1] < 0.96


@pytest.mark.law("65.b")
@pytest.mark.parametrize("seat", [0, 2])
def test_a_man_that_jumped_with_the_queen_lies_behind_her(seat: int):
    nobody = np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool)
    jumped = np.isin(np.arange(N_CARROMMEN), [4, QUEEN])
    positions, on_board = put_back(*nobody, jumped, 0, seat)
    positions = np.asarray(positions)
    np.testing.assert_array_equal(on_board, jumped)
    np.testing.assert_allclose(positions[QUEEN], 0, atol=1e-9)
    np.testing.assert_allclose(positions[4], to_board(np.array([0, DIAMETER]), seat), atol=2e-6)


@pytest.mark.law("65.c")
@pytest.mark.parametrize(("striker", "first", "second"), [(0, 2, 11), (1, 11, 2)])
def test_the_striking_players_man_goes_first(striker: int, first: int, second: int):
    nobody = np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool)
    jumped = np.isin(np.arange(N_CARROMMEN), [2, 11])
    positions, _ = put_back(*nobody, jumped, striker, 0)
    np.testing.assert_allclose(positions[first], 0, atol=1e-9)
    np.testing.assert_allclose(positions[second], [0, DIAMETER], atol=2e-6)


@pytest.mark.law("65.d")
def test_the_rest_touches_the_first_two():
    nobody = np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool)
    jumped = np.isin(np.arange(N_CARROMMEN), [0, 1, 12, QUEEN])
    positions, on_board = put_back(*nobody, jumped, 1, 0)
    positions = np.asarray(positions, np.float64)
    Layout(positions, np.asarray(on_board)).check(BOARD)
    for index in (0, 1):
        for touched in (QUEEN, 12):
            gap = np.linalg.norm(positions[index] - positions[touched]) - DIAMETER
            assert 0 <= gap < 3e-6


@hypothesis.settings(max_examples=40, deadline=None)
@hypothesis.given(layout=crowds(), data=st.data())
def test_jumped_pieces_lie_free_on_any_board(layout: Layout, data: st.DataObject):
    off = np.flatnonzero(~layout.on_board).tolist()
    chosen = data.draw(st.lists(st.sampled_from(off), unique=True, max_size=5)) if off else []
    jumped = np.isin(np.arange(N_CARROMMEN), chosen)
    positions, on_board = put_back(layout.positions, layout.on_board, jumped, 0, 2)
    np.testing.assert_array_equal(on_board, layout.on_board | jumped)
    Layout(np.asarray(positions, np.float64), np.asarray(on_board)).check(BOARD)


def test_batches_agree_with_single_layouts():
    rng = np.random.default_rng(5)
    positions = rng.uniform(-0.2, 0.2, (6, N_CARROMMEN, 2))
    on_board = rng.random((6, N_CARROMMEN)) < 0.3
    seats = np.arange(6) % 4
    debtors = rng.random((6, 4)) < 0.5
    wishes = rng.uniform(-0.1, 0.1, (6, 2))
    for function, arguments in (
        (place_centre, (positions, on_board, seats)),
        (place_due, (positions, on_board, debtors)),
        (nearest_due_place, (wishes, positions, on_board)),
    ):
        single = jax.jit(functools.partial(function, board=BOARD))
        batch = jax.jit(jax.vmap(single))(*arguments)
        for k in range(6):
            one = single(*(argument[k] for argument in arguments))
            for a, b in zip(jax.tree.leaves(batch), jax.tree.leaves(one), strict=True):
                np.testing.assert_allclose(a[k], b, atol=1e-6)

"""The umpire's places, of the queen and of what jumped: free, and nearest by a fine search."""

from __future__ import annotations

import functools
import math

import hypothesis
import hypothesis.strategies as st
import jax
import numpy as np
import pytest

from carrom.board import Board, to_board
from carrom.errors import ConfigError, FactsError
from carrom.laws import place_centre, place_centre_jit, place_jumped, place_jumped_jit
from carrom.laws.prospects import openness
from carrom.layout import Layout
from carrom.pieces import N_CARROMMEN, QUEEN
from carrom.rack import Packing, rack

BOARD = Board()
DIAMETER = BOARD.carromman_diameter
SIZES = [Board(), Board(carromman_diameter=0.0302)]
NOBODY = Layout(np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool))
CENTRE = np.zeros(2)

seeds = st.integers(0, 2**32 - 1)


def without(layout: Layout, *indices: int) -> Layout:
    return Layout(layout.positions, layout.on_board & ~np.isin(np.arange(N_CARROMMEN), indices))


def check_nearest(place, target, layout: Layout, board: Board, clear, nearest_free) -> None:
    """``place`` is free, and no free place is clearly nearer to ``target``."""
    others = layout.positions[layout.on_board]
    assert clear(np.array([place]), others, board)[0]
    found = float(np.hypot(*(np.asarray(place) - target)))
    assert nearest_free(target, others, board, upto=found - 5e-6) == math.inf


@pytest.mark.law("94")
@pytest.mark.parametrize("board", SIZES, ids=["31.8 mm", "30.2 mm"])
@hypothesis.settings(max_examples=100, deadline=None)
@hypothesis.given(seed=seeds, seat=st.integers(0, 3))
def test_the_queen_lies_free_and_nearest_to_the_centre(
    seed: int, seat: int, board: Board, crowd, clear, nearest_free
):
    layout = crowd(seed, board=board)
    place = place_centre_jit(layout, seat, board=board)
    check_nearest(place, CENTRE, layout, board, clear, nearest_free)


@pytest.mark.law("94")
@pytest.mark.parametrize("board", SIZES, ids=["31.8 mm", "30.2 mm"])
@pytest.mark.parametrize("count", range(1, 19))
def test_the_queen_finds_the_nearest_place_in_any_crowd(
    count: int, board: Board, crowd, clear, nearest_free
):
    for seed in range(4):
        layout = crowd(1000 * count + seed, board=board, count=count)
        place = place_centre_jit(layout, seed, board=board)
        check_nearest(place, CENTRE, layout, board, clear, nearest_free)


@pytest.mark.law("93", "94")
@pytest.mark.parametrize("board", SIZES, ids=["31.8 mm", "30.2 mm"])
@pytest.mark.parametrize("hole", [1, 4, 10, 14])
def test_in_an_undisturbed_rack_she_lies_where_one_is_missing(
    hole: int, board: Board, clear, nearest_free
):
    positions = rack(board, np.random.default_rng(hole))
    whole = Layout(positions, np.ones(N_CARROMMEN, bool))
    # Her own place: not quite the centre, for the rack's jitter leaves a micrometre to choose.
    place = place_centre_jit(without(whole, QUEEN), 0, board=board)
    assert np.hypot(*place) < 1e-5
    # Another carromman has taken it: the hole that one left is the nearest place.
    moved = without(whole.with_piece(hole, tuple(positions[QUEEN])), QUEEN)
    place = place_centre_jit(moved, 0, board=board)
    check_nearest(place, CENTRE, moved, board, clear, nearest_free)
    np.testing.assert_allclose(place, positions[hole], atol=5e-5)


@pytest.mark.law("93")
def test_an_empty_centre_takes_the_queen_exactly():
    assert place_centre_jit(NOBODY, 0, board=BOARD) == (0.0, 0.0)


@pytest.mark.law("94")
@pytest.mark.parametrize("seat", range(4))
def test_behind_a_man_on_the_centre_she_lies_away_from_the_next_player(seat: int):
    place = place_centre_jit(NOBODY.with_piece(3, (0.0, 0.0)), seat, board=BOARD)
    np.testing.assert_allclose(place, to_board(np.array([0, DIAMETER]), seat), atol=2e-6)


@pytest.mark.law("94", "U27")
@pytest.mark.parametrize(("seat", "side"), [(0, 1), (2, -1)])
def test_of_two_equal_places_the_queen_takes_the_harder_one(seat: int, side: int):
    layout = NOBODY.with_piece(0, (0.02, 0.0)).with_piece(9, (-0.02, 0.0))
    place = place_centre_jit(layout, seat, board=BOARD)
    # Equally near, in front of or behind the two; behind them the cut is thinner.
    height = math.sqrt(DIAMETER**2 - 0.02**2)
    np.testing.assert_allclose(place, (0, side * height), atol=3e-6)


@pytest.mark.law("94", "U27")
@pytest.mark.parametrize("seat", range(4))
def test_of_six_equal_places_round_a_full_ring_she_takes_the_hardest(seat: int):
    positions = rack(BOARD, np.random.default_rng(0), packing=Packing(gap=1e-5, jitter=0.0))
    ring = [0, 1, 2, 9, 10, 11]
    layout = Layout(positions, np.isin(np.arange(N_CARROMMEN), [*ring, 12]))
    layout = without(layout.with_piece(12, (0.0, 0.0)), QUEEN)
    place = np.array(place_centre_jit(layout, seat, board=BOARD))
    # In the six notches between neighbours of the ring.
    angles = np.arange(6) * math.pi / 3
    notches = np.hypot(*place) * np.stack([np.cos(angles), np.sin(angles)], -1)
    nearest = np.hypot(*(notches - place).T)
    assert nearest.min() < 1e-5
    ease = np.asarray(openness(notches, seat, BOARD))
    assert ease[nearest.argmin()] <= ease.min() + 1e-4


def test_openness_is_one_on_a_direct_line_and_falls_with_the_cut():
    # Striker in the middle of the base line, pocket at the far right: on the line, and off it.
    start, pocket = np.array([0, BOARD.base_line_y]), BOARD.pocket_centres[1]
    on_line = start + 0.5 * (pocket - start)
    values = np.asarray(openness(np.stack([on_line, [0.0, 0.07]]), 0, BOARD))
    np.testing.assert_allclose(values[0], 1.0, atol=1e-6)
    # The least cut on the axis is from the circle across.
    way, run = pocket - [0.0, 0.07], np.array([0.0, 0.07]) - [-0.2175, BOARD.base_line_y]
    cosine = way @ run / np.linalg.norm(way) / np.linalg.norm(run)
    np.testing.assert_allclose(values[1], cosine, atol=1e-3)


@pytest.mark.law("65.b")
@pytest.mark.parametrize("seat", [0, 2])
def test_a_man_that_jumped_with_the_queen_lies_behind_her(seat: int):
    jumped = np.isin(np.arange(N_CARROMMEN), [4, QUEEN])
    layout = place_jumped_jit(NOBODY, jumped, 0, seat, board=BOARD)
    np.testing.assert_array_equal(layout.on_board, jumped)
    np.testing.assert_allclose(layout.positions[QUEEN], 0, atol=1e-9)
    behind = to_board(np.array([0, DIAMETER]), seat)
    np.testing.assert_allclose(layout.positions[4], behind, atol=2e-6)


@pytest.mark.law("65.c")
@pytest.mark.parametrize(("striker", "first", "second"), [(0, 2, 11), (1, 11, 2)])
def test_the_striking_players_man_goes_first(striker: int, first: int, second: int):
    jumped = np.isin(np.arange(N_CARROMMEN), [2, 11])
    layout = place_jumped_jit(NOBODY, jumped, striker, 0, board=BOARD)
    np.testing.assert_allclose(layout.positions[first], 0, atol=1e-9)
    np.testing.assert_allclose(layout.positions[second], [0, DIAMETER], atol=2e-6)


@pytest.mark.law("65.d")
def test_the_rest_touches_the_first_two():
    jumped = np.isin(np.arange(N_CARROMMEN), [0, 1, 12, QUEEN])
    layout = place_jumped_jit(NOBODY, jumped, 1, 0, board=BOARD)
    layout.check(BOARD)
    for index in (0, 1):
        for touched in (QUEEN, 12):
            gap = np.linalg.norm(layout.positions[index] - layout.positions[touched]) - DIAMETER
            assert 0 <= gap < 3e-6


@pytest.mark.law("65.a", "65.b", "65.c", "65.d")
@pytest.mark.parametrize("board", SIZES, ids=["31.8 mm", "30.2 mm"])
@hypothesis.settings(max_examples=60, deadline=None)
@hypothesis.given(
    seed=seeds,
    chosen=st.sets(st.integers(0, QUEEN), max_size=6),
    striker=st.integers(0, 1),
    seat=st.integers(0, 3),
)
def test_everything_that_jumped_lies_in_turn_where_it_belongs(
    seed: int,
    chosen: set[int],
    striker: int,
    seat: int,
    board: Board,
    crowd,
    clear,
    nearest_free,
):
    layout = without(crowd(seed, board=board), *chosen)
    jumped = np.isin(np.arange(N_CARROMMEN), list(chosen))
    placed = place_jumped_jit(layout, jumped, striker, seat, board=board)
    np.testing.assert_array_equal(placed.on_board, layout.on_board | jumped)
    np.testing.assert_array_equal(
        placed.positions[layout.on_board], layout.positions[layout.on_board]
    )
    away = to_board(np.array([0.0, board.carromman_diameter + 1e-6]), seat)
    order = sorted(chosen, key=lambda index: (index != QUEEN, index // 9 != striker, index))
    for turn, index in enumerate(order):
        first, second = (placed.positions[order[min(k, turn)]] for k in (0, 1))
        target = (CENTRE, first + away, (first + second) / 2)[min(turn, 2)]
        place = placed.positions[index]
        check_nearest(place, target, layout, board, clear, nearest_free)
        layout = layout.with_piece(index, tuple(place))


@pytest.mark.law("65.a")
def test_what_lies_on_the_board_cannot_have_jumped_off_it():
    lying = NOBODY.with_piece(3, (0.1, 0.1))
    with pytest.raises(FactsError, match=r"carrommen \[3\]"):
        place_jumped_jit(lying, lying.on_board, 0, 0, board=BOARD)
    with pytest.raises(FactsError, match=r"bool array of shape \(19,\)"):
        place_jumped_jit(lying, np.zeros(18, bool), 0, 0, board=BOARD)
    with pytest.raises(ConfigError, match=r"striker_colour = \[2\].*\[0, 1\]"):
        place_jumped_jit(NOBODY, lying.on_board, 2, 0, board=BOARD)
    with pytest.raises(ConfigError, match=r"next_seat = \[4\].*\[0, 1, 2, 3\]"):
        place_centre_jit(NOBODY, 4, board=BOARD)


def test_batches_of_layouts_agree_with_single_ones():
    rng = np.random.default_rng(5)
    positions = rng.uniform(-0.2, 0.2, (6, N_CARROMMEN, 2))
    on_board = rng.random((6, N_CARROMMEN)) < 0.3
    jumped = ~on_board & (rng.random((6, N_CARROMMEN)) < 0.2)
    seats = np.arange(6) % 4
    for function, arguments in (
        (place_centre, (positions, on_board, seats)),
        (place_jumped, (positions, on_board, jumped, seats % 2, seats)),
    ):
        single = jax.jit(functools.partial(function, board=BOARD))
        batch = jax.jit(jax.vmap(single))(*arguments)
        for k in range(6):
            one = single(*(argument[k] for argument in arguments))
            for a, b in zip(jax.tree.leaves(batch), jax.tree.leaves(one), strict=True):
                np.testing.assert_allclose(a[k], b, atol=1e-6)

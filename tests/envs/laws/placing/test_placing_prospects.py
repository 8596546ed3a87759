"""How hard a carromman is to pocket, and the placer's choice, against a slow plain reading."""

from __future__ import annotations

import functools
import itertools
import math

import jax
import numpy as np
import pytest
from numpy.typing import NDArray

from carrom.baseline import legal_places
from carrom.board import Board, to_board
from carrom.laws import legal_due_places_jit, place_due_jit
from carrom.laws.prospects import leeway
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.pieces import N_CARROMMEN

BOARD = Board()
TOUCHING = BOARD.striker_radius + BOARD.carromman_radius
NOBODY = Layout(np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool))

Point = NDArray[np.float64]

judge = jax.jit(functools.partial(leeway, board=BOARD), static_argnames="striker_hindered")


def shots_from(layout: Layout, points: Point, *seats: int, hindered: bool = True) -> Point:
    asked = np.isin(np.arange(4), seats)
    found = judge(points, layout.positions, layout.on_board, asked, striker_hindered=hindered)
    return np.asarray(found, np.float64)


def midgame(seed: int) -> Layout:
    rng = np.random.default_rng(seed)
    white, black = (int(n) for n in rng.integers(0, 9, 2))
    return random_layout(BOARD, rng, white=white, black=black, queen=bool(rng.integers(2)))


def in_ring(seed: int, count: int) -> Point:
    """Random points at which dues could lie but for other carrommen."""
    rng = np.random.default_rng(seed)
    radius, angle = rng.uniform(*BOARD.placing_radii, count), rng.uniform(0, 2 * math.pi, count)
    return radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def places_of(seat: int) -> Point:
    left, middle, right = legal_places(BOARD)
    x = np.array([*np.linspace(*middle, 7), sum(left) / 2, sum(right) / 2])
    return to_board(np.stack([x, np.full(9, BOARD.base_line_y)], -1), seat)


def along_and_off(start: Point, end: Point, point: Point) -> tuple[float, float]:
    """Where the foot of ``point`` on a segment lies, from 0 to 1, and how far it is away."""
    share = float(np.clip((point - start) @ (end - start) / ((end - start) @ (end - start)), 0, 1))
    return share, float(np.linalg.norm(point - start - share * (end - start)))


def plain_leeway(start: Point, point: Point, pocket: Point, men: Point, hindered: bool) -> float:
    """What one shot forgives, by turning the strike a little and looking where it then hits."""
    way = (pocket - point) / np.linalg.norm(pocket - point)
    ghost = point - TOUCHING * way
    heading = (ghost - start) / np.linalg.norm(ghost - start)
    if heading @ way <= 0:
        return 0.0
    if hindered and any(along_and_off(start, ghost, man)[1] < TOUCHING for man in men):
        return 0.0
    turn = BOARD.pocket_radius / float(np.linalg.norm(pocket - point))
    for man in men:
        share, off = along_and_off(point, pocket, man)
        if 0 < share < 1:
            room = off - BOARD.carromman_diameter
            turn = min(turn, room / (share * float(np.linalg.norm(pocket - point))))
    # Towards the carromman's middle, where it is sure to be hit.
    to_point = point - start
    error = math.copysign(1e-5, heading[0] * to_point[1] - heading[1] * to_point[0])
    cos, sin = math.cos(error), math.sin(error)
    turned = heading @ np.array([[cos, sin], [-sin, cos]])
    ahead = float(to_point @ turned)
    off = math.sqrt(max(to_point @ to_point - ahead**2, 0.0))
    contact = start + (ahead - math.sqrt(TOUCHING**2 - off**2)) * turned
    line = (point - contact) / TOUCHING
    line_turned = math.asin(line[0] * way[1] - line[1] * way[0])
    return max(turn, 0.0) * abs(error / line_turned)


@pytest.mark.parametrize("hindered", [True, False])
def test_leeway_is_what_the_best_shot_forgives(hindered: bool):
    for seed in range(12):
        layout, seat = midgame(seed), seed % 4
        points = in_ring(seed, 6)
        men = layout.positions[layout.on_board]
        plain = [
            max(
                plain_leeway(start, point, pocket, men, hindered)
                for start, pocket in itertools.product(places_of(seat), BOARD.pocket_centres)
            )
            for point in points
        ]
        found = shots_from(layout, points, seat, hindered=hindered)
        # The turn of a finite error is not quite proportional to it at thin cuts.
        np.testing.assert_allclose(found, plain, rtol=5e-3, atol=1e-6)


def test_the_best_of_several_seats_counts():
    layout, points = midgame(3), in_ring(3, 40)
    each = [shots_from(layout, points, seat) for seat in range(4)]
    assert len({tuple(one) for one in each}) == 4
    np.testing.assert_array_equal(shots_from(layout, points, 0, 2), np.maximum(each[0], each[2]))
    np.testing.assert_array_equal(shots_from(layout, points, 0, 1, 2, 3), np.max(each, axis=0))


def test_what_lies_in_the_way_takes_a_shot_away():
    point = np.array([[0.0, 0.05]])
    assert shots_from(NOBODY, point, 0)[0] > 0.004
    # Two carrommen before the two far pockets: no way is left but backwards.
    walled = NOBODY.with_piece(0, (0.2, 0.23)).with_piece(1, (-0.2, 0.23))
    assert shots_from(walled, point, 0, hindered=False)[0] == 0
    # A row before the base line stops the striker, not the carromman.
    row = NOBODY
    for index in range(9):
        row = row.with_piece(index, (0.05 * (index - 4), -0.16))
    assert shots_from(row, point, 0)[0] == 0
    assert shots_from(row, point, 0, hindered=False)[0] == shots_from(NOBODY, point, 0)[0]


@pytest.mark.parametrize("debtors", [(0,), (1,), (0, 2), (1, 3)])
def test_hardly_a_legal_place_is_worse_for_the_debtor_than_the_placers(debtors: tuple[int, ...]):
    axis = np.arange(-0.07, 0.07, 0.004)
    grid = np.array(list(itertools.product(axis, axis)))
    excess = []
    for seed in range(100, 130):
        layout = midgame(seed)
        place = place_due_jit(layout, debtors, board=BOARD)
        assert place is not None
        legal = legal_due_places_jit(layout, grid, board=BOARD)
        chosen = shots_from(layout, np.array([place]), *debtors)[0]
        on_grid = shots_from(layout, grid, *debtors)[legal]
        # Good players are off by 2 to 4 milliradians.
        assert chosen <= np.quantile(on_grid, 0.05) + 1e-3
        excess.append(chosen - on_grid.min())
    assert np.mean(excess) < 2e-4

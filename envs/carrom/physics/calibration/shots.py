"""Typical strokes, to measure an engine on."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from carrom.baseline import legal_places
from carrom.board import Board
from carrom.layout import Layout
from carrom.physics.strike import Strike
from carrom.pieces import N_CARROMMEN
from carrom.rack import TIGHT, Packing, rack


class Shot(NamedTuple):
    """A strike on a layout, made from seat 0."""

    layout: Layout
    strike: Strike


def break_shot(board: Board, rng: np.random.Generator, packing: Packing = TIGHT) -> Shot:
    """A break: 4 to 6 m/s from anywhere within 0.1 m of the middle, at about the queen."""
    layout = Layout(rack(board, rng, packing=packing), np.ones(N_CARROMMEN, bool))
    place, target = rng.uniform(-0.10, 0.10), rng.normal(0.0, 0.012)
    direction = math.atan2(place - target, -board.base_line_y)
    return Shot(layout, Strike(place, direction, rng.uniform(4.0, 6.0)))


def midgame_shot(board: Board, rng: np.random.Generator, pieces: int = 8) -> Shot:
    """Carrommen strewn at random and the striker, 1 to 6 m/s, sent at one of them.

    The line of the striker passes the target's centre by up to 0.85 of the sum of radii.
    """
    middle = legal_places(board)[1]
    place = rng.uniform(*middle)
    start = np.array([place, board.base_line_y])
    reach = board.half_side - board.carromman_radius - 1e-3
    touch = board.carromman_radius + board.striker_radius
    points: list[np.ndarray] = []
    while len(points) < pieces:
        point = rng.uniform(-reach, reach, 2)
        to_pocket = np.hypot(*(np.abs(point) - board.pocket_offset))
        if to_pocket < board.pocket_radius + 2e-3 or np.hypot(*(point - start)) < touch + 1e-3:
            continue
        if all(np.hypot(*(point - p)) > board.carromman_diameter + 1e-4 for p in points):
            points.append(point)
    ahead = [p for p in points if p[1] > board.base_line_y + 0.06]
    target = ahead[rng.integers(len(ahead))] if ahead else np.zeros(2)
    x, y = target - start
    miss = rng.uniform(-0.85, 0.85) * touch
    direction = math.atan2(-x, y) + math.asin(np.clip(miss / math.hypot(x, y), -1, 1))
    speed = math.exp(rng.uniform(0.0, math.log(6.0)))
    positions, on_board = np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool)
    chosen = rng.permutation(N_CARROMMEN)[:pieces]
    positions[chosen], on_board[chosen] = np.reshape(points, (pieces, 2)), True
    return Shot(Layout(positions, on_board), Strike(float(place), direction, speed))

"""Random positions from the middle of a board, for drills."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carrom.baseline import free_places
from carrom.board import Board, to_seat
from carrom.layout import Layout
from carrom.pieces import N_CARROMMEN, QUEEN, SLICES

_GAP = 1e-4
"""Least gap between two carrommen, m: more than rounding, less than anyone can see."""


def random_layout(
    board: Board,
    rng: np.random.Generator,
    *,
    white: int,
    black: int,
    queen: bool,
    seat: int = 0,
) -> Layout:
    """Carrommen lying at random, none overlapping, none where it would fall.

    Each carromman is uniform over the board outside the pockets' circles and apart from
    those laid before it; a position in which ``seat`` has no free striker place is drawn
    again.

    Args:
        board: the board.
        rng: draws everything.
        white: white carrommen on the board.
        black: black carrommen on the board.
        queen: whether the queen is on the board.
        seat: who strikes next.

    Returns:
        The layout.
    """
    on_board = np.zeros(N_CARROMMEN, bool)
    for part, count in zip(SLICES, (white, black), strict=True):
        on_board[part] = np.arange(9) < count
    on_board[QUEEN] = queen
    present = np.flatnonzero(on_board)
    while True:
        positions = np.zeros((N_CARROMMEN, 2))
        positions[present] = _scattered(board, rng, len(present))
        if free_places(board, to_seat(positions, seat), on_board):
            return Layout(positions, on_board)


def _scattered(board: Board, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """``count`` points, (count, 2), each uniform where those before it leave room."""
    reach = board.half_side - board.carromman_radius - _GAP
    apart = board.carromman_diameter + _GAP
    points = np.empty((count, 2))
    laid = 0
    while laid < count:
        point = rng.uniform(-reach, reach, 2)
        x, y = np.abs(point) - board.pocket_offset
        if x * x + y * y < board.pocket_radius**2:
            continue
        way = points[:laid] - point
        if np.all(np.einsum("ij,ij->i", way, way) > apart**2):
            points[laid] = point
            laid += 1
    return points

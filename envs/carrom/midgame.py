"""Random positions from the middle of a board, for drills."""

from __future__ import annotations

import numpy as np

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
    while True:
        positions = np.zeros((N_CARROMMEN, 2))
        laid: list[np.ndarray] = []
        for index in np.flatnonzero(on_board):
            positions[index] = _free_point(board, rng, laid)
            laid.append(positions[index])
        if free_places(board, to_seat(positions, seat), on_board):
            return Layout(positions, on_board)


def _free_point(board: Board, rng: np.random.Generator, laid: list[np.ndarray]) -> np.ndarray:
    reach = board.half_side - board.carromman_radius - _GAP
    apart = board.carromman_diameter + _GAP
    while True:
        point = rng.uniform(-reach, reach, 2)
        in_pocket = np.hypot(*(np.abs(point) - board.pocket_offset)) < board.pocket_radius
        if not in_pocket and all(np.hypot(*(point - other)) > apart for other in laid):
            return point

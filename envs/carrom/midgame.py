"""Random positions from the middle of a board, for drills."""

from __future__ import annotations

import numpy as np

from carrom.baseline import free_places
from carrom.board import Board, to_seat
from carrom.layout import Layout
from carrom.pieces import N_CARROMMEN, QUEEN, SLICES

GAP = 1e-4
"""Least gap between two carrommen, m: more than rounding, less than anyone can see."""
_DRAWN_AT_ONCE = 32
"""Points drawn together: about as many as a full board needs."""


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
        if len(present):
            positions[present] = _scattered(board, rng, len(present))
        if free_places(board, to_seat(positions, seat), on_board):
            return Layout(positions, on_board)


def _scattered(board: Board, rng: np.random.Generator, count: int) -> list[tuple[float, float]]:
    """``count`` points, each uniform where those before it leave room."""
    reach = board.half_side - board.carromman_radius - GAP
    pocket, fall2 = board.pocket_offset, board.pocket_radius**2
    apart2 = (board.carromman_diameter + GAP) ** 2
    points: list[tuple[float, float]] = []
    # Plain floats: for so few points they are several times faster than arrays.
    while True:
        for x, y in rng.uniform(-reach, reach, (_DRAWN_AT_ONCE, 2)).tolist():
            if len(points) == count:
                return points
            over_pocket = (abs(x) - pocket) ** 2 + (abs(y) - pocket) ** 2 < fall2
            if not over_pocket and all(
                (x - a) * (x - a) + (y - b) * (y - b) > apart2 for a, b in points
            ):
                points.append((x, y))

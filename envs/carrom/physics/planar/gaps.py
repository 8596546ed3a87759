"""How close things lie before a stroke."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.pieces import N_CARROMMEN

_FIRST, _SECOND = np.triu_indices(N_CARROMMEN, 1)


def carrommen_gaps(
    board: Board, positions: NDArray[np.float64], on_board: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Smallest gap between two carrommen or one and a frame's side, m.

    Args:
        board: the board.
        positions: (L, 19, 2), m.
        on_board: (L, 19).

    Returns:
        (L,); negative for overlaps, inf without carrommen, NaN if a position is not a number.
    """
    radius = board.carromman_radius
    to_side = board.half_side - radius - np.abs(positions).max(-1)
    apart = positions[:, _FIRST] - positions[:, _SECOND]
    between = np.hypot(apart[..., 0], apart[..., 1]) - 2 * radius
    both = on_board[:, _FIRST] & on_board[:, _SECOND]
    gaps = np.concatenate(
        [np.where(on_board, to_side, np.inf), np.where(both, between, np.inf)], axis=1
    )
    return gaps.min(1)


def striker_gaps(
    board: Board,
    positions: NDArray[np.float64],
    on_board: NDArray[np.bool_],
    places: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Smallest gap between the striker, at ``places`` (M, 2), and a carromman, (M,), m.

    ``positions`` (M, 19, 2) and ``on_board`` (M, 19) are those of the M strokes.
    """
    apart = positions - places[:, None]
    between = np.hypot(apart[..., 0], apart[..., 1])
    reach = board.carromman_radius + board.striker_radius
    return np.where(on_board, between - reach, np.inf).min(1)

"""How close things lie before a stroke, and whether contacts may then overlap in time.

The functions take NumPy or JAX arrays and give the same kind, also inside jitted code.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from carrom.board import Board
from carrom.pieces import N_CARROMMEN

_EACH_PAIR_ONCE = np.tri(N_CARROMMEN, k=-1, dtype=bool)


def carrommen_gaps(board: Board, positions: Any, on_board: Any) -> Any:
    """Smallest gap between two carrommen or one and a frame's side, m.

    Args:
        board: the board.
        positions: (L, 19, 2), m.
        on_board: (L, 19), bool.

    Returns:
        (L,); negative for overlaps, inf without carrommen, NaN if a position is not a number.
    """
    xp = on_board.__array_namespace__()
    radius = board.carromman_radius
    to_side = board.half_side - radius - xp.abs(positions).max(-1)
    apart = positions[:, :, None] - positions[:, None]
    squared = apart[..., 0] ** 2 + apart[..., 1] ** 2
    both = on_board[:, :, None] & on_board[:, None] & _EACH_PAIR_ONCE
    between = xp.sqrt(xp.where(both, squared, xp.inf).min((1, 2))) - 2 * radius
    return xp.minimum(xp.where(on_board, to_side, xp.inf).min(1), between)


def striker_gaps(board: Board, positions: Any, on_board: Any, places: Any) -> Any:
    """Smallest gap between the striker, at ``places`` (M, 2), and a carromman, (M,), m.

    ``positions`` (M, 19, 2) and ``on_board`` (M, 19) are those of the M strokes.
    """
    xp = on_board.__array_namespace__()
    apart = positions - places[:, None]
    squared = apart[..., 0] ** 2 + apart[..., 1] ** 2
    reach = board.carromman_radius + board.striker_radius
    return xp.sqrt(xp.where(on_board, squared, xp.inf).min(1)) - reach


def may_overlap(gaps: Any, to_striker: Any, starts: Any, contact_time: Any) -> Any:
    """Whether contacts of a stroke can overlap in time from the beginning, bool (M,).

    They can where things lie closer than the striker comes in the time that a contact lasts.

    Args:
        gaps: (M,), m, as of ``carrommen_gaps``.
        to_striker: (M,), m, as of ``striker_gaps``.
        starts: (M, 4), the striker's x, y, vx, vy.
        contact_time: (M,) or (), s.
    """
    xp = starts.__array_namespace__()
    reach = contact_time * xp.hypot(starts[:, 2], starts[:, 3])
    return xp.minimum(gaps, to_striker) < reach

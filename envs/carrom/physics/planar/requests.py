"""Strokes that were asked for, checked and as arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.layout import Layout
from carrom.physics.checks import check_counts, check_seat
from carrom.physics.planar.gaps import carrommen_gaps, may_overlap, striker_gaps
from carrom.physics.planar.slots import slots_for
from carrom.physics.strike import Strike
from carrom.pieces import N_CARROMMEN

_QUARTER_TURNS = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
"""Cosine and sine of the angle at which each seat looks at the board."""


@dataclass(frozen=True)
class Requests:
    """M strokes on L different layouts.

    Attributes:
        layouts: the L layouts.
        which: (M,), the layout of each stroke.
        strikes: M of them.
        seats: M of them.
        starts: (M, 4), the striker's x, y, vx, vy, board frame.
        slots: (M,), how many slots each stroke takes.
        springs: (M,), whether contacts can overlap in time from the beginning.
    """

    layouts: list[Layout]
    which: NDArray[np.int32]
    strikes: Sequence[Strike]
    seats: Sequence[int]
    starts: NDArray[np.float64]
    slots: NDArray[np.intp]
    springs: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        board: Board,
        contact_time: float,
        layouts: Sequence[Layout],
        strikes: Sequence[Strike],
        seats: Sequence[int],
    ) -> Requests:
        """Check what is asked for. A layout given several times as one object counts once.

        Raises:
            BoardError, ConfigError: as ``PlanarEngine.play_many``.
        """
        check_counts(layouts, strikes, seats)
        for strike, seat in zip(strikes, seats, strict=True):
            strike.check(board)
            check_seat(seat)
        unique = list({id(layout): layout for layout in layouts}.values())
        row = {id(layout): k for k, layout in enumerate(unique)}
        which = np.array([row[id(layout)] for layout in layouts], np.int32)
        positions = np.array([layout.positions for layout in unique]).reshape(-1, N_CARROMMEN, 2)
        on_board = np.array([layout.on_board for layout in unique], bool).reshape(-1, N_CARROMMEN)
        gaps = carrommen_gaps(board, positions, on_board)
        # Where nothing overlaps there is nothing to refuse; the check itself takes its time.
        for k in np.flatnonzero(~(gaps >= 0)).tolist():
            unique[k].check(board)
        slots = np.array([slots_for(int(count)) for count in on_board.sum(1)], np.intp)
        starts = starts_of(board, strikes, seats)
        to_striker = striker_gaps(board, positions[which], on_board[which], starts[:, :2])
        springs = may_overlap(gaps[which], to_striker, starts, contact_time)
        return cls(unique, which, strikes, seats, starts, slots[which], springs)

    def layout(self, k: int) -> Layout:
        """The layout of stroke ``k``."""
        return self.layouts[self.which[k]]


def starts_of(board: Board, strikes: Sequence[Strike], seats: Sequence[int]) -> NDArray[np.float64]:
    """Place and velocity of the striker in the board's frame, (M, 4): x, y, vx, vy."""
    in_seat = np.array(
        [
            (
                strike.place,
                board.base_line_y + strike.forward,
                -math.sin(strike.direction) * strike.speed,
                math.cos(strike.direction) * strike.speed,
            )
            for strike in strikes
        ]
    ).reshape(-1, 2, 2)
    cos, sin = _QUARTER_TURNS[np.array(seats, np.intp)].T[..., None]
    x, y = in_seat[..., 0], in_seat[..., 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1).reshape(-1, 4)

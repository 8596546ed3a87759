"""A position: where the carrommen lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.errors import BoardError
from carrom.pieces import N_CARROMMEN, N_PER_SIDE, QUEEN, SLICES


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the 19 carrommen are, in index order (see ``carrom.pieces``).

    Attributes:
        positions: float64 (19, 2), metres, board frame; zero for a carromman off the board.
        on_board: bool (19,).
    """

    positions: NDArray[np.float64]
    on_board: NDArray[np.bool_]

    def __post_init__(self) -> None:
        positions = np.array(self.positions, np.float64)
        on_board = np.array(self.on_board, bool)
        if positions.shape != (N_CARROMMEN, 2) or on_board.shape != (N_CARROMMEN,):
            raise BoardError(
                f"layout of shapes {positions.shape} and {on_board.shape}: expected positions "
                f"({N_CARROMMEN}, 2) and on_board ({N_CARROMMEN},)"
            )
        positions[~on_board] = 0.0
        for name, array in (("positions", positions), ("on_board", on_board)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __reduce__(self) -> tuple[type[Layout], tuple[NDArray[Any], NDArray[Any]]]:
        # Through the constructor, so that a copy is as read-only as the original.
        return Layout, (self.positions, self.on_board)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Layout)
            and np.array_equal(self.positions, other.positions)
            and np.array_equal(self.on_board, other.on_board)
        )

    @property
    def counts(self) -> tuple[int, int]:
        """White and black carrommen on the board."""
        white, black = (int(self.on_board[part].sum()) for part in SLICES)
        return white, black

    @property
    def queen_on_board(self) -> bool:
        """Whether the queen lies on the board."""
        return bool(self.on_board[QUEEN])

    def with_piece(self, index: int, position: tuple[float, float]) -> Layout:
        """The same layout with carromman ``index`` put at ``position``."""
        positions, on_board = self.positions.copy(), self.on_board.copy()
        positions[index], on_board[index] = position, True
        return Layout(positions, on_board)

    def check(self, board: Board) -> None:
        """Refuse a layout that cannot lie on ``board``.

        Raises:
            BoardError: a position is not finite, or reaches into the frame or another
                carromman by more than 10 micrometres; names the carrommen.
        """
        # The engine may leave touching discs overlapping by about a micrometre.
        radius, slack = board.carromman_radius, 1e-5
        present = np.flatnonzero(self.on_board)
        points = self.positions[present]
        reach = board.half_side - radius + slack
        for index, point in zip(present, points, strict=True):
            if not np.all(np.abs(point) <= reach):  # also catches NaN
                raise BoardError(
                    f"carromman {index} at {tuple(point.tolist())} m: expected |x| and |y| at "
                    f"most {reach:.4f}"
                )
        distance = np.hypot(*(points[:, None] - points[None]).T)
        close = np.argwhere(np.triu(distance < 2 * radius - slack, 1))
        if len(close):
            i, j = (int(present[k]) for k in close[0])
            raise BoardError(f"carrommen {i} and {j} overlap")


def first_absent(on_board: NDArray[np.bool_], colour: int) -> int | None:
    """Lowest index of a carromman of ``colour`` (0, 1) that is off the board, or None."""
    part = SLICES[colour]
    absent = np.flatnonzero(~on_board[part])
    return int(absent[0]) + colour * N_PER_SIDE if len(absent) else None

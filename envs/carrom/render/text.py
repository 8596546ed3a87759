"""A position as characters, for terminals of 80 columns and for logs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carrom.board import Board, to_board
from carrom.pieces import COLOURS
from carrom.render.position import as_position

ROWS, COLUMNS = 29, 59
"""Characters of the playing surface. A character is about twice as high as it is wide. Odd, so
that the queen has a middle to lie on; and so many that no two carrommen share a character,
for its diagonal on the board is shorter than they are wide."""

_SIGNS = np.array(["w", "b", "Q", "S"])


def board_text(
    positions: ArrayLike,
    in_play: ArrayLike,
    *caption: str,
    board: Board | None = None,
    signs: str | None = None,
) -> str:
    """The board seen from above, seat 0 at the lower edge.

    ``w`` and ``b`` are carrommen, ``Q`` the queen, ``S`` the striker, ``o`` pockets, ``.``
    base lines; each stands where its centre is.

    Args:
        positions: (20, 2), m, board frame. A disc beyond the frame is shown at it.
        in_play: (20,), which discs are shown.
        caption: lines to stand below the board.
        board: gives the dimensions; a regulation board when None.
        signs: 20 characters, one for each disc, instead of ``w``, ``b``, ``Q`` and ``S``.

    Returns:
        31 lines of 61 characters and the caption, separated by newlines.

    Raises:
        BoardError: a shape is wrong, or the place of a disc in play is not finite.
    """
    places, shown = as_position(positions, in_play)
    board = board or Board()
    cells = np.full((ROWS, COLUMNS), " ")
    _write(cells, board, _base_line_points(board), ".")
    _write(cells, board, board.pocket_centres, "o")
    discs = _SIGNS[COLOURS] if signs is None else np.array(list(signs))
    _write(cells, board, places[shown], discs[shown])
    edge = "+" + "-" * COLUMNS + "+"
    lines = [edge, *("|" + "".join(row) + "|" for row in cells), edge]
    return "\n".join([*lines, *caption])


def _base_line_points(board: Board) -> NDArray[np.float64]:
    """Points along the middles of the four pairs of base lines, two to a character or more."""
    x = np.linspace(-board.base_circle_x, board.base_circle_x, 2 * COLUMNS)
    near = np.column_stack([x, np.full(len(x), board.base_line_y)])
    return np.concatenate([to_board(near, seat) for seat in range(4)])


def _write(
    cells: NDArray[np.str_],
    board: Board,
    points: NDArray[np.float64],
    signs: NDArray[np.str_] | str,
) -> None:
    """Write signs into the cells that hold the points, in place."""
    share = points / board.side + 0.5
    columns = np.floor(share[:, 0] * COLUMNS).astype(int).clip(0, COLUMNS - 1)
    rows = np.floor((1 - share[:, 1]) * ROWS).astype(int).clip(0, ROWS - 1)
    cells[rows, columns] = signs

"""Puts back on the board what the umpire's ruling takes out of the pockets."""

from __future__ import annotations

from dataclasses import dataclass

from carrom.board import Board
from carrom.laws import Ruling, place_centre_jit, place_due_jit
from carrom.layout import Layout, first_absent
from carrom.pieces import QUEEN
from carrom.tasks import Position


@dataclass(frozen=True, eq=False)
class PutBack:
    """What found room.

    Attributes:
        layout: with everything put back that found room.
        returned: how many wrongly pocketed carrommen found room.
        dues: how many due and penalty carrommen did.
        without_room: whether anything did not.
    """

    layout: Layout
    returned: int
    dues: int
    without_room: bool


def put_back(board: Board, layout: Layout, ruling: Ruling, position: Position) -> PutBack:
    """Put back the queen, then wrongly pocketed carrommen, then dues and penalties (9, U24).

    What lies on the board stays, however it lies (67, 68). The umpire places the queen (93).
    The scripted placer lays the others where they are hardest to pocket; a player would do the
    same for his opponent's.

    Args:
        board: the board.
        layout: where the carrommen lie after the stroke.
        ruling: what has to come back.
        position: whose match says who strikes next, and who sits where.

    Returns:
        The layout with everything that found room, and how much did.
    """
    if ruling.queen_returned:
        place = place_centre_jit(layout, position.physical_seat, board=board)
        layout = layout.with_piece(QUEEN, place)
    striker = int(ruling.striker)
    layout, returned = _lay(board, layout, striker, int(ruling.returned_own), position)
    dues = 0
    for colour in (striker, 1 - striker):
        layout, laid = _lay(board, layout, colour, int(ruling.dues_paid[colour]), position)
        dues += laid
    wanted = int(ruling.returned_own) + int(ruling.dues_paid.sum())
    return PutBack(layout, returned, dues, without_room=returned + dues < wanted)


def _lay(
    board: Board, layout: Layout, colour: int, count: int, position: Position
) -> tuple[Layout, int]:
    """Lay up to ``count`` carrommen of ``colour``; how many found room."""
    debtor = position.physical_seat_of(colour)
    for laid in range(count):
        place = place_due_jit(layout, (debtor,), board=board)
        index = first_absent(layout.on_board, colour)
        if place is None or index is None:
            return layout, laid
        layout = layout.with_piece(index, place)
    return layout, count

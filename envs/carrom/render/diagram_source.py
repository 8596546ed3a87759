"""What can be drawn: the positions that users have in their hands, by what they offer.

Rendering needs positions only, so it knows views, tables and environments by their shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.errors import ConfigError
from carrom.layout import Layout
from carrom.physics.motion import Motion
from carrom.pieces import QUEEN, SLICES


class StrikeLike(Protocol):
    """A strike, as ``carrom.Strike``."""

    def check(self, board: Board) -> None:
        """Refuse a strike that cannot be made on ``board``."""
        ...

    def position(self, board: Board, seat: int) -> NDArray[np.float64]:
        """The striker's centre, (2,), m, board frame."""
        ...

    def velocity(self, seat: int) -> NDArray[np.float64]:
        """The striker's velocity, (2,), m/s, board frame."""
        ...


@dataclass(frozen=True, eq=False)
class Source:
    """What there is to draw.

    Attributes:
        layout: where the carrommen lie.
        board: dimensions, if they are known.
        seat: side from which is struck.
        strike: that was made.
        motion: what came of it.
        text: what was said about it.
    """

    layout: Layout
    board: Board | None = None
    seat: int = 0
    strike: StrikeLike | None = None
    motion: Motion | None = None
    text: tuple[str, ...] = ()


def source_of(position: Any) -> Source:
    """What there is to draw of a layout, view, table, environment or stroke.

    Raises:
        ConfigError: it is none of these.
    """
    if isinstance(position, Layout):
        return Source(position)
    if hasattr(position, "plays_white") and hasattr(position, "positions"):
        return Source(_seen(position), position.board)
    if hasattr(position, "before") and hasattr(position, "motion"):
        before = position.before
        return Source(
            before.layout,
            seat=before.side_of_board(position.seat),
            strike=position.strike,
            motion=position.motion,
            text=tuple(position.sentences),
        )
    # Wrappers of an environment do not show what it has beyond Gymnasium's own.
    position = getattr(position, "unwrapped", position)
    board = getattr(getattr(position, "setting", None), "board", None)
    standing = getattr(position, "standing", position)
    layout = getattr(standing, "layout", None)
    layout = layout() if callable(layout) else layout
    if not isinstance(layout, Layout):
        raise ConfigError(
            f"position of type {type(position).__name__}: expected a Layout, a View, a table, an "
            "environment or a stroke that was played"
        )
    return Source(layout, board, seat=getattr(standing, "physical_seat", 0))


def _seen(view: Any) -> Layout:
    """A view's discs in index order, in its player's frame."""
    order = np.arange(QUEEN + 1)
    if not view.plays_white:
        # His own stand first in a view, and they are the black ones.
        order = np.r_[SLICES[1], SLICES[0], QUEEN]
    return Layout(view.positions[order], view.on_board[order])

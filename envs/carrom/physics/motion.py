"""What happened during a stroke, as the physics saw it. Both engines return these."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carrom.layout import Layout
from carrom.pieces import STRIKER


@dataclass(frozen=True)
class Pocketing:
    """A disc fell.

    Attributes:
        index: the disc (``carrom.pieces.STRIKER`` for the striker).
        pocket: index into ``Board.pocket_centres``.
        time: seconds after the strike.
    """

    index: int
    pocket: int
    time: float


@dataclass(frozen=True, eq=False)
class Trajectory:
    """The stroke as a film.

    Attributes:
        times: (T,), s, from 0 to the moment of rest.
        positions: (T, 20, 2), m, board frame; a fallen disc stays where it fell.
        in_play: (T, 20), whether the disc is on the board.
    """

    times: NDArray[np.float64]
    positions: NDArray[np.float64]
    in_play: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Motion:
    """The outcome of a stroke.

    Attributes:
        layout: where the carrommen came to rest.
        pocketed: what fell, in order of falling, the striker included.
        first_touch: the carromman the striker touched first, or None.
        touched: (19,), carrommen touched by the striker or by another carromman.
        duration: seconds until everything was at rest.
        striker: (2,), m, board frame, where the striker came to rest; None if it fell.
        trajectory: the film, when asked for.
    """

    layout: Layout
    pocketed: tuple[Pocketing, ...]
    first_touch: int | None
    touched: NDArray[np.bool_]
    duration: float
    striker: NDArray[np.float64] | None
    trajectory: Trajectory | None = None

    @property
    def striker_pocketed(self) -> bool:
        """Whether the striker fell."""
        return any(pocketing.index == STRIKER for pocketing in self.pocketed)

"""What every way of showing a position asks of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carrom.errors import BoardError
from carrom.pieces import N_DISCS


def as_position(
    positions: ArrayLike, in_play: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The two arrays of a position, checked.

    Args:
        positions: (20, 2), m, board frame.
        in_play: (20,), which discs are shown.

    Raises:
        BoardError: a shape is wrong, or the place of a disc in play is not finite.
    """
    places, shown = np.asarray(positions, np.float64), np.asarray(in_play, bool)
    if places.shape != (N_DISCS, 2) or shown.shape != (N_DISCS,):
        raise BoardError(
            f"position of shapes {places.shape} and {shown.shape}: expected positions "
            f"({N_DISCS}, 2) and in_play ({N_DISCS},)"
        )
    lost = np.flatnonzero(shown & ~np.isfinite(places).all(axis=1))
    if len(lost):
        index = int(lost[0])
        raise BoardError(
            f"disc {index} at {tuple(places[index].tolist())} m: expected finite coordinates"
        )
    return places, shown

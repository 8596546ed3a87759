"""What every way of showing a position asks of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carrom.errors import BoardError
from carrom.nets import Nets
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


def checked_nets(nets: Nets, in_play: NDArray[np.bool_]) -> Nets:
    """The nets, checked against what is on the board.

    Args:
        nets: the discs in each pocket's net.
        in_play: (20,), which discs are on the board.

    Raises:
        BoardError: there are not four, or a disc is none, is on the board or in two nets.
    """
    if len(nets) != 4:
        raise BoardError(f"{len(nets)} nets: expected 4")
    held = [index for net in nets for index in net]
    for index in held:
        if index not in range(N_DISCS):
            raise BoardError(f"disc {index!r} in a net: expected a number below {N_DISCS}")
        if in_play[index] or held.count(index) > 1:
            where = "on the board" if in_play[index] else "there"
            raise BoardError(f"disc {index} in a net is {where} a second time")
    return nets

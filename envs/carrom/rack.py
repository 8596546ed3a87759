"""The starting position of a board (law 41.a).

The queen lies on the centre; six carrommen of alternating colours surround her, twelve
surround those. The hexagonal packing used here is the one in which every neighbouring pair
touches and the three arms of the white "Y" are straight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.errors import ConfigError

_ROOT3 = 3.0**0.5

# Centres in units of half the spacing of neighbours, breaker at negative y, in index order.
_WHITE = [
    *[(0, -2), (_ROOT3, 1), (-_ROOT3, 1)],  # the Y, inner ring
    *[(0, -4), (2 * _ROOT3, 2), (-2 * _ROOT3, 2)],  # the Y, outer ring
    *[(2 * _ROOT3, -2), (0, 4), (-2 * _ROOT3, -2)],  # outer ring
]
_BLACK = [
    *[(_ROOT3, -1), (0, 2), (-_ROOT3, -1)],  # inner ring
    *[(_ROOT3, -3), (2 * _ROOT3, 0), (_ROOT3, 3)],  # outer ring
    *[(-_ROOT3, 3), (-2 * _ROOT3, 0), (-_ROOT3, -3)],
]
_LATTICE = np.array([*_WHITE, *_BLACK, (0.0, 0.0)])


@dataclass(frozen=True)
class Packing:
    """How tightly the carrommen are packed.

    Attributes:
        gap: mean gap between neighbours, m.
        jitter: half width of the random shift of each gap, m. A rack that touches exactly
            is indeterminate: its outcome hangs on the last micrometre.
    """

    gap: float
    jitter: float

    def __post_init__(self) -> None:
        # Both coordinates of both neighbours shift by at most jitter / 2 each.
        if not (self.gap >= 0 and self.jitter >= 0 and self.jitter * 2**0.5 <= self.gap):
            raise ConfigError(
                f"packing gap = {self.gap!r} m, jitter = {self.jitter!r} m: expected gap >= 0 "
                "and 0 <= jitter <= gap / sqrt(2), or neighbours would overlap"
            )


TIGHT = Packing(gap=0.02e-3, jitter=0.005e-3)
"""As players pack it."""
LOOSE = Packing(gap=0.2e-3, jitter=0.08e-3)
"""As left by careless hands. Few contacts of a break overlap in time, but those that do still
count: with impulses one after the other a break pockets 0.39 carrommen, with springs, as in
MuJoCo, 0.53."""

PACKINGS = {"tight": TIGHT, "loose": LOOSE}


def lattice(board: Board, packing: Packing, orientation: float) -> NDArray[np.float64]:
    """The rack before its gaps are jittered; arguments and result as of ``rack``."""
    spacing = board.carromman_diameter + packing.gap
    cos, sin = np.cos(orientation), np.sin(orientation)
    return _LATTICE @ np.array([[cos, sin], [-sin, cos]]) * (spacing / 2)


def rack(
    board: Board,
    rng: np.random.Generator,
    *,
    packing: Packing = TIGHT,
    orientation: float = 0.0,
) -> NDArray[np.float64]:
    """Positions of the 19 carrommen at the start of a board (41.a).

    Args:
        board: gives the carromman's size.
        rng: draws the jitter: each coordinate shifts by at most half of it.
        packing: gap and jitter.
        orientation: angle in radians, counter-clockwise, by which the rack is turned from
            the one whose "Y" has its stem towards the seat at negative y. The laws leave
            it free (U14).

    Returns:
        float64 array of shape (19, 2), board frame, in index order.
    """
    shift = rng.uniform(-packing.jitter / 2, packing.jitter / 2, size=_LATTICE.shape)
    return lattice(board, packing, orientation) + shift

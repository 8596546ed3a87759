"""The index order of the discs, and their colours.

Every array over pieces in this package uses one order: nine white, nine black, the queen,
and, where the striker belongs to the array, the striker last. So a colour is a slice.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Colour(IntEnum):
    """Colour of a disc. The breaker's side plays white on that board (43)."""

    WHITE = 0
    BLACK = 1
    QUEEN = 2
    STRIKER = 3

    @property
    def opponent(self) -> Colour:
        """The other side's colour; only white and black have one."""
        return Colour(1 - self)


N_PER_SIDE = 9
N_CARROMMEN = 19
"""Eighteen carrommen (4) and the queen."""
N_DISCS = 20
"""The carrommen and the striker."""
QUEEN = 18
"""Index of the queen (12)."""
STRIKER = 19
"""Index of the striker."""

SLICES = (slice(0, 9), slice(9, 18))
"""Where the white and the black carrommen stand in an array over pieces."""

COLOURS = np.repeat([Colour.WHITE, Colour.BLACK, Colour.QUEEN, Colour.STRIKER], [9, 9, 1, 1])
"""Colour of each of the 20 discs."""
COLOURS.setflags(write=False)

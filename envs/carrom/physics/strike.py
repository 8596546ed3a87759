"""A strike: how a player sends off the striker."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board, to_board


@dataclass(frozen=True)
class Strike:
    """What a player decides, in the frame of his own seat.

    Attributes:
        place: the striker centre's x on the base line, m, positive to the player's right.
        direction: angle of the strike, rad, counter-clockwise from straight ahead.
        speed: speed the striker is given, m/s.
        forward: how far the centre stands forward of the middle between the base lines, m.
            Anything but about zero is improper (130.a).
    """

    place: float
    direction: float
    speed: float
    forward: float = 0.0

    def position(self, board: Board, seat: int) -> NDArray[np.float64]:
        """The striker's centre, (2,), m, board frame."""
        return to_board(np.array([self.place, board.base_line_y + self.forward]), seat)

    def velocity(self, seat: int) -> NDArray[np.float64]:
        """The striker's velocity, (2,), m/s, board frame."""
        heading = np.array([-math.sin(self.direction), math.cos(self.direction)])
        return to_board(self.speed * heading, seat)

"""A strike: how a player sends off the striker."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board, to_board
from carrom.errors import ConfigError
from carrom.finite import is_finite

_SLACK = 1e-9
"""How far the striker may reach into the frame, m: what rounding may do."""


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

    def check(self, board: Board) -> None:
        """Refuse a strike that cannot be made on ``board``, proper or not.

        Raises:
            ConfigError: a number is not finite, the speed is negative, or the striker does
                not lie wholly on the playing surface; names the values and the range.
        """
        numbers = (self.place, self.direction, self.speed, self.forward)
        if not all(map(is_finite, numbers)) or self.speed < 0:
            raise ConfigError(f"{self}: expected finite numbers and a speed >= 0")
        reach = board.half_side - board.striker_radius
        x, y = abs(self.place), abs(board.base_line_y + self.forward)
        corner_x, corner_y = x - board.pocket_offset, y - board.pocket_offset
        outside = max(x, y) - reach
        if corner_x > 0 and corner_y > 0:
            outside = math.hypot(corner_x, corner_y) + board.striker_radius - board.pocket_radius
        if outside > _SLACK:
            raise ConfigError(
                f"place = {self.place!r} m, forward = {self.forward!r} m: the striker would lie "
                f"in the frame; expected place in [{-reach:.5f}, {reach:.5f}] and forward in "
                f"[{-reach - board.base_line_y:.5f}, {reach - board.base_line_y:.5f}], clear of "
                "the rounded corners"
            )

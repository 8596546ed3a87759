"""Where carrommen have to lie so that a shot of a given kind is on.

Points are complex numbers, metres, in the frame of the player who strikes. The *ghost* is
where a disc stands when it touches the carromman that it sends into a pocket: on the line from
the pocket's centre through the carromman's, a sum of radii behind it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from carrom.baseline import legal_places
from carrom.board import Board
from carrom.errors import ConfigError

BOARD = Board()
POCKETS = tuple(complex(x, y) for x, y in BOARD.pocket_centres.tolist())
"""Near right, far right, far left, near left."""
TOUCHING = BOARD.striker_radius + BOARD.carromman_radius
"""Distance of the striker's centre from a carromman's when they touch, m."""
_SIDES = np.concatenate([np.linspace(low, high, 41) for low, high in legal_places(BOARD)])
"""Places that are tried, m."""


def unit(way: complex) -> complex:
    """The direction of ``way``."""
    return way / abs(way)


def origin(place: float) -> complex:
    """Where the striker stands."""
    return complex(place, BOARD.base_line_y)


def ghost(carromman: complex, aim: complex, apart: float = TOUCHING) -> complex:
    """Where a disc stands that sends ``carromman`` straight to ``aim``."""
    return carromman - apart * unit(aim - carromman)


def straight(place: float, pocket: int, distance: float) -> complex:
    """The carromman ``distance`` before a pocket on the line from a striker's place to it."""
    centre = POCKETS[pocket]
    return centre - distance * unit(centre - origin(place))


def least_cut(carromman: complex, aim: complex) -> float:
    """Angle in rad of the fullest contact, of those from all legal places, that sends it there."""
    ways = ghost(carromman, aim) - (_SIDES + 1j * BOARD.base_line_y)
    cosines = (ways.conjugate() * unit(aim - carromman)).real / np.abs(ways)
    return math.acos(min(float(cosines.max()), 1.0))


def cut(pocket: int, distance: float, angle: float) -> complex:
    """The carromman ``distance`` before a far pocket that cannot be hit fuller than ``angle``.

    Args:
        pocket: 1 or 2, the far ones.
        distance: m.
        angle: rad, between the striker's way and the carromman's.

    Raises:
        ConfigError: so near a pocket there is no cut as thin as that.
    """
    centre = POCKETS[pocket]
    # From straight ahead towards the frame on the pocket's side: ever thinner.
    inward = 1 if centre.real < 0 else -1

    def lying(turn: float) -> complex:
        return centre + distance * complex(inward * math.sin(turn), -math.cos(turn))

    low, high = math.radians(30), math.radians(88)
    if least_cut(lying(high), centre) < angle:
        raise ConfigError(
            f"cut of {math.degrees(angle):.0f} degrees at {distance} m: expected a fuller one, or "
            "more distance"
        )
    for _ in range(40):
        middle = (low + high) / 2
        thin_enough = least_cut(lying(middle), centre) >= angle
        low, high = (low, middle) if thin_enough else (middle, high)
    return lying(high)


def before(pocket: int, distance: float, turn: float) -> complex:
    """The carromman ``distance`` before a pocket, seen from it at ``turn`` to the diagonal, rad."""
    centre = POCKETS[pocket]
    return centre - distance * unit(centre) * complex(math.cos(turn), math.sin(turn))


def behind(carromman: complex, aim: complex, gap: float, turn: float = 0.0) -> complex:
    """A carromman that can send another to ``aim``.

    Args:
        carromman: the other.
        aim: where it is to go.
        gap: free way between the two, m.
        turn: angle by which the one comes off the line of the other's way, rad.
    """
    stands = ghost(carromman, aim, BOARD.carromman_diameter)
    return stands - gap * unit(aim - carromman) * complex(math.cos(turn), math.sin(turn))


def blockers(carromman: complex, pockets: Sequence[int], share: float) -> list[complex]:
    """Carrommen that close the straight ways to some pockets, at a share of the way there."""
    return [carromman + share * (POCKETS[pocket] - carromman) for pocket in pockets]


def gate(carromman: complex, aim: complex, share: float, free: float) -> list[complex]:
    """Two carrommen on either side of the way to ``aim``, with ``free`` m beside a carromman."""
    way = aim - carromman
    across = 1j * unit(way) * (BOARD.carromman_diameter + free)
    return [carromman + share * way + across, carromman + share * way - across]

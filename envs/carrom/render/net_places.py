"""How the discs in a pocket's net lie: in layers of three, sunk in towards the middle.

Nobody's law, and nothing the physics knows: it only has to look like a heap.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.render.scene import NET_DEPTH

_LAYER = 3
_TILT = math.radians(9)
"""By which the discs of a layer lean towards the middle."""
_TURN = math.radians(137.5)
"""Of each layer against the one below: no two layers lie alike."""
_LIFT = 1.06
"""Height of a layer, in thicknesses of a carromman: they lean."""


def places_in_net(
    board: Board, pocket: int, count: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the discs in a net lie, the first that fell undermost.

    Args:
        board: dimensions.
        pocket: index into ``Board.pocket_centres``.
        count: how many discs there are.

    Returns:
        Places (count, 3), m, of the middles of their lower sides, z upwards from the playing
        surface, and their turns, unit quaternions (count, 4), real part first.
    """
    places, turns = np.zeros((count, 3)), np.zeros((count, 4))
    layers = -(-count // _LAYER)
    # More than the ten for which there must be room (equipment, nets) are pressed together.
    room = NET_DEPTH - board.carromman_thickness
    lift = min(_LIFT * board.carromman_thickness, room / max(layers - 1, 1))
    for index in range(count):
        layer, slot = divmod(index, _LAYER)
        members = min(count - layer * _LAYER, _LAYER)
        # Side by side: two touch in the middle, three touch each other around it.
        away = 0.0 if members == 1 else board.carromman_radius / math.sin(math.pi / members)
        angle = _TURN * (layer + pocket) + 2 * math.pi * slot / members
        aside = np.array([math.cos(angle), math.sin(angle)])
        places[index, :2] = board.pocket_centres[pocket] + away * aside
        places[index, 2] = -NET_DEPTH + layer * lift
        # Turned about the axis that lowers the side towards the middle.
        half = (_TILT if away else 0.3 * _TILT) / 2
        turns[index] = math.cos(half), *(math.sin(half) * np.array([aside[1], -aside[0]])), 0.0
        places[index, 2] += board.carromman_radius * math.sin(2 * half)
    return places, turns

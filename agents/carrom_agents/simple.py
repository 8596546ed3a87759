"""A player that knows what is its own and nothing else: one step above a random one."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from carrom.opponents import random_player
from carrom.physics.strike import Strike
from carrom.pieces import QUEEN
from carrom.view import OWN, QueenStatus, View


def random_coin(view: View, rng: np.random.Generator, /) -> Strike:
    """Strikes at the centre of a random carromman, at random speed from a random free place.

    The carromman is one of his own, or the queen where he may take her (92, 95). Whatever lies
    in the way, and where it goes from there, is left to chance.
    """
    drawn = random_player(view, rng)
    targets = np.flatnonzero(view.on_board[OWN])
    if view.queen == QueenStatus.ON_BOARD and view.queen_allowed:
        targets = np.append(targets, QUEEN)
    x, y = view.positions[rng.choice(targets)]
    ahead = y - (view.board.base_line_y + view.forward)
    return dataclasses.replace(drawn, direction=math.atan2(drawn.place - x, ahead))

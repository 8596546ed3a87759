"""How to open a board."""

from __future__ import annotations

import math

import numpy as np

from carrom.baseline import nearest_place
from carrom.physics.material import Material
from carrom.physics.strike import Strike
from carrom.view import View


def straight_break(view: View, rng: np.random.Generator, /) -> Strike:
    """From the middle at the centre of the board, at full force.

    Two searches found it, both on the tight rack with an expert's hand.

    On the planar engine, 13 places (0 to 0.18 m), 49 offsets from the centre (-36 to 36 mm) and
    two speeds (1 and 0.85), 8 breaks each; the 80 best by own carrommen pocketed less the
    opponent's, 40 each; the 30 best, 40 each, and the six best of those, 120 each, by the value
    own - opponent's + run - exp(-0.15 run) their / 2, where ``run`` and ``their`` are what a
    turn of either side is then good for by direct shots (``run_plan.run_value``). This one is
    worth 3.8 +- 0.1 (2.0 own carrommen pocketed, 0.1 of the opponent's, never the striker, a run
    of 3.4), the aimer's 3.2 +- 0.1.

    With MuJoCo, of 1,024 breaks drawn at random, 0 to 0.22 m aside and passing up to 50 mm beside
    the centre, the planner judged the best ten and the aimer's by what it made of the positions
    they left, 40 breaks of each: this one left it 2.6 +- 0.14 points, the aimer's 2.4 +- 0.11,
    no other more. In 120 of 120 breaks it pocketed two own carrommen.
    """
    del rng  # it is its own mirror image
    place = nearest_place(view.free_places, 0.0)
    assert place is not None, "a board without a free place is replayed (142)"
    direction = math.atan2(place, -view.board.base_line_y - view.forward)
    return Strike(place, direction, Material().full_speed, forward=view.forward)

"""Scripted players: opponents by name, and the yardstick for those that learn."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from carrom.action import MIN_SPEED
from carrom.aiming import as_complex
from carrom.baseline import nearest_place
from carrom.physics.strike import Strike
from carrom.pieces import QUEEN
from carrom.view import OWN, QueenStatus, View
from carrom_agents.aftermath import aftermath
from carrom_agents.shots import ShotOptions, Shots, direct_shots
from carrom_agents.ways import Float, Index, distance_from, others, striker_places, touching


@dataclass(frozen=True)
class BreakStrike:
    """How to open a board.

    Attributes:
        place: the striker's place, m, to the right; its mirror image is as good.
        offset: how far to the left of the board's centre the striker's centre passes, m.
        speed: as a fraction of full force.
    """

    place: float
    offset: float
    speed: float


BREAK = BreakStrike(place=0.135, offset=0.0075, speed=1.0)
"""The best of a grid of 13 places and 41 offsets, played with the MuJoCo engine on the tight
rack with expert noise: 150 breaks pocketed 2.2 own carrommen each, 0.1 of the opponent's and
never the striker."""


@dataclass(frozen=True)
class Aimer:
    """Plays the direct shot with the best prospects; without one, stirs its own carrommen.

    A shot is worth the chance that its carromman falls, less what the striker is likely to
    spoil. The queen is shot at when she may be taken (92, 95) and an own carromman is ready
    to cover her; the last own carromman is spared while the queen is on the board (107).
    Nothing is simulated: a decision takes about a millisecond.

    Attributes:
        options: which shots there are, and what is believed of the board and the hand.
        queen_worth: carrommen that the queen is worth to him when her cover is sure.
        due_cost: carrommen that it costs him when the striker falls.
        opponent_cost: carrommen that it costs him to pocket one of the opponent's.
        least_value: what a shot must be worth to be played.
        stir_speed: speed of the strike when there is no shot, m/s.
    """

    options: ShotOptions = field(default_factory=ShotOptions)
    queen_worth: float = 2.5
    due_cost: float = 1.5
    opponent_cost: float = 1.0
    least_value: float = 0.02
    stir_speed: float = 4.0

    def __call__(self, view: View, rng: np.random.Generator, /) -> Strike:
        """Decide the next strike in the position ``view``."""
        if view.break_to_be_made:
            return self._break(view, rng)
        targets = _targets(view)
        shots = direct_shots(view, targets, self.options)
        value = self._value(view, shots)
        best = int(np.argmax(value)) if len(shots) else None
        if best is None or value[best] < self.least_value:
            own = targets[targets != QUEEN]
            return self._stir(view, own if len(own) else targets)
        return Strike(
            place=float(shots.place[best]),
            direction=float(shots.direction[best]),
            speed=float(shots.speed[best]),
        )

    def _value(self, view: View, shots: Shots) -> Float:
        after = aftermath(view, shots, self.options.material)
        is_queen = shots.carromman == QUEEN
        own_chances = shots.chance[~is_queen]
        # With the last carromman spared (107) there is nothing but the queen to play for.
        cover = own_chances.max(initial=0.0) if np.count_nonzero(view.on_board[OWN]) > 1 else 1.0
        worth = np.where(is_queen, self.queen_worth * cover, 1.0)
        spoilt = self.due_cost * after.striker_falls + self.opponent_cost * after.opponent_falls
        return worth * shots.chance - spoilt

    def _break(self, view: View, rng: np.random.Generator) -> Strike:
        side = 1 if rng.random() < 0.5 else -1
        place = nearest_place(view.free_places, side * BREAK.place)
        assert place is not None, "a board without a free place is replayed (142)"
        to_centre = complex(-place, -view.board.base_line_y)
        turn = math.asin(side * BREAK.offset / abs(to_centre))
        return Strike(
            place=place,
            direction=math.atan2(-to_centre.real, to_centre.imag) + turn,
            speed=BREAK.speed * self.options.material.full_speed,
        )

    def _stir(self, view: View, carrommen: Index) -> Strike:
        """Hit a carromman full, if possible towards a pocket and with nothing before it."""
        options = self.options
        places = striker_places(view, options.middle_places, options.circle_places)
        if not len(carrommen):  # nothing may be pocketed: leave everything where it is
            return Strike(place=float(places[len(places) // 2]), direction=0.0, speed=MIN_SPEED)
        carromman = np.repeat(carrommen, len(places))
        place = np.tile(places, len(carrommen))
        start = place + 1j * view.board.base_line_y
        centre = as_complex(view.positions)[carromman]
        way = centre - start
        heading = way / np.abs(way)
        clearance = distance_from(start, centre, others(view, carromman)).min(axis=1)
        free = clearance >= touching(view.board) + options.striker_gap
        to_pocket = as_complex(view.board.pocket_centres) - centre[:, None]
        aimed = (to_pocket * heading.conjugate()[:, None]).real / np.abs(to_pocket)
        # A free way counts before everything; then the pocket, which is worth at most 2.
        best = int(np.argmax(10.0 * free + aimed.max(axis=1) - np.abs(way)))
        return Strike(
            place=float(place[best]),
            direction=math.atan2(-heading[best].real, heading[best].imag),
            speed=self.stir_speed,
        )


def _targets(view: View) -> Index:
    """The carrommen he may shoot at: his own, and the queen if he may take her."""
    wanted = np.zeros_like(view.on_board)
    wanted[OWN] = view.on_board[OWN]
    if view.queen == QueenStatus.ON_BOARD:
        if np.count_nonzero(view.on_board[OWN]) == 1:  # 107: the board would be lost
            wanted[OWN] = False
        wanted[QUEEN] = view.queen_allowed
    return np.flatnonzero(wanted)


aimer = Aimer()
"""The aimer with its ordinary settings: the opponent called ``aimer``."""

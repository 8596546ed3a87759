"""Scripted players: opponents by name, and the yardstick for those that learn."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from carrom.action import MIN_SPEED
from carrom.baseline import nearest_place
from carrom.board import Board
from carrom.physics.strike import Strike
from carrom.pieces import N_PER_SIDE, QUEEN
from carrom.view import OWN, QueenStatus, View
from carrom_agents.aftermath import Aftermath, aftermath
from carrom_agents.shots import ShotOptions, Shots, direct_shots
from carrom_agents.ways import (
    Float,
    Index,
    clearance,
    heading_of,
    least,
    length,
    others,
    pocket_centres,
    standing,
    striker_places,
    touching,
)

TARGETS = np.array([*range(N_PER_SIDE), QUEEN])
"""Indices in the view of what may ever be shot at."""


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
        wanted = wanted_targets(view.on_board, view.queen, view.queen_allowed)
        targets = TARGETS[wanted]
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

    def spoilt(self, after: Aftermath) -> Any:
        """Carrommen that it costs him what happens beside shots."""
        return self.due_cost * after.striker_falls + self.opponent_cost * after.opponent_falls

    def _value(self, view: View, shots: Shots) -> Float:
        obstacles = others(standing(view.positions, view.on_board)[:, None], shots.carromman)
        after = aftermath(view.board, shots, obstacles, self.options.material)
        is_queen = shots.carromman == QUEEN
        own_chances = shots.chance[~is_queen]
        # With the last carromman spared (107) there is nothing but the queen to play for.
        cover = own_chances.max(initial=0.0) if np.count_nonzero(view.on_board[OWN]) > 1 else 1.0
        worth = np.where(is_queen, self.queen_worth * cover, 1.0)
        return worth * shots.chance - self.spoilt(after)

    def _break(self, view: View, rng: np.random.Generator) -> Strike:
        side = 1 if rng.random() < 0.5 else -1
        place = nearest_place(view.free_places, side * BREAK.place)
        assert place is not None, "a board without a free place is replayed (142)"
        return Strike(
            place=place,
            direction=float(break_direction(view.board, np.float64(place), side)),
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
        pieces = standing(view.positions, view.on_board)
        centre, obstacles = pieces[carromman], others(pieces[:, None], carromman)
        best = int(np.argmax(stirring(view.board, place, centre, obstacles, options)))
        way = centre[best] - (place[best] + 1j * view.board.base_line_y)
        return Strike(
            place=float(place[best]),
            direction=math.atan2(-way.real, way.imag),
            speed=self.stir_speed,
        )


def wanted_targets(on_board: Any, queen: Any, queen_allowed: Any) -> Any:
    """Which of ``TARGETS`` he may shoot at, bool (10,).

    Args:
        on_board: bool (19,), see ``View``.
        queen: as in ``View``.
        queen_allowed: as in ``View``.
    """
    xp = on_board.__array_namespace__()
    own, lies = on_board[OWN], queen == QueenStatus.ON_BOARD
    spared = lies & (xp.sum(own) == 1)  # 107: the board would be lost
    return xp.concatenate([own & ~spared, xp.asarray(lies & queen_allowed)[None]])


def break_direction(board: Board, place: Any, side: Any) -> Any:
    """Direction of the break from a place, rad.

    Args:
        board: the board.
        place: the striker's, m.
        side: 1 to break from the right, -1 for its mirror image.
    """
    xp = np if isinstance(place, np.floating) else place.__array_namespace__()
    turn = xp.arcsin(side * BREAK.offset / xp.hypot(place, board.base_line_y))
    return xp.arctan2(place, -board.base_line_y) + turn


def stirring(board: Board, place: Any, centre: Any, obstacles: Any, options: ShotOptions) -> Any:
    """How good it is to hit carrommen full, (..., n).

    A free way counts before everything; then the pocket, which is worth at most 2, less the
    length of the way.

    Args:
        board: the board.
        place: the striker's, m, (..., n).
        centre: of the carrommen, (n,).
        obstacles: (m, n), the carrommen beside each of them.
        options: say what is free.
    """
    start = place + 1j * board.base_line_y
    way = centre - start
    heading = heading_of(way)
    free = clearance(start, centre, obstacles) >= touching(board) + options.striker_gap

    def astray(pocket: Any) -> Any:
        to_pocket = pocket - centre
        return -(to_pocket * heading.conjugate()).real / length(to_pocket)

    aimed = -least(astray, pocket_centres(board, heading))
    return 10.0 * free + aimed - length(way)


aimer = Aimer()
"""The aimer with its ordinary settings: the opponent called ``aimer``."""

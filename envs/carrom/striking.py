"""Strikes on many tables at once: from what was meant to what the umpire is told."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from carrom.baseline import line_band, nearest_place, striker_faults
from carrom.board import Board, to_seat
from carrom.errors import PhysicsError
from carrom.incident import Attempt
from carrom.laws import Event, StrokeFacts, foul_by, rule_many_jit
from carrom.layout import Layout
from carrom.physics.motion import Motion
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.planar.engine import PlanarEngine
from carrom.physics.strike import Strike
from carrom.pieces import QUEEN, SLICES
from carrom.table import Table
from carrom.umpiring import take_up
from carrom.view import View

_log = logging.getLogger(__name__)

_STRAIGHT = 1e-6
"""Relative length by which a way that met nothing may differ from the straight one."""


@dataclass(frozen=True)
class Physics:
    """Many strokes at once on one engine.

    Attributes:
        engine: computes them.
        film_rate: frames per second of their films, or None for no films.
    """

    engine: MujocoEngine | PlanarEngine
    film_rate: float | None = None

    def play(
        self, layouts: Sequence[Layout], strikes: Sequence[Strike], seats: Sequence[int]
    ) -> list[Motion | PhysicsError]:
        """The outcome of each strike on its layout from its seat, or why there is none."""
        return [self._outcome(*stroke) for stroke in zip(layouts, strikes, seats, strict=True)]

    def _outcome(self, layout: Layout, strike: Strike, seat: int) -> Motion | PhysicsError:
        try:
            return self.engine.play(layout, strike, seat, trajectory_rate=self.film_rate)
        except PhysicsError as error:
            _log.warning("a stroke diverged and its board is void (140): %s", error)
            return error


def strike_all(physics: Physics, tables: Sequence[Table], strikes: Sequence[Strike]) -> None:
    """One stroke on each table, and the umpire's ruling as far as nobody has to be asked."""
    if not tables:
        return
    attempts = [_as_made(t, strike) for t, strike in zip(tables, strikes, strict=True)]
    struck = [(t.position, a.strike) for t, a in zip(tables, attempts, strict=True) if a.possible]
    outcomes = iter(
        physics.play(
            [position.layout for position, _ in struck],
            [strike for _, strike in struck],
            [position.physical_seat for position, _ in struck],
        )
    )
    attempts = [
        dataclasses.replace(a, outcome=next(outcomes)) if a.possible else a for a in attempts
    ]
    facts = [_facts(t, attempt) for t, attempt in zip(tables, attempts, strict=True)]
    rulings = rule_many_jit(
        [t.position.match for t in tables], facts, format=tables[0].setting.format
    )
    for table, attempt, told, ruled in zip(tables, attempts, facts, rulings, strict=True):
        table.strokes += 1
        if attempt.motion is not None:
            table.note_falls(attempt.motion)
        take_up(table, table.position.seat, told, *ruled, attempt)


def _as_made(table: Table, strike: Strike) -> Attempt:
    """The strike with execution noise, put back on a free place unless placing is strict."""
    made = table.setting.noise.apply(strike, table.streams.noise)
    view = table.view
    if table.setting.strict:
        if _disturbs(made, view):
            return Attempt(made, breach="134", possible=False, meant=strike)
        faults = striker_faults(view.board, made.place, made.forward)
        return Attempt(made, breach=faults[0] if faults else None, meant=strike)
    place = nearest_place(view.free_places, made.place)
    assert place is not None, "a board without a free place was replayed (142)"
    return Attempt(dataclasses.replace(made, place=place, forward=view.forward), meant=strike)


def _disturbs(strike: Strike, view: View) -> bool:
    """Whether the striker would be set onto a carromman (134)."""
    reach = view.board.striker_radius + view.board.carromman_radius
    spot = np.array([strike.place, view.board.base_line_y + strike.forward])
    gaps = np.hypot(*(view.positions - spot).T)
    return bool(np.any(view.on_board & (gaps < reach)))


def _facts(table: Table, attempt: Attempt) -> StrokeFacts:
    """What the umpire is told about a stroke."""
    position = table.position
    if attempt.failure is not None:
        # To restore the position (A18) could go on for ever: the same strike would fail again.
        return StrokeFacts.without_stroke(Event.VOID)
    motion = attempt.motion
    if motion is None:
        # The carrommen are put back; what is left is the foul (134, 63, 64).
        event = foul_by(position.seat, position.match, table.setting.format)
        return StrokeFacts.without_stroke(event, breach=attempt.breach)
    if _slipped(table.setting.board, position.physical_seat, attempt.strike, motion):
        return StrokeFacts.without_stroke(Event.NO_STROKE)
    fallen = [pocketing.index for pocketing in motion.pocketed]
    white, black = (sum(part.start <= i < part.stop for i in fallen) for part in SLICES)
    return StrokeFacts.shot(
        proper=attempt.breach is None,
        breach=attempt.breach,
        touched=motion.first_touch is not None,
        pocketed=(white, black),
        queen=QUEEN in fallen,
        striker=motion.striker_pocketed,
    )


def _slipped(board: Board, seat: int, strike: Strike, motion: Motion) -> bool:
    """Whether the striker left neither base line and moved nothing: no stroke (127.b)."""
    if motion.first_touch is not None or motion.striker is None:
        return False
    low, high = line_band(board)
    if not low <= strike.forward <= high:
        return False
    way = to_seat(motion.striker, seat) - (strike.place, board.base_line_y + strike.forward)
    # Slowed evenly, a disc that meets nothing slides half as far as at its first speed.
    straight = strike.speed * motion.duration / 2
    returned = np.hypot(*way) < straight * (1 - _STRAIGHT)
    return not returned and bool(low <= strike.forward + way[1] <= high)

"""Which of the umpire's procedures a stroke or event calls for, and whether the turn passes."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from carrom.laws.finish import Ending
from carrom.laws.state import BoardState, MatchFormat
from carrom.laws.stroke import Event, StrokeFacts
from carrom.laws.tables import Verdict
from carrom.laws.view import View

BREAK_ATTEMPTS = 3
"""Attempts at the break before the right to it is lost (45.a, A21)."""


class Course(NamedTuple):
    """The course of events; bools unless said otherwise.

    Exactly one of ``attempt``, ``played``, ``technical``, ``slip``, ``ended`` and ``void`` holds.

    Attributes:
        is_stroke: the event can pocket something: a shot, an early break, a foul.
        makes_break: the break is made by this stroke (44).
        attempt: the break is still to be made and nothing was touched (45).
        attempts_left: such an attempt, and the player may try again.
        played: the tables decide, and the board goes on.
        technical: a technical foul; nothing was played (63).
        slip: no stroke at all; nothing changes (127.b).
        ended: the board ends.
        void: the board is to be replayed (137, 140, 142).
        idle_void: it is because of too many idle turns (137).
        idle_turns: int32, turns in a row in which nothing was touched.
        keep: the board goes on and the turn is kept.
        lost: the board goes on and the turn passes.
    """

    is_stroke: jax.Array
    makes_break: jax.Array
    attempt: jax.Array
    attempts_left: jax.Array
    played: jax.Array
    technical: jax.Array
    slip: jax.Array
    ended: jax.Array
    void: jax.Array
    idle_void: jax.Array
    idle_turns: jax.Array
    keep: jax.Array
    lost: jax.Array

    @property
    def continues(self) -> jax.Array:
        """The board goes on."""
        return self.keep | self.lost

    @property
    def settles(self) -> jax.Array:
        """It goes on, and debts are paid as far as they can be."""
        return self.continues & ~self.slip


def steer(
    board: BoardState,
    facts: StrokeFacts,
    view: View,
    verdict: Verdict,
    ending: Ending,
    format: MatchFormat,
) -> Course:
    """Find the course: 45 before 137, 137 before the end of the board, that before the tables."""
    event = facts.event
    is_strike = (event == Event.SHOT) | (event == Event.EARLY_BREAK)
    is_stroke = is_strike | (event == Event.FOUL)

    # A carromman cannot leave the rack untouched, whatever the facts say.
    moved = jnp.sum(facts.pocketed) + jnp.sum(facts.overboard) > 0
    touched = facts.touched | moved | facts.pocketed_queen | facts.overboard_queen
    attempt = is_strike & ~board.break_done & ~touched
    clean_miss = attempt & view.proper & ~view.striker
    attempts_left = clean_miss & (board.break_attempts_failed + 1 < BREAK_ATTEMPTS)

    # A turn is idle when it passes and none of its strokes touched anything (137, A1).
    passes = is_stroke & ~attempt & ~verdict.keep
    idle = passes & board.break_done & ~facts.touched & ~board.touched_in_turn
    idle_turns = jnp.where(is_stroke & facts.touched, 0, board.idle_turns) + idle
    idle_void = idle & (idle_turns >= format.idle_limit)

    counts = is_stroke & ~attempt & ~idle_void
    ended = ending.over & (counts | ~is_stroke)
    played = counts & ~ended
    technical = (event == Event.TECHNICAL_FOUL) | (event == Event.TECHNICAL_FOUL_OPPONENT)
    technical |= event == Event.TECHNICAL_FOUL_PARTNER
    slip = event == Event.NO_STROKE
    keep = technical | slip | attempts_left | (played & verdict.keep)
    return Course(
        is_stroke=is_stroke,
        makes_break=is_stroke & touched & ~board.break_done,
        attempt=attempt,
        attempts_left=attempts_left,
        played=played,
        technical=technical,
        slip=slip,
        ended=ended,
        void=idle_void | (event == Event.NO_STRIKER_SPACE) | (event == Event.VOID),
        idle_void=idle_void,
        idle_turns=idle_turns,
        keep=keep,
        lost=(played | attempt) & ~keep,
    )

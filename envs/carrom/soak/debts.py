"""What has to be charged, put back, waived and left owing (13, 14, 72.c, 78, 79.a, 83, 87.a)."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from carrom.laws import Event, MatchState, StrokeFacts
from carrom.pieces import N_PER_SIDE
from carrom.soak.expected import Course
from carrom.soak.rows import Seen


class Debts(NamedTuple):
    """Int32 (2,) per colour unless said otherwise.

    Attributes:
        dues: bool, a due is charged.
        penalties: bool, a penalty is charged.
        back: int32, own carrommen that come out and find room.
        paid: dues and penalties put back.
        waived: dues and penalties that the creditor waives.
        waiting: those that are available but find no room.
        left: what is still owed.
        stranded: of that, carrommen that came out and found no room (U28).
        down: bool, a carromman was down once (U16).
    """

    dues: jax.Array
    penalties: jax.Array
    back: jax.Array
    paid: jax.Array
    waived: jax.Array
    waiting: jax.Array
    left: jax.Array
    stranded: jax.Array
    down: jax.Array


def settle(course: Course, s: Seen, facts: StrokeFacts, before: MatchState) -> Debts:
    """The debts of both sides after a stroke."""
    board, me, fate, event = before.board, before.board.striker, course.fate, facts.event
    mine, theirs = jnp.arange(2) == me, jnp.arange(2) != me
    penalty = fate["penalty"] | (course.attempt & (event == Event.EARLY_BREAK))
    penalty |= (event == Event.TECHNICAL_FOUL) | (event == Event.TECHNICAL_FOUL_PARTNER)
    penalties = mine & penalty
    penalties |= theirs & (event == Event.TECHNICAL_FOUL_OPPONENT)

    # What came out, as far as there is room for it (U28); the rest is owed.
    came_out = jnp.where(fate["own"], s.own, 0)
    back = jnp.minimum(came_out, facts.room_returned)
    kept_out = mine * (came_out - back)
    due = board.owed + (mine & fate["due"]) + penalties + kept_out
    fallen = jnp.where(course.played | course.over, facts.pocketed, 0)
    lying = board.on_board - fallen + mine * back
    # 72.c, 78.a, 83: the available ones at once, the striking side's first.
    settles = course.goes_on & ~course.slip
    available = jnp.where(settles, jnp.minimum(due, N_PER_SIDE - lying), 0)
    first = jnp.minimum(available[me], facts.room_due)
    second = jnp.minimum(available[1 - me], facts.room_due - first)
    placeable = mine * first + theirs * second
    stranded = board.stranded + kept_out
    unwaivable = jnp.minimum(placeable, stranded)
    waived = jnp.where(facts.waive, placeable - unwaivable, 0)
    left = jnp.where(course.goes_on, due - placeable, 0)
    left_stranded = jnp.where(course.goes_on, stranded - unwaivable, 0)
    down = board.has_pocketed | (lying + stranded < N_PER_SIDE)
    return Debts(
        dues=mine & fate["due"],
        penalties=penalties,
        back=back,
        paid=placeable - waived,
        waived=waived,
        waiting=available - placeable,
        left=left,
        stranded=left_stranded,
        down=down,
    )

"""Demands on dues and penalties, and on who places them (13, 14, 72.c, 78, 79, 83, 87.a)."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from carrom.laws import Event, MatchFormat, MatchState, Ruling, StrokeFacts
from carrom.laws.state import N_SEATS
from carrom.pieces import N_PER_SIDE
from carrom.soak.expected import Course
from carrom.soak.logic import Demands, any_of, side_of_seat
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


def of_payment(
    course: Course, debts: Debts, before: MatchState, after: MatchState, ruling: Ruling
) -> Demands:
    """What is charged, put back and left owing."""
    own = jnp.arange(2) == before.board.striker
    return {
        "13: a due for the striker": jnp.all(ruling.dues_charged == debts.dues),
        "14, 47, 63, 64: a penalty": jnp.all(ruling.penalties_charged == debts.penalties),
        "64.b, 73, 77, 98, 101: own come out": ruling.returned_own == debts.back,
        "78.a: debts are paid at once": jnp.all(ruling.dues_paid == debts.paid),
        "87.a: the creditor waives": jnp.all(ruling.waived == debts.waived),
        "what is put back is debts and what came out": jnp.all(
            ruling.returned == ruling.dues_paid + own * ruling.returned_own
        ),
        "72.c: the rest stays owed": jnp.all(after.board.owed == debts.left),
        "state and ruling agree on debts": jnp.all(after.board.owed == ruling.owed),
        "13: no debt is negative": jnp.all(after.board.owed >= 0),
        "55: debts are written off at the end": course.goes_on | jnp.all(after.board.owed == 0),
        "U28: stranded carrommen": jnp.all(after.board.stranded == debts.stranded),
        "92, U16: down once": course.slip | jnp.all(after.board.has_pocketed == debts.down),
    }


def of_placing(
    course: Course,
    debts: Debts,
    facts: StrokeFacts,
    before: MatchState,
    after: MatchState,
    ruling: Ruling,
    format: MatchFormat,
) -> Demands:
    """Who places, and who may place later."""
    board, me = before.board, before.board.striker
    placed, placer = ruling.returned > 0, ruling.placer_seat
    right = (board.seat + (1 if format.doubles else 2)) % N_SEATS
    # 78.b: the neighbour on the right; the striking player for what he made available.
    fresh = board.placing_seat < 0
    own = placed[me] & fresh[me]
    theirs = placed[1 - me] & fresh[1 - me] & (facts.pocketed[1 - me] > 0)
    my_side = side_of_seat(board.seat, format)
    debtor = jnp.where(jnp.arange(2) == me, my_side, 1 - my_side)
    now, waits = after.board, debts.waiting > 0
    by_law = jnp.where(jnp.arange(2) == me, right, board.seat)
    entitled = jnp.where(fresh, by_law, board.placing_seat)
    # In doubles the right moves when play comes to the partner (79.b, U30).
    partner = (entitled + 2) % N_SEATS
    passes = ruling.turn_lost & (now.seat == partner) & format.doubles
    holder = jnp.where(waits, jnp.where(passes, partner, entitled), -1)
    return {
        "a placer where something is placed": jnp.all((placer >= 0) == placed),
        "78.b.i: own carrommen by the neighbour on the right": ~own | (placer[me] == right),
        "78.b.ii: the opponent's by who pocketed them": ~theirs | (placer[1 - me] == board.seat),
        "78, 90: nobody places for his own side": jnp.all(
            ~placed | (side_of_seat(placer, format) != debtor)
        ),
        "78: placers are players": jnp.all(
            ~placed | any_of(placer == seat for seat in format.seats)
        ),
        "79: a right to place, once given, stays": jnp.all(
            fresh | ~placed | (placer == board.placing_seat)
        ),
        "79: who may place later": jnp.all(
            now.placing_seat == jnp.where(course.slip, board.placing_seat, holder)
        ),
    }

"""What is charged and put back after a stroke, and who places it (72.c, 78-83, 87.a)."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from carrom.laws.course import Course
from carrom.laws.state import N_SEATS, BoardState, MatchFormat
from carrom.laws.stroke import Event, StrokeFacts
from carrom.laws.tables import Verdict
from carrom.laws.view import View, from_striker
from carrom.pieces import N_PER_SIDE


class Payment(NamedTuple):
    """What is charged and put back; int32 (2,) per colour unless said otherwise.

    Attributes:
        dues: dues charged.
        penalties: penalties charged.
        returned: wrongly pocketed carrommen put back.
        paid: dues and penalties put back.
        waived: dues and penalties forfeited.
        owed: still outstanding.
        stranded: of these, wrongly pocketed ones that found no room.
        waiting: of those outstanding, available but without room (79.a).
        on_board: carrommen on the board after all of it.
        down: bool (2,), whether a carromman of the colour stayed down, before payment (U16).
        placer: the seat that places ``returned`` and ``paid``, -1 where there is nothing.
        holder: the seat that may place ``waiting``, -1 where there is nothing.
    """

    dues: jax.Array
    penalties: jax.Array
    returned: jax.Array
    paid: jax.Array
    waived: jax.Array
    owed: jax.Array
    stranded: jax.Array
    waiting: jax.Array
    on_board: jax.Array
    down: jax.Array
    placer: jax.Array
    holder: jax.Array


def settle(
    board: BoardState,
    facts: StrokeFacts,
    view: View,
    verdict: Verdict,
    course: Course,
    format: MatchFormat,
) -> Payment:
    """Take out what fell, put back what has to come out, pay what can be paid.

    The debts of the two sides are not set off against each other (89.a), and nobody takes
    out for his partner (90). A board that has ended or is void pays nothing (55).
    """
    me = board.striker
    dues, penalties = _charges(facts, verdict, course)
    come_out = jnp.where(verdict.own_out & course.played, view.own, 0)
    returned = jnp.minimum(come_out, facts.room_returned)
    without_room = come_out - returned

    fallen = jnp.where(course.played | course.ended, facts.pocketed, 0)
    lying = from_striker(board.on_board - fallen, me) + _pair(returned)
    owed = from_striker(board.owed, me) + dues + penalties + _pair(without_room)
    available = jnp.where(course.settles, jnp.minimum(owed, N_PER_SIDE - lying), 0)
    own = jnp.minimum(available[0], facts.room_due)
    placeable = _pair(own, jnp.minimum(available[1], facts.room_due - own))
    stranded = from_striker(board.stranded, me) + _pair(without_room)
    rescued = jnp.minimum(placeable, stranded)
    waived = jnp.where(from_striker(facts.waive, me), placeable - rescued, 0)
    paid, waiting = placeable - waived, available - placeable
    placer, holder = _placers(board, course, _pair(returned) + paid, waiting, format)

    def coloured(own_and_opponent: jax.Array) -> jax.Array:
        return from_striker(own_and_opponent, me)

    return Payment(
        dues=coloured(dues),
        penalties=coloured(penalties),
        returned=coloured(_pair(returned)),
        paid=coloured(paid),
        waived=coloured(waived),
        owed=coloured(jnp.where(course.continues, owed - placeable, 0)),
        stranded=coloured(jnp.where(course.continues, stranded - rescued, 0)),
        waiting=coloured(waiting),
        on_board=coloured(lying + paid),
        # A man that came out but waits for room is not down.
        down=coloured(lying + stranded < N_PER_SIDE),
        placer=coloured(placer),
        holder=coloured(holder),
    )


def _charges(facts: StrokeFacts, verdict: Verdict, course: Course) -> tuple[jax.Array, jax.Array]:
    """Dues and penalties of this stroke, int32 (2,) each, own and opponent's."""
    early_miss = course.attempt & (facts.event == Event.EARLY_BREAK)
    own_side = (Event.TECHNICAL_FOUL, Event.TECHNICAL_FOUL_PARTNER)
    technical = (facts.event == own_side[0]) | (facts.event == own_side[1])
    penalty = (course.played & verdict.penalty) | early_miss | technical
    return _pair(course.played & verdict.due), _pair(
        penalty, facts.event == Event.TECHNICAL_FOUL_OPPONENT
    )


def _placers(
    board: BoardState,
    course: Course,
    placed: jax.Array,
    waiting: jax.Array,
    format: MatchFormat,
) -> tuple[jax.Array, jax.Array]:
    """Who places the carrommen of each colour now, and who may place those without room.

    The player to the right of the one with the turn takes out carrommen of the latter's
    colour, the one with the turn those of the opponent's (78.b); in singles that is the
    creditor. A right once given stays with its seat until play comes to the partner (U30).

    Returns:
        int32 (2,) twice, own and opponent's, seats, -1 where there is nothing to place.
    """
    next_seat = (board.seat + format.seat_step) % N_SEATS
    by_law = _pair(next_seat, board.seat)
    held = from_striker(board.placing_seat, board.striker)
    holder = jnp.where(held >= 0, held, by_law)
    placer = jnp.where(placed > 0, holder, -1)
    if format.doubles:
        to_partner = course.lost & (next_seat == (holder + 2) % N_SEATS)
        holder = jnp.where(to_partner, next_seat, holder)
    return placer, jnp.where(waiting > 0, holder, -1)


def _pair(own: jax.Array, opponent: jax.Array | int = 0) -> jax.Array:
    return jnp.stack([jnp.asarray(own, jnp.int32), jnp.asarray(opponent, jnp.int32)])

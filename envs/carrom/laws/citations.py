"""Which laws decided: everything but the rows of the tables and the ends of the board."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from carrom.laws.course import Course
from carrom.laws.lawbook import BITS_PER_WORD, LAW_IDS, N_LAW_WORDS
from carrom.laws.payment import Payment
from carrom.laws.state import N_SEATS, BoardState, MatchFormat
from carrom.laws.stroke import Event, StrokeFacts
from carrom.laws.view import Laws, View


def of_break(course: Course, view: View, event: jax.Array) -> Laws:
    """The break: made, missed, played too early."""
    improper = view.striker | ~view.proper
    return {
        "44": course.makes_break,
        "45.a": course.attempt & ~improper,
        "45.b": course.attempt & ~course.attempts_left,
        # An early break (47) is charged, so it is not what 45.c exempts.
        "45.c": course.attempt & improper & (event == Event.SHOT),
        "47": (event == Event.EARLY_BREAK) & (course.played | course.attempt),
    }


def of_event(course: Course, view: View, facts: StrokeFacts) -> Laws:
    """What happened without, or beside, the stroke."""
    event, counts = facts.event, course.played | course.ended
    untouched = (event == Event.SHOT) & ~facts.touched & counts
    return {
        "63.a": event == Event.TECHNICAL_FOUL,
        "63.b": (event == Event.TECHNICAL_FOUL_OPPONENT) | (event == Event.TECHNICAL_FOUL_PARTNER),
        "71": untouched & (view.own + view.opp > 0),
        "113": untouched & view.queen,
        "116": facts.overboard_striker & counts,
        "127.b": course.slip,
        "137": course.idle_void,
        "140": event == Event.VOID,
        "142": event == Event.NO_STRIKER_SPACE,
    }


def of_jumps(course: Course, facts: StrokeFacts) -> Laws:
    """Carrommen and queen off the board."""
    men = jnp.sum(facts.overboard)
    queen = facts.overboard_queen.astype(jnp.int32)
    total, played = men + queen, course.played
    return {
        "65.a": played & (total > 0),
        "65.b": played & (total == 2) & (queen == 1),
        "65.c": played & (total == 2) & jnp.all(facts.overboard == 1),
        "65.d": played & (total > 2),
    }


def of_payment(board: BoardState, pay: Payment, facts: StrokeFacts, format: MatchFormat) -> Laws:
    """Dues and penalties: paid, waived, outstanding."""
    own_side = jnp.arange(2) == board.striker
    paid = pay.paid > 0
    placed = pay.returned + pay.paid > 0
    # Opponent's carrommen that this stroke made available are his to place (78.b.ii).
    self_placed = placed & ~own_side & (facts.pocketed > 0)
    neighbour = (board.seat + format.seat_step) % N_SEATS
    by_neighbour = placed & own_side & (pay.placer == neighbour)
    waived = jnp.any(pay.waived > 0)
    return {
        "72.c": jnp.any((pay.owed - pay.waiting > 0) | ((board.owed > 0) & paid)),
        "78.a": jnp.any(paid),
        # The opponent's that a technical foul of his made available (63.b) are neither.
        "78.b.i": jnp.any(by_neighbour) & format.doubles,
        "78.b.ii": jnp.any(self_placed) & format.doubles,
        "79.a": jnp.any(pay.waiting > 0),
        # A right that was given before stays with its seat, or has passed to the partner.
        "79.b": jnp.any(placed & own_side & ~by_neighbour) & format.doubles,
        "80": waived,
        "83": jnp.any(paid & (pay.owed > 0)),
        "87.a": waived,
        "89.a": jnp.all(board.owed > 0) & jnp.any(paid),
    }


def where(condition: jax.Array, laws: Laws) -> Laws:
    """The laws, none unless the condition holds."""
    return {law: holds & condition for law, holds in laws.items()}


def merge(*groups: Laws) -> Laws:
    """One dictionary; a law cited in several groups holds if it does in any."""
    merged: Laws = {}
    for group in groups:
        for law, holds in group.items():
            merged[law] = merged[law] | holds if law in merged else holds
    return merged


def words(laws: Laws, breach: jax.Array) -> jax.Array:
    """The laws as the bits of a few words, int32 (N_LAW_WORDS,), see ``lawbook.law_mask``.

    Args:
        laws: those that decided.
        breach: int32, the index of one more, or -1.
    """
    filled = [jnp.int32(0)] * N_LAW_WORDS
    for law, holds in laws.items():
        word, bit = divmod(LAW_IDS.index(law), BITS_PER_WORD)
        filled[word] = filled[word] | (holds.astype(jnp.int32) << bit)
    broken = jnp.where(jnp.arange(N_LAW_WORDS) == breach // BITS_PER_WORD, 1, 0)
    return jnp.stack(filled) | (broken << breach % BITS_PER_WORD)

"""What goes back on the board after a ruling: the counterpart of ``carrom.umpiring``.

The queen is placed by the umpire (93), wrongly pocketed carrommen and dues by the scripted
placer. What finds no room waits (79.a), and the umpire rules again on what has been laid.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from carrom.board import Board
from carrom.laws import (
    MatchFormat,
    MatchState,
    Ruling,
    StrokeFacts,
    colour_of,
    place_centre,
    place_due,
)
from carrom.pieces import COLOURS, N_CARROMMEN, QUEEN


class Ruled(NamedTuple):
    """A stroke between the umpire's first word and his last.

    Attributes:
        before: the match before it.
        facts: what the umpire was told.
        match: after his ruling.
        ruling: on these facts.
        positions: (19, 2), m, board frame, with what has been laid.
        on_board: bool (19,).
        short: bool (), something found no room: he has to rule again, on ``facts`` that say so.
    """

    before: MatchState
    facts: StrokeFacts
    match: MatchState
    ruling: Ruling
    positions: jax.Array
    on_board: jax.Array
    short: jax.Array


def goes_back(ruling: Ruling) -> jax.Array:
    """Whether anything has to be laid on the board, bool ()."""
    goes_on = ~(ruling.board_over | ruling.board_replayed)
    return goes_on & (ruling.queen_returned | jnp.any(ruling.returned > 0))


def lay(ruled: Ruled, board: Board, format: MatchFormat) -> Ruled:
    """Lay what has to be laid, as far as there is room: queen, wrongly pocketed, dues (9, U24)."""
    next_side = (ruled.match.board.seat + ruled.match.rotation) % 4

    def with_queen(ruled: Ruled) -> Ruled:
        place = place_centre(ruled.positions, ruled.on_board, next_side, board=board)
        return _with_piece(ruled, jnp.int32(QUEEN), place)

    ruled = lax.cond(ruled.ruling.queen_returned, with_queen, lambda same: same, ruled)
    own = ruled.ruling.striker
    fallen, dues = ruled.ruling.returned_own, ruled.ruling.dues_paid
    of_own, total = fallen + dues[own], fallen + jnp.sum(dues)

    def next_due(carry: tuple[jax.Array, jax.Array, Ruled]) -> tuple[jax.Array, jax.Array, Ruled]:
        laid, _, ruled = carry
        colour = jnp.where(laid < of_own, own, 1 - own)
        debtors = sides_of_colour(colour, ruled.before, format)
        place, found = place_due(ruled.positions, ruled.on_board, debtors, board=board)
        index = jnp.argmax(~ruled.on_board & (jnp.asarray(COLOURS[:N_CARROMMEN]) == colour))
        after = _with_piece(ruled, index, place)
        chosen = jax.tree.map(lambda new, old: jnp.where(found, new, old), after, ruled)
        return laid + found, found, chosen

    start = (jnp.zeros_like(total), jnp.bool_(True), ruled)
    laid, _, ruled = lax.while_loop(lambda c: (c[0] < total) & c[1], next_due, start)

    short = laid < total
    facts = dataclasses.replace(
        ruled.facts,
        room_returned=jnp.where(short, jnp.minimum(laid, fallen), ruled.facts.room_returned),
        room_due=jnp.where(short, jnp.maximum(laid - fallen, 0), ruled.facts.room_due),
    )
    return ruled._replace(facts=facts, short=short)


def sides_of_colour(colour: jax.Array, match: MatchState, format: MatchFormat) -> jax.Array:
    """Sides of the board at which the players of ``colour`` sit, bool (4,)."""
    seats = jnp.asarray(format.seats, jnp.int32)
    theirs = colour_of(seats, match.board, doubles=format.doubles) == colour
    return jnp.zeros(4, bool).at[(seats + match.rotation) % 4].set(theirs)


def _with_piece(ruled: Ruled, index: jax.Array, place: jax.Array) -> Ruled:
    return ruled._replace(
        positions=ruled.positions.at[index].set(place),
        on_board=ruled.on_board.at[index].set(True),
    )

"""The end of a board, and its points (52-55, 102-112, 51, 139)."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from carrom.laws.state import QueenState, Scalar
from carrom.laws.stroke import Event
from carrom.laws.view import Laws, View

QUEEN_POINTS = 3
QUEEN_COUNTS_BELOW = 22
"""From this score on the queen earns nothing (52.b, 54)."""
MOST_POINTS = 12
"""Most points of a board, claims included (55, A8)."""


class Ending(NamedTuple):
    """How a board ends.

    Attributes:
        over: bool.
        own_wins: bool, the striking side wins.
        points: int32, the winner's without claims.
        claims: int32, extra points the winner may claim.
        laws: the laws that say so.
    """

    over: jax.Array
    own_wins: jax.Array
    points: jax.Array
    claims: jax.Array
    laws: Laws


def ending(view: View, event: jax.Array, scores: jax.Array) -> Ending:
    """How the board would end by what happened, whether or not it is ruled to count.

    Args:
        view: the stroke.
        event: int32, an ``Event``.
        scores: int32 (2,), own and opponent's score before the board.
    """
    partner = event == Event.OUT_OF_TURN_PARTNER
    out_of_turn = (event == Event.OUT_OF_TURN) | partner
    own_lost = partner | (event == Event.BOARD_LOST)
    lost = out_of_turn | own_lost | (event == Event.BOARD_LOST_OPPONENT)
    won_by_gift = (event == Event.CONCEDE_GAME_OPPONENT) | (event == Event.CONCEDE_MATCH_OPPONENT)
    conceded = won_by_gift | (event == Event.CONCEDE_GAME) | (event == Event.CONCEDE_MATCH)
    stroke, given = by_stroke(view, scores), by_breach(view, own_lost, scores)
    special = lost | conceded
    laws = {law: holds & ~special for law, holds in stroke.laws.items()}
    for law, holds in given.laws.items():
        laws[law] = jnp.where(lost, holds, laws.get(law, False))
    # The other side than the one that concedes wins, without points (139).
    return Ending(
        over=stroke.over | special,
        own_wins=jnp.where(
            special, jnp.where(conceded, won_by_gift, given.own_wins), stroke.own_wins
        ),
        points=jnp.where(special, given.points * lost, stroke.points),
        claims=jnp.where(special, 0, stroke.claims),
        laws=laws | {"51": out_of_turn, "139": conceded},
    )


def by_stroke(view: View, scores: jax.Array) -> Ending:
    """Whether a stroke ends the board, and how.

    Args:
        view: the stroke.
        scores: int32 (2,), own and opponent's score before the board.
    """
    own_last = (view.own > 0) & (view.own == view.own_left)
    opp_last = (view.opp > 0) & (view.opp == view.opp_left)
    both = own_last & opp_last
    clean = view.proper & ~view.striker
    faults = view.striker.astype(jnp.int32) + ~view.proper
    own_queen, opp_queen = jnp.where(scores < QUEEN_COUNTS_BELOW, QUEEN_POINTS, 0)
    # "3 points, 1 from 22 on" of the laws in which the number of carrommen plays no part.
    own_flat, opp_flat = jnp.maximum(own_queen, 1), jnp.maximum(opp_queen, 1)
    own_remaining, opp_remaining = view.own_left - view.own, view.opp_left - view.opp

    # With only the own last down the stroke must be clean, or the queen still lie there:
    # a carromman that has to come out again does not end the board.
    over = opp_last | (own_last & (view.stays | clean))
    own_wins = own_last & clean & ~view.stays & ~(both & view.covered_opp)
    own_points = jnp.where(
        both, own_flat, opp_remaining + jnp.where(view.covered_opp, 0, own_queen)
    )
    opp_points = jnp.where(
        own_last,
        jnp.where(view.covered_own, 1, opp_flat),
        own_remaining + jnp.where(view.covered_own, 0, opp_queen),
    )
    points = jnp.where(own_wins, own_points, opp_points)
    claims = jnp.where(own_wins, 0, faults)
    return Ending(over, own_wins, points, claims, _laws(view, own_last, opp_last, own_wins, scores))


def _laws(
    view: View, own_last: jax.Array, opp_last: jax.Array, own_wins: jax.Array, scores: jax.Array
) -> Laws:
    both, only_own, only_opp = own_last & opp_last, own_last & ~opp_last, opp_last & ~own_last
    covered = view.covered_own | view.covered_opp
    striker, alone = view.striker, ~view.striker
    # Each law is a pair: a for a proper stroke, b for an improper one.
    pairs = {
        "102": both & view.waiting & alone,
        "103": only_opp & (view.waiting | view.queen) & alone,
        "104": both & view.queen & alone,
        "105": both & view.stays,
        "106": only_opp & view.stays & alone,
        "107": only_own & view.stays & alone,
        "108": only_own & view.stays & striker,
        "109": both & (view.queen | view.waiting) & striker,
        "110": both & view.covered_own & (striker | ~view.proper),
        "111": only_opp & ~covered & striker,
        "112": both & view.covered_opp & (striker | ~view.proper),
    }
    laws = {f"{law}.a": holds & view.proper for law, holds in pairs.items()}
    laws |= {f"{law}.b": holds & ~view.proper for law, holds in pairs.items()}
    ordinary = (only_own & own_wins) | (covered & only_opp) | (covered & both)
    below = jnp.where(own_wins, scores[0], scores[1]) < QUEEN_COUNTS_BELOW
    # The queen belongs to whoever held her, or takes her by finishing.
    holds_queen = jnp.where(own_wins, ~view.covered_opp, view.covered_opp)
    return laws | {
        "52.a": ordinary,
        "53.a": ordinary & ~both,
        "53.b": ordinary & holds_queen & below,
        "53.c": ordinary & ~holds_queen,
        "54": ordinary & holds_queen & ~below,
        "97.a": only_own & own_wins & view.queen,
        "125.a": only_opp & covered & view.proper & alone,
    }


def by_breach(view: View, own_lost: jax.Array, scores: jax.Array) -> Ending:
    """A side loses the board by a breach (51, 91, 121.b, 126.b).

    It loses by its own carrommen (A23), and the queen if she was on the board or the winners
    had covered her (U25).

    Args:
        view: the position; nothing has moved.
        own_lost: bool, it is the side with the turn.
        scores: int32 (2,), own and opponent's score before the board.
    """
    counts = jnp.where(own_lost, scores[1], scores[0]) < QUEEN_COUNTS_BELOW
    held = jnp.where(own_lost, view.covered_opp, view.covered_own)
    queen = view.stays | held
    yes = jnp.bool_(True)
    laws = {"53.a": yes, "53.b": held & counts, "54": queen & ~counts}
    left = jnp.where(own_lost, view.own_left, view.opp_left)
    points = left + jnp.where(queen & counts, QUEEN_POINTS, 0)
    return Ending(yes, ~own_lost, points, jnp.int32(0), laws)


def queen_after_end(view: View, before: Scalar, winner: jax.Array) -> jax.Array:
    """The ``QueenState`` once a stroke has ended the board: off the board she is the winner's."""
    taken = view.queen | view.waiting
    return jnp.where(taken, QueenState.COVERED_WHITE + winner, before)

"""The position and the stroke as seen by the striking side: own and opponent, no colours."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import jax
import jax.numpy as jnp

from carrom.laws.state import BoardState, Pair, QueenState, Scalar
from carrom.laws.stroke import Event, StrokeFacts
from carrom.pieces import N_PER_SIDE

Laws: TypeAlias = dict[str, jax.Array]
"""Law id -> whether it decided."""


class View(NamedTuple):
    """One stroke, colour-blind; counts and queen *before* the stroke unless said otherwise.

    Attributes:
        own_left: own carrommen on the board.
        opp_left: the opponent's.
        own: own carrommen pocketed in the stroke.
        opp: the opponent's pocketed in the stroke.
        striker: the striker was pocketed.
        queen: the queen was pocketed in the stroke.
        proper: the stroke was proper.
        due_outstanding: the striking side owes a due or a penalty (95.b).
        all_nine: all nine own carrommen are on the board (A12: before the stroke).
        never_down: all nine are, and none ever was down (95.a; not so in 95.c).
        waiting: the queen waits for this stroke to cover her.
        covered_own: the striking side holds the queen.
        covered_opp: the opponent holds the queen.
        stays: the queen is on the board before and after the stroke.
    """

    own_left: jax.Array
    opp_left: jax.Array
    own: jax.Array
    opp: jax.Array
    striker: jax.Array
    queen: jax.Array
    proper: jax.Array
    due_outstanding: jax.Array
    all_nine: jax.Array
    never_down: jax.Array
    waiting: jax.Array
    covered_own: jax.Array
    covered_opp: jax.Array
    stays: jax.Array


def from_striker(pair: Pair, striker: Scalar) -> jax.Array:
    """(white, black) as (own, opponent) of ``striker``, and back: it is its own inverse."""
    return jnp.where(striker == 0, pair, pair[::-1])


def see(board: BoardState, facts: StrokeFacts) -> View:
    """The view of the side with the turn.

    A foul without a stroke and an early break are read as improper strokes (47, 64).
    """
    me = board.striker
    own_left, opp_left = from_striker(board.on_board, me)
    own, opp = from_striker(facts.pocketed, me)
    covered_own = board.queen == QueenState.COVERED_WHITE + me
    waiting = board.queen == QueenState.WAITING
    on_board = board.queen == QueenState.ON_BOARD
    all_nine = own_left == N_PER_SIDE
    return View(
        own_left=own_left,
        opp_left=opp_left,
        own=own,
        opp=opp,
        striker=facts.pocketed_striker,
        queen=facts.pocketed_queen,
        proper=facts.proper & (facts.event == Event.SHOT),
        due_outstanding=from_striker(board.owed, me)[0] > 0,
        all_nine=all_nine,
        never_down=all_nine & ~from_striker(board.has_pocketed, me)[0],
        waiting=waiting,
        covered_own=covered_own,
        covered_opp=~(covered_own | waiting | on_board),
        stays=on_board & ~facts.pocketed_queen,
    )

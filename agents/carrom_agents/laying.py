"""Where a due is laid by a player who can say what positions are worth.

The scripted placer makes the carromman as hard for its debtor as it can (``carrom.laws.dues``).
Who weighs positions sees more: what it hides, what it blocks, and whose turn it is.
"""

from __future__ import annotations

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike, NDArray

from carrom.answering import legal_places, place_grid
from carrom.board import Board, to_seat
from carrom.decision import STRIKE_NOW, Answer, AsScripted, Kind, Placement
from carrom.functional import Functional, Sight, State
from carrom.view import OPPONENT, OWN, OWN_FIRST, QueenStatus, View
from carrom_agents.planner.position import state_of
from carrom_agents.planner.rollouts import Evaluate

_ACROSS = {status: status for status in QueenStatus} | {
    QueenStatus.WAITING: QueenStatus.THEIRS,
    QueenStatus.MINE: QueenStatus.THEIRS,
    QueenStatus.THEIRS: QueenStatus.MINE,
}
"""Where the queen is for the other side, by where she is for one's own."""


def answer(view: View, evaluate: Evaluate) -> Answer:
    """What to answer where something else than a strike has to be decided.

    A carromman is laid where the position is then worth most to who lays it; where several are
    to be laid, one after the other. Nothing is forgiven (87.a), all extra points are claimed,
    and the toss is as scripted.

    Args:
        view: of who decides.
        evaluate: gives the worth of positions.
    """
    if view.request.kind is not Kind.PLACE:
        return AsScripted()
    places = place_grid(view.board)[legal_places(view)]
    if not len(places) or not turn_holder(view).can_strike:
        # Between the places of the grid there may still be room.
        return AsScripted()
    x, y = places[np.argmax(worths(view, places, evaluate))].tolist()
    return Placement(x, y)


def worths(view: View, places: NDArray[np.float64], evaluate: Evaluate) -> NDArray[np.floating]:
    """What positions are worth to the player of ``view`` who lays a carromman at ``places``.

    Args:
        view: in which he is asked for a place, and somebody can strike afterwards.
        places: (n, 2), m, in his frame.
        evaluate: gives the worth of positions.

    Returns:
        (n,), points.
    """
    request, turn = view.request, turn_holder(view)
    own = request.own_carromman == request.own_turn
    part = OWN if own else OPPONENT
    number = part.start + int(np.argmin(turn.on_board[part]))
    on_board = turn.on_board.copy()
    on_board[number] = True
    state = state_of(dataclasses.replace(turn, on_board=on_board), _game_on(view.board))
    index = OWN_FIRST[int(not turn.plays_white)][number]
    seen = to_seat(places, request.turn)
    # Always as many: one program.
    filled = np.resize(seen, (len(place_grid(view.board)), 2)).astype(np.float32)
    sights = _laid(_game_on(view.board), state, np.int32(index), filled)
    worth = np.asarray(evaluate(sights))[: len(places)]
    return worth if request.own_turn else -worth


def turn_holder(view: View) -> View:
    """What the player who has the turn sees, as far as ``view``, another's, tells.

    It does not tell whether the other side's queen still waits for her cover: she counts as
    covered; nor whether a side with nine carrommen on the board has had one down (92).
    """
    request = view.request
    positions = to_seat(view.positions, request.turn)
    if request.own_turn:
        return dataclasses.replace(view, positions=positions, request=STRIKE_NOW)
    across = np.r_[OPPONENT, OWN, len(view.on_board) - 1]
    owed = view.owed[::-1]
    return dataclasses.replace(
        view,
        positions=positions[across],
        on_board=view.on_board[across],
        queen=_ACROSS[view.queen],
        queen_allowed=not view.on_board[OPPONENT].all() and not owed[0],
        owed=owed,
        score=view.score[::-1],
        games=view.games[::-1],
        plays_white=not view.plays_white,
        request=STRIKE_NOW,
    )


@functools.cache
def _game_on(board: Board) -> Functional:
    """The game whose positions are weighed; nothing is played in it."""
    return Functional("board", board=board)


@functools.partial(jax.jit, static_argnums=0)
def _laid(env: Functional, state: State, index: ArrayLike, places: ArrayLike) -> Sight:
    """What the one with the turn sees with the carromman ``index`` at each of ``places`` (n, 2)."""

    def one(place: jax.Array) -> Sight:
        positions = jnp.asarray(state.positions).at[index].set(place)
        return env.sight(dataclasses.replace(state, positions=positions), 0)

    return jax.vmap(one)(jnp.asarray(places))

"""From what a player sees to a state of ``carrom.functional`` in which he is to strike."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

import jax
import numpy as np

from carrom.board import Board
from carrom.functional import Functional, Sight, State
from carrom.functional.lines import Lines
from carrom.observation import encode_position
from carrom.tasks import AGENT_SEAT
from carrom.view import OPPONENT, OWN, OWN_FIRST, QUEEN_SEEN, View

_OTHER_SEAT = 2
"""Where the opponent sits, in singles."""


def state_of(view: View, env: Functional) -> State:
    """The state in which the player of seat 0 sees ``view`` and is to strike.

    A view does not tell everything that the umpire knows. Whether a side that owes something
    has had a carromman down is told by its having fewer than nine, wrongly pocketed carrommen
    that wait for room count as dues, and slams (27) are not recognised; nothing of it changes
    what a stroke earns, but for a debt owed with all nine carrommen on the board.

    Args:
        view: of singles.
        env: whose state it is; a task of boards, not the drill.

    Returns:
        A state of NumPy leaves, as far as they are known before anything is computed.
    """
    blank = _blank(env)
    own = int(not view.plays_white)
    positions, on_board = np.empty((19, 2), np.float32), np.empty(19, bool)
    order = OWN_FIRST[own]
    positions[order], on_board[order] = view.positions, view.on_board
    left = np.array([view.on_board[OWN].sum(), view.on_board[OPPONENT].sum()], np.int32)
    pocketed = (left < OWN.stop) | np.array([view.queen_allowed, False])
    begun = np.bool_(view.turn_begun)
    board = dataclasses.replace(
        blank.match.board,
        striker=np.int32(own),
        seat=np.int32(AGENT_SEAT),
        breaker_seat=np.int32(AGENT_SEAT if view.plays_white else _OTHER_SEAT),
        on_board=_by_colour(left, own),
        queen=np.int32(np.flatnonzero(QUEEN_SEEN[:, own, own] == view.queen)[0]),
        owed=_by_colour(np.array(view.owed, np.int32), own),
        has_pocketed=_by_colour(pocketed, own),
        break_done=np.bool_(not view.break_to_be_made),
        break_attempts_failed=np.int32(view.failed_breaks),
        idle_turns=np.int32(view.idle_turns),
        touched_in_turn=begun,
        strokes_in_turn=np.int32(begun),
        placing_seat=np.full(2, -1, np.int32),
    )
    game = dataclasses.replace(
        blank.match.game,
        score=np.array(view.score, np.int32),
        board_number=np.int32(view.board_number),
        winner=np.int32(-1),
    )
    match = dataclasses.replace(
        blank.match,
        board=board,
        game=game,
        game_number=np.int32(1 + sum(view.games)),
        games_won=np.array(view.games, np.int32),
        opener_seat=np.int32(AGENT_SEAT),
        winner=np.int32(-1),
    )
    return dataclasses.replace(
        blank,
        match=match,
        positions=positions,
        on_board=on_board,
        line=np.int32(_line(view)),
        winner=np.int32(-1),
    )


def sights_of(views: Sequence[View], env: Functional) -> Sight:
    """What ``env`` shows of B views: arrays with a leading axis.

    Another program is compiled for every B.
    """
    states = [state_of(view, env) for view in views]
    return _sights(env, jax.tree.map(lambda *leaves: np.stack(leaves), *states))


@functools.partial(jax.jit, static_argnums=0)
def _sights(env: Functional, states: State) -> Sight:
    return jax.vmap(functools.partial(env.sight, seat=AGENT_SEAT))(states)


@jax.jit
def encoded(sights: Sight) -> jax.Array:
    """Observations (B, 74) of sights [B]."""
    return jax.vmap(encode_position)(sights)


@functools.cache
def _blank(env: Functional) -> State:
    """A state of zeros, but for the physics."""
    shapes = jax.eval_shape(env.start, jax.random.key(0))
    zeros = jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), shapes)
    names = zeros.parameters._fields
    physics = {name: np.float32(getattr(env.material, name)) for name in names}
    return dataclasses.replace(zeros, parameters=zeros.parameters._replace(**physics))


def _by_colour(pair: np.ndarray, own: int) -> np.ndarray:
    """(own, opponent's) as white and black."""
    return pair[::-1] if own else pair


def _line(view: View) -> int:
    """Index of the line on which his striker stands; the nearest that there is (``Lines``)."""
    forward = view.forward
    if forward == 0:
        return 0
    return int(np.argmin(np.abs(lines_of(view.board).forward - forward)))


@functools.cache
def lines_of(board: Board) -> Lines:
    """The lines on which the striker is tried; they are found once for a board."""
    return Lines.of(board)

"""A position as a player sees it, as arrays: the counterpart of ``carrom.view``."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from carrom.functional.lines import Lines, Places
from carrom.functional.state import State
from carrom.laws import MatchFormat, colour_of, side_with
from carrom.laws.places import turned
from carrom.view import OWN_FIRST, QUEEN_SEEN


class Sight(NamedTuple):
    """What a player may know, turned to his seat; as ``carrom.view.View``, as JAX arrays.

    Pairs are (own, opponent's), int32 (2,). ``places`` are where his striker may stand,
    ``forward`` of the middle line. The other attributes are those of ``View``.
    """

    positions: jax.Array
    on_board: jax.Array
    queen: jax.Array
    queen_allowed: jax.Array
    owed: jax.Array
    score: jax.Array
    games: jax.Array
    board_number: jax.Array
    plays_white: jax.Array
    break_to_be_made: jax.Array
    failed_breaks: jax.Array
    idle_turns: jax.Array
    turn_begun: jax.Array
    forward: jax.Array
    places: Places


def sight_of(state: State, seat: jax.Array | int, lines: Lines, format: MatchFormat) -> Sight:
    """What the player of ``seat`` sees.

    His places are those on the line of the state, which is found for the player with the turn.
    """
    match, board = state.match, state.match.board
    seat = jnp.asarray(seat, jnp.int32)
    own = colour_of(seat, board, doubles=format.doubles)
    sides = jnp.stack([side_with(c, board, doubles=format.doubles) for c in (own, 1 - own)])
    order = jnp.asarray(OWN_FIRST)[own]
    positions = in_frame_of(side_of_board(state, seat), state.positions)
    return Sight(
        positions=positions[order],
        on_board=state.on_board[order],
        queen=jnp.asarray(QUEEN_SEEN, jnp.int32)[board.queen, own, board.striker],
        queen_allowed=board.has_pocketed[own] & (board.owed[own] == 0),
        owed=jnp.stack([board.owed[own], board.owed[1 - own]]),
        score=match.game.score[sides],
        games=match.games_won[sides],
        board_number=match.game.board_number,
        plays_white=own == 0,
        break_to_be_made=~board.break_done,
        failed_breaks=board.break_attempts_failed,
        idle_turns=board.idle_turns,
        turn_begun=board.strokes_in_turn > 0,
        forward=jnp.asarray(lines.forward, jnp.float32)[state.line],
        places=lines.on(state.line, positions, state.on_board),
    )


def side_of_board(state: State, seat: jax.Array | int) -> jax.Array:
    """Side of the board, in quarter turns, at which ``seat`` sits by now (58-60)."""
    return (seat + state.match.rotation) % 4


def in_frame_of(side: jax.Array, positions: jax.Array) -> jax.Array:
    """Positions (n, 2) of the board's frame, seen from a ``side`` of the board."""
    return turned(positions, (-side) % 4)

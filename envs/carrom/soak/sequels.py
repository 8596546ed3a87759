"""What the laws demand of the board after one that has ended or is to be replayed."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from carrom.laws import MatchFormat, MatchState, QueenState
from carrom.laws.state import N_SEATS
from carrom.pieces import N_PER_SIDE
from carrom.soak.logic import Demands, same


def next_demands(
    ended: MatchState, toss: jax.Array, following: MatchState, format: MatchFormat
) -> Demands:
    """All demands on the board after one that has ended or is to be replayed.

    Args:
        ended: the match after the ruling.
        toss: int32, what decides who breaks an extra board.
        following: the match with the next board.
        format: what is played.
    """
    step = 1 if format.doubles else 2
    finished, void = ended.board.over & (ended.winner < 0), ended.board.replay
    starts_game = finished & (ended.game.winner >= 0)
    same_game = finished & ~starts_game
    game, number = following.game, ended.game.board_number + same_game
    limit = format.board_limit
    extra = number > limit if limit is not None else jnp.bool_(False)
    tossed = same_game & extra & (toss == 1)
    alternating = (ended.board.breaker_seat + step * (1 + tossed)) % N_SEATS
    opener = ended.opener_seat
    second = (opener + step) % N_SEATS
    opens = jnp.where(following.game_number % 2 == 1, opener, second)
    breaker = jnp.where(void, ended.board.breaker_seat, alternating)
    breaker = jnp.where(starts_game, opens, breaker)

    half = jnp.any(ended.game.score >= 13)
    half |= (ended.game.board_number >= limit // 2) if limit is not None else jnp.bool_(False)
    deciding = (ended.game_number == format.deciding_game) & (format.games_to_win > 1)
    within = same_game & deciding & half & ~ended.game.sides_changed
    moved = starts_game | within
    racked = finished | void
    board = following.board
    fresh = (board.on_board == N_PER_SIDE) & (board.owed == 0) & (board.stranded == 0)
    clean = ~(board.over | board.replay | board.break_done | board.touched_in_turn)
    counters = board.break_attempts_failed + board.idle_turns + board.strokes_in_turn
    met = {
        "41.a: all carrommen are on the board": jnp.all(fresh & ~board.has_pocketed),
        "41.a: so is the queen": board.queen == QueenState.ON_BOARD,
        "a new board begins": clean & (counters + board.turns_passed == 0),
        "79: nobody has anything to place": jnp.all(board.placing_seat < 0),
        "49, 56.b, U17: who breaks": board.breaker_seat == breaker,
        "43: he has white and the turn": (board.striker == 0) & (board.seat == board.breaker_seat),
        "56: number of the board": game.board_number
        == jnp.where(starts_game, 1, ended.game.board_number + same_game),
        "56: the score goes on or begins": jnp.all(
            game.score == jnp.where(starts_game, 0, ended.game.score)
        ),
        "56: the game is open": game.winner == -1,
        "57: the match is open": following.winner == -1,
        "57: number of the game": following.game_number == ended.game_number + starts_game,
        "57: games won": jnp.all(following.games_won == ended.games_won),
        "49.a: who opened the match": following.opener_seat == opener,
        "58-60: the players move": following.rotation == (ended.rotation + step * moved) % N_SEATS,
        "60: once in a game": game.sides_changed
        == (~starts_game & (ended.game.sides_changed | within)),
    }
    met = {f"the next board, {name}": ~racked | holds for name, holds in met.items()}
    met["a board goes on, and a match that is over stays"] = racked | same(ended, following)
    return met

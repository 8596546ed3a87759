"""How boards make games and games a match (49, 56-60)."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp

from carrom.laws.state import (
    N_SEATS,
    SINGLES,
    BoardState,
    GameState,
    MatchFormat,
    MatchState,
    Pair,
    Scalar,
    new_board,
    new_game,
    side_with,
)
from carrom.laws.view import Laws, from_striker

CHANGE_POINTS = 13
"""Points at which the sides change within the deciding game (60)."""


def close(
    state: MatchState,
    *,
    over: jax.Array,
    winner: jax.Array,
    points: jax.Array,
    concede_game: jax.Array,
    concede_match: jax.Array,
    format: MatchFormat,
) -> tuple[MatchState, Laws]:
    """Write the points down and see whether the game and the match are over (56, 57).

    Args:
        state: with the board already settled.
        over: bool, the board ends; otherwise the state stays as it is.
        winner: int32, colour that won the board.
        points: int32 (2,), per colour.
        concede_game: bool, the loser gives the whole game away (139).
        concede_match: bool, the loser gives the whole match away (139).
        format: what is played.

    Returns:
        The state, and the laws of the game's and the match's end.
    """
    game, board = state.game, state.board
    white_side = side_with(0, board, doubles=format.doubles)
    winner_side = side_with(winner, board, doubles=format.doubles)
    score = game.score + jnp.where(over, from_striker(points, white_side), 0)

    enough = jnp.max(score) >= format.game_points
    limit = format.board_limit
    last = jnp.bool_(False) if limit is None else game.board_number >= limit
    extra = jnp.bool_(False) if limit is None else game.board_number > limit
    tied = score[0] == score[1]
    conceded = concede_game | concede_match
    game_over = over & (enough | (last & ~tied) | conceded)
    leader = jnp.where(conceded, winner_side, jnp.argmax(score))
    games_won = state.games_won + (game_over & (jnp.arange(2) == leader))
    match_over = game_over & ((games_won[leader] >= format.games_to_win) | concede_match)
    closed = dataclasses.replace(
        state,
        game=dataclasses.replace(game, score=score, winner=jnp.where(game_over, leader, -1)),
        games_won=games_won,
        winner=jnp.where(match_over, leader, -1),
    )
    change = sides_change(closed, format=format)
    within = change & ~game_over
    singles = jnp.bool_(not format.doubles)
    return closed, {
        "56.a": game_over & ~conceded,
        "56.b": over & ((last & tied & ~enough) | extra) & ~conceded,
        "57": match_over & ~conceded,
        "58": change & game_over & singles,
        "59": change & game_over & ~singles,
        "60.a": within & (limit is not None),
        "60.b": within & (limit is None),
    }


def sides_change(state: MatchState, *, format: MatchFormat) -> jax.Array:
    """Whether the players change sides before the next board (58-60), bool."""
    game, over = state.game, state.board.over
    between_games = state.game_over & ~state.match_over
    if format.games_to_win == 1:
        return over & between_games
    half = half_played(game.score, game.board_number, format=format)
    deciding = state.game_number == format.deciding_game
    within = deciding & half & ~game.sides_changed & ~state.game_over
    return over & (between_games | within)


def half_played(score: Pair, boards: Scalar | int, *, format: MatchFormat) -> jax.Array:
    """Whether sides change in the deciding game after so many boards of it (60.a, 60.b), bool.

    Args:
        score: points per side.
        boards: that have ended.
        format: what is played.
    """
    half = jnp.max(score) >= CHANGE_POINTS
    if format.board_limit is not None:
        half |= boards >= format.board_limit // 2
    return half


def next_board(
    state: MatchState, *, format: MatchFormat = SINGLES, toss: Scalar | int = 0
) -> MatchState:
    """The next board of a match, racked, after one that has ended or is to be replayed.

    The break alternates (49.a) or goes to the right (49.b); a replayed board has the same
    breaker and number (U17). A state whose board still goes on, or whose match is over, is
    returned as it is, so that a batch can be advanced at once.

    Args:
        state: the match after ``rule``.
        format: what is played.
        toss: 0 or 1, drawn by the caller: who breaks an extra board (56.b, U26), the seat
            whose break it would be or the one that plays after it. Without effect on others.
    """
    state = jax.tree.map(jnp.asarray, state)
    board, game = state.board, state.game
    # A replay is neither a new board nor a new game: everything but the layout stays.
    new_one = board.over & ~state.match_over
    starts_game = new_one & state.game_over
    step = format.seat_step

    game_number = state.game_number + starts_game
    opener = (state.opener_seat + step * (game_number % 2 == 0)) % N_SEATS
    number = game.board_number + 1
    extra = jnp.bool_(False) if format.board_limit is None else number > format.board_limit
    rotated = (board.breaker_seat + step * (1 + (extra & (toss == 1)))) % N_SEATS
    breaker = jnp.where(
        starts_game, opener, jnp.where(new_one, rotated, board.breaker_seat)
    ).astype(jnp.int32)

    change = sides_change(state, format=format) & new_one
    continued = GameState(
        score=game.score,
        board_number=jnp.where(new_one, number, game.board_number),
        sides_changed=game.sides_changed | change,
        winner=game.winner,
    )
    racked = new_one | (board.replay & ~state.match_over)
    return MatchState(
        board=_choose(racked, new_board(breaker), board),
        game=_choose(starts_game, new_game(), continued),
        game_number=game_number,
        games_won=state.games_won,
        opener_seat=state.opener_seat,
        rotation=(state.rotation + step * change) % N_SEATS,
        winner=state.winner,
    )


def _choose(condition: jax.Array, yes: BoardState | GameState, no: BoardState | GameState):
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), yes, no)


def next_break_law(state: MatchState, *, format: MatchFormat = SINGLES) -> str | None:
    """The law that says who breaks the next board, for a single state outside ``jax.jit``.

    Args:
        state: the match after ``rule``.
        format: what is played.

    Returns:
        Its id; None if no other board follows, or if it is a replay: who breaks that is said
        by the law that voided the board (U17), which the state does not hold.
    """
    if not state.board.over or state.match_over:
        return None
    if state.game_over:
        return "49.a.ii" if int(state.game_number) % 2 else "49.a.iii"
    if format.board_limit is not None and int(state.game.board_number) >= format.board_limit:
        return "56.b"
    return "49.b" if format.doubles else "49.a.i"

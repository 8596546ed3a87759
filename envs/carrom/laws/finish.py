"""Ends: of a board with its points (52-55, 102-112), of a game, of a match, and what follows."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp

from carrom.laws.state import (
    N_SEATS,
    SINGLES,
    BoardState,
    GameState,
    MatchFormat,
    MatchState,
    QueenState,
    Scalar,
    new_board,
    new_game,
    side_with,
)
from carrom.laws.stroke import Event
from carrom.laws.view import Laws, View, from_striker

QUEEN_POINTS = 3
QUEEN_COUNTS_BELOW = 22
"""From this score on the queen earns nothing (52.b, 54)."""
MOST_POINTS = 12
"""Most points of a board, claims included (55, A8)."""
CHANGE_POINTS = 13
"""Points at which the sides change within the deciding game (60)."""


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
    out_of_turn = event == Event.OUT_OF_TURN
    conceded = (event == Event.CONCEDE_GAME) | (event == Event.CONCEDE_MATCH)
    stroke, struck = by_stroke(view, scores), by_strike_out_of_turn(view, scores[0])
    special = out_of_turn | conceded
    laws = {law: holds & ~special for law, holds in stroke.laws.items()}
    for law, holds in struck.laws.items():
        laws[law] = jnp.where(out_of_turn, holds, laws.get(law, False))
    # Whoever concedes has the turn, and the other side wins without points (139).
    return Ending(
        over=stroke.over | special,
        own_wins=jnp.where(special, out_of_turn, stroke.own_wins),
        points=jnp.where(special, struck.points * out_of_turn, stroke.points),
        claims=jnp.where(special, 0, stroke.claims),
        laws=laws | {"139": conceded},
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


def by_strike_out_of_turn(view: View, own_score: jax.Array) -> Ending:
    """The opponent struck although it was not his turn: he loses the board (51).

    He loses by his own carrommen (A23), and the queen if she was on the board or the side
    with the turn had covered her (U25).
    """
    counts = own_score < QUEEN_COUNTS_BELOW
    queen = view.stays | view.covered_own
    yes = jnp.bool_(True)
    laws = {"51": yes, "53.a": yes, "53.b": queen & counts, "54": queen & ~counts}
    points = view.opp_left + jnp.where(queen & counts, QUEEN_POINTS, 0)
    return Ending(yes, yes, points, jnp.int32(0), laws)


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
    half = jnp.max(game.score) >= CHANGE_POINTS
    if format.board_limit is not None:
        half |= game.board_number >= format.board_limit // 2
    deciding = state.game_number == format.deciding_game
    within = deciding & half & ~game.sides_changed & ~state.game_over
    return over & (between_games | within)


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


def queen_after_end(view: View, before: Scalar, winner: jax.Array) -> jax.Array:
    """The ``QueenState`` once a stroke has ended the board: off the board she is the winner's."""
    taken = view.queen | view.waiting
    return jnp.where(taken, QueenState.COVERED_WHITE + winner, before)

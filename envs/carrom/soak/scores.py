"""Demands on points, scores, games and matches (52-60, 87.b, 139)."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from carrom.laws import Event, MatchFormat, MatchState, Ruling, StrokeFacts
from carrom.soak.expected import Course
from carrom.soak.logic import Demands, all_of, side_of_seat

_GAME_GIVEN = np.array([Event.CONCEDE_GAME, Event.CONCEDE_GAME_OPPONENT])
_MATCH_GIVEN = np.array([Event.CONCEDE_MATCH, Event.CONCEDE_MATCH_OPPONENT])


def of_score(
    course: Course,
    facts: StrokeFacts,
    before: MatchState,
    after: MatchState,
    ruling: Ruling,
    format: MatchFormat,
) -> Demands:
    """Who wins the board, his points, and the score."""
    me = before.board.striker
    winner = jnp.where(course.over, jnp.where(course.i_win, me, 1 - me), -1)
    claims = jnp.where(course.over, jnp.minimum(course.claims, facts.claims), 0)
    total = jnp.where(course.over, jnp.minimum(course.points + claims, 12), 0)
    colours = jnp.arange(2)
    # Side 0 is white when its seat broke this board.
    white = side_of_seat(before.board.breaker_seat, format)
    gained = after.game.score - before.game.score
    turns = before.board.turns_passed
    first_turn = course.over & course.i_win & (facts.event <= Event.FOUL)
    return {
        "52-54, 102-112: the winner": ruling.winner == winner,
        "52-55, 102-112: his points": jnp.all(ruling.points == total * (colours == winner)),
        "27.a: a white slam": ruling.white_slam == (first_turn & (me == 0) & (turns == 0)),
        "27.b: a black slam": ruling.black_slam == (first_turn & (me == 1) & (turns == 1)),
        "87.b: as many extra points as claimed": ruling.claims == claims,
        "55: at most twelve points": jnp.all((ruling.points >= 0) & (ruling.points <= 12)),
        "the score is the sum of points": gained[white] == ruling.points[0],
        "the score is the sum of points, black": gained[1 - white] == ruling.points[1],
        "the score never falls": jnp.all(gained >= 0),
    }


def of_match(
    course: Course,
    facts: StrokeFacts,
    before: MatchState,
    after: MatchState,
    ruling: Ruling,
    format: MatchFormat,
) -> Demands:
    """Ends of games and matches, and changes of sides."""
    score, number = after.game.score, before.game.board_number
    limit = format.board_limit
    gave_game = jnp.isin(facts.event, _GAME_GIVEN)
    gave_match = jnp.isin(facts.event, _MATCH_GIVEN)
    gave = gave_game | gave_match
    different = score[0] != score[1]
    eight = different & (number >= limit) if limit is not None else jnp.bool_(False)
    game_over = course.over & (jnp.any(score >= format.game_points) | eight | gave)
    board_winner = side_of_seat(before.board.seat, format) ^ jnp.where(course.i_win, 0, 1)
    leader = jnp.where(gave, board_winner, jnp.where(score[1] > score[0], 1, 0))
    games = before.games_won + (game_over & (jnp.arange(2) == leader))
    match_over = game_over & ((jnp.max(games) >= format.games_to_win) | gave_match)

    deciding = (before.game_number == format.deciding_game) & (format.games_to_win > 1)
    half = jnp.any(score >= 13)
    half |= (number >= limit // 2) if limit is not None else jnp.bool_(False)
    within = deciding & half & ~before.game.sides_changed & course.over & ~game_over
    return {
        "56: the game is over": ruling.game_over == game_over,
        "56: its winner": after.game.winner == jnp.where(game_over, leader, -1),
        "57: games won": jnp.all(after.games_won == games),
        "57: the match is over": ruling.match_over == match_over,
        "57: its winner": after.winner == jnp.where(match_over, leader, -1),
        "58-60: sides change": ruling.sides_change == ((game_over & ~match_over) | within),
        "49: the match goes by itself": all_of(
            getattr(before, name) == getattr(after, name)
            for name in ("game_number", "opener_seat", "rotation")
        )
        & (after.game.board_number == number)
        & (after.game.sides_changed == before.game.sides_changed),
    }

"""The umpire: what a stroke leads to under the laws.

One branch-free implementation in ``jax.numpy``. Everything is computed for every case and
selected at the end; there are about a hundred small integers, so this costs nothing.
"""

from __future__ import annotations

import dataclasses
import functools

import jax
import jax.numpy as jnp

from carrom.laws import citations, finish, match, tables
from carrom.laws.course import Course, steer
from carrom.laws.finish import Ending
from carrom.laws.payment import Payment, settle
from carrom.laws.ruling import Ruling
from carrom.laws.state import N_SEATS, SINGLES, BoardState, MatchFormat, MatchState, side_with
from carrom.laws.stroke import Event, StrokeFacts
from carrom.laws.tables import Verdict
from carrom.laws.view import View, from_striker, see
from carrom.pieces import Colour


def rule(
    state: MatchState, facts: StrokeFacts, *, format: MatchFormat = SINGLES
) -> tuple[MatchState, Ruling]:
    """Decide on a stroke or an event.

    The order is: a break that touched nothing (45); turns in which nothing was touched
    (137); the end of the board (52-57, 102-112); the tables of a stroke (64, 72-77, 92-101);
    payment of dues and penalties of both sides (72.c, 78, 83); the next turn (48, 49).

    Args:
        state: the match before; its board is being played.
        facts: what happened; not contradicting ``state`` (see ``carrom.laws.check``).
        format: what is played; static under ``jax.jit``.

    Returns:
        The match after, with everything that found room put back, and the ruling. When the
        board has ended or is void, ``next_board`` starts the next one.
    """
    state, facts = jax.tree.map(jnp.asarray, (state, facts))
    board, me, event = state.board, state.board.striker, facts.event
    view = see(board, facts)
    verdict = tables.judge(view)
    side = side_with(me, board, doubles=format.doubles)
    ending = finish.ending(view, event, from_striker(state.game.score, side))
    course = steer(board, facts, view, verdict, ending, format)
    pay = settle(board, facts, view, verdict, course, format)

    winner = jnp.where(ending.own_wins, me, 1 - me)
    claims = jnp.where(course.ended, jnp.minimum(ending.claims, facts.claims), 0)
    total = jnp.minimum(ending.points + claims, finish.MOST_POINTS)
    points = jnp.where(course.ended & (jnp.arange(2) == winner), total, 0)
    queen = _queen(board, view, verdict, course, winner)
    settled = _board_after(board, facts, course, pay, queen, format)
    untouched = functools.partial(jnp.where, course.slip)
    after, game_laws = match.close(
        dataclasses.replace(state, board=jax.tree.map(untouched, board, settled)),
        over=course.ended,
        winner=winner,
        points=points,
        concede_game=(event == Event.CONCEDE_GAME) | (event == Event.CONCEDE_GAME_OPPONENT),
        concede_match=(event == Event.CONCEDE_MATCH) | (event == Event.CONCEDE_MATCH_OPPONENT),
        format=format,
    )
    white_slam, black_slam = _slams(board, view, course, ending)
    queen_returned = course.played & verdict.queen_out
    capped = ending.points + claims >= finish.MOST_POINTS
    laws = citations.merge(
        citations.where(course.played, verdict.laws),
        citations.where(course.ended, ending.laws),
        game_laws,
        citations.of_break(course, view, event),
        citations.of_event(course, view, facts),
        citations.of_jumps(course, facts),
        citations.where(~course.slip, citations.of_payment(board, pay, facts, format)),
        {
            "27.a": white_slam,
            "27.b": black_slam,
            "49.b": course.lost & format.doubles,
            "55": course.ended & (jnp.any(board.owed > 0) | capped),
            "87.b": claims > 0,
            "93": queen_returned,
        },
    )
    jumped = course.is_stroke & course.continues
    return after, Ruling(
        striker=me,
        returned=pay.returned + pay.paid,
        returned_own=from_striker(pay.returned, me)[0],
        dues_paid=pay.paid,
        dues_charged=pay.dues,
        penalties_charged=pay.penalties,
        waived=pay.waived,
        owed=pay.owed,
        placer_seat=pay.placer,
        queen_returned=queen_returned,
        replaced=jnp.where(jumped, facts.overboard, 0),
        queen_replaced=jumped & facts.overboard_queen,
        turn_kept=course.keep,
        turn_lost=course.lost,
        rebreak=course.continues & ~after.board.break_done,
        board_over=course.ended,
        board_replayed=course.void,
        winner=jnp.where(course.ended, winner, -1),
        points=points,
        claims=claims,
        white_slam=white_slam,
        black_slam=black_slam,
        game_over=after.game.winner >= 0,
        match_over=after.winner >= 0,
        sides_change=match.sides_change(after, format=format),
        breach=facts.breach,
        laws=citations.words(laws, facts.breach),
    )


def _queen(
    board: BoardState, view: View, verdict: Verdict, course: Course, winner: jax.Array
) -> jax.Array:
    """The ``QueenState`` after the stroke, int32."""
    ended = finish.queen_after_end(view, board.queen, winner)
    by_stroke = jnp.where(course.ended, ended, verdict.queen(board.queen, board.striker))
    decides = course.played | (course.ended & course.is_stroke)
    return jnp.where(decides, by_stroke, board.queen).astype(jnp.int32)


def _board_after(
    board: BoardState,
    facts: StrokeFacts,
    course: Course,
    pay: Payment,
    queen: jax.Array,
    format: MatchFormat,
) -> BoardState:
    lost = course.lost
    next_seat = (board.seat + format.seat_step) % N_SEATS
    failed = board.break_attempts_failed + course.attempts_left
    touched = board.touched_in_turn | (course.is_stroke & facts.touched)
    strokes = board.strokes_in_turn + (course.is_stroke & course.continues)
    return BoardState(
        striker=jnp.where(lost, 1 - board.striker, board.striker),
        seat=jnp.where(lost, next_seat, board.seat),
        breaker_seat=board.breaker_seat,
        on_board=pay.on_board,
        queen=queen,
        owed=pay.owed,
        stranded=pay.stranded,
        has_pocketed=board.has_pocketed | pay.down,
        break_done=board.break_done | course.makes_break,
        break_attempts_failed=jnp.where(lost | course.makes_break, 0, failed),
        idle_turns=course.idle_turns,
        touched_in_turn=touched & ~lost,
        strokes_in_turn=jnp.where(lost, 0, strokes),
        turns_passed=board.turns_passed + lost,
        placing_seat=pay.holder,
        over=course.ended,
        replay=course.void,
    )


def _slams(
    board: BoardState, view: View, course: Course, ending: Ending
) -> tuple[jax.Array, jax.Array]:
    """All of it in the first turn of the first, or of the second, player (27)."""
    own_last = course.is_stroke & (view.own == view.own_left)
    slam = course.ended & own_last & ending.own_wins
    white = (board.striker == Colour.WHITE) & (board.turns_passed == 0)
    black = (board.striker == Colour.BLACK) & (board.turns_passed == 1)
    return slam & white, slam & black

"""What the laws demand of every ruling, each demand with its law.

Written from the laws and the meaning of the states' fields, without any of the umpire's
functions. A demand is a bool: it is met. Everything is for one stroke; batches are ``vmap``.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp

from carrom.laws import Event, MatchFormat, MatchState, QueenState, Ruling, StrokeFacts
from carrom.laws.state import N_SEATS
from carrom.laws.stroke import NO_BREACH
from carrom.pieces import N_PER_SIDE
from carrom.soak.citable import citable
from carrom.soak.debts import of_payment, of_placing, settle
from carrom.soak.expected import NO_CAUSE, Course, expect
from carrom.soak.logic import (
    Demands,
    any_of,
    count_of,
    is_cited,
    same,
    side_of_seat,
    words_of,
)
from carrom.soak.rows import seen
from carrom.soak.scores import of_match, of_score


def demands(
    before: MatchState,
    facts: StrokeFacts,
    after: MatchState,
    ruling: Ruling,
    format: MatchFormat,
) -> tuple[Demands, jax.Array]:
    """All demands on a ruling, and why the board ended.

    Args:
        before: the position; its board is being played.
        facts: what happened, not contradicting it.
        after: the position that the umpire made of it.
        ruling: his ruling.
        format: what is played.

    Returns:
        Demand -> whether it is met, and the law by which the board ended or was void as an
        index into ``LAW_IDS``, ``NO_CAUSE`` if it goes on.
    """
    s = seen(before, facts, side_of_seat(before.board.seat, format))
    course = expect(before, facts, s, ruling.laws, format)
    debts = settle(course, s, facts, before)
    parts = (
        _of_outcome(course, facts, before, after, ruling),
        _of_counts(course, facts, before, after, ruling),
        _of_queen(course, facts, before, after, ruling),
        _of_turn(course, facts, before, after, format),
        of_payment(course, debts, before, after, ruling),
        of_placing(course, debts, facts, before, after, ruling, format),
        of_score(course, facts, before, after, ruling, format),
        of_match(course, facts, before, after, ruling, format),
        _of_citing(course, facts, ruling, format),
    )
    return functools.reduce(lambda a, b: a | b, parts), course.cause


def _of_outcome(
    course: Course,
    facts: StrokeFacts,
    before: MatchState,
    after: MatchState,
    ruling: Ruling,
) -> Demands:
    told = (ruling.turn_kept, ruling.turn_lost, ruling.board_over, ruling.board_replayed)
    rebreak = course.goes_on & ~after.board.break_done
    moved = jnp.any(facts.pocketed + facts.overboard > 0)
    moved |= facts.pocketed_queen | facts.overboard_queen
    strokes = course.played | (course.over & (facts.event <= Event.FOUL))
    unchanged = same(before, after)
    return {
        "exactly one row of table 22 holds (this soak's own books)": course.rows == 1,
        "at most one end of table 23 holds (this soak's own books)": course.ends <= 1,
        "one of four outcomes": count_of(told) == 1,
        "the striking side is told": ruling.striker == before.board.striker,
        "48: the turn is kept": ruling.turn_kept == (course.goes_on & course.keep),
        "48: the turn is lost": ruling.turn_lost == (course.goes_on & ~course.keep),
        "52-54, 102-112: the board ends": ruling.board_over == course.over,
        "137, 140, 142: the board is void": ruling.board_replayed == course.void,
        "state and ruling agree on the end": after.board.over == ruling.board_over,
        "state and ruling agree on the replay": after.board.replay == ruling.board_replayed,
        "44: the break is made by a touch": after.board.break_done
        == (before.board.break_done | (strokes & (facts.touched | moved))),
        "45: the break is still to be made": ruling.rebreak == rebreak,
        "127.b: a slip changes nothing": ~course.slip | unchanged,
    }


def _of_counts(
    course: Course,
    facts: StrokeFacts,
    before: MatchState,
    after: MatchState,
    ruling: Ruling,
) -> Demands:
    board, then = after.board, before.board
    counted = course.played | course.over
    fallen = jnp.where(counted, facts.pocketed, 0)
    lives = board.on_board + board.stranded >= 1
    return {
        "conservation of carrommen": jnp.all(
            board.on_board == then.on_board - fallen + ruling.returned
        ),
        "no more than nine, no less than none": jnp.all(
            (board.on_board >= 0) & (board.on_board <= N_PER_SIDE)
        ),
        "52.a: a side without carrommen has finished": ~course.goes_on | jnp.all(lives),
        "nothing is put back but what is owed or came out": jnp.all(ruling.returned >= 0),
        "92: what was down has been down": jnp.all(board.has_pocketed | ~then.has_pocketed),
        "65: what jumped is replaced": jnp.all(
            ruling.replaced == jnp.where(course.played, facts.overboard, 0)
        ),
        "65: the queen that jumped is replaced": ruling.queen_replaced
        == (course.played & facts.overboard_queen),
    }


def _of_queen(
    course: Course,
    facts: StrokeFacts,
    before: MatchState,
    after: MatchState,
    ruling: Ruling,
) -> Demands:
    then, now, me = before.board.queen, after.board.queen, before.board.striker
    fate = course.fate
    mine = QueenState.COVERED_WHITE + me
    stays = ~(fate["queen"] | fate["waits"] | fate["covers"])
    same_player = (after.board.seat == before.board.seat) & (after.board.strokes_in_turn > 0)
    off = facts.pocketed_queen | (then == QueenState.WAITING)
    won = QueenState.COVERED_WHITE + jnp.where(course.i_win, me, 1 - me)
    stroke_ended = course.over & (facts.event <= Event.FOUL)
    return {
        "92-101: the queen comes out": ruling.queen_returned == fate["queen"],
        "95-101: out, she lies on the board": ~fate["queen"] | (now == QueenState.ON_BOARD),
        "92, 101.a: she waits": ~fate["waits"] | (now == QueenState.WAITING),
        "15, 97: she is covered": ~fate["covers"] | (now == mine),
        "no other stroke moves her": ~(course.goes_on & stays) | (now == then),
        "96: she waits only for the player who goes on": ~course.goes_on
        | (now != QueenState.WAITING)
        | (ruling.turn_kept & same_player),
        "covered once is covered for good": (then < QueenState.COVERED_WHITE) | (now == then),
        "at the end she is the winner's": ~(stroke_ended & off) | (now == won),
        "no other end moves her": ~course.over | (stroke_ended & off) | (now == then),
        "a void board leaves her": ~course.void | (now == then),
    }


def _of_turn(
    course: Course, facts: StrokeFacts, before: MatchState, after: MatchState, format: MatchFormat
) -> Demands:
    then, now = before.board, after.board
    lost = course.goes_on & ~course.keep
    step = 1 if format.doubles else 2
    white = side_of_seat(now.seat, format) == side_of_seat(now.breaker_seat, format)
    strikes = facts.event <= Event.FOUL
    struck = strikes & course.goes_on
    tried = course.attempt & course.keep
    idle = jnp.where(strikes & facts.touched, 0, then.idle_turns) + course.idle
    failed = then.break_attempts_failed + tried
    return {
        "49: the turn passes to the next seat": now.seat
        == jnp.where(lost, (then.seat + step) % N_SEATS, then.seat),
        "a seat that is taken": any_of(now.seat == seat for seat in format.seats),
        "43: the breaker's side is white": (now.striker == 0) == white,
        "49: the other colour has the turn": now.striker
        == jnp.where(lost, 1 - then.striker, then.striker),
        "the breaker stays who he is": now.breaker_seat == then.breaker_seat,
        "45.b: three attempts": now.break_attempts_failed
        == jnp.where(lost | now.break_done, 0, failed),
        "63, 64: strokes of this turn": now.strokes_in_turn
        == jnp.where(lost, 0, then.strokes_in_turn + struck),
        "27: turns that have ended": now.turns_passed == then.turns_passed + lost,
        "137: idle turns": now.idle_turns == idle,
        "137: whether this turn touched anything": now.touched_in_turn
        == (~lost & (then.touched_in_turn | (strikes & facts.touched))),
    }


def _of_citing(course: Course, facts: StrokeFacts, ruling: Ruling, format: MatchFormat) -> Demands:
    event, laws = facts.event, ruling.laws
    technical = course.technical & (event != Event.TECHNICAL_FOUL)
    broken = facts.breach != NO_BREACH
    told = words_of(jnp.maximum(facts.breach, 0)) * broken
    mask = functools.reduce(jnp.bitwise_or, (words_of(law) for law in citable(format)), told)
    return {
        "some law decides": jnp.any(laws != 0),
        "no law is cited that decides nothing": jnp.all((laws & ~mask) == 0),
        "the laws of the tables are cited": course.cites,
        "the law of the end is cited": (course.cause == NO_CAUSE)
        | is_cited(laws, jnp.maximum(course.cause, 0)),
        "45 is cited for a failed break": ~(course.attempt & (event == Event.SHOT))
        | is_cited(laws, "45.a")
        | is_cited(laws, "45.c"),
        "47 is cited for an early break": (event != Event.EARLY_BREAK)
        | course.over
        | is_cited(laws, "47"),
        "63.a is cited": (event != Event.TECHNICAL_FOUL) | is_cited(laws, "63.a"),
        "63.b is cited": ~technical | is_cited(laws, "63.b"),
        "127.b is cited for a slip": ~course.slip | is_cited(laws, "127.b"),
        "the broken law is told": ruling.breach == facts.breach,
        "the broken law is cited": ~broken | is_cited(laws, jnp.maximum(facts.breach, 0)),
    }

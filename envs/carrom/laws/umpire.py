"""The umpire: what a stroke leads to under the laws.

One branch-free implementation in ``jax.numpy``. Everything is computed for every case and
selected at the end; there are about a hundred small integers, so this costs nothing.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp

from carrom.laws import finish, tables
from carrom.laws.lawbook import BITS_PER_WORD, LAW_IDS, N_LAW_WORDS
from carrom.laws.ruling import Ruling
from carrom.laws.state import (
    N_SEATS,
    SINGLES,
    BoardState,
    MatchFormat,
    MatchState,
    side_with,
)
from carrom.laws.stroke import Event, StrokeFacts
from carrom.laws.view import Laws, View, from_striker, see
from carrom.pieces import N_PER_SIDE, Colour

BREAK_ATTEMPTS = 3
"""Attempts at the break before the right to it is lost (45.a, A21)."""


class _Course(NamedTuple):
    """Which of the umpire's procedures applies; exactly one of them does.

    Attributes:
        attempt: the break is still to be made and nothing was touched (45).
        played: the tables decide, and the board goes on.
        technical: a technical foul, nothing was played (63).
        ended: the board ends.
        void: the board is to be replayed.
    """

    attempt: jax.Array
    played: jax.Array
    technical: jax.Array
    ended: jax.Array
    void: jax.Array


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
    board, me = state.board, state.board.striker
    view = see(board, facts)
    event = facts.event

    # A piece cannot leave the rack untouched, whatever the facts say.
    moved = jnp.sum(facts.pocketed) + jnp.sum(facts.overboard) > 0
    touched = facts.touched | moved | facts.pocketed_queen | facts.overboard_queen
    is_strike = (event == Event.SHOT) | (event == Event.EARLY_BREAK)
    is_stroke = is_strike | (event == Event.FOUL)

    verdict = tables.judge(view)
    attempt = is_strike & ~board.break_done & ~touched
    made = is_stroke & touched
    failed = board.break_attempts_failed + 1
    clean_miss = attempt & (event == Event.SHOT) & view.proper & ~view.striker
    attempts_left = clean_miss & (failed < BREAK_ATTEMPTS)

    # A turn is idle when it passes and none of its strokes touched anything (137, A1).
    passes = is_stroke & ~attempt & ~verdict.keep
    idle = passes & board.break_done & ~facts.touched & ~board.touched_in_turn
    idle_turns = jnp.where(is_stroke & facts.touched, 0, board.idle_turns) + idle
    idle_void = idle & (idle_turns >= format.idle_limit)

    side = side_with(me, board, doubles=format.doubles)
    scores = from_striker(state.game.score, side)
    ending, end_laws = _ending(view, facts, is_stroke & ~attempt & ~idle_void, scores)

    technical_own = event == Event.TECHNICAL_FOUL
    technical_opp = event == Event.TECHNICAL_FOUL_OPPONENT
    void = idle_void | (event == Event.NO_STRIKER_SPACE) | (event == Event.VOID)
    course = _Course(
        attempt=attempt,
        played=is_stroke & ~attempt & ~idle_void & ~ending.over,
        technical=technical_own | technical_opp,
        ended=ending.over,
        void=void,
    )
    keep = course.technical | attempts_left | (course.played & verdict.keep)
    lost = (course.played | course.attempt) & ~keep

    # Payment, seen from the striking side: own first, opponent second.
    early_miss = course.attempt & (event == Event.EARLY_BREAK)
    dues = jnp.stack([course.played & verdict.due, jnp.bool_(False)]).astype(jnp.int32)
    penalties = jnp.stack(
        [(course.played & verdict.penalty) | technical_own | early_miss, technical_opp]
    ).astype(jnp.int32)
    pay = _settle(board, facts, view, course, verdict.own_out, dues + penalties)

    winner = jnp.where(ending.own_wins, me, 1 - me)
    won = jnp.arange(2) == winner
    claims = ending.claims * facts.claims
    points = jnp.where(
        course.ended & won, jnp.minimum(ending.points + claims, finish.MOST_POINTS), 0
    ).astype(jnp.int32)

    queen = jnp.where(course.played, verdict.queen(board.queen, me), board.queen)
    queen = jnp.where(
        course.ended & is_stroke, finish.queen_after_end(view, board.queen, winner), queen
    )
    next_seat = (board.seat + format.seat_step) % N_SEATS
    placer, holder = _placers(board, pay, next_seat, lost, format)
    continues = keep | lost
    went_on = BoardState(
        striker=jnp.where(lost, 1 - me, me),
        seat=jnp.where(lost, next_seat, board.seat),
        breaker_seat=board.breaker_seat,
        on_board=pay.on_board,
        queen=queen.astype(jnp.int32),
        owed=pay.owed,
        has_pocketed=board.has_pocketed | pay.down,
        break_done=board.break_done | made,
        break_attempts_failed=jnp.where(attempts_left, failed, board.break_attempts_failed)
        * ~(lost | made),
        idle_turns=idle_turns,
        touched_in_turn=(board.touched_in_turn | (is_stroke & facts.touched)) & ~lost,
        strokes_in_turn=(board.strokes_in_turn + (is_stroke & continues)) * ~lost,
        turns_passed=board.turns_passed + lost,
        placing_seat=jnp.where(continues, holder, -1),
        over=course.ended,
        replay=course.void,
    )
    after, game_laws = finish.close(
        dataclasses.replace(state, board=went_on),
        over=course.ended,
        winner=winner,
        points=points,
        concede_game=event == Event.CONCEDE_GAME,
        concede_match=event == Event.CONCEDE_MATCH,
        format=format,
    )

    # Slams: all of it in the first turn of the first, or of the second, player (27).
    by_last = course.ended & is_stroke & ending.own_wins & (view.own == view.own_left)
    white_slam = by_last & (me == Colour.WHITE) & (board.turns_passed == 0)
    black_slam = by_last & (me == Colour.BLACK) & (board.turns_passed == 1)

    queen_returned = course.played & verdict.queen_out
    jumped = (is_stroke & continues).astype(jnp.int32)
    row_laws = {law: holds & course.played for law, holds in verdict.laws.items()}
    laws = _merge(
        row_laws,
        {law: holds & course.ended for law, holds in end_laws.items()},
        game_laws,
        _break_laws(course, view, event, attempts_left, made & ~board.break_done),
        _event_laws(event, view, facts, idle_void, course),
        _jump_laws(facts, course.played),
        _payment_laws(board, pay, facts, format),
        {
            "27.a": white_slam,
            "27.b": black_slam,
            "55": course.ended
            & (jnp.any(board.owed > 0) | (ending.points + claims > finish.MOST_POINTS)),
            "87.b": course.ended & (claims > 0),
            "93": queen_returned,
            "49.b": lost & format.doubles,
        },
    )
    ruling = Ruling(
        striker=me,
        returned=pay.returned + pay.paid,
        returned_own=from_striker(pay.returned, me)[0],
        dues_paid=pay.paid,
        dues_charged=from_striker(dues, me),
        penalties_charged=from_striker(penalties, me),
        waived=pay.waived,
        owed=pay.owed,
        placer_seat=placer,
        queen_returned=queen_returned,
        replaced=facts.overboard * jumped,
        queen_replaced=facts.overboard_queen & (jumped > 0),
        turn_kept=keep,
        turn_lost=lost,
        rebreak=continues & ~went_on.break_done,
        board_over=course.ended,
        board_replayed=course.void,
        winner=jnp.where(course.ended, winner, -1),
        points=points,
        claims=jnp.where(course.ended, claims, 0),
        white_slam=white_slam,
        black_slam=black_slam,
        game_over=after.game.winner >= 0,
        match_over=after.winner >= 0,
        sides_change=finish.sides_change(after, format=format),
        laws=_words(laws),
    )
    return after, ruling


def _ending(
    view: View, facts: StrokeFacts, by_stroke: jax.Array, scores: jax.Array
) -> tuple[finish.Ending, Laws]:
    """The end of the board by whatever means, and the laws of it."""
    stroke = finish.by_stroke(view, scores)
    out_of_turn = facts.event == Event.OUT_OF_TURN
    struck = finish.by_strike_out_of_turn(view, scores[0])
    conceded = (facts.event == Event.CONCEDE_GAME) | (facts.event == Event.CONCEDE_MATCH)
    over = (by_stroke & stroke.over) | out_of_turn | conceded
    laws = _merge(
        {law: holds & by_stroke for law, holds in stroke.laws.items()},
        {law: holds & out_of_turn for law, holds in struck.laws.items()},
        {"139": conceded},
    )
    points = jnp.where(out_of_turn, struck.points, jnp.where(conceded, 0, stroke.points))
    own_wins = jnp.where(out_of_turn, True, stroke.own_wins & ~conceded)
    claims = jnp.where(out_of_turn | conceded, 0, stroke.claims)
    return finish.Ending(over, own_wins, points, claims, laws), laws


class _Payment(NamedTuple):
    """What is put back, all int32 (2,) per colour except ``down``.

    Attributes:
        returned: wrongly pocketed carrommen put back.
        paid: dues and penalties put back.
        waived: dues and penalties forfeited.
        owed: still outstanding.
        waiting: of these, available but without room (79.a).
        on_board: carrommen on the board after all of it.
        down: bool (2,), whether a carromman of the colour was down before payment (U16).
    """

    returned: jax.Array
    paid: jax.Array
    waived: jax.Array
    owed: jax.Array
    waiting: jax.Array
    on_board: jax.Array
    down: jax.Array


def _settle(
    board: BoardState,
    facts: StrokeFacts,
    view: View,
    course: _Course,
    own_out: jax.Array,
    charged: jax.Array,
) -> _Payment:
    """Take out what fell, put back what has to come out, pay what can be paid.

    Args:
        board: the board before.
        facts: what fell, what is waived, how much room there is.
        view: the stroke.
        course: the procedure; a board that has ended pays nothing (55).
        own_out: bool, the own carrommen pocketed come out.
        charged: int32 (2,), new dues and penalties, own and opponent's.
    """
    me = board.striker
    continues = course.played | course.technical | course.attempt
    fallen = jnp.where(course.played | course.ended, facts.pocketed, 0)
    come_out = jnp.where(own_out & course.played, view.own, 0)
    returned_own = jnp.minimum(come_out, facts.room_returned)
    nothing = jnp.zeros_like(returned_own)
    returned = from_striker(jnp.stack([returned_own, nothing]), me)
    without_room = from_striker(jnp.stack([come_out - returned_own, nothing]), me)

    lying = board.on_board - fallen + returned
    owed = board.owed + from_striker(charged, me) + without_room
    available = jnp.where(continues, jnp.minimum(owed, N_PER_SIDE - lying), 0)
    own_first = from_striker(available, me)
    own_room = jnp.minimum(own_first[0], facts.room_due)
    opp_room = jnp.minimum(own_first[1], facts.room_due - own_room)
    placeable = from_striker(jnp.stack([own_room, opp_room]), me)
    waived = jnp.where(facts.waive, placeable, 0)
    paid = placeable - waived
    return _Payment(
        returned=returned,
        paid=paid,
        waived=waived,
        owed=jnp.where(continues, owed - placeable, 0),
        waiting=available - placeable,
        on_board=lying + paid,
        down=lying < N_PER_SIDE,
    )


def _placers(
    board: BoardState, pay: _Payment, next_seat: jax.Array, lost: jax.Array, format: MatchFormat
) -> tuple[jax.Array, jax.Array]:
    """Who places the carrommen of each colour now, and who may place those without room.

    The player to the right of the one with the turn takes out carrommen of the latter's
    colour, the one with the turn those of the opponent's (78.b); in singles that is the
    creditor. A right once given stays with its seat until play comes to the partner (U30).

    Returns:
        int32 (2,) twice, seats per colour, -1 where there is nothing to place.
    """
    by_law = from_striker(jnp.stack([next_seat, board.seat]), board.striker)
    holder = jnp.where(board.placing_seat >= 0, board.placing_seat, by_law).astype(jnp.int32)
    placer = jnp.where(pay.returned + pay.paid > 0, holder, -1)
    if format.doubles:
        to_partner = lost & (next_seat == (holder + 2) % N_SEATS)
        holder = jnp.where(to_partner, next_seat, holder)
    return placer, jnp.where(pay.waiting > 0, holder, -1)


def _break_laws(
    course: _Course, view: View, event: jax.Array, attempts_left: jax.Array, made: jax.Array
) -> Laws:
    improper = view.striker | ~view.proper
    return {
        "44": made,
        "45.a": course.attempt & ~improper,
        "45.b": course.attempt & ~attempts_left,
        "45.c": course.attempt & improper,
        "47": (event == Event.EARLY_BREAK) & (course.played | course.attempt),
    }


def _event_laws(
    event: jax.Array, view: View, facts: StrokeFacts, idle_void: jax.Array, course: _Course
) -> Laws:
    untouched = (event == Event.SHOT) & ~facts.touched & (course.played | course.ended)
    return {
        "63.a": event == Event.TECHNICAL_FOUL,
        "63.b": event == Event.TECHNICAL_FOUL_OPPONENT,
        "71": untouched & (view.own + view.opp > 0),
        "113": untouched & view.queen,
        "116": facts.overboard_striker & (course.played | course.ended),
        "137": idle_void,
        "140": event == Event.VOID,
        "142": event == Event.NO_STRIKER_SPACE,
    }


def _jump_laws(facts: StrokeFacts, played: jax.Array) -> Laws:
    men = jnp.sum(facts.overboard)
    queen = facts.overboard_queen.astype(jnp.int32)
    more = men + queen > 2
    return {
        "65.a": played & (men + queen > 0),
        "65.b": played & ~more & (queen + men == 2) & (queen == 1),
        "65.c": played & ~more & jnp.all(facts.overboard == 1),
        "65.d": played & more,
    }


def _payment_laws(
    board: BoardState, pay: _Payment, facts: StrokeFacts, format: MatchFormat
) -> Laws:
    own_side = jnp.arange(2) == board.striker
    paid = pay.paid > 0
    placed = pay.returned + pay.paid > 0
    # Opponent's carrommen that this stroke made available are his to place (78.b.ii).
    self_placed = placed & ~own_side & (facts.pocketed > 0)
    return {
        "72.c": jnp.any(pay.owed - pay.waiting > 0),
        "78.a": jnp.any(paid),
        "78.b.i": jnp.any(placed & ~self_placed) & format.doubles,
        "78.b.ii": jnp.any(self_placed) & format.doubles,
        "79.a": jnp.any(pay.waiting > 0),
        "80": jnp.any(pay.waived > 0),
        "83": jnp.any(paid & (pay.owed > 0)),
        "87.a": jnp.any(pay.waived > 0),
        "89.a": jnp.all((board.owed > 0) & paid),
    }


def _merge(*groups: Laws) -> Laws:
    """One dictionary; a law cited in several groups holds if it does in any."""
    merged: Laws = {}
    for group in groups:
        for law, holds in group.items():
            merged[law] = merged[law] | holds if law in merged else holds
    return merged


def _words(laws: Laws) -> jax.Array:
    """The laws as the bits of a few words, see ``lawbook.law_mask``."""
    words = [jnp.int32(0)] * N_LAW_WORDS
    for law, holds in laws.items():
        word, bit = divmod(LAW_IDS.index(law), BITS_PER_WORD)
        words[word] = words[word] | (holds.astype(jnp.int32) << bit)
    return jnp.stack(words)

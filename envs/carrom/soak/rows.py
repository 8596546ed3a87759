"""Tables 22 and 23 of the laws as rows: when each holds, and what follows.

Written from the laws alone, one row a clause, and nothing here is used by the umpire. Where
the laws are silent (U1 to U12) the row states the resolution.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from carrom.laws import Event, MatchState, QueenState, StrokeFacts
from carrom.pieces import N_PER_SIDE


class Seen(NamedTuple):
    """A stroke from the side of who strikes; counts are those before it.

    Attributes:
        own_left: own carrommen on the board.
        opp_left: the opponent's.
        own: own carrommen pocketed.
        opp: the opponent's pocketed.
        striker: the striker was pocketed.
        proper: a proper stroke; early breaks and fouls are none (47, 64).
        owes: a due or penalty of the striking side is outstanding.
        nine: all nine own carrommen are on the board (A12).
        down: an own carromman was down before (92).
        queen: the queen was pocketed in the stroke.
        waiting: she has to be covered by this stroke.
        mine: the striking side has covered her.
        theirs: the opponent has.
        on_board: she lies on the board before and after the stroke.
        my_score: of the game, before the board.
        their_score: the opponent's.
    """

    own_left: jax.Array
    opp_left: jax.Array
    own: jax.Array
    opp: jax.Array
    striker: jax.Array
    proper: jax.Array
    owes: jax.Array
    nine: jax.Array
    down: jax.Array
    queen: jax.Array
    waiting: jax.Array
    mine: jax.Array
    theirs: jax.Array
    on_board: jax.Array
    my_score: jax.Array
    their_score: jax.Array

    @property
    def faults(self) -> jax.Array:
        """Improper stroke and pocketed striker, each worth an extra point at an end."""
        return self.striker.astype(jnp.int32) + (~self.proper).astype(jnp.int32)


def seen(state: MatchState, facts: StrokeFacts, my_side: jax.Array) -> Seen:
    """The stroke as it looks to the side with the turn, which is ``my_side``."""
    board, me = state.board, state.board.striker
    opp = 1 - me
    lies = board.queen == QueenState.ON_BOARD
    return Seen(
        own_left=board.on_board[me],
        opp_left=board.on_board[opp],
        own=facts.pocketed[me],
        opp=facts.pocketed[opp],
        striker=facts.pocketed_striker,
        proper=facts.proper & (facts.event == Event.SHOT),
        owes=board.owed[me] > 0,
        nine=board.on_board[me] == N_PER_SIDE,
        down=board.has_pocketed[me],
        queen=facts.pocketed_queen,
        waiting=board.queen == QueenState.WAITING,
        mine=board.queen == jnp.where(me == 0, 2, 3),
        theirs=board.queen == jnp.where(me == 0, 3, 2),
        on_board=lies & ~facts.pocketed_queen,
        my_score=state.game.score[my_side],
        their_score=state.game.score[1 - my_side],
    )


class Row(NamedTuple):
    """A row of table 22.

    Attributes:
        when: bool, the row holds.
        fate: words out of ``FATES``: what comes out, is charged, becomes of the queen, and
            whether the turn is kept.
        laws: what has to be cited.
    """

    when: jax.Array
    fate: str
    laws: str

    def says(self, word: str) -> bool:
        """Whether the fate has this word."""
        return word in self.fate.split()


FATES = ("own", "queen", "due", "penalty", "waits", "covers", "keep")


def stroke_rows(s: Seen) -> tuple[Row, ...]:
    """Table 22; exactly one row holds for every stroke that does not end the board."""
    good, bad = s.proper & ~s.striker, ~s.proper & ~s.striker
    good_in, bad_in = s.proper & s.striker, ~s.proper & s.striker
    none, one, some, more = s.own == 0, s.own == 1, s.own > 0, s.own > 1
    theirs, no_theirs = s.opp > 0, s.opp == 0
    plain = ~s.queen & ~s.waiting
    # A5: the debt first, then whether anything was ever down, else the right exists.
    in_debt = s.queen & s.owes
    too_soon = s.queen & ~s.owes & s.nine & ~s.down
    by_right = s.queen & ~s.owes & ~(s.nine & ~s.down)
    usual, all_back = by_right & ~s.nine, by_right & s.nine
    return (
        # 22a: the queen has no part.
        Row(plain & good & none & no_theirs, "", "48"),
        Row(plain & good & none & theirs, "", "125.a"),
        Row(plain & good & some, "keep", "48"),
        Row(plain & bad & none & no_theirs, "penalty", "64.a"),
        Row(plain & bad & none & theirs, "penalty", "76"),
        Row(plain & bad & some, "own penalty", "77.a"),
        Row(plain & good_in & none & no_theirs, "due", "72.a"),
        Row(plain & good_in & none & theirs, "due", "74"),
        Row(plain & bad_in & none & no_theirs, "due penalty", "72.b"),
        Row(plain & bad_in & none & theirs, "due penalty", "74 76"),
        Row(plain & good_in & some & no_theirs, "own due keep", "73"),
        Row(plain & good_in & some & theirs, "own due keep", "75"),
        Row(plain & bad_in & some, "own due penalty", "77.b"),
        # 22b: the queen was pocketed; first without a right to her (U1, U2).
        Row(in_debt & good, "queen", "95.b"),
        Row(in_debt & good_in & none & no_theirs, "queen due", "95.b 72.a"),
        Row(in_debt & good_in & none & theirs, "queen due", "95.b 74"),
        Row(in_debt & good_in & some, "own queen due", "95.b"),
        Row(too_soon & good & none, "queen", "95.a"),
        Row(too_soon & good & one, "waits keep", "97.b"),
        Row(too_soon & good & more, "covers keep", "97.b"),
        Row(too_soon & good_in & none & no_theirs, "queen due", "95.d"),
        Row(too_soon & good_in & none & theirs, "queen due", "95.d 74"),
        Row(too_soon & good_in & some, "own queen due keep", "98.a"),
        # By right (U3), and with all nine on the board again (95.c, U4, U5).
        Row(usual & good & none, "waits keep", "48 92"),
        Row(usual & good & some, "covers keep", "97.a"),
        Row(usual & good_in & none, "queen due keep", "99.a"),
        Row(all_back & good & none, "waits keep", "92 95.c"),
        Row(all_back & good & one, "waits keep", "95.c 97.b"),
        Row(all_back & good & more, "covers keep", "95.c"),
        Row(all_back & good_in & none, "queen due", "95.d"),
        Row(by_right & good_in & some, "own queen due keep", "98.a"),
        # An improper stroke gives everything back, whatever the right.
        Row(s.queen & bad & none, "queen penalty", "64.b"),
        Row(s.queen & bad & some, "own queen penalty", "64.b"),
        Row(s.queen & bad_in & none, "queen due penalty", "99.b"),
        Row(s.queen & bad_in & some, "own queen due penalty", "98.b"),
        # 22c: the queen waits to be covered.
        Row(s.waiting & good & none & no_theirs, "queen", "96"),
        Row(s.waiting & good & none & theirs, "queen", "96 125.a"),
        Row(s.waiting & good & some, "covers keep", "15"),
        Row(s.waiting & bad & none & no_theirs, "queen penalty", "96 64.a"),
        Row(s.waiting & bad & none & theirs, "queen penalty", "96 76"),
        Row(s.waiting & bad & some, "own queen penalty", "96 77.a 64.b"),
        Row(s.waiting & good_in & none & no_theirs, "queen due", "100.a"),
        Row(s.waiting & good_in & none & theirs, "queen due", "96 74"),
        Row(s.waiting & bad_in & none & no_theirs, "queen due penalty", "100.b"),
        Row(s.waiting & bad_in & none & theirs, "queen due penalty", "96 76 72.b"),
        Row(s.waiting & good_in & some, "own due waits keep", "101.a"),
        Row(s.waiting & bad_in & some, "own queen due penalty", "101.b"),
    )


class End(NamedTuple):
    """A row of table 23, or another end of a board.

    Attributes:
        when: bool, the row holds.
        i_win: the striking side wins.
        points: int32, without claims.
        claims: int32, extra points the winner may claim (87.b).
        law: what has to be cited.
    """

    when: jax.Array
    i_win: bool
    points: jax.Array
    claims: jax.Array
    law: str


def end_rows(s: Seen) -> tuple[End, ...]:
    """Table 23; no row holds for a stroke after which the board goes on, else exactly one."""
    own_last, opp_last = (s.own > 0) & (s.own == s.own_left), (s.opp > 0) & (s.opp == s.opp_left)
    only_own, only_opp, both = own_last & ~opp_last, opp_last & ~own_last, own_last & opp_last
    clean, into = ~s.striker, s.striker
    perfect = s.proper & clean
    mine, theirs = s.own_left - s.own, s.opp_left - s.opp
    # "q" and "t" of the table, for either side (A10).
    my_q, their_q = (jnp.where(score <= 21, 3, 0) for score in (s.my_score, s.their_score))
    my_t, their_t = (jnp.where(score <= 21, 3, 1) for score in (s.my_score, s.their_score))
    no = jnp.int32(0)
    # She was taken on the way: by this stroke, or by the one before.
    taken = s.waiting | s.queen
    ends = [
        End(only_own & perfect & (s.mine | taken), True, theirs + my_q, no, "52.a"),
        End(only_own & perfect & s.theirs, True, theirs, no, "53.c"),
        End(only_opp & s.theirs, False, mine + their_q, s.faults, "52.a"),
        End(only_opp & s.mine, False, mine, s.faults, "53.c"),
        End(both & s.mine & perfect, True, my_t, no, "52.a"),
        End(both & s.theirs & perfect, False, their_t, no, "52.a"),
    ]
    for law, when, i_win, points in (
        ("102", both & s.waiting & clean & s.proper, True, my_t),
        ("102", both & s.waiting & clean & ~s.proper, False, their_t),
        ("103", only_opp & taken & clean, False, mine + their_q),
        ("104", both & s.queen & clean & s.proper, True, my_t),
        ("104", both & s.queen & clean & ~s.proper, False, their_t),
        ("105", both & s.on_board, False, their_t),
        ("106", only_opp & s.on_board & clean, False, mine + their_q),
        ("107", only_own & s.on_board & clean, False, their_t),
        ("108", only_own & s.on_board & into, False, their_t),
        ("109", both & taken & into, False, their_t),
        ("110", both & s.mine & ~perfect, False, jnp.int32(1)),
        ("111", only_opp & (s.on_board | taken) & into, False, mine + their_q),
        ("112", both & s.theirs & ~perfect, False, their_t),
    ):
        claims = no if i_win else s.faults
        ends.append(End(when & s.proper, i_win, points, claims, f"{law}.a"))
        ends.append(End(when & ~s.proper, i_win, points, claims, f"{law}.b"))
    return tuple(ends)


def event_ends(s: Seen, event: jax.Array) -> tuple[End, ...]:
    """Boards that end without a stroke: out of turn (51), conceded (139)."""
    no = jnp.int32(0)
    # The queen counts if she lay there, or for the winner who had covered her (U25).
    my_queen = jnp.where((s.on_board | s.mine) & (s.my_score <= 21), 3, 0)
    their_queen = jnp.where((s.on_board | s.theirs) & (s.their_score <= 21), 3, 0)
    conceded = (event == Event.CONCEDE_GAME) | (event == Event.CONCEDE_MATCH)
    given = (event == Event.CONCEDE_GAME_OPPONENT) | (event == Event.CONCEDE_MATCH_OPPONENT)
    partner = event == Event.OUT_OF_TURN_PARTNER
    return (
        End(event == Event.OUT_OF_TURN, True, s.opp_left + my_queen, no, "51"),
        End(partner, False, s.own_left + their_queen, no, "51"),
        End(conceded, False, no, no, "139"),
        End(given, True, no, no, "139"),
        End(event == Event.BOARD_LOST, False, s.own_left + their_queen, no, "53.a"),
        End(event == Event.BOARD_LOST_OPPONENT, True, s.opp_left + my_queen, no, "53.a"),
    )

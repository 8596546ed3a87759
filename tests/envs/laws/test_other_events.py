"""Slips, breaches with their cause, and partners who break a law or strike out of turn."""

from __future__ import annotations

import dataclasses

import chex
import numpy as np
import pytest

from carrom.errors import FactsError
from carrom.laws import (
    DOUBLES,
    LAW_IDS,
    SINGLES,
    Event,
    MatchFormat,
    QueenState,
    StrokeFacts,
    check,
    cited,
    foul_by,
    law_mask,
    new_match,
    out_of_turn_by,
    rule_jit,
    sentences,
)
from carrom.laws.state import integers

SLIP = StrokeFacts.without_stroke(Event.NO_STROKE)
PARTNERS_FOUL = StrokeFacts.without_stroke(Event.TECHNICAL_FOUL_PARTNER)
PARTNER_STRUCK = StrokeFacts.without_stroke(Event.OUT_OF_TURN_PARTNER)


def struck_before(state):
    """The same position, later in the turn."""
    board = dataclasses.replace(state.board, strokes_in_turn=integers(1))
    return dataclasses.replace(state, board=board)


@pytest.mark.law("127.b")
@pytest.mark.parametrize("format", [SINGLES, DOUBLES], ids=["singles", "doubles"])
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"queen": QueenState.WAITING},
        # A due that could be paid, with and without a placer: nothing may happen even so.
        {"owed": (2, 1)},
        {"owed": (2, 1), "placing_seat": integers([2, -1])},
        {"owed": (3, 0), "stranded": integers([2, 0])},
        {"idle_turns": integers(5)},
        {"on_board": (9, 9), "down": (False, False)},
    ],
)
def test_a_slip_changes_nothing(position, format: MatchFormat, fields):
    state = struck_before(position(format=format, seat=2, **fields))
    after, ruling = rule_jit(state, SLIP, format=format)
    chex.assert_trees_all_equal(after, state)
    assert bool(ruling.turn_kept)
    assert cited(ruling) == ("127.b",)
    assert ruling.owed.tolist() == state.board.owed.tolist()
    for name in ("returned", "dues_paid", "dues_charged", "penalties_charged", "waived"):
        assert getattr(ruling, name).tolist() == [0, 0], name
    assert sentences(ruling)[-1].endswith("white goes on")


@pytest.mark.law("127.b")
def test_a_slip_is_no_attempt_at_the_break():
    state = new_match()
    for facts in (StrokeFacts.shot(touched=False), SLIP, StrokeFacts.shot(touched=False), SLIP):
        state, ruling = rule_jit(state, facts)
        assert bool(ruling.turn_kept)
        assert bool(ruling.rebreak)
    assert int(state.board.break_attempts_failed) == 2


@pytest.mark.law("63.b")
@pytest.mark.parametrize("striker", [0, 1])
def test_a_partners_breach_costs_the_striking_side_a_penalty_and_no_turn(position, striker):
    state = struck_before(
        position(striker=striker, format=DOUBLES, seat=3, on_board=(9, 9), down=(True, True))
    )
    after, ruling = rule_jit(state, PARTNERS_FOUL, format=DOUBLES)
    charged = [0, 0]
    charged[striker] = 1
    assert ruling.penalties_charged.tolist() == charged
    assert ruling.owed.tolist() == charged
    assert bool(ruling.turn_kept)
    assert int(after.board.seat) == 3
    assert int(after.board.strokes_in_turn) == 1
    assert "63.b" in cited(ruling)


@pytest.mark.law("51")
@pytest.mark.parametrize(
    ("on_board", "queen", "score", "points"),
    [
        # White has the turn and a white player struck: black wins by white's carrommen.
        ((5, 6), QueenState.ON_BOARD, (5, 5), 8),
        ((5, 6), QueenState.ON_BOARD, (5, 22), 5),
        ((5, 6), QueenState.ON_BOARD, (22, 5), 8),
        ((5, 6), QueenState.COVERED_BLACK, (0, 0), 8),
        ((5, 6), QueenState.COVERED_BLACK, (0, 22), 5),
        ((5, 6), QueenState.COVERED_WHITE, (0, 0), 5),
        ((5, 6), QueenState.WAITING, (0, 0), 5),
        ((9, 1), QueenState.ON_BOARD, (0, 0), 12),
    ],
)
def test_a_partner_out_of_turn_loses_the_board_for_his_side(
    position, on_board, queen, score, points
):
    for colour in (0, 1):
        turned = slice(None, None, 1 - 2 * colour)
        mirrored = {QueenState.COVERED_WHITE: 3, QueenState.COVERED_BLACK: 2}
        state = position(
            striker=colour,
            format=DOUBLES,
            seat=1,
            on_board=on_board[turned],
            score=score[turned],
            queen=mirrored.get(queen, queen) if colour else queen,
        )
        after, ruling = rule_jit(state, PARTNER_STRUCK, format=DOUBLES)
        assert int(ruling.winner) == 1 - colour
        assert ruling.points.tolist() == [0, points][turned]
        assert bool(after.board_over)
        assert cited(ruling)[0] == "51"


@pytest.mark.law("22.b")
def test_a_breach_is_that_of_the_player_with_the_turn_his_partner_or_an_opponent(position):
    for seat in range(4):
        state = position(format=DOUBLES, seat=seat)
        right, partner, left = ((seat + step) % 4 for step in (1, 2, 3))
        assert foul_by(seat, state, DOUBLES) == Event.TECHNICAL_FOUL
        assert foul_by(seat, struck_before(state), DOUBLES) == Event.FOUL
        for opponent in (right, left):
            assert foul_by(opponent, state, DOUBLES) == Event.TECHNICAL_FOUL_OPPONENT
            assert out_of_turn_by(opponent, state, DOUBLES) == Event.OUT_OF_TURN
        assert foul_by(partner, struck_before(state), DOUBLES) == Event.TECHNICAL_FOUL_PARTNER
        assert out_of_turn_by(partner, state, DOUBLES) == Event.OUT_OF_TURN_PARTNER


@pytest.mark.law("22.a")
def test_in_singles_the_other_player_is_the_opponent(position):
    state = position(striker=1)
    assert foul_by(2, state, SINGLES) == Event.TECHNICAL_FOUL
    assert foul_by(0, state, SINGLES) == Event.TECHNICAL_FOUL_OPPONENT
    assert out_of_turn_by(0, state, SINGLES) == Event.OUT_OF_TURN


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda state: foul_by(1, state, SINGLES), ["seat = 1", "(0, 2)"]),
        (lambda state: foul_by(4, state, DOUBLES), ["seat = 4", "(0, 1, 2, 3)"]),
        (lambda state: out_of_turn_by(3, state, SINGLES), ["seat = 3", "(0, 2)"]),
        (lambda state: out_of_turn_by(0, state, SINGLES), ["seat = 0", "has the turn"]),
        (lambda state: StrokeFacts.shot(breach="130.c"), ["breach = '130.c'", "a law"]),
        (lambda state: check(state, PARTNERS_FOUL), ["TECHNICAL_FOUL_PARTNER", "singles"]),
        (lambda state: check(state, PARTNER_STRUCK), ["OUT_OF_TURN_PARTNER", "singles"]),
        (lambda state: check(state, StrokeFacts.shot(breach="134")), ["breach = 134", "proper"]),
        (
            lambda state: check(state, StrokeFacts.without_stroke(Event.VOID, breach="134")),
            ["breach = 134", "VOID"],
        ),
        (
            lambda state: check(state, StrokeFacts.without_stroke(Event.NO_STROKE, breach="46")),
            ["breach = 46", "NO_STROKE"],
        ),
        (lambda state: check(state, StrokeFacts.shot(claims=-1)), ["claims = -1"]),
    ],
)
def test_what_cannot_be_is_one_clear_error(position, ask, words):
    with pytest.raises(FactsError) as caught:
        ask(position())
    for word in words:
        assert word in str(caught.value)


def test_a_slip_moves_nothing(position):
    with pytest.raises(FactsError, match="NO_STROKE pocketed something"):
        check(position(), dataclasses.replace(StrokeFacts.shot(pocketed=(1, 0)), event=SLIP.event))


def costs_more_than_a_penalty(law):
    """Whether its breach costs the board (51, 91, 121.b, 126.b) or the match (143)."""
    return law in ("51", "91", "121.b", "126.b") or law.startswith("143.")


@pytest.mark.parametrize("law", [law for law in LAW_IDS if costs_more_than_a_penalty(law)])
def test_what_costs_more_than_a_penalty_is_no_foul(position, law):
    for foul in (
        StrokeFacts.shot(proper=False, breach=law),
        StrokeFacts.without_stroke(Event.TECHNICAL_FOUL, breach=law),
    ):
        with pytest.raises(FactsError, match=f"breach = {law} by .*: expected "):
            check(position(), foul)


@pytest.mark.law("62")
@pytest.mark.parametrize("law", [law for law in LAW_IDS if not costs_more_than_a_penalty(law)])
def test_whichever_law_is_broken_is_cited_first(position, law):
    foul = StrokeFacts.shot(proper=False, breach=law)
    check(position(), foul)
    _, ruling = rule_jit(position(), foul)
    others = {"64.a", "78.a"} - {law}
    assert cited(ruling)[0] == law
    assert set(cited(ruling)[1:]) == others
    assert sentences(ruling)[0].startswith(f"breach of {law}: ")
    assert {LAW_IDS[i] for i in np.flatnonzero(law_mask(ruling.laws))} == {law} | others


@pytest.mark.parametrize(
    "event",
    [
        *(Event.FOUL, Event.TECHNICAL_FOUL, Event.TECHNICAL_FOUL_OPPONENT, Event.OUT_OF_TURN),
        *(Event.TECHNICAL_FOUL_PARTNER, Event.OUT_OF_TURN_PARTNER),
    ],
)
def test_a_breach_has_its_cause_and_the_same_consequence(position, event):
    state = position(format=DOUBLES, seat=2)
    named = StrokeFacts.without_stroke(event, breach="133")
    check(state, named, format=DOUBLES)
    after, ruling = rule_jit(state, named, format=DOUBLES)
    plain, unnamed = rule_jit(state, StrokeFacts.without_stroke(event), format=DOUBLES)
    chex.assert_trees_all_equal(after, plain)
    assert cited(ruling) == ("133", *cited(unnamed))


@pytest.mark.law("47")
def test_an_early_break_may_be_a_breach_of_another_law_too():
    early = StrokeFacts.shot(event=Event.EARLY_BREAK, breach="122.a")
    check(new_match(), early)
    _, ruling = rule_jit(new_match(), early)
    assert cited(ruling)[0] == "122.a"
    assert "47" in cited(ruling)


@pytest.mark.law("87.b")
@pytest.mark.parametrize(
    ("claims", "points"), [(False, 3), (0, 3), (1, 4), (2, 5), (True, 5), (9, 5)]
)
def test_extra_points_are_claimed_in_whole_or_in_part(position, claims, points):
    # Own last and striker, improper, queen on the board: opponent 3 and two claims (108.b).
    last = StrokeFacts.shot(pocketed=(1, 0), striker=True, proper=False, claims=claims)
    _, ruling = rule_jit(position(on_board=(1, 5)), last)
    assert ruling.points.tolist() == [0, points]
    assert int(ruling.claims) == points - 3
    assert ("87.b" in cited(ruling)) == (points > 3)

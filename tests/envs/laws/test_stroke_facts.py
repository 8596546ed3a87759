"""Facts that contradict the position are refused with one clear error."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from carrom.errors import FactsError
from carrom.laws import Event, QueenState, StrokeFacts, check, next_board_jit, rule_jit
from carrom.laws.state import flags, integers

SHOT = StrokeFacts.shot


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (SHOT(pocketed=(7, 0)), ["pocketed white = 7", "0 to 6"]),
        (SHOT(pocketed=(0, -1)), ["pocketed black = -1"]),
        (SHOT(overboard=(0, 6)), ["overboard black = 6", "0 to 5"]),
        (SHOT(pocketed=(4, 0), overboard=(3, 0)), ["white", "4 pocketed", "3 overboard", "6"]),
        (SHOT(queen=True, overboard_queen=True), ["queen", "both"]),
        (SHOT(striker=True, overboard_striker=True), ["striker", "both"]),
        (SHOT(event=Event.TECHNICAL_FOUL, pocketed=(1, 0)), ["TECHNICAL_FOUL", "no stroke"]),
        (SHOT(event=Event.VOID, striker=True), ["VOID", "no stroke"]),
        (SHOT(event=Event.EARLY_BREAK), ["EARLY_BREAK", "after the break"]),
        (SHOT(room_due=-1), ["room_due = -1"]),
        (dataclasses.replace(SHOT(), event=integers(42)), ["event = 42"]),
    ],
)
def test_contradictions_are_named(position, facts, words):
    with pytest.raises(FactsError) as caught:
        check(position(), facts)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("queen", [QueenState.WAITING, QueenState.COVERED_BLACK])
@pytest.mark.parametrize("facts", [SHOT(queen=True), SHOT(overboard_queen=True)])
def test_a_queen_that_is_not_there_cannot_fall(position, queen, facts):
    with pytest.raises(FactsError, match="queen = True while the queen is not on the board"):
        check(position(queen=queen), facts)


def test_a_board_that_has_ended_takes_no_stroke(position):
    state, _ = rule_jit(position(on_board=(1, 5)), SHOT(pocketed=(1, 0)))
    with pytest.raises(FactsError, match="start the next"):
        check(state, SHOT())
    check(next_board_jit(state), SHOT())


@pytest.mark.law("63.a")
def test_a_foul_after_a_stroke_of_the_turn_is_not_technical(position):
    fouls = [StrokeFacts.without_stroke(e) for e in (Event.TECHNICAL_FOUL, Event.FOUL)]
    for foul in fouls:
        check(position(), foul)
    later = position(strokes_in_turn=integers(1))
    check(later, fouls[1])
    with pytest.raises(FactsError, match="TECHNICAL_FOUL after a stroke"):
        check(later, fouls[0])


def test_legal_facts_pass(position):
    check(position(), SHOT(pocketed=(6, 5), queen=True, striker=True))
    check(position(), StrokeFacts.without_stroke(Event.OUT_OF_TURN))
    check(position(), SHOT(event=Event.FOUL, pocketed=(1, 0)))


def test_facts_from_plain_values_have_the_documented_types():
    facts = SHOT(waive=True)
    assert facts.waive.tolist() == [True, True]
    for name in ("event", "room_returned", "room_due", "pocketed", "overboard", "claims", "breach"):
        assert getattr(facts, name).dtype == np.int32, name
    for name in ("proper", "touched", "pocketed_queen", "waive"):
        assert getattr(facts, name).dtype == bool, name
    assert flags(1).dtype == bool

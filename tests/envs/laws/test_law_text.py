"""The book of laws, citations and sentences."""

from __future__ import annotations

import re

import numpy as np
import pytest

from carrom.laws import (
    DOUBLES,
    LAW_IDS,
    LAWS,
    Event,
    StrokeFacts,
    cited,
    law_mask,
    new_match,
    rule_jit,
    sentences,
)


def test_the_book_holds_every_law_once_and_in_order():
    numbers = [int(re.split(r"\D", law)[0]) for law in LAW_IDS]
    assert sorted(set(numbers)) == list(range(1, 152))
    assert numbers == sorted(numbers)
    assert all(text and text == text.strip() and not text.endswith(".") for text in LAWS.values())
    assert max(map(len, LAWS.values())) <= 100


def test_sentences_name_law_counts_and_players(position):
    _, ruling = rule_jit(position(owed=(0, 1)), StrokeFacts.shot(striker=True, room_due=1))
    said = sentences(ruling, ("Asha", "Ravi"))
    assert said[0] == "72.a: striker pocketed alone: one due; turn lost"
    assert said[-1] == "Asha puts back 1; Ravi still owes 1; turn to Ravi"


@pytest.mark.parametrize(
    ("facts", "last"),
    [
        (StrokeFacts.shot(pocketed=(1, 0)), "white goes on"),
        (
            StrokeFacts.shot(queen=True, striker=True),
            "white puts back 1; the queen goes back; white goes on",
        ),
        (StrokeFacts.shot(overboard=(0, 2)), "black jumped 2; turn to black"),
        (StrokeFacts.without_stroke(Event.VOID), "the board is replayed"),
        (StrokeFacts.shot(pocketed=(0, 5), claims=False), "black wins the board by 9"),
        (
            StrokeFacts.without_stroke(Event.CONCEDE_MATCH),
            "black wins the board without points; the match is over",
        ),
        (
            StrokeFacts.without_stroke(Event.CONCEDE_GAME),
            "black wins the board without points; the game is over; the players change sides",
        ),
        (
            StrokeFacts.shot(striker=True, waive=True),
            "white is forgiven 1; turn to black",
        ),
    ],
)
def test_the_last_sentence_says_what_follows(position, facts, last):
    _, ruling = rule_jit(position(), facts)
    said = sentences(ruling)[-1]
    assert said == last


@pytest.mark.law("45.a")
def test_a_break_still_to_be_made_is_said():
    _, ruling = rule_jit(new_match(DOUBLES), StrokeFacts.shot(touched=False), format=DOUBLES)
    assert sentences(ruling)[-1] == "white goes on; the break is still to be made"


def test_deciding_laws_come_before_accompanying_ones(position):
    _, ruling = rule_jit(position(), StrokeFacts.shot(striker=True, pocketed=(1, 0)))
    assert cited(ruling) == ("73", "78.a")


def test_masks_spread_the_words_of_many_rulings(position):
    _, ruling = rule_jit(position(), StrokeFacts.shot())
    many = law_mask(np.stack([ruling.laws, 0 * ruling.laws]))
    assert many.shape == (2, len(LAW_IDS))
    assert [LAW_IDS[i] for i in np.flatnonzero(many[0])] == ["48"]
    assert not many[1].any()

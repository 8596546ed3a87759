"""Points on which the laws are ambiguous or silent, each against how it is to be read.

White strikes, from the middle of a board unless a case says otherwise. Numbers are worked out
by hand from the readings.
"""

from __future__ import annotations

import dataclasses

import pytest

from carrom.laws import (
    DOUBLES,
    SINGLES,
    Event,
    MatchFormat,
    MatchState,
    QueenState,
    StrokeFacts,
    cited,
    foul_by,
    new_match,
    next_board_jit,
    rule_jit,
)
from carrom.laws.state import integers

BOARD, WAITING = QueenState.ON_BOARD, QueenState.WAITING
MINE, THEIRS = QueenState.COVERED_WHITE, QueenState.COVERED_BLACK
FRESH = {"on_board": (9, 9), "down": (False, False)}
AGAIN = {"on_board": (9, 6), "down": (True, True)}


def outcome(before: MatchState, facts: StrokeFacts, format: MatchFormat = SINGLES):
    """What a ruling leads to, in plain values."""
    state, ruling = rule_jit(before, facts, format=format)
    return {
        "keep": bool(ruling.turn_kept),
        "over": bool(ruling.board_over),
        "void": bool(ruling.board_replayed),
        "on_board": tuple(state.board.on_board.tolist()),
        "owed": tuple(state.board.owed.tolist()),
        "waived": tuple(ruling.waived.tolist()),
        "queen": QueenState(int(state.board.queen)),
        "points": tuple(ruling.points.tolist()),
        "down": tuple(state.board.has_pocketed.tolist()),
    }


OWN, OPP, BOTH = {"pocketed": (1, 0)}, {"pocketed": (0, 1)}, {"pocketed": (1, 1)}
QUEEN, STRIKER, IMPROPER = {"queen": True}, {"striker": True}, {"proper": False}
LAST = {"on_board": (1, 1)}
THEIR_LAST = {"on_board": (4, 1)}

STROKES = [
    ("A2", {}, BOTH, {"keep": True, "on_board": (5, 4)}),
    ("A2", {}, OPP, {"keep": False, "on_board": (6, 4)}),
    ("A4", {}, QUEEN | STRIKER, {"keep": True, "queen": BOARD, "on_board": (7, 5)}),
    ("A7", {"on_board": (1, 4), "queen": MINE, "score": (21, 0)}, OWN, {"points": (7, 0)}),
    ("A7", {"on_board": (1, 4), "queen": MINE, "score": (22, 0)}, OWN, {"points": (4, 0)}),
    ("A8", {"on_board": (9, 1)}, OPP | STRIKER | IMPROPER, {"points": (0, 12)}),
    ("A8", {"on_board": (8, 1)}, OPP | STRIKER | IMPROPER, {"points": (0, 12)}),
    ("A8", {"on_board": (7, 1)}, OPP | STRIKER, {"points": (0, 11)}),
    ("A9", {}, OWN | IMPROPER, {"keep": False, "on_board": (7, 5)}),
    ("A10", {"on_board": (1, 5), "score": (22, 3)}, OWN, {"points": (0, 3)}),
    ("A10", {"on_board": (1, 5), "score": (3, 22)}, OWN, {"points": (0, 1)}),
    ("A12", FRESH, OWN | QUEEN, {"keep": True, "queen": WAITING, "on_board": (8, 9)}),
    ("A15", {"owed": (2, 0)}, {"waive": True}, {"waived": (2, 0), "on_board": (6, 5)}),
    ("A16", {"owed": (2, 1)}, {}, {"on_board": (8, 6), "owed": (0, 0)}),
    ("A24", {"on_board": (1, 5)}, OWN, {"over": True, "points": (0, 3)}),
    ("A24", {"on_board": (1, 5), "queen": THEIRS}, OWN, {"over": True, "points": (5, 0)}),
    ("A29", THEIR_LAST | {"queen": THEIRS}, OPP, {"points": (0, 7)}),
    ("A29", THEIR_LAST | {"queen": MINE}, OPP, {"points": (0, 4)}),
    ("A29", THEIR_LAST | {"queen": THEIRS, "score": (0, 22)}, OPP, {"points": (0, 4)}),
    ("A30", {"on_board": (5, 1)}, {"pocketed": (2, 1)}, {"points": (0, 6)}),
    ("A31", LAST | {"queen": MINE}, BOTH | STRIKER, {"points": (0, 2)}),
    ("A31", LAST | {"queen": MINE, "score": (0, 22)}, BOTH | STRIKER, {"points": (0, 2)}),
    ("U1", {"owed": (1, 0)}, OWN | QUEEN, {"keep": False, "queen": BOARD, "on_board": (6, 5)}),
    ("U2", FRESH, OWN | QUEEN | STRIKER, {"keep": True, "on_board": (9, 9), "owed": (1, 0)}),
    ("U2", FRESH, OWN | QUEEN | STRIKER, {"queen": BOARD}),
    ("U3", {}, OPP | QUEEN | STRIKER, {"keep": True, "queen": BOARD, "on_board": (7, 4)}),
    ("U4", AGAIN, OWN | QUEEN, {"keep": True, "queen": WAITING, "on_board": (8, 6)}),
    ("U5", AGAIN, QUEEN | STRIKER, {"keep": False, "queen": BOARD, "owed": (1, 0)}),
    ("U6", LAST | {"queen": MINE}, BOTH, {"points": (3, 0)}),
    ("U6", LAST | {"queen": MINE, "score": (22, 0)}, BOTH, {"points": (1, 0)}),
    ("U6", LAST | {"queen": THEIRS}, BOTH, {"points": (0, 3)}),
    ("U6", LAST | {"queen": THEIRS, "score": (0, 22)}, BOTH, {"points": (0, 1)}),
    ("U6", LAST | {"queen": MINE}, BOTH | IMPROPER, {"points": (0, 2)}),
    ("U6", LAST | {"queen": THEIRS}, BOTH | IMPROPER, {"points": (0, 4)}),
    ("U7", LAST | {"queen": WAITING}, BOTH | STRIKER, {"points": (0, 4)}),
    ("U7", LAST | {"queen": WAITING}, BOTH | STRIKER | IMPROPER, {"points": (0, 5)}),
    ("U8", THEIR_LAST | {"queen": WAITING}, OPP | STRIKER, {"points": (0, 8)}),
    ("U8", THEIR_LAST | {"queen": WAITING}, OPP | STRIKER | IMPROPER, {"points": (0, 9)}),
    ("U9", LAST, BOTH | STRIKER, {"points": (0, 4)}),
    ("U9", LAST | {"score": (0, 22)}, BOTH | STRIKER | IMPROPER, {"points": (0, 3)}),
    ("U10", THEIR_LAST, OPP | QUEEN, {"points": (0, 7)}),
    ("U11", THEIR_LAST | {"queen": WAITING}, BOTH, {"points": (0, 6)}),
    ("U12", THEIR_LAST | {"queen": MINE}, OPP | STRIKER, {"points": (0, 5)}),
    ("U12", THEIR_LAST | {"queen": THEIRS}, OPP | IMPROPER, {"points": (0, 8)}),
    ("U12", THEIR_LAST | {"queen": THEIRS}, OPP | IMPROPER | STRIKER, {"points": (0, 9)}),
    ("U13", THEIR_LAST, {"pocketed": (2, 1)} | IMPROPER, {"points": (0, 6), "on_board": (2, 0)}),
    ("U16", FRESH, OWN | STRIKER, {"down": (False, False), "owed": (1, 0)}),
    ("U16", FRESH | {"owed": (1, 0)}, OWN, {"down": (True, False), "on_board": (9, 9)}),
    ("U22", FRESH, QUEEN | {"touched": False}, {"keep": False, "queen": BOARD}),
    ("U22", {"owed": (1, 0)}, QUEEN | {"touched": False}, {"keep": False, "queen": BOARD}),
    ("U22", {}, QUEEN | {"touched": False}, {"keep": True, "queen": WAITING}),
    ("U23", {}, OWN | STRIKER | {"waive": True}, {"on_board": (6, 5), "waived": (1, 0)}),
    (
        "U28",
        {},
        {"pocketed": (3, 0), "room_returned": 1, "room_due": 0} | STRIKER,
        {"keep": True, "on_board": (4, 5), "owed": (3, 0)},
    ),
    ("U32", {"queen": WAITING, "owed": (1, 0)}, OWN, {"queen": MINE, "on_board": (6, 5)}),
]


@pytest.mark.law(
    *("A2", "A4", "A7", "A8", "A9", "A10", "A12", "A15", "A16", "A24", "A29", "A30", "A31"),
    *("U1", "U2", "U3", "U4", "U5", "U6", "U7", "U8", "U9", "U10", "U11", "U12", "U13", "U16"),
    *("U22", "U23", "U28", "U32"),
)
@pytest.mark.parametrize(("point", "before", "shot", "after"), STROKES)
def test_a_stroke_is_ruled_as_the_reading_says(point, before, shot, after, position, request):
    marked = request.node.get_closest_marker("law").args
    assert set(marked) == {row[0] for row in STROKES}
    got = outcome(position(**before), StrokeFacts.shot(**shot))
    assert {name: got[name] for name in after} == after


def play(state: MatchState, *facts: StrokeFacts, format: MatchFormat = SINGLES):
    """The match after some strokes, and the last ruling."""
    ruling = None
    for stroke in facts:
        state, ruling = rule_jit(state, stroke, format=format)
    assert ruling is not None
    return state, ruling


MISS = StrokeFacts.shot(touched=False)
TOUCH = StrokeFacts.shot()


@pytest.mark.law("A1", "U18")
@pytest.mark.parametrize(("format", "turns"), [(SINGLES, 6), (DOUBLES, 12)])
def test_only_turns_of_everybody_without_a_touch_void_the_board(position, format, turns):
    state, ruling = play(position(format=format), *[MISS] * (turns - 1), format=format)
    assert not ruling.board_replayed
    assert play(state, MISS, format=format)[1].board_replayed
    # A touch anywhere begins the count anew.
    state, ruling = play(state, TOUCH, *[MISS] * (turns - 1), format=format)
    assert not ruling.board_replayed
    assert play(state, MISS, format=format)[1].board_replayed


@pytest.mark.law("U19")
def test_a_striker_pocketed_untouched_makes_an_idle_turn_all_the_same(position):
    state, _ = play(position(), *[MISS] * 5)
    _, ruling = play(state, StrokeFacts.shot(touched=False, striker=True))
    assert bool(ruling.board_replayed)


@pytest.mark.law("A5")
def test_an_outstanding_due_comes_before_nothing_ever_down(position):
    _, ruling = play(position(**FRESH, owed=(1, 0)), StrokeFacts.shot(queen=True))
    assert bool(ruling.turn_lost)
    assert "95.b" in cited(ruling)
    assert "95.a" not in cited(ruling)


@pytest.mark.law("A11")
def test_a_game_without_a_board_limit_has_no_last_board(position):
    leads = position(on_board=(1, 2), queen=THEIRS, score=(10, 5))
    leads = dataclasses.replace(
        leads, game=dataclasses.replace(leads.game, board_number=integers(8))
    )
    last = StrokeFacts.shot(pocketed=(1, 0))
    assert play(leads, last)[1].game_over
    unlimited = MatchFormat(board_limit=None)
    state, ruling = play(leads, last, format=unlimited)
    assert not ruling.game_over
    assert int(next_board_jit(state, format=unlimited).game.board_number) == 9


@pytest.mark.law("A17")
def test_no_stroke_changes_nothing_but_a_miss_does(position):
    state = position(owed=(1, 2))
    after, ruling = play(state, StrokeFacts.without_stroke(Event.NO_STROKE))
    assert bool(ruling.turn_kept)
    assert after.board.owed.tolist() == [1, 2]
    assert int(after.board.strokes_in_turn) == 0
    assert play(state, MISS)[1].turn_lost


@pytest.mark.law("A18", "U17")
def test_a_void_board_is_replayed_by_the_same_breaker_with_the_scores_as_they_were(position):
    state = position(striker=1, owed=(2, 1), score=(7, 4))
    state = dataclasses.replace(
        state, game=dataclasses.replace(state.game, board_number=integers(5))
    )
    after, ruling = play(state, StrokeFacts.without_stroke(Event.VOID))
    assert bool(ruling.board_replayed)
    again = next_board_jit(after)
    assert int(again.board.breaker_seat) == int(state.board.breaker_seat)
    assert int(again.game.board_number) == 5
    assert again.game.score.tolist() == [7, 4]
    assert again.board.owed.tolist() == [0, 0]


@pytest.mark.law("A21", "U20")
def test_three_attempts_a_side_in_turns_until_the_break_is_made():
    state = new_match()
    seats, colours = [], []
    for _ in range(9):
        seats.append(int(state.board.seat))
        colours.append(int(state.board.striker))
        state, ruling = play(state, MISS)
        assert bool(ruling.rebreak)
    assert seats == [0, 0, 0, 2, 2, 2, 0, 0, 0]
    assert colours == [0, 0, 0, 1, 1, 1, 0, 0, 0]
    state, ruling = play(state, TOUCH)
    assert not ruling.rebreak
    assert state.board.on_board.tolist() == [9, 9]


@pytest.mark.law("A33")
def test_a_striker_that_jumps_off_has_made_the_break_only_with_a_touch():
    _, ruling = play(new_match(), StrokeFacts.shot(touched=False, overboard_striker=True))
    assert bool(ruling.rebreak)
    assert bool(ruling.turn_kept)
    _, ruling = play(new_match(), StrokeFacts.shot(overboard_striker=True))
    assert not ruling.rebreak
    assert ruling.owed.tolist() == [0, 0]


@pytest.mark.law("A22", "A28", "46", "50", "63.a", "64.a")
def test_a_late_stroke_is_technical_only_before_the_first_of_the_turn(position):
    state = position()
    late = StrokeFacts.without_stroke(foul_by(0, state, SINGLES), breach="46")
    state, ruling = play(state, late)
    assert (ruling.turn_kept, ruling.penalties_charged.tolist()) == (True, [1, 0])
    assert {"46", "63.a"} <= set(cited(ruling))
    state, _ = play(state, StrokeFacts.shot(pocketed=(1, 0)))
    late = StrokeFacts.without_stroke(foul_by(0, state, SINGLES), breach="50")
    _, ruling = play(state, late)
    assert (ruling.turn_lost, ruling.penalties_charged.tolist()) == (True, [1, 0])
    assert {"50", "64.a"} <= set(cited(ruling))


@pytest.mark.law("A32")
def test_a_penalty_before_the_break_is_outstanding():
    late = StrokeFacts.without_stroke(Event.TECHNICAL_FOUL, breach="46")
    state, ruling = play(new_match(), late)
    assert bool(ruling.turn_kept)
    assert state.board.owed.tolist() == [1, 0]
    assert state.board.on_board.tolist() == [9, 9]


@pytest.mark.law("U21")
def test_an_early_break_leaves_the_opponents_men_down():
    early = StrokeFacts.shot(event=Event.EARLY_BREAK, pocketed=(1, 1))
    state, ruling = play(new_match(), early)
    assert state.board.on_board.tolist() == [9, 8]
    assert state.board.owed.tolist() == [1, 0]
    assert bool(ruling.turn_lost)


@pytest.mark.law("U29")
def test_an_early_break_that_misses_costs_a_penalty_and_is_no_break():
    early = StrokeFacts.shot(event=Event.EARLY_BREAK, touched=False)
    state, ruling = play(new_match(), early)
    assert state.board.owed.tolist() == [1, 0]
    assert bool(ruling.rebreak)


@pytest.mark.law("A23", "U25")
@pytest.mark.parametrize(
    ("queen", "score", "points"),
    [(BOARD, 0, 7), (MINE, 0, 7), (THEIRS, 0, 4), (BOARD, 22, 4), (MINE, 22, 4)],
)
def test_out_of_turn_is_lost_by_the_offenders_own_men_and_the_queen(position, queen, score, points):
    # White has the turn, black struck: black's four count, not white's two.
    state = position(on_board=(2, 4), queen=queen, score=(score, 0))
    _, ruling = play(state, StrokeFacts.without_stroke(Event.OUT_OF_TURN))
    assert ruling.points.tolist() == [points, 0]


@pytest.mark.law("U26")
def test_the_toss_decides_who_breaks_the_extra_board(position):
    tied = position(on_board=(1, 2), queen=THEIRS, score=(3, 5))
    tied = dataclasses.replace(tied, game=dataclasses.replace(tied.game, board_number=integers(8)))
    after, ruling = play(tied, StrokeFacts.shot(pocketed=(1, 0)))
    assert not ruling.game_over
    breakers = {int(next_board_jit(after, toss=toss).board.breaker_seat) for toss in (0, 1)}
    assert breakers == {0, 2}


@pytest.mark.law("U30", "79.b", "90")
@pytest.mark.parametrize("seat", range(4))
def test_the_right_to_place_stays_with_its_seat_until_its_partner_is_to_play(position, seat):
    right, partner = (seat + 1) % 4, (seat + 3) % 4
    state = position(striker=0, seat=seat, format=DOUBLES)
    state, _ = play(state, StrokeFacts.shot(striker=True, room_due=0), format=DOUBLES)
    crowded = StrokeFacts.shot(room_due=0)
    for _ in range(2):  # the holder's own turn, and that of the debtor's partner
        assert int(state.board.placing_seat[0]) == right
        _, ruling = play(state, TOUCH, format=DOUBLES)
        assert int(ruling.placer_seat[0]) == right
        state, _ = play(state, crowded, format=DOUBLES)
    assert int(state.board.placing_seat[0]) == partner

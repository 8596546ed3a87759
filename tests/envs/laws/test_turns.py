"""The break, idle turns, dues without room, and the seats of doubles."""

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
    Ruling,
    StrokeFacts,
    cited,
    foul_by,
    new_match,
    rule_jit,
)
from carrom.laws.state import integers

MISS = StrokeFacts.shot(touched=False)
TOUCH = StrokeFacts.shot()


def play(
    state: MatchState, *strokes: StrokeFacts, format: MatchFormat = SINGLES
) -> tuple[MatchState, list[Ruling]]:
    """The match after some strokes, and their rulings."""
    rulings = []
    for stroke in strokes:
        state, ruling = rule_jit(state, stroke, format=format)
        rulings.append(ruling)
    return state, rulings


@pytest.mark.law("45.b")
def test_three_misses_lose_the_break_but_not_the_colour():
    state, rulings = play(new_match(), MISS, MISS, MISS)
    assert [bool(ruling.turn_kept) for ruling in rulings] == [True, True, False]
    assert (int(state.board.striker), int(state.board.seat)) == (1, 2)
    assert all(ruling.rebreak for ruling in rulings)
    assert "45.b" in cited(rulings[-1])


@pytest.mark.law("45.a")
def test_the_opponent_has_three_attempts_and_then_it_comes_back():
    state, _ = play(new_match(), *[MISS] * 6)
    assert int(state.board.striker) == 0
    assert int(state.board.break_attempts_failed) == 0
    assert not state.board.break_done
    state, rulings = play(state, MISS, TOUCH)
    assert bool(state.board.break_done)
    assert "44" in cited(rulings[-1])


def test_missed_breaks_are_no_idle_turns():
    state, rulings = play(new_match(), *[MISS] * 30)
    assert not any(ruling.board_replayed for ruling in rulings)
    assert int(state.board.idle_turns) == 0


@pytest.mark.law("45.c")
def test_an_improper_attempt_loses_the_break_without_penalty():
    state, (ruling,) = play(new_match(), StrokeFacts.shot(touched=False, proper=False))
    assert bool(ruling.turn_lost)
    assert ruling.owed.tolist() == [0, 0]
    assert cited(ruling) == ("45.b", "45.c")
    assert int(state.board.seat) == 2


@pytest.mark.law("47")
def test_an_early_break_that_misses_costs_penalty_and_turn():
    early = StrokeFacts.shot(touched=False, event=Event.EARLY_BREAK)
    state, (ruling,) = play(new_match(), early)
    assert ruling.owed.tolist() == [1, 0]
    assert bool(ruling.turn_lost)
    assert bool(ruling.rebreak)
    assert "47" in cited(ruling)
    assert int(state.board.striker) == 1


@pytest.mark.law("137")
@pytest.mark.parametrize(("format", "limit"), [(SINGLES, 6), (DOUBLES, 12)])
def test_three_idle_turns_of_everybody_void_the_board(position, format, limit):
    state, rulings = play(position(format=format), *[MISS] * limit, format=format)
    assert [bool(ruling.board_replayed) for ruling in rulings] == [False] * (limit - 1) + [True]
    assert cited(rulings[-1]) == ("137",)
    assert bool(state.board.replay)


@pytest.mark.law("137")
def test_a_touch_anywhere_in_the_turn_keeps_it_from_being_idle(position):
    own = StrokeFacts.shot(pocketed=(1, 0))
    state, _ = play(position(), MISS, MISS, MISS, MISS, own, MISS)
    assert int(state.board.idle_turns) == 0
    assert not state.board.touched_in_turn


@pytest.mark.law("63.a")
def test_a_breach_is_technical_until_the_first_stroke_of_the_turn(position):
    state = position()
    assert foul_by(int(state.board.seat), state, SINGLES) == Event.TECHNICAL_FOUL
    state, _ = play(state, StrokeFacts.shot(pocketed=(1, 0)))
    assert foul_by(int(state.board.seat), state, SINGLES) == Event.FOUL
    state, _ = play(state, TOUCH)
    assert foul_by(int(state.board.seat), state, SINGLES) == Event.TECHNICAL_FOUL


@pytest.mark.law("92")
def test_the_right_to_the_queen_outlives_a_recovered_due(position):
    state = position(on_board=(9, 9), down=(False, False), owed=(1, 0))
    own = StrokeFacts.shot(pocketed=(1, 0))
    state, (ruling,) = play(state, own)
    assert (ruling.dues_paid.tolist(), state.board.on_board.tolist()) == ([1, 0], [9, 9])
    state, (ruling,) = play(state, StrokeFacts.shot(queen=True))
    assert int(state.board.queen) == QueenState.WAITING
    assert "95.c" in cited(ruling)


@pytest.mark.law("92")
def test_men_that_only_came_back_give_no_right(position):
    state = position(on_board=(9, 9), down=(False, False))
    state, _ = play(state, StrokeFacts.shot(pocketed=(1, 0), striker=True))
    assert not state.board.has_pocketed[0]
    assert state.board.owed.tolist() == [1, 0]
    state = position(on_board=(9, 9), down=(False, False))
    state, _ = play(state, StrokeFacts.shot(pocketed=(1, 0), striker=True, room_returned=0))
    assert not state.board.has_pocketed[0]


@pytest.mark.law("87.a")
def test_men_waiting_for_room_cannot_be_waived(position):
    crowded = StrokeFacts.shot(pocketed=(2, 0), striker=True, room_returned=0, room_due=0)
    state, _ = play(position(), crowded)
    assert (state.board.owed.tolist(), state.board.stranded.tolist()) == ([3, 0], [2, 0])
    state, (ruling,) = play(state, StrokeFacts.shot(waive=True))
    assert ruling.waived.tolist() == [1, 0]
    assert ruling.dues_paid.tolist() == [2, 0]
    assert state.board.on_board.tolist() == [6, 5]


@pytest.mark.law("79.a")
def test_a_due_without_room_waits_and_is_placed_when_there_is_room(position):
    hit = StrokeFacts.shot(striker=True, room_due=0)
    state, (ruling,) = play(position(), hit)
    assert ruling.dues_paid.tolist() == [0, 0]
    assert ruling.owed.tolist() == [1, 0]
    assert "79.a" in cited(ruling)
    assert int(state.board.placing_seat[0]) == 2
    state, (ruling,) = play(state, TOUCH)
    assert ruling.dues_paid.tolist() == [1, 0]
    assert int(ruling.placer_seat[0]) == 2
    assert int(state.board.placing_seat[0]) == -1


def test_men_that_come_out_without_room_are_owed(position):
    state, (ruling,) = play(
        position(on_board=(6, 5)),
        StrokeFacts.shot(pocketed=(3, 0), striker=True, room_returned=1, room_due=0),
    )
    assert int(ruling.returned_own) == 1
    assert ruling.returned.tolist() == [1, 0]
    assert ruling.owed.tolist() == [3, 0]
    assert state.board.on_board.tolist() == [4, 5]


@pytest.mark.law("83")
def test_the_striking_sides_dues_find_room_first(position):
    state, (ruling,) = play(position(owed=(1, 2)), StrokeFacts.shot(striker=True, room_due=3))
    assert ruling.dues_paid.tolist() == [2, 1]
    assert state.board.owed.tolist() == [0, 1]


@pytest.mark.law("87.a")
def test_a_creditor_waives_all_that_could_be_placed_but_nothing_else(position):
    hit = StrokeFacts.shot(striker=True, pocketed=(1, 0), waive=(True, False))
    state, (ruling,) = play(position(on_board=(9, 5), owed=(0, 1)), hit)
    # The wrongly pocketed one comes out and the due could not be placed: nothing to waive.
    assert ruling.waived.tolist() == [0, 0]
    assert ruling.dues_paid.tolist() == [0, 1]
    assert state.board.owed.tolist() == [1, 0]
    _, (ruling,) = play(position(owed=(1, 1)), StrokeFacts.shot(waive=(True, False)))
    assert ruling.waived.tolist() == [1, 0]
    assert ruling.dues_paid.tolist() == [0, 1]
    assert {"87.a", "80"} <= set(cited(ruling))


@pytest.mark.law("65.a")
def test_jumped_pieces_are_replaced_and_count_as_nothing(position):
    jump = StrokeFacts.shot(overboard=(1, 1), overboard_queen=True)
    state, (ruling,) = play(position(), jump)
    assert ruling.replaced.tolist() == [1, 1]
    assert bool(ruling.queen_replaced)
    assert not ruling.queen_returned
    assert ruling.returned.tolist() == [0, 0]
    assert state.board.on_board.tolist() == [6, 5]
    assert "65.d" in cited(ruling)


@pytest.mark.law("49.b")
def test_turns_go_round_to_the_right_and_colours_alternate(position):
    state = position(format=DOUBLES, seat=1)
    seen = []
    for _ in range(5):
        seen.append((int(state.board.seat), int(state.board.striker)))
        state, _ = play(state, TOUCH, format=DOUBLES)
    assert seen == [(1, 0), (2, 1), (3, 0), (0, 1), (1, 0)]


@pytest.mark.law("45.b")
def test_in_doubles_a_lost_break_goes_to_the_right():
    state, _ = play(new_match(DOUBLES, 3), MISS, MISS, MISS, format=DOUBLES)
    assert (int(state.board.seat), int(state.board.striker)) == (0, 1)


@pytest.mark.law("78.b.ii")
def test_each_colour_has_its_placer(position):
    # White hits the striker and makes black's outstanding man available in one stroke.
    state = position(format=DOUBLES, seat=2, on_board=(6, 9), owed=(0, 1))
    hit = StrokeFacts.shot(striker=True, pocketed=(0, 1))
    _, (ruling,) = play(state, hit, format=DOUBLES)
    assert ruling.dues_paid.tolist() == [1, 1]
    assert ruling.placer_seat.tolist() == [3, 2]
    assert {"78.b.i", "78.b.ii"} <= set(cited(ruling))


@pytest.mark.law("79.b")
def test_the_right_to_place_passes_to_the_partner_when_play_reaches_him(position):
    crowded = StrokeFacts.shot(room_due=0)
    state = position(format=DOUBLES, seat=0)
    state, _ = play(state, StrokeFacts.shot(striker=True, room_due=0), format=DOUBLES)
    holders = [int(state.board.placing_seat[0])]
    for _ in range(5):
        state, _ = play(state, crowded, format=DOUBLES)
        holders.append(int(state.board.placing_seat[0]))
    # Turns: 1 (the holder), 2, 3 (his partner, who takes over), 0, 1 (back again), 2.
    assert holders == [1, 1, 3, 3, 1, 1]
    # Seat 2 has the turn, so seat 3 is his neighbour; but the right is seat 1's.
    _, (ruling,) = play(state, StrokeFacts.shot(), format=DOUBLES)
    assert ruling.placer_seat.tolist() == [1, -1]
    assert "79.b" in cited(ruling)
    assert "78.b.i" not in cited(ruling)


@pytest.mark.law("63.b")
def test_a_technical_foul_of_the_opponent_leaves_turn_and_cover_alone(position):
    state = position(queen=QueenState.WAITING)
    state = dataclasses.replace(
        state, board=dataclasses.replace(state.board, strokes_in_turn=integers(1))
    )
    after, (ruling,) = play(state, StrokeFacts.without_stroke(Event.TECHNICAL_FOUL_OPPONENT))
    assert ruling.penalties_charged.tolist() == [0, 1]
    assert bool(ruling.turn_kept)
    assert int(after.board.queen) == QueenState.WAITING
    assert int(after.board.strokes_in_turn) == 1

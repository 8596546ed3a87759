"""The words of the laws, chapter II: each means in the umpire what its definition says."""

from __future__ import annotations

import itertools

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

from carrom.board import Board, to_board
from carrom.errors import FactsError
from carrom.laws import (
    DOUBLES,
    SINGLES,
    Event,
    QueenState,
    StrokeFacts,
    check,
    colour_of,
    due_faults,
    foul_by,
    new_match,
    out_of_turn_by,
    rule_jit,
    side_of,
)
from carrom.layout import Layout
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.strike import Strike
from carrom.pieces import COLOURS, N_CARROMMEN, QUEEN, Colour
from carrom.rack import rack

FORMATS = (SINGLES, DOUBLES)


@pytest.mark.law("2.a", "2.b")
def test_the_same_stroke_wins_when_proper_and_costs_when_improper(position):
    after, ruling = rule_jit(position(), StrokeFacts.shot(pocketed=(1, 0)))
    assert (bool(ruling.turn_kept), after.board.on_board.tolist()) == (True, [5, 5])
    after, ruling = rule_jit(position(), StrokeFacts.shot(pocketed=(1, 0), proper=False))
    assert (bool(ruling.turn_kept), after.board.on_board.tolist()) == (False, [7, 5])


@pytest.mark.law("4", "12")
def test_nine_white_nine_black_and_one_red_queen_lie_on_a_racked_board():
    colours = [Colour(colour) for colour in COLOURS[:N_CARROMMEN]]
    assert colours.count(Colour.WHITE) == colours.count(Colour.BLACK) == 9
    assert [index for index, colour in enumerate(colours) if colour == Colour.QUEEN] == [QUEEN]
    places = rack(Board(), np.random.default_rng(0))
    assert np.hypot(*places[QUEEN]) < 1e-4
    assert new_match().board.on_board.tolist() == [9, 9]
    assert int(new_match().board.queen) == QueenState.ON_BOARD


@pytest.mark.law("5", "7")
@pytest.mark.parametrize("colour", [Colour.WHITE, Colour.BLACK])
def test_a_board_lasts_until_the_last_man_of_either_side_is_down(position, colour):
    one = (1, 0) if colour == Colour.WHITE else (0, 1)
    state = position(striker=colour, on_board=(9, 9), queen=QueenState.covered_by(1 - colour))
    for left in range(8, 0, -1):
        state, ruling = rule_jit(state, StrokeFacts.shot(pocketed=one))
        assert not ruling.board_over
        assert int(state.board.on_board[colour]) == left
    state, ruling = rule_jit(state, StrokeFacts.shot(pocketed=one))
    assert bool(ruling.board_over)
    with pytest.raises(FactsError, match="ended"):
        check(state, StrokeFacts.shot())


@pytest.mark.law("6")
def test_the_break_is_the_first_stroke_that_touches():
    state, ruling = rule_jit(new_match(), StrokeFacts.shot(touched=False))
    assert bool(ruling.rebreak)
    state, ruling = rule_jit(state, StrokeFacts.shot())
    assert not ruling.rebreak
    state, ruling = rule_jit(state, StrokeFacts.shot(touched=False))
    assert not ruling.rebreak


@pytest.mark.law("10")
@pytest.mark.parametrize("proper", [True, False])
def test_a_man_is_pocketed_by_whatever_stroke(position, proper):
    after, _ = rule_jit(position(), StrokeFacts.shot(pocketed=(0, 2), proper=proper))
    assert int(after.board.on_board[Colour.BLACK]) == 3


@pytest.mark.law("13", "14")
@pytest.mark.parametrize(
    ("own", "opponent", "queen", "striker", "proper"),
    list(itertools.product((0, 2), (0, 1), (False, True), (False, True), (False, True))),
)
def test_a_due_is_for_the_striker_and_a_penalty_for_a_breach(
    position, own, opponent, queen, striker, proper
):
    shot = StrokeFacts.shot(pocketed=(own, opponent), queen=queen, striker=striker, proper=proper)
    _, ruling = rule_jit(position(), shot)
    assert ruling.dues_charged.tolist() == [int(striker), 0]
    assert ruling.penalties_charged.tolist() == [int(not proper), 0]


@pytest.mark.law("16", "17.a", "17.b")
@pytest.mark.parametrize(("gap", "name"), [(0.0, "cannon"), (0.02, "pair")])
def test_a_shot_is_two_pieces_lined_up_on_a_pocket_touching_or_apart(gap, name):
    board = Board()
    lies = np.arange(N_CARROMMEN) == QUEEN
    nowhere = np.zeros((N_CARROMMEN, 2))
    reach = board.carromman_diameter + 1e-6 + gap

    def makes_shot(angle: float) -> bool:
        point = reach * np.array([np.cos(angle), np.sin(angle)])
        faults = due_faults(point, nowhere, lies, board=board)
        assert not bool(faults.overlaps)
        return bool(faults.makes_shot)

    # A pocket is seen from the centre, 0.489 m away, within 2.6 degrees of the diagonal.
    for diagonal in (45, 135, 225, 315):
        assert makes_shot(np.radians(diagonal)), name
        assert makes_shot(np.radians(diagonal + 2.5)), name
        assert not makes_shot(np.radians(diagonal + 2.7)), name
    assert not makes_shot(0.0)


@pytest.mark.law("19")
@pytest.mark.parametrize("format", FORMATS, ids=["singles", "doubles"])
def test_the_turn_is_the_right_to_strike(format):
    state = new_match(format)
    for _ in range(5):
        turn = int(state.board.seat)
        with pytest.raises(FactsError, match="has the turn"):
            out_of_turn_by(turn, state, format)
        for seat in set(format.seats) - {turn}:
            out = StrokeFacts.without_stroke(out_of_turn_by(seat, state, format))
            _, ruling = rule_jit(state, out, format=format)
            offender = int(colour_of(seat, state.board, doubles=format.doubles))
            assert bool(ruling.board_over)
            assert int(ruling.winner) == 1 - offender
        state, _ = rule_jit(state, StrokeFacts.shot(), format=format)


@pytest.mark.law("22.a")
def test_in_singles_the_opponent_is_the_player_without_the_turn(position):
    state = position(striker=1)
    assert foul_by(0, state, SINGLES) == Event.TECHNICAL_FOUL_OPPONENT
    assert foul_by(2, state, SINGLES) == Event.TECHNICAL_FOUL


@pytest.mark.law("22.b")
@pytest.mark.parametrize("seat", range(4))
def test_in_doubles_the_opponents_are_the_neighbours_on_both_sides(position, seat):
    state = position(format=DOUBLES, seat=seat)
    kinds = {
        (seat + 1) % 4: Event.TECHNICAL_FOUL_OPPONENT,
        (seat + 2) % 4: Event.TECHNICAL_FOUL_PARTNER,
        (seat + 3) % 4: Event.TECHNICAL_FOUL_OPPONENT,
    }
    assert {other: foul_by(other, state, DOUBLES) for other in kinds} == kinds
    for event in kinds.values():
        _, ruling = rule_jit(state, StrokeFacts.without_stroke(event), format=DOUBLES)
        partner = event == Event.TECHNICAL_FOUL_PARTNER
        assert ruling.penalties_charged.tolist() == ([1, 0] if partner else [0, 1])


@pytest.mark.law("26")
def test_a_stroke_hits_a_man_directly_or_by_way_of_the_frame():
    engine = MujocoEngine(Board(), Material())
    lies = np.arange(N_CARROMMEN) == 4
    ahead, behind, aside = (np.zeros((N_CARROMMEN, 2)) for _ in range(3))
    ahead[4], behind[4], aside[4] = (0.0, 0.1), (0.0, -0.33), (0.3, 0.0)
    straight = Strike(place=0.0, direction=0.0, speed=4.0)
    assert engine.play(Layout(ahead, lies), straight).first_touch == 4
    # Behind the striker: it comes back from the far frame.
    assert engine.play(Layout(behind, lies), straight).first_touch == 4
    assert engine.play(Layout(aside, lies), straight).first_touch is None


@pytest.mark.law("28")
def test_in_singles_the_players_sit_opposite_each_other():
    here, there = (to_board(np.array([0.1, -0.3]), seat) for seat in SINGLES.seats)
    assert np.array_equal(here, -there)
    assert [side_of(seat, doubles=False) for seat in SINGLES.seats] == [0, 1]


@pytest.mark.law("29")
def test_in_doubles_partners_sit_opposite_and_all_sides_are_taken():
    seats = {seat: to_board(np.array([0.0, -0.3]), seat) for seat in DOUBLES.seats}
    assert {tuple(place) for place in seats.values()} == {
        *((0.0, -0.3), (0.3, 0.0), (0.0, 0.3), (-0.3, 0.0))
    }
    for one, other in itertools.combinations(seats, 2):
        partners = side_of(one, doubles=True) == side_of(other, doubles=True)
        assert partners == np.array_equal(seats[one], -seats[other])


@pytest.mark.law("42", "43")
@pytest.mark.parametrize("format", FORMATS, ids=["singles", "doubles"])
def test_who_chose_to_break_breaks_with_white_and_the_queen_is_common(format):
    for seat in format.seats:
        board = new_match(format, seat).board
        assert (int(board.seat), int(board.striker)) == (seat, Colour.WHITE)
        for other in format.seats:
            same = side_of(seat, doubles=format.doubles) == side_of(other, doubles=format.doubles)
            colour = colour_of(other, board, doubles=format.doubles)
            assert int(colour) == (Colour.WHITE if same else Colour.BLACK)
        assert int(board.queen) == QueenState.ON_BOARD


@pytest.mark.law("62", "63.a", "63.b", "64.a")
@hypothesis.settings(max_examples=60, deadline=None)
@hypothesis.given(
    seat=st.integers(0, 3), offender=st.integers(0, 3), struck=st.booleans(), doubles=st.booleans()
)
def test_every_breach_is_a_foul_or_a_technical_foul_and_costs_one(
    seat, offender, struck, doubles, position
):
    format = DOUBLES if doubles else SINGLES
    hypothesis.assume({seat, offender} <= set(format.seats))
    state = position(format=format, seat=seat, strokes_in_turn=np.int32(struck))
    event = foul_by(offender, state, format)
    after, ruling = rule_jit(state, StrokeFacts.without_stroke(event), format=format)
    side = int(colour_of(offender, state.board, doubles=doubles))
    assert int(ruling.penalties_charged.sum()) == int(ruling.penalties_charged[side]) == 1
    # Only a breach after the first stroke of one's own turn loses it (64.a against 63).
    assert bool(ruling.turn_lost) == (seat == offender and struck)
    assert int(after.board.on_board[side]) == int(state.board.on_board[side]) + 1

"""Points, changes of sides and what may be named as a breach, law by law."""

from __future__ import annotations

import dataclasses

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
    loss_by,
    next_board_jit,
    rule_jit,
)
from carrom.laws.register import REGISTER
from carrom.laws.state import flags, integers
from carrom.laws.stroke import BOARD_LOST_BY

OWN = StrokeFacts.shot(pocketed=(1, 0))


@pytest.mark.law("52.b.i")
@pytest.mark.parametrize(("score", "queen"), [(0, 3), (21, 3), (22, 0), (24, 0)])
def test_the_queen_counts_three_up_to_21(position, score, queen):
    held = position(on_board=(1, 2), queen=QueenState.COVERED_WHITE, score=(score, 0))
    _, ruling = rule_jit(held, OWN)
    assert ruling.points.tolist() == [2 + queen, 0]


@pytest.mark.law("52.b.ii")
@pytest.mark.parametrize("left", range(1, 10))
def test_each_man_left_counts_one(position, left):
    lost = position(on_board=(1, left), queen=QueenState.COVERED_BLACK)
    _, ruling = rule_jit(lost, OWN)
    assert ruling.points.tolist() == [left, 0]


@pytest.mark.law("55")
@pytest.mark.parametrize(
    ("mine", "striker", "proper", "points"),
    [(6, True, True, 10), (8, False, True, 11), (8, True, True, 12), (8, True, False, 12)],
)
def test_a_board_is_worth_at_most_12_and_ends_all_debts(position, mine, striker, proper, points):
    # White pockets black's last with the queen on the board: its own count, and she 3.
    state = position(on_board=(mine, 1), owed=(1, 2))
    shot = StrokeFacts.shot(pocketed=(0, 1), striker=striker, proper=proper)
    after, ruling = rule_jit(state, shot)
    assert ruling.points.tolist() == [0, points]
    assert after.board.owed.tolist() == [0, 0]


@pytest.mark.law("81")
@pytest.mark.parametrize("format", [SINGLES, DOUBLES])
def test_room_that_appears_in_the_creditors_turn_is_used_at_once(position, format):
    # Black, to play, may place a white one that found no room.
    waiting = position(striker=1, owed=(1, 0), format=format, seat=1 if format.doubles else 2)
    seat = int(waiting.board.seat)
    board = dataclasses.replace(waiting.board, placing_seat=integers([seat, -1]))
    state = dataclasses.replace(waiting, board=board)
    shot = StrokeFacts.shot(pocketed=(0, 1), room_due=1)
    after, ruling = rule_jit(state, shot, format=format)
    assert (bool(ruling.turn_kept), ruling.dues_paid.tolist()) == (True, [1, 0])
    assert ruling.placer_seat.tolist() == [seat, -1]
    assert after.board.owed.tolist() == [0, 0]


@pytest.mark.law("78.b.i", "90")
@pytest.mark.parametrize("seat", range(4))
def test_in_doubles_the_right_hand_neighbour_takes_out_and_not_his_partner(position, seat):
    state = position(format=DOUBLES, seat=seat)
    _, ruling = rule_jit(state, StrokeFacts.shot(striker=True), format=DOUBLES)
    assert ruling.placer_seat.tolist() == [(seat + 1) % 4, -1]


def third_game(position, number: int, score: tuple[int, int], *, changed: bool):
    """The last stroke of board ``number`` of the third game, won by white by one point."""
    state = position(on_board=(1, 1), queen=QueenState.COVERED_BLACK, score=score)
    game = dataclasses.replace(
        state.game, board_number=integers(number), sides_changed=flags(changed)
    )
    return dataclasses.replace(
        state, game=game, game_number=integers(3), games_won=integers([1, 1])
    )


@pytest.mark.law("60.c")
@pytest.mark.parametrize("format", [SINGLES, MatchFormat(board_limit=None)])
@pytest.mark.parametrize(("changed", "turn"), [(False, 2), (True, 0)])
def test_a_forgotten_change_of_sides_is_made_after_the_board(position, format, changed, turn):
    # Long past 13 points and the fourth board.
    state = third_game(position, 6, (15, 4), changed=changed)
    after, ruling = rule_jit(state, OWN, format=format)
    assert bool(ruling.sides_change) != changed
    following = next_board_jit(after, format=format)
    assert (int(following.rotation) - int(state.rotation)) % 4 == turn
    assert bool(following.game.sides_changed)


TOLD = [law for law, entry in REGISTER.items() if "carrom.laws.StrokeFacts.breach" in entry.told_by]
LOST = [law for law in TOLD if "carrom.laws.Event.BOARD_LOST" in REGISTER[law].told_by]


@pytest.mark.law(
    *("30", "31.a", "31.b", "32", "32 (bis)", "33", "37.a", "38.a", "82.a", "122.b"),
    *("122.c", "126.a", "128", "129", "131", "132", "133", "135", "136.a"),
)
@pytest.mark.parametrize("law", [law for law in TOLD if law not in LOST])
def test_a_breach_of_conduct_told_to_the_umpire_is_a_foul_that_names_it(law, position, request):
    assert set(request.node.get_closest_marker("law").args) == set(TOLD) - set(LOST)
    for struck, turn_lost in ((0, False), (1, True)):
        state = position(strokes_in_turn=integers(struck))
        told = StrokeFacts.without_stroke(foul_by(0, state, SINGLES), breach=law)
        _, ruling = rule_jit(state, told)
        assert ruling.penalties_charged.tolist() == [1, 0]
        assert bool(ruling.turn_lost) == turn_lost
        assert cited(ruling)[0] == law
    offender = StrokeFacts.without_stroke(Event.TECHNICAL_FOUL_OPPONENT, breach=law)
    _, ruling = rule_jit(position(), offender)
    assert ruling.penalties_charged.tolist() == [0, 1]
    assert law in cited(ruling)


@pytest.mark.law("91", "121.b", "126.b")
@pytest.mark.parametrize("law", LOST)
def test_what_loses_the_board_by_the_offenders_men_and_the_queen(law, position, request):
    assert set(request.node.get_closest_marker("law").args) == set(LOST)
    assert set(LOST) == set(BOARD_LOST_BY)
    for seat, left in ((0, 6), (2, 4)):
        for score, points in ((0, left + 3), (22, left)):
            # White, on seat 0, has the turn. From 22 points on only the carrommen count.
            state = position(on_board=(6, 4), score=(0, score) if seat == 0 else (score, 0))
            told = StrokeFacts.without_stroke(loss_by(seat, state, SINGLES), breach=law)
            check(state, told)
            _, ruling = rule_jit(state, told)
            assert ruling.points.tolist() == ([0, points] if seat == 0 else [points, 0])
            assert cited(ruling)[0] == law
            assert "51" not in cited(ruling)
    with pytest.raises(FactsError, match="BOARD_LOST"):
        check(position(), StrokeFacts.without_stroke(foul_by(0, position(), SINGLES), breach=law))


@pytest.mark.law("143.a", "143.b", "143.c", "143.d", "143.e", "143.g", "143.h", "143.i")
@pytest.mark.parametrize(
    ("event", "winner"), [(Event.CONCEDE_MATCH, 1), (Event.CONCEDE_MATCH_OPPONENT, 0)]
)
def test_a_forfeited_match_is_lost_whatever_the_score(position, event, winner):
    score = (24, 0) if winner else (0, 24)
    after, ruling = rule_jit(position(score=score), StrokeFacts.without_stroke(event))
    assert bool(ruling.match_over)
    assert int(after.winner) == winner
    told = [law for law, entry in REGISTER.items() if law.startswith("143") and entry.told_by]
    assert set(told) == set(LAW_IDS[LAW_IDS.index("143.a") : LAW_IDS.index("144")]) - {"143.f"}

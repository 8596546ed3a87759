"""Boards, games and matches: who breaks, who sits where, when it is over (49, 56-60)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from carrom.errors import ConfigError
from carrom.laws import (
    DOUBLES,
    SINGLES,
    Event,
    MatchFormat,
    MatchState,
    QueenState,
    StrokeFacts,
    cited,
    colour_of,
    new_match,
    next_board_jit,
    next_break_law,
    rule_jit,
    side_of,
)
from carrom.laws.state import flags, integers

NO_LIMIT = MatchFormat(board_limit=None)
HALVES: Any = 2.5


def win(state: MatchState, side: int, points: int, format: MatchFormat = SINGLES) -> MatchState:
    """The board ends in a proper last stroke of ``side``, opponents' ``points`` left."""
    seat = side if format.doubles else 2 * side
    colour = int(colour_of(seat, state.board, doubles=format.doubles))
    on_board = (1, points) if colour == 0 else (points, 1)
    board = dataclasses.replace(
        state.board,
        striker=integers(colour),
        seat=integers(seat),
        on_board=integers(on_board),
        queen=integers(QueenState.covered_by(1 - colour)),
        break_done=flags(True),
    )
    state = dataclasses.replace(state, board=board)
    last = StrokeFacts.shot(pocketed=(1, 0) if colour == 0 else (0, 1))
    after, ruling = rule_jit(state, last, format=format)
    assert bool(ruling.board_over)
    assert int(ruling.points[colour]) == points
    return after


def breakers(format: MatchFormat, winners: list[tuple[int, int]], first: int = 0) -> list[int]:
    """Seats that break, board by board, when the boards end as given."""
    state = new_match(format, first)
    seats = [int(state.board.breaker_seat)]
    for side, points in winners:
        state = next_board_jit(win(state, side, points, format), format=format)
        seats.append(int(state.board.breaker_seat))
    return seats


@pytest.mark.law("49.a.i")
def test_the_break_alternates_in_singles():
    assert breakers(SINGLES, [(0, 1), (0, 1), (1, 1)]) == [0, 2, 0, 2]
    assert breakers(SINGLES, [(0, 1), (0, 1)], first=2) == [2, 0, 2]


@pytest.mark.law("49.b")
def test_the_break_goes_to_the_right_in_doubles():
    assert breakers(DOUBLES, [(0, 1)] * 5, first=3) == [3, 0, 1, 2, 3, 0]


@pytest.mark.law("49.a.ii")
def test_the_other_player_opens_game_two_and_the_first_game_three():
    # Three boards of 9 win a game, so game 2 would open with seat 2 by alternation too.
    assert breakers(SINGLES, [(0, 9)] * 3 + [(1, 9)] * 3) == [0, 2, 0, 2, 0, 2, 0]
    # Game 1 in four boards: by alternation alone seat 0 would open game 2.
    assert breakers(SINGLES, [(1, 1)] + [(0, 9)] * 3)[-1] == 2


def test_the_board_counts_up_and_the_breaker_is_white():
    state = new_match(SINGLES, 2)
    for number in range(1, 8):
        assert int(state.game.board_number) == number
        seat = int(state.board.breaker_seat)
        assert int(colour_of(seat, state.board, doubles=False)) == 0
        assert int(state.board.striker) == 0
        assert int(state.board.seat) == seat
        state = next_board_jit(win(state, number % 2, 1))


@pytest.mark.law("56.a")
def test_eight_boards_give_the_game_to_the_leader():
    state = new_match()
    for _ in range(7):
        state = next_board_jit(win(state, 1, 2))
    after = win(state, 0, 9)
    assert int(after.game.winner) == 1
    assert after.games_won.tolist() == [0, 1]


@pytest.mark.law("56.b")
@pytest.mark.parametrize("toss", [0, 1])
def test_a_tie_after_eight_boards_needs_an_extra_board_broken_by_toss(toss):
    state = new_match()
    for board in range(8):
        state = next_board_jit(win(state, board % 2, 3), toss=toss)
        assert int(state.game.winner) == -1
    assert int(state.game.board_number) == 9
    assert int(state.board.breaker_seat) == (2 if toss else 0)
    assert int(win(state, 1, 1).game.winner) == 1


@pytest.mark.law("56.a")
def test_without_a_limit_only_25_points_end_the_game():
    state = new_match(NO_LIMIT)
    for board in range(24):
        assert int(state.game.winner) == -1
        state = next_board_jit(win(state, int(board == 0), 1, NO_LIMIT), format=NO_LIMIT)
    assert state.game.score.tolist() == [23, 1]
    assert int(win(state, 0, 2, NO_LIMIT).game.winner) == 0


@pytest.mark.law("57")
def test_two_games_win_the_match_and_nothing_follows():
    state = new_match()
    for _ in range(5):
        state = next_board_jit(win(state, 0, 9))
    over = win(state, 0, 9)
    assert int(over.winner) == 0
    assert bool(over.match_over)
    following = next_board_jit(over)
    assert bool(following.board.over)
    assert following.game.score.tolist() == over.game.score.tolist()


@pytest.mark.law("58")
def test_singles_change_sides_after_each_game():
    state = new_match()
    for turned in (0, 0, 0, 2, 2, 2):
        assert int(state.rotation) == turned
        state = next_board_jit(win(state, int(turned > 0), 9))
    assert int(state.rotation) == 0


@pytest.mark.law("59")
def test_doubles_move_one_place_after_a_game():
    state = new_match(DOUBLES)
    for _ in range(3):
        state = next_board_jit(win(state, 0, 9, DOUBLES), format=DOUBLES)
    assert int(state.rotation) == 1
    assert int(state.game_number) == 2


def _deciding_game(format: MatchFormat) -> MatchState:
    state = new_match(format)
    for board in range(6):
        state = next_board_jit(win(state, board // 3, 9, format), format=format)
    assert int(state.game_number) == 3
    return state


@pytest.mark.law("60.a")
def test_the_last_game_changes_sides_once_at_board_four():
    state = _deciding_game(SINGLES)
    start = int(state.rotation)
    turned = []
    for _ in range(6):
        state = next_board_jit(win(state, 0, 1))
        turned.append((int(state.rotation) - start) % 4)
    assert turned == [0, 0, 0, 2, 2, 2]


@pytest.mark.law("60.a")
def test_the_last_game_changes_sides_at_13_points():
    state = _deciding_game(SINGLES)
    start = int(state.rotation)
    state = next_board_jit(win(state, 0, 9))
    assert int(state.rotation) == start
    state = next_board_jit(win(state, 0, 4))
    assert int(state.rotation) == (start + 2) % 4


@pytest.mark.law("60.b")
def test_without_a_board_limit_only_13_points_change_the_sides():
    state = _deciding_game(NO_LIMIT)
    start = int(state.rotation)
    for _ in range(6):
        state = next_board_jit(win(state, 0, 2, NO_LIMIT), format=NO_LIMIT)
    assert int(state.rotation) == start
    assert int(next_board_jit(win(state, 0, 1, NO_LIMIT), format=NO_LIMIT).rotation) != start


def test_scores_stay_with_the_sides_when_colours_change():
    state = next_board_jit(win(new_match(), 0, 5))
    assert int(colour_of(2, state.board, doubles=False)) == 0
    after = win(state, 0, 4)
    assert after.game.score.tolist() == [9, 0]


@pytest.mark.law("140")
@pytest.mark.parametrize("event", [Event.VOID, Event.NO_STRIKER_SPACE])
def test_a_void_board_is_replayed_by_the_same_breaker(position, event):
    state = next_board_jit(win(new_match(), 0, 5))
    board = position(striker=1, owed=(2, 0)).board
    board = dataclasses.replace(board, breaker_seat=state.board.breaker_seat)
    state = dataclasses.replace(state, board=board)
    after, ruling = rule_jit(state, StrokeFacts.without_stroke(event))
    assert bool(ruling.board_replayed)
    again = next_board_jit(after)
    assert int(again.board.breaker_seat) == 2
    assert int(again.game.board_number) == 2
    assert again.game.score.tolist() == [5, 0]
    assert again.board.on_board.tolist() == [9, 9]
    assert again.board.owed.tolist() == [0, 0]


def test_next_board_leaves_a_running_board_alone(position):
    state = position(owed=(1, 0))
    same = next_board_jit(state)
    assert same.board.on_board.tolist() == [6, 5]
    assert same.board.owed.tolist() == [1, 0]
    assert int(same.game.board_number) == 1


def test_sides_of_seats():
    assert [side_of(seat, doubles=True) for seat in range(4)] == [0, 1, 0, 1]
    assert [side_of(seat, doubles=False) for seat in (0, 2)] == [0, 1]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: new_match(SINGLES, 1), ["breaker_seat", "1", "(0, 2)"]),
        (lambda: MatchFormat(board_limit=0), ["board_limit", "0"]),
        (lambda: MatchFormat(games_to_win=True), ["games_to_win", "True"]),
        (lambda: MatchFormat(game_points=HALVES), ["game_points", "2.5"]),
    ],
)
def test_bad_formats_are_refused(make, words):
    with pytest.raises(ConfigError) as caught:
        make()
    for word in words:
        assert word in str(caught.value)


@pytest.mark.law("58")
def test_a_change_of_sides_is_announced():
    state = new_match()
    for _ in range(2):
        state = next_board_jit(win(state, 0, 9))
    board = dataclasses.replace(
        state.board,
        on_board=integers([1, 9]),
        queen=integers(QueenState.COVERED_BLACK),
        break_done=flags(True),
    )
    _, ruling = rule_jit(dataclasses.replace(state, board=board), StrokeFacts.shot(pocketed=(1, 0)))
    assert bool(ruling.sides_change)
    assert "58" in cited(ruling)


def laws_of_breaks(format: MatchFormat, winners: list[tuple[int, int]]) -> list[str | None]:
    """Which law gave each break but the first, when the boards end as given."""
    state, laws = new_match(format), []
    for side, points in winners:
        state = win(state, side, points, format)
        laws.append(next_break_law(state, format=format))
        state = next_board_jit(state, format=format)
    return laws


@pytest.mark.law("49.a.i", "49.a.ii", "49.a.iii")
def test_the_law_of_the_next_break_in_singles():
    boards = [(0, 9)] * 3 + [(1, 9)] * 3 + [(0, 9)] * 3
    alternating = ["49.a.i"] * 2
    wanted = [*alternating, "49.a.ii", *alternating, "49.a.iii", *alternating, None]
    assert laws_of_breaks(SINGLES, boards) == wanted


@pytest.mark.law("49.b")
def test_the_law_of_the_next_break_in_doubles():
    assert laws_of_breaks(DOUBLES, [(0, 9)] * 4) == ["49.b", "49.b", "49.a.ii", "49.b"]


@pytest.mark.law("56.b", "A11")
def test_a_toss_gives_the_break_of_an_extra_board_where_there_is_one():
    eight = [(board % 2, 3) for board in range(8)]
    assert laws_of_breaks(SINGLES, eight) == ["49.a.i"] * 7 + ["56.b"]
    assert laws_of_breaks(DOUBLES, eight) == ["49.b"] * 7 + ["56.b"]
    assert laws_of_breaks(NO_LIMIT, eight) == ["49.a.i"] * 8


@pytest.mark.law("U17")
def test_no_law_of_49_gives_the_break_of_a_replay(position):
    running = position()
    assert next_break_law(running) is None
    void, _ = rule_jit(running, StrokeFacts.without_stroke(Event.VOID))
    assert next_break_law(void) is None

"""The end of a board, row by row, against a transcription of the table as data.

"q" is 3 if the winner is below 22 before the board, else 0; "t" is 3 or 1. "mine" and "theirs"
are the C/m left of the striking side and of the opponent, after the stroke.
"""

from __future__ import annotations

import itertools

import pytest

from carrom.laws import (
    LAW_IDS,
    SINGLES,
    Event,
    MatchFormat,
    QueenState,
    StrokeFacts,
    cited,
    colour_of,
    concession_by,
    law_mask,
    rule_jit,
)

# What is pocketed, striker, queen before the stroke | proper | improper | laws.
# "goes on" means that the board is not over; "+n" are claims.
ENDS = """
own   no   held     | me: theirs + q | goes on        | 52.a
own   no   waiting  | me: theirs + q | goes on        | 52.a
own   no   pocketed | me: theirs + q | goes on        | 97.a
own   no   lost     | me: theirs     | goes on        | 53.c
own   no   board    | opp: t         | opp: t +1      | 107
own   yes  held     | goes on        | goes on        |
own   yes  lost     | goes on        | goes on        |
own   yes  waiting  | goes on        | goes on        |
own   yes  pocketed | goes on        | goes on        |
own   yes  board    | opp: t +1      | opp: t +2      | 108
opp   no   board    | opp: mine + q  | opp: mine + q +1 | 106
opp   yes  board    | opp: mine + q +1 | opp: mine + q +2 | 111
opp   no   waiting  | opp: mine + q  | opp: mine + q +1 | 103
opp   no   pocketed | opp: mine + q  | opp: mine + q +1 | 103
opp   yes  waiting  | opp: mine + q +1 | opp: mine + q +2 | 111
opp   yes  pocketed | opp: mine + q +1 | opp: mine + q +2 | 111
opp   no   lost     | opp: mine + q  | opp: mine + q +1 | 52.a
opp   no   held     | opp: mine      | opp: mine +1   | 53.c
opp   yes  lost     | opp: mine + q +1 | opp: mine + q +2 | 52.a
opp   yes  held     | opp: mine +1   | opp: mine +2   | 53.c
both  no   waiting  | me: t          | opp: t +1      | 102
both  no   pocketed | me: t          | opp: t +1      | 104
both  no   board    | opp: t         | opp: t +1      | 105
both  no   held     | me: t          | opp: 1 +1      | 52.a/110
both  no   lost     | opp: t         | opp: t +1      | 52.a/112
both  yes  pocketed | opp: t +1      | opp: t +2      | 109
both  yes  waiting  | opp: t +1      | opp: t +2      | 109
both  yes  board    | opp: t +1      | opp: t +2      | 105
both  yes  held     | opp: 1 +1      | opp: 1 +2      | 110
both  yes  lost     | opp: t +1      | opp: t +2      | 112
"""

ROWS = [[cell.strip() for cell in row.split("|")] for row in ENDS.strip().splitlines()]


def _points(formula: str, mine: int, theirs: int, winners_score: int) -> tuple[int, int]:
    """Points and claims of a cell."""
    terms, *claims = formula.split(" +")[0], *formula.split(" +")[1:]
    if claims and claims[0].strip() == "q":
        terms, claims = terms + " + q", claims[1:]
    below = winners_score < 22
    value = {"q": 3 * below, "t": 3 if below else 1, "mine": mine, "theirs": theirs, "1": 1}
    return sum(value[term.strip()] for term in terms.split("+")), int(claims[0]) if claims else 0


def _turned(pair: tuple[int, int], colour: int) -> tuple[int, int]:
    """(own, opponent) as (white, black)."""
    return pair if colour == 0 else (pair[1], pair[0])


COMBINATIONS = list(
    itertools.product(
        ROWS,
        (False, True),  # improper
        (1, 2, 9),  # pocketed of the side whose last it is
        (0, 1, 4, 8),  # left of the other side, where it is not its last
        (0, 2),  # others of that side pocketed in the same stroke
        ((0, 0), (21, 0), (22, 3), (3, 22), (24, 24)),
        (False, True),  # claims
        (0, 1),  # colour
    )
)


@pytest.fixture(scope="module")
def ends(position, judge_all):
    kept, states, facts = [], [], []
    for row, improper, last, left, also, score, claims, colour in COMBINATIONS:
        what, striker, queen = row[0].split()
        if what != "both" and (left == 0 or left + also > 9):
            continue
        own, own_left = (last, last) if what != "opp" else (also, left + also)
        opp, opp_left = (last, last) if what != "own" else (also, left + also)
        held = QueenState.covered_by(colour)
        kept.append((row, improper, own_left - own, opp_left - opp, score, claims, colour))
        states.append(
            position(
                striker=colour,
                on_board=_turned((own_left, opp_left), colour),
                score=_turned(score, colour),
                owed=(0, 1),
                queen={
                    "waiting": QueenState.WAITING,
                    "held": held,
                    "lost": QueenState.covered_by(1 - colour),
                }.get(queen, QueenState.ON_BOARD),
            )
        )
        facts.append(
            StrokeFacts.shot(
                pocketed=_turned((own, opp), colour),
                queen=queen == "pocketed",
                striker=striker == "yes",
                proper=not improper,
                claims=claims,
            )
        )
    return kept, judge_all(states, facts)


@pytest.mark.law(
    *("52.a", "53.c", "97.a", "102.a", "102.b", "103.a", "103.b", "104.a", "104.b", "105.a"),
    *("105.b", "106.a", "106.b", "107.a", "107.b", "108.a", "108.b", "109.a", "109.b", "110.a"),
    *("110.b", "111.a", "111.b", "112.a", "112.b"),
)
def test_every_row_of_the_ends(ends):
    kept, (states, rulings) = ends
    masks = law_mask(rulings.laws)
    for i, (row, improper, mine, theirs, score, claims, colour) in enumerate(kept):
        cell = row[2 if improper else 1]
        assert rulings.board_over[i] == (cell != "goes on"), (row, improper)
        if cell == "goes on":
            assert rulings.winner[i] == -1
            continue
        who, formula = cell.split(": ")
        winner = colour if who == "me" else 1 - colour
        points, extra = _points(formula, mine, theirs, score[0 if who == "me" else 1])
        total = min(points + extra * claims, 12)
        assert rulings.winner[i] == winner, (row, improper)
        assert rulings.points[i][winner] == total, (row, improper, mine, theirs, score)
        assert rulings.points[i][1 - winner] == 0
        assert states.board.owed[i].tolist() == [0, 0]
        assert states.game.score[i][winner] == _turned(score, colour)[winner] + total
        wanted = row[3].split("/")[-1 if improper else 0]
        if wanted.isdigit():
            wanted += ".b" if improper else ".a"
        assert masks[i][LAW_IDS.index(wanted)], (row, improper)


@pytest.mark.law("51")
@pytest.mark.parametrize(
    ("on_board", "queen", "score", "points"),
    [
        ((5, 6), QueenState.ON_BOARD, (5, 5), 9),
        ((5, 6), QueenState.ON_BOARD, (22, 5), 6),
        ((5, 6), QueenState.COVERED_WHITE, (0, 0), 9),
        ((5, 6), QueenState.COVERED_BLACK, (0, 0), 6),
        ((5, 9), QueenState.ON_BOARD, (0, 0), 12),
    ],
)
def test_out_of_turn_loses_by_own_men_and_the_queen(position, on_board, queen, score, points):
    state = position(on_board=on_board, queen=queen, score=score)
    after, ruling = rule_jit(state, StrokeFacts.without_stroke(Event.OUT_OF_TURN))
    assert (int(ruling.winner), ruling.points.tolist()) == (0, [points, 0])
    assert bool(after.board_over)
    assert cited(ruling)[0] == "51"


@pytest.mark.law("139")
def test_conceding_the_game_gives_it_to_the_other_side_without_points(position):
    state = position(striker=1, score=(3, 20))
    after, ruling = rule_jit(state, StrokeFacts.without_stroke(Event.CONCEDE_GAME))
    assert int(ruling.winner) == 0
    assert ruling.points.tolist() == [0, 0]
    assert bool(ruling.game_over)
    assert not bool(ruling.match_over)
    assert after.games_won.tolist() == [1, 0]


@pytest.mark.law("139")
def test_conceding_the_match_ends_it(position):
    state = position()
    after, ruling = rule_jit(state, StrokeFacts.without_stroke(Event.CONCEDE_MATCH))
    assert bool(ruling.match_over)
    assert int(after.winner) == 1


@pytest.mark.law("139")
@pytest.mark.parametrize("match", [False, True])
@pytest.mark.parametrize("seat", [0, 2])
def test_whoever_concedes_loses_whether_or_not_he_has_the_turn(position, seat, match):
    state = position(striker=0)
    event = concession_by(seat, state, SINGLES, match=match)
    after, ruling = rule_jit(state, StrokeFacts.without_stroke(event))
    assert int(ruling.winner) == 1 - int(colour_of(seat, state.board, doubles=False))
    assert ruling.points.tolist() == [0, 0]
    assert bool(ruling.game_over)
    assert bool(ruling.match_over) == match
    assert int(after.game.winner) == 1 - seat // 2
    assert cited(ruling)[0] == "139"


@pytest.mark.law("27.a")
@pytest.mark.parametrize(("turns", "slam"), [(0, True), (2, False)])
def test_white_slam_is_the_breakers_first_turn(position, turns, slam):
    state = position(on_board=(1, 9), queen=QueenState.COVERED_WHITE, turns_passed=turns)
    _, ruling = rule_jit(state, StrokeFacts.shot(pocketed=(1, 0)))
    assert bool(ruling.white_slam) == slam
    assert ("27.a" in cited(ruling)) == slam


@pytest.mark.law("27.b")
@pytest.mark.parametrize(("turns", "slam"), [(1, True), (3, False)])
def test_black_slam_is_the_second_players_first_turn(position, turns, slam):
    state = position(striker=1, on_board=(7, 1), queen=QueenState.COVERED_WHITE, turns_passed=turns)
    _, ruling = rule_jit(state, StrokeFacts.shot(pocketed=(0, 1)))
    assert bool(ruling.black_slam) == slam
    assert not bool(ruling.white_slam)


@pytest.mark.law("55")
def test_a_single_board_decides_a_match_of_one_board(position):
    format = MatchFormat(board_limit=1, games_to_win=1)
    state = position(on_board=(1, 2), queen=QueenState.COVERED_BLACK)
    assert format != SINGLES
    after, ruling = rule_jit(state, StrokeFacts.shot(pocketed=(1, 0)), format=format)
    assert bool(ruling.match_over)
    assert int(after.winner) == 0

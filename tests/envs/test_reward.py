"""Reward terms against the umpire's rulings over random boards, without physics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrom.laws import (
    QueenState,
    Ruling,
    StrokeFacts,
    colour_of,
    new_match,
    next_board_jit,
    rule_jit,
)
from carrom.reward import board_terms, potential


def random_facts(match, rng: np.random.Generator) -> StrokeFacts:
    board = match.board
    touched = bool(rng.random() < 0.9)
    pocketed = [int(rng.integers(0, min(int(n), 3) + 1)) for n in board.on_board]
    queen = int(board.queen) == QueenState.ON_BOARD and rng.random() < 0.2
    return StrokeFacts.shot(
        touched=touched,
        pocketed=(pocketed[0], pocketed[1]) if touched else (0, 0),
        queen=bool(queen and touched),
        striker=bool(rng.random() < 0.2),
        proper=bool(rng.random() < 0.9),
    )


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), seat=st.sampled_from([0, 2]))
def test_over_every_board_the_terms_sum_to_points_won_minus_points_lost(
    seed: int, seat: int
) -> None:
    rng = np.random.default_rng(seed)
    match = new_match(breaker_seat=int(rng.choice([0, 2])))
    total, boards = 0.0, 0
    for _ in range(400):
        before = match.board
        colour = int(colour_of(seat, before, doubles=False))
        white_side = int(before.breaker_seat) // 2
        scores = [int(match.game.score[(white_side + c) % 2]) for c in (0, 1)]
        counts = (scores[0] < 22, scores[1] < 22)
        facts = random_facts(match, rng)
        match, ruling = rule_jit(match, facts)
        total += sum(board_terms(before, match.board, facts, ruling, colour, counts).values())
        if ruling.board_over or ruling.board_replayed:
            points = ruling.points
            assert total == pytest.approx(float(points[colour] - points[1 - colour]))
            total, boards = 0.0, boards + 1
            if ruling.match_over or boards == 4:
                return
            match = next_board_jit(match)
        else:
            assert total == pytest.approx(potential(match.board, colour, counts))


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32 - 1))
def test_what_one_side_gains_the_other_loses(seed: int) -> None:
    rng = np.random.default_rng(seed)
    match = new_match()
    for _ in range(15):
        before, facts = match.board, random_facts(match, rng)
        match, ruling = rule_jit(match, facts)
        white, black = (
            board_terms(before, match.board, facts, ruling, colour, (True, True))
            for colour in (0, 1)
        )
        assert white.keys() == black.keys()
        assert all(white[name] == pytest.approx(-black[name]) for name in white)
        if ruling.board_over or ruling.board_replayed:
            return


def terms_of(*strokes: StrokeFacts) -> tuple[dict[str, float], Ruling]:
    """White's terms for the last of white's strokes, played from the rack."""
    match = new_match()
    for facts in strokes[:-1]:
        match, ruling = rule_jit(match, facts)
        assert ruling.turn_kept
    before = match.board
    match, ruling = rule_jit(match, strokes[-1])
    terms = board_terms(before, match.board, strokes[-1], ruling, 0, (True, True))
    return {name: value for name, value in terms.items() if value}, ruling


def shot(**facts) -> StrokeFacts:
    return StrokeFacts.shot(**facts)


@pytest.mark.parametrize(
    ("strokes", "wanted"),
    [
        # Worked by hand from the laws and the table of the module.
        ([shot(pocketed=(2, 0))], {"pocketed": 2.0}),
        ([shot(pocketed=(0, 1))], {"pocketed": -1.0}),
        ([shot(striker=True)], {"due": -1.0}),
        ([shot(pocketed=(1, 0), striker=True)], {"pocketed": 1.0, "returned": -1.0, "due": -1.0}),
        ([shot(pocketed=(1, 0)), shot(striker=True)], {"due": -1.0}),
        (
            [shot(pocketed=(1, 0), proper=False)],
            {"pocketed": 1.0, "returned": -1.0, "penalty": -1.0},
        ),
        ([shot(pocketed=(1, 0)), shot(queen=True)], {"queen": 1.5}),
        (
            [shot(pocketed=(1, 0)), shot(queen=True), shot(pocketed=(1, 0))],
            {"pocketed": 1.0, "cover": 1.5},
        ),
        ([shot(pocketed=(1, 0)), shot(queen=True), shot()], {"queen": -1.5}),
        (
            [shot(pocketed=(1, 0)), shot(queen=True, pocketed=(1, 0))],
            {"pocketed": 1.0, "queen": 1.5, "cover": 1.5},
        ),
        # White wins with the queen and nine black left: 12 points, all but the last 1 paid.
        (
            [shot(pocketed=(8, 0)), shot(queen=True, pocketed=(1, 0))],
            {"pocketed": 1.0, "board": 3.0},
        ),
        # Own last with the queen on the board (107): the opponent wins 3.
        (
            [shot(pocketed=(8, 0)), shot(pocketed=(1, 0))],
            {"pocketed": 1.0, "board": -12.0},
        ),
    ],
)
def test_worked_examples(strokes: list[StrokeFacts], wanted: dict[str, float]) -> None:
    assert terms_of(*strokes)[0] == wanted


def test_from_22_points_on_the_queen_is_worth_nothing() -> None:
    match = new_match()
    match, _ = rule_jit(match, shot(pocketed=(1, 0)))
    before, facts = match.board, shot(queen=True)
    match, ruling = rule_jit(match, facts)
    terms = board_terms(before, match.board, facts, ruling, 0, (False, True))
    assert terms["queen"] == 0.0

"""The observation against its own table, entry by entry."""

from __future__ import annotations

import numpy as np
import pytest

from carrom.action import shot_mask
from carrom.board import Board
from carrom.observation import SIZE, encode, observation_space
from carrom.view import QueenStatus, View


def a_view() -> View:
    rng = np.random.default_rng(0)
    on_board = np.ones(19, bool)
    on_board[[2, 9, 18]] = False
    positions = rng.uniform(-0.3, 0.3, (19, 2))
    positions[~on_board] = 0
    return View(
        Board(),
        positions,
        on_board,
        queen=QueenStatus.WAITING,
        queen_allowed=True,
        owed=(1, 12),
        score=(7, 20),
        games=(0, 1),
        board_number=3,
        plays_white=False,
        break_to_be_made=False,
        failed_breaks=2,
        idle_turns=4,
        turn_begun=True,
    )


def test_every_entry_is_where_the_table_says() -> None:
    view = a_view()
    observation = encode(view)
    assert observation.dtype == np.float32
    assert observation.shape == (SIZE,) == (74,)
    for index in range(19):
        assert observation[3 * index : 3 * index + 2] == pytest.approx(view.positions[index])
        assert observation[3 * index + 2] == view.on_board[index]
    # One-hot queen; right to her; owed (12 is beyond the bound of 9); score; games; board
    # number; white; break; failed breaks; idle turns; turn begun.
    wanted = [0, 1, 0, 0, 1, 1, 9, 7, 20, 0, 1, 3, 0, 0, 2, 4, 1]
    assert observation[57:].tolist() == wanted
    assert observation_space(view.board).contains(observation)


@pytest.mark.parametrize("status", list(QueenStatus))
def test_the_queen_is_in_one_place(status: QueenStatus) -> None:
    view = View(Board(), np.zeros((19, 2)), np.zeros(19, bool), queen=status)
    assert encode(view)[57:61].tolist() == [float(k == status) for k in range(4)]


def test_the_mask_allows_own_carrommen_and_queen_that_are_there() -> None:
    view = a_view()
    observation = encode(view)
    mask = shot_mask(np.stack([observation, observation]))
    assert mask.shape == (2, 40)
    for target in range(10):
        there = view.on_board[target if target < 9 else 18]
        assert np.all(mask[:, 4 * target : 4 * target + 4] == there)

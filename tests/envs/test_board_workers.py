"""Workers of one's own for the boards of a vector environment, and snapshots of boards."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from carrom.boards import Boards
from carrom.errors import ActionError
from carrom.options import Options
from carrom.vector import BoardWorker, CarromVectorEnv, NewBoards


class Elsewhere:
    """Plays the boards here, but nothing passes between it and the environment unpickled.

    Before every call the boards are made anew from a snapshot.
    """

    def __init__(self, new_boards: NewBoards, count: int) -> None:
        self._made = pickle.dumps((new_boards, count))
        new, number = pickle.loads(self._made)
        self._state = pickle.dumps(new(number).get_state())
        self._answer = b""
        self.closed = False

    def ask(self, method: str, arguments: tuple[Any, ...]) -> None:
        new, number = pickle.loads(self._made)
        boards: Boards = new(number)
        boards.set_state(pickle.loads(self._state))
        try:
            answer = True, getattr(boards, method)(*pickle.loads(pickle.dumps(arguments)))
        except Exception as error:
            answer = False, error
        self._answer = pickle.dumps(answer)
        self._state = pickle.dumps(boards.get_state())

    def answer(self) -> tuple[bool, Any]:
        return pickle.loads(self._answer)

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(("boards", "workers"), [(3, 1), (5, 2), (2, 4)])
def test_any_workers_play_the_same_boards_to_the_last_bit(boards: int, workers: int) -> None:
    hired: list[Elsewhere] = []

    def hire(new_boards: NewBoards, counts: Sequence[int]) -> Sequence[BoardWorker]:
        assert sum(counts) == boards
        hired.extend(Elsewhere(new_boards, count) for count in counts)
        return hired

    options: dict[str, Any] = {"opponent": "random", "noise": "club", "max_strokes": 4}
    ours = CarromVectorEnv(
        boards,
        task="board",
        autoreset_mode="SameStep",
        workers=workers,
        board_workers=hire,
        **options,
    )
    reference = CarromVectorEnv(boards, task="board", autoreset_mode="SameStep", **options)
    assert len(hired) == min(boards, workers)
    np.testing.assert_array_equal(ours.reset(seed=3)[0], reference.reset(seed=3)[0])
    ours.action_space.seed(0)
    for _ in range(6):
        actions = ours.action_space.sample()
        for one, other in zip(ours.step(actions)[:4], reference.step(actions)[:4], strict=True):
            np.testing.assert_array_equal(one, other)
    assert ours.np_random_seed == reference.np_random_seed
    assert [len(s) for s in ours.last_strokes] == [len(s) for s in reference.last_strokes]
    with pytest.raises(ActionError, match="nan"):
        ours.step(np.full((boards, 3), np.nan, np.float32))
    ours.close()
    assert all(worker.closed for worker in hired)


def test_a_snapshot_stays_as_it_was_taken() -> None:
    boards = Boards(Options.of("board", {"opponent": "random", "max_strokes": 6}), 2)
    assert boards.get_state().seeds == (-1, -1)
    boards.reset([1, 2], [0, 1])
    actions = np.random.default_rng(0).uniform(-1, 1, (4, 2, 3)).astype(np.float32)

    def play() -> list[np.ndarray]:
        return [step.observation for pair in actions for step in boards.step(pair, [0, 1], True)]

    state = boards.get_state()
    first = play()
    for _ in range(2):
        boards.set_state(state)
        np.testing.assert_array_equal(play(), first)

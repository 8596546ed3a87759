"""Episodes that were recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

import carrom
from carrom.replay import Replay

Played: TypeAlias = Callable[..., Replay]


def _played(task: str = "board", *, seed: int = 0, steps: int = 12, **options: Any) -> Replay:
    env = carrom.CarromEnv(task, **{"noise": "club", "record": True} | options)
    env.reset(seed=seed)
    env.action_space.seed(seed)
    for _ in range(steps):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            break
    return env.replay()


@pytest.fixture(scope="session")
def played() -> Played:
    """The replay of an episode of the random agent, or of its first steps."""
    return _played


@pytest.fixture(scope="session")
def board() -> Replay:
    """Part of a board: both players strike, and something falls."""
    for seed in range(9):
        replay = _played(seed=seed, opponent="aimer", steps=8)
        fallen = sum(bool(s.motion and s.motion.pocketed) for s in replay.strokes)
        if fallen >= 3 and {stroke.seat for stroke in replay.strokes} == {0, 2}:
            return replay
    raise AssertionError("nothing falls on nine boards")

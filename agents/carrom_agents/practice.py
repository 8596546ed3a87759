"""Single strokes from positions of one's own choice, played and ruled upon as ever."""

from __future__ import annotations

import dataclasses
from typing import Any

from carrom.env import CarromEnv, EnvState
from carrom.physics.strike import Strike
from carrom.table import Stroke
from carrom.tasks import Position


def practice_env(**options: Any) -> CarromEnv:
    """A board to practise on: ``CarromShot-v0``, see ``lay_out``.

    Args:
        **options: of ``CarromShot-v0``.

    Raises:
        ConfigError: a bad option.
    """
    return CarromEnv("shot", **options)


def lay_out(env: CarromEnv, position: Position, *, seed: int | None = None) -> None:
    """Begin an episode in a position in which the agent is to strike.

    Args:
        env: of ``practice_env``.
        position: the agent has the turn in it.
        seed: of the errors of the hand; without one the environment's own chance goes on.
    """
    env.reset(seed=seed)
    state = env.get_state()
    assert state.table is not None
    table = dataclasses.replace(state.table, position=position)
    env.set_state(EnvState(table, state.rng))


def stroke_from(env: CarromEnv, strike: Strike) -> Stroke:
    """Play a strike from the position that was laid out, with the errors of the hand."""
    env.answer(strike)
    (stroke,) = env.last_strokes
    return stroke

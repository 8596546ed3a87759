"""One episode of a player in an environment, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from carrom.env import CarromEnv
from carrom.errors import ConfigError
from carrom.opponents import Player, answer_of
from carrom.table import Stroke


def episode(
    env: CarromEnv, player: Player, seed: int
) -> Iterator[tuple[tuple[Stroke, ...], dict[str, Any]]]:
    """Let ``player`` play an episode of ``env``.

    Args:
        env: gives the task and the other players.
        player: decides for the agent, as ``carrom.opponents`` says.
        seed: of the environment and of the player's own chance.

    Yields:
        After each step the strokes of all players since the last one, and the environment's
        info. The first step tells also what others played before it; the last has the
        "result" in its info, unless the episode was cut off.

    Raises:
        ConfigError: the seed is negative.
    """
    rng = player_chance(seed)
    env.reset(seed=seed)
    over = False
    while not over:
        _, _, terminated, truncated, info = env.answer(answer_of(player, env.view(), rng))
        yield env.last_strokes, info
        over = terminated or truncated


def player_chance(seed: int) -> np.random.Generator:
    """The player's own chance in the episode with this seed, apart from the environment's.

    Raises:
        ConfigError: the seed is negative.
    """
    check_at_least("seed", seed, 0)
    return np.random.default_rng([seed, 1])


def check_at_least(name: str, value: int, least: int) -> None:
    """Refuse a number that is too small, with ConfigError."""
    if not value >= least:
        raise ConfigError(f"{name} = {value!r}: expected at least {least}")

"""Films: of strokes, and of a trained agent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from carrom.env import CarromEnv
from carrom.filming import stroke_moments
from carrom.opponents import Player
from carrom.render.picture import BoardRenderer
from carrom.render.video import write_video
from carrom.table import Stroke
from carrom_agents.config import EnvConfig

FPS = 30
"""Frames per second of films."""
_PAUSE = 0.5
"""s for which the position at rest is shown."""


def film(player: Player, config: EnvConfig, *, strokes: int, seed: int, target: Path) -> None:
    """Film the ``player`` in the environment it was trained in.

    Args:
        player: strikes; in doubles for both seats of its side.
        config: of the environment.
        strokes: of the player; the opponent's strokes in between are shown too.
        seed: of the first episode and of the player's draws.
        target: the file to write, .mp4 or .gif.

    Raises:
        RenderError: nothing to draw or to encode with.
    """
    write_video(target, _frames(player, config, strokes, seed), FPS)


def film_frames(renderer: BoardRenderer, strokes: Iterable[Stroke]) -> Iterator[NDArray[np.uint8]]:
    """Pictures of an episode's strokes, ``FPS`` to a second, each at rest for a moment.

    Args:
        renderer: draws them.
        strokes: all from the first on, from an environment with ``film_rate=FPS``; those that
            have no film are left out.
    """
    shown = stroke_moments(strokes, FPS, rest_s=_PAUSE)
    return (renderer.render(*moment) for moment in shown)


def _frames(
    player: Player, config: EnvConfig, strokes: int, seed: int
) -> Iterator[NDArray[np.uint8]]:
    options: dict[str, Any] = config.options()
    if config.doubles:
        options["partner"] = player
    env = gym.make(config.id, film_rate=float(FPS), **options).unwrapped
    assert isinstance(env, CarromEnv)
    rng = np.random.default_rng(seed)
    renderer = BoardRenderer(env.setting.board)
    try:
        left, next_seed = strokes, seed
        while left:
            env.reset(seed=next_seed)
            episode, over, next_seed = list(env.last_strokes), False, None
            while left and not over:
                _, _, terminated, truncated, _ = env.answer(player(env.view(), rng))
                episode += env.last_strokes
                left, over = left - 1, terminated or truncated
            yield from film_frames(renderer, episode)
    finally:
        renderer.close()
        env.close()

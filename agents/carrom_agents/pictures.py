"""Films: of strokes, and of a trained agent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from carrom.env import CarromEnv
from carrom.opponents import Player
from carrom.render.film import stills
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
        player: strikes.
        config: of the environment.
        strokes: of the player; the opponent's strokes in between are shown too.
        seed: of the first episode and of the player's draws.
        target: the file to write, .mp4 or .gif.

    Raises:
        RenderError: nothing to draw or to encode with.
    """
    write_video(target, _frames(player, config, strokes, seed), FPS)


def stroke_frames(renderer: BoardRenderer, stroke: Stroke) -> Iterator[NDArray[np.uint8]]:
    """Pictures of a stroke, ``FPS`` to a second, and of the position at rest for a moment.

    Args:
        renderer: draws them.
        stroke: from an environment with ``film_rate=FPS``; there are none if it has no film.
    """
    if stroke.motion is None or stroke.motion.trajectory is None:
        return
    discs = list(stills(stroke.motion.trajectory, FPS))
    discs += [discs[-1]] * round(_PAUSE * FPS)
    yield from (renderer.render(*still) for still in discs)


def _frames(
    player: Player, config: EnvConfig, strokes: int, seed: int
) -> Iterator[NDArray[np.uint8]]:
    env = gym.make(config.id, film_rate=float(FPS), **config.options()).unwrapped
    assert isinstance(env, CarromEnv)
    rng = np.random.default_rng(seed)
    renderer = BoardRenderer(env.setting.board)
    try:
        env.reset(seed=seed)
        for _ in range(strokes):
            _, _, terminated, truncated, _ = env.answer(player(env.view(), rng))
            for stroke in env.last_strokes:
                yield from stroke_frames(renderer, stroke)
            if terminated or truncated:
                env.reset()
    finally:
        renderer.close()
        env.close()

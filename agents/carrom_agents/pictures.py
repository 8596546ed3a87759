"""Pictures of a training: the learning curve, and a film of the trained agent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import gymnasium as gym
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from carrom.env import CarromEnv
from carrom.opponents import Player
from carrom.render.film import stills
from carrom.render.picture import BoardRenderer
from carrom.render.video import write_video
from carrom.table import Stroke
from carrom_agents.config import EnvConfig
from carrom_agents.logging import GLOBAL_STEP

FPS = 30
"""Frames per second of films."""
_PAUSE = 0.5
"""s for which the position at rest is shown."""
_SMOOTHING = 10
"""Updates over which the training reward is averaged in the picture."""


def learning_curve(metrics: Path, target: Path) -> None:
    """Draw the rewards in a run's ``metrics.jsonl`` over the strokes played.

    Args:
        metrics: the record.
        target: the picture to write, .png.
    """
    records = [json.loads(line) for line in metrics.read_text(encoding="utf-8").splitlines()]
    # No pyplot: it would choose a window system, and keeps its figures for ever.
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    steps, rewards = _series(records, "reward")
    window = min(_SMOOTHING, max(len(rewards), 1))
    smooth = np.convolve(rewards, np.full(window, 1 / window), mode="valid")
    axes.plot(steps, rewards, color="0.8", label="while exploring")
    axes.plot(steps[window - 1 :], smooth, color="C0", label=f"mean of {window} updates")
    axes.plot(
        *_series(records, "evaluation/reward"), "o-", color="C1", label="most probable action"
    )
    axes.set_xlabel("strokes trained on")
    axes.set_ylabel("reward per stroke (points)")
    axes.grid(alpha=0.3)
    axes.legend()
    FigureCanvasAgg(figure).print_png(str(target))


def _series(
    records: list[dict[str, float]], name: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Steps and values of the metric called ``name``."""
    pairs = [(r[GLOBAL_STEP], r[name]) for r in records if r.get(name) is not None]
    steps, values = np.array(pairs, np.float64).reshape(-1, 2).T
    return steps, values


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

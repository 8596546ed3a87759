"""Pictures of a board, by whichever back end draws here."""

from __future__ import annotations

from typing import Any

import numpy as np

from carrom.board import Board
from carrom.drawing import discs_of
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.render.picture import BoardRenderer

from .measure import Figures, best_rate, one_core_bench

_PICTURES = 50
_KINDS: dict[str, dict[str, Any]] = {
    "84x84_ms": {"width": 84, "height": 84, "shadows": False},
    "84x84_without_samples_ms": {"width": 84, "height": 84, "shadows": False, "samples": 0},
    "480x480_ms": {"shadows": False},
    "480x480_with_shadows_ms": {},
}


@one_core_bench
def pictures() -> Figures:
    """CPU time for a picture that is drawn and read back, of another position each time, ms."""
    rng, board = np.random.default_rng(0), Board()
    layouts = [random_layout(board, rng, white=7, black=7, queen=True) for _ in range(_PICTURES)]
    return {name: _milliseconds(board, layouts, options) for name, options in _KINDS.items()}


def _milliseconds(board: Board, layouts: list[Layout], options: dict[str, Any]) -> float:
    with BoardRenderer(board, **options) as renderer:

        def draw() -> None:
            for layout in layouts:
                renderer.render(*discs_of(layout))

        draw()
        return 1e3 / best_rate(draw, len(layouts))

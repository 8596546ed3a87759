"""What an environment shows of its table: pictures, text, or a window."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.errors import ConfigError
from carrom.layout import Layout
from carrom.pieces import N_DISCS, STRIKER
from carrom.render.picture import BoardRenderer
from carrom.render.text import board_text
from carrom.render.viewer import HumanViewer
from carrom.table import Stroke

RENDER_MODES = ("human", "rgb_array", "ansi")
FILM_RATE = 60.0
"""Frames per second of the films that the window shows."""


class Drawing:
    """Draws one table in one render mode. Pickles without what belongs to a process.

    Args:
        board: on which is played.
        mode: None, or one of ``RENDER_MODES``.
        width: of a picture, pixels.
        height: of a picture, pixels.
        camera: as in ``carrom.render.picture``.

    Raises:
        ConfigError: unknown mode or camera, or a bad size.
    """

    def __init__(
        self, board: Board, mode: str | None, *, width: int, height: int, camera: str
    ) -> None:
        if mode not in (None, *RENDER_MODES):
            raise ConfigError(
                f"render_mode = {mode!r}: expected None or one of {list(RENDER_MODES)}"
            )
        self._board = board
        self._mode = mode
        self._picture = {"width": width, "height": height, "camera": camera}
        # Made now so that a bad size or camera is refused now; it draws nothing yet.
        self._renderer: BoardRenderer | None = BoardRenderer(board, **self._picture)
        self._viewer: HumanViewer | None = None

    def render(self, layout: Layout) -> Any:
        """The position as it stands.

        Returns:
            uint8 (height, width, 3) in mode "rgb_array", a string in mode "ansi", else None.

        Raises:
            RenderError: no OpenGL back end works.
        """
        if self._mode is None:
            gym.logger.warn("render() without a render mode: pass render_mode to make().")
        elif self._mode == "ansi":
            return board_text(*discs_of(layout))
        elif self._mode == "rgb_array":
            if self._renderer is None:  # closed, or left behind by pickle
                self._renderer = BoardRenderer(self._board, **self._picture)
            return self._renderer.render(*discs_of(layout))
        return None

    def show(self, strokes: Iterable[Stroke], layout: Layout) -> None:
        """In mode "human": play the films of the strokes, then show the position.

        Raises:
            RenderError: there is no display.
        """
        if self._mode != "human":
            return
        if self._viewer is None:
            self._viewer = HumanViewer(self._board)
        for stroke in strokes:
            if stroke.motion is not None and stroke.motion.trajectory is not None:
                self._viewer.play(stroke.motion.trajectory)
        self._viewer.show(*discs_of(layout))

    def close(self) -> None:
        """Close windows and free what drawing holds."""
        for held in (self._renderer, self._viewer):
            if held is not None:
                held.close()
        self._renderer = self._viewer = None

    def __getstate__(self) -> dict[str, Any]:
        # OpenGL contexts and windows belong to one process.
        return self.__dict__ | {"_renderer": None, "_viewer": None}


def discs_of(layout: Layout) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """A layout as the renderers take it: 20 discs, the striker off the board.

    Returns:
        Positions (20, 2) in metres, and which discs are in play (20,).
    """
    positions, in_play = np.zeros((N_DISCS, 2)), np.zeros(N_DISCS, bool)
    positions[:STRIKER], in_play[:STRIKER] = layout.positions, layout.on_board
    return positions, in_play

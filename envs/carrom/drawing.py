"""What an environment shows of its table: pictures, text, or a window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.errors import ConfigError
from carrom.filming import nets_before, stroke_moments, with_nets
from carrom.layout import Layout
from carrom.nets import EMPTY, Nets
from carrom.pieces import N_DISCS, STRIKER
from carrom.render.film import Moment
from carrom.render.picture import BoardRenderer
from carrom.render.text import board_text
from carrom.render.viewer import HumanViewer
from carrom.table import Stroke

RENDER_MODES = ("human", "rgb_array", "rgb_array_list", "depth_array", "ansi")
FILM_RATES = {"human": 60.0, "rgb_array_list": 30.0}
"""Frames per second of the films that these render modes show."""
POSITION_RATE = 2
"""Pictures per second of a film that shows one position after another."""


def film_rate_of(mode: str | None, options: Mapping[str, Any]) -> float | None:
    """Frames per second of the films an environment makes: as it is told, or as it needs."""
    given = options.get("film_rate")
    return FILM_RATES.get(mode or "") if given is None else given


class Drawing:
    """Draws one table in one render mode. Pickles without what belongs to a process.

    Args:
        board: on which is played.
        mode: None, or one of ``RENDER_MODES``.
        width: of a picture, pixels.
        height: of a picture, pixels.
        camera: as in ``carrom.render.picture``.
        shadows: as in ``carrom.render.picture``.
        film_rate: pictures per second of a stroke, in mode "rgb_array_list".

    Raises:
        ConfigError: unknown mode or camera, or a bad size.
    """

    def __init__(
        self,
        board: Board,
        mode: str | None,
        *,
        width: int,
        height: int,
        camera: str,
        shadows: bool = True,
        film_rate: float | None = None,
    ) -> None:
        if mode not in (None, *RENDER_MODES):
            raise ConfigError(
                f"render_mode = {mode!r}: expected None or one of {list(RENDER_MODES)}"
            )
        self._board = board
        self._mode = mode
        self._picture = {"width": width, "height": height, "camera": camera, "shadows": shadows}
        self._film_rate = film_rate or FILM_RATES["rgb_array_list"]
        # What is to be drawn in mode "rgb_array_list" when somebody asks; drawing is slow.
        self._moments: list[Moment] = []
        # Made now so that a bad size or camera is refused now; it draws nothing yet.
        self._renderer: BoardRenderer | None = BoardRenderer(board, **self._picture)
        self._viewer: HumanViewer | None = None

    @property
    def fps(self) -> float:
        """Pictures per second at which a film of what is rendered runs as fast as the game."""
        return self._film_rate if self._mode == "rgb_array_list" else POSITION_RATE

    def render(self, layout: Layout, nets: Nets = EMPTY) -> Any:
        """The position as it stands; in mode "rgb_array_list" everything since the last call.

        Returns:
            uint8 (height, width, 3) in mode "rgb_array", a list of them in "rgb_array_list",
            float32 (height, width), m from the camera, in "depth_array", a string in mode
            "ansi", else None.

        Raises:
            RenderError: no OpenGL back end works.
        """
        moment = (*discs_of(layout), nets)
        if self._mode is None:
            gym.logger.warn("render() without a render mode: pass render_mode to make().")
        elif self._mode == "ansi":
            return board_text(*discs_of(layout))
        elif self._mode == "rgb_array":
            return self._open().render(*moment)
        elif self._mode == "depth_array":
            return self._open().depth(*moment)
        elif self._mode == "rgb_array_list":
            waiting, self._moments = self._moments, []
            return [self._open().render(*one) for one in waiting]
        return None

    def begin(self) -> None:
        """Forget what has not been drawn of the last episode."""
        self._moments = []

    def show(self, strokes: Sequence[Stroke], layout: Layout, nets: Nets = EMPTY) -> None:
        """Let be seen what happened: played in the window, or kept to be drawn.

        Args:
            strokes: that were played since the last call.
            layout: the position as it stands.
            nets: what is in them now.

        Raises:
            RenderError: there is no display, in mode "human".
        """
        if self._mode == "rgb_array_list":
            before = nets_before(strokes, nets)
            self._moments += stroke_moments(strokes, self._film_rate, before)
            self._moments.append((*discs_of(layout), nets))
        elif self._mode == "human":
            self._show_in_window(strokes, layout, nets)

    def _show_in_window(self, strokes: Sequence[Stroke], layout: Layout, nets: Nets) -> None:
        if self._viewer is None:
            self._viewer = HumanViewer(self._board)
        for stroke, held in with_nets(strokes, nets_before(strokes, nets)):
            if stroke.motion is not None:
                self._viewer.play(stroke.motion, nets=held)
        self._viewer.show(*discs_of(layout), nets)

    def _open(self) -> BoardRenderer:
        if self._renderer is None:  # closed, or left behind by pickle
            self._renderer = BoardRenderer(self._board, **self._picture)
        return self._renderer

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

"""A window on the board, for people: MuJoCo's viewer on the drawing scene."""

from __future__ import annotations

import atexit
import math
import threading
import time
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from carrom.board import Board
from carrom.errors import ConfigError, RenderError
from carrom.nets import EMPTY, Nets
from carrom.physics.motion import Motion
from carrom.render import backend
from carrom.render.film import moments
from carrom.render.style import DEFAULT_STYLE, Style

if TYPE_CHECKING:
    import mujoco.viewer

    from carrom.render.stage import Stage

_FPS = 60
"""Stills shown per second: what screens show."""
_PATIENCE = 5.0
"""Longest wait for the window's thread to end, s."""


class HumanViewer:
    """A window that shows positions and plays strokes.

    Whoever looks may turn the view with the mouse, and may close the window: after that the
    methods do nothing.

    Args:
        board: the board.
        style: colours.

    Raises:
        RenderError: no window can be opened; says what is missing and what to use instead.
    """

    def __init__(self, board: Board, style: Style = DEFAULT_STYLE) -> None:
        _require_display()
        # MuJoCo reads MUJOCO_GL when it is imported: a bad value gets its error here.
        backend.choose()
        import mujoco
        import mujoco.viewer

        from carrom.render.stage import Stage

        self._stage: Stage = Stage(board, style)
        model, data = self._stage.model, self._stage.data
        others = set(threading.enumerate())
        self._window: mujoco.viewer.Handle = mujoco.viewer.launch_passive(
            model, data, show_left_ui=False, show_right_ui=False
        )
        self._threads = set(threading.enumerate()) - others
        # A forgotten window must go before MuJoCo's own exit handler takes its display away.
        atexit.register(self.close)
        with self._window.lock():
            view = self._window.cam
            # The free camera starts where the perspective one stands, and can be turned.
            view.lookat[:] = 0.0
            view.azimuth, view.elevation, view.distance = 90.0, -45.0, 1.4

    @property
    def is_open(self) -> bool:
        """Whether the window is still there."""
        return self._window.is_running()

    def show(self, positions: ArrayLike, in_play: ArrayLike, nets: Nets = EMPTY) -> None:
        """Show a position; arguments and errors as for ``BoardRenderer.render``."""
        with self._window.lock():
            self._stage.place(positions, in_play, nets)
        self._window.sync()

    def play(self, motion: Motion, speed: float = 1.0, nets: Nets = EMPTY) -> None:
        """Play a stroke and return when everything rests or the window is closed.

        Args:
            motion: the stroke; nothing is shown of one without a film.
            speed: 1 for real time, less for slow motion.
            nets: what is in them before the stroke.

        Raises:
            ConfigError: ``speed`` is not positive and finite.
        """
        if not (math.isfinite(speed) and speed > 0):
            raise ConfigError(f"speed = {speed!r}: expected a positive number, 1 for real time")
        start = time.monotonic()
        for index, moment in enumerate(moments(motion, _FPS / speed, nets)):
            if not self.is_open:
                return
            self.show(*moment)
            time.sleep(max(0.0, start + (index + 1) / _FPS - time.monotonic()))

    def close(self) -> None:
        """Close the window and wait until it is gone; a second time does nothing."""
        self._window.close()
        for thread in self._threads:
            thread.join(_PATIENCE)
        atexit.unregister(self.close)

    def __enter__(self) -> HumanViewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _require_display() -> None:
    if backend.has_display():
        # Asked here, in this thread: the viewer's own would fail and leave its caller waiting.
        fault = backend.window_fault()
    else:
        fault = "neither DISPLAY nor WAYLAND_DISPLAY is set"
    if fault is not None:
        raise RenderError(
            f"no window can be opened: {fault}. Set DISPLAY to a running X server, or draw "
            "without a window: render_mode 'rgb_array' or 'ansi'"
        )

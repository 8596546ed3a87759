"""Pictures of a position, drawn off screen."""

from __future__ import annotations

import atexit
import functools
import math
import threading
import weakref
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carrom.board import Board
from carrom.errors import ConfigError, RenderError
from carrom.nets import EMPTY, Nets
from carrom.render import backend
from carrom.render.scene import CAMERAS
from carrom.render.style import DEFAULT_STYLE, Style

if TYPE_CHECKING:
    import mujoco

    from carrom.render.stage import Stage

_LARGEST = 4096
"""Largest width and height: what every OpenGL 2 driver can draw off screen."""
_MOST_SAMPLES = 16


class BoardRenderer:
    """Draws positions of one board from one camera.

    Nothing of OpenGL is touched before the first ``render``, so a renderer may be made in a
    process that never draws. Renderers draw in the thread of their first picture.

    Args:
        board: the board.
        width: pixels.
        height: pixels.
        camera: one of ``carrom.render.scene.CAMERAS``. The shorter side of the picture sees
            what the camera is made to see; the longer one sees more.
        shadows: whether the lamp casts shadows.
        samples: samples per pixel for smooth edges; 0 for none.
        style: colours.

    Raises:
        ConfigError: unknown camera, a size that is no whole number from 1 to 4096, a number of
            samples that is none from 0 to 16, or ``shadows`` that is neither True nor False.
    """

    def __init__(
        self,
        board: Board,
        width: int = 480,
        height: int = 480,
        camera: str = "top",
        *,
        shadows: bool = True,
        samples: int = 4,
        style: Style = DEFAULT_STYLE,
    ) -> None:
        if camera not in CAMERAS:
            raise ConfigError(f"camera {camera!r}: expected one of {', '.join(CAMERAS)}")
        for name, value in (("width", width), ("height", height)):
            if not (type(value) is int and 1 <= value <= _LARGEST):
                raise ConfigError(f"{name} = {value!r}: expected pixels from 1 to {_LARGEST}")
        if type(shadows) is not bool:
            raise ConfigError(f"shadows = {shadows!r}: expected True or False")
        if not (type(samples) is int and 0 <= samples <= _MOST_SAMPLES):
            raise ConfigError(f"samples = {samples!r}: expected 0 to {_MOST_SAMPLES}")
        self.board, self.width, self.height, self.camera = board, width, height, camera
        self._shadows, self._samples, self._style = shadows, samples, style
        self._drawing: _Drawing | None = None
        self._thread: int | None = None
        self._closed = False

    def render(
        self, positions: ArrayLike, in_play: ArrayLike, nets: Nets = EMPTY
    ) -> NDArray[np.uint8]:
        """Draw a position.

        Args:
            positions: (20, 2), m, board frame.
            in_play: (20,), which discs are on the board.
            nets: which are in the pockets' nets; those on neither are not drawn.

        Returns:
            A fresh array (height, width, 3): red, green, blue, row 0 the farthest from seat 0.

        Raises:
            BoardError: a shape is wrong, the place of a disc in play is not finite, or a disc
                is in a net and somewhere else.
            RenderError: the renderer is closed or belongs to another thread, or no back end
                works.
        """
        return self._opened().draw(positions, in_play, nets)

    def depth(
        self, positions: ArrayLike, in_play: ArrayLike, nets: Nets = EMPTY
    ) -> NDArray[np.float32]:
        """How far away what ``render`` draws is, along the camera's axis.

        Args:
            positions: as for ``render``.
            in_play: as for ``render``.
            nets: as for ``render``.

        Returns:
            A fresh array (height, width), m, rows as in ``render``; what is farther than 10 m
            is 10 m.

        Raises:
            BoardError, RenderError: as from ``render``.
        """
        return self._opened().depth(positions, in_play, nets)

    def _opened(self) -> _Drawing:
        if self._closed:
            raise RenderError("this renderer is closed: make another to draw again")
        here = threading.get_ident()
        if self._drawing is None:
            self._drawing, self._thread = self._open(), here
        elif self._thread != here:
            raise RenderError(
                "a renderer belongs to the thread of its first picture: draw there, or make "
                "another in this thread"
            )
        return self._drawing

    def close(self) -> None:
        """Release everything; a second time does nothing."""
        self._closed = True
        if self._drawing is not None:
            self._drawing.free()
            self._drawing = None

    def __enter__(self) -> BoardRenderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        # Absent where the constructor refused its arguments.
        if getattr(self, "_drawing", None) is not None:
            self.close()

    def _open(self) -> _Drawing:
        context = backend.open_context(self.width, self.height)
        from carrom.render.stage import Stage

        stage = Stage(self.board, self._style)
        _fit(stage.model, self.camera, self.width, self.height)
        stage.model.vis.quality.offsamples = self._samples
        drawing = _Drawing(context, stage, self.camera, self._shadows)
        _close_at_exit()
        _open_renderers.add(self)
        return drawing


class _Drawing:
    """What a renderer holds while it is open."""

    def __init__(self, context: backend.Context, stage: Stage, camera: str, shadows: bool) -> None:
        import mujoco

        self._context, self._stage = context, stage
        model = stage.model
        self._scene = mujoco.MjvScene(model, maxgeom=2 * model.ngeom)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SKYBOX] = camera != "top"
        self._option = mujoco.MjvOption()
        self._camera = mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._camera.fixedcamid = model.camera(camera).id
        size = model.vis.global_
        self._rectangle = mujoco.MjrRect(0, 0, size.offwidth, size.offheight)
        self._buffers = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        # The other way round would lose most of the buffer's precision.
        self._buffers.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._buffers)

    def draw(self, positions: ArrayLike, in_play: ArrayLike, nets: Nets) -> NDArray[np.uint8]:
        import mujoco

        self._paint(positions, in_play, nets)
        pixels = np.empty((self._rectangle.height, self._rectangle.width, 3), np.uint8)
        mujoco.mjr_readPixels(pixels, None, self._rectangle, self._buffers)
        return np.ascontiguousarray(pixels[::-1])  # OpenGL's row 0 is the lowest

    def depth(self, positions: ArrayLike, in_play: ArrayLike, nets: Nets) -> NDArray[np.float32]:
        import mujoco

        self._paint(positions, in_play, nets)
        shares = np.empty((self._rectangle.height, self._rectangle.width), np.float32)
        mujoco.mjr_readPixels(None, shares, self._rectangle, self._buffers)
        return self._metres(shares[::-1].astype(np.float64)).astype(np.float32)

    def _paint(self, positions: ArrayLike, in_play: ArrayLike, nets: Nets) -> None:
        import mujoco

        self._stage.place(positions, in_play, nets)
        self._context.make_current()
        mujoco.mjv_updateScene(
            self._stage.model,
            self._stage.data,
            self._option,
            None,
            self._camera,
            mujoco.mjtCatBit.mjCAT_ALL,
            self._scene,
        )
        mujoco.mjr_render(self._rectangle, self._scene, self._buffers)

    def _metres(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distances of what the depth buffer holds: 1 at the near plane, 0 at the far one."""
        model = self._stage.model
        near, far = (
            model.stat.extent * plane for plane in (model.vis.map.znear, model.vis.map.zfar)
        )
        if self._scene.camera[0].orthographic:
            return far - shares * (far - near)
        return near * far / (near + shares * (far - near))

    def free(self) -> None:
        # MuJoCo frees its buffers in whatever context is current: it must be ours, or another
        # renderer's pictures go.
        self._context.make_current()
        self._buffers.free()
        self._context.free()


def _fit(model: mujoco.MjModel, camera: str, width: int, height: int) -> None:
    """Size the off-screen buffer, and let the picture's shorter side see the camera's view."""
    model.vis.global_.offwidth, model.vis.global_.offheight = width, height
    view = model.camera(camera)
    # The view's size is that of the picture's height: a length, or an angle in degrees.
    excess = max(1.0, height / width)
    fovy = float(view.fovy[0])
    if camera == "top":
        view.fovy = fovy * excess
    else:
        half = math.tan(math.radians(fovy / 2)) * excess
        view.fovy = 2 * math.degrees(math.atan(half))


_open_renderers: weakref.WeakSet[BoardRenderer] = weakref.WeakSet()


@functools.cache
def _close_at_exit() -> None:
    """Close what is left open when Python ends, while the back end still works.

    The first context registered the back end's own ending; handlers run in reverse order.
    """

    @atexit.register
    def close_all() -> None:
        for renderer in list(_open_renderers):
            renderer.close()

"""The graphics back end: which OpenGL draws off screen, chosen when the first picture is drawn.

MuJoCo chooses once, while it is imported, and then fails late and obscurely on a machine
without a display. Here the choice is made at the first picture, so that a program that never
draws never touches OpenGL, and it is made by trying: ``MUJOCO_GL`` decides where it is set,
otherwise a display is used where there is one, then EGL, then OSMesa.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import importlib
import os
import platform
import warnings
from collections.abc import Callable
from typing import Protocol

from carrom.errors import RenderError


class Context(Protocol):
    """An off-screen OpenGL context, as MuJoCo's back ends make them."""

    def make_current(self) -> None:
        """Let this thread's OpenGL calls go to this context."""
        ...

    def free(self) -> None:
        """Release the context."""
        ...


# Where MuJoCo keeps the contexts of each value of MUJOCO_GL that names a back end.
_MODULES = {
    "egl": "mujoco.egl",
    "osmesa": "mujoco.osmesa",
    "glfw": "mujoco.glfw",
    "glx": "mujoco.glfw",
    "wgl": "mujoco.glfw",
    "cgl": "mujoco.cgl",
}
# MuJoCo knows these on one system only.
_SYSTEMS = {"egl": "Linux", "osmesa": "Linux", "glx": "Linux", "wgl": "Windows", "cgl": "Darwin"}
# What a Debian or Ubuntu machine lacks when neither works.
_PACKAGES = "libegl1 with libgl1-mesa-dri, or libosmesa6"
# Values with which MuJoCo's own documentation asks for "any" and for "none".
_ANY = ("", "enable", "enabled", "on", "true", "1")
_NONE = ("disable", "disabled", "off", "false", "0")


def has_display() -> bool:
    """Whether windows can be expected to open: always but on a Linux without X or Wayland."""
    return platform.system() != "Linux" or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


def check_setting() -> None:
    """Refuse a ``MUJOCO_GL`` with which MuJoCo cannot even be imported; for programs' starts.

    Raises:
        RenderError: it names no back end of this system; says which there are.
    """
    wanted, system = _setting(), platform.system()
    known = [name for name in _MODULES if _SYSTEMS.get(name, system) == system]
    if wanted not in (*known, *_ANY, *_NONE):
        raise RenderError(
            f"MUJOCO_GL={wanted!r} is no back end: expected one of {', '.join(known)}, or unset"
        )


def _setting() -> str:
    return os.environ.get("MUJOCO_GL", "").strip().lower()


def choose() -> str:
    """Name of the back end that will draw, a value of ``MUJOCO_GL``.

    Raises:
        RenderError: none can be had; names ``MUJOCO_GL`` and what was tried.
    """
    check_setting()
    wanted = _setting()
    if wanted in _NONE:
        raise RenderError(f"MUJOCO_GL={wanted!r} turns drawing off: unset it to draw")
    return wanted if wanted in _MODULES else _first_working()


def open_context(width: int, height: int) -> Context:
    """Make a context for pictures of ``width`` x ``height`` pixels, current in this thread.

    Raises:
        RenderError: no back end works; names ``MUJOCO_GL`` and what was tried.
    """
    name = choose()
    try:
        # GLFW's context reports nothing when it fails, so it is asked beforehand.
        if _MODULES[name] == "mujoco.glfw" and (fault := window_fault()):
            raise OSError(fault)
        context: Context = importlib.import_module(_MODULES[name]).GLContext(width, height)
        context.make_current()
    # Missing libraries and drivers surface as almost any error, AttributeError included.
    except Exception as error:
        asked = "MUJOCO_GL asks for it" if os.environ.get("MUJOCO_GL") else "MUJOCO_GL is not set"
        raise RenderError(
            f"back end {name!r} ({asked}) made no OpenGL context: {str(error).rstrip('.')}. "
            f"Set MUJOCO_GL to another of egl, osmesa, glfw, or install {_PACKAGES}"
        ) from error
    return context


@functools.cache
def _first_working() -> str:
    """The first back end that works here. Cached: one process can load only one of them."""
    system = platform.system()
    if system != "Linux":
        return "cgl" if system == "Darwin" else "wgl"
    faults: dict[str, str] = {}
    for name, find_fault in _PROBES.items():
        fault = _bound_elsewhere(name) or find_fault()
        if fault is None:
            return name
        faults[name] = fault
    tried = "; ".join(f"{name}: {fault}" for name, fault in faults.items())
    raise RenderError(
        f"no OpenGL back end works (MUJOCO_GL is not set; tried {tried}). Install {_PACKAGES}, "
        "or set MUJOCO_GL"
    )


# The probes go to the libraries directly. PyOpenGL, through which MuJoCo uses them, binds a
# process to the first platform it loads, so trying there would spoil the next candidate.


def _bound_elsewhere(name: str) -> str | None:
    bound = os.environ.get("PYOPENGL_PLATFORM")
    if name in ("egl", "osmesa") and bound and bound.lower() != name:
        return f"PYOPENGL_PLATFORM is {bound!r}"
    return None


def _glfw_fault() -> str | None:
    if not has_display():
        return "neither DISPLAY nor WAYLAND_DISPLAY is set"
    return window_fault()


def window_fault() -> str | None:
    """Why GLFW cannot open a window here, or None where it can."""
    import glfw

    with warnings.catch_warnings(record=True) as reports:
        warnings.simplefilter("always")
        works = glfw.init()
    return None if works else "; ".join(str(report.message) for report in reports) or "no window"


def _egl_fault() -> str | None:
    try:
        egl = ctypes.CDLL(ctypes.util.find_library("EGL") or "libEGL.so.1")
        find = egl.eglGetProcAddress
    except (OSError, AttributeError) as error:
        return str(error)
    find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    query, open_display = find(b"eglQueryDevicesEXT"), find(b"eglGetPlatformDisplayEXT")
    if not query or not open_display:
        return "the driver lists no devices"
    devices, count = (ctypes.c_void_p * 32)(), ctypes.c_int(0)
    integer, pointer = ctypes.c_int, ctypes.c_void_p
    ctypes.CFUNCTYPE(integer, integer, pointer, pointer)(query)(
        len(devices), devices, ctypes.byref(count)
    )
    get_display = ctypes.CFUNCTYPE(pointer, integer, pointer, pointer)(open_display)
    egl.eglInitialize.argtypes = [pointer, pointer, pointer]
    platform_device = 0x313F  # EGL_PLATFORM_DEVICE_EXT
    for device in devices[: count.value]:
        display = get_display(platform_device, device, None)
        if display and egl.eglInitialize(display, None, None):
            return None
    return f"none of {count.value} devices could be initialised"


def _osmesa_fault() -> str | None:
    try:
        ctypes.CDLL(ctypes.util.find_library("OSMesa") or "libOSMesa.so.8")
    except OSError as error:
        return str(error)
    return None


_PROBES: dict[str, Callable[[], str | None]] = {
    "glfw": _glfw_fault,
    "egl": _egl_fault,
    "osmesa": _osmesa_fault,
}

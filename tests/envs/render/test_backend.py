"""Choosing a back end, each time in a fresh process: the choice is made once per process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.render

SCRIPTS = Path(__file__).parents[3] / "scripts"

DRAW = """
import sys
import numpy as np
import carrom
from carrom.board import Board
from carrom.render.picture import BoardRenderer
renderer = BoardRenderer(Board(), 84, 84, shadows=False)
early = {"mujoco", "OpenGL", "glfw"} & set(sys.modules)
assert not early, early
picture = renderer.render(np.zeros((20, 2)), np.zeros(20, bool))
print(picture.shape, picture.std() > 20)
"""
GOOD = "(84, 84, 3) True\n"

# A machine without the graphics libraries: the loader does not find them.
BARE = """
import ctypes
class Loader(ctypes.CDLL):
    def __init__(self, name, *args, **kwargs):
        if name and any(missing in name for missing in {missing}):
            raise OSError(name + ": cannot open shared object file")
        super().__init__(name, *args, **kwargs)
ctypes.CDLL = Loader
ctypes.cdll = ctypes.LibraryLoader(Loader)
"""


def run(code, **environment):
    """Run code without a display, and with nothing set but what is given."""
    unset = ("MUJOCO_GL", "PYOPENGL_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY")
    base = {name: value for name, value in os.environ.items() if name not in unset}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=base | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def last_line(result):
    assert result.returncode == 1
    return result.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize("ending", ["", "renderer.close()", "del renderer", "sys.exit()"])
def test_it_draws_without_a_display_and_ends_in_silence(ending):
    result = run(DRAW + ending)
    assert (result.returncode, result.stdout, result.stderr) == (0, GOOD, "")


def test_it_draws_after_mujoco_was_imported_without_a_choice():
    result = run(
        DRAW.replace("assert not early, early", "").replace("import sys", "import mujoco, sys")
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, GOOD, "")


@pytest.mark.parametrize("value", ["egl", "EGL", "on"])
def test_mujoco_gl_is_obeyed(value):
    code = DRAW + "import os; print(os.environ['PYOPENGL_PLATFORM'])"
    result = run(code, MUJOCO_GL=value)
    assert (result.returncode, result.stdout, result.stderr) == (0, GOOD + "egl\n", "")


def test_a_display_that_does_not_answer_is_passed_over():
    result = run(DRAW, DISPLAY=":987")
    assert (result.returncode, result.stdout, result.stderr) == (0, GOOD, "")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("nonsense", ["'nonsense'", "egl, osmesa, glfw"]),
        ("wgl", ["'wgl'", "egl, osmesa, glfw, glx, or unset"]),
        ("off", ["'off'", "turns drawing off"]),
        ("glfw", ["'glfw'", "DISPLAY", "egl"]),
    ],
)
def test_a_mujoco_gl_that_cannot_draw_gets_one_error(value, words):
    line = last_line(run(DRAW, MUJOCO_GL=value))
    assert line.startswith("carrom.errors.RenderError: ")
    for word in ["MUJOCO_GL", *words]:
        assert word in line


def test_a_machine_without_libraries_gets_one_error_that_names_what_was_tried():
    line = last_line(run(BARE.format(missing=["EGL", "OSMesa"]) + DRAW))
    assert line.startswith("carrom.errors.RenderError: ")
    for word in ["MUJOCO_GL is not set", "DISPLAY", "egl: libEGL", "osmesa: libOSMesa", "libegl1"]:
        assert word in line


def test_an_asked_for_library_that_is_missing_gets_one_error():
    line = last_line(run(BARE.format(missing=["EGL"]) + DRAW, MUJOCO_GL="egl"))
    assert line.startswith("carrom.errors.RenderError: ")
    assert "'egl' (MUJOCO_GL asks for it)" in line


def test_a_refused_device_gets_one_error():
    line = last_line(run(DRAW, MUJOCO_EGL_DEVICE_ID="99"))
    assert line.startswith("carrom.errors.RenderError: ")
    assert "MUJOCO_EGL_DEVICE_ID" in line


@pytest.mark.parametrize("program", ["benchmark", "calibrate", "plot", "soak"])
def test_programs_say_a_bad_setting_in_one_line(program):
    arguments = ["ladder", "nowhere"] if program == "plot" else []
    done = subprocess.run(
        [sys.executable, SCRIPTS / f"{program}.py", *arguments],
        env=os.environ | {"MUJOCO_GL": "nonsense"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{program}: MUJOCO_GL='nonsense' is no back end: expected one of ")

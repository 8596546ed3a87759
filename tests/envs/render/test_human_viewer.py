"""The window: what it says without a display, and what it shows with one."""

import os
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.render

OPEN = """
from carrom.board import Board
from carrom.render.viewer import HumanViewer
viewer = HumanViewer(Board())
"""

# Shows a striker near the player, plays it to the far side, and prints the rows on which the
# screen showed it. The window is left open: Python must still end in silence.
PLAY = (
    OPEN
    + """
import os, time
import numpy as np
from PIL import ImageGrab
from carrom.errors import ConfigError
from carrom.layout import Layout
from carrom.physics.motion import Motion, Trajectory

def striker_row():
    for _ in range(100):
        screen = np.asarray(ImageGrab.grab(xdisplay=os.environ["DISPLAY"])).astype(int)
        rows = np.nonzero((screen[..., 2] > screen[..., 0] + 60).sum(axis=1))[0]
        if len(rows):
            return rows.mean()
        time.sleep(0.1)
    raise SystemExit("the striker never appeared")

shown = np.zeros(20, bool)
shown[19] = True
near, far = np.zeros((20, 2)), np.zeros((20, 2))
near[19], far[19] = (0.0, -0.25), (0.0, 0.25)
viewer.show(near, shown)
before = striker_row()
film = Trajectory(np.array([0.0, 0.5]), np.array([near, far]), np.array([shown, shown]))
empty = Layout(np.zeros((19, 2)), np.zeros(19, bool))
film = Motion(empty, (), None, np.zeros(19, bool), 0.5, far[19], film)
viewer.play(film)
time.sleep(0.5)
print(viewer.is_open, before > striker_row() + 50)
try:
    viewer.play(film, speed=0.0)
except ConfigError as error:
    print(error)
"""
)


def run(code, *prefix, **environment):
    unset = ("MUJOCO_GL", "PYOPENGL_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY")
    base = {name: value for name, value in os.environ.items() if name not in unset}
    return subprocess.run(
        [*prefix, sys.executable, "-c", code],
        env=base | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({}, "neither DISPLAY nor WAYLAND_DISPLAY is set"),
        ({"DISPLAY": ":987"}, "Failed to open display :987"),
    ],
)
def test_without_a_display_one_error_says_what_to_do(environment, words):
    result = run(OPEN, **environment)
    line = result.stderr.strip().splitlines()[-1]
    assert line.startswith("carrom.errors.RenderError: no window can be opened: ")
    assert words in line
    assert "'rgb_array' or 'ansi'" in line


# A window needs an X server; where there is none to start, there is nothing to look at.
@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs Xvfb (package xvfb)")
def test_it_shows_a_position_and_plays_a_stroke():
    expected = "True True\nspeed = 0.0: expected a positive number, 1 for real time\n"
    closing = "viewer.close(); viewer.close(); print(viewer.is_open)"
    # One after the other: servers that start together may choose the same display.
    for ending, last in (("", ""), (closing, "False\n")):
        result = run(PLAY + ending, "xvfb-run", "-a", "-s", "-screen 0 1024x768x24")
        assert (result.returncode, result.stdout, result.stderr) == (0, expected + last, "")

"""The environment's render modes."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import carrom


@pytest.mark.render
@pytest.mark.parametrize("camera", ["top", "perspective"])
def test_rgb_array_shows_the_position(camera: str) -> None:
    env = gym.make("CarromBoard-v0", render_mode="rgb_array", width=200, height=160, camera=camera)
    env.reset(seed=0)
    before: Any = env.render()
    env.step(np.array([0.0, 0.0, 1.0], np.float32))
    after: Any = env.render()
    for picture in (before, after):
        assert isinstance(picture, np.ndarray)
        assert picture.shape == (160, 200, 3)
        assert picture.dtype == np.uint8
    assert not np.array_equal(before, after)
    env.close()
    env.close()


@pytest.mark.render
def test_the_vector_environment_shows_every_board() -> None:
    env = gym.make_vec("CarromShot-v0", num_envs=3, render_mode="rgb_array", width=64, height=64)
    env.reset(seed=0)
    pictures: Any = env.render()
    assert [picture.shape for picture in pictures] == [(64, 64, 3)] * 3
    assert not np.array_equal(pictures[0], pictures[1])
    env.close()


def test_ansi_is_text_with_every_carromman() -> None:
    env = gym.make("CarromBoard-v0", render_mode="ansi")
    env.reset(seed=0, options=None)
    text = env.render()
    assert isinstance(text, str)
    assert (text.count("w"), text.count("b"), text.count("Q")) == (9, 9, 1)


def test_human_without_a_display_says_what_is_missing() -> None:
    code = (
        "import gymnasium, carrom\n"
        "from carrom.errors import RenderError\n"
        "env = gymnasium.make('CarromShot-v0', render_mode='human')\n"
        "try: env.reset(seed=0)\n"
        "except RenderError as error: print(error)\n"
    )
    bare = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run([sys.executable, "-c", code], env=bare, capture_output=True, text=True)
    assert "DISPLAY" in done.stdout, done.stderr
    assert "rgb_array" in done.stdout


def test_nothing_is_drawn_before_render_is_called() -> None:
    code = (
        "import sys, gymnasium, carrom\n"
        "env = gymnasium.make('CarromBoard-v0', render_mode='rgb_array')\n"
        "env.reset(seed=0); env.step(env.action_space.sample())\n"
        "loaded = [m for m in sys.modules if m.startswith('OpenGL')]\n"
        "sys.exit(' '.join(loaded) or None)\n"
    )
    # With MUJOCO_GL set, MuJoCo itself loads OpenGL when it is imported.
    unset = {k: v for k, v in os.environ.items() if k != "MUJOCO_GL"}
    done = subprocess.run([sys.executable, "-c", code], env=unset, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_render_without_a_mode_warns() -> None:
    env = carrom.CarromEnv("shot")
    env.reset(seed=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert env.render() is None
    assert any("render_mode" in str(warning.message) for warning in caught)


def test_films_show_the_stroke_from_strike_to_rest() -> None:
    env = carrom.CarromEnv("shot", film_rate=50.0)
    plain = carrom.CarromEnv("shot")
    env.reset(seed=0)
    plain.reset(seed=0)
    action = np.array([0.0, 0.1, 0.5], np.float32)
    assert np.array_equal(env.step(action)[0], plain.step(action)[0])
    motion = env.last_strokes[0].motion
    assert motion is not None
    film = motion.trajectory
    assert film is not None
    assert film.times[0] == 0
    assert film.times[-1] == pytest.approx(motion.duration, abs=1 / 50)
    resting = motion.layout.on_board
    assert film.positions[-1, :19][resting] == pytest.approx(motion.layout.positions[resting])

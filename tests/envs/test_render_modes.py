"""The environment's render modes."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import imageio_ffmpeg
import numpy as np
import pytest

import carrom
from carrom.errors import ConfigError


@pytest.mark.render
@pytest.mark.parametrize("camera", ["top", "broadcast"])
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


@pytest.mark.render
def test_depth_array_is_in_metres_from_the_camera() -> None:
    env = gym.make("CarromSolo-v0", render_mode="depth_array", width=64, height=48)
    env.reset(seed=0)
    depth: Any = env.render()
    assert depth.shape == (48, 64)
    assert depth.dtype == np.float32
    # The rack in the middle, a face's height nearer than the surface, and the frame.
    assert depth[20:28, 28:36].min() == pytest.approx(1 - 0.0080, abs=1e-6)
    assert depth.min() == pytest.approx(1 - 0.0222, abs=1e-6)
    env.close()


def moments_of(strokes: Any, fps: float) -> int:
    """Pictures of strokes: one each period from the strike on, until all is at rest."""
    return sum(math.ceil(stroke.motion.duration * fps - 1e-6) + 1 for stroke in strokes)


SMALL: dict[str, Any] = {"width": 32, "height": 32, "shadows": False}
ACTION = np.array([0.0, 0.1, 0.2], np.float32)


@pytest.mark.render
def test_a_list_has_every_moment_since_it_was_last_asked_for() -> None:
    env = gym.make("CarromSolo-v0", render_mode="rgb_array_list", film_rate=12.0, **SMALL)
    played: Any = env.unwrapped
    assert env.metadata["render_fps"] == 12.0
    env.reset(seed=1, options=None)
    expected = moments_of(played.last_strokes, 12.0) + 1
    for _ in range(2):
        env.step(ACTION)
        expected += moments_of(played.last_strokes, 12.0) + 1
    pictures: Any = env.render()
    assert len(pictures) == expected
    assert {picture.shape for picture in pictures} == {(32, 32, 3)}
    still = gym.make("CarromSolo-v0", render_mode="rgb_array", **SMALL)
    still.reset(seed=1)
    for _ in range(2):
        still.step(ACTION)
    last: Any = still.render()
    assert np.array_equal(pictures[-1], last)
    nothing: Any = env.render()
    assert nothing == []
    env.step(ACTION)
    env.reset()
    begun: Any = env.render()
    assert len(begun) == moments_of(played.last_strokes, 12.0) + 1
    env.close()
    still.close()


def frames_in(film: Path) -> Any:
    return imageio_ffmpeg.count_frames_and_secs(str(film))[0]


@pytest.mark.render
def test_record_video_has_a_frame_for_every_moment(tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    from carrom.record_video import RecordVideo

    env = RecordVideo(
        gym.make("CarromSolo-v0", render_mode="rgb_array_list", film_rate=20.0, **SMALL),
        str(tmp_path / "films"),
    )
    played: Any = env.unwrapped
    env.reset(seed=1)
    strokes: list[Any] = []
    for _ in range(2):
        env.step(ACTION)
        strokes += played.last_strokes
    expected = moments_of(strokes, 20.0) + 3  # and the position at rest, from the start on
    assert len(env.recorded_frames) == expected
    assert len(env.render_history) == expected
    env.close()
    # MoviePy, which writes it, rounds the duration and may lose the last frame.
    assert frames_in(tmp_path / "films" / "rl-video-episode-0.mp4") in (expected - 1, expected)
    seconds = sum(stroke.motion.duration for stroke in strokes)
    assert expected == pytest.approx(20 * seconds, abs=2 * len(strokes) + 3)


@pytest.mark.render
def test_a_film_of_so_many_pictures_has_so_many(tmp_path: Path, monkeypatch: Any) -> None:
    pytest.importorskip("moviepy")
    from carrom.record_video import RecordVideo

    written: list[int] = []
    write = gym.wrappers.RecordVideo.stop_recording

    def counted(self: Any) -> None:
        written.append(len(self.recorded_frames))
        write(self)

    monkeypatch.setattr(gym.wrappers.RecordVideo, "stop_recording", counted)
    env = RecordVideo(
        gym.make("CarromSolo-v0", render_mode="rgb_array_list", film_rate=20.0, **SMALL),
        str(tmp_path / "films"),
        video_length=10,
    )
    env.reset(seed=1)
    env.step(ACTION)
    env.close()
    assert written == [10]


@pytest.mark.render
def test_gymnasiums_own_tools_make_films_too(tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    from gymnasium.utils.save_video import save_video
    from gymnasium.wrappers import RecordVideo

    options: dict[str, Any] = {"film_rate": 20.0, **SMALL}
    for mode in ("rgb_array", "rgb_array_list"):
        env = gym.make("CarromShot-v0", render_mode=mode, **options)
        pictures: Any = []
        if mode == "rgb_array_list":
            env.reset(seed=1)
            env.step(ACTION)
            pictures = env.render()
            assert len(pictures) > 20
            fps = env.metadata["render_fps"]
            save_video(pictures, str(tmp_path / "saved"), fps=fps)
            written = frames_in(tmp_path / "saved" / "rl-video-episode-0.mp4")
            assert written in (len(pictures) - 1, len(pictures))
        film = RecordVideo(env, str(tmp_path / mode))
        film.reset(seed=1)
        film.step(ACTION)
        # Of every step it keeps the last picture: the position at rest.
        assert len(film.recorded_frames) == 2
        film.close()
        assert frames_in(tmp_path / mode / "rl-video-episode-0.mp4") in (1, 2)


def test_record_video_needs_all_pictures() -> None:
    pytest.importorskip("moviepy")
    from carrom.record_video import RecordVideo

    with pytest.raises(ConfigError, match="'rgb_array': expected 'rgb_array_list'"):
        RecordVideo(gym.make("CarromBoard-v0", render_mode="rgb_array"), "nowhere")


CLOSED_TWICE = """
import warnings
import gymnasium as gym
import carrom, carrom.env

warnings.simplefilter("error")
options = {"render_mode": "rgb_array", "width": 84, "height": 84, "shadows": False}

def opened(seed):
    env = gym.make("CarromShot-v0", **options)
    env.reset(seed=seed)
    return env

for seed in (0, 1):
    env = opened(seed)
    assert env.render().shape == (84, 84, 3)
    env.close()
    env.close()
one, other = opened(2), opened(3)
first = one.render(), other.render()
one.close()
assert (other.render() == first[1]).all()
other.close()
again = opened(2)
assert (again.render() == first[0]).all()
for _ in range(2):
    envs = gym.make_vec("CarromShot-v0", num_envs=2, **options)
    envs.reset(seed=2)
    assert all((a == b).all() for a, b in zip(envs.render(), first))
    envs.close()
    envs.close()
left_open = opened(4)
left_open.render()
"""


@pytest.mark.render
def test_made_rendered_and_closed_twice_without_a_sound() -> None:
    done = subprocess.run([sys.executable, "-c", CLOSED_TWICE], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


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

"""Videos, decoded again by their readers."""

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image, ImageSequence

from carrom.errors import ConfigError, RenderError
from carrom.render.video import write_video


def shades(count, height=48, width=64):
    return [np.full((height, width, 3), (20 + 20 * i, 120, 60), np.uint8) for i in range(count)]


def decoded(path):
    """Every frame of a video, as FFmpeg reads it."""
    reader = imageio_ffmpeg.read_frames(str(path))
    width, height = next(reader)["size"]
    return [np.frombuffer(frame, np.uint8).reshape(height, width, 3) for frame in reader]


@pytest.mark.parametrize("count", [1, 2, 9])
def test_mp4_holds_every_frame_in_order(tmp_path, count):
    path = write_video(tmp_path / "new" / "clip.mp4", iter(shades(count)), fps=30)
    frames = decoded(path)
    assert len(frames) == count
    for shade, frame in zip(shades(count), frames, strict=True):
        assert np.abs(frame.astype(int) - shade).max() < 12
    _, seconds = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert seconds == pytest.approx(count / 30, abs=0.02)


def test_gif_holds_every_frame_even_equal_ones(tmp_path):
    frames = shades(6)
    frames[3] = frames[2].copy()
    path = write_video(tmp_path / "clip.gif", frames, fps=20)
    with Image.open(path) as image:
        stills = [
            (still.info["duration"], np.asarray(still.convert("RGB")).astype(int))
            for still in ImageSequence.Iterator(image)
        ]
    assert len(stills) == 6
    for frame, (milliseconds, still) in zip(frames, stills, strict=True):
        assert milliseconds == 50
        assert np.abs(still - frame).max() < 12


def test_an_odd_size_keeps_its_pixels(tmp_path):
    frames = shades(3, 47, 63)
    (first, *_) = decoded(write_video(tmp_path / "odd.mp4", frames, fps=10))
    assert first.shape == (48, 64, 3)
    assert np.abs(first[:44, :60].astype(int) - frames[0][:44, :60]).max() < 12
    with Image.open(write_video(tmp_path / "odd.gif", frames, fps=10)) as image:
        assert image.size == (63, 47)


def test_an_older_video_is_replaced(tmp_path):
    path = write_video(tmp_path / "clip.mp4", shades(9), fps=10)
    write_video(path, shades(2), fps=10)
    assert len(decoded(path)) == 2


@pytest.mark.parametrize("name", ["clip.mp4", "clip.gif"])
def test_a_film_that_fails_leaves_the_older_one(tmp_path, name, capfd):
    path = write_video(tmp_path / name, shades(3), fps=10)
    older = path.read_bytes()
    with pytest.raises(ConfigError, match="frame 1"):
        write_video(path, [shades(1)[0], np.zeros((2, 2), np.uint8)], fps=10)
    assert path.read_bytes() == older
    assert list(tmp_path.iterdir()) == [path]
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", ["clip.avi", "clip", "clip.webp"])
def test_an_unknown_suffix_names_the_known_ones(tmp_path, name):
    with pytest.raises(ConfigError, match=rf"{name}.*\.mp4 or \.gif"):
        write_video(tmp_path / name, shades(2), fps=10)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "fps"), [("a.mp4", 0), ("a.mp4", float("nan")), ("a.gif", 60), ("a.gif", -1)]
)
def test_a_rate_that_cannot_be_shown_is_refused(tmp_path, name, fps):
    with pytest.raises(ConfigError, match="fps = "):
        write_video(tmp_path / name, shades(2), fps=fps)


def test_no_frames_are_no_video(tmp_path):
    with pytest.raises(ConfigError, match="at least one frame"):
        write_video(tmp_path / "a.mp4", [], fps=10)


@pytest.mark.parametrize(
    "frame",
    [
        np.zeros((48, 64), np.uint8),
        np.zeros((48, 64, 4), np.uint8),
        np.zeros((48, 64, 3), np.float32),
    ],
)
def test_a_frame_that_is_no_picture_is_named(tmp_path, frame):
    with pytest.raises(ConfigError, match=r"frame 0 .*expected .* 3\), uint8"):
        write_video(tmp_path / "a.mp4", [frame], fps=10)
    with pytest.raises(ConfigError, match=r"frame 2 .*\(48, 64, 3\), uint8"):
        write_video(tmp_path / "a.mp4", [*shades(2), frame], fps=10)


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "taken.mp4").mkdir()
    with pytest.raises(RenderError, match=r"taken\.mp4"):
        write_video(tmp_path / "taken.mp4", shades(2), fps=10)
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(RenderError, match="file"):
        write_video(tmp_path / "file" / "a.mp4", shades(2), fps=10)

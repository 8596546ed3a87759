"""Pictures to video files."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carrom.errors import ConfigError, RenderError
from carrom.output import replacing

_FASTEST_GIF = 50
"""GIF counts in hundredths of a second, and browsers slow down what is shown for only one."""

# What each kind of file asks of FFmpeg. Only yuv420p plays everywhere, and it needs even
# sizes; a GIF gets a palette of its own instead of a fixed one.
_ENCODERS: dict[str, dict[str, Any]] = {
    ".mp4": {
        "codec": "libx264",
        "pix_fmt_out": "yuv420p",
        "output_params": ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"],
    },
    ".gif": {
        "codec": "gif",
        "pix_fmt_out": "pal8",
        "output_params": ["-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none"],
    },
}


def write_video(
    path: str | os.PathLike[str], frames: Iterable[NDArray[np.uint8]], fps: float
) -> Path:
    """Write pictures as a video, one frame each.

    If it fails, a file that was there before stays as it was.

    Args:
        path: where to; the suffix, .mp4 or .gif, decides what is written. Missing folders
            are made.
        frames: pictures (height, width, 3) uint8, all of one size; an iterator is consumed
            picture by picture. An odd size gets a black edge in an MP4.
        fps: frames per second, at least 1; at most 50 in a GIF.

    Returns:
        The path.

    Raises:
        ConfigError: unknown suffix, bad rate, no frames, or a frame of another shape or type.
        RenderError: the file cannot be written.
    """
    target = Path(path)
    encoder = _ENCODERS.get(target.suffix.lower())
    if encoder is None:
        raise ConfigError(
            f"video {str(target)!r}: expected a name ending in {' or '.join(_ENCODERS)}"
        )
    fastest = _FASTEST_GIF if target.suffix.lower() == ".gif" else math.inf
    if not (math.isfinite(fps) and 1 <= fps <= fastest):
        limit = "" if fastest == math.inf else f" and at most {fastest}"
        raise ConfigError(f"fps = {fps!r}: expected a number of at least 1{limit}")
    pictures = iter(frames)
    first = next(pictures, None)
    if first is None:
        raise ConfigError(f"video {str(target)!r}: expected at least one frame, got none")
    _check(first, 0, np.shape(first))
    options = {"fps": fps, "macro_block_size": 1, "ffmpeg_log_level": "error", **encoder}
    try:
        with replacing(target) as unfinished:
            _encode(unfinished, first, pictures, options)
    except OSError as error:
        raise RenderError(f"video {str(target)!r}: {error}") from error
    return target


def _encode(
    target: Path,
    first: NDArray[np.uint8],
    rest: Iterator[NDArray[np.uint8]],
    options: dict[str, Any],
) -> None:
    """Send the pictures to FFmpeg; OSError when nothing comes of it."""
    # Otherwise FFmpeg is started through Python code in a forked child, which can deadlock
    # where other libraries (JAX) have threads.
    os.environ.setdefault("IMAGEIO_FFMPEG_NO_PREVENT_SIGINT", "1")
    import imageio_ffmpeg

    height, width = first.shape[:2]
    writer = imageio_ffmpeg.write_frames(str(target), (width, height), **options)
    try:
        writer.send(None)
        for index, frame in enumerate(itertools.chain([first], rest)):
            _check(frame, index, first.shape)
            writer.send(np.ascontiguousarray(frame))
    finally:
        writer.close()
    # FFmpeg's failures do not reach us otherwise: it only leaves no file.
    if not target.is_file() or not target.stat().st_size:
        raise OSError("the encoder wrote nothing")


def _check(frame: NDArray[np.uint8], index: int, shape: tuple[int, ...]) -> None:
    given, kind = np.shape(frame), getattr(frame, "dtype", type(frame))
    if len(shape) != 3 or shape[2] != 3 or given != shape or kind != np.uint8:
        wanted = shape if len(shape) == 3 and shape[2] == 3 else "(height, width, 3)"
        raise ConfigError(f"frame {index} of shape {given}, {kind}: expected {wanted}, uint8")

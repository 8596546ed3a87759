"""Show a replay: the umpire's sheet, a film, a page for the browser; or verify it.

    python scripts/play.py aimer random --replay board.json.gz
    python scripts/replay.py board.json.gz                        # the umpire's sheet
    python scripts/replay.py board.json.gz --verify               # simulate every stroke again
    python scripts/replay.py board.json.gz --html board.html      # one file, needs no network
    python scripts/replay.py board.json.gz --video board.mp4 --gif board.gif --camera player
    python scripts/replay.py board.json.gz --picture board.png --stroke 7 --camera broadcast

Films and pages are of the strokes simulated again. Exit status: 0, 1 when a stroke comes out
differently here, 2 when the file is no replay or something else is wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

# Whatever the user has set stays.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from carrom.errors import ConfigError
from carrom.output import check_target, replacing
from carrom.program import run
from carrom.render.backend import check_setting

if TYPE_CHECKING:
    from carrom.replay import Replay

_DIFFERENT = 1
_SMALLEST = 16
"""Pixels; of a few, no height would be left of what is 16 to 9."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", help="a replay, .json or .json.gz")
    parser.add_argument("--verify", action="store_true", help="simulate and rule again, compare")
    parser.add_argument("--html", metavar="FILE", help="write a page that plays it")
    parser.add_argument("--video", metavar="FILE", help="film it: .mp4")
    parser.add_argument("--gif", metavar="FILE", help="film it: .gif")
    parser.add_argument("--picture", metavar="FILE", help="draw the end of a stroke: .png")
    parser.add_argument("--stroke", type=int, help="of the picture (default: the last)")
    parser.add_argument(
        "--camera", default="top", help="top, perspective, player or broadcast, which is 16 to 9"
    )
    parser.add_argument("--size", type=int, default=480, help="width, pixels (default: 480)")
    arguments = parser.parse_args()
    return run("replay", lambda: _work(arguments))


def _work(arguments: argparse.Namespace) -> int:
    films = (arguments.video, arguments.gif)
    if arguments.stroke is not None and not arguments.picture:
        raise ConfigError(f"--stroke {arguments.stroke}: expected --picture FILE with it")
    _check_targets(arguments)
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    from carrom.replay import html, load, verify

    replay = load(arguments.file)
    if not (arguments.verify or arguments.html or arguments.picture or any(films)):
        print(*replay.sheet(), sep="\n")
    if arguments.verify:
        verdict = verify(replay)
        print(f"{arguments.file}: {verdict}")
        if not verdict.equal:
            return _DIFFERENT
    if arguments.html:
        _write(arguments.html, html(replay))
        print(f"page: {arguments.html}")
    for name in filter(None, films):
        from carrom.render.picture import BoardRenderer
        from carrom.render.video import write_video
        from carrom.replay import filmed
        from carrom_agents.pictures import FPS, film_frames

        with BoardRenderer(replay.board, *_shape(arguments), arguments.camera) as renderer:
            write_video(name, film_frames(renderer, filmed(replay, FPS)), FPS)
        print(f"film: {name}")
    if arguments.picture:
        _draw(replay, arguments)
        print(f"picture: {arguments.picture}")
    return 0


def _check_targets(arguments: argparse.Namespace) -> None:
    """Refuse a size, and files that cannot be written, before anything is computed."""
    if arguments.size < _SMALLEST:
        raise ConfigError(f"--size {arguments.size}: expected at least {_SMALLEST} pixels")
    for what, name, suffixes in (
        ("page", arguments.html, (".html", ".htm")),
        ("film", arguments.video, (".mp4",)),
        ("film", arguments.gif, (".gif",)),
        ("picture", arguments.picture, (".png",)),
    ):
        if name and Path(name).suffix.lower() not in suffixes:
            raise ConfigError(f"{what} {name!r}: expected a name ending in {' or '.join(suffixes)}")
        if name:
            check_target(what, Path(name), Path(arguments.file))


def _shape(arguments: argparse.Namespace) -> tuple[int, int]:
    """Width and height of pictures."""
    wide = arguments.camera == "broadcast"
    return arguments.size, arguments.size * 9 // 16 if wide else arguments.size


def _draw(replay: Replay, arguments: argparse.Namespace) -> None:
    """Draw the position after a stroke, with what fell up to then in the nets."""
    from PIL import Image

    from carrom.drawing import discs_of
    from carrom.filming import with_nets
    from carrom.nets import nets_after, nets_without
    from carrom.render.picture import BoardRenderer

    count = len(replay.strokes)
    number = count if arguments.stroke is None else arguments.stroke
    if not count:
        raise ConfigError("no strokes: expected at least one to draw the end of")
    if not 1 <= number <= count:
        raise ConfigError(f"--stroke {number}: expected 1 to {count}")
    *_, (stroke, nets) = with_nets(replay.strokes[:number])
    if stroke.motion is not None:
        nets = nets_without(nets_after(nets, stroke.motion.pocketed))
    layout = stroke.after.layout
    nets = nets_without(nets, layout.on_board.nonzero()[0].tolist())
    with BoardRenderer(replay.board, *_shape(arguments), arguments.camera) as renderer:
        pixels = renderer.render(*discs_of(layout), nets)
    try:
        # As many colours as a palette has are enough for wood, and a fifth of the size.
        picture = Image.fromarray(pixels).quantize(256, kmeans=1, dither=Image.Dither.NONE)
        with replacing(Path(arguments.picture)) as unfinished:
            picture.save(unfinished, optimize=True)
    except OSError as error:
        raise ConfigError(f"picture {arguments.picture!r}: {error}") from error


def _write(name: str, text: str) -> None:
    try:
        with replacing(Path(name)) as unfinished:
            unfinished.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"page {name!r}: {error}") from error


if __name__ == "__main__":
    sys.exit(main())

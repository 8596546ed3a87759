"""Show a replay: the umpire's sheet, a film, a page for the browser; or verify it.

    python scripts/play.py aimer random --replay board.json.gz
    python scripts/replay.py board.json.gz                        # the umpire's sheet
    python scripts/replay.py board.json.gz --verify               # simulate every stroke again
    python scripts/replay.py board.json.gz --html board.html      # one file, needs no network
    python scripts/replay.py board.json.gz --video board.mp4 --gif board.gif

Films and pages are of the strokes simulated again. Exit status: 0, 1 when a stroke comes out
differently here, 2 when the file is no replay or something else is wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

# Whatever the user has set stays.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from carrom.errors import ConfigError
from carrom.program import run
from carrom.render.backend import check_setting

_DIFFERENT = 1


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", help="a replay, .json or .json.gz")
    parser.add_argument("--verify", action="store_true", help="simulate and rule again, compare")
    parser.add_argument("--html", metavar="FILE", help="write a page that plays it")
    parser.add_argument("--video", metavar="FILE", help="film it: .mp4")
    parser.add_argument("--gif", metavar="FILE", help="film it: .gif")
    parser.add_argument("--size", type=int, default=480, help="of films, pixels (default: 480)")
    arguments = parser.parse_args()
    return run("replay", lambda: _work(arguments))


def _work(arguments: argparse.Namespace) -> int:
    films = {".mp4": arguments.video, ".gif": arguments.gif}
    for suffix, name in films.items():
        if name and Path(name).suffix.lower() != suffix:
            raise ConfigError(f"film {name!r}: expected a name ending in {suffix}")
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    from carrom.replay import html, load, verify

    replay = load(arguments.file)
    if not (arguments.verify or arguments.html or any(films.values())):
        print(*replay.sheet(), sep="\n")
    if arguments.verify:
        verdict = verify(replay)
        print(f"{arguments.file}: {verdict}")
        if not verdict.equal:
            return _DIFFERENT
    if arguments.html:
        _write(arguments.html, html(replay))
        print(f"page: {arguments.html}")
    for name in filter(None, films.values()):
        from carrom.render.picture import BoardRenderer
        from carrom.render.video import write_video
        from carrom.replay import filmed
        from carrom_agents.pictures import FPS, film_frames

        with BoardRenderer(replay.board, arguments.size, arguments.size) as renderer:
            write_video(name, film_frames(renderer, filmed(replay, FPS)), FPS)
        print(f"film: {name}")
    return 0


def _write(name: str, text: str) -> None:
    try:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"page {name!r}: {error}") from error


if __name__ == "__main__":
    sys.exit(main())

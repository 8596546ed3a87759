"""Watch players, or be one: the umpire's sheet stroke by stroke, the board, or a film.

    python scripts/play.py aimer random --render ansi
    python scripts/play.py person banker                           # against you, by typing
    python scripts/play.py runs/quickstart-20261129-210000 aimer --video board.mp4
    python scripts/play.py aimer random --doubles --id CarromMatch-v0
    python scripts/play.py aimer random --replay board.json.gz     # see scripts/replay.py

Players are names or run folders, or `person`, who types what he decides; the first is the
environment's agent, the second its opponent. In doubles the first has a partner and the second
plays on both the other seats.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

# Whatever the user has set stays. Players of this size are fastest on the processor.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import gymnasium as gym

from carrom import ENVIRONMENTS
from carrom.errors import ConfigError
from carrom.output import check_target
from carrom.program import run
from carrom.render.backend import check_setting
from carrom_agents.roster import find_player, short_name

if TYPE_CHECKING:
    from carrom.env import CarromEnv
    from carrom.opponents import Player
    from carrom.sheet import Sheet
    from carrom.table import Stroke

    _Step: TypeAlias = tuple[tuple[Stroke, ...], dict[str, Any]]

PERSON = "person"
"""Name of the player who is asked at the terminal."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("first", help="name or run folder of the first player")
    parser.add_argument("second", help="name or run folder of the second player")
    parser.add_argument("--id", default="CarromBoard-v0", choices=ENVIRONMENTS, help="what to play")
    parser.add_argument("--doubles", action="store_true", help="four players in two pairs")
    parser.add_argument("--partner", help="of the first player (default: the same once more)")
    parser.add_argument(
        "--due-placing",
        choices=("scripted", "agent"),
        help="who lays dues: agent, the players (default: scripted, unless a person plays)",
    )
    parser.add_argument(
        "--render",
        default="none",
        choices=("human", "rgb_array", "ansi", "none"),
        help="a window, pictures for --video, text, or only the umpire's sheet",
    )
    parser.add_argument("--video", metavar="FILE", help="film the strokes: .mp4 or .gif")
    parser.add_argument("--replay", metavar="FILE", help="write the replay: .json or .json.gz")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--camera", default="top", help="of the film: top, player, broadcast, ...")
    parser.add_argument("--noise", default="expert", help="execution noise (default: expert)")
    arguments = parser.parse_args()
    return run("play", lambda: _play(arguments))


def _play(arguments: argparse.Namespace) -> int:
    if arguments.render == "rgb_array" and not arguments.video:
        raise ConfigError("--render rgb_array: expected --video FILE to put the pictures in")
    if arguments.partner and not arguments.doubles:
        raise ConfigError(f"--partner {arguments.partner}: expected --doubles with it")
    if arguments.video and Path(arguments.video).suffix.lower() not in (".mp4", ".gif"):
        raise ConfigError(f"film {arguments.video!r}: expected a name ending in .mp4 or .gif")
    for what, name in (("film", arguments.video), ("replay", arguments.replay)):
        if name:
            check_target(what, Path(name))
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    from carrom.env import CarromEnv
    from carrom.render.picture import BoardRenderer
    from carrom.render.video import write_video
    from carrom_agents.episode import episode
    from carrom_agents.pictures import FPS, film_frames

    player, opponent = _seated(arguments.first), _seated(arguments.second)
    options: dict[str, Any] = {"due_placing": arguments.due_placing or "scripted"}
    if PERSON in (arguments.first, arguments.second, arguments.partner):
        options = {"due_placing": arguments.due_placing or "agent"}
        options |= {"claims": "agent", "toss": "agent"}
    if arguments.doubles:
        partner = arguments.partner
        options |= {"doubles": True, "partner": _seated(partner) if partner else player}
    if arguments.video:
        options["film_rate"] = float(FPS)
    if arguments.replay:
        options["record"] = True
    env = gym.make(
        arguments.id,
        opponent=opponent,
        noise=arguments.noise,
        render_mode=None if arguments.render == "none" else arguments.render,
        disable_env_checker=True,
        **options,
    ).unwrapped
    assert isinstance(env, CarromEnv)
    steps = _told(env, episode(env, player, arguments.seed), arguments)
    strokes = itertools.chain.from_iterable(steps)
    try:
        if arguments.video:
            renderer = BoardRenderer(env.setting.board, camera=arguments.camera)
            write_video(arguments.video, film_frames(renderer, strokes), FPS)
            renderer.close()
            print(f"film: {arguments.video}")
        else:
            for _ in strokes:
                pass
        if arguments.replay:
            print(f"replay: {env.replay(_names(arguments)).save(arguments.replay)}")
    finally:
        env.close()
    return 0


def _told(
    env: CarromEnv,
    steps: Iterator[_Step],
    arguments: argparse.Namespace,
) -> Iterator[tuple[Stroke, ...]]:
    """The strokes of each step, written on the umpire's sheet as they come."""
    sheet, count, finished = None, 0, False
    for strokes, info in _until_left(steps):
        if sheet is None:
            sheet = _opened(env, arguments)
        for stroke in strokes:
            _print(sheet.entry(stroke))
        if arguments.render == "ansi":
            print(env.render())
        count, finished = count + len(strokes), "result" in info
        yield strokes
    if not finished:
        print(f"Cut off after {count} strokes")


def _until_left(steps: Iterator[_Step]) -> Iterator[_Step]:
    """The steps, as far as a person plays on; what was played until then is kept."""
    from carrom_agents.person import LeftError

    try:
        yield from steps
    except LeftError as left:
        print(left)


def _seated(name: str) -> Player:
    """The player of that name."""
    if name != PERSON:
        return find_player(name)
    from carrom_agents.person import Person

    return Person()


def _opened(env: CarromEnv, arguments: argparse.Namespace) -> Sheet:
    """The sheet of an episode that has begun, with its heading printed."""
    from carrom.sheet import Sheet

    setting, table = env.setting, env.get_state().table
    assert table is not None, "an episode that has begun has a table"
    sheet = Sheet(
        setting.format,
        _names(arguments),
        unit=setting.task.unit,
        toss=table.toss,
    )
    _print(sheet.heading())
    return sheet


def _names(arguments: argparse.Namespace) -> dict[int, str]:
    """What the players are called, by seat."""
    first, second = short_name(arguments.first), short_name(arguments.second)
    partner = short_name(arguments.partner) if arguments.partner else first
    if arguments.doubles:
        return {0: first, 1: second, 2: partner, 3: second}
    return {0: first, 2: second}


def _print(lines: Iterable[str]) -> None:
    print(*lines, sep="\n")


if __name__ == "__main__":
    sys.exit(main())

"""Watch two players: the umpire's sentences stroke by stroke, the board, or a film.

    python scripts/play.py aimer random --render ansi
    python scripts/play.py runs/quickstart-20261129-210000 aimer --video board.mp4

Players are names or run folders; the first is the environment's agent, the second its
opponent.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

# Whatever the user has set stays. Players of this size are fastest on the processor.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import gymnasium as gym

from carrom import ENVIRONMENTS
from carrom.errors import ConfigError
from carrom.program import run
from carrom.render.backend import check_setting
from carrom_agents.roster import find_player, labels

if TYPE_CHECKING:
    from carrom.env import CarromEnv
    from carrom.table import Stroke


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("first", help="name or run folder of the first player")
    parser.add_argument("second", help="name or run folder of the second player")
    parser.add_argument("--id", default="CarromBoard-v0", choices=ENVIRONMENTS, help="what to play")
    parser.add_argument(
        "--render",
        default="none",
        choices=("human", "rgb_array", "ansi", "none"),
        help="a window, pictures for --video, text, or only the umpire's sentences",
    )
    parser.add_argument("--video", metavar="FILE", help="film the strokes: .mp4 or .gif")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--noise", default="expert", help="execution noise (default: expert)")
    arguments = parser.parse_args()
    return run("play", lambda: _play(arguments))


def _play(arguments: argparse.Namespace) -> int:
    if arguments.render == "rgb_array" and not arguments.video:
        raise ConfigError("--render rgb_array: expected --video FILE to put the pictures in")
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    from carrom.env import CarromEnv
    from carrom.render.picture import BoardRenderer
    from carrom.render.video import write_video
    from carrom_agents.episode import episode
    from carrom_agents.pictures import FPS, stroke_frames

    player = find_player(arguments.first)
    env = gym.make(
        arguments.id,
        opponent=find_player(arguments.second),
        noise=arguments.noise,
        render_mode=None if arguments.render == "none" else arguments.render,
        film_rate=float(FPS),
        disable_env_checker=True,
    ).unwrapped
    assert isinstance(env, CarromEnv)
    steps = _told(env, episode(env, player, arguments.seed), arguments)
    strokes = itertools.chain.from_iterable(steps)
    try:
        if arguments.video:
            renderer = BoardRenderer(env.setting.board)
            frames = (frame for stroke in strokes for frame in stroke_frames(renderer, stroke))
            write_video(arguments.video, frames, FPS)
            renderer.close()
            print(f"film: {arguments.video}")
        else:
            for _ in strokes:
                pass
    finally:
        env.close()
    return 0


def _told(
    env: CarromEnv,
    steps: Iterator[tuple[tuple[Stroke, ...], dict[str, Any]]],
    arguments: argparse.Namespace,
) -> Iterator[tuple[Stroke, ...]]:
    """The strokes of each step, printed as they come."""
    names = labels(arguments.first, arguments.second)
    for strokes, info in steps:
        for stroke in strokes:
            print(_strike_text(stroke, names))
            print("".join(f"    {sentence}\n" for sentence in stroke.sentences), end="")
        if arguments.render == "ansi":
            print(env.render())
        if "result" in info:
            print(_result_text(info["result"], names))
        yield strokes


def _strike_text(stroke: Stroke, names: tuple[str, str]) -> str:
    name = names[0 if stroke.own else 1]
    if stroke.strike is None:
        return f"{name} cannot strike"
    strike = stroke.strike
    return (
        f"{name} strikes from {100 * strike.place:+.1f} cm at {strike.speed:.2f} m/s, "
        f"{math.degrees(strike.direction):+.1f} degrees, and {_fallen_text(stroke)}"
    )


def _fallen_text(stroke: Stroke) -> str:
    """What the stroke pocketed."""
    facts = stroke.facts
    white, black = (int(count) for count in facts.pocketed)
    fallen = [f"{count} {name}" for count, name in ((white, "white"), (black, "black")) if count]
    fallen += ["the queen"] * bool(facts.pocketed_queen)
    fallen += ["the striker"] * bool(facts.pocketed_striker)
    return "pockets " + (" and ".join(fallen) if fallen else "nothing")


def _result_text(result: dict[str, Any], names: tuple[str, str]) -> str:
    winner = dict(zip(("own", "opponent"), names, strict=True)).get(result["winner"], "nobody")
    own, opponent = result["points"]
    return f"{winner} wins, {own} : {opponent}"


if __name__ == "__main__":
    sys.exit(main())

"""Draw a plot: learning curves, a ladder, where strokes succeed, what places are worth.

    python scripts/plot.py curves ppo=runs/one ppo=runs/two other=runs/three --target curves.png
    python scripts/plot.py ladder runs/ladder --target ladder.png
    python scripts/plot.py wins runs/ladder --target wins.png
    python scripts/plot.py heat-map --drill cut-3 --players aimer ppo --target heat.png
    python scripts/plot.py heat-map --replay board.json.gz --stroke 7 --directions -30 30
    python scripts/plot.py striker-value --shot 11 --weighed-by planner ppo --target value.png

Runs under one label are one curve with its interval. A position is that of a drill, of the shot
task with a seed, or that before a stroke of a replay. The same command gives the same picture.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

# Whatever the user has set stays. Positions of this size are fastest on the processor.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from carrom.errors import ConfigError, one_of
from carrom.program import run
from carrom.render.backend import check_setting
from carrom_agents.plots.style import checked_target

if TYPE_CHECKING:
    from carrom.view import View
    from carrom_agents.planner.rollouts import Evaluate


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    for name, (add, _) in _KINDS.items():
        kind = kinds.add_parser(name, help=add.__doc__, description=add.__doc__)
        add(kind)
        kind.add_argument(
            "--target", type=Path, default=Path(f"{name}.png"), help=f"(default: {name}.png)"
        )
    arguments = parser.parse_args()
    return run("plot", lambda: _draw(arguments))


def _draw(arguments: argparse.Namespace) -> int:
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    checked_target(arguments.target)
    _, draw = _KINDS[arguments.kind]
    draw(arguments)
    print(f"{arguments.kind}: {arguments.target}")
    return 0


def _add_curves(parser: argparse.ArgumentParser) -> None:
    """A metric of runs over their steps; runs under one label are one curve."""
    parser.add_argument("runs", nargs="+", metavar="[LABEL=]RUN", help="run folders")
    parser.add_argument("--metric", default="evaluation/reward", help="(default: %(default)s)")
    parser.add_argument("--quantity", help="label of the axis (default: the metric)")
    parser.add_argument(
        "--steps", default="strokes trained on", help="what steps are (default: %(default)s)"
    )
    parser.add_argument("--smoothing", type=int, default=1, help="points averaged (default: 1)")


def _curves(arguments: argparse.Namespace) -> None:
    from carrom_agents.plots.learning_curves import Series, draw_learning_curves, read_series
    from carrom_agents.roster import short_name

    curves: defaultdict[str, list[Series]] = defaultdict(list)
    for name in arguments.runs:
        label, _, run_folder = name.rpartition("=")
        series = read_series(Path(run_folder), arguments.metric)
        curves[label or short_name(run_folder)].append(series)
    draw_learning_curves(
        curves,
        arguments.target,
        quantity=arguments.quantity or arguments.metric,
        smoothing=arguments.smoothing,
        steps=arguments.steps,
    )


def _add_tournament(parser: argparse.ArgumentParser) -> None:
    """From the folder of a tournament that has been played."""
    parser.add_argument("folder", type=Path, help="of scripts/tournament.py")


def _ladder(arguments: argparse.Namespace) -> None:
    from carrom_agents.plots.ladder import draw_ladder, read_ladder

    ratings = read_ladder(arguments.folder)
    anchor = next((n for n, e in ratings.items() if e.value == e.low == e.high == 0), "the anchor")
    draw_ladder(ratings, f"Elo, {anchor} = 0", arguments.target)


def _wins(arguments: argparse.Namespace) -> None:
    from carrom_agents.plots.wins import draw_wins, read_wins

    draw_wins(*read_wins(arguments.folder), arguments.target)


def _add_position(parser: argparse.ArgumentParser) -> None:
    position = parser.add_mutually_exclusive_group(required=True)
    position.add_argument("--drill", metavar="NAME", help="as in docs/drills.md")
    position.add_argument("--shot", type=int, metavar="SEED", help="of CarromShot-v0")
    position.add_argument("--replay", metavar="FILE", help="with --stroke")
    parser.add_argument("--stroke", type=int, help="of the replay: the position before it")
    parser.add_argument("--noise", default="expert", help="execution noise (default: expert)")
    parser.add_argument("--seed", type=int, default=0, help="of everything")


def _add_heat_map(parser: argparse.ArgumentParser) -> None:
    """How often strikes succeed, over the striker's place and the direction."""
    _add_position(parser)
    parser.add_argument("--speed", type=float, default=2.5, help="m/s (default: 2.5)")
    parser.add_argument(
        "--directions",
        type=float,
        nargs=2,
        default=(-90.0, 90.0),
        metavar=("FROM", "TO"),
        help="degrees left of straight ahead (default: -90 90)",
    )
    parser.add_argument(
        "--cells", type=int, nargs=2, default=(60, 120), help="places, directions (60 120)"
    )
    parser.add_argument("--tries", type=int, default=8, help="strokes of each cell (default: 8)")
    parser.add_argument("--players", nargs="+", default=[], help="mark how they would strike")


def _heat_map(arguments: argparse.Namespace) -> None:
    from carrom_agents.episode import player_chance
    from carrom_agents.plots.heat_map import draw_heat_map
    from carrom_agents.roster import find_player, labels
    from carrom_agents.shot_map import shot_map

    view, title = _position(arguments)
    found = map(find_player, arguments.players)
    players = dict(zip(labels(*arguments.players), found, strict=True))
    low, high = map(math.radians, arguments.directions)
    shots = shot_map(
        view,
        speed=arguments.speed,
        noise=arguments.noise,
        cells=tuple(arguments.cells),
        directions=(low, high),
        tries=arguments.tries,
        seed=arguments.seed,
    )
    strikes = {
        name: player(view, player_chance(arguments.seed)) for name, player in players.items()
    }
    draw_heat_map(shots, view, arguments.target, title=title, players=strikes)


def _add_striker_value(parser: argparse.ArgumentParser) -> None:
    """What the best strike from each place is worth."""
    _add_position(parser)
    parser.add_argument("--speeds", type=float, nargs="+", default=(1.5, 2.5, 4.0), help="m/s")
    parser.add_argument("--places", type=int, default=40, help="how many (default: 40)")
    parser.add_argument("--tries", type=int, default=64, help="strokes of each (default: 64)")
    parser.add_argument(
        "--weighed-by",
        nargs="+",
        default=["planner"],
        metavar="WHO",
        help="who says what a stroke leaves is worth: planner, ppo, a run folder",
    )


def _striker_value(arguments: argparse.Namespace) -> None:
    from carrom_agents.plots.striker_value import draw_striker_value
    from carrom_agents.roster import labels
    from carrom_agents.shot_map import place_worths

    view, title = _position(arguments)
    found = map(_weigher, arguments.weighed_by)
    weighers = dict(zip(labels(*arguments.weighed_by), found, strict=True))
    worths = {
        name: place_worths(
            view,
            evaluate,
            speeds=tuple(arguments.speeds),
            noise=arguments.noise,
            places=arguments.places,
            tries=arguments.tries,
            seed=arguments.seed,
        )
        for name, evaluate in weighers.items()
    }
    draw_striker_value(worths, view, arguments.target, title=title)


def _position(arguments: argparse.Namespace) -> tuple[View, str]:
    """The position that is asked for, and what it is called."""
    if (arguments.stroke is None) != (arguments.replay is None):
        raise ConfigError(
            f"--replay {arguments.replay} with --stroke {arguments.stroke}: expected both or none"
        )
    if arguments.drill is not None:
        from carrom_agents.drills.file import load_drills

        drills = {drill.name: drill for drill in load_drills()}
        view, name = drills[one_of("drill", arguments.drill, drills)].view(), arguments.drill
    elif arguments.replay is not None:
        from carrom.replay import load
        from carrom.replay.views import view_before

        replay = load(arguments.replay)
        if replay.format.doubles:
            raise ConfigError(f"replay {arguments.replay!r} of doubles: expected one of singles")
        view = view_before(replay, arguments.stroke)
        name = f"{Path(arguments.replay).name}, before stroke {arguments.stroke}"
    else:
        from carrom_agents.episode import check_at_least
        from carrom_agents.practice import practice_env

        check_at_least("shot", arguments.shot, 0)
        env = practice_env()
        env.reset(seed=arguments.shot)
        view, name = env.view(), f"shot {arguments.shot}"
    return view, f"{name}: {'white' if view.plays_white else 'black'} to play"


def _weigher(name: str) -> Evaluate:
    """Who weighs positions under this name."""
    if name == "planner":
        from carrom_agents.planner.worth import StaticWorth

        return StaticWorth()
    from carrom_agents.foresight.player import ForesightPlayer, LearnedValue
    from carrom_agents.player import NetworkPlayer, NetworkValue
    from carrom_agents.roster import find_player

    player = find_player(name)
    if isinstance(player, ForesightPlayer):
        return LearnedValue(player.foresight, player.params)
    if not isinstance(player, NetworkPlayer):
        raise ConfigError(f"--weighed-by {name}: expected planner, ppo, league or a run folder")
    if player.config.env.reward != "aicf":
        raise ConfigError(
            f"--weighed-by {name}: trained on the reward {player.config.env.reward!r}: expected "
            "'aicf', whose unit are points"
        )
    return NetworkValue(player)


_KINDS = {
    "curves": (_add_curves, _curves),
    "ladder": (_add_tournament, _ladder),
    "wins": (_add_tournament, _wins),
    "heat-map": (_add_heat_map, _heat_map),
    "striker-value": (_add_striker_value, _striker_value),
}
"""What can be drawn: who adds its options, and who draws it."""


if __name__ == "__main__":
    sys.exit(main())

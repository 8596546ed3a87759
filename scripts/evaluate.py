"""Measure how well a player plays: single strokes, boards against an opponent, boards alone.

python scripts/evaluate.py runs/quickstart-20261129-210000 --opponent aimer
python scripts/evaluate.py aimer --noise club expert master --json

A hundred boards of scripted players take some 25 s on one core, looking at the shots included.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

# Whatever the user has set stays. Players of this size are fastest on the processor.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from carrom.errors import ConfigError
from carrom.program import run
from carrom.render.backend import check_setting
from carrom_agents.roster import find_player, labels

if TYPE_CHECKING:
    from carrom_agents.reports import BoardReport, ShotReport, SoloReport


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("player", metavar="RUN", help="a run folder, or the name of a player")
    parser.add_argument("--opponent", default="random", help="likewise (default: random)")
    parser.add_argument("--boards", type=int, default=100, help="boards; 0 for none")
    parser.add_argument(
        "--doubles", action="store_true", help="boards of two pairs, each a player and his double"
    )
    parser.add_argument(
        "--due-placing",
        choices=("scripted", "agent"),
        default="scripted",
        help="who lays dues on boards: agent, the players",
    )
    parser.add_argument("--solo", type=int, default=20, help="boards alone; 0 for none")
    parser.add_argument("--positions", type=int, default=1000, help="positions; 0 for none")
    parser.add_argument(
        "--noise", nargs="+", default=["expert"], help="levels of noise (default: expert)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the first position and board")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object, by level of noise"
    )
    arguments = parser.parse_args()
    return run("evaluate", lambda: _evaluate(arguments))


def _evaluate(arguments: argparse.Namespace) -> int:
    if not (arguments.positions or arguments.boards or arguments.solo):
        raise ConfigError(
            "--positions 0 --boards 0 --solo 0: nothing to evaluate, expected one above 0"
        )
    for name in ("positions", "boards", "solo"):
        if getattr(arguments, name) < 0:
            raise ConfigError(f"--{name} {getattr(arguments, name)}: expected at least 0")
    if arguments.doubles and not arguments.boards:
        raise ConfigError("--doubles --boards 0: expected boards, nothing else is played in pairs")
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    from rich.console import Console

    from carrom.physics.noise import execution_noise

    for level in arguments.noise:
        execution_noise(level)
    found: dict[str, dict[str, Any]] = {level: {} for level in arguments.noise}
    for level, reports in found.items():
        for name, report in _reports(arguments, level):
            reports[name] = report.as_dict()
            if not arguments.json:
                Console().print(report.table())
    if arguments.json:
        print(json.dumps(found))
    return 0


def _reports(
    arguments: argparse.Namespace, noise: str
) -> Iterator[tuple[str, ShotReport | BoardReport | SoloReport]]:
    """What is asked for at one level of noise, one after the other."""
    from carrom_agents.evaluation import evaluate_shots, play_alone, play_boards

    wanted = (arguments.player, arguments.opponent)
    player, opponent = map(find_player, wanted)
    first, second = labels(*wanted)
    names = first, second
    conditions = {"seed": arguments.seed, "noise": noise}
    if arguments.positions:
        players = dict(zip(names, (player, opponent), strict=True))
        yield "shots", evaluate_shots(players, positions=arguments.positions, **conditions)
    if arguments.boards:
        options = {"boards": arguments.boards, "names": names, "shot_kinds": True}
        options["due_placing"] = arguments.due_placing
        if arguments.doubles:
            pairs = tuple(f"{name} (pair)" for name in names)
            options |= {"doubles": True, "partner": player, "names": pairs}
        yield "boards", play_boards(player, opponent, **options, **conditions)
    if arguments.solo:
        yield "alone", play_alone(player, boards=arguments.solo, name=names[0], **conditions)


if __name__ == "__main__":
    sys.exit(main())

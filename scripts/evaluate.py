"""Measure how well a player plays: stroke by stroke, and over boards against an opponent.

python scripts/evaluate.py runs/quickstart-20261129-210000 --opponent aimer
python scripts/evaluate.py aimer --noise club --json
"""

from __future__ import annotations

import argparse
import json
import os
import sys

# Whatever the user has set stays. Players of this size are fastest on the processor.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from carrom.errors import ConfigError
from carrom.program import run
from carrom.render.backend import check_setting
from carrom_agents.roster import find_player, labels


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("player", metavar="RUN", help="a run folder, or the name of a player")
    parser.add_argument("--opponent", default="random", help="likewise (default: random)")
    parser.add_argument("--boards", type=int, default=100, help="boards; 0 for none")
    parser.add_argument("--positions", type=int, default=1000, help="positions; 0 for none")
    parser.add_argument("--noise", default="expert", help="execution noise (default: expert)")
    parser.add_argument("--seed", type=int, default=0, help="of the first position and board")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    return run("evaluate", lambda: _evaluate(arguments))


def _evaluate(arguments: argparse.Namespace) -> int:
    if not (arguments.positions or arguments.boards):
        raise ConfigError("--positions 0 --boards 0: nothing to evaluate, expected one above 0")
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    from rich.console import Console

    from carrom_agents.evaluation import evaluate_shots, play_boards

    wanted = (arguments.player, arguments.opponent)
    player, opponent = map(find_player, wanted)
    names = labels(*wanted)
    conditions = {"seed": arguments.seed, "noise": arguments.noise}
    reports = {}
    if arguments.positions:
        players = dict(zip(names, (player, opponent), strict=True))
        reports["shots"] = evaluate_shots(players, positions=arguments.positions, **conditions)
    if arguments.boards:
        reports["boards"] = play_boards(
            player, opponent, boards=arguments.boards, names=names, **conditions
        )
    if arguments.json:
        print(json.dumps({name: report.as_dict() for name, report in reports.items()}))
    else:
        for report in reports.values():
            Console().print(report.table())
    return 0


if __name__ == "__main__":
    sys.exit(main())

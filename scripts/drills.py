"""Drills: one stroke each from positions with a task, and how often players do it.

    python scripts/drills.py aimer banker
    python scripts/drills.py aimer banker --kind bank rebound --noise club --tries 50
    python scripts/drills.py aimer banker --report docs/drills.md
    python scripts/drills.py --search

With --search the positions are made anew from their geometry, the best strike of each is looked
for on the planar engine, and the file that comes with the package is written; with --kind, only
drills of these kinds are. It takes some minutes.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path

# Whatever the user has set stays. Players of this size are fastest on the processor.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np

from carrom.errors import ConfigError
from carrom.program import run
from carrom.render.backend import check_setting

_KEPT = Path(__file__).parents[1] / "agents" / "carrom_agents" / "data" / "drills.json"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("players", nargs="*", metavar="RUN", help="names or run folders")
    parser.add_argument("--noise", default="expert", help="execution noise (default: expert)")
    parser.add_argument("--tries", type=int, default=200, help="of each drill (default: 200)")
    parser.add_argument(
        "--asked", type=int, default=10, help="how often a player decides in them (default: 10)"
    )
    parser.add_argument("--kind", nargs="+", help="only drills of these kinds")
    parser.add_argument("--seed", type=int, default=0, help="of everything")
    parser.add_argument("--file", type=Path, help="other drills than those of the package")
    parser.add_argument("--report", type=Path, help="write a page with pictures beside it")
    parser.add_argument("--search", action="store_true", help="make and write the drills anew")
    arguments = parser.parse_args()
    return run("drills", lambda: _drills(arguments))


def _drills(arguments: argparse.Namespace) -> int:
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    if arguments.search:
        if arguments.players:
            raise ConfigError(f"players {arguments.players}: expected none with --search")
        return _search(arguments.file or _KEPT, arguments.kind, arguments.seed)
    return _play(arguments)


def _play(arguments: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.progress import track

    from carrom_agents.drills.file import load_drills
    from carrom_agents.drills.report import DrillReport
    from carrom_agents.drills.trials import Plan, choose, drill_rates
    from carrom_agents.roster import find_player, labels

    if not arguments.players:
        raise ConfigError("no players: expected names or run folders, or --search")
    plan = Plan(arguments.noise, arguments.tries, arguments.asked, arguments.seed)
    drills = choose(load_drills(arguments.file), arguments.kind)
    found = map(find_player, arguments.players)
    players = dict(zip(labels(*arguments.players), found, strict=True))
    console = Console()

    def watched(of: Iterable) -> Iterable:
        return track(of, "drills", console=console, disable=not console.is_terminal)

    report = DrillReport(plan, drills, drill_rates(players, drills, plan, watched))
    if arguments.report is None:
        console.print(report.table())
    else:
        report.write(arguments.report, " ".join(["python scripts/drills.py", *sys.argv[1:]]))
        console.print(arguments.report)
    return 0


def _search(target: Path, kinds: list[str] | None, seed: int) -> int:
    from carrom.physics.planar.engine import PlanarEngine
    from carrom_agents.drills.design import designed
    from carrom_agents.drills.file import load_drills, write_drills
    from carrom_agents.drills.search import searched
    from carrom_agents.drills.trials import choose
    from carrom_agents.drills.way import asked_way

    drills = designed()
    wanted = choose(drills, kinds)
    kept = {drill.name: drill for drill in load_drills(target)} if kinds else {}
    play, way = PlanarEngine().play_many, asked_way()
    found = []
    for number, drill in enumerate(drills):
        if drill not in wanted:
            found.append(kept.get(drill.name, drill))
            continue
        # A generator of its own: the strike of one drill does not depend on the others.
        found.append(searched(drill, play, way, np.random.default_rng([seed, number])))
        best = found[-1].best
        print(drill.name, "no strike" if best is None else f"{best.rate:.3f}", flush=True)
    write_drills(target, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())

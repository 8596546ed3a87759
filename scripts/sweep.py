"""Train several settings with several seeds, as far as they have not been trained, and compare.

    python scripts/sweep.py configs/sweep.yaml
    python scripts/sweep.py configs/sweep.yaml --seeds 5 --workers 2   # more of the same
    python scripts/sweep.py configs/sweep.yaml --retry                 # what has failed, again
    python scripts/sweep.py configs/sweep.yaml --report                # only what there is by now
    python scripts/sweep.py configs/sweep.yaml --ray HOST:PORT         # on a cluster

Everything is kept in the sweep's folder: a sweep that was interrupted, however it was, goes on
where it stopped. Ends with status 1 where a training has failed; the others are done all the same.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import sys
from pathlib import Path

# Whatever the user has set stays. XLA reads its flags when it is first used.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from carrom.program import run
from carrom.render.backend import check_setting

_OWN = ("folder", "seeds", "seed", "workers")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("config", type=Path, help="a file as configs/sweep.yaml")
    parser.add_argument("--folder", help="where everything is kept")
    parser.add_argument("--seeds", type=int, help="runs of each variant")
    parser.add_argument("--seed", type=int, help="of the first run")
    parser.add_argument("--workers", type=int, help="trainings at a time")
    parser.add_argument(
        "--retry", action="store_true", help="train again what has failed, or is damaged"
    )
    parser.add_argument("--report", action="store_true", help="train nothing")
    parser.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="train on the processors of a Ray cluster: HOST:PORT of its head, auto, or local; "
        "--workers means nothing then",
    )
    arguments = parser.parse_args()
    return run("sweep", lambda: _sweep(arguments))


def _sweep(arguments: argparse.Namespace) -> int:
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    from rich.console import Console

    from carrom_agents.sweep.report import SweepReport
    from carrom_agents.sweep.running import Outcome, outcomes_of, run_sweep
    from carrom_agents.sweep.settings import load_sweep

    sweep = load_sweep(arguments.config)
    given = {name: getattr(arguments, name) for name in _OWN}
    given = {name: value for name, value in given.items() if value is not None}
    sweep = dataclasses.replace(sweep, **given)

    def told(outcome: Outcome, left: int) -> None:
        reason = f": {outcome.error}" if outcome.error else ""
        print(f"{outcome.status}: {outcome.cell}, {outcome.seconds:.0f} s{reason}; {left} to come")
        sys.stdout.flush()

    if arguments.report:
        outcomes = outcomes_of(sweep)
    else:
        with contextlib.ExitStack() as opened:
            train = None
            if arguments.ray is not None:
                from carrom_agents.distributed.cluster import connected

                cluster = opened.enter_context(connected(arguments.ray))
                from carrom_agents.distributed.cells import cells_on  # needs Ray

                train = cells_on(cluster)
            print(f"training in {sweep.place}", flush=True)
            outcomes = run_sweep(sweep, retry=arguments.retry, train=train, told=told)
    report = SweepReport.of(sweep, outcomes)
    console = Console()
    if report.scores:
        console.print(report.table())
    if report.improvements:
        console.print(report.comparison())
    for sentence in report.failures():
        print(sentence)
    if written := report.write():
        print("written:", *written)
    return 1 if report.failures() else 0


if __name__ == "__main__":
    sys.exit(main())

"""Measure how fast the parts of carrom are, on this machine as it is.

Usage: python scripts/benchmark.py [--only NAME ...] [--json] [--check] [--report docs/speed.md]

Rates are the best of some repetitions. Where one core is meant the program keeps itself on one
and counts the CPU time it used, so that other work on the machine matters little; where
several work, and for latencies, it is the time that passes: that needs idle cores.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import dataclass, field
from pathlib import Path

import tyro

from carrom.errors import ConfigError
from carrom.program import run
from carrom.render.backend import check_setting


@dataclass(frozen=True)
class Options:
    """Options of the benchmark."""

    only: list[str] = field(default_factory=list)
    """Names of the benches to run; all if none is given."""
    json: bool = False
    """Print JSON instead of lines."""
    check: bool = False
    """End with status 1 if a demand is missed; demands of benches not run are left out."""
    report: Path | None = None
    """Write a page with tables and pictures; needs all benches."""


def main(options: Options) -> int:
    """Run benches and tell what came of them.

    Raises:
        ConfigError: there is no such bench, or a report of a part is asked for.
        RenderError: ``MUJOCO_GL`` names no back end.
    """
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    from benchmarks import demands, page
    from benchmarks.every import BENCHES

    unknown = set(options.only) - set(BENCHES)
    if unknown:
        expected = ", ".join(BENCHES)
        raise ConfigError(f"unknown bench {', '.join(sorted(unknown))}: expected {expected}")
    if options.only and options.report is not None:
        raise ConfigError(f"--report {options.report} with --only: expected all benches")
    results: demands.Results = {}
    for name in options.only or BENCHES:
        results[name] = BENCHES[name]()
        if not options.json:
            for key, value in results[name].items():
                print(f"{name}.{key}: {value:,.4g}", flush=True)
    judged = demands.verdicts(results)
    if options.json:
        machine = {"cores": os.cpu_count(), "machine": platform.machine()}
        told = {verdict.demand.what: verdict.met for verdict in judged}
        print(json.dumps({"machine": machine, "results": results, "met": told}, indent=1))
    else:
        print(*judged, sep="\n")
    if options.report is not None:
        page.write(options.report, results, judged)
    return 1 if options.check and not demands.all_met(judged) else 0


if __name__ == "__main__":
    sys.exit(run("benchmark", lambda: main(tyro.cli(Options, description=__doc__))))

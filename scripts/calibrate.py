"""Measure the physics against its demands; exit status 1 if any is missed.

Usage: python scripts/calibrate.py [--quick] [--json]
"""

from __future__ import annotations

import dataclasses
import json
import sys
from dataclasses import dataclass

import tyro

from carrom.physics.calibration.check import Check
from carrom.physics.calibration.report import calibrate


@dataclass(frozen=True)
class Options:
    """Options of the calibration."""

    quick: bool = False
    """Fewer strokes; leaves out the breaks by the spring reference."""
    json: bool = False
    """Print one JSON list at the end instead of lines."""


def line(check: Check) -> str:
    verdict = "pass" if check.passed else "FAIL"
    bound = "at least" if check.at_least else "at most"
    return f"{verdict}  {check.name}: {check.value:.4g} ({bound} {check.limit:g}) {check.unit}"


def main(options: Options) -> int:
    checks = []
    for check in calibrate(quick=options.quick):
        checks.append(check)
        if not options.json:
            print(line(check), flush=True)
    if options.json:
        print(json.dumps([dataclasses.asdict(c) | {"passed": c.passed} for c in checks], indent=1))
    return 0 if all(check.passed for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Options, description=__doc__)))

"""Measure the physics against its demands; exit status 1 if any is missed.

Usage: python scripts/calibrate.py [--quick] [--json]
       python scripts/calibrate.py --report [--quick] [--root FOLDER]

With --report both engines are measured, and docs/physics.md is written with its pictures.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import tyro

from carrom.physics.calibration.check import Check
from carrom.program import run
from carrom.render.backend import check_setting


@dataclass(frozen=True)
class Options:
    """Options of the calibration."""

    quick: bool = False
    """Fewer strokes; leaves out the breaks by the spring reference."""
    json: bool = False
    """Print one JSON list at the end instead of lines."""
    report: bool = False
    """Measure both engines and write the page."""
    root: Path = Path(__file__).parents[1]
    """Folder under which the page is written, as docs/physics.md."""


def line(check: Check) -> str:
    verdict = "pass" if check.passed else "FAIL"
    bound = "at least" if check.at_least else "at most"
    return f"{verdict}  {check.name}: {check.value:.4g} ({bound} {check.limit:g}) {check.unit}"


def main(options: Options) -> int:
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    from carrom.physics.calibration.page.write import PAGE, write
    from carrom.physics.calibration.report import calibrate

    if options.report:
        checks = write(options.root, quick=options.quick)
        failed = [check for check in checks if not check.passed]
        print(f"{PAGE} written: {len(checks)} demands, {len(failed)} fail")
        for check in failed:
            print(line(check))
        return int(bool(failed))
    checks = []
    for check in calibrate(quick=options.quick):
        checks.append(check)
        if not options.json:
            print(line(check), flush=True)
    if options.json:
        print(json.dumps([dataclasses.asdict(c) | {"passed": c.passed} for c in checks], indent=1))
    return 0 if all(check.passed for check in checks) else 1


if __name__ == "__main__":
    options = tyro.cli(Options, description=__doc__)
    sys.exit(run("calibrate", lambda: main(options)))

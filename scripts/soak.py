"""Play random boards by the hundred thousand, every ruling checked against the laws.

Usage: python scripts/soak.py [--singles N] [--doubles N] [--matches N] [--mujoco N] [--seed S]
       [--report docs/soak.md]

Exit status: 0, 1 when a ruling was wrong (the message says which board and stroke), 2 after a
bad option.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import tyro

from carrom.errors import ConfigError
from carrom.program import run
from carrom.soak.plans import plans
from carrom.soak.plans import run as run_plans
from carrom.soak.report import page, text
from carrom.soak.umpire import SoakError


@dataclass(frozen=True)
class Options:
    """Options of the soak."""

    singles: int = 100_000
    """Boards of singles, without physics."""
    doubles: int = 20_000
    """Boards of doubles, without physics."""
    matches: int = 2_000
    """Whole matches without physics, half of them doubles."""
    seed: int = 0
    """Of everything."""
    report: Path | None = None
    """Also write the figures to this page."""


def main() -> int:
    options = tyro.cli(Options, description=__doc__)
    return run("soak", lambda: _soak(options))


def _soak(options: Options) -> int:
    for name in ("singles", "doubles", "matches", "seed"):
        value = getattr(options, name)
        if value < 0:
            raise ConfigError(f"--{name} {value}: expected 0 or more")
    parts = []
    try:
        for part in run_plans(
            plans(options.singles, options.doubles, options.matches, options.seed)
        ):
            print(text([part]), flush=True)
            parts.append(part)
    except SoakError as error:
        print(f"soak: {error}", file=sys.stderr)
        return 1
    if not parts:
        raise ConfigError("nothing to play: expected at least one board or match")
    if options.report is not None:
        command = f"python scripts/soak.py --singles {options.singles} --doubles {options.doubles} "
        command += f"--matches {options.matches} --seed {options.seed}"
        options.report.write_text(page(parts, command))
    return 0


if __name__ == "__main__":
    sys.exit(main())

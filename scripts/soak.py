"""Play random boards by the hundred thousand, with and without physics, and check every ruling.

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
from carrom.render.backend import check_setting


@dataclass(frozen=True)
class Options:
    """Options of the soak."""

    singles: int = 100_000
    """Boards of singles, without physics."""
    doubles: int = 20_000
    """Boards of doubles, without physics."""
    matches: int = 2_000
    """Whole matches without physics, half of them doubles."""
    mujoco: int = 2_000
    """Boards of random agents on real strokes, about so many."""
    seed: int = 0
    """Of everything."""
    report: Path | None = None
    """Also write the figures to this page."""


_COUNTS = ("singles", "doubles", "matches", "mujoco", "seed")


def main() -> int:
    options = tyro.cli(Options, description=__doc__)
    return run("soak", lambda: _soak(options))


def _soak(options: Options) -> int:
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    from carrom.soak.plans import board_plans, umpire_plans
    from carrom.soak.plans import run as run_plans
    from carrom.soak.report import laws_text, page, text
    from carrom.soak.umpire import SoakError

    for name in _COUNTS:
        value = getattr(options, name)
        if value < 0:
            raise ConfigError(f"--{name} {value}: expected 0 or more")
    parts = []
    try:
        umpire = umpire_plans(options.singles, options.doubles, options.matches, options.seed)
        for part in run_plans([*umpire, *board_plans(options.mujoco, options.seed)]):
            print(text(part), flush=True)
            parts.append(part)
    except SoakError as error:
        print(f"soak: {error}", file=sys.stderr)
        return 1
    if not parts:
        raise ConfigError("nothing to play: expected at least one board or match")
    print(laws_text(parts))
    if options.report is not None:
        chosen = (f"--{name} {getattr(options, name)}" for name in _COUNTS)
        command = " ".join(["python scripts/soak.py", *chosen])
        options.report.write_text(page(parts, command))
    return 0


if __name__ == "__main__":
    sys.exit(main())

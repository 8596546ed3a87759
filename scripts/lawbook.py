"""Write docs/laws.md: law by law, what applies it, what tests it, or why it cannot arise.

Says what is wrong and writes nothing while a law is not covered. Exit status: 0, 1 when one is
not, or when --check finds the page stale.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from carrom.laws.coverage import coverage, faults
from carrom.laws.coverage_page import PAGE, page
from carrom.program import run

ROOT = Path(__file__).parents[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    arguments = parser.parse_args()
    return run("lawbook", lambda: _write(check=arguments.check))


def _write(*, check: bool) -> int:
    covered = coverage(ROOT)
    found = faults(covered)
    for fault in found:
        print(fault)
    if found:
        return 1
    file, text = ROOT / PAGE, page(covered)
    stale = not file.exists() or file.read_text() != text
    if check:
        print(f"{PAGE} is {'stale: run python scripts/lawbook.py' if stale else 'up to date'}")
        return int(stale)
    file.write_text(text)
    print(f"{PAGE} {'written' if stale else 'was up to date'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Ask the umpire: reads law cases, prints his rulings, or compares them with what is expected.

Each line of the file is a JSON object with the position before, the stroke, and optionally the
decision expected (see ``carrom.laws.cases``). Exit status: 0, 1 when a case failed, 2 when a
line is no case, or when there is none to check.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from carrom.errors import FactsError
from carrom.laws.cases import Case, differences, read_cases, report
from carrom.program import run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="JSON lines, or - for standard input")
    parser.add_argument("--check", action="store_true", help="compare with the decision expected")
    parser.add_argument("--mode", choices=("singles", "doubles"), help="only these cases")
    arguments = parser.parse_args()
    return run("umpire", lambda: _judge(arguments))


def _judge(arguments: argparse.Namespace) -> int:
    try:
        text = sys.stdin.read() if arguments.file == "-" else Path(arguments.file).read_text()
        cases = read_cases(text.splitlines())
    except (OSError, UnicodeDecodeError, FactsError) as error:
        raise FactsError(f"{arguments.file}: {error}") from None
    cases = [case for case in cases if arguments.mode in (None, case.mode)]
    if arguments.check:
        if not cases:
            kind = f"of {arguments.mode} " if arguments.mode else ""
            raise FactsError(f"{arguments.file}: no case {kind}to check: expected at least one")
        return _check(cases)
    for case in cases:
        print(json.dumps(report(case)))
    return 0


def _check(cases: list[Case]) -> int:
    failed = 0
    for case in cases:
        found = list(differences(case))
        failed += bool(found)
        for field, expected, got in found:
            print(f"{case.name}: {field}: expected {expected!r}, got {got!r}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

"""Ask the umpire: about a stroke in words, about a law, or by a file of law cases.

With a file, each line is a JSON object with the position before, the stroke, and optionally the
decision expected (see ``carrom.laws.cases``); prints the rulings, or compares them with what is
expected. With nothing at all, on a terminal, asks field by field.

Exit status: 0, 1 when a case failed, 2 when something is not understood, or when there is no
case to check.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from carrom.errors import ConfigError, FactsError
from carrom.laws.asking import HELP, answer, explain, umpire_a_board
from carrom.laws.cases import Case, differences, read_cases, report
from carrom.program import run


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"how to put a question to --stroke:\n\n{HELP}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("file", nargs="?", help="law cases, one a line, or - for standard input")
    what.add_argument("--stroke", metavar="WORDS", help="rule on a stroke described in words")
    what.add_argument("--explain", metavar="LAW", help="say what a law is about: 72.a, 72, A7")
    what.add_argument("--interactive", action="store_true", help="umpire a board, asking")
    parser.add_argument("--check", action="store_true", help="compare with the decision expected")
    parser.add_argument("--mode", choices=("singles", "doubles"), help="only these cases")
    arguments = parser.parse_args()
    return run("umpire", lambda: _work(arguments))


def _work(arguments: argparse.Namespace) -> int:
    if arguments.file is not None:
        return _judge(arguments)
    for option in ("check", "mode"):
        if getattr(arguments, option):
            raise ConfigError(f"--{option}: expected a file of cases with it")
    if arguments.stroke is not None:
        print(*answer(arguments.stroke), sep="\n")
    elif arguments.explain is not None:
        print(*explain(arguments.explain), sep="\n")
    elif arguments.interactive or sys.stdin.isatty():
        umpire_a_board(input, print)
    else:
        raise ConfigError("nothing to do: expected a file, --stroke, --explain or --interactive")
    return 0


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

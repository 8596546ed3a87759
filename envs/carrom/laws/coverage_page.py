"""The page that shows, law by law, what applies it and what tests it: ``docs/laws.md``.

The text depends on the sources alone: no dates, no absolute paths, no line numbers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import PurePosixPath

from carrom.board import Board, legal_range
from carrom.laws.coverage import CASE_TEST, CASES, Coverage
from carrom.laws.lawbook import CHAPTERS, number_of
from carrom.laws.register import Entry

PAGE = "docs/laws.md"
_COMMAND = "python scripts/lawbook.py"
_EQUIPMENT = "I. Equipment"
_HEAD = f"""# The laws, one by one

Written by `{_COMMAND}`; `{_COMMAND} --check` says whether it still agrees with the sources, and \
so does the test suite. Nothing here is kept by hand.

Every law of the book stands in one row: what it says, in our words; its kind; the functions, \
fields and constants that apply it, as links to the files that define them; and the tests that \
cite it with `pytest.mark.law`, with the worked cases of [law_cases.jsonl](../{CASES}), which \
[{CASE_TEST[1]}](../{CASE_TEST[0]}) runs. Only tests that always run are listed. A law \
that cannot arise has its reason instead; one that a caller can *tell* the umpire of has the \
event or the fact by which he does.

Kinds: **dimension**: numbers; **referee**: the umpire's rules; **decision**: players' choices; \
**match**: the course of boards, games and matches; **conduct**: of bodies, or of the \
organisation, which a simulated striker has none of.
"""


def page(coverage: Coverage) -> str:
    """The whole page, Markdown."""
    chapters = {_EQUIPMENT: [law for law in coverage.laws if law.startswith("I.")]} | {
        title: [law for law in coverage.laws if law[0].isdigit() and number_of(law) in numbers]
        for title, numbers in CHAPTERS.items()
    }
    parts = [_HEAD, _totals(coverage, chapters)]
    for title, laws in chapters.items():
        rows = [_law_row(coverage, law) for law in laws]
        parts.append(f"## {title}\n\n{_table(_LAW_COLUMNS, rows)}")
    for title, letter in (("Ambiguities", "A"), ("What the laws leave open", "U")):
        rows = [_reading_row(coverage, point) for point in coverage.readings if point[0] == letter]
        parts.append(f"## {title}\n\n{_table(_READING_COLUMNS, rows)}")
    return "\n".join(parts)


_LAW_COLUMNS = ("law", "says", "kind", "applied by", "tested by")
_READING_COLUMNS = ("no.", "on", "read as", "by", "tested by")


def _totals(coverage: Coverage, chapters: dict[str, list[str]]) -> str:
    rows = [_counts(title, coverage, laws) for title, laws in chapters.items()]
    every = [law for laws in chapters.values() for law in laws]
    rows.append(_counts("**all**", coverage, every))
    columns = ("chapter", "laws", "applied", "only told", "cannot arise", "left out", "tested")
    readings = [point for point in coverage.readings if coverage.tested(point)]
    return (
        f"{_table(columns, rows)}\n"
        f"Points in doubt: {len(coverage.readings)}, of which {len(readings)} are tested. "
        f"Worked cases: {len({case for cases in coverage.cases.values() for case in cases})}.\n"
    )


def _counts(title: str, coverage: Coverage, laws: list[str]) -> list[str]:
    entries = [coverage.entries[law] for law in laws]
    told = [e for e in entries if not e.applied_by and e.told_by]
    never = [e for e in entries if not e.applied_by and not e.told_by]
    counts = (
        len(laws),
        sum(bool(e.applied_by) for e in entries),
        len(told),
        sum(not e.applicable for e in never),
        sum(e.applicable for e in never),
        sum(coverage.tested(law) for law in laws),
    )
    return [title, *map(str, counts)]


def _law_row(coverage: Coverage, law: str) -> list[str]:
    entry = coverage.entries[law]
    kinds = ", ".join(tag.value for tag in entry.tags)
    says = coverage.laws[law] + "".join(f"; {limits}" for limits in _limits(entry))
    return [law, says, kinds, _applied(coverage, entry), _tests(coverage, law)]


def _limits(entry: Entry) -> Iterator[str]:
    """The legal ranges of the dimensions that an item of the equipment is about."""
    for field in dataclasses.fields(Board):
        if f"carrom.board.Board.{field.name}" in entry.applied_by:
            low, high = legal_range(field.name)
            unit = "kg" if field.name.endswith("mass") else "m"
            yield f"{low:g} to {high:g} {unit}" if low < high else f"{low:g} {unit}"


def _applied(coverage: Coverage, entry: Entry) -> str:
    parts = [_link(coverage, name) for name in entry.applied_by]
    if entry.told_by:
        parts.append("told by " + ", ".join(_link(coverage, name) for name in entry.told_by))
    if entry.reason:
        parts.append(f"*{entry.reason}*")
    return "<br>".join(parts)


def _reading_row(coverage: Coverage, point: str) -> list[str]:
    reading = coverage.readings[point]
    by = "<br>".join(_link(coverage, name) for name in reading.done_by)
    return [point, reading.law, reading.resolution, by, _tests(coverage, point)]


def _link(coverage: Coverage, name: str) -> str:
    path, _ = coverage.locate(name)
    short = name.removeprefix("carrom.").removeprefix("laws.")
    return f"[`{short}`](../{path})"


def _tests(coverage: Coverage, law: str) -> str:
    files = groupby(coverage.tests_of(law), key=lambda test: test.path)
    parts = [
        f"[{PurePosixPath(path).stem}](../{path}): {', '.join(test.name for test in tests)}"
        for path, tests in files
    ]
    cases = len(coverage.cases.get(law, ()))
    if cases:
        parts.append(f"{cases} worked case{'s' if cases > 1 else ''}")
    return "<br>".join(parts)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)

"""The figures of soaks in words, for a terminal or as a page."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from carrom.laws import LAWS, MatchFormat
from carrom.soak.citable import citable
from carrom.soak.figures import Figures

_PAGE = 4096
_MEBIBYTE = 2**20


@dataclass(frozen=True)
class Part:
    """One soak of several.

    Attributes:
        name: what was played.
        format: singles or doubles, with or without a limit of boards.
        figures: what was seen.
        seconds: how long it took, compilation included.
        resident: bytes of memory before, or after a warm-up, and at the end.
        since: when the first of these was taken.
        notes: more to say, a sentence each.
    """

    name: str
    format: MatchFormat
    figures: Figures
    seconds: float
    resident: tuple[int, int]
    since: str = "before"
    notes: tuple[str, ...] = ()


def resident_bytes() -> int:
    """Memory of this process that is in RAM, bytes (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE


def lines(part: Part) -> list[str]:
    """The figures of one soak, a sentence each."""
    figures = part.figures
    lengths = [int(n) for n in figures.lengths]
    before, after = (size / _MEBIBYTE for size in part.resident)
    matches = f" of {figures.matches:,} matches" if figures.matches else ""
    said = [
        f"{figures.boards:,} boards{matches}, {figures.strokes:,} strokes; every demand was met",
        f"strokes a board: mean {statistics.fmean(lengths):.1f}, "
        f"median {statistics.median(lengths):g}, most {max(lengths):,}",
        f"cut off by the limit of strokes: {_share(figures.cut, figures.boards)}",
        f"{part.seconds:,.0f} s, {figures.strokes / part.seconds:,.0f} strokes/s; "
        f"resident memory {before:,.0f} MiB {part.since}, {after:,.0f} MiB at the end",
    ]
    return [*said, *part.notes]


def text(part: Part) -> str:
    """One soak for a terminal."""
    said = [f"{part.name}:", *(f"  {line}" for line in lines(part)), "  ended by:"]
    for law, count in sorted(part.figures.causes.items(), key=lambda item: -item[1]):
        said.append(f"    {law:6} {_share(count, part.figures.boards):>9}  {LAWS[law]}")
    return "\n".join(said)


def laws_text(parts: Sequence[Part]) -> str:
    """How often each law was cited in all of them, for a terminal."""
    totals = {law: sum(part.figures.cited.get(law, 0) for part in parts) for law in LAWS}
    cited = ", ".join(f"{law} {count:,}" for law, count in totals.items() if count)
    return f"laws cited: {cited}\nnever cited: {', '.join(never_cited(parts)) or 'none'}"


def page(parts: Sequence[Part], command: str) -> str:
    """All of it as a page of documentation.

    Args:
        parts: the soaks.
        command: what has been run.
    """
    said = [
        "# Soaks",
        "",
        "Random boards, from the rack to the end, with everything that can happen in them. At "
        "every stroke the umpire's ruling is compared with what `envs/carrom/soak` demands, "
        "which is written from the laws and uses none of the umpire's functions: the rows of "
        "the tables, conservation of carrommen, debts and their payment, the queen, turns and "
        "seats, who places, points and scores, games, matches and changes of sides. The first "
        "demand that is not met ends the run with the number of the board and of the stroke, "
        "from which that board can be played again.",
        "",
        f"Written by `{command}`.",
    ]
    for number, part in enumerate(parts, 1):
        said += ["", f"## {number}. {part.name}", "", *(f"- {line}" for line in lines(part))]
    said += ["", "## How boards ended", "", *_table_of_ends(parts)]
    said += ["", "## Laws cited", "", *_table_of_laws(parts)]
    said += [
        "",
        f"Never cited although they can be: {', '.join(never_cited(parts)) or 'none'}.",
        "",
    ]
    return "\n".join(said)


def never_cited(parts: Sequence[Part]) -> list[str]:
    """Laws that could have been cited in some part, but never were in any."""
    possible = {law for part in parts for law in citable(part.format)}
    seen = {law for part in parts for law in part.figures.cited}
    return [law for law in LAWS if law in possible - seen]


def _table_of_ends(parts: Sequence[Part]) -> list[str]:
    rows = _table_head(parts, "share of boards that ended, or were void, by; in soak")
    laws = {law for part in parts for law in part.figures.causes}
    for law in LAWS:
        if law in laws:
            cells = [_share(p.figures.causes.get(law, 0), p.figures.boards) for p in parts]
            rows.append(f"| {law}: {LAWS[law]} | {' | '.join(cells)} |")
    cells = [_share(part.figures.cut, part.figures.boards) for part in parts]
    return [*rows, f"| cut off by the limit of strokes (no law) | {' | '.join(cells)} |"]


def _table_of_laws(parts: Sequence[Part]) -> list[str]:
    rows = _table_head(parts, "times cited; in soak")
    for law in LAWS:
        counts = [part.figures.cited.get(law, 0) for part in parts]
        if any(counts):
            rows.append(f"| {law} | {' | '.join(f'{count:,}' for count in counts)} |")
    return rows


def _table_head(parts: Sequence[Part], what: str) -> list[str]:
    return [
        f"| {what} | {' | '.join(part.name for part in parts)} |",
        "|---" * (len(parts) + 1) + "|",
    ]


def _share(count: int, whole: int) -> str:
    return f"{100 * count / whole:.3f} %" if whole else "0"

"""The whole page, and where it lies."""

from __future__ import annotations

from pathlib import Path

from carrom.board import Board
from carrom.physics.calibration.amounts import FULL, QUICK
from carrom.physics.calibration.check import Check
from carrom.physics.calibration.page import (
    agreement,
    breaks,
    impacts,
    model,
    numerics,
    pockets,
    runs,
    sliding,
)
from carrom.physics.calibration.page.section import PICTURE_FOLDER, Section, demands

PAGE = "docs/physics.md"
_HEAD = """# The physics, measured

Written by `{command}`, which measures everything anew and ends with exit status 1 if a demand is \
not met; no number here is kept by hand, and the same program writes the same text. How fast the \
engines are is not measured here but by `python scripts/benchmark.py`.

{verdict}

- [1. The model](#1-the-model): laws, parameters, and what they are worth
- 2 to 4: parts by themselves, against closed forms
- 5 to 7: whole strokes: engine against engine, breaks, an independent reference
- 8: what the laws of the game say
- [9. Every demand](#9-every-demand), each with its number, how many cases, and a verdict
- [10. Where it ends](#10-where-it-ends)
"""
_END = """- No parameter has been measured on a board (section 1).
- The scene is planar: discs do not tip, jump, stack or stand in a pocket's mouth, and a rim has \
no height (section 4).
- A spinning disc of the planar engine covers the right way in a time up to 14 % off (section 2).
- Impulses are another model of a rack (section 6).
- Single strokes of many impacts are chaotic: engines, precisions and machines agree on their \
distribution, not on their ends (sections 5 and 7).
- Discs that unequal braking presses together part at 1 mm/s in the planar engine; in MuJoCo's, \
contacts slower than that are no impacts."""


def write(root: Path, *, quick: bool = False, board: Board | None = None) -> list[Check]:
    """Measure, and write the page and its pictures.

    Args:
        root: folder under which ``docs`` lies.
        quick: few strokes: shows that the page can be made, not that the physics is right.
        board: regulation if not given.

    Returns:
        Every demand on the page.
    """
    board = Board() if board is None else board
    amounts = QUICK if quick else FULL
    sections = [
        model.section(board),
        *(
            chapter.section(board, amounts)
            for chapter in (sliding, impacts, pockets, agreement, breaks, numerics, runs)
        ),
    ]
    pictures = root / PICTURE_FOLDER
    pictures.mkdir(parents=True, exist_ok=True)
    for one in sections:
        for name, data in one.pictures.items():
            (pictures / name).write_bytes(data)
    (root / PAGE).write_text(page_of(sections, quick=quick), encoding="utf-8")
    return [check for one in sections for check in one.checks]


def page_of(sections: list[Section], *, quick: bool) -> str:
    """The page's text."""
    checks = [check for one in sections for check in one.checks]
    failed = sum(not check.passed for check in checks)
    verdict = f"**{len(checks)} demands, of which {failed} fail.**" if failed else (
        f"**{len(checks)} demands, all met.**"
    )  # fmt: skip
    command = "python scripts/calibrate.py --report" + (" --quick" if quick else "")
    parts = [_HEAD.format(command=command, verdict=verdict)]
    parts += [f"## {one.title}\n\n{one.text}\n" for one in sections]
    tables = [
        f"### {one.title.split('. ', 1)[1]}\n\n{demands(one.checks)}"
        for one in sections
        if one.checks
    ]
    parts.append("## 9. Every demand\n\n" + "\n\n".join(tables) + "\n")
    parts.append(f"## 10. Where it ends\n\n{_END}\n")
    return "\n".join(parts)

"""Parts of the page, and how numbers and tables are written."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from carrom.physics.calibration.check import Check

PICTURE_FOLDER = "docs/images"
MUJOCO_COLOUR, PLANAR_COLOUR, EXACT_COLOUR, OTHER_COLOUR = "C0", "C1", "0.25", "C2"


@dataclass(frozen=True)
class Section:
    """One chapter.

    Attributes:
        title: its heading.
        text: Markdown.
        checks: the demands measured for it.
        pictures: PNG files by name.
    """

    title: str
    text: str
    checks: tuple[Check, ...] = ()
    pictures: dict[str, bytes] = field(default_factory=dict)


def panels(count: int) -> tuple[Figure, list[Axes]]:
    """A figure with so many panels side by side."""
    # No pyplot: it would choose a window system, and keeps its figures for ever.
    figure = Figure(figsize=(4.2 * count, 3.4), layout="constrained", dpi=100)
    axes = [figure.add_subplot(1, count, k + 1) for k in range(count)]
    for one in axes:
        one.grid(alpha=0.3)
    return figure, axes


def png(figure: Figure) -> bytes:
    """The figure as a file; the same figure gives the same bytes."""
    target = io.BytesIO()
    FigureCanvasAgg(figure).print_png(target, metadata={"Software": None})
    return target.getvalue()


def picture(name: str, caption: str) -> str:
    """Markdown that shows a picture of the page, with its caption."""
    return f"![{caption}](images/{name})\n\n*{caption}*"


def number(value: float, digits: int = 3) -> str:
    """A number to so many digits, without a sign on zero."""
    return "0" if value == 0 else f"{value:.{digits}g}"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    head = [columns, ["---"] * len(columns)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [*head, *rows])


def demands(checks: Iterable[Check]) -> str:
    """One row for each check: demand, engine, measured, cases, verdict."""
    rows = []
    for check in checks:
        unit = f" {check.unit}" if check.unit else ""
        bound = "at least" if check.at_least else "at most"
        rows.append(
            (
                check.name,
                check.engine,
                f"{bound} {check.limit:g}{unit}",
                f"{number(check.value)}{unit}",
                f"{check.cases:,}",
                "passes" if check.passed else "**FAILS**",
            )
        )
    return table(("measured", "engine", "demand", "result", "cases", "verdict"), rows)

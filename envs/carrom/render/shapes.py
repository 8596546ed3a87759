"""What a diagram is made of: flat shapes in metres, and the colours it is drawn in.

Shapes know nothing of files: ``carrom.render.svg`` and ``carrom.render.plot`` write them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from carrom.render.style import DEFAULT_STYLE, RGB, Style

Points: TypeAlias = NDArray[np.float64]
"""Shape (n, 2), m, x to the right and y upwards."""


@dataclass(frozen=True)
class Disc:
    """A circle.

    Attributes:
        x, y: its centre, m.
        radius: to the middle of the edge, m.
        fill: inside, or None.
        edge: of the edge, or None.
        width: of the edge, m.
        dashed: whether the edge is.
    """

    x: float
    y: float
    radius: float
    fill: RGB | None = None
    edge: RGB | None = None
    width: float = 0.0015
    dashed: bool = False


@dataclass(frozen=True, eq=False)
class Polygon:
    """A filled area without an edge."""

    points: Points
    fill: RGB


@dataclass(frozen=True, eq=False)
class Line:
    """A line through points, with flat ends.

    Attributes:
        points: at least two.
        colour: of the line.
        width: m.
        dashed: whether it is.
        opacity: 0 to 1.
    """

    points: Points
    colour: RGB
    width: float
    dashed: bool = False
    opacity: float = 1.0


@dataclass(frozen=True)
class Label:
    """One line of text.

    Attributes:
        x, y: m; y of the base line, or of the middle if it is centred.
        text: plain; whoever writes it escapes it.
        size: of the letters, m.
        colour: of the letters.
        centred: about x and y, otherwise x is where it begins.
        bold: whether it is.
    """

    x: float
    y: float
    text: str
    size: float
    colour: RGB
    centred: bool = True
    bold: bool = False


Shape: TypeAlias = Disc | Polygon | Line | Label


def printable(text: str) -> str:
    """Text without what neither XML nor a font has: control characters, lone surrogates."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


@dataclass(frozen=True, eq=False)
class Drawing:
    """Shapes, the last on top, on a sheet.

    Attributes:
        shapes: what is drawn.
        left, low, right, high: edges of the sheet, m.
        paper: its colour.
        title: what it shows, for those who cannot see it.
    """

    shapes: tuple[Shape, ...]
    left: float
    low: float
    right: float
    high: float
    paper: RGB
    title: str


@dataclass(frozen=True)
class Theme:
    """Colours of a diagram.

    Attributes:
        style: of board and discs.
        paper: around the board.
        text: below the board.
        plan: a planned strike.
        badge: behind the numbers of what was pocketed.
    """

    style: Style
    paper: RGB
    text: RGB
    plan: RGB
    badge: RGB


THEMES = {
    "light": Theme(DEFAULT_STYLE, (255, 255, 255), (28, 28, 30), (16, 82, 190), (16, 110, 60)),
    "dark": Theme(
        Style(
            surface=(122, 96, 62),
            ink=(18, 14, 12),
            red=(150, 26, 32),
            frame=(58, 32, 20),
            net=(8, 8, 9),
        ),
        (18, 20, 24),
        (228, 228, 232),
        (150, 200, 255),
        (120, 220, 150),
    ),
}
"""Light paper, and dark paper with a board that does not dazzle."""

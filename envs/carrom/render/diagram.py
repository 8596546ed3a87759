"""Diagrams of a position, a planned strike or a played stroke, without OpenGL.

    from carrom.render.diagram import diagram
    diagram(env.view(), strike=carrom.Strike(0.05, 0.1, 2.0))     # shows itself in a notebook
    diagram(env.last_strokes[0], theme="dark").save("stroke.svg")

A stroke's paths are drawn if it has a film: make the environment with ``film_rate=60``, or
take strokes of a replay through ``carrom.replay.film_of``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from carrom.board import Board
from carrom.errors import BoardError, ConfigError, RenderError, one_of
from carrom.layout import Layout
from carrom.output import replacing
from carrom.physics.motion import Motion
from carrom.render.board_shapes import board_shapes
from carrom.render.diagram_source import StrikeLike, source_of
from carrom.render.shapes import THEMES, Drawing, Label, Shape, Theme
from carrom.render.stroke_shapes import disc_shapes, path_shapes, plan_shapes, pocketing_shapes
from carrom.render.svg import svg

_MARGIN = 0.012
_LETTERS, _LINE = 0.017, 0.024
"""Size of the letters below the board, and from line to line, m."""
_COLUMNS = 84
"""Letters in a line below the board."""
_LARGEST_PNG = 8192


class Diagram:
    """A drawing that shows itself in notebooks and saves itself.

    Args:
        drawing: what is drawn.
    """

    def __init__(self, drawing: Drawing) -> None:
        self.drawing = drawing

    @property
    def svg(self) -> str:
        """The diagram as an SVG document."""
        return svg(self.drawing)

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return f"<div>{self.svg}</div>"

    def save(self, path: str | Path, *, pixels: int = 1200) -> Path:
        """Write the diagram to a file.

        Args:
            path: where to; the suffix, .svg or .png, decides what is written. Missing folders
                are made.
            pixels: width of a PNG.

        Returns:
            The path.

        Raises:
            ConfigError: another suffix, or a bad width.
            RenderError: the file cannot be written.
        """
        target = Path(path)
        suffix = target.suffix.lower()
        if suffix not in (".svg", ".png"):
            raise ConfigError(f"diagram {str(target)!r}: expected a name ending in .svg or .png")
        if not (type(pixels) is int and 1 <= pixels <= _LARGEST_PNG):
            raise ConfigError(f"pixels = {pixels!r}: expected 1 to {_LARGEST_PNG}")
        try:
            with replacing(target) as unfinished:
                if suffix == ".svg":
                    unfinished.write_text(self.svg, encoding="utf-8")
                else:
                    # Matplotlib takes a moment to load, and SVG does without it.
                    from carrom.render.plot import save_png

                    save_png(self.drawing, unfinished, pixels)
        except OSError as error:
            raise RenderError(f"diagram {str(target)!r}: {error}") from error
        return target


def diagram(
    position: object,
    *,
    strike: StrikeLike | None = None,
    seat: int | None = None,
    motion: Motion | None = None,
    text: str | Sequence[str] | None = None,
    theme: str = "light",
    board: Board | None = None,
    title: str = "",
) -> Diagram:
    """Draw a position, and what is to be done or was done in it.

    Args:
        position: a ``Layout``; a ``View``, drawn as its player sees it; an environment or a
            table in play; or a stroke that was played, drawn with the position before it,
            its paths, what fell and the ruling.
        strike: a planned strike, in the frame of ``seat``: its direction, and as a dashed disc
            where the striker first touches something.
        seat: side of the board from which is struck, 0 to 3; by the position if not given.
        motion: what the discs did; its paths are drawn if it has a film.
        text: what stands below, a line or several; of a stroke the ruling, if not given.
        theme: "light" or "dark".
        board: dimensions, where the position does not tell them.
        title: above the text, and what a screen reader says.

    Raises:
        ConfigError: nothing that can be drawn, carrommen that do not lie on the board, a strike
            that cannot be made there, an unknown theme, or no such seat.
    """
    colours = THEMES[one_of("theme", theme, THEMES)]
    source = source_of(position)
    ground = board or source.board or Board()
    motion = motion if motion is not None else source.motion
    side = source.seat if seat is None else seat
    if side not in range(4):
        raise ConfigError(f"seat = {seat!r}: expected 0 to 3")
    _check(source.layout, strike, ground)
    lines = source.text if text is None else ((text,) if isinstance(text, str) else tuple(text))
    shapes = board_shapes(ground, colours.style)
    shot = strike if strike is not None else source.strike
    if motion is not None and motion.trajectory is not None:
        shapes += path_shapes(motion.trajectory, colours)
    shapes += disc_shapes(source.layout, ground, colours)
    if shot is not None:
        planned = strike is not None or motion is None
        shapes += plan_shapes(source.layout, shot, side, ground, colours, ghost=planned)
    if motion is not None:
        shapes += pocketing_shapes(source.layout, motion, ground, colours)
    return Diagram(_sheet(shapes, lines, title, ground, colours))


def _check(layout: Layout, strike: StrikeLike | None, board: Board) -> None:
    """Refuse what would be drawn beside the board; carrommen may lie over each other."""
    reach = board.half_side
    for index in np.flatnonzero(layout.on_board).tolist():
        x, y = layout.positions[index].tolist()
        if not max(abs(x), abs(y)) <= reach:  # also catches NaN
            raise ConfigError(
                f"carromman {index} at ({x}, {y}) m: expected |x| and |y| at most {reach:g}"
            )
    if strike is not None:
        try:
            strike.check(board)
        except BoardError as error:
            raise ConfigError(f"strike: {error}") from error


def _sheet(
    shapes: list[Shape], lines: Sequence[str], title: str, board: Board, theme: Theme
) -> Drawing:
    """The shapes with the lines of text below them."""
    edge = board.half_side + board.frame_width + _MARGIN
    wrapped = [
        (part, False)
        for line in lines
        for part in textwrap.wrap(line, _COLUMNS, subsequent_indent="    ") or [""]
    ]
    if title:
        wrapped = [(part, True) for part in textwrap.wrap(title, _COLUMNS)] + wrapped
    y = -edge - _LETTERS
    for part, bold in wrapped:
        # The indent of a continued line is not left to the renderer: SVG folds blanks.
        indent = 0.02 if part.startswith("    ") else 0.0
        left = -edge + _MARGIN + indent
        shapes.append(Label(left, y, part.strip(), _LETTERS, theme.text, False, bold))
        y -= _LINE
    low = -edge if not wrapped else y + _LINE - _LETTERS
    name = title or "Carrom board"
    return Drawing(tuple(shapes), -edge, low, edge, edge, theme.paper, name)

"""The playing surface as a picture: wood, and the markings as the laws draw them.

One side's markings are painted, antialiased, and turned on to the other three, so the four
sides are equal to the last pixel.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.render.style import RGB, Style

Distance = Callable[[NDArray[np.floating], NDArray[np.floating]], NDArray[np.floating]]
"""Signed distance in metres from the points (x, y) to the edge of a shape, negative inside."""

ARC_OPENING = math.radians(50)
"""Half the angle by which the arrow's arc stays open towards its pocket: our choice."""
HEAD_LENGTH, HEAD_HALF_WIDTH = 0.012, 0.0035
"""Size of the arrowheads, m: the laws give none."""


def surface_picture(board: Board, style: Style) -> NDArray[np.uint8]:
    """The playing surface seen from above, shape (n, n, 3), n = ``style.surface_pixels``.

    Row 0 is the side of seat 2, column 0 that of seat 3. The pockets are not painted.
    """
    n = style.surface_pixels
    black, red = _Canvas(n, board.side), _Canvas(n, board.side)
    _base_lines(board, black, red)
    _arrow(board, black)
    for canvas in (black, red):
        canvas.repeat_on_all_sides()
    thin = board.arrow_thickness
    black.paint(_ring(0.0, 0.0, board.outer_circle_diameter / 2 - thin / 2, thin))
    red.paint(_disc(0.0, 0.0, board.centre_circle_diameter / 2))
    picture = _wood(n, style.surface, style.grain, np.random.default_rng(0))
    black.print_on(picture, style.ink)
    red.print_on(picture, style.red)
    return picture.astype(np.uint8)


def disc_picture(face: RGB, groove: RGB, pixels: int) -> NDArray[np.uint8]:
    """A disc's face seen from above, shape (pixels, pixels, 3): two turned grooves."""
    canvas = _Canvas(pixels, 2.0)
    for radius, width in ((0.72, 0.09), (0.40, 0.05)):
        canvas.paint(_ring(0.0, 0.0, radius, width))
    return canvas.printed(face, groove)


def wood_picture(colour: RGB, grain: float, pixels: int) -> NDArray[np.uint8]:
    """Wood whose grain runs along the columns, shape (pixels, pixels, 3)."""
    return _wood(pixels, colour, grain, np.random.default_rng(1)).astype(np.uint8)


def net_picture(cord: RGB, hole: RGB, pixels: int) -> NDArray[np.uint8]:
    """One mesh of a net, shape (pixels, pixels, 3); it tiles."""
    canvas = _Canvas(pixels, 2.0)
    for slope in (1.0, -1.0):
        canvas.paint(lambda x, y, s=slope: np.abs(y - s * x) / math.sqrt(2) - np.float32(0.12))
    return canvas.printed(hole, cord)


def glow_picture(colour: RGB, edge: RGB, pixels: int) -> NDArray[np.uint8]:
    """A disc of one colour that fades into another towards its edge, (pixels, pixels, 3)."""
    middles = (np.arange(pixels) + 0.5) / pixels * 2 - 1
    away = np.clip(np.hypot(middles[None, :], middles[:, None]), 0, 1)[..., None]
    share = away * away * (3 - 2 * away)  # level in the middle and at the edge
    return (np.array(colour) * (1 - share) + np.array(edge) * share).astype(np.uint8)


def _base_lines(board: Board, black: _Canvas, red: _Canvas) -> None:
    """Seat 0's two lines and their two circles."""
    x, y, thin = board.base_circle_x, board.base_line_y, board.arrow_thickness
    low = -(board.half_side - board.base_line_from_frame)
    high = low + board.base_line_spacing
    black.paint(_box(-x, low, x, low + board.base_line_thickness))
    # The laws give the upper line no thickness: it is drawn as thin as the arrows.
    black.paint(_box(-x, high - thin, x, high))
    radius = board.base_circle_radius
    for centre in (-x, x):
        black.erase(_disc(centre, y, radius))
        black.paint(_ring(centre, y, radius - thin / 2, thin))
        red.paint(_disc(centre, y, board.base_circle_red_diameter / 2))


def _arrow(board: Board, black: _Canvas) -> None:
    """The arrow to seat 0's right pocket, with the arc at its start."""
    thin = board.arrow_thickness
    tip = math.sqrt(2) * board.pocket_offset - board.pocket_radius - board.arrow_tip_gap
    start = tip - board.arrow_length
    radius = board.arrow_arc_diameter / 2 - thin / 2

    def arc(u: NDArray[np.floating], v: NDArray[np.floating]) -> NDArray[np.floating]:
        ring = np.abs(np.hypot(u - start, v) - radius) - thin / 2
        opening = (u - start) * math.sin(ARC_OPENING) - np.abs(v) * math.cos(ARC_OPENING)
        return np.maximum(ring, opening)

    black.paint(_on_diagonal(_box(start, -thin / 2, tip - HEAD_LENGTH / 2, thin / 2)))
    black.paint(_on_diagonal(_head(tip, 0.0, 0.0)))
    black.paint(_on_diagonal(arc))
    for sign in (1, -1):
        # The head's middle lies on the circle, so a straight head follows the arc.
        lead = HEAD_LENGTH / 2 / radius
        angle = sign * (ARC_OPENING - lead)
        point = (start + radius * math.cos(angle), radius * math.sin(angle))
        black.paint(_on_diagonal(_head(*point, angle - sign * (math.pi / 2 - lead))))


class _Canvas:
    """How much of each pixel of a square is inked, from 0 to 1."""

    def __init__(self, pixels: int, side: float) -> None:
        self.ink = np.zeros((pixels, pixels), np.float32)
        self._pixel = side / pixels
        middles = (np.arange(pixels, dtype=np.float32) + 0.5) * self._pixel - side / 2
        self._x, self._y = middles[None, :], -middles[:, None]

    def paint(self, shape: Distance) -> None:
        for tile in self._tiles(shape):
            np.maximum(self.ink[tile], self._cover(shape, tile), out=self.ink[tile])

    def erase(self, shape: Distance) -> None:
        for tile in self._tiles(shape):
            np.minimum(self.ink[tile], 1 - self._cover(shape, tile), out=self.ink[tile])

    def repeat_on_all_sides(self) -> None:
        """Add what was painted turned by one, two and three quarters."""
        half = np.maximum(self.ink, np.rot90(self.ink, 2))
        self.ink = np.maximum(half, np.rot90(half))

    def print_on(self, picture: NDArray[np.float32], colour: RGB) -> None:
        """Colour the inked pixels of ``picture``, shape (n, n, 3), in place."""
        inked = np.nonzero(self.ink)
        cover = self.ink[inked][:, None]
        picture[inked] += cover * (np.array(colour, np.float32) - picture[inked])

    def printed(self, ground: RGB, colour: RGB) -> NDArray[np.uint8]:
        """A picture of the one colour on the other, shape (n, n, 3)."""
        picture = np.empty((*self.ink.shape, 3), np.float32)
        picture[:] = ground
        self.print_on(picture, colour)
        return picture.astype(np.uint8)

    def _tiles(self, shape: Distance) -> list[tuple[slice, slice]]:
        """The tiles the shape reaches: a distance cannot change faster than the place."""
        size = 64
        starts = range(0, len(self.ink), size)
        middles = [min(start + size // 2, len(self.ink) - 1) for start in starts]
        distances = shape(self._x[:, middles], self._y[middles])
        near = np.argwhere(distances < size * self._pixel)
        return [
            (slice(row * size, (row + 1) * size), slice(column * size, (column + 1) * size))
            for row, column in near
        ]

    def _cover(self, shape: Distance, tile: tuple[slice, slice]) -> NDArray[np.floating]:
        distance = shape(self._x[:, tile[1]], self._y[tile[0]])
        return np.clip(0.5 - distance / np.float32(self._pixel), 0, 1)


def _disc(centre_x: float, centre_y: float, radius: float) -> Distance:
    return lambda x, y: np.hypot(x - centre_x, y - centre_y) - radius


def _ring(centre_x: float, centre_y: float, radius: float, width: float) -> Distance:
    return lambda x, y: np.abs(np.hypot(x - centre_x, y - centre_y) - radius) - width / 2


def _box(left: float, low: float, right: float, high: float) -> Distance:
    return lambda x, y: np.maximum(np.maximum(left - x, x - right), np.maximum(low - y, y - high))


def _head(tip_x: float, tip_y: float, heading: float) -> Distance:
    """An arrowhead with its point at (tip_x, tip_y)."""
    cos, sin = math.cos(heading), math.sin(heading)
    flank = math.hypot(HEAD_LENGTH, HEAD_HALF_WIDTH)

    def distance(x: NDArray[np.floating], y: NDArray[np.floating]) -> NDArray[np.floating]:
        ahead = (x - tip_x) * cos + (y - tip_y) * sin
        aside = np.abs((y - tip_y) * cos - (x - tip_x) * sin)
        side = (aside * HEAD_LENGTH + ahead * HEAD_HALF_WIDTH) / flank
        return np.maximum(side, -ahead - HEAD_LENGTH)

    return distance


def _on_diagonal(shape: Distance) -> Distance:
    """A shape drawn with u along the diagonal to seat 0's right pocket and v to its left."""
    half = np.float32(math.sqrt(0.5))
    return lambda x, y: shape((x - y) * half, (x + y) * half)


def _wood(pixels: int, colour: RGB, grain: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """Streaks along the rows, of relative strength ``grain``; float32 (pixels, pixels, 3).

    Its right edge fits its left one.
    """
    knots = 8
    coarse = rng.normal(size=(pixels, knots))
    # Streaks are a few pixels wide and fade along the row.
    kernel = np.hanning(9)[1:-1] / np.hanning(9).sum()
    rows = np.column_stack([np.convolve(knot, kernel, "same") for knot in coarse.T])
    along = np.arange(pixels) * (knots / pixels)
    left = along.astype(int)
    part = along - left
    streaks = rows[:, left] * (1 - part) + rows[:, (left + 1) % knots] * part
    return ((1 + grain * streaks[..., None]) * np.array(colour)).astype(np.float32)

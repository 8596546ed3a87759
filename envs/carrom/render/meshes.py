"""The shapes of the drawing: surfaces spanned between rings of points. Drawn, never collided."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board

_CORNER_POINTS = 12
"""Segments of a quarter circle."""
_ROUND = 4 * _CORNER_POINTS
"""Segments of the large circles."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles with texture coordinates.

    Attributes:
        vertices: (V, 3), m.
        texture: (V, 2), from 0 to 1 over one copy of the picture, row 0 of it at 1.
        faces: (F, 3), indices into the vertices, counter-clockwise seen from outside.
    """

    vertices: NDArray[np.float64]
    texture: NDArray[np.float64]
    faces: NDArray[np.int64]


def disc(radius: float, thickness: float, segments: int = 32) -> Mesh:
    """A disc lying on z = 0 with a rounded upper edge; the picture covers its face."""
    bevel = thickness / 8
    profile = [(radius, 0.0), (radius, thickness - 2 * bevel)]
    profile += [(radius - 0.6 * bevel, thickness - 0.6 * bevel)]
    profile += [(radius - 2 * bevel, thickness), (0.0, thickness)]
    rings = _lathe(profile, segments)
    return _loft(rings, [ring[:, :2] / (2 * radius) + 0.5 for ring in rings])


def frame(board: Board, depth: float, thickness: float) -> Mesh:
    """The frame from ``depth`` below the playing surface up, its top edges bevelled.

    Its inner outline is a square whose corners follow the pockets (U15). It ends ``thickness``
    below the surface, so that the nets have room under it. The picture runs along the frame,
    twice per side.
    """
    top, bevel = board.frame_height, 0.003
    inside = (board.half_side, board.pocket_radius)
    outside = (board.half_side + board.frame_width, board.pocket_radius)
    profile = [(inside, 0.0, -thickness), (inside, 0.0, top - bevel), (inside, bevel, top)]
    profile += [(outside, -bevel, top), (outside, 0.0, top - bevel), (outside, 0.0, -depth)]
    # Seen from outside the frame, the rings must go from its outer side to its inner one.
    profile.reverse()
    outlines = [_rounded_square(half + out, radius + out) for (half, radius), out, _ in profile]
    rings = [
        np.column_stack([outline, np.full(len(outline), z)])
        for outline, (_, _, z) in zip(outlines, profile, strict=True)
    ]
    length = _lengths(rings[0])
    around = length * (8 / length[-1])
    across = _lengths(np.array([ring[0] for ring in rings])) / (board.side / 2)
    return _loft(rings, [np.column_stack([around, np.full(len(around), v)]) for v in across])


def surface(board: Board) -> Mesh:
    """The playing surface at z = 0 with its four round holes; the picture covers it."""
    half, radius, corner = board.half_side, board.pocket_radius, 2 * board.pocket_radius
    edge = half - corner
    patches = [
        [(-half, -edge), (half, -edge), (half, edge), (-half, edge)],
        [(-edge, edge), (edge, edge), (edge, half), (-edge, half)],
        [(-edge, -half), (edge, -half), (edge, -edge), (-edge, -edge)],
    ]
    flat = [np.array(patch) for patch in patches]
    faces = [np.array([[0, 1, 2], [0, 2, 3]]) + 4 * index for index in range(3)]
    points, triangles = np.concatenate(flat), np.concatenate(faces)
    circle = _circle(radius, _ROUND)
    square = circle * (radius / np.abs(circle).max(axis=1, keepdims=True))
    for centre in board.pocket_centres:
        hole = _stitch(2, len(circle)) + len(points)
        points = np.concatenate([points, square + centre, circle + centre])
        triangles = np.concatenate([triangles, hole])
    texture = points / board.side + 0.5
    return Mesh(np.column_stack([points, np.zeros(len(points))]), texture, triangles)


def rim(board: Board, thickness: float) -> Mesh:
    """The wall of a pocket whose centre is the origin, through a surface of ``thickness``."""
    rings = _lathe([(board.pocket_radius, 0.0), (board.pocket_radius, -thickness)], _ROUND)
    around = np.linspace(0, 1, len(rings[0]))
    return _loft(rings, [np.column_stack([around, np.full(len(around), v)]) for v in (0.0, 0.2)])


def net(board: Board, thickness: float, depth: float) -> Mesh:
    """The net below a pocket whose centre is the origin, seen from inside.

    It hangs from the lower side of the surface and is wider than the pocket, so that three
    carrommen lie in it side by side. The picture is one mesh of it.
    """
    radius, mesh = board.pocket_radius, 0.008
    drop = depth - thickness
    shape = [(1.0, 0.0), (1.35, 0.35), (1.6, 0.7), (1.5, 0.9), (1.2, 1.0)]
    profile = [(radius * wide, -thickness - drop * down) for wide, down in shape]
    rings = _lathe(profile, _ROUND)
    # A whole number of meshes around, or the cords would not meet.
    around = np.linspace(0, round(2 * math.pi * radius / mesh), len(rings[0]))
    down = _lengths(np.array([ring[0] for ring in rings])) / mesh
    side = _loft(rings, [np.column_stack([around, np.full(len(around), v)]) for v in down])
    # Cords that ran together in the middle would be a blot: the floor has meshes of its own.
    floor = _lathe([profile[-1], (0.0, profile[-1][1])], _ROUND)
    return _joined(side, _loft(floor, [ring[:, :2] / mesh for ring in floor]))


def plate(radius: float) -> Mesh:
    """A flat disc on z = 0, seen from above; the picture covers it."""
    rings = _lathe([(radius, 0.0), (0.0, 0.0)], _ROUND)
    return _loft(rings, [ring[:, :2] / (2 * radius) + 0.5 for ring in rings])


def _lathe(profile: list[tuple[float, float]], segments: int) -> list[NDArray[np.float64]]:
    """The rings that points (radius, height) draw when they turn about the z axis."""
    circle = _circle(1.0, segments)
    return [np.column_stack([r * circle, np.full(len(circle), z)]) for r, z in profile]


def _lengths(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Length of the path through ``points`` up to each of them, shape (n,)."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(steps)])


def _circle(radius: float, segments: int) -> NDArray[np.float64]:
    """A closed circle: the last point repeats the first, so that a picture can go round."""
    angle = np.linspace(0, 2 * math.pi, segments + 1)
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def _rounded_square(half: float, radius: float) -> NDArray[np.float64]:
    """A closed outline, counter-clockwise from the middle of the right side."""
    angle = np.linspace(0, math.pi / 2, _CORNER_POINTS + 1)
    corner = half - radius + radius * np.column_stack([np.cos(angle), np.sin(angle)])
    quarter = np.concatenate([[[half, 0.0]], corner])
    turns = [quarter @ np.array([[c, s], [-s, c]]) for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1))]
    return np.concatenate([*turns, quarter[:1]])


def _loft(rings: list[NDArray[np.float64]], texture: list[NDArray[np.float64]]) -> Mesh:
    """Span a surface between successive closed rings, each of shape (n, 3).

    With counter-clockwise rings that go inwards or upwards, it is seen from above or outside.
    """
    faces = _stitch(len(rings), len(rings[0]))
    return Mesh(np.concatenate(rings), np.concatenate(texture), faces)


def _joined(one: Mesh, other: Mesh) -> Mesh:
    """Both as one mesh."""
    return Mesh(
        np.concatenate([one.vertices, other.vertices]),
        np.concatenate([one.texture, other.texture]),
        np.concatenate([one.faces, other.faces + len(one.vertices)]),
    )


def _stitch(rings: int, points: int) -> NDArray[np.int64]:
    """Triangles between ``rings`` successive rings of ``points`` points each."""
    ring, point = np.mgrid[: rings - 1, : points - 1].reshape(2, -1)
    a = ring * points + point
    b, c, d = a + 1, a + 1 + points, a + points
    return np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])

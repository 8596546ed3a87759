"""The drawing scene: a board in MJCF that is looked at and never simulated.

Nothing in it collides; the 20 discs are mocap bodies, so a position is drawn by writing 20
places. The frame of reference is the board's (``carrom.board``) with z upwards from the
playing surface.
"""

from __future__ import annotations

import functools
import io
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from carrom.board import Board
from carrom.pieces import COLOURS, Colour
from carrom.render import markings, meshes
from carrom.render.style import DEFAULT_STYLE, RGB, Style

CAMERAS = ("top", "perspective", "player", "broadcast")
"""``top`` looks straight down, in parallel rays, on exactly the board with its frames, seat 0
at the lower edge. ``perspective`` stands behind and above seat 0, ``player`` is seat 0's eye,
``broadcast`` is high over the corner on seat 0's right; it is made for wide pictures."""

SURFACE_THICKNESS = 0.008
"""Of the plywood, m."""
NET_DEPTH = 0.034
"""How far the pockets' nets hang below the playing surface, m."""
FRAME_DEPTH = 0.048
"""How far the frames reach below the playing surface, m: to the table."""
TABLE_RADIUS = 1.15
"""Radius of the round table the board stands on, m; the lamp's light reaches its edge."""
_BROADCAST_EYE, _BROADCAST_AIM = (0.46, -1.08, 1.16), (0.02, -0.085, -0.02)
"""Where the broadcast camera stands, and the point it looks at, m."""
OUT_OF_SIGHT = -0.5
"""Height of the discs that are not drawn, m: below the table."""


@dataclass(frozen=True)
class Scene:
    """A scene ready for MuJoCo.

    Attributes:
        xml: the MJCF.
        assets: the files it refers to.
    """

    xml: str
    assets: dict[str, bytes]


def outer_side(board: Board) -> float:
    """Side of the board with its frames, m: what the ``top`` camera sees."""
    return board.side + 2 * board.frame_width


def disc_name(index: int) -> str:
    """Name of the mocap body of disc ``index``."""
    return f"disc {index}"


@functools.lru_cache(maxsize=2)
def drawing_scene(board: Board, style: Style = DEFAULT_STYLE) -> Scene:
    """The drawing scene of ``board``. Cached: painting it takes longer than drawing it.

    Args:
        board: gives every dimension the laws set.
        style: colours.
    """
    pictures = _pictures(board, style)
    shapes = {
        "surface": meshes.surface(board),
        "frame": meshes.frame(board, FRAME_DEPTH, SURFACE_THICKNESS),
        "rim": meshes.rim(board, SURFACE_THICKNESS),
        "net": meshes.net(board, SURFACE_THICKNESS, NET_DEPTH),
        "table": meshes.plate(TABLE_RADIUS),
        "carromman": meshes.disc(board.carromman_radius, board.carromman_thickness),
        # The laws give the striker no thickness.
        "striker": meshes.disc(board.striker_radius, board.carromman_thickness),
    }
    textures = [
        f'<texture name="{name}" type="2d" file="{name}.png"/>'
        f'<material name="{name}" texture="{name}" {_FINISH.get(name, _FINISH["disc"])}/>'
        for name in pictures
    ]
    pockets = [
        f'<geom type="mesh" mesh="{part}" material="{material}" pos="{x:.6g} {y:.6g} 0"/>'
        for x, y in board.pocket_centres
        for part, material in (("rim", "frame"), ("net", "net"))
    ]
    xml = f"""\
<mujoco model="carrom board">
  <compiler autolimits="true"/>
  <statistic center="0 0 0" extent="1"/>
  <visual>
    <headlight ambient=".36 .36 .36" diffuse=".14 .14 .14" specular="0 0 0"/>
    <rgba haze="{_rgb(style.room)} 1"/>
    <quality shadowsize="2048" offsamples="4" numslices="96"/>
    <map znear=".01" zfar="10"/>
  </visual>
  <default>
    <geom contype="0" conaffinity="0"/>
    <mesh inertia="shell"/>
  </default>
  <asset>
    <texture type="skybox" builtin="flat" rgb1="{_rgb(style.room)}" width="8" height="48"/>
    {_lines([*textures, *(_mesh(name, shape) for name, shape in shapes.items())])}
  </asset>
  <worldbody>
    <light name="lamp" type="spot" pos="0 0 1.1" dir="0 0 -1" cutoff="45" exponent="0"
      castshadow="true" ambient="0 0 0" diffuse=".51 .49 .46" specular=".2 .2 .2"/>
    <camera name="top" projection="orthographic" fovy="{outer_side(board):.6g}" pos="0 0 1"/>
    <camera name="perspective" fovy="36" pos="0 -1.22 1.18" xyaxes="1 0 0 0 .7071 .7071"/>
    <camera name="player" fovy="54" pos="0 -.85 .6" xyaxes="1 0 0 0 .6 .8"/>
    <camera name="broadcast" fovy="34" {_looking(_BROADCAST_EYE, _BROADCAST_AIM)}/>
    <geom type="mesh" mesh="table" material="table" pos="0 0 {-FRAME_DEPTH}"/>
    <geom type="mesh" mesh="surface" material="surface"/>
    <geom type="mesh" mesh="frame" material="frame"/>
    {_lines([*pockets, *(_disc(index) for index in range(len(COLOURS)))])}
  </worldbody>
</mujoco>
"""
    return Scene(xml, {f"{name}.png": _png(picture) for name, picture in pictures.items()})


_FINISH = {
    "surface": 'specular=".15" shininess=".4"',
    "frame": 'specular=".5" shininess=".6"',
    "net": 'specular="0" shininess="0"',
    "table": 'specular=".05" shininess=".2"',
    "disc": 'specular=".3" shininess=".5"',
}


def _pictures(board: Board, style: Style) -> dict[str, NDArray[np.uint8]]:
    """The picture of each material."""
    discs = {
        colour.name.lower(): markings.disc_picture(*style.discs[colour], 128) for colour in Colour
    }
    return {
        "surface": markings.surface_picture(board, style),
        "frame": markings.wood_picture(style.frame, 4 * style.grain, 256),
        "net": markings.net_picture(style.cord, style.net, 32),
        "table": markings.glow_picture(style.table, _lit(style.room), 256),
        **discs,
    }


def _lit(colour: RGB) -> RGB:
    """What looks like ``colour``, roughly, where little light falls on it."""
    red, green, blue = (min(round(1.5 * value), 255) for value in colour)
    return red, green, blue


def _disc(index: int) -> str:
    colour = Colour(COLOURS[index])
    shape = "striker" if colour == Colour.STRIKER else "carromman"
    return (
        f'<body name="{disc_name(index)}" mocap="true" pos="0 0 {OUT_OF_SIGHT}">'
        f'<geom type="mesh" mesh="{shape}" material="{colour.name.lower()}"/></body>'
    )


def _looking(eye: tuple[float, float, float], aim: tuple[float, float, float]) -> str:
    """Place and axes of a level camera at ``eye`` with ``aim`` in the middle of its picture."""
    back = np.subtract(eye, aim) / math.dist(eye, aim)
    right = np.array([-back[1], back[0], 0.0]) / math.hypot(back[0], back[1])
    axes = [*right, *np.cross(back, right)]
    return f'pos="{_numbers(eye)}" xyaxes="{_numbers(axes)}"'


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{value:.7g}" for value in values)


def _mesh(name: str, mesh: meshes.Mesh) -> str:
    vertices, texture, faces = (
        _numbers(array.ravel()) for array in (mesh.vertices, mesh.texture, mesh.faces)
    )
    return f'<mesh name="{name}" vertex="{vertices}" texcoord="{texture}" face="{faces}"/>'


def _rgb(colour: RGB) -> str:
    return " ".join(f"{value / 255:.4g}" for value in colour)


def _lines(elements: list[str]) -> str:
    return "\n    ".join(elements)


def _png(picture: NDArray[np.uint8]) -> bytes:
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG", compress_level=1)
    return file.getvalue()

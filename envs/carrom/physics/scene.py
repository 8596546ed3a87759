"""The MJCF of the physics: discs, frame, pocket corners and, if asked for, the ground.

A disc is a body on two slide joints with a sphere of the disc's radius; all centres are at
one height, so every contact is an exact circle-circle or circle-line contact. Each corner's
arc is one plane that the engine turns so that it is tangent where a disc is about to touch:
two discs cannot touch the same arc, and a tangent plane never cuts the convex board.

With ``ground="coulomb"`` the discs float and the engine applies the sliding friction. With
``ground="contact"`` friction is a MuJoCo contact too and the scene moves by itself: the rim
stays on a light parent body at fixed height, and a child that carries the mass stands on a
floor plane with a small foot. The floor contact has very low impedance: MuJoCo's convex
friction cone couples slip to lift, and with usual parameters a struck disc is thrown up.

Friction between rims is not in the scene: it is the engine's, from the normal impulses.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.errors import ConfigError
from carrom.physics.material import GRAVITY, Material
from carrom.pieces import N_DISCS, STRIKER
from carrom.rack import rack

Ground = Literal["coulomb", "contact"]

FRAME_NAMES = ("frame_east", "frame_north", "frame_west", "frame_south")
CORNER_NAMES = tuple(f"corner_{pocket}" for pocket in range(4))
"""Tangent planes of the corner arcs, in the order of ``Board.pocket_centres``."""

IMPACT_IMPEDANCE = 0.9999
"""MuJoCo's largest: with it a contact sets the acceleration it is asked for."""
FIXED_STEP = 0.5e-3
"""Time step of the scene that moves by itself, s."""
LIGHT = 1e-7
"""Mass of the parent body that carries the rim over the contact ground, kg."""

# A reset in mid-stroke would pass for an outcome; a warm start would make an impact depend,
# in its last bits, on the steps before it. The rest is what the scene has none of: leaving
# it out makes a break 8 % faster.
_FLAGS = " ".join(
    f'{feature}="disable"'
    for feature in (
        "autoreset", "warmstart", "sensor", "actuation", "equality", "frictionloss", "limit",
        "clampctrl", "spring", "damper", "eulerdamp", "midphase",
    )
)  # fmt: skip

_FOOT_RADIUS = 2e-3
# Stiffness and damping per unit of mass, and the rate of the friction rows, 1/s: the stiffest
# floor that neither throws discs up nor blows up at steps of up to 2 ms.
_FLOOR_STIFFNESS, _FLOOR_IMPEDANCE = 93000.0, 0.01
_FLOOR = (
    f'solref="{-_FLOOR_STIFFNESS} -610" '
    f'solimp="{_FLOOR_IMPEDANCE} {_FLOOR_IMPEDANCE} 0.001" solreffriction="0 -100"'
)
_FLOOR_PLANE = '<geom name="floor" type="plane" size="1 1 0.1" contype="0" conaffinity="0"/>'
_SUNK = (1 - _FLOOR_IMPEDANCE) * GRAVITY / _FLOOR_STIFFNESS
"""How deep a foot at rest stands in the floor, m."""


def disc_geom(index: int) -> str:
    """Name of the rim geom of disc ``index``."""
    return f"disc_{index}"


def ground_kind(name: str) -> Ground:
    """``name`` as a kind of ground.

    Raises:
        ConfigError: there is no such kind.
    """
    if name == "coulomb":
        return "coulomb"
    if name == "contact":
        return "contact"
    raise ConfigError(f"ground {name!r}: expected 'coulomb' or 'contact'")


def build_mjcf(
    board: Board,
    material: Material,
    ground: str = "coulomb",
    *,
    timestep: float = FIXED_STEP,
    positions: NDArray[np.float64] | None = None,
) -> str:
    """The physics scene as MJCF text.

    Args:
        board: geometry and masses.
        material: restitutions and, for the contact ground, the friction.
        ground: ``"coulomb"``: sliding friction is applied by the engine between steps;
            ``"contact"``: everything is in the scene.
        timestep: s. The restitutions are exact at this step only: who changes the step
            must rewrite ``solref`` (see ``impact_solref``).
        positions: (20, 2), where the discs start, m, in index order; if not given, the rack
            with the striker behind it. Joint coordinates are board coordinates in any case.

    Returns:
        XML.

    Raises:
        ConfigError: unknown ground.
    """
    contact = ground_kind(ground) == "contact"
    starts = _opening(board) if positions is None else positions
    gravity = f"0 0 {-GRAVITY if contact else 0.0}"
    return "\n".join(
        [
            '<mujoco model="carrom">',
            '<compiler angle="radian" autolimits="true"/>',
            f'<option timestep="{timestep!r}" gravity="{gravity}" integrator="Euler" '
            'solver="Newton" cone="elliptic" iterations="50" tolerance="1e-10">',
            f"<flag {_FLAGS}/></option>",
            '<size memory="16M"/>',
            f'<default><geom condim="1" solimp="{IMPACT_IMPEDANCE} {IMPACT_IMPEDANCE} 0.001"/>'
            "</default>",
            "<worldbody>",
            *_frame(board, material, timestep),
            *([_FLOOR_PLANE] if contact else []),
            *(
                _disc(board, material, index, starts[index].tolist(), timestep, contact)
                for index in range(N_DISCS)
            ),
            "</worldbody>",
            *(_floor_contacts(board, material) if contact else []),
            "</mujoco>",
        ]
    )


def impact_solref(restitution: float, timestep: float) -> tuple[float, float]:
    """``solref`` with which one Euler step turns a normal velocity v into -e v.

    Without stiffness and with damping (1 + e) / h the reference acceleration is
    -(1 + e) v / h, at any speed and step. Simultaneous contacts become a convex Newton
    impact problem, in which the energy cannot rise.
    """
    return 0.0, -(1.0 + restitution) / timestep


def _solref(restitution: float, timestep: float) -> str:
    stiffness, damping = impact_solref(restitution, timestep)
    return f'solref="{stiffness!r} {damping!r}"'


def _frame(board: Board, material: Material, timestep: float) -> list[str]:
    # Direct solrefs of equal priority mix by minimum; priorities keep each pair's own:
    # frame over striker over carromman.
    common = 'type="plane" size="1 1 0.1" contype="0" conaffinity="1" priority="2" ' + _solref(
        material.restitution_frame, timestep
    )
    planes = []
    for k, name in enumerate(FRAME_NAMES):
        nx, ny = math.cos(k * math.pi / 2), math.sin(k * math.pi / 2)
        planes.append(_plane(name, nx * board.half_side, ny * board.half_side, nx, ny, common))
    for name, (x, y) in zip(CORNER_NAMES, board.pocket_centres.tolist(), strict=True):
        nx, ny = math.copysign(math.sqrt(0.5), x), math.copysign(math.sqrt(0.5), y)
        r = board.pocket_radius
        planes.append(_plane(name, x + r * nx, y + r * ny, nx, ny, common))
    return planes


def _plane(name: str, x: float, y: float, nx: float, ny: float, common: str) -> str:
    return f'<geom name="{name}" pos="{x!r} {y!r} 0" zaxis="{-nx!r} {-ny!r} 0" {common}/>'


def _opening(board: Board) -> NDArray[np.float64]:
    carrommen = rack(board, np.random.default_rng(0))
    return np.concatenate([carrommen, [[0.0, board.base_line_y]]])


def _disc(
    board: Board,
    material: Material,
    index: int,
    start: list[float],
    timestep: float,
    contact: bool,
) -> str:
    radius, mass = float(board.radii[index]), float(board.masses[index])
    x, y = start
    striker = index == STRIKER
    restitution = material.restitution_striker if striker else material.restitution_carromman
    rim = (
        f'<geom name="{disc_geom(index)}" type="sphere" size="{radius!r}" '
        f'priority="{int(striker)}" {_solref(restitution, timestep)}/>'
    )
    slides = (
        f'<joint type="slide" axis="1 0 0" ref="{x!r}"/>'
        f'<joint type="slide" axis="0 1 0" ref="{y!r}"/>'
    )
    if not contact:
        return f'<body pos="{x!r} {y!r} 0">{slides}{_inertial(mass, radius)}{rim}</body>'
    foot = (
        f'<geom name="{_foot_geom(index)}" type="sphere" size="{_FOOT_RADIUS!r}" '
        f'pos="0 0 {_FOOT_RADIUS - _SUNK!r}" contype="0" conaffinity="0"/>'
    )
    return (
        f'<body pos="{x!r} {y!r} 0">{slides}<joint type="hinge" axis="0 0 1"/>'
        f"{_inertial(LIGHT, radius)}{rim}"
        f'<body><joint type="slide" axis="0 0 1"/>{_inertial(mass, radius)}{foot}</body></body>'
    )


def _foot_geom(index: int) -> str:
    return f"foot_{index}"


def _inertial(mass: float, radius: float) -> str:
    moment = mass * radius**2 / 2
    return f'<inertial pos="0 0 0" mass="{mass!r}" diaginertia="{moment!r} {moment!r} {moment!r}"/>'


def _floor_contacts(board: Board, material: Material) -> list[str]:
    pairs = []
    for index in range(N_DISCS):
        # A uniformly pressed disc that only spins has the friction torque 2/3 mu m g R.
        torsion = 2 / 3 * material.friction * float(board.radii[index])
        friction = f"{material.friction!r} {material.friction!r} {torsion!r} 0 0"
        pairs.append(
            f'<pair geom1="{_foot_geom(index)}" geom2="floor" condim="4" '
            f'friction="{friction}" {_FLOOR}/>'
        )
    return ["<contact>", *pairs, "</contact>"]

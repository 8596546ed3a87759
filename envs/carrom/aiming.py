"""The geometry of a direct shot: ghost disc, line to the pocket, speed needed.

Everything here is plane geometry and the closed forms of the physical model (sliding with
constant deceleration mu g, one impact with restitution along the line of centres and Coulomb
friction across it), so that a player, or the target coding of actions, can aim without
simulating. Points are arrays of shape (..., 2) in the striking seat's frame; leading axes
broadcast, so one call can weigh many shots. NumPy arrays give NumPy results; JAX arrays give
JAX results, also in compiled code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from numpy.typing import ArrayLike, NDArray

from carrom.board import Board
from carrom.physics.material import Material

Point = NDArray[np.float64]

_THROW_ITERATIONS = 6
"""The throw turns the ghost, which changes the cut and so the throw. Six rounds leave less than
0.1 degrees up to a cut of 75 degrees and from 0.1 m on (0.04 at worst in 6,000 random shots of
rim frictions up to 0.2; four left 0.19)."""


def as_complex(points: Any) -> Any:
    """Plane vectors (..., 2) as complex numbers (...), in which turning is multiplying."""
    if isinstance(points, jax.Array):
        return jax.lax.complex(points[..., 0], points[..., 1])
    points = np.asarray(points, np.float64)
    return points[..., 0] + 1j * points[..., 1]


def as_points(numbers: Any) -> Any:
    """The inverse of ``as_complex``."""
    return numbers.__array_namespace__().stack([numbers.real, numbers.imag], axis=-1)


def straight_place(board: Board, target: Any, aim: Any) -> Any:
    """Where the prolonged line from ``aim`` through ``target``, (2,) each, crosses the base line.

    From there the shot is straight. The result is limited to the ends of the base line; for
    a target that no straight shot from the base line can reach it is the nearer end.
    """
    xp = target.__array_namespace__()
    end = board.base_line_length / 2
    fall = aim[1] - target[1]
    slope = (aim[0] - target[0]) / xp.where(fall > 0, fall, 1.0)
    crossing = xp.clip(target[0] - slope * (target[1] - board.base_line_y), -end, end)
    # If the pocket is not beyond the target, there is no straight shot forwards.
    return xp.where(fall > 0, crossing, xp.copysign(end, target[0] - aim[0]))


@dataclass(frozen=True, eq=False)
class DirectShot:
    """Strikes that send a carromman straight to its aim; all fields have the same leading axes.

    Attributes:
        direction: of the strike, rad, counter-clockwise from straight ahead.
        speed: of the strike, m/s; may exceed what a player can give.
        cut: angle between the striker's way and the line of centres at the impact, rad; from
            pi / 2 on there is no such shot.
        ghost: (..., 2), the striker's centre at the impact.
        onward: (..., 2), m/s, the striker's velocity after the impact.
    """

    direction: NDArray[np.float64]
    speed: NDArray[np.float64]
    cut: NDArray[np.float64]
    ghost: Point
    onward: Point


def direct_shot(
    board: Board,
    material: Material,
    place: ArrayLike,
    target: Any,
    aim: Any,
    arrival: ArrayLike,
) -> DirectShot:
    """The direct shot from ``place`` that brings ``target`` to ``aim``.

    The carromman leaves along the line of centres, thrown towards the striker's side by rim
    friction: the tangent of the throw is min(mu_rim, tan(cut) / (3 (1 + e))), the second
    being the impulse that ends all slip between two solid discs. With its way d, the
    striker's way D, v_c^2 = arrival^2 + 2 mu g d and v_0^2 = v_s^2 + 2 mu g D, where
    v_c = v_s cos(cut) (1 + e) M / ((M + m) cos(throw)).

    Args:
        board: gives radii and masses.
        material: gives friction and restitution.
        place: (...), striker's x on the base line, m.
        target: (..., 2), centre of the carromman.
        aim: (..., 2), where it should go.
        arrival: (...), speed at which it should get there, m/s.
    """
    xp = target.__array_namespace__()
    touching = board.striker_radius + board.carromman_radius
    restitution = material.restitution_striker
    # The way to the aim, of length one, and the way from the striker to the carromman.
    to_aim_x, to_aim_y = aim[..., 0] - target[..., 0], aim[..., 1] - target[..., 1]
    distance = xp.sqrt(to_aim_x**2 + to_aim_y**2)
    way_x, way_y = to_aim_x / distance, to_aim_y / distance
    from_x, from_y = target[..., 0] - xp.asarray(place), target[..., 1] - board.base_line_y
    along, across = from_x * way_x + from_y * way_y, from_y * way_x - from_x * way_y
    # The line of centres is the way turned against the throw, whose tangent is found by
    # iteration; its secant keeps the line's length at one.
    throw, secant = xp.zeros_like(along), xp.ones_like(along)
    for _ in range(_THROW_ITERATIONS):
        before = xp.maximum(along - throw * across - touching * secant, 1e-6 * secant)
        slip = (across + throw * along) / (3 * (1 + restitution) * before)
        throw = xp.clip(slip, -material.friction_rim, material.friction_rim)
        secant = xp.sqrt(1 + throw**2)
    line_x, line_y = (way_x + throw * way_y) / secant, (way_y - throw * way_x) / secant
    run_x, run_y = from_x - touching * line_x, from_y - touching * line_y
    slide = xp.sqrt(run_x**2 + run_y**2)
    some_slide = xp.maximum(slide, 1e-9)
    cosine = (line_x * run_x + line_y * run_y) / some_slide
    decelerated = 2 * material.deceleration
    carromman_speed = xp.sqrt(xp.square(arrival) + decelerated * distance)
    mass_ratio = board.carromman_mass / board.striker_mass
    gain = (1 + restitution) / (1 + mass_ratio)
    # A cosine of zero or less is no shot at all: its speed is simply very large.
    impact = carromman_speed / (secant * gain * xp.maximum(cosine, 1e-3))
    left, lost = impact / some_slide, mass_ratio * carromman_speed
    ghost_x, ghost_y = target[..., 0] - touching * line_x, target[..., 1] - touching * line_y
    return DirectShot(
        direction=xp.arctan2(-run_x, run_y),
        speed=xp.sqrt(impact**2 + decelerated * slide),
        cut=xp.arccos(xp.clip(cosine, -1.0, 1.0)),
        ghost=xp.stack([ghost_x, ghost_y], axis=-1),
        onward=xp.stack([left * run_x - lost * way_x, left * run_y - lost * way_y], axis=-1),
    )

"""What MuJoCo's normal impulses bring with them: friction at the rims, touches, corner hops."""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

from carrom.physics.boundary import frame_gap, is_in_corner
from carrom.physics.model import CORNER_HOP
from carrom.physics.state import Record
from carrom.pieces import STRIKER


@numba.njit
def resolve_contacts(
    scene: Record,
    shot: Record,
    position: NDArray[np.float64],
    velocity: NDArray[np.float64],
    discs: NDArray[np.int64],
    geoms: NDArray[np.int32],
    normals: NDArray[np.float64],
    rows: NDArray[np.int32],
    forces: NDArray[np.float64],
) -> None:
    """Follow up the contacts of the MuJoCo step just made.

    Args:
        scene: ``SCENE`` record.
        shot: ``SHOT`` record; spins and touches are updated.
        position: (20, 2), m, after the step.
        velocity: (20, 2), m/s, after the step; updated.
        discs: disc of each geom, or -1, shape (n_geoms,).
        geoms: ``data.contact.geom``, (n, 2).
        normals: ``data.contact.frame``, (n, 9); the first three point from geom 1 to 2.
        rows: ``data.contact.efc_address``, (n,): the contact's row, -1 if it has no force.
        forces: ``data.efc_force``; without friction a contact has one row.
    """
    hardest = 0.0
    for k in range(len(geoms)):
        if rows[k] < 0 or forces[rows[k]] <= 0.0:
            continue
        impulse = forces[rows[k]] * shot.leg
        i, j = int(discs[geoms[k, 0]]), int(discs[geoms[k, 1]])
        if i < 0 and j < 0:
            continue
        _rub(scene, shot, velocity, i, j, normals[k, 0], normals[k, 1], impulse)
        if i < 0 or j < 0:
            disc = max(i, j)
            # A spring takes several steps to turn a disc round; only impacts are over now.
            if not shot.clustered and is_in_corner(position[disc, 0], position[disc, 1], scene):
                _hop(scene, position, velocity, disc)
            continue
        shot.touched[i] = shot.touched[j] = True
        if shot.first_touch < 0 or hardest > 0.0:
            other = i if j == STRIKER else j if i == STRIKER else -1
            if other >= 0 and impulse > hardest:
                shot.first_touch, hardest = other, impulse


@numba.njit
def _rub(
    scene: Record,
    shot: Record,
    velocity: NDArray[np.float64],
    i: int,
    j: int,
    nx: float,
    ny: float,
    impulse: float,
) -> None:
    """Tangential Coulomb impulse min(mu J_n, J_stick) against the slip.

    J_stick = |v_t| / (3 / m_i + 3 / m_j) for solid discs stops the slip of the two rims.
    Contacts are treated one after another, so each can only lower the energy.
    """
    spin, radius, mass = shot.spin, scene.radius, scene.mass
    tx, ty = -ny, nx
    slip = give = 0.0
    if i >= 0:
        give += 3.0 / mass[i]
        slip -= velocity[i, 0] * tx + velocity[i, 1] * ty + spin[i] * radius[i]
    if j >= 0:
        give += 3.0 / mass[j]
        slip += velocity[j, 0] * tx + velocity[j, 1] * ty - spin[j] * radius[j]
    friction = scene.friction_rim if i >= 0 and j >= 0 else scene.friction_frame
    rub = math.copysign(min(friction * impulse, abs(slip) / give), -slip)
    if i >= 0:
        velocity[i, 0] -= rub * tx / mass[i]
        velocity[i, 1] -= rub * ty / mass[i]
        spin[i] -= 2.0 * rub / (mass[i] * radius[i])
    if j >= 0:
        velocity[j, 0] += rub * tx / mass[j]
        velocity[j, 1] += rub * ty / mass[j]
        spin[j] -= 2.0 * rub / (mass[j] * radius[j])


@numba.njit
def _hop(
    scene: Record, position: NDArray[np.float64], velocity: NDArray[np.float64], i: int
) -> None:
    """Turn a velocity away from a corner's arc, to at least ``CORNER_HOP``, keeping its size."""
    _, nx, ny = frame_gap(position[i, 0], position[i, 1], scene.radius[i], scene)
    vx, vy = velocity[i, 0], velocity[i, 1]
    speed = math.sqrt(vx * vx + vy * vy)
    wanted = CORNER_HOP * speed
    if -(vx * nx + vy * ny) >= wanted:
        return
    along = math.copysign(math.sqrt(speed * speed - wanted * wanted), vy * nx - vx * ny)
    velocity[i, 0] = -wanted * nx - along * ny
    velocity[i, 1] = -wanted * ny + along * nx

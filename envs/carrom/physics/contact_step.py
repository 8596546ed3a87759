"""Preparing MuJoCo's model for a step with contact, and what is done after it."""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

from carrom.physics.boundary import frame_gap, is_in_corner, pocket_index, pocket_vector
from carrom.physics.cluster import SPRING_IMPEDANCE, contacts_last, deepest_overlap, push_apart
from carrom.physics.scene import IMPACT_IMPEDANCE
from carrom.physics.state import CORNER_SOLID, N_SOLIDS, Record, Views

_CORNER_REACH = 1e-4
"""A corner's plane is turned to a disc within this of the arc, m."""


@numba.njit
def enter_cluster(
    scene: Record,
    shot: Record,
    position: NDArray[np.float64],
    velocity: NDArray[np.float64],
    model: Views,
) -> None:
    """Let contacts be springs from now on."""
    geom_solref, geom_solimp, _, _, _, _ = model
    shot.clustered = True
    shot.n_clusters += 1
    push_apart(scene, shot, position)
    shot.cluster_energy = _energy(scene, shot, velocity)
    for k in range(N_SOLIDS):
        geom = scene.geom[k]
        geom_solref[geom, 0], geom_solref[geom, 1] = -scene.stiffness[k], -scene.damping[k]
        geom_solimp[geom, 0] = geom_solimp[geom, 1] = SPRING_IMPEDANCE


@numba.njit
def begin_contact(
    scene: Record,
    shot: Record,
    position: NDArray[np.float64],
    velocity: NDArray[np.float64],
    model: Views,
) -> None:
    """Make MuJoCo's model ready for the leg."""
    geom_solref, _, _, _, _, _ = model
    if not shot.clustered:
        for k in range(N_SOLIDS):
            geom_solref[scene.geom[k], 0] = 0.0
            geom_solref[scene.geom[k], 1] = -scene.bounce[k] / shot.leg
        shot.energy_before = _energy(scene, shot, velocity)
    _turn_corners(scene, shot, position, model)
    shot.n_steps += 1
    shot.stepping = True


@numba.njit
def _turn_corners(scene: Record, shot: Record, position: NDArray[np.float64], model: Views) -> None:
    """Turn each corner's plane tangent to the arc where a disc is near it."""
    _, _, _, _, geom_pos, geom_quat = model
    for i in range(len(scene.radius)):
        if not shot.in_play[i] or not is_in_corner(position[i, 0], position[i, 1], scene):
            continue
        gap, nx, ny = frame_gap(position[i, 0], position[i, 1], scene.radius[i], scene)
        if gap > _CORNER_REACH:
            continue
        x, y = pocket_vector(position[i, 0], position[i, 1], scene)
        geom = scene.geom[CORNER_SOLID + pocket_index(position[i, 0], position[i, 1])]
        geom_pos[geom, 0] = position[i, 0] - x + scene.pocket_radius * nx
        geom_pos[geom, 1] = position[i, 1] - y + scene.pocket_radius * ny
        # The quaternion that turns the z axis, a plane's normal, to (-nx, -ny, 0).
        geom_quat[geom, 0] = math.sqrt(0.5)
        geom_quat[geom, 1] = ny * math.sqrt(0.5)
        geom_quat[geom, 2] = -nx * math.sqrt(0.5)
        geom_quat[geom, 3] = 0.0


@numba.njit
def end_contact(
    scene: Record,
    shot: Record,
    position: NDArray[np.float64],
    velocity: NDArray[np.float64],
    model: Views,
) -> None:
    """Keep the accounts of energy, and leave a cluster in which no collision lasts."""
    if not shot.clustered:
        gain = _energy(scene, shot, velocity) - shot.energy_before
        shot.impact_gain = max(shot.impact_gain, gain)
        return
    shot.overlap = max(shot.overlap, deepest_overlap(scene, shot, position))
    if contacts_last(scene, shot, position, velocity):
        return
    shot.clustered = False
    gain = _energy(scene, shot, velocity) - shot.cluster_energy
    shot.cluster_gain = max(shot.cluster_gain, gain)
    _, geom_solimp, _, _, _, _ = model
    for k in range(N_SOLIDS):
        geom = scene.geom[k]
        geom_solimp[geom, 0] = geom_solimp[geom, 1] = IMPACT_IMPEDANCE


@numba.njit
def _energy(scene: Record, shot: Record, velocity: NDArray[np.float64]) -> float:
    """Kinetic energy of the discs in play, J."""
    energy = 0.0
    for i in range(len(scene.radius)):
        if shot.in_play[i]:
            rim = scene.radius[i] * shot.spin[i]
            speed2 = velocity[i, 0] ** 2 + velocity[i, 1] ** 2
            energy += scene.mass[i] * (0.5 * speed2 + 0.25 * rim * rim)
    return energy

"""Falling into a pocket, and being out of play."""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

from carrom.physics.boundary import pocket_index, pocket_vector
from carrom.physics.state import PARKED, Record, Views


@numba.njit
def falls(scene: Record, shot: Record, position: NDArray[np.float64], i: int) -> bool:
    """Keep the clock of a disc over a pocket; whether its time is up.

    A disc is pocketed when its centre has been inside the fall circle for ``fall_time``; one
    that leaves it earlier plays on.
    """
    x, y = pocket_vector(position[i, 0], position[i, 1], scene)
    radius = scene.fall_radius[i]
    distance2 = x * x + y * y
    if distance2 >= radius * radius:
        shot.over_pocket[i] = False
        return False
    if not shot.over_pocket[i]:
        shot.over_pocket[i] = True
        # The crossing lies inside the leg just made.
        distance = math.sqrt(distance2)
        inward = -(
            (position[i, 0] - shot.start[i, 0]) * x + (position[i, 1] - shot.start[i, 1]) * y
        )
        late = shot.leg
        if inward > 0.0:
            late = min(late, (radius - distance) * distance / inward * shot.leg)
        shot.entered[i] = shot.time - late
    return shot.time >= shot.entered[i] + scene.fall_time - 1e-9


@numba.njit
def remove(
    scene: Record,
    shot: Record,
    position: NDArray[np.float64],
    velocity: NDArray[np.float64],
    model: Views,
    i: int,
) -> None:
    """Record a fall and take the disc out of play."""
    rank = shot.n_fallen
    shot.n_fallen = rank + 1
    shot.fallen[rank] = i
    shot.pocket[rank] = pocket_index(position[i, 0], position[i, 1])
    shot.fall_time[rank] = max(shot.entered[i] + scene.fall_time, 0.0)
    shot.last_place[i, 0], shot.last_place[i, 1] = position[i, 0], position[i, 1]
    park(scene, shot, position, velocity, model, i)


@numba.njit
def park(
    scene: Record,
    shot: Record,
    position: NDArray[np.float64],
    velocity: NDArray[np.float64],
    model: Views,
    i: int,
) -> None:
    """Put disc ``i`` where nothing touches it."""
    _, _, geom_contype, geom_conaffinity, _, _ = model
    shot.in_play[i] = shot.over_pocket[i] = False
    position[i, 0] = position[i, 1] = PARKED + i
    velocity[i, 0] = velocity[i, 1] = shot.spin[i] = 0.0
    geom_contype[scene.geom[i]] = geom_conaffinity[scene.geom[i]] = 0

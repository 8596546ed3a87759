"""The arrays that a stroke is computed on, as two structured records.

Records rather than Python objects: the kernels read and write them without the interpreter,
and passing one costs the same however many fields it has.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from carrom.physics.sliding import TABLE_SIZE
from carrom.pieces import N_DISCS

N_SOLIDS = N_DISCS + 8
"""Bodies that bounce: the discs in index order, four frames, four corner planes."""
CORNER_SOLID = N_DISCS + 4
"""Index of the first corner plane among the solids."""

FLAG = np.uint8
"""A truth value: numba knows no arrays of booleans inside a record."""

SCENE = np.dtype(
    [
        # geometry and masses, m and kg
        ("radius", np.float64, (N_DISCS,)),
        ("mass", np.float64, (N_DISCS,)),
        ("fall_radius", np.float64, (N_DISCS,)),  # of the circle inside which a disc falls
        ("half_side", np.float64),
        ("pocket_offset", np.float64),
        ("pocket_radius", np.float64),
        # the ground
        ("deceleration", np.float64),  # mu g; 0 when MuJoCo has the ground, m/s^2
        ("largest_deceleration", np.float64),  # mu g, whoever applies it, m/s^2
        ("farkas", np.float64, (2, TABLE_SIZE)),
        # contacts, per solid
        ("geom", np.int64, (N_SOLIDS,)),  # MuJoCo's geom
        ("bounce", np.float64, (N_SOLIDS,)),  # 1 + restitution
        ("stiffness", np.float64, (N_SOLIDS,)),  # of the spring, per mass, 1/s^2
        ("damping", np.float64, (N_SOLIDS,)),  # of the spring, per mass, 1/s
        ("friction_rim", np.float64),
        ("friction_frame", np.float64),
        ("contact_time", np.float64),  # s
        ("fall_time", np.float64),  # s
        # stepping
        ("longest_leg", np.float64),  # s
        ("near_leg", np.float64),  # longest leg while discs nearly touch, s
        ("spring_step", np.float64),  # s
        ("springs", np.bool_),  # overlapping contacts are springs, not impacts
        ("skip", np.bool_),  # legs without contact are made without MuJoCo
        ("stop_speed", np.float64),  # slower than this is at rest, m/s
        ("time_limit", np.float64),  # s
        ("leg_limit", np.int64),
    ],
    align=True,
)
"""What does not change during a stroke."""

SHOT = np.dtype(
    [
        ("time", np.float64),  # since the strike, s
        ("stop_time", np.float64),  # not to be gone beyond, s
        ("leg", np.float64),  # length of the leg under way, s
        ("stepping", np.bool_),  # MuJoCo makes the leg under way
        ("clustered", np.bool_),  # contacts are springs
        ("spin", np.float64, (N_DISCS,)),  # rad/s, counter-clockwise
        ("in_play", FLAG, (N_DISCS,)),
        # the leg under way, at its start
        ("start", np.float64, (N_DISCS, 2)),  # m
        ("start_velocity", np.float64, (N_DISCS, 2)),  # m/s
        # pockets
        ("over_pocket", FLAG, (N_DISCS,)),  # inside the fall circle
        ("entered", np.float64, (N_DISCS,)),  # when it came inside, s
        ("n_fallen", np.int64),
        ("fallen", np.int64, (N_DISCS,)),  # discs in order of falling
        ("pocket", np.int64, (N_DISCS,)),
        ("fall_time", np.float64, (N_DISCS,)),  # s after the strike
        ("last_place", np.float64, (N_DISCS, 2)),  # where it fell, m
        # touches
        ("first_touch", np.int64),  # carromman the striker touched first, or -1
        ("touched", FLAG, (N_DISCS,)),
        # the film
        ("film_period", np.float64),  # s between frames; 0 without a film
        ("n_frames", np.int64),
        # what the diagnostics report
        ("n_legs", np.int64),
        ("n_steps", np.int64),
        ("n_clusters", np.int64),
        ("energy_before", np.float64),  # at the start of the contact under way, J
        ("cluster_energy", np.float64),  # at the start of the cluster under way, J
        ("impact_gain", np.float64),  # largest gain of energy in an impact, J
        ("cluster_gain", np.float64),  # largest gain of energy in a cluster, J
        ("overlap", np.float64),  # deepest overlap in a cluster, m
    ],
    align=True,
)
"""What changes during a stroke, besides MuJoCo's positions and velocities."""

Record: TypeAlias = Any
"""One record of ``SCENE`` or ``SHOT`` as compiled code sees it, with attributes."""

Views: TypeAlias = tuple[
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.float64],
    NDArray[np.float64],
]
"""Of an MjModel: ``geom_solref, geom_solimp, geom_contype, geom_conaffinity, geom_pos,
geom_quat``, in this order."""

PARKED = 5.0
"""Fallen and absent discs wait at |x| and |y| beyond this, m."""

"""The loop around MuJoCo's step: everything between two steps in one compiled call.

A leg is the motion from one event to the next. Each disc drifts at its mean speed over the
leg, which is exact under constant deceleration; where nothing touches the kernel makes the
leg by itself, otherwise it stops and asks for ``mj_step``.
"""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

from carrom.physics.capture import falls, park, remove
from carrom.physics.cluster import contacts_overlap, deepest_overlap
from carrom.physics.contact_step import begin_contact, end_contact, enter_cluster
from carrom.physics.encounters import (
    NEAR,
    PRESSED,
    TOUCHING,
    largest_speed,
    next_encounter,
    time_to_fall,
)
from carrom.physics.film import expose
from carrom.physics.model import REST_SPEED, SPEED_LIMIT
from carrom.physics.scene import IMPACT_IMPEDANCE
from carrom.physics.sliding import mean_speed, slide
from carrom.physics.state import N_SOLIDS, Record, Views
from carrom.pieces import STRIKER

DONE, STEP, FILM_FULL, NONSENSE, TOO_LONG = 0, 1, 2, 3, 4
"""What ``advance`` returns."""

_OVERSHOOT = 1e-6
"""A leg goes this far past an event, at the fastest disc's speed, so that it has happened, m."""
_LEAST_TRAVEL = 5e-6
"""No free leg is shorter than the fastest disc takes for this, m."""
_IMPACT_TRAVEL = 1e-5
"""How far the fastest disc goes during the step that makes an impact, m."""
_PRESSED_LEG = 1e-3
"""Longest leg while discs are pressed together, s."""
_SLOWEST = 0.02
"""Floor for the speed that sets the length of impact steps, m/s."""


@numba.njit
def advance(
    scene: Record,
    shot: Record,
    position: NDArray[np.float64],
    velocity: NDArray[np.float64],
    model: Views,
    film: NDArray[np.float64],
    film_in_play: NDArray[np.bool_],
) -> int:
    """Finish the leg that MuJoCo stepped, if any, and go on until it must step again.

    Args:
        scene: ``SCENE`` record.
        shot: ``SHOT`` record.
        position: (20, 2), m; MuJoCo's own ``qpos``.
        velocity: (20, 2), m/s; MuJoCo's own ``qvel``.
        model: views of the MjModel: ``geom_solref, geom_solimp, geom_contype,
            geom_conaffinity, geom_pos, geom_quat``.
        film: (T, 20, 2) frames of the film; T = 0 without one.
        film_in_play: (T, 20).

    Returns:
        DONE: everything rests or the stop time is reached; STEP: call ``mj_step`` with
        timestep ``shot.leg``; FILM_FULL: call again with a longer film; NONSENSE: a speed is
        not finite or impossible; TOO_LONG: the limits of a stroke are reached.
    """
    if shot.stepping:
        shot.stepping = False
        end_contact(scene, shot, position, velocity, model)
        _end_leg(scene, shot, position, velocity, model, film, film_in_play)
    while True:
        if shot.time >= shot.stop_time or not _anything_moves(scene, shot, velocity):
            return DONE
        fastest = largest_speed(velocity)
        if not fastest < SPEED_LIMIT:
            return NONSENSE
        if shot.time > scene.time_limit or shot.n_legs >= scene.leg_limit:
            return TOO_LONG
        # Before anything is changed, so that the leg is the same when asked for again.
        film_end = len(film) * shot.film_period
        if shot.film_period > 0.0 and shot.time + scene.longest_leg >= film_end:
            return FILM_FULL
        contact = True
        leg = scene.spring_step
        if not shot.clustered:
            situation, time = next_encounter(scene, shot, position, velocity)
            contact = situation in (TOUCHING, PRESSED)
            leg = _leg_length(scene, situation, time, fastest)
            if (
                scene.springs
                and situation == TOUCHING
                and contacts_overlap(scene, shot, position, velocity)
            ):
                enter_cluster(scene, shot, position, velocity, model)
                leg = 0.5 * scene.spring_step
        leg = min(leg, max(time_to_fall(scene, shot), 1e-9))
        _begin_leg(scene, shot, position, velocity, leg)
        if contact or not scene.skip:
            begin_contact(scene, shot, position, velocity, model)
            return STEP
        for i in range(len(scene.radius)):
            position[i, 0] += leg * velocity[i, 0]
            position[i, 1] += leg * velocity[i, 1]
        _end_leg(scene, shot, position, velocity, model, film, film_in_play)


@numba.njit
def place(
    scene: Record,
    shot: Record,
    position: NDArray[np.float64],
    velocity: NDArray[np.float64],
    model: Views,
    new_position: NDArray[np.float64],
    in_play: NDArray[np.bool_],
    new_velocity: NDArray[np.float64],
    new_spin: NDArray[np.float64],
) -> float:
    """Set the discs out for a new stroke; nothing of earlier ones is left.

    Arguments as of ``advance``; the last four are the positions (20, 2), m, which discs are
    on the board (20,), velocities (20, 2), m/s, and spins (20,), rad/s. The record must be
    zeroed.

    Returns:
        The deepest overlap of two carrommen or of one and the frame, m, negative if there is
        none and infinite if a place is not a number. The striker may stand anywhere.
    """
    _, geom_solimp, geom_contype, geom_conaffinity, _, _ = model
    for k in range(N_SOLIDS):
        geom = scene.geom[k]
        geom_solimp[geom, 0] = geom_solimp[geom, 1] = IMPACT_IMPEDANCE
    shot.first_touch = -1
    for i in range(len(scene.radius)):
        if not in_play[i]:
            park(scene, shot, position, velocity, model, i)
            continue
        geom = scene.geom[i]
        geom_contype[geom] = geom_conaffinity[geom] = 1
        shot.in_play[i] = True
        shot.spin[i] = new_spin[i]
        for axis in range(2):
            position[i, axis] = new_position[i, axis]
            velocity[i, axis] = new_velocity[i, axis]
        falls(scene, shot, position, i)
    striker_in_play = shot.in_play[STRIKER]
    shot.in_play[STRIKER] = False
    overlap = deepest_overlap(scene, shot, position)
    shot.in_play[STRIKER] = striker_in_play
    for i in range(len(scene.radius)):
        if not math.isfinite(position[i, 0] + position[i, 1]):
            overlap = math.inf
    return overlap


@numba.njit
def _anything_moves(scene: Record, shot: Record, velocity: NDArray[np.float64]) -> bool:
    """Whether a disc moves, or rests where it is about to fall."""
    moves = False
    for i in range(len(scene.radius)):
        if shot.in_play[i]:
            vx, vy, spin = velocity[i, 0], velocity[i, 1], shot.spin[i]
            moves = moves or vx != 0.0 or vy != 0.0 or spin != 0.0 or shot.over_pocket[i] != 0
    return moves


@numba.njit
def _leg_length(scene: Record, situation: int, time: float, fastest: float) -> float:
    """Length of the next leg outside clusters, if nothing falls before its end, s."""
    if situation == TOUCHING:
        return _IMPACT_TRAVEL / max(fastest, _SLOWEST)
    leg = time + _OVERSHOOT / max(fastest, 1e-3)
    leg = max(leg, _LEAST_TRAVEL / max(fastest, _SLOWEST))
    if situation == PRESSED:
        leg = min(leg, _PRESSED_LEG)
    elif situation == NEAR:
        leg = min(leg, scene.near_leg)
    if scene.deceleration > 0.0 and fastest > 0.0:
        # Without spin everything rests after this; with spin the next leg goes on.
        leg = min(leg, fastest / scene.deceleration * (1.0 + 1e-9))
    return min(leg, scene.longest_leg)


@numba.njit
def _begin_leg(
    scene: Record,
    shot: Record,
    position: NDArray[np.float64],
    velocity: NDArray[np.float64],
    leg: float,
) -> None:
    """Set the velocities to their means over the leg."""
    shot.leg = leg
    shot.n_legs += 1
    for i in range(len(scene.radius)):
        vx, vy = velocity[i, 0], velocity[i, 1]
        shot.start[i, 0], shot.start[i, 1] = position[i, 0], position[i, 1]
        shot.start_velocity[i, 0], shot.start_velocity[i, 1] = vx, vy
        speed, rim = math.sqrt(vx * vx + vy * vy), scene.radius[i] * abs(shot.spin[i])
        if scene.deceleration > 0.0 and (speed > 0.0 or rim > 0.0):
            mean, middle = mean_speed(speed, rim, scene.deceleration, leg, scene.farkas)
            _rescale(scene, shot, velocity, i, speed, mean, rim, middle)


@numba.njit
def _rescale(
    scene: Record,
    shot: Record,
    velocity: NDArray[np.float64],
    i: int,
    speed: float,
    new_speed: float,
    rim: float,
    new_rim: float,
) -> None:
    if speed > 0.0:
        velocity[i, 0] *= new_speed / speed
        velocity[i, 1] *= new_speed / speed
    if rim > 0.0:
        shot.spin[i] *= new_rim / rim


@numba.njit
def _end_leg(
    scene: Record,
    shot: Record,
    position: NDArray[np.float64],
    velocity: NDArray[np.float64],
    model: Views,
    film: NDArray[np.float64],
    film_in_play: NDArray[np.bool_],
) -> None:
    """Take the velocities from their means to their ends, and see what fell or came to rest."""
    shot.time += shot.leg
    expose(shot, position, film, film_in_play)
    for i in range(len(scene.radius)):
        if not shot.in_play[i]:
            continue
        vx, vy = velocity[i, 0], velocity[i, 1]
        speed, rim = math.sqrt(vx * vx + vy * vy), scene.radius[i] * abs(shot.spin[i])
        if scene.deceleration > 0.0 and (speed > 0.0 or rim > 0.0):
            half = 0.5 * shot.leg
            end, end_rim = slide(speed, rim, scene.deceleration, half, scene.farkas)
            _rescale(scene, shot, velocity, i, speed, end, rim, end_rim)
            speed = end
        if speed < REST_SPEED:
            shot.spin[i] = 0.0
        if speed < scene.stop_speed:
            velocity[i, 0] = velocity[i, 1] = 0.0
        if falls(scene, shot, position, i):
            remove(scene, shot, position, velocity, model, i)

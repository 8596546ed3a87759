"""The loop around MuJoCo's step: everything between two steps in one compiled call.

A leg is the motion from one event to the next. Each disc drifts at its mean speed over the
leg, which is exact under constant deceleration; where nothing touches the kernel makes the
leg by itself, otherwise it stops and asks for ``mj_step``.
"""

from __future__ import annotations

import math

import numba

from carrom.physics.boundary import frame_gap, is_in_corner, pocket_index, pocket_vector
from carrom.physics.cluster import (
    SPRING_IMPEDANCE,
    contacts_overlap,
    deepest_overlap,
    push_apart,
)
from carrom.physics.encounters import (
    NEAR,
    PRESSED,
    TOUCHING,
    largest_speed,
    next_encounter,
    time_to_fall,
)
from carrom.physics.scene import IMPACT_IMPEDANCE
from carrom.physics.sliding import mean_speed, slide
from carrom.physics.state import CORNER_SOLID, N_SOLIDS, PARKED

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
_REST_SPEED = 5e-4
"""A disc slower than this loses its spin, m/s: the rest is straight and under 0.2 um."""
_SLOWEST = 0.02
"""Floor for the speed that sets the length of impact steps, m/s."""
_CORNER_REACH = 1e-4
"""A corner's plane is turned to a disc within this of the arc, m."""
_SPEED_LIMIT = 1e3
"""No disc of a computation that makes sense is faster, m/s."""


@numba.njit
def advance(scene, shot, position, velocity, model, film, film_in_play):
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
        _end_contact(scene, shot, position, velocity, model)
        _end_leg(scene, shot, position, velocity, model, film, film_in_play)
    while True:
        if shot.time >= shot.stop_time or not _anything_moves(scene, shot, velocity):
            return DONE
        fastest = largest_speed(velocity)
        if not fastest < _SPEED_LIMIT:
            return NONSENSE
        if shot.time > scene.time_limit or shot.n_legs >= scene.leg_limit:
            return TOO_LONG
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
                _enter_cluster(scene, shot, position, velocity, model)
                leg = 0.5 * scene.spring_step
        leg = min(leg, max(time_to_fall(scene, shot), 1e-9))
        if shot.film_period > 0.0 and shot.time + leg >= len(film) * shot.film_period:
            return FILM_FULL
        _begin_leg(scene, shot, position, velocity, leg)
        if contact or not scene.skip:
            _begin_contact(scene, shot, position, velocity, model)
            return STEP
        for i in range(len(scene.radius)):
            position[i, 0] += leg * velocity[i, 0]
            position[i, 1] += leg * velocity[i, 1]
        _end_leg(scene, shot, position, velocity, model, film, film_in_play)


@numba.njit
def place(scene, shot, position, velocity, model, new_position, in_play, new_velocity, new_spin):
    """Set the discs out for a new stroke; nothing of earlier ones is left.

    Arguments as of ``advance``; the last four are the positions (20, 2), m, which discs are
    on the board (20,), velocities (20, 2), m/s, and spins (20,), rad/s. The record must be
    zeroed.
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
        _falls(scene, shot, position, i)


@numba.njit
def _anything_moves(scene, shot, velocity):
    """Whether a disc moves, or rests where it is about to fall."""
    moves = False
    for i in range(len(scene.radius)):
        if shot.in_play[i]:
            vx, vy, spin = velocity[i, 0], velocity[i, 1], shot.spin[i]
            moves = moves or vx != 0.0 or vy != 0.0 or spin != 0.0 or shot.over_pocket[i] != 0
    return moves


@numba.njit
def _leg_length(scene, situation, time, fastest):
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
def _begin_leg(scene, shot, position, velocity, leg):
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
def _rescale(scene, shot, velocity, i, speed, new_speed, rim, new_rim):
    if speed > 0.0:
        velocity[i, 0] *= new_speed / speed
        velocity[i, 1] *= new_speed / speed
    if rim > 0.0:
        shot.spin[i] *= new_rim / rim


@numba.njit
def _end_leg(scene, shot, position, velocity, model, film, film_in_play):
    """Take the velocities from their means to their ends, and see what fell or came to rest."""
    shot.time += shot.leg
    _expose(scene, shot, position, film, film_in_play)
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
        if speed < _REST_SPEED:
            shot.spin[i] = 0.0
        if speed < scene.stop_speed:
            velocity[i, 0] = velocity[i, 1] = 0.0
        if _falls(scene, shot, position, i):
            _remove(scene, shot, position, velocity, model, i)


@numba.njit
def _falls(scene, shot, position, i):
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
def _remove(scene, shot, position, velocity, model, i):
    """Record a fall and take the disc out of play."""
    rank = shot.n_fallen
    shot.n_fallen = rank + 1
    shot.fallen[rank] = i
    shot.pocket[rank] = pocket_index(position[i, 0], position[i, 1])
    shot.fall_time[rank] = max(shot.entered[i] + scene.fall_time, 0.0)
    shot.last_place[i, 0], shot.last_place[i, 1] = position[i, 0], position[i, 1]
    park(scene, shot, position, velocity, model, i)


@numba.njit
def park(scene, shot, position, velocity, model, i):
    """Put disc ``i`` where nothing touches it."""
    _, _, geom_contype, geom_conaffinity, _, _ = model
    shot.in_play[i] = shot.over_pocket[i] = False
    position[i, 0] = position[i, 1] = PARKED + i
    velocity[i, 0] = velocity[i, 1] = shot.spin[i] = 0.0
    geom_contype[scene.geom[i]] = geom_conaffinity[scene.geom[i]] = 0


@numba.njit
def _expose(scene, shot, position, film, film_in_play):
    """Take the frames of the film that fall into the leg just made.

    Positions are quadratic in time through the leg's ends, exact at constant deceleration.
    """
    while shot.film_period > 0.0 and shot.n_frames * shot.film_period < shot.time:
        since = shot.n_frames * shot.film_period - (shot.time - shot.leg)
        part = since / shot.leg
        for i in range(len(scene.radius)):
            film_in_play[shot.n_frames, i] = shot.in_play[i]
            for axis in range(2):
                if shot.in_play[i]:
                    start, speed = shot.start[i, axis], shot.start_velocity[i, axis]
                    bend = position[i, axis] - start - speed * shot.leg
                    place = start + speed * since + bend * part * part
                else:
                    place = shot.last_place[i, axis]
                film[shot.n_frames, i, axis] = place
        shot.n_frames += 1


@numba.njit
def _energy(scene, shot, velocity):
    """Kinetic energy of the discs in play, J."""
    energy = 0.0
    for i in range(len(scene.radius)):
        if shot.in_play[i]:
            rim = scene.radius[i] * shot.spin[i]
            speed2 = velocity[i, 0] ** 2 + velocity[i, 1] ** 2
            energy += scene.mass[i] * (0.5 * speed2 + 0.25 * rim * rim)
    return energy


@numba.njit
def _enter_cluster(scene, shot, position, velocity, model):
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
def _begin_contact(scene, shot, position, velocity, model):
    """Make MuJoCo's model ready for the leg."""
    geom_solref, _, _, _, _, _ = model
    if not shot.clustered:
        for k in range(N_SOLIDS):
            geom_solref[scene.geom[k], 0] = 0.0
            geom_solref[scene.geom[k], 1] = -scene.bounce[k] / shot.leg
    _turn_corners(scene, shot, position, model)
    shot.energy_before = _energy(scene, shot, velocity)
    shot.n_steps += 1
    shot.stepping = True


@numba.njit
def _turn_corners(scene, shot, position, model):
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
def _end_contact(scene, shot, position, velocity, model):
    """Keep the accounts of energy, and leave a cluster in which nothing overlaps any more."""
    energy = _energy(scene, shot, velocity)
    if not shot.clustered:
        shot.impact_gain = max(shot.impact_gain, energy - shot.energy_before)
        return
    overlap = deepest_overlap(scene, shot, position)
    shot.overlap = max(shot.overlap, overlap)
    if overlap > 0.0:
        return
    shot.clustered = False
    shot.cluster_gain = max(shot.cluster_gain, energy - shot.cluster_energy)
    _, geom_solimp, _, _, _, _ = model
    for k in range(N_SOLIDS):
        geom = scene.geom[k]
        geom_solimp[geom, 0] = geom_solimp[geom, 1] = IMPACT_IMPEDANCE

"""What sliding, impacts and pockets should do, worked out without any engine."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.material import Material
from carrom.physics.sliding import farkas


class Stop(NamedTuple):
    """Way, m, and time, s, to rest."""

    distance: float
    time: float


def stop(speed: float, rim: float, deceleration: float, steps: int = 1000) -> Stop:
    """How a sliding and spinning disc stops, by integrating over log speed.

    With w the rim speed, dw/dv = 2 T / F, dx/dv = -v / (a F) and dt/dv = -1 / (a F), whatever
    the time; the classical Runge-Kutta rule in ln v goes down to a millionth of the speed.
    """
    if rim == 0.0:
        return Stop(speed**2 / (2 * deceleration), speed / deceleration)

    def slopes(log_speed: float, log_rim: float) -> NDArray[np.float64]:
        v, w = math.exp(log_speed), math.exp(log_rim)
        force, torque = farkas(np.array([v / (v + w)]))[:, 0].tolist()
        braking = deceleration * force
        return np.array([2 * torque * v / (force * w), -v * v / braking, -v / braking])

    state, log_speed = np.array([math.log(rim), 0.0, 0.0]), math.log(speed)
    h = -math.log(1e6) / steps
    for _ in range(steps):
        first = slopes(log_speed, state[0])
        second = slopes(log_speed + h / 2, (state + h / 2 * first)[0])
        third = slopes(log_speed + h / 2, (state + h / 2 * second)[0])
        fourth = slopes(log_speed + h, (state + h * third)[0])
        state = state + h / 6 * (first + 2 * second + 2 * third + fourth)
        log_speed += h
    return Stop(float(state[1]), float(state[2]))


def uniform_leg_factor(ratio: NDArray[np.float64]) -> NDArray[np.float64]:
    """S(q) of the planar engine's legs, q = R w / v (``carrom.physics.planar.ground``)."""
    return np.sqrt(1 + ratio**2 * (0.5 + 0.2347 * ratio**3 / (ratio**3 + 0.75)))


class Struck(NamedTuple):
    """Two solid discs after their impact, along the line of centres n and across it.

    Attributes:
        mover: (2,), velocity of the disc that came, m/s.
        other: (2,), velocity of the disc that lay there, m/s.
        mover_spin: rad/s.
        other_spin: rad/s.
        kept: kinetic energy over that before.
    """

    mover: NDArray[np.float64]
    other: NDArray[np.float64]
    mover_spin: float
    other_spin: float
    kept: float


def struck(
    masses: tuple[float, float],
    radii: tuple[float, float],
    speed: float,
    cut: float,
    spin: float,
    restitution: float,
    friction: float,
) -> Struck:
    """Newton's restitution and Coulomb's friction, at most what stops the slip.

    Args:
        masses: of the mover and of the disc at rest, kg.
        radii: m.
        speed: of the mover, m/s.
        cut: angle of its path to the line of centres, rad.
        spin: of the mover, rad/s.
        restitution: along the line of centres.
        friction: at the rims.
    """
    give = 1 / masses[0] + 1 / masses[1]
    came = speed * np.array([math.cos(cut), math.sin(cut)])
    push = (1 + restitution) * came[0] / give
    sticking = (came[1] + spin * radii[0]) / (3 * give)
    rub = math.copysign(min(friction * push, abs(sticking)), sticking)
    impulse = np.array([push, rub])
    mover, other = came - impulse / masses[0], impulse / masses[1]
    mover_spin = spin - 2 * rub / (masses[0] * radii[0])
    other_spin = -2 * rub / (masses[1] * radii[1])

    def energy(velocity: NDArray[np.float64], rate: float, which: int) -> float:
        return masses[which] * float(velocity @ velocity / 2 + (radii[which] * rate) ** 2 / 4)

    before = energy(came, spin, 0)
    after = energy(mover, mover_spin, 0) + energy(other, other_spin, 1)
    return Struck(mover, other, mover_spin, other_spin, after / before)


def rebound(
    radius: float, speed: float, incidence: float, spin: float, restitution: float, friction: float
) -> tuple[NDArray[np.float64], float]:
    """Velocity along the outward normal and across it, m/s, and spin, rad/s, off the frame."""
    out, along = speed * math.cos(incidence), speed * math.sin(incidence)
    sticking = (along + spin * radius) / 3
    rub = math.copysign(min(friction * (1 + restitution) * out, abs(sticking)), sticking)
    return np.array([-restitution * out, along - rub]), spin - 2 * rub / radius


class ArcBounces(NamedTuple):
    """Carrommen that fly at a corner's arc; M cases.

    Attributes:
        places: (M, 2), m, a millimetre before the arc.
        velocities: (M, 2), m/s.
        normals: (M, 2), outwards where they meet the arc.
        leaving: (M, 2), the direction in which they leave it without friction, of any length.
    """

    places: NDArray[np.float64]
    velocities: NDArray[np.float64]
    normals: NDArray[np.float64]
    leaving: NDArray[np.float64]

    def error(self, out: NDArray[np.floating]) -> float:
        """Largest angle between velocities ``out`` (M, 2) and what they should be, degrees."""
        sine = self.leaving[:, 0] * out[:, 1] - self.leaving[:, 1] * out[:, 0]
        sine /= np.hypot(*self.leaving.T) * np.hypot(*out.T)
        return math.degrees(float(np.abs(np.arcsin(sine)).max()))


def arc_bounces(board: Board, restitution: float) -> ArcBounces:
    """Cases of many speeds, places on the arc of the first quadrant's corner, and incidences."""
    speed, around, incidence = (
        values.ravel()
        for values in np.meshgrid(
            (0.5, 2.0, 5.0),
            np.radians([10, 30, 45, 60, 80]),
            np.radians([-60, -20, 0, 35, 65]),
            indexing="ij",
        )
    )
    normal = np.stack([np.cos(around), np.sin(around)], 1)
    tangent = np.stack([-normal[:, 1], normal[:, 0]], 1)
    along, across = np.cos(incidence)[:, None] * normal, np.sin(incidence)[:, None] * tangent
    reach = board.pocket_radius - board.carromman_radius
    return ArcBounces(
        places=board.pocket_offset + reach * normal - 1e-3 * (along + across),
        velocities=speed[:, None] * (along + across),
        normals=normal,
        leaving=across - restitution * along,
    )


class Runs(NamedTuple):
    """A striker sent straight ahead: frames it met, and runs, of which the last counts in part."""

    frames: int
    runs: float


def runs_of(board: Board, material: Material, speed: float) -> Runs:
    """Runs along the board: v^2 falls by 2 a L on a leg, by the factor e^2 at a frame."""
    span = board.side - board.striker_diameter
    leg = span / 2 - board.base_line_y
    speed2, frames = speed**2, 0
    while speed2 > 2 * material.deceleration * leg:
        speed2 = (speed2 - 2 * material.deceleration * leg) * material.restitution_frame**2
        frames, leg = frames + 1, span
    return Runs(frames, frames + speed2 / (2 * material.deceleration * leg))


def end_of_runs(board: Board, material: Material, speed: float) -> float:
    """The y at which a striker sent straight ahead from the base line rests, m."""
    frames, runs = runs_of(board, material, speed)
    reach = board.half_side - board.striker_radius
    if frames == 0:
        return board.base_line_y + runs * (reach - board.base_line_y)
    return (reach - (runs - frames) * 2 * reach) * (1 if frames % 2 else -1)


def speed_for_runs(board: Board, material: Material, runs: float) -> float:
    """The least speed with which a striker makes so many runs, m/s."""
    low, high = 0.0, 30.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (low, middle) if runs_of(board, material, middle).runs >= runs else (middle, high)
        )
    return high


def chord_speeds(half: float, transit: float, before: float, slowing: float) -> tuple[float, float]:
    """How to cross a chord of 2 ``half``, m, in ``transit``, s, from ``before``, m, outside it.

    Returns:
        The speed at the start, m/s, and the time until the chord begins, s.
    """
    enter = 2 * half / transit + slowing * transit / 2
    start = math.sqrt(enter**2 + 2 * slowing * before)
    return start, (start - enter) / slowing


def interval(share: float, cases: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a probability of which ``share`` of the cases was seen."""
    z = 1.96
    centre = (share + z * z / (2 * cases)) / (1 + z * z / cases)
    half = math.sqrt(share * (1 - share) / cases + z * z / (4 * cases**2)) * z / (1 + z * z / cases)
    return centre - half, centre + half

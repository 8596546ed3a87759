"""Sliding: deceleration, stopping, runs along the board, agreement of the two grounds."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from carrom.board import Board
from carrom.layout import Layout
from carrom.physics.calibration.check import Check
from carrom.physics.calibration.shots import midgame_shot
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.simulation import Simulation
from carrom.physics.sliding import farkas
from carrom.physics.strike import Strike
from carrom.pieces import N_CARROMMEN, N_DISCS, STRIKER

RUNS_DEMANDED = 3.5
"""Equipment chapter: runs of a smooth 15 g striker at full force."""


def one_disc(
    simulation: Simulation,
    position: tuple[float, float],
    velocity: tuple[float, float],
    *,
    index: int = 0,
    spin: float = 0.0,
) -> None:
    """Set out a single disc."""
    places, velocities, spins = np.zeros((N_DISCS, 2)), np.zeros((N_DISCS, 2)), np.zeros(N_DISCS)
    places[index], velocities[index], spins[index] = position, velocity, spin
    in_play = np.arange(N_DISCS) == index
    simulation.place(places, in_play, velocity=velocities, spin=spins)


def deceleration_error(board: Board) -> Check:
    """Largest deviation of a sliding disc's deceleration from mu g, over directions."""
    worst = 0.0
    for friction in (0.05, 0.08, 0.13):
        material = Material(friction=friction)
        simulation = Simulation(board, material)
        for k in range(12):
            angle = 0.1 + k * math.pi / 6
            one_disc(simulation, (0.0, 0.0), (math.cos(angle), math.sin(angle)))
            simulation.run(until=0.2)
            speed = float(np.hypot(*simulation.velocity[0]))
            measured = (1.0 - speed) / simulation.time
            worst = max(worst, abs(measured / material.deceleration - 1))
    return Check("deceleration, 12 directions: relative error", worst, 1e-4)


def stop_distance_error(board: Board) -> Check:
    """Largest error of the distance to a stop, without and with spin."""
    material = Material()
    simulation = Simulation(board, material)
    radius = board.carromman_radius
    worst = 0.0
    for speed, rim in ((0.05, 0.0), (0.3, 0.0), (0.7, 0.0), (0.3, 0.1), (0.3, 0.5), (0.1, 1.0)):
        one_disc(simulation, (-0.3, 0.1), (speed, 0.0), spin=rim / radius)
        simulation.run()
        travelled = float(simulation.position[0, 0]) + 0.3
        expected = stop_distance(speed, rim, material.deceleration)
        worst = max(worst, abs(travelled - expected))
    return Check("stop distance: error", worst * 1e3, 0.03, "mm")


def stop_distance(speed: float, rim: float, deceleration: float, steps: int = 1000) -> float:
    """Distance to a stop of a sliding and spinning disc, m, by integrating over log speed.

    With w the rim speed, dw/dv = 2 T / F and dx/dv = -v / (a F), whatever the time; the
    classical Runge-Kutta rule in ln v goes down to a millionth of the speed.
    """
    if rim == 0.0:
        return speed**2 / (2 * deceleration)

    def slope(log_speed: float, log_rim: float) -> tuple[float, float]:
        v, w = math.exp(log_speed), math.exp(log_rim)
        force, torque = farkas(np.array([v / (v + w)]))[:, 0].tolist()
        return 2 * torque * v / (force * w), -v * v / (deceleration * force)

    x, log_rim, log_speed = 0.0, math.log(rim), math.log(speed)
    h = -math.log(1e6) / steps
    for _ in range(steps):
        w1, x1 = slope(log_speed, log_rim)
        w2, x2 = slope(log_speed + h / 2, log_rim + h / 2 * w1)
        w3, x3 = slope(log_speed + h / 2, log_rim + h / 2 * w2)
        w4, x4 = slope(log_speed + h, log_rim + h * w3)
        log_rim += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4)
        x += h / 6 * (x1 + 2 * x2 + 2 * x3 + x4)
        log_speed += h
    return x


def runs_measured(board: Board, material: Material) -> float:
    """Runs of the striker, full force straight ahead; the last one counts in part."""
    engine = MujocoEngine(board, material)
    empty = Layout(np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool))
    motion = engine.play(empty, Strike(0.0, 0.0, material.full_speed), trajectory_rate=2000)
    assert motion.trajectory is not None
    y = motion.trajectory.positions[:, STRIKER, 1]
    turns = np.flatnonzero(np.diff(np.sign(np.diff(y))) != 0)
    turns = turns[np.abs(y[turns + 1]) > board.half_side / 2]
    span = board.side - board.striker_diameter
    reach = span / 2
    last_wall = math.copysign(reach, y[turns[-1]])
    return len(turns) + abs(last_wall - y[-1]) / span


def runs_expected(board: Board, material: Material) -> float:
    """The same in closed form: v^2 falls by 2 mu g L on a leg, by the factor e^2 at a frame."""
    span = board.side - board.striker_diameter
    leg = span / 2 - board.base_line_y
    speed2, runs = material.full_speed**2, 0
    while speed2 > 2 * material.deceleration * leg:
        speed2 = (speed2 - 2 * material.deceleration * leg) * material.restitution_frame**2
        runs, leg = runs + 1, span
    return runs + speed2 / (2 * material.deceleration * leg)


def runs_of_striker(board: Board) -> list[Check]:
    """The one number the laws give on friction and cushions (equipment: surface speed)."""
    material = Material()
    measured, expected = runs_measured(board, material), runs_expected(board, material)
    return [
        Check("runs of a full-force striker", measured, RUNS_DEMANDED, at_least=True),
        Check("the same: error against closed form", abs(measured - expected), 1e-3),
    ]


def ground_agreement(board: Board, shots: int) -> Check:
    """Median distance between a carromman's rests on the two grounds.

    Two discs, up to 3 m/s, without rim friction: the friction of a spinning disc differs.
    """
    material = Material(friction_rim=0.0, friction_frame=0.0)
    engines = [MujocoEngine(board, material, ground) for ground in ("coulomb", "contact")]
    rng = np.random.default_rng(7)
    apart = []
    for _ in range(shots):
        layout, strike = midgame_shot(board, rng, pieces=1)
        strike = dataclasses.replace(strike, speed=strike.speed / 2)
        ends = [engine.play(layout, strike) for engine in engines]
        moved = [end.touched & end.layout.on_board for end in ends]
        both = moved[0] & moved[1]
        places = [end.layout.positions[both] for end in ends]
        apart += np.hypot(*(places[0] - places[1]).T).tolist()
    return Check("coulomb against contact ground: median", float(np.median(apart)) * 1e3, 1.5, "mm")

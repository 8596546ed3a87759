"""Sliding: deceleration, stopping, runs along the board, agreement of the two grounds."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from carrom.board import Board
from carrom.layout import Layout
from carrom.physics.calibration import reference
from carrom.physics.calibration.check import Check
from carrom.physics.calibration.closed_forms import end_of_runs, runs_of, stop
from carrom.physics.calibration.planar_strokes import in_slots
from carrom.physics.calibration.shots import Shot, midgame_shot
from carrom.physics.contact_ground import ContactSimulation
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.scene import CORNER_NAMES, FIXED_STEP, FRAME_NAMES
from carrom.physics.simulation import Simulation
from carrom.physics.strike import Strike
from carrom.pieces import N_CARROMMEN, N_DISCS, STRIKER

RUNS_DEMANDED = 3.5
"""Equipment chapter: runs of a smooth 15 g striker at full force."""
FRICTIONS = (0.05, 0.08, 0.10, 0.13, 0.15)
SPEEDS = (0.2, 1.0, 3.0, 6.0)
"""m/s."""
SPINNING = ((0.05, 0.0), (0.3, 0.0), (0.7, 0.0), (0.3, 0.1), (0.3, 0.5), (0.1, 1.0))
"""Speeds and rim speeds, m/s."""
EMPTY = Layout(np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool))


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


def deceleration_error(board: Board) -> list[Check]:
    """Deviation of a sliding disc's deceleration from mu g, and its spread over directions."""
    worst = spread = 0.0
    for friction in FRICTIONS:
        material = Material(friction=friction)
        simulation = Simulation(board, material)
        for speed in SPEEDS:
            braking = []
            for velocity in _headings(speed, 12):
                one_disc(simulation, (0.0, 0.0), velocity)
                simulation.run(until=min(0.05, 0.25 / speed))
                now = float(np.hypot(*simulation.velocity[0]))
                braking.append((speed - now) / simulation.time / material.deceleration)
            worst = max(worst, *(abs(ratio - 1) for ratio in braking))
            spread = max(spread, max(braking) - min(braking))
    cases = len(FRICTIONS) * len(SPEEDS) * 12
    return [
        Check("deceleration: relative error", worst, 1e-4, cases=cases),
        Check("deceleration: spread over directions", spread, 1e-3, cases=cases),
    ]


class _Boundless(ContactSimulation):
    """The contact ground with its frame far away."""

    def __init__(self, board: Board, material: Material) -> None:
        super().__init__(board, material)
        self._scene["half_side"] = self._scene["pocket_offset"] = 1e3
        for name in (*FRAME_NAMES, *CORNER_NAMES):
            self.model.geom_pos[self.model.geom(name).id] *= 1e4


def contact_deceleration_error(
    board: Board, directions: int, speeds: tuple[float, ...]
) -> list[Check]:
    """The same on the contact ground, over the whole slide: at speed its feet skip."""
    worst = spread = late = 0.0
    frictions = (FRICTIONS[0], FRICTIONS[-1])
    for friction in frictions:
        material = Material(friction=friction)
        simulation = _Boundless(board, material)
        for speed in speeds:
            braking = []
            expected = speed**2 / (2 * material.deceleration)
            for velocity in _headings(speed, directions):
                one_disc(simulation, (0.0, 0.0), velocity)
                simulation.run()
                way = float(np.hypot(*simulation.position[0]))
                braking.append(expected / way)
                late = max(late, abs(way - expected) - speed * FIXED_STEP / 2)
            worst = max(worst, *(abs(ratio - 1) for ratio in braking))
            spread = max(spread, max(braking) - min(braking))
    cases = len(frictions) * len(speeds) * directions
    return [
        Check("deceleration, contact ground: relative error", worst, 5e-3, cases=cases),
        Check("deceleration, contact ground: spread over directions", spread, 1e-3, cases=cases),
        Check(
            "stop distance, contact ground: error beyond v h / 2", late * 1e3, 0.5, "mm",
            cases=cases,
        ),
    ]  # fmt: skip


def _headings(speed: float, directions: int) -> list[tuple[float, float]]:
    angles = [0.1 + k * 2 * math.pi / directions for k in range(directions)]
    return [(speed * math.cos(angle), speed * math.sin(angle)) for angle in angles]


def stop_distance_error(board: Board) -> list[Check]:
    """Largest error of the distance to a stop: with spin, and after frames."""
    material = Material()
    simulation = Simulation(board, material)
    worst = 0.0
    for speed, rim in SPINNING:
        expected = stop(speed, rim, material.deceleration).distance
        worst = max(worst, abs(stop_measured(simulation, board, speed, rim)[0] - expected))
    engine = MujocoEngine(board, material)
    speeds = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
    along = max(abs(_end(engine, speed) - end_of_runs(board, material, speed)) for speed in speeds)
    return [
        Check("stop distance: error", worst * 1e3, 0.03, "mm", cases=len(SPINNING)),
        Check(
            "stop distance up to 3 m/s, over frames: error",
            along * 1e3, 0.5, "mm", cases=len(speeds),
        ),
    ]  # fmt: skip


def stop_measured(
    simulation: Simulation, board: Board, speed: float, rim: float
) -> tuple[float, float]:
    """Way, m, and time, s, of a carromman to rest; ``rim`` is R times its spin, m/s."""
    one_disc(simulation, (-0.3, 0.1), (speed, 0.0), spin=rim / board.carromman_radius)
    simulation.run()
    return float(simulation.position[0, 0]) + 0.3, simulation.time


def _end(engine: MujocoEngine, speed: float) -> float:
    striker = engine.play(EMPTY, Strike(0.0, 0.0, speed)).striker
    assert striker is not None
    return float(striker[1])


def runs_measured(board: Board, material: Material, speed: float) -> float:
    """Runs of the striker straight ahead; the last one counts in part."""
    engine = MujocoEngine(board, material)
    motion = engine.play(EMPTY, Strike(0.0, 0.0, speed), trajectory_rate=2000)
    assert motion.trajectory is not None
    y = motion.trajectory.positions[:, STRIKER, 1]
    turns = np.flatnonzero(np.diff(np.sign(np.diff(y))) != 0)
    turns = turns[np.abs(y[turns + 1]) > board.half_side / 2]
    span = board.side - board.striker_diameter
    last_wall = math.copysign(span / 2, y[turns[-1]])
    return len(turns) + abs(last_wall - y[-1]) / span


def runs_of_striker(board: Board) -> list[Check]:
    """The one number the laws give on friction and cushions (equipment: surface speed)."""
    material = Material()
    measured = runs_measured(board, material, material.full_speed)
    slow = [
        Material(friction=friction, restitution_frame=restitution)
        for friction, restitution in (
            (0.10, 0.75), (0.08, 0.75), (0.15, 0.75), (0.15, 0.70), (0.10, 0.85),
        )
    ]  # fmt: skip
    others = [runs_measured(board, other, 6.0) for other in slow]
    errors = [
        abs(measured - runs_of(board, material, material.full_speed).runs),
        *(
            abs(runs - runs_of(board, other, 6.0).runs)
            for runs, other in zip(others, slow, strict=True)
        ),
    ]
    return [
        Check("runs of a full-force striker", measured, RUNS_DEMANDED, at_least=True),
        Check("runs at 6 m/s, five boards down to mu 0.15, e 0.70: fewest", min(others),
              RUNS_DEMANDED, at_least=True, cases=len(slow)),
        Check("runs: error against closed form", max(errors), 1e-3, cases=len(errors)),
    ]  # fmt: skip


def ground_agreement(board: Board, shots: int) -> list[Check]:
    """Where a struck carromman comes to rest: both grounds, and the independent reference.

    Two discs, up to 3 m/s, without friction at rims and frame: nothing spins, so that the
    reference is exact (a spinning disc's friction differs between the grounds).
    """
    material = Material(friction_rim=0.0, friction_frame=0.0)
    rng = np.random.default_rng(7)
    drawn = []
    for _ in range(3 * shots):
        layout, strike = midgame_shot(board, rng, pieces=1)
        drawn.append(Shot(layout, dataclasses.replace(strike, speed=strike.speed / 2)))
    played = reference.play(board, [material], *in_slots(drawn, 10))
    # Those that strike it, and leave it on the board.
    struck = np.flatnonzero(played.touched[:, 0] & played.on_board[:, 0])[:shots]
    drawn, places = [drawn[k] for k in struck], [played.positions[struck, 0]]
    for ground in ("coulomb", "contact"):
        engine = MujocoEngine(board, material, ground)
        ends = []
        for layout, strike in drawn:
            end = engine.play(layout, strike)
            left = end.layout.on_board.any()
            ends.append(end.layout.positions[end.layout.on_board][0] if left else [np.nan] * 2)
        places.append(np.array(ends))
    exact, coulomb, contact = places
    checks = []
    for name, one, other, demands in (
        ("coulomb ground against the reference", coulomb, exact, ((0.5, 0.3), (0.9, 2.0))),
        ("contact ground against the reference", contact, exact, ((0.5, 1.5), (0.9, 4.0))),
        ("coulomb against contact ground", coulomb, contact, ((0.5, 1.5),)),
    ):
        apart = np.hypot(*(one - other).T) * 1e3
        for share, limit in demands:
            value = float(np.nanquantile(apart, share))
            what = "median" if share == 0.5 else f"{share:.0%}"
            checks.append(Check(f"two discs, {name}: {what}", value, limit, "mm", cases=len(drawn)))
    return checks

"""Whole strokes: energy, overlap, rest, and the same bits however they are computed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.calibration.check import Check
from carrom.physics.calibration.shots import Shot, break_shot, midgame_shot
from carrom.physics.material import Material
from carrom.physics.motion import Motion
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.simulation import Simulation
from carrom.pieces import N_DISCS, STRIKER


def set_out(simulation: Simulation, board: Board, shot: Shot) -> None:
    """Place a shot on a simulation."""
    position, velocity = np.zeros((N_DISCS, 2)), np.zeros((N_DISCS, 2))
    position[:STRIKER] = shot.layout.positions
    position[STRIKER] = shot.strike.position(board, 0)
    velocity[STRIKER] = shot.strike.velocity(0)
    simulation.place(position, np.append(shot.layout.on_board, True), velocity=velocity)


def stroke_checks(board: Board, breaks: int, midgames: int) -> list[Check]:
    """Energy gained, overlap at rest, legs, over breaks and mid-game strokes."""
    engine = MujocoEngine(board)
    rng = np.random.default_rng(4)
    shots = [break_shot(board, rng) for _ in range(breaks)]
    shots += [midgame_shot(board, rng) for _ in range(midgames)]
    impact = cluster = overlap = outside = longest = 0.0
    steps = 0
    for layout, strike in shots:
        motion, diagnostics = engine.examine(layout, strike)
        energy = board.striker_mass * strike.speed**2 / 2
        impact = max(impact, diagnostics.impact_gain / energy)
        cluster = max(cluster, diagnostics.cluster_gain / energy)
        steps, longest = max(steps, diagnostics.steps), max(longest, motion.duration)
        deepest, beyond = rest_overlaps(board, motion)
        overlap, outside = max(overlap, deepest), max(outside, beyond)
    cases = len(shots)
    return [
        Check("energy gained in an impact, relative", impact, 0.0, cases=cases),
        Check("energy gained in a cluster, relative", cluster, 1e-9, cases=cases),
        Check("overlap of two discs at rest", overlap * 1e6, 1.0, "um", cases=cases),
        Check("overlap with the frame at rest", outside * 1e6, 1.0, "um", cases=cases),
        Check("MuJoCo steps of a stroke: most", steps, 3000, cases=cases),
        Check("time to rest, mu 0.08: longest", longest, 4.0, "s", cases=cases),
    ]


def rest_overlaps(board: Board, motion: Motion) -> tuple[float, float]:
    """Deepest overlap of two discs and of a disc and the frame, m; 0 if there is none."""
    on_board = np.append(motion.layout.on_board, motion.striker is not None)
    striker = np.zeros(2) if motion.striker is None else motion.striker
    return overlaps(board, np.vstack([motion.layout.positions, striker]), on_board)


def overlaps(
    board: Board, positions: NDArray[np.float64], in_play: NDArray[np.bool_]
) -> tuple[float, float]:
    """The same of discs at ``positions``, (20, 2), m."""
    points, radii = positions[in_play], board.radii[in_play]
    apart = np.hypot(*(points[:, None] - points[None]).T) - (radii[:, None] + radii[None])
    np.fill_diagonal(apart, 0.0)
    corner = np.abs(points) - board.pocket_offset
    in_corner = (corner > 0).all(1)
    to_arc = np.hypot(*corner.T) + radii - board.pocket_radius
    to_wall = np.abs(points).max(1) + radii - board.half_side
    beyond = np.where(in_corner, to_arc, to_wall)
    return max(float(-apart.min(initial=0.0)), 0.0), max(float(beyond.max(initial=0.0)), 0.0)


def discs_at_rest(board: Board, motion: Motion) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Positions (n, 2) and radii (n,) of what lies on the board, m."""
    on_board = np.append(motion.layout.on_board, motion.striker is not None)
    striker = np.zeros(2) if motion.striker is None else motion.striker
    points = np.vstack([motion.layout.positions, striker])
    return points[on_board], board.radii[on_board]


def rest_drift(board: Board, shots: int) -> Check:
    """Speed left to discs at rest after breaks."""
    simulation, rng = Simulation(board, Material()), np.random.default_rng(5)
    drift = 0.0
    for _ in range(shots):
        set_out(simulation, board, break_shot(board, rng))
        simulation.run()
        left = np.abs(simulation.velocity).max() + np.abs(simulation.spin).max()
        drift = max(drift, float(left))
    return Check("speed left at rest", drift, 1e-6, "m/s", cases=shots)


def skip_differences(board: Board, breaks: int, midgames: int) -> Check:
    """Strokes whose end differs in any bit when MuJoCo steps the free legs too."""
    simulations = [Simulation(board, Material(), skip=skip) for skip in (True, False)]
    rng = np.random.default_rng(6)
    shots = [break_shot(board, rng) for _ in range(breaks)]
    shots += [midgame_shot(board, rng) for _ in range(midgames)]
    different = 0
    for shot in shots:
        ends = []
        for simulation in simulations:
            set_out(simulation, board, shot)
            simulation.run()
            ends.append((simulation.position.copy(), simulation.time))
        same = np.array_equal(ends[0][0], ends[1][0]) and ends[0][1] == ends[1][1]
        different += not same
    return Check("strokes that differ when MuJoCo steps every leg", different, 0, cases=len(shots))


def batch_differences(board: Board, breaks: int, midgames: int) -> Check:
    """Strokes that differ in any bit played alone, in a batch, backwards and in two threads."""
    rng = np.random.default_rng(16)
    shots = [break_shot(board, rng) for _ in range(breaks)]
    shots += [midgame_shot(board, rng) for _ in range(midgames)]
    engine, seats = MujocoEngine(board), [0] * len(shots)
    layouts, strikes = [shot.layout for shot in shots], [shot.strike for shot in shots]
    alone = [engine.play(*shot) for shot in shots]
    others = (
        engine.play_many(layouts, strikes, seats),
        engine.play_many(layouts[::-1], strikes[::-1], seats)[::-1],
        engine.play_many(layouts, strikes, seats, threads=2),
    )
    different = sum(
        not all(_same(motion, other[k]) for other in others) for k, motion in enumerate(alone)
    )
    return Check(
        "strokes that differ alone, in batches, in threads", different, 0, cases=len(shots)
    )


def _same(one: Motion, other: Motion) -> bool:
    return (
        one.layout == other.layout
        and one.pocketed == other.pocketed
        and one.duration == other.duration
        and np.array_equal(one.touched, other.touched)
    )

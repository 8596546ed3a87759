"""Breaks by both engines and by a reference that is neither."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.calibration import reference
from carrom.physics.calibration.agreement import planar_motions, pocketed, rests
from carrom.physics.calibration.check import BOTH, MUJOCO, PLANAR, Check
from carrom.physics.calibration.planar_strokes import NO_TIME
from carrom.physics.calibration.shots import Shot, break_shot
from carrom.physics.calibration.springs import spring_reference
from carrom.physics.calibration.strokes import set_out
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.simulation import Simulation
from carrom.pieces import N_DISCS, STRIKER
from carrom.rack import PACKINGS

MUJOCO_SPRINGS, PLANAR_SPRINGS = "MuJoCo, springs", "planar, springs"
MUJOCO_IMPULSES, PLANAR_IMPULSES = "MuJoCo, impulses", "planar, impulses"
REFERENCE = "spring-dashpot reference"
LAWS = (MUJOCO_SPRINGS, PLANAR_SPRINGS, REFERENCE, MUJOCO_IMPULSES, PLANAR_IMPULSES)
_REFERENCE_TIME = 0.09
"""How long springs are computed, s: the dense contacts are over, and nothing has come near a
pocket."""


class Breaks(NamedTuple):
    """Breaks by one law.

    Attributes:
        pocketed: (M,), carrommen.
        rest: (M,), s.
        striker: (M,), whether it fell.
    """

    pocketed: NDArray[np.int_]
    rest: NDArray[np.float64]
    striker: NDArray[np.bool_]

    @property
    def mean(self) -> float:
        """Carrommen per break."""
        return float(self.pocketed.mean())

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return float(self.pocketed.std(ddof=1)) / math.sqrt(len(self.pocketed))


def breaks_by_all(board: Board, count: int, counted: int) -> dict[tuple[str, str], Breaks]:
    """The same breaks by every law, for both packings.

    Args:
        board: the board.
        count: breaks by the engines.
        counted: of them by the reference, which is slow.

    Returns:
        By packing and law.
    """
    played: dict[tuple[str, str], Breaks] = {}
    for number, (packing, how) in enumerate(PACKINGS.items()):
        rng = np.random.default_rng(50 + number)
        shots = [break_shot(board, rng, how) for _ in range(count)]
        engine = MujocoEngine(board)
        for law, motions in (
            (MUJOCO_SPRINGS, [engine.play(*shot) for shot in shots]),
            (PLANAR_SPRINGS, planar_motions(shots, springs=True)),
            (PLANAR_IMPULSES, planar_motions(shots, springs=True, contact_time=NO_TIME)),
        ):
            striker = np.array([motion.striker_pocketed for motion in motions])
            played[packing, law] = Breaks(pocketed(motions), rests(motions), striker)
        played[packing, MUJOCO_IMPULSES] = _by_impulses(board, shots)
        played[packing, REFERENCE] = _by_reference(board, shots[:counted])
    return played


def _by_impulses(board: Board, shots: list[Shot]) -> Breaks:
    """MuJoCo's impacts even where contacts overlap in time."""
    simulation = Simulation(board, Material(), springs=False)
    in_play, rest = np.zeros((len(shots), N_DISCS), bool), np.zeros(len(shots))
    for k, shot in enumerate(shots):
        set_out(simulation, board, shot)
        simulation.run()
        in_play[k], rest[k] = simulation.in_play, simulation.time
    return Breaks((~in_play[:, :STRIKER]).sum(1), rest, ~in_play[:, STRIKER])


def _by_reference(board: Board, shots: list[Shot]) -> Breaks:
    """Springs for the first part, then the event-driven reference: no code of either engine."""
    material, count = Material(), len(shots)
    position, velocity = np.zeros((count, N_DISCS, 2)), np.zeros((count, N_DISCS, 2))
    spin = np.zeros((count, N_DISCS))
    for k, (layout, strike) in enumerate(shots):
        position[k, :STRIKER], position[k, STRIKER] = layout.positions, strike.position(board, 0)
        velocity[k, STRIKER] = strike.velocity(0)
        spring_reference(
            board, material, position[k], velocity[k], spin[k], duration=_REFERENCE_TIME
        )
    on_board = np.ones((count, N_DISCS), bool)
    ended = reference.play_on(board, [material], position, velocity, spin, on_board)
    fell = ~ended.on_board
    return Breaks(fell[:, :STRIKER].sum(1), ended.durations + _REFERENCE_TIME, fell[:, STRIKER])


def apart(one: Breaks, other: Breaks) -> float:
    """Difference of carrommen per break, in standard errors."""
    return abs(one.mean - other.mean) / math.hypot(one.error, other.error)


def break_checks(played: dict[tuple[str, str], Breaks]) -> list[Check]:
    """Engines against each other and against the reference; never against impulses."""
    checks = []
    for packing in PACKINGS:
        mujoco, planar = played[packing, MUJOCO_SPRINGS], played[packing, PLANAR_SPRINGS]
        other = played[packing, REFERENCE]
        cases = len(mujoco.rest)
        for what, one, two, engine, number, limit in (
            ("MuJoCo and planar", mujoco, planar, BOTH, cases, 3.0),
            ("against the reference", mujoco, other, MUJOCO, len(other.rest), 2.0),
            ("against the reference", planar, other, PLANAR, len(other.rest), 3.0),
        ):
            checks.append(
                Check(f"{packing} breaks, pocketed: {what}", apart(one, two), limit,
                      "standard errors", cases=number, engine=engine)
            )  # fmt: skip
        checks.append(
            Check(f"{packing} breaks: mean time to rest, relative difference",
                  float(abs(planar.rest.mean() / mujoco.rest.mean() - 1)), 0.03,
                  cases=cases, engine=BOTH)
        )  # fmt: skip
    return checks

"""The two engines on the same strokes: one model, so one distribution of outcomes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jax.scipy.special import gammaincc
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.calibration.check import BOTH, Check
from carrom.physics.calibration.planar_strokes import in_slots, play
from carrom.physics.calibration.shots import Shot, midgame_shot
from carrom.physics.motion import Motion
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.planar.motions import motions_of
from carrom.physics.planar.slots import slots_for
from carrom.pieces import STRIKER


class Midgame(NamedTuple):
    """The same strokes by both engines, and others by the planar engine alone.

    Attributes:
        mujoco: M outcomes.
        planar: of the same M strokes.
        others: by the planar engine, of other strokes of the same kind.
        clusters: of the M strokes, how many had contacts that overlapped in time in MuJoCo.
    """

    mujoco: list[Motion]
    planar: list[Motion]
    others: list[Motion]
    clusters: int


def midgame_shots(board: Board, count: int, seed: int) -> list[Shot]:
    """Strokes on eight carrommen."""
    rng = np.random.default_rng(seed)
    return [midgame_shot(board, rng) for _ in range(count)]


def planar_motions(
    shots: Sequence[Shot], *, springs: bool = False, contact_time: float | None = None
) -> list[Motion]:
    """The shots by the planar engine, nominal material, float32."""
    slots = slots_for(max(int(shot.layout.on_board.sum()) for shot in shots))
    outcomes = play(in_slots(shots, slots), springs=springs, contact_time=contact_time)
    return motions_of(outcomes, [shot.layout for shot in shots])


def midgame_of_both(board: Board, count: int, others: int) -> Midgame:
    """Play them."""
    shots = midgame_shots(board, count, 41)
    engine = MujocoEngine(board)
    examined = [engine.examine(*shot) for shot in shots]
    return Midgame(
        [motion for motion, _ in examined],
        planar_motions(shots),
        planar_motions(midgame_shots(board, others, 42)),
        sum(diagnostics.clusters > 0 for _, diagnostics in examined),
    )


def pocketed(motions: Sequence[Motion]) -> NDArray[np.int_]:
    """Carrommen pocketed by each stroke."""
    return np.array([sum(p.index != STRIKER for p in motion.pocketed) for motion in motions])


def per_pocket(motions: Sequence[Motion]) -> NDArray[np.int_]:
    """Discs that fell into each pocket, (4,)."""
    return np.bincount([p.pocket for motion in motions for p in motion.pocketed], minlength=4)


def rests(motions: Sequence[Motion]) -> NDArray[np.float64]:
    """Time to rest of each stroke, s."""
    return np.array([motion.duration for motion in motions])


def same_chance(one: NDArray[np.int_], other: NDArray[np.int_]) -> float:
    """P value of the chi-square test that two rows of counts have the same proportions."""
    table = np.stack([one, other]).astype(float)
    table = table[:, table.sum(0) > 0]
    expected = table.sum(1, keepdims=True) * table.sum(0) / table.sum()
    statistic = float(((table - expected) ** 2 / expected).sum())
    return float(gammaincc((table.shape[1] - 1) / 2, statistic / 2))


def farthest(one: Motion, other: Motion) -> float:
    """Largest distance between the places of a disc, m; inf if not the same discs are left."""
    same = np.array_equal(one.layout.on_board, other.layout.on_board)
    if not same or (one.striker is None) != (other.striker is None):
        return math.inf
    distance = float(np.hypot(*(one.layout.positions - other.layout.positions).T).max())
    if one.striker is None or other.striker is None:
        return distance
    return max(distance, math.dist(one.striker, other.striker))


def all_farthest(one: Sequence[Motion], other: Sequence[Motion]) -> NDArray[np.float64]:
    """``farthest`` of each pair of strokes."""
    return np.array([farthest(a, b) for a, b in zip(one, other, strict=True)])


def midgame_checks(seen: Midgame) -> list[Check]:
    """Outcomes of mid-game strokes as distributions."""
    mujoco, planar, others = seen.mujoco, seen.planar, seen.others
    cases = len(mujoco)
    fouls = [float(np.mean([m.striker_pocketed for m in motions])) for motions in (mujoco, planar)]
    first = np.mean([a.first_touch == b.first_touch for a, b in zip(mujoco, planar, strict=True)])
    return [
        Check("mid-game: carrommen pocketed per stroke, difference of means",
              float(abs(pocketed(planar).mean() - pocketed(mujoco).mean())), 0.04,
              cases=cases, engine=BOTH),
        Check("mid-game: per pocket, chi-square p, same strokes",
              same_chance(per_pocket(mujoco), per_pocket(planar)), 0.01, at_least=True,
              cases=cases, engine=BOTH),
        Check("mid-game: per pocket, chi-square p, other strokes",
              same_chance(per_pocket(mujoco), per_pocket(others)), 0.01, at_least=True,
              cases=cases + len(others), engine=BOTH),
        Check("mid-game: mean time to rest, relative difference",
              float(abs(rests(planar).mean() / rests(mujoco).mean() - 1)), 0.03,
              cases=cases, engine=BOTH),
        Check("mid-game: striker pocketed, difference of shares", abs(fouls[1] - fouls[0]), 0.02,
              cases=cases, engine=BOTH),
        Check("mid-game: same carromman touched first, share", float(first), 0.99,
              at_least=True, cases=cases, engine=BOTH),
    ]  # fmt: skip


def strokes_of_few_impacts(board: Board, count: int) -> tuple[NDArray[np.float64], Check]:
    """Distances of rest places after at most two impacts.

    Slow strikes at one of two carrommen; those that the planar engine plays with more impacts
    are left out.
    """
    rng = np.random.default_rng(43)
    shots = []
    for _ in range(count):
        layout, strike = midgame_shot(board, rng, pieces=2)
        shots.append(Shot(layout, dataclasses.replace(strike, speed=rng.uniform(0.3, 1.0))))
    outcomes = play(in_slots(shots, 10))
    few = [shots[k] for k in np.flatnonzero(outcomes.impacts <= 2)]
    mujoco = MujocoEngine(board)
    apart = all_farthest([mujoco.play(*shot) for shot in few], planar_motions(few))
    return apart, Check(
        "at most two impacts: rest places, median distance", float(np.median(apart)) * 1e3, 2.0,
        "mm", cases=len(few), engine=BOTH,
    )  # fmt: skip

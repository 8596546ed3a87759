"""The two engines on the same strokes: one model, so one distribution of outcomes."""

import dataclasses
import math

import numpy as np
import pytest
from scipy import stats

from carrom.physics.calibration.agreement import all_farthest, per_pocket, pocketed
from carrom.physics.calibration.planar_strokes import BOARD
from carrom.physics.calibration.shots import Shot, break_shot, midgame_shot
from carrom.physics.motion import Motion
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.planar.engine import PlanarEngine
from carrom.rack import LOOSE, TIGHT, Packing


def both(shots: list[Shot]) -> tuple[list[Motion], list[Motion]]:
    """What MuJoCo says and what the planar engine says."""
    layouts, strikes = [shot.layout for shot in shots], [shot.strike for shot in shots]
    seats = [0] * len(shots)
    return (
        MujocoEngine(BOARD).play_many(layouts, strikes, seats),
        PlanarEngine(BOARD).play_many(layouts, strikes, seats),
    )


def midgame(count: int, seed: int) -> list[Shot]:
    rng = np.random.default_rng(seed)
    return [midgame_shot(BOARD, rng) for _ in range(count)]


def check_midgame(shots: list[Shot], *, pocketed_within: float) -> None:
    expected, got = both(shots)
    assert abs(pocketed(got).mean() - pocketed(expected).mean()) <= pocketed_within
    counts = [per_pocket(motions) for motions in (expected, got)]
    p_value = float(np.asarray(stats.chi2_contingency(counts)[1]))
    assert p_value > 0.01
    rest = [np.mean([m.duration for m in motions]) for motions in (expected, got)]
    assert rest[1] == pytest.approx(rest[0], rel=0.03)
    fouls = [np.mean([m.striker_pocketed for m in motions]) for motions in (expected, got)]
    assert fouls[1] == pytest.approx(fouls[0], abs=0.02)
    touched = [m.first_touch == n.first_touch for m, n in zip(expected, got, strict=True)]
    assert np.mean(touched) > 0.99


def test_midgame():
    check_midgame(midgame(400, 41), pocketed_within=0.04)


@pytest.mark.slow
def test_many_midgame_strokes():
    check_midgame(midgame(3000, 42), pocketed_within=0.04)


def test_strokes_of_few_impacts():
    """Slow strikes at one of two carrommen, of which most end after an impact or two."""
    rng = np.random.default_rng(43)
    shots = []
    for _ in range(400):
        layout, strike = midgame_shot(BOARD, rng, pieces=2)
        shots.append(Shot(layout, dataclasses.replace(strike, speed=rng.uniform(0.4, 1.2))))
    expected, got = both(shots)
    distances = all_farthest(expected, got)
    assert np.median(distances) < 1e-3
    assert (distances < 2e-3).mean() > 0.8


def check_breaks(count: int, seed: int, packing: Packing) -> None:
    rng = np.random.default_rng(seed)
    expected, got = both([break_shot(BOARD, rng, packing) for _ in range(count)])
    one, other = pocketed(expected), pocketed(got)
    error = math.sqrt((one.var(ddof=1) + other.var(ddof=1)) / count)
    assert abs(one.mean() - other.mean()) < 3 * error
    rest = [np.mean([m.duration for m in motions]) for motions in (expected, got)]
    assert rest[1] == pytest.approx(rest[0], rel=0.03)


def test_loose_breaks():
    check_breaks(300, 44, LOOSE)


@pytest.mark.slow
def test_many_loose_breaks():
    check_breaks(2000, 45, LOOSE)


def test_tight_breaks():
    """Contacts that overlap in time decide how many carrommen a tight rack sends away."""
    check_breaks(400, 46, TIGHT)


@pytest.mark.slow
def test_many_tight_breaks():
    check_breaks(2000, 47, TIGHT)

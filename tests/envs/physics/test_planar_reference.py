"""Whole strokes of the planar engine against the independent float64 reference."""

import dataclasses

import numpy as np
import pytest

from carrom.physics.calibration import reference
from carrom.physics.calibration.planar_strokes import (
    BOARD,
    loose_breaks,
    midgame,
    play,
    random_materials,
)
from carrom.physics.material import Material
from carrom.physics.planar.outcomes import Outcomes

NOMINAL = [Material()]
AT_ONCE = [dataclasses.replace(Material(), fall_time=0.0)]


def compare(strokes, materials, dtype):
    expected = reference.play(BOARD, materials, *strokes)
    got = play(strokes, materials, dtype=dtype)
    assert not got.unfinished.any()
    both = expected.on_board & got.on_board
    distance = np.hypot(*np.moveaxis(expected.positions - got.positions, -1, 0))
    return expected, got, np.where(both, distance, 0.0).max(1)


def order(outcomes: Outcomes | reference.Played) -> np.ndarray:
    """Rank of each disc among those that fell, -1 for the others."""
    ranks = np.argsort(np.argsort(outcomes.fall_times, axis=1), axis=1)
    return np.where(np.isfinite(outcomes.fall_times), ranks, -1)


@pytest.mark.parametrize(
    ("strokes", "materials"),
    [
        (midgame(1000, 11), NOMINAL),
        (midgame(1000, 11), random_materials(1000, 5)),
        (midgame(1000, 12), AT_ONCE),
        (loose_breaks(100, 7), NOMINAL),
    ],
    ids=["midgame", "random materials", "no fall time", "loose breaks"],
)
def test_float64(strokes, materials):
    """The same to the last event, and the same places to what chaos makes of rounding."""
    expected, got, error = compare(strokes, materials, "float64")
    np.testing.assert_array_equal(order(got), order(expected))
    np.testing.assert_array_equal(got.pockets, expected.pockets)
    np.testing.assert_array_equal(got.on_board, expected.on_board)
    np.testing.assert_array_equal(got.first_touch, expected.first_touch)
    np.testing.assert_array_equal(got.touched, expected.touched)
    np.testing.assert_array_equal(got.impacts, expected.impacts)
    assert np.quantile(error, 0.99) <= 1e-6
    fell = np.isfinite(expected.fall_times)
    assert fell.sum() > 20
    late = got.fall_times[fell] - expected.fall_times[fell]
    assert np.quantile(np.abs(late), 0.99) < 1e-6
    assert np.quantile(np.abs(got.durations - expected.durations), 0.99) < 1e-6


@pytest.mark.parametrize(
    "materials", [NOMINAL, random_materials(1000, 6)], ids=["nominal", "random"]
)
def test_float32(materials):
    expected, got, error = compare(midgame(1000, 11), materials, "float32")
    assert (order(got) == order(expected)).all(1).mean() >= 0.99
    assert (got.first_touch == expected.first_touch).mean() >= 0.99
    assert np.median(error) <= 2e-5
    assert (error < 1e-3).mean() >= 0.88
    few = (expected.impacts >= 2) & (expected.impacts <= 5)
    assert few.sum() > 100
    assert np.quantile(error[few], 0.9) <= 2e-5


def test_float32_in_distribution():
    """Single breaks are chaotic; what they do on the average is not."""
    strokes = loose_breaks(400, 21)
    expected, got, _ = compare(strokes, NOMINAL, "float32")
    fell = [np.isfinite(played.fall_times)[:, :-1].sum(1) for played in (expected, got)]
    error = np.sqrt((fell[0].var() + fell[1].var()) / len(fell[0]))
    assert abs(fell[0].mean() - fell[1].mean()) < 3 * error
    assert abs(expected.durations.mean() - got.durations.mean()) < 0.03

"""Observation statistics against numpy on everything at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrom_agents.normaliser import RunningStatistics


@settings(max_examples=50, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 40), min_size=1, max_size=8),
    seed=st.integers(0, 2**32 - 1),
    offset=st.sampled_from([0.0, 1e4, -3.0]),
)
def test_batches_give_the_statistics_of_all_at_once(sizes, seed, offset):
    rng = np.random.default_rng(seed)
    batches = [rng.normal(offset, 2, size=(size, 3)).astype(np.float32) for size in sizes]
    statistics = RunningStatistics.empty(3)
    for batch in batches:
        statistics = statistics.including(batch)
    everything = np.concatenate(batches).astype(np.float64)
    assert statistics.count == len(everything)
    if len(everything):
        np.testing.assert_allclose(statistics.mean, everything.mean(0), rtol=1e-12)
        variance = statistics.squares / statistics.count
        np.testing.assert_allclose(variance, everything.var(0), rtol=1e-9, atol=1e-12)


def test_scaled_features_have_mean_zero_and_deviation_one():
    data = np.random.default_rng(0).normal([5, -1, 0], [0.1, 3, 1], size=(1000, 3))
    scale = RunningStatistics.empty(3).including(data).scale(np.array([True, True, False]))
    scaled = np.asarray(scale(data.astype(np.float32)), np.float64)
    np.testing.assert_allclose(scaled.mean(0)[:2], 0, atol=1e-3)
    np.testing.assert_allclose(scaled.std(0)[:2], 1, rtol=1e-3)
    np.testing.assert_allclose(scaled[:, 2], data[:, 2], rtol=1e-6)


def test_features_that_never_vary_do_not_explode():
    statistics = RunningStatistics.empty(2).including(np.full((500, 2), 7.0, np.float32))
    scale = statistics.scale(np.array([True, True]))
    np.testing.assert_array_equal(scale(np.array([7.0, 7.5], np.float32)), [0, 0.5])


def test_rare_values_are_cut_off():
    data = np.zeros((10_000, 1))
    data[0] = 1
    scale = RunningStatistics.empty(1).including(data).scale(np.array([True]))
    assert float(scale(np.array([1.0], np.float32))[0]) == 10


def test_before_anything_is_seen_observations_stay_as_they_are():
    scale = RunningStatistics.empty(2).scale(np.array([True, True]))
    np.testing.assert_array_equal(
        scale(np.array([0.3, -4.0], np.float32)), np.array([0.3, -4], np.float32)
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_left_out(bad):
    clean = RunningStatistics.empty(2).including(np.ones((4, 2)))
    dirty = clean.including(np.array([[bad, 0.0]]))
    assert dirty.count == 4
    np.testing.assert_array_equal(dirty.mean, [1, 1])

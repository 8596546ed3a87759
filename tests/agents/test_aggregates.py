"""Scores of several runs: against rliable, against scipy, and whether intervals hold the truth."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from rliable import library, metrics

from carrom.errors import ConfigError
from carrom_agents.aggregates import (
    estimate,
    improvement_probability,
    interquartile_mean,
    mean_of_tasks,
    median_of_scores,
    median_of_tasks,
    performance_profile,
)

SCORES = arrays.arrays(
    float,
    st.tuples(st.integers(1, 9), st.integers(1, 5)),
    elements=st.integers(-20, 20).map(lambda k: k / 4),
)
RNG = np.random.default_rng


@given(SCORES)
@settings(max_examples=100, deadline=None)
def test_measures_are_those_of_rliable(scores):
    for ours, theirs in (
        (interquartile_mean, metrics.aggregate_iqm),
        (median_of_tasks, metrics.aggregate_median),
        (mean_of_tasks, metrics.aggregate_mean),
        # As if every score were of a task of its own.
        (median_of_scores, lambda scores: metrics.aggregate_median(scores.reshape(1, -1))),
    ):
        assert ours(scores) == pytest.approx(theirs(scores))
        # Several at once, as the bootstrap computes them.
        np.testing.assert_allclose(ours(np.stack([scores, scores])), [theirs(scores)] * 2)


@given(SCORES, st.integers(1, 6), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_improvement_is_mann_and_whitneys(first, runs, seed):
    second = RNG(seed).integers(-20, 20, (runs, first.shape[1])) / 4
    expected = np.mean(
        [
            scipy.stats.mannwhitneyu(one, two).statistic / (len(one) * len(two))
            for one, two in zip(first.T, second.T, strict=True)
        ]
    )
    found = improvement_probability(first, second, RNG(0), resamples=10)
    assert found.value == pytest.approx(expected)
    assert found.value == pytest.approx(metrics.probability_of_improvement(first, second))
    other = improvement_probability(second, first, RNG(0), resamples=10)
    assert found.value + other.value == pytest.approx(1)


# Its resampling library has been told to warn.
@pytest.mark.filterwarnings("ignore:random_state is deprecated:FutureWarning")
def test_intervals_are_about_those_of_rliable():
    scores = RNG(1).gamma(2.0, size=(8, 4))
    found = estimate(interquartile_mean, scores, RNG(2), resamples=20_000)
    _, theirs = library.get_interval_estimates(
        {"a": scores}, metrics.aggregate_iqm, reps=4000, random_state=np.random.RandomState(3)
    )
    np.testing.assert_allclose((found.low, found.high), theirs["a"].ravel(), atol=0.03)


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """Of normal scores the truth is known; ten runs make bootstraps a little narrow."""
    rng, held, of = RNG(0), 0, 300
    for _ in range(of):
        scores = rng.normal([0.0, 1.0, 2.0], 1.0, (10, 3))
        found = estimate(mean_of_tasks, scores, rng, resamples=400)
        held += found.low <= 1.0 <= found.high
    assert 0.86 * of < held < 0.98 * of


@given(SCORES)
@settings(max_examples=30, deadline=None)
def test_profiles_are_those_of_rliable(scores):
    thresholds = np.linspace(-6, 6, 13)
    ours = performance_profile(scores, thresholds, RNG(0), resamples=2)
    theirs = library.score_distributions(scores, thresholds)
    np.testing.assert_allclose([share.value for share in ours], theirs)


def test_a_profile_counts_what_is_above():
    scores = [[0.0, 1.0], [0.5, 2.0]]
    shares = [each.value for each in performance_profile(scores, [-1, 0, 0.5, 1.5, 2], RNG(0))]
    assert shares == [1.0, 0.75, 0.5, 0.25, 0.0]
    narrow = performance_profile(np.ones((5, 2)), [0.5], RNG(0))[0]
    assert (narrow.low, narrow.value, narrow.high) == (1.0, 1.0, 1.0)


def test_runs_are_drawn_task_by_task():
    """Tasks that differ widely must not be mixed: every resample has as many runs of each."""
    scores = np.array([[0.0, 100.0]] * 6)
    found = estimate(mean_of_tasks, scores, RNG(0))
    assert (found.low, found.value, found.high) == (50.0, 50.0, 50.0)


@pytest.mark.parametrize("scores", [[], [1.0, 2.0], [[1.0, np.nan]], np.zeros((0, 3))])
def test_what_are_no_scores_is_refused(scores):
    with pytest.raises(ConfigError, match=r"expected finite numbers, \(runs, tasks\)"):
        estimate(interquartile_mean, scores, RNG(0))


def test_other_tasks_are_refused():
    with pytest.raises(ConfigError, match="scores of 2 and of 3 tasks"):
        improvement_probability(np.zeros((4, 2)), np.zeros((4, 3)), RNG(0))

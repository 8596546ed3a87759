import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from carrom.errors import ConfigError
from carrom_agents.statistics import mean, paired_difference, proportion


@given(st.integers(1, 500), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_interval_is_that_of_scipy(trials: int, data: st.DataObject, confidence: float):
    successes = data.draw(st.integers(0, trials))
    ours = proportion(successes, trials, confidence=confidence)
    theirs = scipy.stats.binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    assert ours.value == successes / trials
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_bootstrap_interval_is_that_of_scipy_up_to_resampling_error():
    samples = np.random.default_rng(5).exponential(size=80)
    ours = mean(samples, np.random.default_rng(0), resamples=20_000)
    theirs = scipy.stats.bootstrap(
        (samples,),
        np.mean,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval
    width = theirs.high - theirs.low
    assert ours.value == samples.mean()
    assert ours.low == pytest.approx(theirs.low, abs=0.03 * width)
    assert ours.high == pytest.approx(theirs.high, abs=0.03 * width)


def test_interval_holds_the_true_mean_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    trials = 400
    held = 0
    for _ in range(trials):
        estimate = mean(rng.binomial(2, 0.3, size=60), rng, resamples=400)
        held += estimate.low <= 0.6 <= estimate.high
    # 0.95 less the small-sample loss of the percentile bootstrap, with binomial error.
    assert 0.90 <= held / trials <= 0.98


def test_same_generator_same_interval():
    samples = np.arange(20.0)
    assert mean(samples, np.random.default_rng(3)) == mean(samples, np.random.default_rng(3))


def test_many_samples_are_resampled_in_blocks():
    samples = np.repeat([0.0, 1.0], 300_000)
    estimate = mean(samples, np.random.default_rng(0), resamples=50)
    # Standard error 0.5 / sqrt(600,000).
    assert estimate.high - estimate.low == pytest.approx(4 * 6.45e-4, rel=0.35)


def test_pairing_removes_what_the_samples_share():
    rng = np.random.default_rng(0)
    shared = rng.normal(scale=10, size=200)
    first = shared + 0.5 + rng.normal(scale=0.1, size=200)
    difference = paired_difference(first, shared, rng)
    assert difference.low > 0.45
    assert difference.high < 0.55
    unpaired = mean(first, rng)
    assert unpaired.high - unpaired.low > 20 * (difference.high - difference.low)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean([], np.random.default_rng()), r"samples of shape \(0,\)"),
        (lambda: mean([1.0, np.nan], np.random.default_rng()), "finite"),
        (lambda: mean([1.0], np.random.default_rng(), confidence=1.0), "confidence = 1.0"),
        (lambda: paired_difference([1.0], [1.0, 2.0], np.random.default_rng()), "1 and 2 samples"),
        (lambda: proportion(3, 2), "3 successes in 2 trials"),
        (lambda: proportion(0, 0), "0 successes in 0 trials"),
    ],
)
def test_bad_input_gets_one_clear_error(call, message: str):
    with pytest.raises(ConfigError, match=message):
        call()

"""What scores of several runs on several tasks say, with intervals.

The measures of Agarwal et al. 2021 (https://arxiv.org/abs/2108.13264), for few runs: scores are
arrays of shape (runs, tasks), intervals percentile bootstraps in which the runs of every task
are drawn anew, apart from those of the others (stratified).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carrom.errors import ConfigError
from carrom_agents.statistics import CONFIDENCE, RESAMPLES, Estimate, bootstrapped

Scores = NDArray[np.float64]
Measure = Callable[[Scores], NDArray[np.float64]]
"""Of scores (..., runs, tasks), giving (...)."""


def interquartile_mean(scores: Scores) -> NDArray[np.float64]:
    """Mean of the middle half of all scores: as robust as a median, with less variance.

    A quarter of the scores, rounded down, is left out at either end.
    """
    flat = np.sort(scores.reshape(*scores.shape[:-2], -1), axis=-1)
    cut = flat.shape[-1] // 4
    return flat[..., cut : flat.shape[-1] - cut].mean(axis=-1)


def median_of_tasks(scores: Scores) -> NDArray[np.float64]:
    """Median over the tasks of their mean scores."""
    return np.median(scores.mean(axis=-2), axis=-1)


def median_of_scores(scores: Scores) -> NDArray[np.float64]:
    """Median of all scores, whatever run and task they are of."""
    return np.median(scores, axis=(-2, -1))


def mean_of_tasks(scores: Scores) -> NDArray[np.float64]:
    """Mean over the tasks of their mean scores."""
    return scores.mean(axis=(-2, -1))


def estimate(
    measure: Measure,
    scores: ArrayLike,
    rng: np.random.Generator,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
) -> Estimate:
    """A measure of scores with its interval.

    Args:
        measure: one of those above.
        scores: (runs, tasks).
        rng: draws the resamples.
        confidence: share of intervals that hold the true value, in the long run.
        resamples: number of bootstrap resamples.

    Raises:
        ConfigError: no scores, one that is not finite, or a bad confidence.
    """
    values = _checked(scores)
    drawn = measure(_resampled(values, rng, resamples))
    return bootstrapped(float(measure(values)), drawn, values.size, confidence)


def improvement_probability(
    first: ArrayLike,
    second: ArrayLike,
    rng: np.random.Generator,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
) -> Estimate:
    """How likely a run of the first beats one of the second, on the mean over tasks.

    It is Mann and Whitney's U (1947) over the number of pairs; a tie counts half.

    Args:
        first: (runs, tasks).
        second: (runs, tasks) of the same tasks; the runs may be more or fewer.
        rng: draws the resamples.
        confidence: as for ``estimate``.
        resamples: as for ``estimate``.

    Raises:
        ConfigError: not the same number of tasks, or as for ``estimate``.
    """
    one, two = _checked(first), _checked(second)
    if one.shape[1] != two.shape[1]:
        raise ConfigError(f"scores of {one.shape[1]} and of {two.shape[1]} tasks: expected as many")

    def better(one: Scores, two: Scores) -> NDArray[np.float64]:
        pairs = one[..., :, None, :] - two[..., None, :, :]
        return ((pairs > 0) + 0.5 * (pairs == 0)).mean(axis=(-3, -2, -1))

    drawn = better(_resampled(one, rng, resamples), _resampled(two, rng, resamples))
    return bootstrapped(float(better(one, two)), drawn, one.size + two.size, confidence)


def performance_profile(
    scores: ArrayLike,
    thresholds: ArrayLike,
    rng: np.random.Generator,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
) -> list[Estimate]:
    """Share of the scores above each of the thresholds, with pointwise intervals.

    Args:
        scores: (runs, tasks).
        thresholds: (n,).
        rng: draws the resamples.
        confidence: as for ``estimate``.
        resamples: as for ``estimate``.

    Raises:
        ConfigError: as for ``estimate``.
    """
    values = _checked(scores)
    drawn = _resampled(values, rng, resamples)

    def above(threshold: float) -> Estimate:
        shares = (drawn > threshold).mean(axis=(-2, -1))
        return bootstrapped(float((values > threshold).mean()), shares, values.size, confidence)

    return [above(threshold) for threshold in np.asarray(thresholds, float).tolist()]


def _resampled(scores: Scores, rng: np.random.Generator, resamples: int) -> Scores:
    """Scores with the runs of every task drawn anew, (resamples, runs, tasks)."""
    runs, tasks = scores.shape
    return scores[rng.integers(runs, size=(resamples, runs, tasks)), np.arange(tasks)]


def _checked(scores: ArrayLike) -> Scores:
    values = np.asarray(scores, np.float64)
    if values.ndim != 2 or not values.size or not np.isfinite(values).all():
        raise ConfigError(f"scores of shape {values.shape}: expected finite numbers, (runs, tasks)")
    return values

"""Means, proportions and differences with intervals.

Means and paired differences carry percentile-bootstrap intervals (Efron, 1979): points per
stroke are few-valued and skewed, and nothing is assumed of them but independence. Proportions
carry Wilson's score interval (1927), which is honest at 0 and 1 where others have no width.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carrom.errors import ConfigError

CONFIDENCE = 0.95
RESAMPLES = 2000
_BLOCK = 1 << 20
"""Resampled values held at once: bounds the memory that many samples would need."""


@dataclass(frozen=True)
class Estimate:
    """A number and where it may really be.

    Attributes:
        value: the estimate.
        low: lower end of the interval.
        high: upper end of the interval.
        samples: how many independent samples it rests on.
    """

    value: float
    low: float
    high: float
    samples: int

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "samples": self.samples,
        }

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def mean(
    samples: ArrayLike,
    rng: np.random.Generator,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
) -> Estimate:
    """The mean with its percentile-bootstrap interval.

    Args:
        samples: (n,), n >= 1, independent.
        rng: draws the resamples.
        confidence: share of intervals that hold the true mean, in the long run.
        resamples: number of bootstrap resamples.

    Raises:
        ConfigError: no samples, a sample that is not finite, or a bad confidence.
    """
    values = _checked(samples, "samples")
    drawn = _resampled_means(values, rng, resamples)
    return bootstrapped(float(values.mean()), drawn, len(values), confidence)


def bootstrapped(
    value: float, drawn: NDArray[np.float64], samples: int, confidence: float = CONFIDENCE
) -> Estimate:
    """An estimate with the percentile interval of what resamples gave.

    Args:
        value: the estimate.
        drawn: (resamples,), the same of each resample.
        samples: how many independent samples it rests on.
        confidence: as for ``mean``.

    Raises:
        ConfigError: a bad confidence.
    """
    tail = (1 - _checked_confidence(confidence)) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return Estimate(value, float(low), float(high), samples)


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    rng: np.random.Generator,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
) -> Estimate:
    """The mean of ``first - second``, sample by sample, with its bootstrap interval.

    Pairing takes out what both samples share: the position they were struck from.

    Args:
        first: (n,).
        second: (n,), from the same positions in the same order.
        rng: draws the resamples.
        confidence: as for ``mean``.
        resamples: as for ``mean``.

    Raises:
        ConfigError: different lengths, or as for ``mean``.
    """
    one, two = _checked(first, "first"), _checked(second, "second")
    if one.shape != two.shape:
        raise ConfigError(f"{len(one)} and {len(two)} samples: expected pairs, so as many of each")
    return mean(one - two, rng, confidence=confidence, resamples=resamples)


def proportion(successes: int, trials: int, *, confidence: float = CONFIDENCE) -> Estimate:
    """A proportion with Wilson's score interval.

    Raises:
        ConfigError: no trials, successes outside 0 to trials, or a bad confidence.
    """
    if not (trials >= 1 and 0 <= successes <= trials):
        raise ConfigError(
            f"{successes!r} successes in {trials!r} trials: expected trials >= 1 and "
            "0 <= successes <= trials"
        )
    z = NormalDist().inv_cdf(0.5 + _checked_confidence(confidence) / 2)
    share = successes / trials
    scale = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    # At 0 and 1 the interval ends there exactly, whatever the rounding.
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == trials else centre + half
    return Estimate(share, low, high, trials)


def _resampled_means(
    values: NDArray[np.float64], rng: np.random.Generator, resamples: int
) -> NDArray[np.float64]:
    """Means of resamples drawn with replacement, (resamples,)."""
    n = len(values)
    block = max(_BLOCK // n, 1)
    means = [
        values[rng.integers(n, size=(min(block, resamples - done), n))].mean(axis=1)
        for done in range(0, resamples, block)
    ]
    return np.concatenate(means)


def _checked(samples: ArrayLike, name: str) -> NDArray[np.float64]:
    values = np.asarray(samples, np.float64)
    if values.ndim != 1 or not len(values) or not np.all(np.isfinite(values)):
        raise ConfigError(
            f"{name} of shape {values.shape}: expected one axis of at least one finite number"
        )
    return values


def _checked_confidence(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ConfigError(f"confidence = {confidence!r}: expected a number between 0 and 1")
    return confidence

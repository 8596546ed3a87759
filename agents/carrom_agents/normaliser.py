"""Running mean and variance of observations.

Batches are merged by the pairwise formula of Chan, Golub and LeVeque (1979), in float64, so
that the statistics after a million observations are those of all of them at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax.typing import ArrayLike
from numpy.typing import NDArray

_LEAST_STD = 1e-4
"""A feature that varies less than this is taken not to vary: it is only centred."""
_LIMIT = 10.0
"""Normalised features are cut off here, so that a rare value cannot swamp the network."""


@struct.dataclass
class Scale:
    """An affine change of observations; float32 (D,)."""

    mean: jax.Array | NDArray[np.float32]
    std: jax.Array | NDArray[np.float32]

    def __call__(self, observation: ArrayLike) -> jax.Array:
        """Normalise observations (..., D)."""
        return jnp.clip((jnp.asarray(observation) - self.mean) / self.std, -_LIMIT, _LIMIT)


@dataclass(frozen=True, eq=False)
class RunningStatistics:
    """What has been seen so far.

    Attributes:
        count: float64 (), number of observations.
        mean: float64 (D,).
        squares: float64 (D,), sum of the squared deviations from the mean.
    """

    count: NDArray[np.float64]
    mean: NDArray[np.float64]
    squares: NDArray[np.float64]

    @classmethod
    def empty(cls, size: int) -> RunningStatistics:
        """Statistics of nothing, for observations of ``size`` features."""
        return cls(np.zeros(()), np.zeros(size), np.zeros(size))

    def including(self, observations: NDArray[np.floating]) -> RunningStatistics:
        """The statistics with observations (N, D) added, but for those that are not finite."""
        batch = np.asarray(observations, np.float64)
        batch = batch[np.isfinite(batch).all(axis=-1)]
        if not len(batch):
            return self
        mean = batch.mean(axis=0)
        squares = np.square(batch - mean).sum(axis=0)
        return self.merged(RunningStatistics(np.asarray(float(len(batch))), mean, squares))

    def merged(self, other: RunningStatistics) -> RunningStatistics:
        """The statistics of what either has seen."""
        count = self.count + other.count
        if not count:
            return self
        shift, share = other.mean - self.mean, other.count / count
        return RunningStatistics(
            count=np.asarray(count),
            mean=self.mean + shift * share,
            squares=self.squares + other.squares + shift**2 * (self.count * share),
        )

    def scale(self, chosen: NDArray[np.bool_]) -> Scale:
        """The change that gives the ``chosen`` features, bool (D,), mean 0 and deviation 1.

        The other features stay as they are; before anything has been seen all do.
        """
        std = np.sqrt(self.squares / np.maximum(self.count, 1))
        varies = chosen & (std >= _LEAST_STD)
        return Scale(
            mean=np.where(chosen, self.mean, 0).astype(np.float32),
            std=np.where(varies, std, 1).astype(np.float32),
        )

"""Errors of the hand that rollouts are played with."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from carrom.physics.noise import ExecutionNoise

_NORMAL = NormalDist()


def spread_errors(
    noise: ExecutionNoise, rng: np.random.Generator, count: int
) -> NDArray[np.float64]:
    """Errors as the hand makes them, spread evenly over what is likely.

    Each column is stratified (Latin hypercube sampling: McKay, Beckman and Conover, 1979):
    every one of ``count`` equally likely intervals holds one of its errors. Whether a shot
    succeeds hangs mostly on one of the errors, and so its chance is found with fewer rollouts.

    Args:
        noise: the standard deviations.
        rng: draws.
        count: how many.

    Returns:
        (count, 3): of the place, m; of the direction, rad; of the speed, as a fraction of it.
    """
    stratum = rng.permuted(np.tile(np.arange(count)[:, None], 3), axis=0)
    # Never 0 or 1, which have no finite quantile.
    share = np.clip((stratum + rng.random((count, 3))) / count, 1e-12, 1 - 1e-12)
    normal = np.array([_NORMAL.inv_cdf(each) for each in share.ravel().tolist()])
    return normal.reshape(count, 3) * (noise.place, noise.direction, noise.speed)


def as_made(strikes: NDArray[np.float64], errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every strike with every error, as ``ExecutionNoise.apply`` would make it.

    Args:
        strikes: (n, 3), place, direction, speed.
        errors: (r, 3), see ``spread_errors``.

    Returns:
        (n, r, 3).
    """
    made = strikes[:, None] + errors
    made[..., 2] = np.maximum(strikes[:, None, 2] * (1 + errors[:, 2]), 0.0)
    return made

"""A stroke's film at a steady rate: what videos and windows show."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from carrom.errors import ConfigError
from carrom.nets import EMPTY, Nets, nets_after
from carrom.physics.motion import Motion, Trajectory

Moment: TypeAlias = tuple[NDArray[np.float64], NDArray[np.bool_], Nets]
"""What renderers draw: positions (20, 2), m, board frame; in play (20,); what is in the nets."""


def stills(
    trajectory: Trajectory, fps: float
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.bool_]]]:
    """Positions of the film at ``fps`` per second, from its first moment to its last.

    Between two samples a disc moves straight and evenly; it is in play as it was at the
    earlier one. The last still is the position at rest, at most one period late.

    Args:
        trajectory: the film.
        fps: stills per second of the stroke.

    Yields:
        Positions (20, 2), m, board frame, and in play (20,).

    Raises:
        ConfigError: ``fps`` is not positive and finite.
    """
    if not (math.isfinite(fps) and fps > 0):
        raise ConfigError(f"fps = {fps!r}: expected a positive number of stills per second")
    times = trajectory.times
    # A hair less than the exact quotient: rounding must not add a still.
    count = math.ceil((times[-1] - times[0]) * fps - 1e-6) + 1
    for index in range(count):
        yield _at(trajectory, min(times[0] + index / fps, times[-1]))


def moments(motion: Motion, fps: float, nets: Nets = EMPTY) -> Iterator[Moment]:
    """The film of a stroke at ``fps`` per second; what falls is in a net from then on.

    Args:
        motion: the stroke; there are no moments if it has no film.
        fps: as for ``stills``.
        nets: what is in them before the stroke.

    Raises:
        ConfigError: as from ``stills``.
    """
    if motion.trajectory is None:
        return
    for positions, in_play in stills(motion.trajectory, fps):
        falls = (fall for fall in motion.pocketed if not in_play[fall.index])
        yield positions, in_play, nets_after(nets, falls)


def _at(trajectory: Trajectory, time: float) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    times = trajectory.times
    before = int(np.searchsorted(times, time, side="right")) - 1
    after = min(before + 1, len(times) - 1)
    span = times[after] - times[before]
    part = (time - times[before]) / span if span > 0 else 0.0
    start, end = trajectory.positions[before], trajectory.positions[after]
    return start + part * (end - start), trajectory.in_play[before].copy()

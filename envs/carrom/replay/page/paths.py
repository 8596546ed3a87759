"""Paths of discs in few numbers: corners between which a disc moves straight and evenly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carrom.physics.motion import Trajectory

UNIT = 1e-4
"""m: a tenth of a millimetre is what places are rounded to."""
TOLERANCE = 2e-4
"""m by which a disc may be beside where it was at that moment; a third of a pixel or less."""
_STILL = 5e-5
"""m; who moves less stays where he is."""


def paths(trajectory: Trajectory) -> dict[str, list[int]]:
    """The paths of the discs that moved.

    Args:
        trajectory: the film, at a rate at which straight lines between frames are good enough.

    Returns:
        By index of the disc: time in ms, x and y in ``UNIT``, first of its start, then, as
        differences to the one before, of each corner; the last is where it came to rest or
        fell.
    """
    moved = {}
    for index in range(trajectory.positions.shape[1]):
        there = trajectory.in_play[:, index]
        if not there[0]:
            continue
        # The first frame after a fall shows where it fell.
        count = min(int(there.sum()) + 1, len(there))
        places = trajectory.positions[:count, index]
        if np.max(np.abs(places - places[0])) > _STILL:
            moved[str(index)] = _coded(trajectory.times[:count], places)
    return moved


def corners(
    times: NDArray[np.float64], places: NDArray[np.float64], tolerance: float
) -> NDArray[np.intp]:
    """The fewest halvings' worth of frames between which the others lie straight and evenly.

    Ramer, Douglas and Peucker's way, with the distance at equal times.

    Args:
        times: (T,), ascending.
        places: (T, 2).
        tolerance: largest distance of a frame from the line between its corners, as places.

    Returns:
        Indices of frames, ascending, the first and the last among them.
    """
    kept, open_spans = {0, len(times) - 1}, [(0, len(times) - 1)]
    while open_spans:
        first, last = open_spans.pop()
        if last - first < 2:
            continue
        span = slice(first + 1, last)
        share = (times[span] - times[first]) / (times[last] - times[first])
        line = places[first] + share[:, None] * (places[last] - places[first])
        apart = np.hypot(*(places[span] - line).T)
        worst = int(np.argmax(apart))
        if apart[worst] > tolerance:
            middle = first + 1 + worst
            kept.add(middle)
            open_spans += [(first, middle), (middle, last)]
    return np.array(sorted(kept))


def _coded(times: NDArray[np.float64], places: NDArray[np.float64]) -> list[int]:
    # When it has stopped, the rest of the film is nothing new.
    still = np.flatnonzero(np.any(np.abs(places - places[-1]) > UNIT / 2, axis=1))
    count = int(still[-1]) + 2 if len(still) else 1
    times, places = times[:count], places[:count]
    chosen = corners(times, places, TOLERANCE)
    whole = np.column_stack([np.rint(times[chosen] * 1000), np.rint(places[chosen] / UNIT)])
    return np.diff(whole, axis=0, prepend=0).astype(int).ravel().tolist()

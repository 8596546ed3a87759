"""Frames of a stroke, taken without shortening its legs."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from carrom.physics.state import Record


@numba.njit
def expose(
    shot: Record,
    position: NDArray[np.float64],
    film: NDArray[np.float64],
    film_in_play: NDArray[np.bool_],
) -> None:
    """Take the frames of the film that fall into the leg just made.

    Positions are quadratic in time through the leg's ends, exact at constant deceleration.
    """
    while shot.film_period > 0.0 and shot.n_frames * shot.film_period < shot.time:
        since = shot.n_frames * shot.film_period - (shot.time - shot.leg)
        part = since / shot.leg
        for i in range(len(position)):
            film_in_play[shot.n_frames, i] = shot.in_play[i]
            for axis in range(2):
                if shot.in_play[i]:
                    start, speed = shot.start[i, axis], shot.start_velocity[i, axis]
                    bend = position[i, axis] - start - speed * shot.leg
                    place = start + speed * since + bend * part * part
                else:
                    place = shot.last_place[i, axis]
                film[shot.n_frames, i, axis] = place
        shot.n_frames += 1

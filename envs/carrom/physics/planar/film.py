"""The film of a stroke, from its recording: between two frames everything is closed form."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carrom.physics.motion import Motion, Trajectory
from carrom.pieces import STRIKER


def trajectory(
    frames: NDArray[np.floating],
    slots: NDArray[np.intp],
    fall_times: NDArray[np.float64],
    motion: Motion,
    rate: float,
) -> Trajectory:
    """Pictures at multiples of 1 / ``rate``, and one at rest.

    Args:
        frames: of the whole stroke, as ``recording.Part.frames``.
        slots: (20,), in which slot each disc is; any for absent ones.
        fall_times: (20,), s, inf for discs that do not fall and -inf for absent ones.
        motion: the outcome.
        rate: pictures per second.
    """
    pictures = math.ceil(motion.duration * rate)
    times = np.append(np.arange(pictures) / rate, motion.duration)
    begins = frames[:, 0].astype(np.float64)
    last = np.searchsorted(begins, times, side="right") - 1
    values = frames[last, 1:].astype(np.float64).reshape(len(times), 5, -1)
    x, y, vx, vy, braking = np.moveaxis(values[..., slots], 1, 0)
    speed = np.hypot(vx, vy)
    sliding = np.minimum((times - begins[last])[:, None], speed / braking)
    # The mean speed over the present one, times how long the disc slides.
    way = (1 - 0.5 * braking * sliding / np.where(speed > 0, speed, 1)) * sliding
    positions = np.stack([x + vx * way, y + vy * way], axis=-1)
    positions[:, np.isneginf(fall_times)] = 0.0
    at_rest = motion.layout.on_board
    positions[-1, :STRIKER][at_rest] = motion.layout.positions[at_rest]
    return Trajectory(times, positions, times[:, None] < fall_times)

"""The film of a stroke, from its keyframes: between two of them everything is closed form."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carrom.physics.motion import Motion, Trajectory
from carrom.physics.planar.strokes import Keyframes
from carrom.pieces import STRIKER


def trajectory(
    keyframes: Keyframes,
    fall_times: NDArray[np.float64],
    slots: NDArray[np.intp],
    motion: Motion,
    rate: float,
) -> Trajectory:
    """Frames at multiples of 1 / ``rate``, and one at rest.

    Args:
        keyframes: of the stroke.
        fall_times: (20,), s, inf for discs that do not fall and -inf for absent ones.
        slots: (20,), in which slot each disc is; any for absent ones.
        motion: the outcome.
        rate: frames per second.
    """
    frames = math.ceil(motion.duration * rate)
    times = np.append(np.arange(frames) / rate, motion.duration)
    rows = int(keyframes.length)
    keys = np.asarray(keyframes.times[:rows], np.float64)
    row = np.searchsorted(keys, times, side="right") - 1
    x, y, vx, vy, braking = (
        np.asarray(values, np.float64)[row][:, slots]
        for values in (
            keyframes.x, keyframes.y, keyframes.vx, keyframes.vy, keyframes.braking,
        )
    )  # fmt: skip
    speed = np.hypot(vx, vy)
    sliding = np.minimum((times - keys[row])[:, None], speed / braking)
    # The part of the speed that is left, on the average, times how long it slides.
    part = (1 - 0.5 * braking * sliding / np.where(speed > 0, speed, 1)) * sliding
    positions = np.stack([x + vx * part, y + vy * part], axis=-1)
    positions[:, np.isneginf(fall_times)] = 0.0
    here = motion.layout.on_board
    positions[-1, :STRIKER][here] = motion.layout.positions[here]
    return Trajectory(times, positions, times[:, None] < fall_times)

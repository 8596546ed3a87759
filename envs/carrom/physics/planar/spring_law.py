"""One contact that is a spring and a dashpot, over one small step.

The law is that of ``carrom.physics.cluster``: x'' = -(pi^2 x + b x')+ for an overlap x, in units
of the contact time. The steps are larger here, and of second order where that one's are of
first: places are those in the middle of a step, velocities are taken there too, and a contact
that begins within a step acts for the rest of it. So twelve steps per contact are as near to the
limit of small steps as twenty-four of the other, and the restitution depends a fourth as much on
the moment in a step at which a contact begins.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

STEPS_PER_CONTACT = 12
"""Steps per contact time: the speeds after a break's first contacts are right to 0.4 % of the
striker's."""
RESTITUTIONS = np.linspace(0.05, 0.98, 187)
"""Those at which the damping is tabulated."""
_PHASES = 32
_CONTACT_TIMES = 8
"""After so many the slowest contact of ``RESTITUTIONS`` is over."""


def begins(overlap: Any, closing: Any, step: Any) -> Any:
    """Whether a contact begins within the step.

    Args:
        overlap: in the middle of the step, m; negative for a gap.
        closing: speed there, m/s.
        step: s.
    """
    return abs(overlap) < closing * (step / 2)


def mean_push(overlap: Any, closing: Any, stiffness: Any, damping: Any, step: Any) -> Any:
    """Force that a contact has in the mean of a step, per reduced mass, m/s^2; it never pulls.

    Args:
        overlap: as in ``begins``, an array of NumPy or JAX.
        closing: as in ``begins``.
        stiffness: 1/s^2.
        damping: 1/s.
        step: s.
    """
    xp = overlap.__array_namespace__()
    within = xp.maximum(stiffness * overlap + damping * closing, 0) * step
    # v (1 - e^(-...)) to second order in the time that is left of the step.
    left = step / 2 + overlap / xp.maximum(closing, 1e-9)
    entering = closing * left * (damping + (stiffness - damping * damping) * left / 2)
    pushes = xp.where(overlap > 0, within, 0)
    # A division last: what ends in one is not computed again for each of its uses.
    return xp.where(begins(overlap, closing, step), entering, pushes) / step


@functools.cache
def dampings() -> NDArray[np.float64]:
    """The damping b that gives each of ``RESTITUTIONS``, in contact times, (187,).

    By bisection on the steps in use: the textbook value is too weak, as the force never pulls.
    """
    low, high = np.zeros_like(RESTITUTIONS), np.full_like(RESTITUTIONS, 10.0)
    for _ in range(40):
        middle = (low + high) / 2
        weak = restitution(middle).mean(axis=1) > RESTITUTIONS
        low, high = np.where(weak, middle, low), np.where(weak, high, middle)
    return low


def restitution(damping: NDArray[np.float64]) -> NDArray[np.float64]:
    """Restitution of contacts that begin at evenly spread moments of a step.

    Args:
        damping: (M,), in contact times.

    Returns:
        (M, 32), one for each moment.
    """
    step = 1 / STEPS_PER_CONTACT
    moments = (np.arange(_PHASES) + 0.5) / _PHASES
    overlap = np.tile((0.5 - moments) * step, (len(damping), 1))
    speed, kick = np.ones_like(overlap), np.zeros_like(overlap)
    for _ in range(_CONTACT_TIMES * STEPS_PER_CONTACT):
        push = mean_push(overlap, speed - kick / 2, math.pi**2, damping[:, None], step)
        kick = push * step
        speed = speed - kick
        overlap = overlap + speed * step
    return -speed

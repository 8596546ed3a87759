"""Which values are numbers to compute with."""

from __future__ import annotations

import math
from numbers import Real


def is_finite(value: object) -> bool:
    """Whether it is a real number that floating point can hold.

    ``math.isfinite`` fails on whole numbers of more than 308 digits, as files can hold them.
    """
    try:
        return isinstance(value, Real) and math.isfinite(value)
    except OverflowError:
        return False

"""What every engine asks of those who call it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral

from carrom.errors import ConfigError
from carrom.layout import Layout
from carrom.physics.strike import Strike


def check_counts(
    layouts: Sequence[Layout], strikes: Sequence[Strike], seats: Sequence[int]
) -> None:
    """Refuse batches of different lengths.

    Raises:
        ConfigError: the numbers of layouts, strikes and seats differ.
    """
    if not len(layouts) == len(strikes) == len(seats):
        raise ConfigError(
            f"{len(layouts)} layouts, {len(strikes)} strikes and {len(seats)} seats: expected "
            "as many of each"
        )


def check_seat(seat: int) -> None:
    """Refuse a seat that does not exist.

    Raises:
        ConfigError: it is none of 0 to 3.
    """
    if not isinstance(seat, Integral) or not 0 <= seat <= 3:
        raise ConfigError(f"seat = {seat!r}: expected 0, 1, 2 or 3")


def check_rate(trajectory_rate: float | None) -> None:
    """Refuse a film that cannot be made.

    Raises:
        ConfigError: the rate is not positive and finite.
    """
    if trajectory_rate is not None and not 0 < trajectory_rate < math.inf:
        raise ConfigError(f"trajectory_rate = {trajectory_rate!r}: expected a rate > 0 in 1/s")

"""Execution noise: how far a strike as made is from the strike as meant."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np

from carrom.errors import ConfigError, one_of
from carrom.finite import is_finite
from carrom.physics.strike import Strike


@dataclass(frozen=True)
class ExecutionNoise:
    """Standard deviations of independent normal errors.

    Attributes:
        place: of the place along the base line, m.
        direction: of the direction, rad.
        speed: of the speed, as a fraction of it.
    """

    place: float
    direction: float
    speed: float

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if not (is_finite(value) and value >= 0):
                raise ConfigError(
                    f"execution noise {field.name} = {value!r:.60}: expected a finite number >= 0"
                )

    def apply(self, strike: Strike, rng: np.random.Generator) -> Strike:
        """The strike as made. Always draws three numbers, whatever the level."""
        place, direction, speed = rng.standard_normal(3)
        return dataclasses.replace(
            strike,
            place=strike.place + self.place * float(place),
            direction=strike.direction + self.direction * float(direction),
            speed=max(strike.speed * (1 + self.speed * float(speed)), 0.0),
        )


NOISE_LEVELS = {
    "none": ExecutionNoise(0.0, 0.0, 0.0),
    "master": ExecutionNoise(0.3e-3, math.radians(0.1), 0.01),
    "expert": ExecutionNoise(0.5e-3, math.radians(0.2), 0.02),
    "club": ExecutionNoise(1e-3, math.radians(0.5), 0.05),
    "beginner": ExecutionNoise(2e-3, math.radians(1.5), 0.10),
}
"""Named levels. Estimates; noise models for pool and curling lie near ``master``."""


def execution_noise(level: str) -> ExecutionNoise:
    """The noise of the named level.

    Raises:
        ConfigError: there is no such level; lists the levels.
    """
    return NOISE_LEVELS[one_of("noise", level, NOISE_LEVELS)]

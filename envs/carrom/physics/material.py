"""What the board and the pieces are made of, as far as their motion tells.

No measured value for a carrom board was found anywhere: every number here is an estimate,
to be randomised over its range when a policy must not depend on it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from carrom.errors import ConfigError, one_of

GRAVITY = 9.81
"""m/s^2."""

_RANGE = "range"
_LIMITS = "limits"


def _estimate(
    nominal: float, randomise: tuple[float, float], limits: tuple[float, float], unit: str = ""
) -> Any:
    """A field: nominal value, range to randomise over, range the model holds in, unit."""
    return dataclasses.field(
        default=nominal, metadata={_RANGE: randomise, _LIMITS: limits, "unit": unit}
    )


@dataclass(frozen=True)
class Material:
    """Friction, restitution and capture parameters. All are estimates.

    Attributes:
        friction: Coulomb coefficient between a disc and the board.
        restitution_striker: Newton restitution between the striker and a carromman.
        restitution_carromman: Newton restitution between two carrommen.
        restitution_frame: Newton restitution between a disc and the frame.
        friction_rim: Coulomb coefficient between the rims of two discs.
        friction_frame: Coulomb coefficient between a rim and the frame.
        contact_time: how long a contact lasts, s. It matters where contacts overlap in time.
        edge_rounding: by how much the flat underside is smaller than the disc's radius, m.
        fall_time: how long a centre must stay inside the fall circle to fall, s.
        fall_factor: radius of the fall circle over the radius inside which a disc at rest
            tips over the rim.
        full_speed: the striker's speed at full force, m/s.

    Raises:
        ConfigError: a value is not finite or outside the range in which the model holds;
            names the parameter, the value and the range.
    """

    friction: float = _estimate(0.08, (0.05, 0.13), (0.005, 1.0))
    restitution_striker: float = _estimate(0.75, (0.5, 0.9), (0.05, 0.98))
    restitution_carromman: float = _estimate(0.70, (0.5, 0.9), (0.05, 0.98))
    restitution_frame: float = _estimate(0.72, (0.60, 0.85), (0.05, 0.98))
    friction_rim: float = _estimate(0.12, (0.05, 0.20), (0.0, 1.0))
    friction_frame: float = _estimate(0.12, (0.05, 0.20), (0.0, 1.0))
    contact_time: float = _estimate(0.1e-3, (0.05e-3, 0.2e-3), (0.01e-3, 1e-3), "s")
    edge_rounding: float = _estimate(1.0e-3, (0.0, 1.5e-3), (0.0, 5e-3), "m")
    fall_time: float = _estimate(15e-3, (0.0, 25e-3), (0.0, 0.1), "s")
    fall_factor: float = _estimate(1.0, (0.8, 1.4), (0.1, 1.5))
    full_speed: float = _estimate(5.0, (4.0, 6.0), (0.1, 10.0), "m/s")

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            low, high = field.metadata[_LIMITS]
            if not (isinstance(value, int | float) and low <= value <= high):  # also catches NaN
                unit = f" {field.metadata['unit']}".rstrip()
                raise ConfigError(
                    f"material {field.name} = {value!r:.60}{unit}: expected {low:g} to "
                    f"{high:g}{unit}"
                )

    @property
    def deceleration(self) -> float:
        """Deceleration of a disc that slides without spin, m/s^2."""
        return self.friction * GRAVITY

    @classmethod
    def sample(cls, rng: np.random.Generator) -> Material:
        """A material drawn uniformly from the ranges (domain randomisation)."""
        return cls(
            **{
                field.name: float(rng.uniform(*field.metadata[_RANGE]))
                for field in dataclasses.fields(cls)
            }
        )


def randomisation_range(name: str) -> tuple[float, float]:
    """Smallest and largest value that ``Material.sample`` draws for ``name``.

    Raises:
        ConfigError: there is no such parameter; lists those there are.
    """
    ranges = {field.name: field.metadata[_RANGE] for field in dataclasses.fields(Material)}
    return ranges[one_of("material parameter", name, ranges)]


MATERIALS = {
    "nominal": Material(),
    "fast": Material(friction=0.05, restitution_frame=0.80),
    "slow": Material(friction=0.13, restitution_frame=0.65),
}
"""Named materials: the nominal one, and well and badly powdered boards within the ranges."""


def material(name: str) -> Material:
    """The material called ``name``.

    Raises:
        ConfigError: there is no such material; lists those there are.
    """
    return MATERIALS[one_of("material", name, MATERIALS)]

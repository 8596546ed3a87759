"""A measured number beside what is demanded of it."""

from __future__ import annotations

from dataclasses import dataclass

MUJOCO, PLANAR, BOTH = "MuJoCo", "planar", "both"
"""Engines that a check is about."""


@dataclass(frozen=True)
class Check:
    """One line of the calibration.

    Attributes:
        name: what was measured.
        value: the measurement.
        limit: the demand.
        unit: of both.
        at_least: whether the demand is a lower limit; else it is an upper one.
        cases: strokes, impacts or settings it was measured on.
        engine: whose it is.
    """

    name: str
    value: float
    limit: float
    unit: str = ""
    at_least: bool = False
    cases: int = 1
    engine: str = MUJOCO

    @property
    def passed(self) -> bool:
        """Whether the demand is met; never by a value that is not a number."""
        met = self.value >= self.limit if self.at_least else self.value <= self.limit
        return bool(met)

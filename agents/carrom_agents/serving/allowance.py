"""How often somebody may do something: a bucket of tokens that fills evenly."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Allowance:
    """What may still be done.

    Attributes:
        rate_per_s: how fast it grows.
        most: to what.
        left: what there is.
        at: when it was looked at, s.
    """

    rate_per_s: float
    most: float
    left: float
    at: float

    def spent(self, now: float) -> tuple[bool, Allowance]:
        """Whether it may be done once more at ``now``, and what is left then."""
        left = min(self.most, self.left + self.rate_per_s * max(now - self.at, 0.0))
        allowed = left >= 1
        return allowed, replace(self, left=left - allowed, at=now)

"""The decision clock: 15 seconds for a stroke or a place, by the laws (46, 50, 88)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

CLOCKS = ("wall", "step")

_SLIP_S = 1.0
"""Seconds that a slip of the striker takes on the clock of steps (127.b)."""


@dataclass(frozen=True)
class Clock:
    """How long a player may take for a decision.

    Attributes:
        limit_s: seconds after which a decision is late; None for no limit.
        kind: "wall" measures the time really taken; "step" counts a second for each slip
            that is no stroke (127.b), so that what happens can be repeated.
        now: reads the time, s.
    """

    limit_s: float | None = None
    kind: str = "wall"
    now: Callable[[], float] = time.monotonic

    def thought_s(self, since: float) -> float:
        """Seconds used up by thinking since ``now()`` was ``since``."""
        return 0.0 if self.kind == "step" else self.now() - since

    @property
    def slip_s(self) -> float:
        """Seconds used up by a slip, beside the thinking."""
        return _SLIP_S if self.kind == "step" else 0.0

    def is_late(self, used_s: float) -> bool:
        """Whether a decision that took so long is late."""
        return self.limit_s is not None and used_s > self.limit_s

    def share_used(self, used_s: float) -> float:
        """Share of the limit that is used up, 0 to 1."""
        return 0.0 if self.limit_s is None else min(used_s / self.limit_s, 1.0)

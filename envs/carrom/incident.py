"""A stroke, or a breach without one, between the umpire's first word and his last.

The umpire rules as if everything that comes out finds room and nobody waives or claims less
than he may. Then those concerned decide, and he rules again on what they have decided.
"""

from __future__ import annotations

from dataclasses import dataclass

from carrom.errors import PhysicsError
from carrom.laws import MatchState, Ruling, StrokeFacts
from carrom.layout import Layout
from carrom.physics.motion import Motion
from carrom.physics.strike import Strike


@dataclass(frozen=True)
class Attempt:
    """A strike on its way.

    Attributes:
        strike: as it is made, noise included.
        breach: the law that it breaks by the way the striker is set; None if it is proper.
        possible: whether the striker can be set there at all (134).
        outcome: what came of it, or why nothing did.
        meant: the strike as the player decided it.
    """

    strike: Strike
    breach: str | None = None
    possible: bool = True
    outcome: Motion | PhysicsError | None = None
    meant: Strike | None = None

    @property
    def motion(self) -> Motion | None:
        """What the discs did, if they moved and the physics held."""
        return self.outcome if isinstance(self.outcome, Motion) else None

    @property
    def failure(self) -> PhysicsError | None:
        """Why the physics did not hold, if it did not."""
        return self.outcome if isinstance(self.outcome, PhysicsError) else None


@dataclass(frozen=True)
class Due:
    """A carromman that has to be laid.

    Attributes:
        colour: its colour.
        seat: who lays it (78.b).
        owed: whether it was owed: a due, a penalty, or one that has waited for room. Otherwise
            it was wrongly pocketed just now.
        forgivable: whether it is a due or penalty; wrongly pocketed ones are laid whatever the
            placer thinks, even if they had to wait (U23).
    """

    colour: int
    seat: int
    owed: bool
    forgivable: bool


@dataclass(frozen=True)
class Laid:
    """A carromman or the queen put back on the board.

    Attributes:
        index: of the piece.
        seat: who laid it; None for the umpire.
        place: its centre, m, board frame.
        breach: the law that the wish of the player broke, if it had to be corrected.
    """

    index: int
    seat: int | None
    place: tuple[float, float]
    breach: str | None = None


@dataclass(frozen=True, eq=False)
class Incident:
    """What the umpire is ruling on.

    Attributes:
        seat: whose stroke or breach it is.
        facts: what he was told.
        match: after his ruling, as far as it goes.
        ruling: as far as it goes.
        layout: the discs, with what has been laid back.
        attempt: the strike; None for a breach without one.
        dues: what is still to be laid, in order (U24).
        laid: what has been laid.
        laid_owed: how many of these were owed.
        laid_fallen: how many were wrongly pocketed just now.
        begun: per colour, whether a due or penalty has been laid: then none can be waived.
        waived: per colour, whether the dues and penalties are forgiven.
        forgiven: how many were.
        without_room: whether some found no room.
    """

    seat: int
    facts: StrokeFacts
    match: MatchState
    ruling: Ruling
    layout: Layout
    attempt: Attempt | None = None
    dues: tuple[Due, ...] = ()
    laid: tuple[Laid, ...] = ()
    laid_owed: int = 0
    laid_fallen: int = 0
    begun: tuple[bool, bool] = (False, False)
    waived: tuple[bool, bool] = (False, False)
    forgiven: int = 0
    without_room: bool = False

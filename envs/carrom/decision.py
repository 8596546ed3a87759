"""What a player can be asked to decide, and the answers.

Most decisions are strikes. The laws leave others to the players: where a due or penalty
carromman is laid, or whether it is forgiven (9, 80, 87.a); how many of the extra points at
the end of a board are claimed (87.b); whether the winner of the toss takes the break or the
side (39).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from carrom.physics.strike import Strike


class Kind(Enum):
    """What is decided."""

    STRIKE = "strike"
    PLACE = "place"
    CLAIM = "claim"
    TOSS = "toss"


@dataclass(frozen=True)
class Decision:
    """A decision that somebody has to take.

    Attributes:
        kind: what is decided.
        seat: who decides.
        colour: of the carromman to be laid, for ``Kind.PLACE``.
        left: carrommen of that colour still to be laid, this one included.
        may_waive: whether the placer may forgive them: dues and penalties, all or none (87.a).
        claims: most extra points that can be claimed, for ``Kind.CLAIM``.
    """

    kind: Kind
    seat: int
    colour: int = -1
    left: int = 0
    may_waive: bool = False
    claims: int = 0


@dataclass(frozen=True)
class Request:
    """A decision as a player at the table sees it: seats are counted from his own.

    Attributes:
        kind: what is decided; None once the episode is over.
        by: who decides: 0 he himself, 1 the player on his right, 2 opposite, 3 on his left.
        turn: who has the turn, counted alike.
        own_turn: whether that is he himself or, in doubles, his partner.
        own_carromman: whether the carromman to be laid is of his own colour.
        left: as in ``Decision``.
        may_waive: as in ``Decision``.
        claims: as in ``Decision``.
        time_used: share of the time for this decision that was used up when it was put.
    """

    kind: Kind | None = Kind.STRIKE
    by: int = 0
    turn: int = 0
    own_turn: bool = True
    own_carromman: bool = False
    left: int = 0
    may_waive: bool = False
    claims: int = 0
    time_used: float = 0.0


STRIKE_NOW = Request()
"""The ordinary request: it is I who has to strike."""


@dataclass(frozen=True)
class Placement:
    """Where a carromman is to be laid: its centre in the frame of the placer's seat, m."""

    x: float
    y: float


@dataclass(frozen=True)
class Waiver:
    """The dues and penalties that could be placed now are forgiven (87.a)."""


@dataclass(frozen=True)
class Claim:
    """How many of the extra points are claimed (87.b)."""

    points: int


@dataclass(frozen=True)
class TossChoice:
    """Whether the winner of the toss takes the break; otherwise he takes the side (39)."""

    takes_break: bool


@dataclass(frozen=True)
class AsScripted:
    """Leaves a decision that is no strike to the scripted player."""


ANSWERS = (Strike, Placement, Waiver, Claim, TossChoice, AsScripted)
"""The kinds of answers there are."""
Answer: TypeAlias = Strike | Placement | Waiver | Claim | TossChoice | AsScripted

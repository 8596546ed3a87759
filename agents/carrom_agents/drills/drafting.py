"""From points of the plane to drills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from carrom_agents.drills.drill import Drill, DrillKind, Point, QueenPlace, Success

_BYSTANDERS = (0.0 + 0.352j, -0.352 + 0.03j, 0.352 + 0.03j, 0.0 - 0.352j)
"""Where an opponent's carromman may lie that has no part in a drill: there has to be one."""
_FIRST = Success(pocketed=(0,))
"""The first own carromman is to fall."""
_DIGITS = 5
"""Positions are kept to 10 micrometres."""


def drill(
    kind: DrillKind,
    number: int,
    task: str,
    own: Sequence[complex],
    opponent: Sequence[complex] = (),
    *,
    success: Success = _FIRST,
    queen: complex | None = None,
    queen_status: QueenPlace = "mine",
    plays: Literal["white", "black"] = "white",
    break_to_be_made: bool = False,
) -> Drill:
    """A drill from points; see ``Drill``.

    Args:
        kind: of shot.
        number: of the drill among those of its kind.
        task: for people.
        own: where his carrommen lie.
        opponent: where the opponent's lie; one far away from everything if none is given.
        success: the first own carromman falls if nothing else is said.
        queen: where she lies.
        queen_status: as in ``Drill``.
        plays: his colour.
        break_to_be_made: whether it is the break.
    """
    return Drill(
        name=f"{kind}-{number}",
        kind=kind,
        task=task,
        own=_points(own),
        opponent=_points(opponent or [_bystander(own)]),
        success=success,
        queen=None if queen is None else _point(queen),
        queen_status=queen_status,
        plays=plays,
        break_to_be_made=break_to_be_made,
    )


def _bystander(own: Sequence[complex]) -> complex:
    """The place that is farthest from all of the own carrommen."""
    return max(_BYSTANDERS, key=lambda place: min(abs(place - each) for each in own))


def _points(places: Sequence[complex]) -> tuple[Point, ...]:
    return tuple(_point(place) for place in places)


def _point(place: complex) -> Point:
    # Adding zero makes of -0.0 what it is.
    return round(place.real, _DIGITS) + 0.0, round(place.imag, _DIGITS) + 0.0


def centimetres(length: float) -> str:
    """A length, m, for people."""
    return f"{length * 100:.0f} cm"

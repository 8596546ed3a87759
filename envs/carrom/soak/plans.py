"""Which umpire soaks make up a run."""

from __future__ import annotations

import time
from collections.abc import Iterator

from carrom.laws import MatchFormat
from carrom.soak.report import Part, resident_bytes
from carrom.soak.umpire import Plan, soak

_WITHOUT_LIMIT = 5
"""One board or match in so many is played without a limit of boards (A11)."""


def plans(singles: int, doubles: int, matches: int, seed: int) -> list[Plan]:
    """The soaks of a run: both formats of a game, single boards and whole matches.

    Args:
        singles: boards of singles.
        doubles: boards of doubles.
        matches: matches, half of them doubles.
        seed: of everything.
    """
    made = []
    for doubles_too, boards in ((False, singles), (True, doubles)):
        for whole, count in ((False, boards), (True, matches // 2)):
            unlimited = count // _WITHOUT_LIMIT
            for limit, share in ((8, count - unlimited), (None, unlimited)):
                format = MatchFormat(doubles=doubles_too, board_limit=limit)
                made.append(Plan(format, share, matches=whole, seed=seed))
    return [plan for plan in made if plan.count]


def run(made: list[Plan]) -> Iterator[Part]:
    """Play the soaks one after the other.

    Raises:
        SoakError: a demand is not met.
    """
    for plan in made:
        start, before = time.perf_counter(), resident_bytes()
        figures = soak(plan)
        seconds = time.perf_counter() - start
        yield Part(_name(plan), plan.format, figures, seconds, (before, resident_bytes()))


def _name(plan: Plan) -> str:
    who = "doubles" if plan.format.doubles else "singles"
    what = "matches" if plan.matches else "boards"
    limit = "" if plan.format.board_limit else ", no limit of boards"
    return f"{what} of {who}{limit}"

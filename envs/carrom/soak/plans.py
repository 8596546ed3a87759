"""Which soaks make up a run."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from carrom.laws import MatchFormat
from carrom.soak.boards import BoardsPlan, soak_boards
from carrom.soak.report import Part, resident_bytes
from carrom.soak.umpire import Plan, soak

_WITHOUT_LIMIT = 5
"""One board or match in so many is played without a limit of boards (A11)."""
_BOARDS_OF_A_MATCH = 15
"""About so many, with players who strike at random."""
_EVERYTHING: dict[str, Any] = {
    "striker_placing": "strict",
    "due_placing": "agent",
    "claims": "agent",
    "toss": "agent",
}
"""Options by which the agent decides all that the laws leave to a player, faults included."""


def umpire_plans(singles: int, doubles: int, matches: int, seed: int) -> list[Plan]:
    """Soaks of the umpire: both formats of a game, single boards and whole matches.

    Args:
        singles: boards of singles.
        doubles: boards of doubles.
        matches: matches, half of them doubles.
        seed: of everything.
    """
    made = []
    for in_pairs, boards in ((False, singles), (True, doubles)):
        for whole, count in ((False, boards), (True, matches // 2)):
            unlimited = count // _WITHOUT_LIMIT
            for limit, share in ((8, count - unlimited), (None, unlimited)):
                format = MatchFormat(doubles=in_pairs, board_limit=limit)
                made.append(Plan(format, share, matches=whole, seed=seed))
    return [plan for plan in made if plan.count]


def board_plans(count: int, seed: int) -> list[BoardsPlan]:
    """Soaks with physics, with some ``count`` boards in all.

    Args:
        count: boards.
        seed: of everything.
    """
    kinds: dict[str, dict[str, Any]] = {
        "singles": {"task": "board"},
        "singles, everything decided": {"task": "board"} | _EVERYTHING,
        "doubles": {"task": "board", "doubles": True},
        "doubles, everything decided": {"task": "board", "doubles": True} | _EVERYTHING,
        "matches of doubles, everything decided": {"task": "match", "doubles": True} | _EVERYTHING,
    }
    made = []
    for number, (name, options) in enumerate(kinds.items()):
        share = count // len(kinds) + (number < count % len(kinds))
        whole = options["task"] == "match"
        episodes = -(-share // _BOARDS_OF_A_MATCH) if whole else share
        envs = min(32, episodes)
        made.append(BoardsPlan(f"MuJoCo, {name}", episodes, options, seed, envs))
    return [plan for plan in made if plan.count]


def run(made: Sequence[Plan | BoardsPlan]) -> Iterator[Part]:
    """Play the soaks one after the other.

    Raises:
        SoakError: a demand is not met.
    """
    for plan in made:
        yield soak_boards(plan) if isinstance(plan, BoardsPlan) else _soak_umpire(plan)


def _soak_umpire(plan: Plan) -> Part:
    start, before = time.perf_counter(), resident_bytes()
    figures = soak(plan)
    seconds = time.perf_counter() - start
    return Part(_name(plan), plan.format, figures, seconds, (before, resident_bytes()))


def _name(plan: Plan) -> str:
    who = "doubles" if plan.format.doubles else "singles"
    what = "Matches" if plan.matches else "Boards"
    limit = "" if plan.format.board_limit else ", no limit of boards"
    return f"{what} of {who}{limit}"

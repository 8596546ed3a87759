"""Random agents on real strokes, and whether what checks them would notice a mistake."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from carrom import striking, umpiring
from carrom.soak.boards import BoardsPlan, soak_boards
from carrom.soak.plans import board_plans, run
from carrom.soak.umpire import SoakError

EVERYTHING = {"striker_placing": "strict", "due_placing": "agent", "claims": "agent"}
PLAIN = BoardsPlan("singles", 12, {"task": "board", "max_strokes": 150}, seed=3, envs=6)
DECIDED = BoardsPlan(
    "doubles",
    8,
    {"task": "board", "doubles": True, "max_strokes": 150} | EVERYTHING,
    seed=4,
    envs=4,
)


@pytest.mark.parametrize("plan", [PLAIN, DECIDED], ids=["singles", "doubles, everything decided"])
def test_random_agents_meet_every_demand(plan: BoardsPlan):
    part = soak_boards(plan)
    figures = part.figures
    # A board that is void is replayed within its episode.
    voids = sum(figures.causes.get(law, 0) for law in ("137", "140", "142"))
    assert figures.boards - voids == plan.count
    assert sum(figures.causes.values()) + figures.cut == figures.boards
    assert figures.cut < plan.count
    assert figures.strokes == figures.lengths.sum()
    assert {"44", "48", "72.a", "78.a", "93"} <= set(figures.cited)
    assert ("49.b" in figures.cited) == part.format.doubles


def test_a_wrong_ruling_is_stopped(monkeypatch: pytest.MonkeyPatch):
    real = striking.rule_many_jit

    def lenient(*positions: Any, **options: Any) -> Any:
        """Forgives whatever is owed."""
        rulings = real(*positions, **options)
        return [
            (
                dataclasses.replace(
                    match, board=dataclasses.replace(match.board, owed=np.zeros(2, np.int32))
                ),
                ruling,
            )
            for match, ruling in rulings
        ]

    monkeypatch.setattr(striking, "rule_many_jit", lenient)
    with pytest.raises(SoakError, match=r"stroke \d+: not met: .*72\.c: the rest stays owed"):
        soak_boards(PLAIN)


def test_a_carromman_that_is_not_put_back_is_noticed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(umpiring, "_dues", lambda *_: ())
    with pytest.raises(SoakError, match="the umpire believes"):
        soak_boards(PLAIN)


@pytest.mark.slow
def test_long_soak_keeps_its_memory():
    for part in run(board_plans(2_000, seed=1)):
        assert part.figures.cut < part.figures.boards / 10
        before, after = part.resident
        assert after - before < 32 * 2**20, part.name

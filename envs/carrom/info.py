"""What ``reset`` and ``step`` report beside the observation."""

from __future__ import annotations

from typing import Any

from carrom.laws import colour_of
from carrom.table import Stroke, Table
from carrom.tasks import AGENT_SEAT


def reset_info(table: Table) -> dict[str, Any]:
    """What the opponent did before the agent's first decision."""
    return _told(table.played)


def step_info(table: Table) -> tuple[dict[str, Any], float]:
    """What happened since the agent's last step, and its reward: the sum of the terms."""
    terms, strokes = table.take_step()
    info = _told(strokes)
    info["reward_terms"] = terms
    info["facts"] = _facts(strokes)
    if table.result is not None:
        info["result"] = table.result
    return info, float(sum(terms.values()))


def _told(strokes: list[Stroke]) -> dict[str, Any]:
    return {
        "ruling": tuple(sentence for stroke in strokes for sentence in stroke.sentences),
        "strokes": len(strokes),
        "failures": sum(stroke.failure is not None for stroke in strokes),
    }


def _facts(strokes: list[Stroke]) -> dict[str, Any]:
    """The facts of the agent's own stroke; all false and zero if the step had none."""
    own = next((stroke for stroke in strokes if stroke.own and stroke.strike is not None), None)
    if own is None:
        names = ("touched", "proper", "pocketed_queen", "pocketed_striker")
        return dict.fromkeys(names, False) | {"pocketed_own": 0, "pocketed_opponent": 0}
    facts, board = own.facts, own.before.match.board
    colour = int(colour_of(AGENT_SEAT, board, doubles=False))
    return {
        "touched": bool(facts.touched),
        "proper": bool(facts.proper) and own.motion is not None,
        "pocketed_queen": bool(facts.pocketed_queen),
        "pocketed_striker": bool(facts.pocketed_striker),
        "pocketed_own": int(facts.pocketed[colour]),
        "pocketed_opponent": int(facts.pocketed[1 - colour]),
    }

"""What ``reset`` and ``step`` report beside the observation."""

from __future__ import annotations

from typing import Any

from carrom.answering import AnswerCoding
from carrom.laws import colour_of
from carrom.table import Stroke, Table
from carrom.tasks import AGENT_SEAT

CHOICES = {None: None, True: "break", False: "side"}
"""What the winner of the toss took, by ``Toss.takes_break``; None while he has not decided."""


def reset_info(table: Table, coding: AnswerCoding) -> dict[str, Any]:
    """What others did before the first decision from outside."""
    info = told(table, coding, table.played)
    if table.toss is not None:
        won = table.setting.side_of(table.toss.winner) == 0
        info["toss"] = {
            "winner": "own" if won else "opponent",
            "choice": CHOICES[table.toss.takes_break],
        }
    return info


def step_info(table: Table, coding: AnswerCoding) -> tuple[dict[str, Any], float]:
    """What happened since the agent's last step, and its reward: the sum of the terms."""
    terms, strokes = table.take_step()
    info = told(table, coding, strokes)
    info["reward_terms"] = terms
    info["facts"] = _facts(table, strokes)
    return info, float(sum(terms.values()))


def told(table: Table, coding: AnswerCoding, strokes: list[Stroke]) -> dict[str, Any]:
    """What the umpire says of the strokes, what is asked now, and how it ended if it has."""
    info: dict[str, Any] = {
        "ruling": tuple(sentence for stroke in strokes for sentence in stroke.sentences),
        "strokes": len(strokes),
        "failures": sum(stroke.failure is not None for stroke in strokes),
    }
    if coding.has_parts:
        asked = table.view.request.kind
        info["decision"] = "none" if asked is None else asked.value
        info["action_mask"] = coding.mask(table.view)
    if table.result is not None:
        info["result"] = table.result
    return info


def _facts(table: Table, strokes: list[Stroke]) -> dict[str, Any]:
    """The facts of the agent's own stroke; all false and zero if the step had none."""
    own = next((stroke for stroke in strokes if stroke.own and stroke.strike is not None), None)
    if own is None:
        names = ("touched", "proper", "pocketed_queen", "pocketed_striker")
        return dict.fromkeys(names, False) | {"pocketed_own": 0, "pocketed_opponent": 0}
    facts, board = own.facts, own.before.match.board
    colour = int(colour_of(AGENT_SEAT, board, doubles=table.setting.format.doubles))
    return {
        "touched": bool(facts.touched),
        "proper": bool(facts.proper) and own.motion is not None,
        "pocketed_queen": bool(facts.pocketed_queen),
        "pocketed_striker": bool(facts.pocketed_striker),
        "pocketed_own": int(facts.pocketed[colour]),
        "pocketed_opponent": int(facts.pocketed[1 - colour]),
    }

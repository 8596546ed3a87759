"""What a stroke earned the own side, and how an episode ended for it."""

from __future__ import annotations

from typing import Any

from carrom.errors import ConfigError
from carrom.laws import MatchState, Ruling, colour_of, side_with
from carrom.laws.finish import QUEEN_COUNTS_BELOW
from carrom.reward import board_terms, lead
from carrom.table import Setting, Stroke
from carrom.tasks import AGENT_SEAT, Unit

OUTCOME_REWARD = {"own": 1.0, "opponent": -1.0, None: 0.0}
"""What the preset ``result`` pays."""

_NAMES = {-1: None, 0: "own", 1: "opponent"}


def stroke_terms(setting: Setting, stroke: Stroke) -> dict[str, float]:
    """The stroke's reward terms under the preset in use; ``result`` is paid at the end.

    Terms of a user's own are taken as they are, also those of strokes that diverged.

    Raises:
        ConfigError: what the user's own function gives is no dictionary of numbers.
    """
    if callable(setting.reward):
        given = setting.reward(stroke)
        try:
            return {str(name): float(value) for name, value in given.items()}
        except (AttributeError, TypeError, ValueError):
            raise ConfigError(f"reward gave {given!r}: expected a number by each name") from None
    board, game = stroke.before.match.board, stroke.before.match.game
    doubles = setting.format.doubles
    colour = int(colour_of(AGENT_SEAT, board, doubles=doubles))
    if setting.reward == "result" or (stroke.failure and setting.task.unit is Unit.STROKE):
        return {}
    if setting.reward == "points":
        points = stroke.ruling.points
        terms = {"points": float(lead(points, colour))}
    else:
        scores = [int(game.score[side_with(c, board, doubles=doubles)]) for c in (0, 1)]
        counts = (scores[0] < QUEEN_COUNTS_BELOW, scores[1] < QUEEN_COUNTS_BELOW)
        after, facts, ruling = stroke.after.match.board, stroke.facts, stroke.ruling
        terms = {
            name: float(value)
            for name, value in board_terms(board, after, facts, ruling, colour, counts).items()
        }
    return terms | {"stroke": -1.0} if setting.task.solo else terms


def last_stroke(setting: Setting, stroke: Stroke) -> bool:
    """Whether the stroke ends the episode, by the task or by a user's own rule."""
    own = setting.ends
    return bool(ends_episode(setting.task.unit, stroke.ruling)) or (
        own is not None and bool(own(stroke))
    )


def ends_episode(unit: Unit, ruling: Ruling) -> Any:
    """Whether the ruling ends what the episode consists of, a flag of Python, NumPy or JAX."""
    return {
        Unit.STROKE: True,
        Unit.BOARD: ruling.board_over,
        Unit.GAME: ruling.game_over,
        Unit.MATCH: ruling.match_over,
    }[unit]


def result_of(setting: Setting, match: MatchState, ruling: Ruling) -> dict[str, Any]:
    """Who won what the episode consists of, and the score of it: (own, opponent's)."""
    own = int(colour_of(AGENT_SEAT, match.board, doubles=setting.format.doubles))
    winner = int(ruling.winner)
    board_side = -1 if winner < 0 else int(winner != own)
    side, pair = {
        Unit.STROKE: (board_side, ruling.points),
        Unit.BOARD: (board_side, ruling.points),
        Unit.GAME: (int(match.game.winner), match.game.score),
        Unit.MATCH: (int(match.winner), match.games_won),
    }[setting.task.unit]
    if setting.task.unit in (Unit.STROKE, Unit.BOARD):
        pair = (pair[own], pair[1 - own])
    return {"winner": _NAMES[side], "points": (int(pair[0]), int(pair[1]))}

"""The format of law cases: which fields a line has, and what may stand in them."""

from __future__ import annotations

import dataclasses
from typing import Any

from carrom.laws.lawbook import LAWS
from carrom.laws.schema import Check, Field, FieldError, boolean, choice, integer, obj, text, texts
from carrom.laws.state import DOUBLES, SINGLES, QueenState
from carrom.laws.stroke import ALL_CLAIMS, Event
from carrom.pieces import N_PER_SIDE

COLOURS = ("white", "black")
EVENTS = {
    "shot": Event.SHOT,
    "early_break": Event.EARLY_BREAK,
    "foul": Event.FOUL,
    "technical_foul": Event.TECHNICAL_FOUL,
    "technical_foul_opponent": Event.TECHNICAL_FOUL_OPPONENT,
    "technical_foul_partner": Event.TECHNICAL_FOUL_PARTNER,
    "out_of_turn": Event.OUT_OF_TURN,
    "out_of_turn_partner": Event.OUT_OF_TURN_PARTNER,
    "no_stroke": Event.NO_STROKE,
    "no_striker_space": Event.NO_STRIKER_SPACE,
    "void": Event.VOID,
    "concede_game": Event.CONCEDE_GAME,
    "concede_match": Event.CONCEDE_MATCH,
    "board_lost": Event.BOARD_LOST,
    "board_lost_opponent": Event.BOARD_LOST_OPPONENT,
    "concede_game_opponent": Event.CONCEDE_GAME_OPPONENT,
    "concede_match_opponent": Event.CONCEDE_MATCH_OPPONENT,
}
QUEENS = {
    "board": (QueenState.ON_BOARD,),
    "pending:white": (QueenState.WAITING, 0),
    "pending:black": (QueenState.WAITING, 1),
    "covered:white": (QueenState.COVERED_WHITE,),
    "covered:black": (QueenState.COVERED_BLACK,),
}
MODES = {"singles": SINGLES, "doubles": DOUBLES}


def _pair(count: Check, **more: Field) -> Field:
    return Field(obj({colour: Field(count) for colour in COLOURS} | more))


def _optional(field: Field) -> Field:
    return dataclasses.replace(field, required=False)


def _claims(value: Any, path: str) -> None:
    """How many extra points are claimed, or whether all are."""
    if type(value) is not bool and (type(value) is not int or not 0 <= value <= ALL_CLAIMS):
        raise FieldError(path, value, f"true, false or a whole number from 0 to {ALL_CLAIMS}")


def _law(value: Any, path: str) -> None:
    """The id of a law."""
    if not isinstance(value, str) or value not in LAWS:
        raise FieldError(path, value, 'a law, such as "130.a"')


_QUEEN = {"queen": Field(boolean)}
_PIECES = {"queen": Field(boolean), "striker": Field(boolean)}
_MANY = 999
"""No count of a match comes near it."""
_COUNT = integer(0, N_PER_SIDE)
_OWED = _pair(integer(0, 99))
"""Dues and penalties may outnumber the carrommen there are, but not by so many."""
_SEAT = integer(0, 3)
_GAMES = _pair(integer(0, _MANY))
_OPTIONAL_SEAT = Field(_SEAT, required=False, nullable=True)
_BEFORE = {
    "striker": Field(choice(*COLOURS)),
    "on_board": _pair(_COUNT, **_QUEEN),
    "queen": Field(choice(*QUEENS)),
    "owed": _OWED,
    "has_pocketed": _optional(_pair(boolean)),
    "score": _pair(integer(0, _MANY)),
    "board_number": Field(integer(1, _MANY)),
    "break_done": Field(boolean),
    "break_attempts_failed": Field(integer(0, 2)),
    "consecutive_idle_turns": Field(integer(0, _MANY)),
    "match": Field(
        obj(
            {
                "games": _GAMES,
                "game_number": Field(integer(1, 3)),
                "opened_match": Field(choice(*COLOURS)),
            }
        ),
        required=False,
    ),
    "striker_seat": Field(_SEAT, required=False),
    "breaker_seat": Field(_SEAT, required=False),
}
_AFTER = {
    "striker": Field(choice(*COLOURS), nullable=True),
    "on_board": _pair(_COUNT, **_QUEEN),
    "queen": Field(choice(*QUEENS), nullable=True),
    "owed": _pair(integer(0, _MANY)),
    "returned": _pair(_COUNT, **_QUEEN),
    "board_over": Field(boolean),
    "winner": Field(choice(*COLOURS), nullable=True),
    "points": _pair(integer(0, _MANY)),
    "game_over": Field(boolean),
    "board_replayed": Field(boolean),
    "rebreak": Field(boolean),
    "match": Field(
        obj(
            {
                "games": _GAMES,
                "match_over": Field(boolean),
                "match_winner": Field(choice(*COLOURS), nullable=True),
                "next_breaker": Field(choice(*COLOURS), nullable=True),
            }
        ),
    ),
    "striker_seat": _OPTIONAL_SEAT,
    "placer_seat": _OPTIONAL_SEAT,
    "next_breaker_seat": _OPTIONAL_SEAT,
}
CASE: Check = obj(
    {
        "id": Field(text),
        "laws": Field(texts, required=False),
        "title": Field(text, required=False),
        "note": Field(text, required=False),
        "mode": Field(choice(*MODES)),
        "event": Field(choice(*EVENTS), required=False),
        "claims": Field(_claims, required=False),
        "breach": Field(_law, required=False, nullable=True),
        "decline": Field(boolean, required=False),
        "space": Field(boolean, required=False),
        "before": Field(obj(_BEFORE)),
        "shot": Field(
            obj(
                {
                    "proper": Field(boolean),
                    "touched": Field(boolean),
                    "pocketed": _pair(_COUNT, **_PIECES),
                    "overboard": _pair(_COUNT, **_PIECES),
                }
            )
        ),
        "after": Field(
            obj(
                {name: dataclasses.replace(field, required=False) for name, field in _AFTER.items()}
            ),
            required=False,
        ),
    }
)
"""Refuses a line that is not a case."""

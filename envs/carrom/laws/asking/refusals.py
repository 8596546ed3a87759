"""What the umpire refuses, in the words of a question and not of a case's fields."""

from __future__ import annotations

import re

from carrom.errors import FactsError
from carrom.laws.asking.vocabulary import EVENT_WORDS
from carrom.laws.case_format import COLOURS
from carrom.laws.schema import FieldError
from carrom.laws.stroke import Event

_CLAUSES = {
    "before.on_board": "on board",
    "before.owed": "owed",
    "before.score": "score",
    "before.board_number": "board",
    "before.break_attempts_failed": "break missed",
    "before.consecutive_idle_turns": "idle turns",
    "before.match.games": "games",
    "before.match.game_number": "game",
    "before.match.opened_match": "opened the match",
    "before.striker_seat": "seat to play",
    "before.breaker_seat": "seat that broke",
    "shot.pocketed": "pocketed",
    "shot.overboard": "jumped",
}
_SENTENCES = {
    "before.on_board.queen": "queen: said to be on board and elsewhere, expected one of the two",
    "before.break_done": "break to be made: expected nothing off the board before it",
}
_FACTS = {"_queen = True": " queen", "overboard": "jumped"}


def in_words(error: FactsError) -> FactsError:
    """The same refusal for somebody who knows nothing of a case's fields or of ``Event``."""
    if isinstance(error, FieldError):
        return FactsError(_SENTENCES.get(error.path) or _of_field(error))
    said = str(error)
    for event in Event:
        said = re.sub(rf"\b(event = )?{event.name}\b", EVENT_WORDS[event] or "stroke", said)
    for name, words in _FACTS.items():
        said = said.replace(name, words)
    return FactsError(said)


def _of_field(error: FieldError) -> str:
    parent, _, last = error.path.rpartition(".")
    of_colour = last in COLOURS
    name = f"{_CLAUSES[parent]} {last}" if of_colour else _CLAUSES.get(error.path, error.path)
    return f"{name} = {error.value}: expected {error.expected}"

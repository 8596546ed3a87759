"""The umpire: the AICF laws as pure functions on small integer arrays.

``rule`` decides on a stroke, ``next_board`` starts the board after; both are pure and can be
jitted and vmapped. ``rule_jit`` and ``next_board_jit`` are the same for ordinary Python.
``cited`` and ``sentences`` put a ruling into words.
"""

from carrom.laws.finish import next_board, sides_change
from carrom.laws.host import next_board_jit, rule_jit
from carrom.laws.lawbook import LAW_IDS, LAWS, law_mask
from carrom.laws.ruling import Ruling
from carrom.laws.state import (
    DOUBLES,
    SINGLES,
    BoardState,
    GameState,
    MatchFormat,
    MatchState,
    QueenState,
    colour_of,
    new_board,
    new_game,
    new_match,
    side_of,
    side_with,
)
from carrom.laws.stroke import PLENTY, Event, StrokeFacts, check, foul_now
from carrom.laws.text import cited, sentences
from carrom.laws.umpire import rule

__all__ = [
    "DOUBLES",
    "LAWS",
    "LAW_IDS",
    "PLENTY",
    "SINGLES",
    "BoardState",
    "Event",
    "GameState",
    "MatchFormat",
    "MatchState",
    "QueenState",
    "Ruling",
    "StrokeFacts",
    "check",
    "cited",
    "colour_of",
    "foul_now",
    "law_mask",
    "new_board",
    "new_game",
    "new_match",
    "next_board",
    "next_board_jit",
    "rule",
    "rule_jit",
    "sentences",
    "side_of",
    "side_with",
    "sides_change",
]

"""The umpire: the AICF laws as pure functions on small integer arrays.

``rule`` decides on a stroke, ``next_board`` starts the board after, ``place_centre`` and
``place_due`` say where carrommen go back; all are pure and can be jitted and vmapped. The
names that end in ``_jit`` are the same for ordinary Python. ``cited`` and ``sentences`` put a
ruling into words.
"""

from carrom.laws.breaches import concession_by, foul_by, loss_by, out_of_turn_by
from carrom.laws.dues import (
    DueFaults,
    due_faults,
    legal_due_place,
    nearest_due_place,
    place_due,
)
from carrom.laws.host import next_board_jit, rule_jit, rule_many_jit
from carrom.laws.lawbook import LAW_IDS, LAWS, law_mask
from carrom.laws.match import next_board, next_break_law, sides_change
from carrom.laws.placing import place_centre, place_jumped
from carrom.laws.placing_host import (
    due_faults_jit,
    legal_due_places_jit,
    nearest_due_place_jit,
    place_centre_jit,
    place_due_jit,
    place_jumped_jit,
)
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
from carrom.laws.stroke import (
    ALL_CLAIMS,
    NO_BREACH,
    PLENTY,
    Event,
    StrokeFacts,
    check,
)
from carrom.laws.text import cited, sentences
from carrom.laws.umpire import rule

__all__ = [
    "ALL_CLAIMS",
    "DOUBLES",
    "LAWS",
    "LAW_IDS",
    "NO_BREACH",
    "PLENTY",
    "SINGLES",
    "BoardState",
    "DueFaults",
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
    "concession_by",
    "due_faults",
    "due_faults_jit",
    "foul_by",
    "law_mask",
    "legal_due_place",
    "legal_due_places_jit",
    "loss_by",
    "nearest_due_place",
    "nearest_due_place_jit",
    "new_board",
    "new_game",
    "new_match",
    "next_board",
    "next_board_jit",
    "next_break_law",
    "out_of_turn_by",
    "place_centre",
    "place_centre_jit",
    "place_due",
    "place_due_jit",
    "place_jumped",
    "place_jumped_jit",
    "rule",
    "rule_jit",
    "rule_many_jit",
    "sentences",
    "side_of",
    "side_with",
    "sides_change",
]

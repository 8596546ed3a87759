"""The words in which the umpire is asked: ``clauses`` reads them, ``answer`` says them."""

from __future__ import annotations

from carrom.laws.stroke import Event

MODES = ("singles", "doubles")
SIDES = {
    **dict.fromkeys(("white", "whites"), "white"),
    **dict.fromkeys(("black", "blacks"), "black"),
    **dict.fromkeys(("opponent", "opponents", "opposing"), "opponent"),
    "own": "own",
}
"""Whose carrommen, or who; "own" is the player with the turn."""
PIECES = SIDES | {"queen": "queen", "red": "queen", "striker": "striker"}
NUMBERS = {
    **{"no": 0, "none": 0, "zero": 0, "once": 1, "twice": 2},
    **{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5},
    **{"six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12},
}
ARTICLES = frozenset(("a", "an"))
CONJUNCTIONS = frozenset(("and", "with", "plus", "also", "then", "+", "&"))
"""No number counts what stands behind one of them."""
EARLIER = frozenset(("already",))
"""Said of what is pocketed, it was not pocketed by this stroke."""
PLURALS = frozenset(("men", "carrommen", "coins", "pieces", "whites", "blacks", "opponents"))
FILLERS = (
    frozenset(
        (
            *("the", "is", "are", "was", "were", "be", "been", "of", "it", "he", "his", "him"),
            *("they", "there", "in", "left", "lie", "lies", "lying", "already", "only", "now"),
            *("still", "yet", "times", "time", "s", "man", "carromman", "coin", "piece"),
            *("-", ":", "'", "(", ")", "/"),
        )
    )
    | ARTICLES
    | CONJUNCTIONS
    | PLURALS - SIDES.keys()
)
"""Words without weight of their own, so that people may write as they speak."""
NOTHING = frozenset(("nothing", "none", "nobody", "neither"))
POCKETED = frozenset(
    ("pocketed", "pockets", "pocket", "potted", "pots", "sank", "sunk", "sinks", "fell", "falls")
)
JUMPED = frozenset(("jumped", "jumps", "overboard"))
PLAYS = frozenset(("plays", "played", "strikes", "struck", "moves", "shoots", "turn"))
TO_PLAY = frozenset(("play", "strike", "move", "shoot", "break"))
DEBTS = frozenset(("due", "dues", "penalty", "penalties"))
WAITING = frozenset(("waiting", "waits", "pending", "uncovered"))
HELD = frozenset(("covered", "held"))

BREAK_OR_STROKE = "46 or 50"
"""Too late: by the law of the break while it is to be made, else by that of a stroke."""
CAUSES = {
    "arrow": "130.b",
    "striker on arrow": "130.b",
    "on arrow": "130.b",
    "circle": "130.b",
    "striker on circle": "130.b",
    "base circle": "130.b",
    "line": "130.a",
    "lines": "130.a",
    "off line": "130.a",
    "off lines": "130.a",
    "striker off line": "130.a",
    "striker off lines": "130.a",
    "base line": "130.a",
    "base lines": "130.a",
    "push": "33",
    "pushed": "33",
    "elbow": "37.a",
    "late": BREAK_OR_STROKE,
    "too late": BREAK_OR_STROKE,
    "moved": "134",
    "striker on": "134",
    "talked": "131",
    "powder": "122.b",
    "shook board": "126.a",
    "hit board": "126.a",
    "solid": "133",
    "placed outside": "85",
    "placed wrong colour": "82.a",
    "placed too late": "88.b",
    "placing moved": "86",
    "placed on centre": "89.b",
    "placed for shot": "114",
}
"""Why a stroke was improper or what the foul was, in a few words -> the law broken."""

EVENT_WORDS = {
    Event.SHOT: "",
    Event.EARLY_BREAK: "early break",
    Event.FOUL: "foul",
    Event.TECHNICAL_FOUL: "technical foul",
    Event.TECHNICAL_FOUL_OPPONENT: "technical foul by opponent",
    Event.TECHNICAL_FOUL_PARTNER: "technical foul by partner",
    Event.OUT_OF_TURN: "out of turn",
    Event.OUT_OF_TURN_PARTNER: "out of turn by partner",
    Event.NO_STRIKER_SPACE: "no place",
    Event.VOID: "void",
    Event.CONCEDE_GAME: "concedes the game",
    Event.CONCEDE_MATCH: "concedes the match",
    Event.BOARD_LOST: "loses the board",
    Event.BOARD_LOST_OPPONENT: "loses the board by opponent",
    Event.CONCEDE_GAME_OPPONENT: "concedes the game by opponent",
    Event.CONCEDE_MATCH_OPPONENT: "concedes the match by opponent",
    Event.NO_STROKE: "slip",
}
"""How each event is said and read."""
TIMES = {1: "once", 2: "twice"}
"""How often the break was missed, who missed it three times has lost it (45.b)."""

HELP = """\
Clauses in any order, with commas or without. What is left out is the default in brackets.
  position   singles | doubles [singles];  white to play [white];  seat 2 to play;  seat 0 broke
             3 white 5 black queen on board [9 white 9 black queen, without the queen once
             she is said to be elsewhere]
             queen waiting;  queen covered by black;  black owes 1 [nobody owes]
             white had one down [with fewer than nine on the board]
             score 21 to 13, white's first [0 to 0];  board 3 [1];  games 1 to 0;  game 3
             white opened the match;  break to be made;  break missed twice [break made]
             idle turns 5 [0]
  stroke     pocketed 1 white 2 black queen striker [nothing];  own and opponent's for colours
             jumped 1 white queen striker [nothing];  touched nothing [touched]
             improper, improper: striker on the arrow, improper: breach 130.a [proper]
  otherwise  foul;  technical foul;  the same by opponent or by partner;  out of turn;
             out of turn by partner;  early break;  slip;  no place;  void;
             concedes the game;  concedes the match;  loses the board;  breach 134
  afterwards claims none, claims 1 [claims all];  waives;  no room
"""

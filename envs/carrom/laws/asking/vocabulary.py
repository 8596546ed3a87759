"""The words in which the umpire is asked: ``clauses`` reads them, ``answer`` says them."""

from __future__ import annotations

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
    **{"six": 6, "seven": 7, "eight": 8, "nine": 9},
}
FILLERS = frozenset(
    (
        *("a", "an", "the", "and", "with", "is", "are", "was", "were", "be", "been", "of", "it"),
        *("he", "his", "him", "they", "then", "also", "there", "in", "left", "lie", "lies"),
        *("men", "man", "carrommen", "carromman", "coin", "coins", "piece", "pieces", "lying"),
        *("already", "only", "plus", "now", "still", "yet", "times", "time", "s"),
        *("-", ":", "+", "&", "'", "(", ")", "/"),
    )
)
"""Words without weight here, so that people may write as they speak."""
NOTHING = frozenset(("nothing", "none", "nobody", "neither"))
POCKETED = frozenset(("pocketed", "pockets", "pocket", "potted", "sank", "sunk", "fell"))
JUMPED = frozenset(("jumped", "jumps", "overboard"))
PLAYS = frozenset(("plays", "strikes", "moves", "shoots", "turn"))
TO_PLAY = frozenset(("play", "strike", "move", "shoot", "break"))
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

HELP = """\
Clauses in any order, with commas or without. What is left out is the default in brackets.
  position   singles | doubles [singles];  white to play [white];  seat 2 to play;  seat 0 broke
             3 white 5 black queen on board [9 white 9 black queen, without the queen once
             she is said to be elsewhere]
             queen waiting;  queen covered by black;  black owes 1 [nobody owes]
             white had one down [with fewer than nine on the board]
             score 21 to 13, white's first [0 to 0];  board 3 [1];  game 2;  games 1 to 0
             white opened the match;  break to be made;  break missed twice [break made]
             idle turns 5 [0]
  stroke     pocketed 1 white 2 black queen striker [nothing];  own and opponent's for colours
             jumped 1 white queen striker [nothing];  touched nothing [touched]
             improper, improper: striker on the arrow, improper: breach 130.a [proper]
  otherwise  foul;  technical foul;  the same by opponent or by partner;  out of turn;
             out of turn by partner;  early break;  slip;  no place;  void;
             concedes the game;  concedes the match;  breach 134
  afterwards claims none, claims 1 [claims all];  waives;  no room
"""

"""A question to the umpire in plain words, read into what a law case would say.

    question = clause {("," | ";" | ".") clause}
    pieces   = {[number] colour | colour number | "queen" | "striker"}

``carrom.laws.asking.HELP`` lists the clauses. Pieces that stand before their verb ("3 white, 5
black on board") wait for it, and pieces without one belong to the verb before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from carrom.errors import FactsError
from carrom.laws.asking import vocabulary
from carrom.laws.asking.sayings import SEPARATORS, Sayings, shown
from carrom.laws.asking.vocabulary import ARTICLES, CAUSES, NOTHING, PIECES, SIDES
from carrom.laws.lawbook import LAW_IDS

_PLAYERS = SIDES | {"partner": "partner"}


def read_clauses(text: str) -> dict[str, Any]:
    """What a question says.

    Args:
        text: the question.

    Returns:
        Only what was said, by these keys. Of the position: "mode", "striker" and "seat" (to
        play), "breaker_seat", "on_board", "queen" (as in law cases, or ("covered", a side)),
        "owed", "had_down", "score", "games", "game_number", "opened", "board_number",
        "break_done", "attempts", "idle". Of the stroke: "pocketed" and "jumped" (counts by
        "white", "black", "own", "opponent", "queen", "striker"), "touched", "proper", "event"
        (as in law cases), "by" (who), "breach", "claims", "waives", "room".

    Raises:
        FactsError: a word is not understood, or something is said twice; names it.
    """
    return _Reader(text).read()


class _Reader(Sayings):
    """The clauses."""

    def __init__(self, text: str) -> None:
        super().__init__(
            text,
            beginnings=sorted({*_CLAUSES, *PIECES}),
            verbs=frozenset(_SIDE_VERBS),
            expected=_EXPECTED,
        )

    def read(self) -> dict[str, Any]:
        """All clauses."""
        while self.at < len(self.words):
            separator = self.take(*SEPARATORS)
            if not separator:
                self._clause()
            elif separator != "," and self.verb != "on_board":
                self.verb = None
        self.park()
        if self.parked and "pocketed" in self.said and "on_board" not in self.said:
            # What fell has been said, so these are what lies there.
            self.said["on_board"], self.parked = self.parked, {}
        if self.parked:
            raise self.homeless()
        return self.said

    def _clause(self) -> None:
        if self.number_of() in PIECES or (self.peek() in PIECES and not self._of_side()):
            self.loose_pieces()
            return
        # Only pieces go on from pieces: in "pocketed 1 white, touched 1 black" one fell.
        self.verb = None
        self.park()
        word = self.peek()
        if self._of_side():
            self._side_clause()
        elif self.number_of() == "idle":
            self.say("idle", self.count("idle turns"))
            self.at += 1
            self.take("turn", "turns")
        elif word in _CLAUSES:
            if not self.takes(vocabulary.POCKETED | vocabulary.JUMPED):
                self.at += 1
            _CLAUSES[word](self)
        elif not self._known_cause():
            raise self.unknown("behind it what it counts" if self.number() is not None else None)

    def _of_side(self) -> bool:
        """Whether it is a clause about a side or the queen, and not about pieces."""
        word, verb = self.peek(), self.peek(1)
        if word in ("queen", "red"):
            return verb in vocabulary.WAITING | vocabulary.HELD
        # In "white pocketed 2 black" white is the player, in "1 white pocketed" it is not.
        acts = word in SIDES and verb in vocabulary.POCKETED and self._what_begins(2)
        return acts or (word in _PLAYERS and verb in _SIDE_VERBS)

    def _side_clause(self) -> None:
        word, verb = self.peek(), self.peek(1)
        self.at += 1
        if word in ("queen", "red"):
            self._queen()
        elif verb in _SIDE_VERBS:
            self.at += 1
            _SIDE_VERBS[verb](self, _PLAYERS[word])
        else:
            self.say("striker", SIDES[word])

    def _what_begins(self, ahead: int) -> bool:
        """Whether it is said there what was pocketed, even if it is not understood."""
        return self.pieces_begin(ahead) or self.number(ahead) is not None

    def _queen(self) -> None:
        if self.take(*vocabulary.WAITING):
            while self.take("for", "to", "cover", "covered"):
                pass
            self.say("queen", "waiting")
        else:
            self.at += 1
            self.take("by")
            self.say("queen", ("covered", self.one_of(SIDES, "by whom she is covered")))

    def _on_board(self) -> None:
        if not self.take("board"):
            raise self.unknown("on board")
        self.pieces_of("on_board")

    def _owed(self) -> None:
        self._owes_all({} if self.take(*NOTHING) else self.pieces(some=True))

    def _owes(self, side: str) -> None:
        one = self.follows(ARTICLES) and self.number() is None
        none = not one and bool(self.take("nothing"))
        self._owes_all({side: 1 if one else 0 if none else self.count_alone("owed")})
        self.take(*vocabulary.DEBTS)

    def _owes_all(self, counts: dict[str, int]) -> None:
        if self.said.get("owed", counts) == {} != counts:
            raise FactsError(f"{shown(counts)} owed: expected nothing, nobody owes was said")
        owed = self.said.setdefault("owed", {})
        for side, count in counts.items():
            if side in owed or side in ("queen", "striker"):
                raise FactsError(f"{side} owes {count}: expected each side once, and no other")
            owed[side] = count

    def _nobody(self) -> None:
        self.one_of(frozenset({"owes"}), "owes")
        self.say("owed", {})

    def _two_numbers(self, key: str) -> None:
        """Of white and of black, or each after its side."""
        if self.peek() in SIDES:
            first = self.one_of(SIDES, "a side"), self.count(key)
            self.take("to", ",")
            second = self.one_of(SIDES, "the other side"), self.count(key)
            counts = dict((first, second))
            if len(counts) < 2:
                raise FactsError(f"{key} of {first[0]} = {second[1]}: said before, expected once")
        else:
            counts = {"white": self.count(key)}
            self.take("to")
            counts["black"] = self.count(key)
        self.say(key, counts)

    def _break(self) -> None:
        if self.take("missed"):
            counted = self.number() is not None and self.number_of() not in PIECES
            self.say("attempts", self.count("times") if counted else 1)
            self.said.setdefault("break_done", False)
        elif self.take("made"):
            self.say("break_done", True)
        else:
            while self.take("to", "not", "made", "missing"):
                pass
            self.say("break_done", False)

    def _seat(self) -> None:
        seat = self.count("a seat")
        if self.take("broke"):
            self.say("breaker_seat", seat)
        elif self.take(*vocabulary.PLAYS) or (self.take("to") and self.take(*vocabulary.TO_PLAY)):
            self.say("seat", seat)
        else:
            raise self.unknown("to play, or broke")

    def _plays(self, side: str) -> None:
        if self.has("out turn"):
            self._event("out_of_turn", side)
        else:
            self.say("striker", side)

    def _to(self, side: str) -> None:
        verb = self.one_of(vocabulary.TO_PLAY, "to play")
        if verb == "break":
            self._breaks(side)
        else:
            self._plays(side)

    def _breaks(self, side: str) -> None:
        self.say("striker", side)
        self.say("break_done", False)

    def _missed(self, side: str) -> None:
        self.say("striker", side)
        self.say("touched", False)

    def _had(self, side: str) -> None:
        if self.peek() in ("queen", "red"):
            self._holds(side)
            return
        self.take("one", "1", "some")
        self.one_of(frozenset({"down"}), "one down")
        self.said.setdefault("had_down", {})[side] = True

    def _holds(self, side: str) -> None:
        self.one_of(frozenset({"queen", "red"}), "the queen")
        self.say("queen", ("covered", side))

    def _concedes(self, side: str | None = None) -> None:
        event = "concede_match" if self.take("match") else "concede_game"
        self.take("game")
        self._event(event, side)

    def _loses(self, side: str | None = None) -> None:
        self.one_of(frozenset({"board"}), "the board")
        self._event("board_lost", side)

    def _event(self, event: str, side: str | None = None) -> None:
        self.say("event", event)
        if side is None and self.take("by"):
            side = self.one_of(_PLAYERS, "by whom: opponent, partner, white or black")
        if side:
            self.say("by", side)
        self._cause(required=False)

    def _improper(self) -> None:
        self.say("proper", False)
        self.take("stroke")
        self._cause(required=False)

    def _cause(self, *, required: bool) -> None:
        """Why: a law, or a few words that stand for one."""
        self.take("because", "as")
        if self.take("breach", "against", "law") or required:
            self.take("law")
            if self.peek() not in LAW_IDS:
                raise self.unknown("a law, such as 130.a")
            self.say("breach", self.one_of(frozenset(LAW_IDS), "a law"))
            return
        separated = self.peek() == ","
        self.at += separated
        if not self._known_cause():
            self.at -= separated

    def _known_cause(self) -> bool:
        """A few words that stand for a law; whether they do."""
        for phrase in _CAUSE_PHRASES:
            if self.has(phrase):
                self.say("breach", CAUSES[phrase])
                return True
        return False

    def _claims(self) -> None:
        self.say("claims", True if self.take("all") else self.count_alone("all, none, 1 or 2"))

    def _no(self) -> None:
        word = self.one_of(frozenset(_DENIED), f"one of {', '.join(_DENIED)}")
        self.say(*_DENIED[word])

    def _touched(self) -> None:
        self.say("touched", not self.take(*NOTHING))
        # Which pieces were touched makes no difference.
        self.pieces()

    def _nothing(self) -> None:
        if self.take("touched"):
            self.say("touched", False)
        elif self.take(*vocabulary.POCKETED):
            self.say("pocketed", {})
        elif self.take(*vocabulary.JUMPED):
            self.say("jumped", {})
        else:
            raise self.unknown("pocketed, jumped or touched")

    def _jumped(self) -> None:
        self.has("off board")
        self.pieces_of("jumped")

    def _technical(self, side: str | None = None) -> None:
        self.take("foul")
        self._event("technical_foul", side)

    def _out_of_turn(self, side: str | None = None) -> None:
        self.one_of(frozenset({"turn"}), "turn")
        self._event("out_of_turn", side)

    def _early(self) -> None:
        self.take("break")
        self._event("early_break")

    def _idle(self) -> None:
        self.take("turn", "turns")
        self.say("idle", self.count_alone("idle turns"))

    def _games(self) -> None:
        self.take("won")
        self._two_numbers("games")

    def _opened(self, side: str) -> None:
        self.take("match")
        self.say("opened", side)


_CAUSE_PHRASES = sorted(CAUSES, key=lambda phrase: -len(phrase.split()))
"""The longest first, or its beginning would be taken for it."""
_DENIED = {
    "room": ("room", False),
    "stroke": ("event", "no_stroke"),
    "place": ("event", "no_striker_space"),
    "touch": ("touched", False),
    "foul": ("proper", True),
    "fouls": ("proper", True),
    **dict.fromkeys(vocabulary.DEBTS, ("owed", {})),
    "claim": ("claims", False),
    "claims": ("claims", False),
}
_CLAUSES: dict[str, Callable[[_Reader], None]] = {
    **{mode: lambda reader, mode=mode: reader.say("mode", mode) for mode in vocabulary.MODES},
    **{word: lambda reader: reader.pieces_of("pocketed") for word in vocabulary.POCKETED},
    **dict.fromkeys(vocabulary.JUMPED, _Reader._jumped),
    **dict.fromkeys(("nothing", "none"), _Reader._nothing),
    **dict.fromkeys(("nobody", "neither"), _Reader._nobody),
    **dict.fromkeys(("untouched", "missed"), lambda reader: reader.say("touched", False)),
    **dict.fromkeys(("foul", "fouls"), lambda reader: reader._event("foul")),
    **dict.fromkeys(("slip", "slipped"), lambda reader: reader.say("event", "no_stroke")),
    **dict.fromkeys(("concedes", "resigns"), _Reader._concedes),
    **dict.fromkeys(("loses", "forfeits"), _Reader._loses),
    **dict.fromkeys(("waives", "declines"), lambda reader: reader.say("waives", True)),
    **dict.fromkeys(("breach", "against"), lambda reader: reader._cause(required=True)),
    "on": _Reader._on_board,
    "owed": _Reader._owed,
    "score": lambda reader: reader._two_numbers("score"),
    "games": _Reader._games,
    "game": lambda reader: reader.say("game_number", reader.count_alone("a game")),
    "board": lambda reader: reader.say("board_number", reader.count_alone("a board")),
    "break": _Reader._break,
    "seat": _Reader._seat,
    "idle": _Reader._idle,
    "touched": _Reader._touched,
    "improper": _Reader._improper,
    "proper": lambda reader: reader.say("proper", True),
    "technical": _Reader._technical,
    "out": _Reader._out_of_turn,
    "early": _Reader._early,
    "void": lambda reader: reader.say("event", "void"),
    "claims": _Reader._claims,
    "no": _Reader._no,
}
_SIDE_VERBS: dict[str, Callable[[_Reader, str], None]] = {
    **dict.fromkeys(vocabulary.PLAYS, _Reader._plays),
    **dict.fromkeys(("had", "has"), _Reader._had),
    **dict.fromkeys(("holds", "covered"), _Reader._holds),
    **dict.fromkeys(("foul", "fouls"), lambda reader, side: reader._event("foul", side)),
    **dict.fromkeys(("concedes", "resigns"), lambda reader, side: reader._concedes(side)),
    **dict.fromkeys(("loses", "forfeits"), lambda reader, side: reader._loses(side)),
    "to": _Reader._to,
    "owes": _Reader._owes,
    "technical": _Reader._technical,
    "out": _Reader._out_of_turn,
    "opened": _Reader._opened,
    "breaks": _Reader._breaks,
    "missed": _Reader._missed,
}
_EXPECTED = (
    "white to play, 3 white 5 black queen on board, queen waiting, queen covered by black, black "
    "owes 1, score 21 to 13, board 3, break to be made, pocketed 1 own striker, jumped 1 black, "
    "touched nothing, improper, breach 130.a, foul, technical foul, out of turn, concedes, claims "
    "none, waives, no room, doubles, or a like clause"
)

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
from carrom.laws.asking.vocabulary import CAUSES, NOTHING, PIECES, SIDES
from carrom.laws.asking.words import Words, add
from carrom.laws.lawbook import LAW_IDS

_SEPARATORS = frozenset(",;.")
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


class _Reader(Words):
    """The clauses, and what they have said so far."""

    def __init__(self, text: str) -> None:
        super().__init__(
            text,
            beginnings=sorted({*_CLAUSES, *PIECES}),
            verbs=frozenset(_SIDE_VERBS),
            expected=_EXPECTED,
        )
        self.said: dict[str, Any] = {}
        self.pending: dict[str, int] = {}
        self.verb: str | None = None

    def read(self) -> dict[str, Any]:
        """All clauses."""
        while self.at < len(self.words):
            if not self.take(*_SEPARATORS):
                self._clause()
        if self.pending and "pocketed" in self.said and "on_board" not in self.said:
            # What fell has been said, so these are what lies there.
            self._resolve("on_board")
        if self.pending:
            raise FactsError(
                f"{_shown(self.pending)}: on board, pocketed or jumped? expected one of these words"
            )
        return self.said

    def _say(self, key: str, value: Any) -> None:
        # The same again does no harm, but the same pieces again may be meant to be more.
        if key in self.said and (isinstance(value, dict) or self.said[key] != value):
            named = key.replace("_", " ")
            raise FactsError(f"{named} = {_shown(value)}: said before, expected once")
        self.said[key] = value

    def _clause(self) -> None:
        word = self.peek()
        number_of = self.peek(1) if self.number() is not None else ""
        if word in ("queen", "red") and self.peek(1) in vocabulary.WAITING | vocabulary.HELD:
            self.at += 1
            self._queen()
        elif word in _PLAYERS and self.peek(1) in _SIDE_VERBS:
            self._side()
        elif word in SIDES and self.peek(1) in vocabulary.POCKETED and self._pieces_begin(2):
            # In "white pocketed 2 black" white is the player, in "1 white pocketed" it is not.
            self._say("striker", self.one_of(SIDES, "a side"))
        elif word in PIECES or number_of in PIECES:
            self._loose_pieces()
        elif number_of == "idle":
            self._say("idle", self.count("idle turns"))
            self.at += 1
            self.take("turn", "turns")
        elif word in _CLAUSES:
            self.at += 1
            _CLAUSES[word](self)
        elif not self._known_cause():
            raise self.unknown()

    def _side(self) -> None:
        side, verb = _PLAYERS[self.peek()], self.peek(1)
        self.at += 2
        _SIDE_VERBS[verb](self, side)

    def _pieces_begin(self, ahead: int) -> bool:
        """Whether pieces, or that there are none, begin there; not a clause about a side."""
        word, after = self.peek(ahead), self.peek(ahead + 1)
        if word in PIECES:
            return after not in self.verbs and after not in vocabulary.WAITING | vocabulary.HELD
        return word in NOTHING or (self.number(ahead) is not None and after in PIECES)

    def _loose_pieces(self) -> None:
        """Pieces before their verb, or more of them after it."""
        add(self.pending, self.pieces())
        if self._ends_on_board(0):
            self.at += 2
            self._resolve("on_board")
        elif not self._pieces_begin(1) and self.take(*vocabulary.POCKETED):
            self._resolve("pocketed")
        elif not self._pieces_begin(1) and self.take(*vocabulary.JUMPED):
            self._resolve("jumped")
        elif self.verb and not self._on_board_follows():
            add(self.said[self.verb], self.pending)
            self.pending = {}

    def _ends_on_board(self, ahead: int) -> bool:
        """Whether "on board" is there, said of the pieces before it and not of others."""
        said = [self.peek(ahead), self.peek(ahead + 1)] == ["on", "board"]
        return said and not self._pieces_begin(ahead + 2)

    def _on_board_follows(self) -> bool:
        """Whether further pieces come, and then "on board" of all of them."""
        ahead, last = 0, ""
        while self.peek(ahead) in _SEPARATORS or self._pieces_begin(ahead) or last.isdigit():
            last = self.peek(ahead)
            ahead += 1
        return last in PIECES and self._ends_on_board(ahead)

    def _resolve(self, verb: str) -> None:
        self._say(verb, self.pending)
        self.pending, self.verb = {}, verb

    def _pieces_of(self, verb: str) -> None:
        """Pieces after their verb."""
        self._say(verb, {} if self.take(*NOTHING) else self.pieces(some=True))
        self.verb = verb

    def _queen(self) -> None:
        if self.take(*vocabulary.WAITING):
            while self.take("for", "to", "cover", "covered"):
                pass
            self._say("queen", "waiting")
        else:
            self.at += 1
            self.take("by")
            self._say("queen", ("covered", self.one_of(SIDES, "by whom she is covered")))

    def _on_board(self) -> None:
        if not self.take("board"):
            raise self.unknown("on board")
        self._pieces_of("on_board")

    def _owed(self) -> None:
        self._owes_all({} if self.take(*NOTHING) else self.pieces(some=True))

    def _owes_all(self, counts: dict[str, int]) -> None:
        owed = self.said.setdefault("owed", {})
        for side, count in counts.items():
            if side in owed or side in ("queen", "striker"):
                raise FactsError(f"{side} owes {count}: expected each side once, and no other")
            owed[side] = count

    def _nobody(self) -> None:
        self.one_of(frozenset({"owes"}), "owes")
        self._say("owed", {})

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
        self._say(key, counts)

    def _break(self) -> None:
        if self.take("missed"):
            attempts = self.number()
            self._say("attempts", 1 if attempts is None else attempts)
            self.at += attempts is not None
            self.said.setdefault("break_done", False)
        elif self.take("made"):
            self._say("break_done", True)
        else:
            while self.take("to", "not", "made", "missing"):
                pass
            self._say("break_done", False)

    def _seat(self) -> None:
        seat = self.count("a seat")
        if self.take("broke"):
            self._say("breaker_seat", seat)
        elif self.take(*vocabulary.PLAYS) or (self.take("to") and self.take(*vocabulary.TO_PLAY)):
            self._say("seat", seat)
        else:
            raise self.unknown("to play, or broke")

    def _to(self, side: str) -> None:
        verb = self.one_of(vocabulary.TO_PLAY, "to play")
        if verb == "break":
            self._breaks(side)
        else:
            self._say("striker", side)

    def _breaks(self, side: str) -> None:
        self._say("striker", side)
        self._say("break_done", False)

    def _missed(self, side: str) -> None:
        self._say("striker", side)
        self._say("touched", False)

    def _had(self, side: str) -> None:
        self.take("one", "some")
        self.one_of(frozenset({"down"}), "one down")
        self.said.setdefault("had_down", {})[side] = True

    def _holds(self, side: str) -> None:
        self.one_of(frozenset({"queen"}), "the queen")
        self._say("queen", ("covered", side))

    def _concedes(self, side: str | None = None) -> None:
        event = "concede_match" if self.take("match") else "concede_game"
        self.take("game")
        self._event(event, side)

    def _event(self, event: str, side: str | None = None) -> None:
        self._say("event", event)
        if side is None and self.take("by"):
            side = self.one_of(_PLAYERS, "by whom: opponent, partner, white or black")
        if side:
            self._say("by", side)
        self._cause(required=False)

    def _improper(self) -> None:
        self._say("proper", False)
        self.take("stroke")
        self._cause(required=False)

    def _cause(self, *, required: bool) -> None:
        """Why: a law, or a few words that stand for one."""
        self.take("because", "as")
        if self.take("breach", "against", "law") or required:
            self.take("law")
            if self.peek() not in LAW_IDS:
                raise self.unknown("a law, such as 130.a")
            self._say("breach", self.one_of(frozenset(LAW_IDS), "a law"))
            return
        separated = self.peek() == ","
        self.at += separated
        if not self._known_cause():
            self.at -= separated

    def _known_cause(self) -> bool:
        """A few words that stand for a law; whether they do."""
        for phrase in _CAUSE_PHRASES:
            if self.has(phrase):
                self._say("breach", CAUSES[phrase])
                return True
        return False

    def _claims(self) -> None:
        self._say("claims", True if self.take("all") else self.count("all, none, 1 or 2"))

    def _no(self) -> None:
        word = self.one_of(frozenset(_DENIED), f"one of {', '.join(_DENIED)}")
        self._say(*_DENIED[word])

    def _touched(self) -> None:
        self._say("touched", not self.take(*NOTHING))

    def _nothing(self) -> None:
        if self.take("touched"):
            self._say("touched", False)
        elif self.take(*vocabulary.POCKETED):
            self._say("pocketed", {})
        else:
            raise self.unknown("pocketed, or touched")

    def _jumped(self) -> None:
        self.has("off board")
        self._pieces_of("jumped")

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
        self._say("idle", self.count("idle turns"))

    def _games(self) -> None:
        self.take("won")
        self._two_numbers("games")

    def _opened(self, side: str) -> None:
        self.take("match")
        self._say("opened", side)


def _shown(value: Any) -> str:
    """A value in words, for errors."""
    if isinstance(value, dict):
        return " ".join(f"{count} {piece}" for piece, count in value.items()) or "nothing"
    return " ".join(value) if isinstance(value, tuple) else repr(value)


_CAUSE_PHRASES = sorted(CAUSES, key=lambda phrase: -len(phrase.split()))
"""The longest first, or its beginning would be taken for it."""
_DENIED = {
    "room": ("room", False),
    "stroke": ("event", "no_stroke"),
    "place": ("event", "no_striker_space"),
    "touch": ("touched", False),
    "claim": ("claims", False),
    "claims": ("claims", False),
}
_CLAUSES: dict[str, Callable[[_Reader], None]] = {
    **{mode: lambda reader, mode=mode: reader._say("mode", mode) for mode in vocabulary.MODES},
    **{word: lambda reader: reader._pieces_of("pocketed") for word in vocabulary.POCKETED},
    **dict.fromkeys(vocabulary.JUMPED, _Reader._jumped),
    **dict.fromkeys(("nothing", "none"), _Reader._nothing),
    **dict.fromkeys(("nobody", "neither"), _Reader._nobody),
    **dict.fromkeys(("untouched", "missed"), lambda reader: reader._say("touched", False)),
    **dict.fromkeys(("foul", "fouls"), lambda reader: reader._event("foul")),
    **dict.fromkeys(("slip", "slipped"), lambda reader: reader._say("event", "no_stroke")),
    **dict.fromkeys(("concedes", "resigns"), _Reader._concedes),
    **dict.fromkeys(("waives", "declines"), lambda reader: reader._say("waives", True)),
    **dict.fromkeys(("breach", "against"), lambda reader: reader._cause(required=True)),
    "on": _Reader._on_board,
    "owed": _Reader._owed,
    "score": lambda reader: reader._two_numbers("score"),
    "games": _Reader._games,
    "game": lambda reader: reader._say("game_number", reader.count("a game")),
    "board": lambda reader: reader._say("board_number", reader.count("a board")),
    "break": _Reader._break,
    "seat": _Reader._seat,
    "idle": _Reader._idle,
    "touched": _Reader._touched,
    "improper": _Reader._improper,
    "proper": lambda reader: reader._say("proper", True),
    "technical": _Reader._technical,
    "out": _Reader._out_of_turn,
    "early": _Reader._early,
    "void": lambda reader: reader._say("event", "void"),
    "claims": _Reader._claims,
    "no": _Reader._no,
}
_SIDE_VERBS: dict[str, Callable[[_Reader, str], None]] = {
    **dict.fromkeys(vocabulary.PLAYS, lambda reader, side: reader._say("striker", side)),
    **dict.fromkeys(("had", "has"), _Reader._had),
    **dict.fromkeys(("holds", "covered"), _Reader._holds),
    **dict.fromkeys(("foul", "fouls"), lambda reader, side: reader._event("foul", side)),
    **dict.fromkeys(("concedes", "resigns"), lambda reader, side: reader._concedes(side)),
    "to": _Reader._to,
    "owes": lambda reader, side: reader._owes_all({side: reader.count("owed")}),
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

"""What the clauses of a question have said so far, and the clauses about pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from carrom.errors import FactsError
from carrom.laws.asking.vocabulary import (
    CONJUNCTIONS,
    EARLIER,
    HELD,
    JUMPED,
    NOTHING,
    PIECES,
    POCKETED,
    WAITING,
)
from carrom.laws.asking.words import Words, add

SEPARATORS = frozenset(",;.")


class Sayings(Words):
    """The words, and what those that are read have said.

    Attributes:
        said: by the keys of ``carrom.laws.asking.clauses.read_clauses``.
        pending: pieces that wait for their verb.
        parked: pieces that have waited in vain; they may be what lies on the board.
        verb: that of the pieces before, one of "on_board", "pocketed" and "jumped".
    """

    def __init__(
        self, text: str, *, beginnings: Sequence[str], verbs: frozenset[str], expected: str
    ) -> None:
        super().__init__(text, beginnings=beginnings, verbs=verbs, expected=expected)
        self.said: dict[str, Any] = {}
        self.pending: dict[str, int] = {}
        self.parked: dict[str, int] = {}
        self.verb: str | None = None

    def say(self, key: str, value: Any) -> None:
        """Note it.

        Raises:
            FactsError: something else was said of this before.
        """
        said = self.said.setdefault(key, value)
        # True is 1 in Python, but to claim all is not to claim 1.
        if said != value or type(said) is not type(value):
            raise _said_before(key, value)

    def say_pieces(self, verb: str, counts: dict[str, int]) -> None:
        """Note what became of pieces; the same pieces again may be meant to be more.

        Raises:
            FactsError: it was said before, of these pieces, or that there are none.
        """
        said = self.said.get(verb)
        if said is not None and (not said or not counts or said.keys() & counts.keys()):
            raise _said_before(verb, counts)
        self.said[verb] = (said or {}) | counts

    def pieces_begin(self, ahead: int) -> bool:
        """Whether pieces, or that there are none, begin there; not a clause about a side."""
        word, after = self.peek(ahead), self.peek(ahead + 1)
        if word in PIECES:
            return after not in self.verbs and after not in WAITING | HELD
        return word in NOTHING or self.number_of(ahead) in PIECES

    def loose_pieces(self) -> None:
        """Pieces before their verb, or more of them after it."""
        before = self.said[self.verb] if self.verb else None
        found = self.pieces(before=before)
        if found.keys() & self.pending.keys():
            # In "3 white, 5 black, 1 white pocketed" the others did not fall.
            self.park()
        add(self.pending, found)
        if self._ends_on_board(0):
            self.at += 2
            self.resolve("on_board")
        elif self._ends() and self.takes(POCKETED):
            self.resolve("pocketed")
        elif self._ends() and self.takes(JUMPED):
            self.has("off board")
            self.resolve("jumped")
        elif self.verb and not self._verb_follows():
            if self.verb == "on_board":
                self.say_pieces(self.verb, self.pending)
            else:
                add(self.said[self.verb], self.pending)
            self.pending = {}

    def takes(self, verbs: frozenset[str]) -> str:
        """The next word if it is one of these, said of the stroke.

        Raises:
            FactsError: it is said of what had happened before.
        """
        if self.peek() in verbs and self.follows(EARLIER):
            raise FactsError(
                f"already {self.peek()}: expected what this stroke did, or what is on board"
            )
        return self.take(*verbs)

    def park(self) -> None:
        """Let the pending pieces wait no longer.

        Raises:
            FactsError: others of the same kind have waited in vain.
        """
        if self.parked.keys() & self.pending.keys():
            raise self.homeless()
        self.parked |= self.pending
        self.pending = {}

    def homeless(self) -> FactsError:
        """The error that nothing became of some pieces."""
        return FactsError(
            f"{shown(self.parked or self.pending)}: on board, pocketed or jumped? "
            "expected one of these words"
        )

    def _ends(self) -> bool:
        """Whether the word that is next can only be said of the pieces before it."""
        return not self.pieces_begin(1) or self.follows(CONJUNCTIONS, 1)

    def _ends_on_board(self, ahead: int) -> bool:
        """Whether "on board" is there, said of the pieces before it and not of others."""
        said = [self.peek(ahead), self.peek(ahead + 1)] == ["on", "board"]
        others = self.pieces_begin(ahead + 2) and not self.follows(CONJUNCTIONS, ahead + 2)
        return said and not others

    def _verb_follows(self) -> bool:
        """Whether further pieces come, and then what became of all of them."""
        ahead, last = 0, ""
        while self.peek(ahead) == "," or self.pieces_begin(ahead) or last.isdigit():
            last = self.peek(ahead)
            ahead += 1
        fell = self.peek(ahead) in POCKETED | JUMPED and not self.pieces_begin(ahead + 1)
        return last in PIECES and (fell or self._ends_on_board(ahead))

    def resolve(self, verb: str) -> None:
        """Say of the pending pieces what became of them."""
        self.say_pieces(verb, self.pending)
        self.pending, self.verb = {}, verb

    def count_alone(self, what: str) -> int:
        """The number that is next, taken, of something that is no piece.

        Raises:
            FactsError: there is none, or it may belong to the pieces behind it.
        """
        if self.number_of() in PIECES and self.pieces_begin(1):
            raise FactsError(
                f"{self.peek()} {self.peek(1)}: expected a comma behind the number ({what})"
            )
        return self.count(what)

    def pieces_of(self, verb: str) -> None:
        """Pieces after their verb."""
        self.say_pieces(verb, {} if self.take(*NOTHING) else self.pieces(some=True))
        self.verb = verb


def _said_before(key: str, value: Any) -> FactsError:
    return FactsError(f"{key.replace('_', ' ')} = {shown(value)}: said before, expected once")


def shown(value: Any) -> str:
    """A value in words, for errors."""
    if isinstance(value, dict):
        return " ".join(f"{count} {piece}" for piece, count in value.items()) or "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(value) if isinstance(value, tuple) else repr(value)

"""A cursor over the words of a question, and the lists of pieces in it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence

from carrom.errors import FactsError
from carrom.laws.asking import vocabulary
from carrom.laws.asking.vocabulary import (
    ARTICLES,
    CONJUNCTIONS,
    FILLERS,
    NUMBERS,
    PIECES,
    PLURALS,
    SIDES,
)

_LAW = r"\d+(?:\.[a-z](?![a-z])(?:\.[ivx]+)?)?(?: \(bis\))?"
# A minus binds to its number, unless it stands between two numbers, as in "9-3".
_TOKEN = re.compile(rf"(?<!\d)-\d+|{_LAW}|[a-z]+|\S")
_SAME = {0x2019: "'"} | dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-")
_END = ""
_COLOURS = frozenset(SIDES.values())


class Words:
    """The words that weigh something, and which of them is next.

    Args:
        text: the question.
        beginnings: words with which a clause or a piece can begin, to be proposed.
        verbs: words that make a clause of the side before them.
        expected: what a question may say, for errors.
    """

    def __init__(
        self, text: str, *, beginnings: Sequence[str], verbs: frozenset[str], expected: str
    ) -> None:
        text = text.lower().translate(_SAME)
        text = re.sub(r"\bred queen\b", "queen", text.replace("c/m", "man"))
        self.words: list[str] = []
        self.fillers: list[set[str]] = [set()]
        """Those before each word, and those at the end."""
        for word in _TOKEN.findall(text):
            if word in FILLERS:
                self.fillers[-1].add(word)
            else:
                self.words.append(word)
                self.fillers.append(set())
        self.at = 0
        self.beginnings = beginnings
        self.verbs = verbs
        self.expected = expected

    def peek(self, ahead: int = 0) -> str:
        """The word that is next, or ``ahead`` words later; "" at the end."""
        index = self.at + ahead
        return self.words[index] if index < len(self.words) else _END

    def follows(self, fillers: frozenset[str], ahead: int = 0) -> bool:
        """Whether one of these fillers stands right before that word, or before the end."""
        index = min(self.at + ahead, len(self.words))
        return not fillers.isdisjoint(self.fillers[index])

    def take(self, *words: str) -> str:
        """The next word if it is one of these."""
        word = self.peek()
        if word and word in words:
            self.at += 1
            return word
        return _END

    def has(self, phrase: str) -> bool:
        """Whether these words are next; then they are taken."""
        words = phrase.split()
        if self.words[self.at : self.at + len(words)] == words:
            self.at += len(words)
            return True
        return False

    def number(self, ahead: int = 0) -> int | None:
        """The number that is next, not taken."""
        word = self.peek(ahead)
        return int(word) if re.fullmatch(r"\d{1,6}", word) else NUMBERS.get(word)

    def number_of(self, ahead: int = 0) -> str:
        """What the number that is next counts, "" if there is no number, or it counts nothing.

        In "one and the queen" it is not the queen that is counted.
        """
        counts = self.number(ahead) is not None and not self.follows(CONJUNCTIONS, ahead + 1)
        return self.peek(ahead + 1) if counts else _END

    def count(self, what: str) -> int:
        """The number that is next, taken."""
        number = self.number()
        if number is None:
            raise self.unknown(f"a number ({what})")
        self.at += 1
        return number

    def one_of(self, known: Mapping[str, str] | frozenset[str], what: str) -> str:
        """The next word, which has to be known; by a mapping, what it stands for."""
        word = self.peek()
        if word not in known:
            raise self.unknown(what)
        self.at += 1
        return known[word] if isinstance(known, Mapping) else word

    def unknown(self, expected: str | None = None) -> FactsError:
        """The error that the next word is not understood."""
        word = self.peek()
        if not word:
            return FactsError(f"the question ends too early: expected {expected}")
        near = difflib.get_close_matches(word, self.beginnings, n=1, cutoff=0.75)
        hint = f" (did you mean {near[0]!r}?)" if near and near[0] != word else ""
        return FactsError(
            f"{word!r}: not understood here{hint}: expected {expected or self.expected}"
        )

    def pieces(
        self, *, some: bool = False, before: Mapping[str, int] | None = None
    ) -> dict[str, int]:
        """A list of pieces, up to the first word that is none; not empty if ``some``.

        Args:
            some: whether there have to be any.
            before: what the list goes on from.

        Raises:
            FactsError: it cannot be told how many there are.
        """
        found: dict[str, int] = {}
        while True:
            if self.number_of() in PIECES:
                count, ahead = self.number(), 1
            elif self.peek() in PIECES:
                count, ahead = None, 0
            else:
                break
            after = self.peek(ahead + 1)
            piece = PIECES[self.peek(ahead)]
            if piece == "queen" and after in vocabulary.WAITING | vocabulary.HELD:
                break
            if count is None and piece in _COLOURS and after in self.verbs:
                break
            one = self.follows(ARTICLES) or not (_some(found) or _some(before or {}))
            self.at += ahead + 1
            if count is None and piece in _COLOURS:
                count = self._number_behind(piece, one=one)
            add(found, {piece: 1 if count is None else count})
        if some and not found:
            # In "3 blue" it is not the number that is not understood.
            self.at += self.number_of() not in ("", ",", ";", ".")
            raise self.unknown("pieces, such as 2 white queen striker, or nothing")
        return found

    def _number_behind(self, piece: str, *, one: bool) -> int:
        """The number behind a colour, if it belongs to it, or one."""
        counted = self.number() is not None and not self.follows(CONJUNCTIONS)
        if not counted:
            word = self.words[self.at - 1]
            if not one or self.follows(PLURALS) or (word in PIECES and word in PLURALS):
                raise FactsError(f"{word}: how many? expected a number, such as 1 {piece}")
            return 1
        if self.peek(1) in SIDES and self.number(2) is None:
            raise FactsError(
                f"{piece} {self.peek()} {self.peek(1)}: expected a comma, or the number "
                "before its colour each time"
            )
        return self.count(piece)


def _some(counts: Mapping[str, int]) -> bool:
    """Whether there are several of a kind; then it is not one of the next that goes without."""
    return any(count > 1 for count in counts.values())


def add(counts: dict[str, int], more: dict[str, int]) -> None:
    """Add counts to counts.

    Raises:
        FactsError: there would be two queens or two strikers.
    """
    for piece, count in more.items():
        counts[piece] = counts.get(piece, 0) + count
        if piece in ("queen", "striker") and counts[piece] > 1:
            raise FactsError(f"{piece} = {counts[piece]}: expected one at most")

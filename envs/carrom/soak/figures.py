"""What a soak has seen, counted."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from carrom.laws import LAW_IDS, MatchFormat, law_mask
from carrom.soak.citable import citable
from carrom.soak.expected import NO_CAUSE


@dataclass
class Tally:
    """Counts that grow stroke by stroke.

    Attributes:
        strokes: strokes and events ruled upon.
        cut: boards cut off by a limit of strokes.
        matches: matches ended.
        lengths: strokes of the boards that ended, were void or cut off, part by part.
    """

    strokes: int = 0
    cut: int = 0
    matches: int = 0
    lengths: list[NDArray[np.int32]] = field(default_factory=list)
    _causes: NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(LAW_IDS), np.int64))
    _cited: NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(LAW_IDS), np.int64))

    def add(
        self,
        causes: NDArray[np.int32],
        cut: NDArray[np.bool_],
        lengths: NDArray[np.int32],
        words: NDArray[np.int32],
    ) -> None:
        """Count some strokes.

        Args:
            causes: int32 (n,), law by which each ended its board, ``NO_CAUSE`` for none.
            cut: bool (n,), the board was cut off after it.
            lengths: int32 (n,), strokes of its board up to it.
            words: int32 (n, W), the laws cited, as in ``Ruling.laws``.
        """
        ended = causes != NO_CAUSE
        self.strokes += len(causes)
        self.cut += int(cut.sum())
        self.lengths.append(lengths[ended | cut])
        self._causes += np.bincount(causes[ended], minlength=len(LAW_IDS))
        distinct, times = np.unique(words, axis=0, return_counts=True)
        self._cited += times @ law_mask(distinct).astype(np.int64)

    def figures(self) -> Figures:
        """The counts as they stand."""
        lengths = np.concatenate([*self.lengths, np.zeros(0, np.int32)])
        return Figures(
            boards=len(lengths),
            matches=self.matches,
            strokes=self.strokes,
            lengths=lengths,
            causes=_named(self._causes),
            cut=self.cut,
            cited=_named(self._cited),
        )


@dataclass(frozen=True, eq=False)
class Figures:
    """What a soak has seen.

    Attributes:
        boards: boards that ended, were void or cut off.
        matches: matches ended; 0 when single boards were played.
        strokes: strokes and events ruled upon.
        lengths: int32 (boards,), strokes of each board.
        causes: law -> boards that ended, or were void, by it.
        cut: boards cut off by a limit of strokes.
        cited: law -> how often it was cited.
    """

    boards: int
    matches: int
    strokes: int
    lengths: NDArray[np.int32]
    causes: dict[str, int]
    cut: int
    cited: dict[str, int]

    def never_cited(self, format: MatchFormat) -> tuple[str, ...]:
        """Laws the umpire could have cited by himself, but did not."""
        return tuple(law for law in citable(format) if law not in self.cited)


def _named(counts: NDArray[np.int64]) -> dict[str, int]:
    return {law: int(n) for law, n in zip(LAW_IDS, counts, strict=True) if n}

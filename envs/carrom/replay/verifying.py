"""Playing a replay's strokes again, and comparing to the last bit."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from carrom.errors import BoardError, ConfigError, PhysicsError
from carrom.laws import Event, StrokeFacts, rule_jit
from carrom.layout import Layout
from carrom.physics.motion import Motion
from carrom.pieces import QUEEN, SLICES
from carrom.replay.course import (
    Comparison,
    beginnings,
    ending,
    leaves,
    places,
    taken_as_recorded,
)
from carrom.replay.replay import Engine, Replay, software
from carrom.table import Stroke
from carrom.umpiring import without_fallen

_POCKETING = (Event.SHOT, Event.NO_STROKE)
"""Events whose facts are those of a motion."""


@dataclass(frozen=True)
class Difference:
    """Where a replay and what is computed here part.

    Attributes:
        stroke: its number in the replay, from 1; None for the end of the episode.
        field: what differs.
        recorded: in the replay.
        computed: here.
        by: largest difference of two numbers, in SI units; None where there are no numbers.
    """

    stroke: int | None
    field: str
    recorded: Any
    computed: Any
    by: float | None = None

    def __str__(self) -> str:
        by = "" if self.by is None else f", by {self.by:.3g}"
        where = "the end" if self.stroke is None else f"stroke {self.stroke}"
        return f"{where}: {self.field} was {self.recorded}, here {self.computed}{by}"


@dataclass(frozen=True)
class Verdict:
    """What came of a verification.

    Attributes:
        strokes: strokes and incidents in the replay.
        simulated: how many were played again by the engine, up to the first difference.
        difference: the first, or None.
        other_software: what computed the replay in another version than here.
        taken: what a user's own rules have decided, so that nothing could be compared.
    """

    strokes: int
    simulated: int
    difference: Difference | None = None
    other_software: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether everything is the same to the last bit."""
        return self.difference is None

    def __str__(self) -> str:
        if self.difference is None:
            taken = f"; {' and '.join(self.taken)} taken as recorded" if self.taken else ""
            return (
                f"equal to the last bit: {self.strokes} strokes and incidents ruled upon again, "
                f"{self.simulated} of them simulated again{taken}"
            )
        others = f" ({'; '.join(self.other_software)})" if self.other_software else ""
        return f"different: {self.difference}{others}"


def verify(replay: Replay, engine: Engine | None = None) -> Verdict:
    """Simulate and rule on every stroke again.

    Each stroke is played from the recorded position before it, so that one difference does
    not hide in the next. Compared are that position with what came before, the strike as made
    with the one decided and the noise, what the discs did, what the umpire is told of it, his
    ruling and the state of the match after it, and the result; not what players decided.

    Args:
        replay: to be verified.
        engine: to play on; the replay's own kind if not given.
    """
    engine = replay.new_engine() if engine is None else engine
    count, simulated = len(replay.strokes), 0
    for number, (stroke, beginning) in enumerate(
        zip(replay.strokes, beginnings(replay), strict=True), 1
    ):
        simulated += stroke.motion is not None or stroke.failure is not None
        found = _first(number, itertools.chain(beginning, _comparisons(replay, stroke, engine)))
        if found is not None:
            return Verdict(count, simulated, found, _others(replay))
    found = _first(None, ending(replay))
    return Verdict(count, simulated, found, _others(replay), taken_as_recorded(replay))


def _first(number: int | None, comparisons: Iterable[Comparison]) -> Difference | None:
    """The first difference of stroke ``number``, or of the end."""
    for field, recorded, computed in comparisons:
        if not np.array_equal(recorded, computed):
            by = _by(recorded, computed)
            return Difference(number, field, _plain(recorded), _plain(computed), by)
    return None


def _comparisons(replay: Replay, stroke: Stroke, engine: Engine) -> Iterator[Comparison]:
    """What there is to compare of a stroke: its name, as recorded, as computed here."""
    if stroke.strike is not None and (stroke.motion is not None or stroke.failure is not None):
        before = stroke.before
        side = before.side_of_board(stroke.seat)
        try:
            here = engine.play(before.layout, stroke.strike, side)
        except PhysicsError:
            here = None
        except (BoardError, ConfigError) as error:
            yield "the stroke", "played", f"impossible ({error})"
            return
        yield "whether the physics diverged", stroke.failure is not None, here is None
        if here is not None and stroke.motion is not None:
            yield from _motions(stroke.motion, here)
            yield "whether the facts are of a stroke", int(stroke.facts.event) in _POCKETING, True
            yield from _facts(stroke.facts, here)
    if stroke.failure is not None:
        yield "facts.event", int(stroke.facts.event), int(Event.VOID)
    match, ruling = rule_jit(stroke.before.match, stroke.facts, format=replay.format)
    yield from leaves("ruling", stroke.ruling, ruling)
    yield from leaves("match after it", stroke.after.match, match)
    yield from places("after it", stroke.after.layout, _laid_back(stroke))
    yield from _layouts(replay, stroke)


def _laid_back(stroke: Stroke) -> Layout:
    """Where all lie after a stroke, by what it did and what was then laid."""
    motion, before = stroke.motion, stroke.before.layout
    layout = without_fallen(before, stroke.facts) if motion is None else motion.layout
    for laid in stroke.laid:
        layout = layout.with_piece(laid.index, laid.place)
    return layout


def _motions(recorded: Motion, here: Motion) -> Iterator[Comparison]:
    for name, part in (("disc", "index"), ("pocket", "pocket"), ("time", "time")):
        yield (
            f"{name} of what was pocketed",
            [getattr(fall, part) for fall in recorded.pocketed],
            [getattr(fall, part) for fall in here.pocketed],
        )
    yield "first_touch", recorded.first_touch, here.first_touch
    yield "touched", recorded.touched, here.touched
    yield "on_board", recorded.layout.on_board, here.layout.on_board
    for index in range(QUEEN + 1):
        name = f"place of carromman {index}"
        yield name, recorded.layout.positions[index], here.layout.positions[index]
    yield "place of the striker", _place(recorded), _place(here)
    yield "duration", recorded.duration, here.duration


def _place(motion: Motion) -> Any:
    return [] if motion.striker is None else motion.striker


def _facts(recorded: StrokeFacts, here: Motion) -> Iterator[Comparison]:
    """What the umpire was told against what fell."""
    fallen = np.array([fall.index for fall in here.pocketed], int)
    counts = [int(((fallen >= part.start) & (fallen < part.stop)).sum()) for part in SLICES]
    yield "facts.touched", bool(recorded.touched), here.first_touch is not None
    if int(recorded.event) == Event.SHOT:
        yield "facts.pocketed", np.asarray(recorded.pocketed), counts
        yield "facts.pocketed_queen", bool(recorded.pocketed_queen), bool(QUEEN in fallen)
        yield "facts.pocketed_striker", bool(recorded.pocketed_striker), here.striker_pocketed


def _layouts(replay: Replay, stroke: Stroke) -> Iterator[Comparison]:
    """What lies on the board after the stroke against what the umpire has counted there."""
    if not (stroke.ruling.board_over or stroke.ruling.board_replayed):
        counted, lying = stroke.after.match.board.on_board, stroke.after.layout
        yield "C/m on the board", np.asarray(counted), lying.counts
        yield "places on the board", _lies(replay, lying), "possible"


def _lies(replay: Replay, layout: Layout) -> str:
    try:
        layout.check(replay.board)
    except BoardError as error:
        return str(error)
    return "possible"


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _by(recorded: Any, computed: Any) -> float | None:
    one, other = np.asarray(recorded), np.asarray(computed)
    if one.shape != other.shape or not (_is_numeric(one) and _is_numeric(other)):
        return None
    return float(np.max(np.abs(one.astype(float) - other.astype(float)), initial=0.0))


def _is_numeric(array: Any) -> bool:
    return np.issubdtype(array.dtype, np.number)


def _others(replay: Replay) -> tuple[str, ...]:
    here = software()
    return tuple(
        f"{name} {recorded}, here {here[name]}"
        for name, recorded in replay.software.items()
        if name in here and here[name] != recorded
    )

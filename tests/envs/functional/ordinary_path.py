"""The ordinary environment's path of a stroke, told what the discs did: the reference."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, TypeVar

import jax
import numpy as np

from carrom.decision import Decision, Kind
from carrom.errors import PhysicsError
from carrom.functional import Outcome, State, Strike
from carrom.layout import Layout
from carrom.options import Options
from carrom.physics import strike as plain
from carrom.physics.dump import StrokeDump
from carrom.physics.motion import Motion, Pocketing
from carrom.pieces import STRIKER
from carrom.striking import Physics, strike_all
from carrom.table import Setting, Streams, Table
from carrom.tasks import Position

Tree = TypeVar("Tree")


def lane(tree: Tree, number: int) -> Tree:
    """One board of a batch, in NumPy."""
    return jax.tree.map(lambda leaf: np.asarray(leaf)[number], tree)


def position_of(state: State) -> Position:
    """The position of one board."""
    return Position(
        Layout(np.asarray(state.positions, np.float64), np.asarray(state.on_board)), state.match
    )


class Replayed(Physics):
    """An engine that tells what it is told, and remembers what it was asked."""

    told: Motion | PhysicsError
    asked: list[plain.Strike]

    def __init__(self, outcome: Motion | PhysicsError) -> None:
        object.__setattr__(self, "told", outcome)
        object.__setattr__(self, "asked", [])

    def play(
        self,
        layouts: Sequence[Layout],
        strikes: Sequence[plain.Strike],
        seats: Sequence[int],
    ) -> list[Motion | PhysicsError]:
        self.asked.extend(strikes)
        return [self.told]


def played(
    setting: Setting, state: State, strike: plain.Strike, outcome: Outcome
) -> tuple[Table, list[plain.Strike]]:
    """The table after one stroke, and the strikes as they were made."""
    position = position_of(state)
    streams = Streams.drawn_from(np.random.default_rng(0))
    table = Table(setting, streams, position, strokes=int(state.strokes))
    table.ask(Decision(Kind.STRIKE, position.seat))
    physics = Replayed(motion_of(position, strike, outcome))
    strike_all(physics, [table], [strike])
    return table, physics.asked


def motion_of(position: Position, strike: plain.Strike, outcome: Outcome) -> Motion | PhysicsError:
    """The motion that ends as ``outcome`` says."""
    if outcome.failed:
        return PhysicsError("told so", StrokeDump.__new__(StrokeDump))
    before = position.layout.on_board
    after = before & outcome.on_board[:STRIKER]
    fallen = [int(index) for index in np.flatnonzero(before & ~after)]
    fallen += [] if outcome.on_board[STRIKER] else [STRIKER]
    # What meets nothing slides half as far as at its first speed; anything else less.
    rest = np.asarray(outcome.positions[STRIKER], np.float64)
    return Motion(
        layout=Layout(np.asarray(outcome.positions[:STRIKER], np.float64), after),
        pocketed=tuple(Pocketing(index, 0, 0.1) for index in fallen),
        first_touch=int(np.flatnonzero(before)[0]) if outcome.touched else None,
        touched=np.zeros(19, bool),
        duration=way_and_time(strike, bool(outcome.collided))[1],
        striker=rest if outcome.on_board[STRIKER] else None,
    )


def way_and_time(strike: Any, collided: bool) -> tuple[float, float]:
    """How far the striker comes, m, and how long it takes, s, if nothing is in its way."""
    deceleration = 0.08 * 9.81
    way = float(strike.speed) ** 2 / (2 * deceleration)
    time = float(strike.speed) / deceleration
    return way, time * (100 if collided else 1)


def outcome_of(
    positions: Any, on_board: Any, *, touched: bool, collided: bool, failed: bool = False
) -> Any:
    """An outcome in NumPy."""
    flags = (np.bool_(flag) for flag in (touched, collided, failed))
    return Outcome._make((np.asarray(positions, np.float32), np.asarray(on_board), *flags))


def plain_strike(strike: Strike) -> plain.Strike:
    """The strike in Python."""
    return plain.Strike(*(float(value) for value in strike))


def same(a: Any, b: Any) -> list[str]:
    """The leaves in which two dataclasses differ."""
    return [
        name.name
        for name in dataclasses.fields(a)
        for x, y in [(getattr(a, name.name), getattr(b, name.name))]
        if not all(
            np.array_equal(p, q)
            for p, q in zip(jax.tree.leaves(x), jax.tree.leaves(y), strict=True)
        )
    ]


def setting_of(task: str, **options: Any) -> Setting:
    """The ordinary environment's."""
    return Options.of(task, options).setting()

"""The planar engine behind the same interface as the reference engine."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.errors import ConfigError, PhysicsError, one_of
from carrom.layout import Layout
from carrom.physics.checks import check_counts, check_rate, check_seat
from carrom.physics.dump import StrokeDump
from carrom.physics.material import Material
from carrom.physics.model import SPEED_LIMIT
from carrom.physics.motion import Motion
from carrom.physics.planar.film import trajectory
from carrom.physics.planar.lanes import Geometry, Parameters
from carrom.physics.planar.motions import motions_of, starts_of
from carrom.physics.planar.outcomes import Outcomes, outcomes_of
from carrom.physics.planar.recording import STEPS_AT_ONCE, begin, go_on
from carrom.physics.planar.slots import SIZES, slots_for, to_slots
from carrom.physics.planar.strokes import LANES, MOST_STEPS, play_stream
from carrom.physics.strike import Strike
from carrom.pieces import N_CARROMMEN, N_DISCS, STRIKER

PRECISIONS = ("float32", "float64")
AT_ONCE = 2048
"""Strokes per call of a compiled program: a fixed number, so that none is compiled twice."""
_FIRST, _SECOND = np.triu_indices(N_CARROMMEN, 1)


class PlanarEngine:
    """Plays strokes on the planar model, each independent of those before it.

    The same strokes always give the same bits. ``play`` and ``play_many`` are two programs:
    they agree to rounding, not to the last bit. Pickles by rebuilding.

    Args:
        board: the board and pieces; regulation if not given.
        material: nominal if not given.
        precision: "float32" or "float64", of everything that is computed.
        lanes: strokes that ``play_many`` has under way at once. An outcome depends on it in
            the last bits, and a batch of fewer strokes costs as much as one of so many.

    Raises:
        ConfigError: no such precision, or ``lanes`` < 1.
    """

    def __init__(
        self,
        board: Board | None = None,
        material: Material | None = None,
        *,
        precision: str = "float32",
        lanes: int = LANES,
    ) -> None:
        if lanes < 1:
            raise ConfigError(f"lanes = {lanes}: expected at least 1")
        self.board = Board() if board is None else board
        self.material = Material() if material is None else material
        self.precision = one_of("precision", precision, PRECISIONS)
        self.lanes = lanes
        with self._arithmetic():
            self._geometry = {
                slots: Geometry.of(self.board, slots, self.precision) for slots in SIZES
            }
            self._parameters = Parameters.of(self.material, dtype=self.precision)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.board, self.material, self.precision, self.lanes)

    def play(
        self,
        layout: Layout,
        strike: Strike,
        seat: int = 0,
        *,
        trajectory_rate: float | None = None,
    ) -> Motion:
        """Strike the striker on ``layout`` and wait until everything rests.

        The striker starts where the strike says, proper or not, as long as it lies wholly on
        the playing surface. Set onto a carromman it touches it from the start, as in
        ``MujocoEngine.play``.

        Args:
            layout: where the carrommen lie.
            strike: in the frame of ``seat``.
            seat: 0 to 3.
            trajectory_rate: frames per second of the film, if one is wanted. The outcome is
                the same to the last bit with and without it.

        Returns:
            The outcome, in the board's frame.

        Raises:
            BoardError: the layout cannot lie on the board.
            ConfigError: the strike is not finite, its speed is negative, or the striker does
                not lie wholly on the playing surface; there is no such seat; or the rate is
                not positive.
            PhysicsError: the computation diverged; its dump can be saved and replayed by the
                reference engine.
        """
        check_rate(trajectory_rate)
        self._check([layout], [strike], [seat])
        slots = slots_for(int(layout.on_board.sum()))
        places, present, carromman = to_slots(layout.positions[None], layout.on_board[None], slots)
        start = starts_of(self.board, [strike], [seat])[0]
        outcomes, frames = self._record(places[0], present[0], start, slots)
        motion = self._as_motions(outcomes, [layout], [strike], [seat])[0]
        if trajectory_rate is None:
            return motion
        slot = np.zeros(N_DISCS, np.intp)
        slot[carromman[0, present[0]]] = np.flatnonzero(present[0])
        slot[STRIKER] = slots - 1
        fall_times = outcomes.fall_times[0, slot].astype(np.float64)
        fall_times[:STRIKER][~layout.on_board] = -math.inf
        recording = np.concatenate([np.asarray(part) for part in frames])
        film = trajectory(recording, slot, fall_times, motion, trajectory_rate)
        return dataclasses.replace(motion, trajectory=film)

    def _record(
        self,
        places: NDArray[np.float64],
        present: NDArray[np.bool_],
        start: NDArray[np.float64],
        slots: int,
    ) -> tuple[Outcomes, list[jax.Array]]:
        """Play one stroke: its outcome, and its frames in parts that need no joint."""
        geometry, parameters, dtype = self._geometry[slots], self._parameters, self.precision
        with self._arithmetic():
            part = begin(
                geometry,
                parameters,
                places.astype(dtype),
                present,
                start.astype(dtype),
                steps=STEPS_AT_ONCE,
            )
            outcomes, frames = outcomes_of(np.asarray(part.row)), [part.frames]
            while outcomes.unfinished[0] and len(frames) * STEPS_AT_ONCE < MOST_STEPS:
                part = go_on(geometry, parameters, part.lanes, steps=STEPS_AT_ONCE)
                outcomes = outcomes_of(np.asarray(part.row))
                frames.append(part.frames)
        return outcomes, frames

    def play_many(
        self, layouts: Sequence[Layout], strikes: Sequence[Strike], seats: Sequence[int]
    ) -> list[Motion]:
        """Play independent strokes side by side.

        Each outcome is the same, to the last bit, whatever else is played with it. A layout
        that is given several times as the same object is prepared once.

        Args:
            layouts: one per stroke.
            strikes: one per stroke.
            seats: one per stroke.

        Raises:
            BoardError, ConfigError, PhysicsError: as ``play``.
            ConfigError: the numbers of layouts, strikes and seats differ.
        """
        check_counts(layouts, strikes, seats)
        self._check(layouts, strikes, seats)
        sizes = {id(layout): slots_for(int(layout.on_board.sum())) for layout in layouts}
        motions: dict[int, Motion] = {}
        for slots in SIZES:
            members = [k for k, layout in enumerate(layouts) if sizes[id(layout)] == slots]
            for first in range(0, len(members), AT_ONCE):
                part = members[first : first + AT_ONCE]
                played = self._play_part(
                    [layouts[k] for k in part],
                    [strikes[k] for k in part],
                    [seats[k] for k in part],
                    slots,
                )
                motions.update(zip(part, played, strict=True))
        return [motions[k] for k in range(len(strikes))]

    def _play_part(
        self,
        layouts: Sequence[Layout],
        strikes: Sequence[Strike],
        seats: Sequence[int],
        slots: int,
    ) -> list[Motion]:
        unique = list({id(layout): layout for layout in layouts}.values())
        row = {id(layout): k for k, layout in enumerate(unique)}
        places, present, _ = to_slots(
            np.stack([layout.positions for layout in unique]),
            np.stack([layout.on_board for layout in unique]),
            slots,
        )
        with self._arithmetic():
            outcomes = play_stream(
                self._geometry[slots],
                self._parameters,
                _padded(places.astype(self.precision)),
                _padded(present),
                _padded(np.array([row[id(layout)] for layout in layouts], np.int32)),
                _padded(starts_of(self.board, strikes, seats).astype(self.precision)),
                len(strikes),
                lanes=self.lanes,
            )
        count = len(strikes)
        ended = jax.tree.map(lambda values: values[:count], jax.device_get(outcomes))
        return self._as_motions(ended, layouts, strikes, seats)

    def _as_motions(
        self,
        outcomes: Outcomes,
        layouts: Sequence[Layout],
        strikes: Sequence[Strike],
        seats: Sequence[int],
    ) -> list[Motion]:
        finite = np.isfinite(outcomes.positions).all((1, 2)) & ~outcomes.unfinished
        for k, strike in enumerate(strikes):
            if strike.speed >= SPEED_LIMIT:
                raise self._diverged(layouts[k], strike, seats[k], "a disc has no possible speed")
            if not finite[k]:
                reason = f"not at rest after {int(outcomes.impacts[k])} impacts"
                raise self._diverged(layouts[k], strike, seats[k], reason)
        return motions_of(outcomes, layouts)

    def _diverged(self, layout: Layout, strike: Strike, seat: int, reason: str) -> PhysicsError:
        # The sliding friction of this engine is that of the reference's "coulomb" ground.
        dump = StrokeDump(self.board, self.material, "coulomb", layout, strike, seat, reason)
        return PhysicsError(
            f"stroke {strike} of seat {seat} diverged: {reason}; save this error's dump to "
            "replay it with the reference engine",
            dump,
        )

    def _check(
        self, layouts: Sequence[Layout], strikes: Sequence[Strike], seats: Sequence[int]
    ) -> None:
        for strike, seat in zip(strikes, seats, strict=True):
            strike.check(self.board)
            check_seat(seat)
        unique = list({id(layout): layout for layout in layouts}.values())
        for layout in _doubtful(self.board, unique):
            layout.check(self.board)

    def _arithmetic(self) -> AbstractContextManager[Any]:
        """Where the compiled programs are called, so that float64 stays float64."""
        return jax.enable_x64(True) if self.precision == "float64" else contextlib.nullcontext()


def _rebuilt(board: Board, material: Material, precision: str, lanes: int) -> PlanarEngine:
    return PlanarEngine(board, material, precision=precision, lanes=lanes)


def _doubtful(board: Board, layouts: Sequence[Layout]) -> Iterator[Layout]:
    """The layouts that ``Layout.check``, which takes its time, should look at."""
    if not layouts:
        return
    positions = np.stack([layout.positions for layout in layouts])
    on_board = np.stack([layout.on_board for layout in layouts])
    inside = np.abs(positions).max(-1) <= board.half_side - board.carromman_radius
    apart = positions[:, _FIRST] - positions[:, _SECOND]
    apart = (apart * apart).sum(-1) >= board.carromman_diameter**2
    both = on_board[:, _FIRST] & on_board[:, _SECOND]
    good = (inside | ~on_board).all(1) & (apart | ~both).all(1)
    for k in np.flatnonzero(~good).tolist():
        yield layouts[k]


def _padded(array: NDArray[Any]) -> NDArray[Any]:
    """The array filled up to the length that the programs are compiled for."""
    return np.concatenate([array, np.zeros((AT_ONCE - len(array), *array.shape[1:]), array.dtype)])

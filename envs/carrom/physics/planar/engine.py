"""The planar engine behind the same interface as the reference engine."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.errors import ConfigError, PhysicsError, one_of
from carrom.layout import Layout
from carrom.physics.checks import check_rate
from carrom.physics.dump import StrokeDump
from carrom.physics.material import Material
from carrom.physics.model import SPEED_LIMIT
from carrom.physics.motion import Motion, Trajectory
from carrom.physics.planar.film import trajectory
from carrom.physics.planar.lanes import Geometry, Parameters
from carrom.physics.planar.motions import motions_of
from carrom.physics.planar.outcomes import Outcomes, outcomes_of
from carrom.physics.planar.recording import STEPS_AT_ONCE, begin, go_on
from carrom.physics.planar.requests import Requests
from carrom.physics.planar.slots import SIZES, to_slots
from carrom.physics.planar.strokes import LANES, MOST_STEPS, SPRING_LANES, play_stream
from carrom.physics.strike import Strike
from carrom.pieces import N_DISCS, STRIKER

PRECISIONS = ("float32", "float64")
AT_ONCE = 2048
"""Strokes per call of a compiled program: a fixed number, so that none is compiled twice."""


class PlanarEngine:
    """Plays strokes on the planar model, each independent of those before it.

    The same strokes always give the same bits. ``play`` and ``play_many`` are two programs:
    they agree to rounding, not to the last bit. A program is compiled, in some seconds, when
    it is first needed: for each of three sizes of layouts, and for layouts on which contacts
    can overlap in time, such as a rack. Pickles by rebuilding.

    Args:
        board: the board and pieces; regulation if not given.
        material: nominal if not given.
        precision: "float32" or "float64", of everything that is computed.
        lanes: strokes that ``play_many`` has under way at once; with springs at most
            ``SPRING_LANES``. An outcome depends on it in the last bits, and a batch of fewer
            strokes costs as much as one of so many.

    Raises:
        ConfigError: no such precision, or ``lanes`` is no whole number above 0.
    """

    def __init__(
        self,
        board: Board | None = None,
        material: Material | None = None,
        *,
        precision: str = "float32",
        lanes: int = LANES,
    ) -> None:
        if isinstance(lanes, bool) or not isinstance(lanes, int) or lanes < 1:
            raise ConfigError(f"lanes = {lanes!r}: expected a whole number, at least 1")
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
        requests = self._requests([layout], [strike], [seat])
        outcomes, frames = self._record(requests)
        motion = self._motions(outcomes, requests, [0])[0]
        if trajectory_rate is None:
            return motion
        film = _film(outcomes, frames, layout, motion, trajectory_rate)
        return dataclasses.replace(motion, trajectory=film)

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
        requests = self._requests(layouts, strikes, seats)
        motions: dict[int, Motion] = {}
        for slots in SIZES:
            for springs in (False, True):
                alike = (requests.slots == slots) & (requests.springs == springs)
                members = np.flatnonzero(alike).tolist()
                for first in range(0, len(members), AT_ONCE):
                    part = members[first : first + AT_ONCE]
                    outcomes = self._stream(requests, part, slots, springs)
                    played = self._motions(outcomes, requests, part)
                    motions.update(zip(part, played, strict=True))
        return [motions[k] for k in range(len(strikes))]

    def _requests(
        self, layouts: Sequence[Layout], strikes: Sequence[Strike], seats: Sequence[int]
    ) -> Requests:
        contact_time = self.material.contact_time
        requests = Requests.of(self.board, contact_time, layouts, strikes, seats)
        for k, strike in enumerate(strikes):
            if strike.speed >= SPEED_LIMIT:
                raise self._diverged(requests, k, "a disc has no possible speed")
        return requests

    def _record(self, requests: Requests) -> tuple[Outcomes, list[jax.Array]]:
        """Play the only stroke there is: its outcome, and its frames in parts."""
        slots, springs = int(requests.slots[0]), bool(requests.springs[0])
        places, present = self._in_slots(requests.layouts, slots)
        geometry, parameters = self._geometry[slots], self._parameters
        start = requests.starts[0].astype(self.precision)
        how = {"springs": springs, "steps": STEPS_AT_ONCE}
        with self._arithmetic():
            part = begin(geometry, parameters, places[0], present[0], start, **how)
            outcomes, frames = outcomes_of(np.asarray(part.row)), [part.frames]
            while outcomes.unfinished[0] and len(frames) * STEPS_AT_ONCE < MOST_STEPS:
                part = go_on(geometry, parameters, part.lanes, **how)
                outcomes = outcomes_of(np.asarray(part.row))
                frames.append(part.frames)
        return outcomes, frames

    def _stream(
        self, requests: Requests, members: list[int], slots: int, springs: bool
    ) -> Outcomes:
        """Play the strokes ``members``, at most ``AT_ONCE``, that need the same program."""
        rows, which = np.unique(requests.which[members], return_inverse=True)
        places, present = self._in_slots([requests.layouts[row] for row in rows.tolist()], slots)
        with self._arithmetic():
            outcomes = play_stream(
                self._geometry[slots],
                self._parameters,
                _filled_up(places),
                _filled_up(present),
                _filled_up(which.astype(np.int32)),
                _filled_up(requests.starts[members].astype(self.precision)),
                len(members),
                springs=springs,
                lanes=min(self.lanes, SPRING_LANES) if springs else self.lanes,
            )
        return jax.tree.map(lambda values: values[: len(members)], jax.device_get(outcomes))

    def _in_slots(
        self, layouts: Sequence[Layout], slots: int
    ) -> tuple[NDArray[np.floating], NDArray[np.bool_]]:
        positions = np.stack([layout.positions for layout in layouts])
        on_board = np.stack([layout.on_board for layout in layouts])
        places, present, _ = to_slots(positions, on_board, slots)
        return places.astype(self.precision), present

    def _motions(
        self, outcomes: Outcomes, requests: Requests, members: Sequence[int]
    ) -> list[Motion]:
        """The outcomes of the strokes ``members``, if they make sense."""
        finite = np.isfinite(outcomes.positions).all((1, 2)) & ~outcomes.unfinished
        for row, k in enumerate(members):
            if not finite[row]:
                reason = f"not at rest after {int(outcomes.impacts[row])} impacts"
                raise self._diverged(requests, k, reason)
        return motions_of(outcomes, [requests.layout(k) for k in members])

    def _diverged(self, requests: Requests, k: int, reason: str) -> PhysicsError:
        strike, seat = requests.strikes[k], requests.seats[k]
        # The sliding friction of this engine is that of the reference's "coulomb" ground.
        ground = "coulomb"
        layout = requests.layout(k)
        dump = StrokeDump(self.board, self.material, ground, layout, strike, seat, reason)
        return PhysicsError(
            f"stroke {strike} of seat {seat} diverged: {reason}; save this error's dump to "
            "replay it with the reference engine",
            dump,
        )

    def _arithmetic(self) -> AbstractContextManager[Any]:
        """Where the compiled programs are called, so that float64 stays float64."""
        return jax.enable_x64(True) if self.precision == "float64" else contextlib.nullcontext()


def _rebuilt(board: Board, material: Material, precision: str, lanes: int) -> PlanarEngine:
    return PlanarEngine(board, material, precision=precision, lanes=lanes)


def _film(
    outcomes: Outcomes, frames: list[jax.Array], layout: Layout, motion: Motion, rate: float
) -> Trajectory:
    slots = outcomes.on_board.shape[1]
    slot = np.zeros(N_DISCS, np.intp)
    slot[:STRIKER][layout.on_board] = np.arange(layout.on_board.sum())
    slot[STRIKER] = slots - 1
    fall_times = outcomes.fall_times[0, slot].astype(np.float64)
    fall_times[:STRIKER][~layout.on_board] = -math.inf
    recording = np.concatenate([np.asarray(part) for part in frames])
    return trajectory(recording, slot, fall_times, motion, rate)


def _filled_up(array: NDArray[Any]) -> NDArray[Any]:
    """The array with zeros up to the length that the programs are compiled for."""
    rest = np.zeros((AT_ONCE - len(array), *array.shape[1:]), array.dtype)
    return np.concatenate([array, rest])

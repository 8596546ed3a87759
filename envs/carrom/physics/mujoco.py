"""The reference engine: strokes computed by MuJoCo."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.errors import ConfigError, PhysicsError
from carrom.layout import Layout
from carrom.physics.checks import check_counts, check_rate, check_seat
from carrom.physics.contact_ground import ContactSimulation
from carrom.physics.dump import StrokeDump
from carrom.physics.material import Material
from carrom.physics.motion import Motion, Pocketing, Trajectory
from carrom.physics.scene import ground_kind
from carrom.physics.simulation import Diagnostics, DivergenceError, Simulation
from carrom.physics.strike import Strike
from carrom.pieces import N_CARROMMEN, N_DISCS, STRIKER

_SLACK = 0.5e-6
"""Layouts with overlaps up to this are good without ``Layout.check``, which costs a tenth, m."""


class MujocoEngine:
    """Plays strokes, each independent of those before it.

    Not for several threads at once; ``play_many`` brings its own. Pickles by rebuilding.

    Args:
        board: the board and pieces; regulation if not given.
        material: nominal if not given.
        ground: see ``carrom.physics.scene``.

    Raises:
        ConfigError: unknown ground.
    """

    def __init__(
        self,
        board: Board | None = None,
        material: Material | None = None,
        ground: str = "coulomb",
    ) -> None:
        self.board = Board() if board is None else board
        self.material = Material() if material is None else material
        self.ground = ground_kind(ground)
        self._simulations = [self._new_simulation()]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.board, self.material, self.ground)

    def play(
        self,
        layout: Layout,
        strike: Strike,
        seat: int = 0,
        *,
        trajectory_rate: float | None = None,
    ) -> Motion:
        """Strike the striker on ``layout`` and wait until everything rests (123).

        The striker starts where the strike says, proper or not, as long as it lies wholly on
        the playing surface.

        Nothing keeps it from being set onto a carromman; the environments never do. It then
        touches that carromman from the start: one that it closes on is struck at once, any
        other it slides out from under, and where nothing moves the two stay as they are. With
        one carromman that gains no energy. Set among several that touch, the discs are thrown
        apart, and the outcome, which may gain energy, has no meaning.

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
            PhysicsError: the computation diverged; its dump can be saved and replayed.
        """
        return self.examine(layout, strike, seat, trajectory_rate=trajectory_rate)[0]

    def examine(
        self,
        layout: Layout,
        strike: Strike,
        seat: int = 0,
        *,
        trajectory_rate: float | None = None,
    ) -> tuple[Motion, Diagnostics]:
        """As ``play``, and how it was computed."""
        simulation = self._simulations[0]
        return self._play(simulation, layout, strike, seat, trajectory_rate)

    def play_many(
        self,
        layouts: Sequence[Layout],
        strikes: Sequence[Strike],
        seats: Sequence[int],
        *,
        threads: int = 1,
    ) -> list[Motion]:
        """Play independent strokes; each outcome is that of ``play``, to the last bit.

        Args:
            layouts: one per stroke.
            strikes: one per stroke.
            seats: one per stroke.
            threads: how many work at once. The outcomes do not depend on it. Where it is
                speed that counts, see ``carrom.physics.pool``.

        Raises:
            BoardError, ConfigError, PhysicsError: as ``play``.
            ConfigError: the numbers of layouts, strikes and seats differ, or ``threads`` < 1.
        """
        count = len(strikes)
        check_counts(layouts, strikes, seats)
        if threads < 1:
            raise ConfigError(f"threads = {threads}: expected at least 1")
        while len(self._simulations) < min(threads, count):
            self._simulations.append(self._new_simulation())
        motions: list[Motion | None] = [None] * count
        todo = iter(range(count))

        def work(simulation: Simulation) -> None:
            # next() on a range iterator is atomic, so each stroke is taken once.
            for k in todo:
                motions[k] = self._play(simulation, layouts[k], strikes[k], seats[k], None)[0]

        if threads == 1:
            work(self._simulations[0])
        else:
            with ThreadPoolExecutor(threads) as pool:
                for done in [pool.submit(work, s) for s in self._simulations[:threads]]:
                    done.result()
        return [motion for motion in motions if motion is not None]

    def _new_simulation(self) -> Simulation:
        kind = Simulation if self.ground == "coulomb" else ContactSimulation
        return kind(self.board, self.material)

    def _play(
        self,
        simulation: Simulation,
        layout: Layout,
        strike: Strike,
        seat: int,
        trajectory_rate: float | None,
    ) -> tuple[Motion, Diagnostics]:
        strike.check(self.board)
        check_seat(seat)
        check_rate(trajectory_rate)
        position, velocity = np.zeros((N_DISCS, 2)), np.zeros((N_DISCS, 2))
        position[:N_CARROMMEN] = layout.positions
        position[STRIKER] = strike.position(self.board, seat)
        velocity[STRIKER] = strike.velocity(seat)
        in_play = np.append(layout.on_board, True)
        overlap = simulation.place(position, in_play, velocity=velocity, film_rate=trajectory_rate)
        if overlap > _SLACK:
            layout.check(self.board)
        try:
            simulation.run()
        except (DivergenceError, mujoco.FatalError) as error:
            dump = StrokeDump(
                self.board, self.material, self.ground, layout, strike, seat, str(error)
            )
            raise PhysicsError(
                f"stroke {strike} of seat {seat} diverged: {error}; save this error's dump to "
                "replay it",
                dump,
            ) from error
        return _outcome(simulation, trajectory_rate), simulation.diagnostics()


def replay(path: str | Path) -> Motion:
    """Play a saved stroke again.

    Raises:
        ConfigError: the file is not a saved stroke.
        PhysicsError: it diverged again.
    """
    dump = StrokeDump.load(path)
    engine = MujocoEngine(dump.board, dump.material, dump.ground)
    return engine.play(dump.layout, dump.strike, dump.seat)


def _outcome(simulation: Simulation, trajectory_rate: float | None) -> Motion:
    shot, in_play = simulation.shot[0], simulation.in_play.copy()
    fallen = slice(int(shot["n_fallen"]))
    falls = [
        Pocketing(*fall)
        for fall in zip(
            shot["fallen"][fallen].tolist(),
            shot["pocket"][fallen].tolist(),
            shot["fall_time"][fallen].tolist(),
            strict=True,
        )
    ]
    first_touch = int(shot["first_touch"])
    return Motion(
        layout=Layout(simulation.position[:N_CARROMMEN], in_play[:N_CARROMMEN]),
        pocketed=tuple(sorted(falls, key=lambda fall: fall.time)),
        first_touch=None if first_touch < 0 else first_touch,
        touched=shot["touched"][:N_CARROMMEN].astype(bool),
        duration=simulation.time,
        striker=simulation.position[STRIKER].copy() if in_play[STRIKER] else None,
        trajectory=None if trajectory_rate is None else _film(simulation, trajectory_rate),
    )


def _film(simulation: Simulation, rate: float) -> Trajectory:
    """The frames taken on the way, and one at rest."""
    shot, in_play = simulation.shot[0], simulation.in_play
    frames = int(shot["n_frames"])
    at_rest: NDArray[np.float64] = np.where(
        in_play[:, None], simulation.position, shot["last_place"]
    )
    return Trajectory(
        times=np.append(np.arange(frames) / rate, simulation.time),
        positions=np.concatenate([simulation.film[:frames], at_rest[None]]),
        in_play=np.concatenate([simulation.film_in_play[:frames], in_play[None]]),
    )

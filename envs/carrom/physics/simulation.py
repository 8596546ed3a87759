"""One MuJoCo model and its data, stepped from event to event."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import mujoco
import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics import compiled, kernels
from carrom.physics.cluster import STEPS_PER_CONTACT, spring_damping
from carrom.physics.material import Material
from carrom.physics.model import fall_radius
from carrom.physics.scene import (
    CORNER_NAMES,
    FRAME_NAMES,
    Ground,
    build_mjcf,
    disc_geom,
)
from carrom.physics.sliding import farkas_table
from carrom.physics.state import N_SOLIDS, SCENE, SHOT
from carrom.pieces import N_DISCS, STRIKER

LONGEST_LEG = 8e-3
"""Longest leg, s. Discs that brake differently meet unseen by at most mu g times its square."""
NEAR_LEG = 1e-3
"""Longest leg while discs nearly touch, s."""
STOP_SPEED = 1e-9
"""Slower than this is at rest, m/s: what rounding leaves. Friction stops everything else."""
TIME_LIMIT = 60.0
"""No stroke lasts longer, s: from 10 m/s a disc stops within 25 s on the slowest estimate."""
LEG_LIMIT = 200_000
"""No stroke takes more legs; a break takes about a thousand."""


class DivergenceError(Exception):
    """The computation makes no sense; the text says why."""


@dataclass(frozen=True)
class Diagnostics:
    """How a stroke was computed.

    Attributes:
        legs: from event to event.
        steps: of MuJoCo.
        clusters: phases in which contacts overlapped in time.
        impact_gain: largest gain of kinetic energy in an impact, J.
        cluster_gain: largest gain of kinetic energy in a cluster, J.
        overlap: deepest overlap of discs during a cluster, m.
    """

    legs: int
    steps: int
    clusters: int
    impact_gain: float
    cluster_gain: float
    overlap: float


class Simulation:
    """The discs on one board, of one material; the engine applies the sliding friction.

    Not for several threads at once: the MuJoCo model itself is changed while it runs.

    Args:
        board: geometry and masses.
        material: everything else.
        skip: make legs without contact outside MuJoCo; bit-identical and faster.
        springs: treat contacts that overlap in time as springs, else as impacts.

    Attributes:
        position: (20, 2), m, board frame; beyond the board for discs out of play.
        velocity: (20, 2), m/s.
        shot: the ``SHOT`` record, shape (1,).
        film: (T, 20, 2), m, frames of the film.
        film_in_play: (T, 20).
    """

    ground: ClassVar[Ground] = "coulomb"

    def __init__(
        self, board: Board, material: Material, *, skip: bool = True, springs: bool = True
    ) -> None:
        self.model = mujoco.MjModel.from_xml_string(build_mjcf(board, material, self.ground))
        self.data = mujoco.MjData(self.model)
        self._option = self.model.opt
        self._views = (
            self.model.geom_solref,
            self.model.geom_solimp,
            self.model.geom_contype,
            self.model.geom_conaffinity,
            self.model.geom_pos,
            self.model.geom_quat,
        )
        self.position, self.velocity = self._motion_arrays()
        self.shot = np.zeros(1, SHOT)
        self._scene = scene_record(board, material, self.model)
        self._scene["skip"], self._scene["springs"] = skip, springs
        self._discs = np.full(self.model.ngeom, -1, np.int64)
        self._discs[self._scene["geom"][0, :N_DISCS]] = np.arange(N_DISCS)
        self.film, self.film_in_play = _empty_film(0)

    @property
    def spin(self) -> NDArray[np.float64]:
        """(20,), rad/s, counter-clockwise."""
        return self.shot["spin"][0]

    @property
    def in_play(self) -> NDArray[np.bool_]:
        """(20,), whether the disc is on the board."""
        return self.shot["in_play"][0].view(np.bool_)

    @property
    def time(self) -> float:
        """Seconds since the discs were placed."""
        return float(self.shot["time"][0])

    def place(
        self,
        position: NDArray[np.float64],
        in_play: NDArray[np.bool_],
        *,
        velocity: NDArray[np.float64] | None = None,
        spin: NDArray[np.float64] | None = None,
        film_rate: float | None = None,
    ) -> float:
        """Start anew; nothing of earlier strokes is left.

        Args:
            position: (20, 2), m, board frame.
            in_play: (20,).
            velocity: (20, 2), m/s; zero if not given.
            spin: (20,), rad/s; zero if not given.
            film_rate: frames per second, if a film is wanted.

        Returns:
            The deepest overlap of two carrommen or of one and the frame, m, negative if there
            is none and infinite if a place is not a number. The striker may stand anywhere.
        """
        mujoco.mj_resetData(self.model, self.data)
        self.shot[:] = 0
        overlap = compiled.place(
            self._scene,
            self.shot,
            self.position,
            self.velocity,
            self._views,
            position,
            in_play,
            _NO_VELOCITY if velocity is None else velocity,
            _NO_SPIN if spin is None else spin,
        )
        self.shot["film_period"] = 0.0 if film_rate is None else 1.0 / film_rate
        self.film, self.film_in_play = _empty_film(0 if film_rate is None else int(film_rate) + 2)
        return overlap

    def run(self, until: float = math.inf) -> None:
        """Go on until everything rests, or until the first event not before ``until``, s.

        Raises:
            DivergenceError: a disc got impossibly fast, a number is not finite, the stroke does
                not end, or MuJoCo warns.
        """
        # What the interpreter does for a MuJoCo step (the calls, the views) takes 4 us of the
        # 24 us that one takes on a break: calling MuJoCo by raw pointers instead of its
        # public binding could make a break a sixth faster, and is not worth its dangers.
        data, shot = self.data, self.shot
        shot["stop_time"] = until
        while True:
            status = compiled.advance(
                self._scene,
                shot,
                self.position,
                self.velocity,
                self._views,
                self.film,
                self.film_in_play,
            )
            if status == kernels.STEP:
                self._step(shot["leg"][0])
                if data.ncon:
                    # The views must be fetched anew: MuJoCo moves its arena at each step.
                    contact = data.contact
                    compiled.resolve_contacts(
                        self._scene,
                        shot,
                        self.position,
                        self.velocity,
                        self._discs,
                        contact.geom,
                        contact.frame,
                        contact.efc_address,
                        data.efc_force,
                    )
            elif status == kernels.FILM_FULL:
                self._lengthen_film()
            else:
                break
        if status == kernels.NONSENSE:
            raise DivergenceError("a disc has no finite or no possible speed")
        if status == kernels.TOO_LONG:
            raise DivergenceError(
                f"not at rest after {self.time:.3g} s and {int(shot['n_legs'][0])} legs"
            )
        if data.warning.number.any():
            raise DivergenceError(f"MuJoCo warns: {_warnings(data)}")

    def diagnostics(self) -> Diagnostics:
        """How the stroke so far was computed."""
        shot = self.shot[0]
        return Diagnostics(
            int(shot["n_legs"]),
            int(shot["n_steps"]),
            int(shot["n_clusters"]),
            float(shot["impact_gain"]),
            float(shot["cluster_gain"]),
            float(shot["overlap"]),
        )

    def _motion_arrays(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The arrays of the discs' positions and velocities: MuJoCo's own."""
        return self.data.qpos.reshape(N_DISCS, 2), self.data.qvel.reshape(N_DISCS, 2)

    def _step(self, timestep: float) -> None:
        self._option.timestep = timestep
        mujoco.mj_step(self.model, self.data)

    def _lengthen_film(self) -> None:
        film, film_in_play = _empty_film(2 * len(self.film))
        film[: len(self.film)], film_in_play[: len(self.film)] = self.film, self.film_in_play
        self.film, self.film_in_play = film, film_in_play


_NO_VELOCITY = np.zeros((N_DISCS, 2))
_NO_SPIN = np.zeros(N_DISCS)


def _warnings(data: mujoco.MjData) -> str:
    counts = data.warning.number
    kinds = [mujoco.mjtWarning(k).name for k in np.flatnonzero(counts)]
    return ", ".join(kinds)


def scene_record(board: Board, material: Material, model: mujoco.MjModel) -> NDArray[np.void]:
    """The ``SCENE`` record of a board and a material, shape (1,)."""
    scene = np.zeros(1, SCENE)
    scene["radius"], scene["mass"] = board.radii, board.masses
    scene["fall_radius"] = fall_radii(board, material)
    scene["half_side"] = board.half_side
    scene["pocket_offset"] = board.pocket_offset
    scene["pocket_radius"] = board.pocket_radius
    scene["deceleration"] = scene["largest_deceleration"] = material.deceleration
    scene["farkas"] = farkas_table()
    names = (*(disc_geom(index) for index in range(N_DISCS)), *FRAME_NAMES, *CORNER_NAMES)
    scene["geom"] = [model.geom(name).id for name in names]
    restitution = np.full(N_SOLIDS, material.restitution_carromman)
    restitution[STRIKER] = material.restitution_striker
    restitution[N_DISCS:] = material.restitution_frame
    scene["bounce"] = 1.0 + restitution
    scene["stiffness"] = (math.pi / material.contact_time) ** 2
    scene["damping"] = [spring_damping(e) / material.contact_time for e in restitution.tolist()]
    scene["friction_rim"] = material.friction_rim
    scene["friction_frame"] = material.friction_frame
    scene["contact_time"] = material.contact_time
    scene["fall_time"] = material.fall_time
    scene["longest_leg"], scene["near_leg"] = LONGEST_LEG, NEAR_LEG
    scene["spring_step"] = material.contact_time / STEPS_PER_CONTACT
    scene["stop_speed"] = STOP_SPEED
    scene["skip"] = scene["springs"] = True
    scene["time_limit"], scene["leg_limit"] = TIME_LIMIT, LEG_LIMIT
    return scene


def fall_radii(board: Board, material: Material) -> NDArray[np.float64]:
    """Radius of each disc's fall circle about a pocket's centre, m, shape (20,)."""
    return fall_radius(
        board.radii, material.edge_rounding, material.fall_factor, board.pocket_radius
    )


def _empty_film(length: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    return np.zeros((length, N_DISCS, 2)), np.zeros((length, N_DISCS), bool)

"""The cross-check: sliding friction as a MuJoCo contact with the floor.

The same events, impacts, rim friction and pockets as ``Simulation``, but what the board does
to a disc is MuJoCo's: each leg is a step, and legs are short.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.material import Material
from carrom.physics.scene import Ground
from carrom.physics.simulation import Simulation
from carrom.pieces import N_DISCS

_LONGEST_LEG = 0.5e-3
"""Longest leg, s: a semi-implicit Euler step misses v h / 2 of the way to a stop."""
_STOP_SPEED = 1e-3
"""Slower than this is at rest, m/s: near rest MuJoCo's friction is viscous."""
# Columns of a disc's joint coordinates: slide x, slide y, turn, lift.
_PLANE, _TURN = slice(0, 2), 2


class ContactSimulation(Simulation):
    """The discs on one board, of one material; everything is in the MJCF.

    Args:
        board: geometry and masses.
        material: everything else.
    """

    ground: ClassVar[Ground] = "contact"

    def __init__(self, board: Board, material: Material) -> None:
        super().__init__(board, material, skip=False)
        # MuJoCo takes the mean over three axes, of which a rim that cannot rise has two: its
        # springs would be half as stiff again, and the restitution of 0.70 would be 0.65.
        rims = self.model.geom_bodyid[self._scene["geom"][0, :N_DISCS]]
        self.model.body_invweight0[rims, 0] = 1.0 / board.masses
        self._joints = self.data.qpos.reshape(N_DISCS, 4)
        self._rates = self.data.qvel.reshape(N_DISCS, 4)
        self._scene["deceleration"] = 0.0
        self._scene["longest_leg"] = self._scene["near_leg"] = _LONGEST_LEG
        self._scene["stop_speed"] = _STOP_SPEED

    def _motion_arrays(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return np.zeros((N_DISCS, 2)), np.zeros((N_DISCS, 2))

    def _step(self, timestep: float) -> None:
        self._joints[:, _PLANE] = self.position
        self._rates[:, _PLANE] = self.velocity
        self._rates[:, _TURN] = self.spin
        super()._step(timestep)
        self.position[:] = self._joints[:, _PLANE]
        self.velocity[:] = self._rates[:, _PLANE]
        self.spin[:] = self._rates[:, _TURN]

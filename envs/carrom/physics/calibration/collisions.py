"""Single impacts in the MuJoCo engine, as they happen."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.material import Material
from carrom.physics.simulation import Simulation
from carrom.pieces import N_DISCS

_BYSTANDER = 5
"""A disc far away whose speed sets the length of the impact's step."""


class FloatingSimulation(Simulation):
    """Discs that the board does not slow: impacts show by themselves."""

    def __init__(self, board: Board, material: Material) -> None:
        super().__init__(board, material)
        self._scene["deceleration"] = 0.0


class Collision(NamedTuple):
    """An impact as it happened.

    Attributes:
        normal: (2,), the line of centres at the exact touch.
        contact_normal: (2,), the line of centres at the step that made the impact.
        before: (2, 2), velocities of the moving and of the resting disc, m/s.
        after: (2, 2), the same after it.
    """

    normal: NDArray[np.float64]
    contact_normal: NDArray[np.float64]
    before: NDArray[np.float64]
    after: NDArray[np.float64]

    @property
    def restitution(self) -> float:
        """Speed of separation over speed of approach."""
        approach = (self.before[0] - self.before[1]) @ self.normal
        return float((self.after[1] - self.after[0]) @ self.normal / approach)


def collide(
    simulation: Simulation,
    board: Board,
    index: int,
    other: int,
    *,
    speed: float,
    cut: float,
    spin: float = 0.0,
    angle: float = 0.0,
    bystander: float = 0.0,
    beside: float | None = None,
) -> Collision:
    """Send disc ``index`` at a resting ``other`` and stop after the impact.

    Args:
        simulation: what computes it.
        board: the board.
        index: the moving disc.
        other: the disc at rest, at the board's centre.
        speed: m/s.
        cut: angle between the path and the line of centres at the touch, rad.
        spin: of the moving disc, rad/s.
        angle: direction of the line of centres, rad.
        bystander: speed of a third disc, far away, m/s.
        beside: gap of a fourth disc to the resting one, across the line of centres, m.
    """
    normal = np.array([math.cos(angle), math.sin(angle)])
    across = np.array([-normal[1], normal[0]])
    heading = math.cos(cut) * normal + math.sin(cut) * across
    touch = board.radii[index] + board.radii[other]
    places, velocities, spins = np.zeros((N_DISCS, 2)), np.zeros((N_DISCS, 2)), np.zeros(N_DISCS)
    places[index] = -touch * normal - 1e-5 * heading
    velocities[index] = speed * heading
    spins[index] = spin
    in_play = np.isin(np.arange(N_DISCS), (index, other))
    if bystander > 0:
        in_play[_BYSTANDER] = True
        places[_BYSTANDER], velocities[_BYSTANDER] = (-0.3, -0.3), (bystander, 0.0)
    if beside is not None:
        in_play[7] = True
        # A little behind, so that the disc that is struck moves away from it.
        backwards = math.cos(0.03) * across + math.sin(0.03) * normal
        places[7] = -(board.carromman_diameter + beside) * backwards
    simulation.place(places, in_play, velocity=velocities, spin=spins)
    pair, shot = [index, other], simulation.shot
    before, centres = simulation.velocity[pair].copy(), simulation.position[pair].copy()
    while not shot["touched"][0, other] or shot["clustered"][0]:
        if not shot["touched"][0, other]:
            before, centres = simulation.velocity[pair].copy(), simulation.position[pair].copy()
        simulation.run(until=simulation.time + 1e-12)
    line = centres[1] - centres[0]
    return Collision(normal, line / np.hypot(*line), before, simulation.velocity[pair].copy())

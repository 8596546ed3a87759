"""The same board in pymunk, a general engine for rigid bodies in the plane, as a peer."""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np
import pymunk
from numpy.typing import NDArray
from pymunk.constraints import Constraint, GearJoint, PivotJoint

from carrom.board import Board
from carrom.physics.calibration.shots import Shot, break_shot, midgame_shot
from carrom.physics.material import GRAVITY, Material
from carrom.physics.model import fall_radius
from carrom.pieces import STRIKER
from carrom.rack import LOOSE, TIGHT

from .measure import Figures, best_rate, one_core_bench, shots_of

_FRAME, _STRIKER = 1, 2
"""Collision types; carrommen have type 0."""
_THICKNESS = 0.05
"""Of the frame, m: nothing tunnels through."""
_STEPS_PER_LOOK = 5
"""Steps between two looks at what lies over a pocket and what moves: Python is slow."""
_STILL = 2e-3
"""Below this speed a disc counts as at rest, m/s: less than it loses between two looks."""


class Rest(NamedTuple):
    """How a stroke ended: (20,) bool, and after how many seconds."""

    on_board: NDArray[np.bool_]
    duration: float


class Peer:
    """Discs on a board in pymunk, at fixed steps.

    What it has in common with the project's engines: board, discs and masses, restitutions
    and rim frictions, sliding friction as a constant deceleration and a constant torque, and
    the law of falling, looked at every ``_STEPS_PER_LOOK`` steps. All of it but that look is
    done by pymunk's compiled solver.

    Args:
        board: dimensions and masses.
        material: friction, restitution, capture.
        timestep: s.
    """

    def __init__(self, board: Board, material: Material, timestep: float = 1e-3) -> None:
        self.board, self.material, self.timestep = board, material, timestep
        self._fall_radii = fall_radius(
            board.radii, material.edge_rounding, material.fall_factor, board.pocket_radius
        )

    def play(self, shot: Shot) -> Rest:
        """Play a stroke of seat 0."""
        space = pymunk.Space()
        # The overlap that the solver leaves alone, m; its default is meant for pixels.
        space.collision_slop = 1e-5
        space.add(*self._frame(space.static_body))
        material = self.material

        def off_frame(arbiter: pymunk.Arbiter, *_: object) -> None:
            # Restitutions of shapes are multiplied: for one pair of three that is not right.
            arbiter.restitution = material.restitution_frame

        space.on_collision(_FRAME, _STRIKER, pre_solve=off_frame)
        in_play = {}
        for index in np.flatnonzero([*shot.layout.on_board, True]).tolist():
            in_play[index] = self._disc(space, index, shot)
        on_board = np.append(shot.layout.on_board, True)
        inside, time, moving = np.zeros(len(on_board)), 0.0, True
        look = _STEPS_PER_LOOK * self.timestep
        while moving:
            for _ in range(_STEPS_PER_LOOK):
                space.step(self.timestep)
            time += look
            moving = False
            for index, parts in list(in_play.items()):
                body = parts[0]
                x, y = body.position
                offset = self.board.pocket_offset
                over = math.hypot(abs(x) - offset, abs(y) - offset) < self._fall_radii[index]
                inside[index] = inside[index] + look if over else 0
                if inside[index] > material.fall_time:
                    space.remove(*in_play.pop(index))
                    on_board[index] = False
                elif over or body.velocity.length > _STILL:
                    moving = True
        return Rest(on_board, time)

    def _frame(self, body: pymunk.Body) -> list[pymunk.Shape]:
        """Four sides, and each corner's arc in four pieces."""
        half, offset, radius = (
            self.board.half_side,
            self.board.pocket_offset,
            self.board.pocket_radius,
        )
        angles = np.linspace(0, math.pi / 2, 5)
        corner = offset + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        corner[0], corner[-1] = (half, offset), (offset, half)
        points = [corner @ [[c, s], [-s, c]] for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1))]
        outline = np.concatenate(points)
        shapes: list[pymunk.Shape] = []
        for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True):
            outward = np.array([b[1] - a[1], a[0] - b[0]]) / math.dist(a, b) * _THICKNESS
            start, end = (a + outward).tolist(), (b + outward).tolist()
            shapes.append(pymunk.Segment(body, (start[0], start[1]), (end[0], end[1]), _THICKNESS))
        for shape in shapes:
            shape.collision_type = _FRAME
            shape.elasticity = self.material.restitution_frame / self._own_restitution(0)
            shape.friction = self.material.friction_frame / math.sqrt(self.material.friction_rim)
        return shapes

    def _disc(
        self, space: pymunk.Space, index: int, shot: Shot
    ) -> tuple[pymunk.Body, pymunk.Shape, Constraint, Constraint]:
        radius, mass = float(self.board.radii[index]), float(self.board.masses[index])
        body = pymunk.Body(mass, pymunk.moment_for_circle(mass, 0, radius))
        if index == STRIKER:
            body.position = tuple(shot.strike.position(self.board, 0))
            body.velocity = tuple(shot.strike.velocity(0))
        else:
            body.position = tuple(shot.layout.positions[index])
        shape = pymunk.Circle(body, radius)
        shape.collision_type = _STRIKER if index == STRIKER else 0
        shape.elasticity = self._own_restitution(index)
        shape.friction = math.sqrt(self.material.friction_rim)
        # Joints to the board that give way: dry friction, of the centre and of the spin.
        grip = self.material.friction * mass * GRAVITY
        slide = PivotJoint(space.static_body, body, (0, 0), (0, 0))
        turn = GearJoint(space.static_body, body, 0, 1)
        slide.max_bias = turn.max_bias = 0
        slide.max_force, turn.max_force = grip, grip * radius * 2 / 3
        space.add(body, shape, slide, turn)
        return body, shape, slide, turn

    def _own_restitution(self, index: int) -> float:
        """What a disc contributes: the product of two is the restitution of the pair."""
        carromman = math.sqrt(self.material.restitution_carromman)
        return self.material.restitution_striker / carromman if index == STRIKER else carromman


@one_core_bench
def peer() -> Figures:
    """Strokes per second of pymunk at 1 ms."""
    player = Peer(Board(), Material())
    kinds = {
        "midgame": (midgame_shot, 128),
        "loose_break": (partial(break_shot, packing=LOOSE), 64),
        "tight_break": (partial(break_shot, packing=TIGHT), 64),
    }
    result = {}
    for name, (kind, count) in kinds.items():
        shots = shots_of(kind, count)
        result[f"{name}_per_s"] = best_rate(
            lambda shots=shots: [player.play(shot) for shot in shots], count
        )
    return result

"""Chapter: sliding, with spin and without."""

from __future__ import annotations

import math

import numpy as np

from carrom.board import Board
from carrom.physics.calibration.amounts import Amounts
from carrom.physics.calibration.closed_forms import stop, uniform_leg_factor
from carrom.physics.calibration.ground import stop_measured
from carrom.physics.calibration.page.section import (
    EXACT_COLOUR,
    MUJOCO_COLOUR,
    PLANAR_COLOUR,
    Section,
    panels,
    picture,
    png,
    table,
)
from carrom.physics.calibration.planar_parts import sliding_errors, stops
from carrom.physics.calibration.report import sliding
from carrom.physics.material import Material
from carrom.physics.simulation import Simulation

_NAME = "physics-sliding.png"
_RATIOS = np.geomspace(0.05, 20, 14)


def section(board: Board, amounts: Amounts) -> Section:
    """Where and when single discs stop."""
    material = Material()
    slowing, simulation = material.deceleration, Simulation(board, material)
    speeds = np.linspace(0.05, 0.9, 12)
    alone = np.array([stop_measured(simulation, board, float(v), 0.0) for v in speeds])
    planar = stops(board, speeds, np.zeros_like(speeds))
    # Of spinning discs: so fast that they stop on the board.
    start = np.minimum(0.4, 0.5 / _RATIOS)
    spun = np.array(
        [
            stop_measured(simulation, board, float(v), float(q * v))
            for v, q in zip(start, _RATIOS, strict=True)
        ]
    )
    legs = stops(board, start, _RATIOS * start)
    exact = np.array(
        [stop(float(v), float(q * v), slowing) for v, q in zip(start, _RATIOS, strict=True)]
    )
    planar_spun = np.stack(
        [legs.outcomes.positions[:, 0, 0] + 0.3, legs.outcomes.durations], axis=1
    )
    without = np.stack([start**2 / (2 * slowing), start / slowing], axis=1)
    figure, axes = panels(3)
    fine = np.linspace(0, 0.95, 100)
    axes[0].plot(fine, fine**2 / (2 * slowing), color=EXACT_COLOUR, label="v$^2$ / 2 mu g")
    axes[0].plot(speeds, alone[:, 0], "o", color=MUJOCO_COLOUR, label="MuJoCo")
    axes[0].plot(
        speeds, planar.outcomes.positions[:, 0, 0] + 0.3, "x", color=PLANAR_COLOUR, label="planar"
    )
    axes[0].set(xlabel="speed (m/s)", ylabel="way to rest (m)", title="without spin")
    for column, title in ((0, "way, over that without spin"), (1, "time, over that without spin")):
        panel = axes[column + 1]
        panel.plot(
            _RATIOS, exact[:, column] / without[:, column], color=EXACT_COLOUR, label="exact"
        )
        panel.plot(
            _RATIOS, spun[:, column] / without[:, column], "o", color=MUJOCO_COLOUR, label="MuJoCo"
        )
        panel.plot(
            _RATIOS, planar_spun[:, column] / without[:, column], "x", color=PLANAR_COLOUR,
            label="planar",
        )  # fmt: skip
        panel.set(xlabel="R w / v at the start", title=title, xscale="log", yscale="log")
    for panel in axes:
        panel.legend(fontsize=8)
    picked = (0.1, 0.5, 1.0, 2.0, 5.0, 20.0)
    law = uniform_leg_factor(np.array(picked))
    rows = []
    for ratio, factor in zip(picked, law.tolist(), strict=True):
        speed = min(0.4, 0.5 / ratio)
        true, lone = stop(speed, ratio * speed, slowing), stop(speed, 0.0, slowing)
        rows.append(
            (
                f"{ratio:g}",
                f"{true.distance / lone.distance:.4f}",
                f"{factor:.4f}",
                f"{true.time / lone.time:.4f}",
            )
        )
    late = planar_spun[:, 1] / exact[:, 1] - 1
    worst = float(np.abs(alone[:, 1] - speeds / slowing).max())
    text = f"""A disc without spin runs a parabola in both engines. A spinning one goes further, \
because part of the friction is spent across its path; both engines must follow the integral of \
the coupled law (Runge-Kutta over the logarithm of the speed, no engine involved).

{picture(_NAME, "Way and time to rest, without spin (left) and with it.")}

{table(("R w / v", "way / way without spin", "planar law S", "time / time without spin"), rows)}

Without spin the time to rest is right to {worst * 1e3:.2g} ms in MuJoCo's engine. With spin the \
planar engine's uniform legs keep the way to rest, but neither the time nor the speed and spin \
that are left where an impact ends a leg early: over this range it stops between \
{math.fabs(float(late.min())):.1%} too early and {float(late.max()):.1%} too late. That is the \
price of the closed form, and the reason why single strokes of the two engines part (section 5).

The contact ground, in which MuJoCo itself makes the friction, is a cross-check: over a whole \
slide it brakes as it should, but at several m/s its feet skip, and the braking comes in bursts \
of some milliseconds."""
    checks = (*sliding(board, amounts), *sliding_errors(board))
    return Section("2. Sliding", text, checks, {_NAME: png(figure)})

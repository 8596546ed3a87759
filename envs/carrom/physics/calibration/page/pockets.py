"""Chapter: corners and pockets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.calibration.amounts import Amounts
from carrom.physics.calibration.closed_forms import interval
from carrom.physics.calibration.page.section import (
    MUJOCO_COLOUR,
    PLANAR_COLOUR,
    Section,
    panels,
    picture,
    png,
    table,
)
from carrom.physics.calibration.planar_parts import Cases, capture_errors
from carrom.physics.calibration.pockets import along_frame, pocketed_alone, straight_in
from carrom.physics.calibration.report import pocketing
from carrom.physics.calibration.watch import watch
from carrom.physics.material import Material
from carrom.physics.simulation import Simulation, fall_radii

_NAME = "physics-pockets.png"
_SPEEDS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0)
_OFFSET_SPEEDS = (2.0, 4.0, 6.0)
_WIDEST = 15e-3
"""m."""


def section(board: Board, amounts: Amounts) -> Section:
    """Which carrommen fall, by speed and by offset."""
    offsets = np.linspace(-_WIDEST, _WIDEST, amounts.offsets)
    gaps = np.linspace(0.1e-3, 3e-3, amounts.offsets)
    figure, axes = panels(3)
    rows, alike, both = [], 0, 0
    for panel, what, shots in (
        (axes[0], "straight in", [straight_in(board, offsets, speed) for speed in _SPEEDS]),
        (axes[1], "along the frame", [along_frame(board, gaps, speed) for speed in _SPEEDS]),
    ):
        one, other = _by_both(board, shots)
        alike, both = alike + int((one == other).sum()), both + one.size
        for seen, mark, colour, name in (
            (one, "o-", MUJOCO_COLOUR, "MuJoCo"), (other, "x--", PLANAR_COLOUR, "planar"),
        ):  # fmt: skip
            panel.plot(_SPEEDS, seen.mean(1), mark, color=colour, label=name)
        panel.set(xlabel="speed (m/s)", ylabel="share that falls", title=what, ylim=(-0.05, 1.05))
        panel.legend(fontsize=8)
        for name, seen in (("MuJoCo", one), ("planar", other)):
            rows.append((what, name, *(str(int(n)) for n in seen.sum(1))))
    fine = np.linspace(0, _WIDEST, 2 * amounts.offsets + 1)
    one, other = _by_both(board, [straight_in(board, fine, speed) for speed in _OFFSET_SPEEDS])
    for k, speed in enumerate(_OFFSET_SPEEDS):
        for seen, mark, colour in ((one, "o", MUJOCO_COLOUR), (other, "x", PLANAR_COLOUR)):
            axes[2].plot(fine * 1e3, seen[k] * 0.8 + speed, mark, color=colour, markersize=4)
    axes[2].set(
        xlabel="offset (mm)", ylabel="speed (m/s); raised: it falls", title="by offset",
        yticks=_OFFSET_SPEEDS, ylim=(1.6, 7.4),
    )  # fmt: skip
    alike, both = alike + int((one == other).sum()), both + one.size
    low, high = interval(alike / both, both)
    material = Material()
    circle = float(fall_radii(board, material)[0])
    deep = board.pocket_radius - board.carromman_radius
    limit = _straight_limit(circle, deep, material)
    coin, striker = circle * 1e3, float(fall_radii(board, material)[-1]) * 1e3
    time, widest, count = material.fall_time * 1e3, _WIDEST * 1e3, amounts.offsets
    columns = ("carrommen", "engine", *(f"{speed:g} m/s" for speed in _SPEEDS))
    shown = picture(
        _NAME,
        "Share of carrommen that fall: by speed straight in, by speed along the frame, and by "
        "offset from the diagonal at three speeds.",
    )
    text = f"""A carromman at rest falls within {coin:.2f} mm of a pocket's centre, a striker \
within {striker:.2f} mm; a moving one must stay inside that circle for {time:g} ms. A crossing of \
known transit shows the clock by itself: both engines' shortest transit that falls is compared \
with `fall_time` in section 9. One that runs straight in along the diagonal has the way to the \
arc and back, which lasts long enough up to {limit:.2f} m/s (closed form, friction left out); \
beside the middle several bounces in the arc hold faster ones.

{shown}

{table(columns, rows)}

Of {count} carrommen each: straight in from 40 mm before the pocket's centre, up to {widest:g} mm \
beside the diagonal; along the frame from 80 mm, 0.1 to 3 mm off it. The engines agree on {alike} \
of {both} carrommen ({low:.1%} to {high:.1%}); where they part, a rattle of many bounces is \
chaotic. The law does not know the height of the rim: a fast carromman that a real one would \
throw back may be held here by its bounces in the arc."""
    checks = (*pocketing(board), *capture_errors(board))
    return Section("4. Corners and pockets", text, checks, {_NAME: png(figure)})


def _by_both(
    board: Board, shots: list[tuple[NDArray[np.float64], NDArray[np.float64]]]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which carrommen fall, (speeds, offsets), in MuJoCo and in the planar engine."""
    simulation = Simulation(board, Material())
    one = np.stack([pocketed_alone(simulation, *shot) for shot in shots])
    places, velocities = (np.concatenate(values) for values in zip(*shots, strict=True))
    seen = watch(board, [Material()], *Cases.alone(0, places, velocities))
    return one, np.isfinite(seen.outcomes.fall_times[:, 0]).reshape(one.shape)


def _straight_limit(circle: float, deep: float, material: Material) -> float:
    """Speed at which a central carromman is inside for ``fall_time``: in, off the arc, out."""
    way = circle + deep
    return (way + way / material.restitution_frame) / material.fall_time

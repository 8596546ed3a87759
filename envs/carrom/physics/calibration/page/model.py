"""The model in short: its laws, its numbers, and that these are estimates."""

from __future__ import annotations

import dataclasses

from carrom.board import Board
from carrom.physics.calibration.page.section import Section, table
from carrom.physics.material import Material, randomisation_range
from carrom.rack import PACKINGS

_LAWS = """
Two engines compute one model. `MujocoEngine`, the reference, steps MuJoCo from contact to \
contact; `PlanarEngine` goes from event to event in closed form, in JAX, many strokes at once. \
Discs are solid (inertia m R^2 / 2) and stay flat on the board.

1. **Sliding.** Uniform pressure, Coulomb friction: with eps = v / (R |w|) the force is mu m g \
F(eps) against the velocity and the torque mu m g R T(eps) against the spin (Farkas, Bartels, \
Unger, Wolf, PRL 90, 248302, 2003). Without spin F = 1: a parabola. MuJoCo's engine integrates F \
and T; the planar engine replaces a leg between two impacts by a constant deceleration mu g / S, \
S^2 = 1 + q^2 (1/2 + 0.2347 q^3 / (q^3 + 0.75)), q = R w / v, with w proportional to the square \
root of v. Every path is straight.
2. **Impacts.** Newton's restitution e along the line of centres, Coulomb friction mu_rim or \
mu_frame across it, at most what stops the slip. Separation is at least 1 mm/s in the planar \
engine, and at least 0.03 v off a corner's arc in both.
3. **Contacts that overlap in time.** Where a third body is within reach while a contact lasts \
(closing speed times contact time), contacts are springs and dashpots of that duration until \
nothing overlaps. It decides what a rack does (section 6).
4. **Frame.** Four straight frames, and in each corner an arc concentric with the pocket, of the \
pocket's radius r_p.
5. **Capture.** A disc falls when its centre has been inside a circle about the pocket's centre \
for `fall_time`; the circle's radius is `fall_factor` sqrt(r_p^2 - (R - edge_rounding)^2), inside \
which the board no longer holds a flat disc at rest.
"""

_ESTIMATES = """
No measured value for a carrom board was found anywhere. Every number below is an estimate, with \
the range that `Material.sample` draws from; only the runs of section 8 tie them to the laws. \
What follows shows that the engines compute this model, not that the model is a real board: \
nothing here has been compared with a filmed stroke."""


def section(board: Board) -> Section:
    """The model and its parameters."""
    rows = []
    for field in dataclasses.fields(Material):
        low, high = randomisation_range(field.name)
        unit = field.metadata["unit"]
        rows.append((f"`{field.name}`", f"{field.default:g}", f"{low:g} to {high:g}", unit or "1"))
    gaps = "; ".join(
        f"{name} {how.gap * 1e3:g} +- {how.jitter * 1e3:g} mm" for name, how in PACKINGS.items()
    )
    discs = (
        f"Board {board.side:g} m, pockets {board.pocket_diameter * 1e3:g} mm; carrommen "
        f"{board.carromman_diameter * 1e3:g} mm, {board.carromman_mass * 1e3:g} g; striker "
        f"{board.striker_diameter * 1e3:g} mm, {board.striker_mass * 1e3:g} g. Gaps of a rack: "
        f"{gaps}."
    )
    parameters = table(("parameter", "nominal", "range", "unit"), rows)
    return Section(
        "1. The model", "\n\n".join([_LAWS.strip(), _ESTIMATES.strip(), parameters, discs])
    )

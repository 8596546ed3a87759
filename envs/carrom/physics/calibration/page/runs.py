"""Chapter: the one thing the laws say on friction and cushions."""

from __future__ import annotations

import numpy as np

from carrom.board import Board
from carrom.physics.calibration.amounts import Amounts
from carrom.physics.calibration.closed_forms import interval, runs_of, speed_for_runs
from carrom.physics.calibration.ground import RUNS_DEMANDED
from carrom.physics.calibration.page.section import Section, panels, picture, png, table
from carrom.physics.material import MATERIALS, Material, randomisation_range

_NAME = "physics-runs.png"


def section(board: Board, amounts: Amounts) -> Section:
    """Runs of a striker at full force, over the ranges of the material."""
    frictions = np.linspace(*randomisation_range("friction"), 25)
    restitutions = np.linspace(*randomisation_range("restitution_frame"), 25)
    needed = np.array(
        [
            [
                speed_for_runs(
                    board,
                    Material(friction=float(mu), restitution_frame=float(e)),
                    RUNS_DEMANDED,
                )
                for mu in frictions
            ]
            for e in restitutions
        ]
    )
    figure, (panel,) = panels(1)
    lines = panel.contour(frictions, restitutions, needed, levels=[2, 2.5, 3, 3.5, 4, 5, 6])
    panel.clabel(lines, fontsize=8, fmt="%g m/s")
    for name, material in MATERIALS.items():
        panel.plot(material.friction, material.restitution_frame, "k.")
        panel.annotate(
            name, (material.friction, material.restitution_frame), (4, 4), fontsize=9,
            textcoords="offset points", fontweight="bold",
        )  # fmt: skip
    panel.set(
        xlabel="friction of the board", ylabel="restitution of the frame",
        title=f"speed for {RUNS_DEMANDED:g} runs", xlim=(0.045, 0.142), ylim=(0.59, 0.86),
    )  # fmt: skip
    rows = []
    for name, material in MATERIALS.items():
        runs = runs_of(board, material, material.full_speed).runs
        speed = speed_for_runs(board, material, RUNS_DEMANDED)
        rows.append(
            (name, f"{material.friction:g}", f"{material.restitution_frame:g}",
             f"{material.full_speed:g} m/s", f"{runs:.2f}", f"{speed:.2f} m/s",
             "yes" if runs >= RUNS_DEMANDED else "**no**")
        )  # fmt: skip
    rng = np.random.default_rng(71)
    drawn = [Material.sample(rng) for _ in range(amounts.materials)]
    meet = [runs_of(board, one, one.full_speed).runs >= RUNS_DEMANDED for one in drawn]
    low, high = interval(float(np.mean(meet)), len(meet))
    columns = ("material", "friction", "restitution", "full force", "runs", "needs", "law met")
    text = f"""The equipment chapter demands of a board that a smooth 15 g striker, struck with \
full force, makes at least {RUNS_DEMANDED:g} runs; a run is the way to the opposite frame, and \
the last counts in part. It is the only number in the laws on friction and cushions. The closed \
form: v^2 falls by 2 mu g L on a leg of length L and by the factor e^2 at a frame. Both engines \
reproduce it (section 2).

{
        picture(
            _NAME,
            "Speed that a striker needs for the runs demanded, over the ranges of friction and "
            "of the frame's restitution.",
        )
    }

{table(columns, rows)}

The nominal board meets the law. Of materials drawn from all ranges {np.mean(meet):.1%} do \
({low:.1%} to {high:.1%}): the corner of high friction, dead frames and a weak full force is not \
a board that the law admits. Whoever wants only lawful boards must draw again."""
    return Section("8. Runs, and the material's ranges", text, (), {_NAME: png(figure)})

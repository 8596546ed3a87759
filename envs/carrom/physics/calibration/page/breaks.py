"""Chapter: breaks, on which the law of contact decides."""

from __future__ import annotations

import numpy as np

from carrom.board import Board
from carrom.physics.calibration.amounts import Amounts
from carrom.physics.calibration.breaks import (
    LAWS,
    MUJOCO_IMPULSES,
    MUJOCO_SPRINGS,
    PLANAR_IMPULSES,
    PLANAR_SPRINGS,
    REFERENCE,
    break_checks,
    breaks_by_all,
)
from carrom.physics.calibration.closed_forms import interval
from carrom.physics.calibration.page.section import Section, panels, picture, png, table
from carrom.physics.calibration.report import racking, stroking
from carrom.rack import PACKINGS

_NAME = "physics-breaks.png"
_MOST = 3
_COLOURS = {
    MUJOCO_SPRINGS: "C0", PLANAR_SPRINGS: "C1", REFERENCE: "0.4",
    MUJOCO_IMPULSES: "C9", PLANAR_IMPULSES: "C3",
}  # fmt: skip


def section(board: Board, amounts: Amounts) -> Section:
    """How many carrommen a break pockets."""
    played = breaks_by_all(board, amounts.law_breaks, amounts.reference_breaks)
    figure, axes = panels(2)
    rows = []
    for panel, packing in zip(axes, PACKINGS, strict=True):
        for k, law in enumerate(LAWS):
            seen = played[packing, law]
            count = len(seen.pocketed)
            shares = [float((np.minimum(seen.pocketed, _MOST) == n).mean()) for n in range(4)]
            bounds = np.array([interval(share, count) for share in shares]).T
            errors = np.abs(bounds - shares)
            at = np.arange(4) + (k - 2) * 0.16
            panel.bar(
                at, shares, 0.15, yerr=errors, color=_COLOURS[law], label=law,
                error_kw={"linewidth": 0.8},
            )  # fmt: skip
            rows.append(
                (
                    packing, law, f"{count:,}",
                    f"{seen.mean:.3f} +- {1.96 * seen.error:.3f}",
                    f"{seen.rest.mean():.3f} s",
                    f"{seen.striker.mean():.3f}",
                    ", ".join(f"{share:.3f}" for share in shares),
                )
            )  # fmt: skip
        panel.set(
            title=f"{packing} rack", xlabel="carrommen pocketed by a break", ylabel="share",
            xticks=range(4), xticklabels=["0", "1", "2", "3 or more"],
        )  # fmt: skip
    axes[0].legend(fontsize=7)
    columns = (
        "rack", "law", "breaks", "pocketed", "time to rest", "striker falls", "0, 1, 2, 3 or more",
    )  # fmt: skip
    loose = {law: played["loose", law].mean for law in LAWS}
    text = f"""4 to 6 m/s from within 0.1 m of the middle, at about the queen; the same racks and \
strikes for every law. The reference is neither engine: a spring and a dashpot in every contact, \
fixed steps of a fortieth of the contact time for the first 90 ms, and then the scalar float64 \
computation of section 7. A break is chaotic after a few contacts, so only counts are compared. \
Intervals are 95 %.

{picture(_NAME, "Carrommen pocketed by a break, by the law of contact, with 95 % intervals.")}

{table(columns, rows)}

**Impulses are another law on a rack, on a loose one too.** With them a loose break pockets \
{loose[PLANAR_IMPULSES]:.2f} (planar) and {loose[MUJOCO_IMPULSES]:.2f} (MuJoCo), with springs \
{loose[PLANAR_SPRINGS]:.2f} and {loose[MUJOCO_SPRINGS]:.2f}, in the reference \
{loose[REFERENCE]:.2f}. So `MujocoEngine` always takes springs where contacts overlap in time, \
and `PlanarEngine` wherever the layout lets them overlap from the beginning, racks above all. \
Whoever plays a rack with impulses to save time plays another break.

The contact time is an estimate (section 1): nothing here says how many carrommen a real break \
pockets."""
    checks = (*stroking(board, amounts), *racking(board, amounts), *break_checks(played))
    return Section("6. Whole strokes and breaks", text, checks, {_NAME: png(figure)})

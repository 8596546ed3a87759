"""Chapter: the two engines on the same strokes."""

from __future__ import annotations

import math

import numpy as np

from carrom.board import Board
from carrom.physics.calibration.agreement import (
    all_farthest,
    midgame_checks,
    midgame_of_both,
    midgame_shots,
    per_pocket,
    pocketed,
    rests,
    strokes_of_few_impacts,
)
from carrom.physics.calibration.amounts import Amounts
from carrom.physics.calibration.closed_forms import interval
from carrom.physics.calibration.page.section import Section, panels, picture, png, table
from carrom.physics.calibration.planar_strokes import in_slots, play

_NAME = "physics-agreement.png"


def section(board: Board, amounts: Amounts) -> Section:
    """Mid-game strokes."""
    seen = midgame_of_both(board, amounts.same, amounts.others)
    apart, few_check = strokes_of_few_impacts(board, amounts.few)
    whole = all_farthest(seen.mujoco, seen.planar)
    impacts = play(in_slots(midgame_shots(board, amounts.same, 41), 10)).impacts
    figure, axes = panels(2)
    for name, values, colour in (
        ("at most 2 impacts", apart, "C2"), ("mid-game", whole, "C3"),
    ):  # fmt: skip
        ordered = np.sort(np.where(np.isfinite(values), values, 1.0)) * 1e3
        share = np.arange(1, len(ordered) + 1) / len(ordered)
        axes[0].plot(ordered, share, color=colour, label=name)
    axes[0].set(
        xscale="log", xlim=(1e-5, 1e3), xlabel="rest places of the engines apart (mm)",
        ylabel="share of strokes", title="the disc farthest off",
    )  # fmt: skip
    axes[0].legend(fontsize=8)
    bins = [(0, 1), (2, 3), (4, 5), (6, 7), (8, 10), (11, 14), (15, 100)]
    middles, quantiles = [], []
    for low, high in bins:
        inside = (impacts >= low) & (impacts <= high)
        if inside.sum() >= 10:
            middles.append(float(impacts[inside].mean()))
            finite = np.where(np.isfinite(whole[inside]), whole[inside], 1.0)
            quantiles.append(np.quantile(finite, (0.25, 0.5, 0.75)) * 1e3)
    lows, medians, highs = np.array(quantiles).T
    axes[1].fill_between(middles, lows, highs, color="C3", alpha=0.25, label="half of the strokes")
    axes[1].plot(middles, medians, "o-", color="C3", label="median")
    axes[1].set(
        xlabel="impacts of the stroke", ylabel="apart (mm)", yscale="log",
        title="how an impact multiplies it",
    )  # fmt: skip
    axes[1].legend(fontsize=8)
    same = np.isfinite(whole)
    low, high = interval(float(same.mean()), len(same))
    difference = pocketed(seen.planar) - pocketed(seen.mujoco)
    error = 1.96 * float(difference.std(ddof=1)) / math.sqrt(len(difference))
    rows = [
        (
            name,
            f"{len(motions):,}",
            _with_error(pocketed(motions)),
            _with_error(rests(motions), " s"),
            f"{np.mean([motion.striker_pocketed for motion in motions]):.4f}",
            ", ".join(str(n) for n in per_pocket(motions)),
        )
        for name, motions in (
            ("MuJoCo", seen.mujoco), ("planar, the same", seen.planar),
            ("planar, others", seen.others),
        )
    ]  # fmt: skip
    columns = (
        "engine", "strokes", "pocketed a stroke", "time to rest", "striker falls", "per pocket",
    )  # fmt: skip
    shown = picture(
        _NAME,
        "How far apart the engines leave the worst disc of a stroke; 1 m where they do not pocket "
        "the same discs.",
    )
    middle, more = float(np.median(whole[same])) * 1e3, float(difference.mean())
    few, most = np.quantile(apart, (0.5, 0.9)) * 1e3
    text = f"""Eight carrommen strewn at random, the striker at 1 to 6 m/s sent at one of them. \
The engines share the model's numbers but work differently: one steps MuJoCo, the other solves for \
events; they differ in the friction of spinning discs (section 2) and in micrometres at impacts. \
Intervals are 95 %.

{shown}

{table(columns, rows)}

The same discs are left on the board in {same.mean():.1%} of the strokes ({low:.1%} to \
{high:.1%}), and there the worst disc lies a median of {middle:.2g} mm from its other self. \
Paired, the planar engine pockets {more:+.4f} +- {error:.4f} carrommen a stroke more. After at \
most two impacts the median is {few:.2g} mm, and 90 % are within {most:.2g} mm. Each further \
impact multiplies a difference by about the ratio of path to radius, so single strokes of many \
impacts cannot agree, only their distribution: that is where agreement ends.

On the same strokes both rows of the chi-square test see the same shots, which makes it lenient; \
on other strokes it is sharp. Contacts overlapped in time in {seen.clusters} of \
{len(seen.mujoco):,} strokes of MuJoCo's, which takes springs there; the planar engine played all \
of these with impulses."""
    checks = (*midgame_checks(seen), few_check)
    return Section("5. The engines on the same strokes", text, checks, {_NAME: png(figure)})


def _with_error(values: np.ndarray, unit: str = "") -> str:
    error = 1.96 * float(values.std(ddof=1)) / math.sqrt(len(values))
    return f"{values.mean():.4f} +- {error:.4f}{unit}"

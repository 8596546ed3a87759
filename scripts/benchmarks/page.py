"""The page ``docs/speed.md`` and its pictures."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .demands import Results, Verdict
from .planar import BATCHES, WIDTHS

_BOUNDS = {
    "planar": (
        "The search for contacts: every step bounds the time to contact of all pairs of slots, "
        "45 for 10 slots and 190 for 20, about 75 operations each. On breaks with springs about "
        "half the time goes to the small steps of the springs, of the pairs that are near each "
        "other."
    ),
    "planar_widths": (
        "Few lanes leave the processor's vectors and the fixed cost of a compiled operation "
        "unused; with many the arrays leave the fast caches, and the lanes wait at the end "
        "of the queue for the last strokes."
    ),
    "planar_growth": (
        "A batch smaller than the lanes costs as much as one that fills them. Side by side, "
        "all wait for the longest stroke, which takes several times as many steps as the mean."
    ),
    "planar_single": (
        "The fixed cost of starting compiled operations, not arithmetic: with springs in every "
        "small step. "
        "The engine's `play` adds checks and Python objects."
    ),
    "planar_candidates": (
        "As `planar`; the end of the queue, when lanes run empty, weighs more in 2,048 strokes. "
        "`play_many` adds checking strikes and making a Python object for each outcome."
    ),
    "engine": "Calls of MuJoCo, one per contact, each through its Python binding.",
    "engine_workers": "Threads share Python's lock; processes share the machine's memory.",
    "plain_loop": "Some 3,400 steps per stroke, each of all discs.",
    "peer": "Some 1,700 steps per stroke, and a look at every disc at each fifth, in Python.",
    "pictures": (
        "On this machine without a graphics card Mesa's llvmpipe draws, on the processor: without "
        "shadows a few milliseconds go to the pixels, with them most to the lamp's view of "
        "everything."
    ),
    "environment": (
        "On MuJoCo the strokes; on the planar engine, one board at a time, the umpire's call "
        "and Python, and on 64 boards half-empty lanes."
    ),
    "environment_workers": "The number of cores.",
    "functional": (
        "The strokes, the umpire, the observation and the next position; the more boards, the "
        "less the wait for the last stroke of the batch."
    ),
    "training": "The gradients, which take most of an update.",
    "umpire": "Writing its outputs: every law gets a flag in every ruling.",
}
"""What bounds the figures of each bench."""


def write(path: Path, results: Results, judged: list[Verdict]) -> None:
    """Write the page, and its pictures into ``images`` beside it."""
    images = path.parent / "images"
    images.mkdir(parents=True, exist_ok=True)
    _growth(results).savefig(images / "speed-growth.png", dpi=110)
    _widths(results).savefig(images / "speed-widths.png", dpi=110)
    path.write_text(_page(results, judged), encoding="utf-8")


def _page(results: Results, judged: list[Verdict]) -> str:
    lines = [
        "# Speed",
        "",
        "Written by `python scripts/benchmark.py --report docs/speed.md`. Best of some "
        "repetitions; on one core, per second of the CPU time used, except latencies and workers, "
        "which are in time that passes.",
        "",
        f"Machine: {machine()}.",
        "",
        "## Demands",
        "",
        "| demand | measured | demanded | |",
        "|---|---|---|---|",
    ]
    for verdict in judged:
        demand, sign = verdict.demand, "at most" if verdict.demand.at_most else "at least"
        word = ("met" if verdict.met else "**MISSED**") if demand.counts else "for information"
        bound = f"{sign} {demand.bound:,g}"
        lines.append(f"| {demand.what} | {number(verdict.measured)} | {bound} | {word} |")
    lines += [
        "",
        "Breaks are played with springs, contacts that overlap in time: played as impulses one "
        "after the other they are faster, but pocket fewer carrommen than they should "
        "(0.39 per loose break instead of 0.53).",
        "",
        "## Growth",
        "",
        "![Strokes per second over the size of the batch](images/speed-growth.png)",
        "",
        "![Strokes per second over the number of lanes](images/speed-widths.png)",
        "",
        "## All figures",
        "",
    ]
    for bench, figures in results.items():
        lines += [f"### {bench}", ""]
        lines += [f"Bounded by: {_BOUNDS[bench]}", ""] if bench in _BOUNDS else []
        lines += ["| figure | |", "|---|---|"]
        lines += [
            f"| {name.replace('_', ' ')} | {number(value)} |" for name, value in figures.items()
        ]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def number(value: float) -> str:
    """Three digits that mean something."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def machine() -> str:
    """The machine in words."""
    model = platform.processor() or platform.machine()
    about = Path("/proc/cpuinfo")
    if about.exists():
        told = dict(
            line.split(":", 1) for line in about.read_text().splitlines() if line.count(":") == 1
        )
        names = {key.strip(): value.strip() for key, value in told.items()}
        model = f"{names.get('model name', model)} (family {names.get('cpu family', '?')}, "
        model += f"model {names.get('model', '?')})"
    return f"{os.cpu_count()} cores of {model}, {platform.system()}, no accelerator used"


def _axes(figure: Figure, x: str) -> Axes:
    axes = figure.add_subplot()
    axes.set(xscale="log", xlabel=x, ylabel="strokes per second, one core")
    axes.grid(alpha=0.3)
    return axes


def _growth(results: Results) -> Figure:
    figure = Figure(figsize=(6, 3.6), layout="constrained")
    axes = _axes(figure, "strokes in the batch")
    for name, label in (
        ("stream", "in 128 lanes that are refilled"),
        ("side_by_side", "side by side, as many lanes as strokes"),
    ):
        rates = [results["planar_growth"][f"{name}_{batch}_per_s"] for batch in BATCHES]
        axes.plot(BATCHES, rates, "o-", label=label)
    axes.set(yscale="log")
    axes.legend()
    return figure


def _widths(results: Results) -> Figure:
    figure = Figure(figsize=(6, 3.6), layout="constrained")
    axes = _axes(figure, "lanes")
    for slots in (10, 20):
        rates = [results["planar_widths"][f"{slots}_slots_{lanes}_lanes_per_s"] for lanes in WIDTHS]
        axes.plot(WIDTHS, rates, "o-", label=f"{slots} slots")
    axes.set_xticks(WIDTHS, [str(lanes) for lanes in WIDTHS])
    axes.set_ylim(bottom=0)
    axes.legend()
    return figure

"""What the speeds have to be, and whether they are."""

from __future__ import annotations

from dataclasses import dataclass

from .measure import Figures

Results = dict[str, Figures]
Figure = tuple[str, str]
"""Names of a bench and of one of its figures."""


@dataclass(frozen=True)
class Demand:
    """A bound on a figure, or on the ratio of two.

    Attributes:
        what: in words.
        figure: what is bounded.
        bound: the least it may be, or the most if ``at_most``.
        over: the figure it is divided by; itself if None.
        at_most: whether smaller is better.
        counts: whether a miss fails the check; if not, the row is for information.
    """

    what: str
    figure: Figure
    bound: float
    over: Figure | None = None
    at_most: bool = False
    counts: bool = True

    @property
    def benches(self) -> set[str]:
        """The benches it takes figures from."""
        return {name for name, _ in filter(None, (self.figure, self.over))}

    def measured(self, results: Results) -> float:
        """The figure, or the ratio."""
        (bench, name), over = self.figure, self.over
        return results[bench][name] / (1.0 if over is None else results[over[0]][over[1]])

    def is_met(self, results: Results) -> bool:
        """Whether it is met by these results."""
        value = self.measured(results)
        return value <= self.bound if self.at_most else value >= self.bound


@dataclass(frozen=True)
class Verdict:
    """A demand and what came of it."""

    demand: Demand
    measured: float
    met: bool

    def __str__(self) -> str:
        demand, sign = self.demand, "<=" if self.demand.at_most else ">="
        word = ("met" if self.met else "MISSED") if demand.counts else "for information"
        return f"{word}: {demand.what}: {self.measured:,.4g}, demanded {sign} {demand.bound:,g}"


def _over_peer(kind: str, bound: float, program: str, *, counts: bool = True) -> Demand:
    word = kind.replace("_", " ")
    how = "" if kind == "midgame" else ", springs" if program.endswith("springs") else ", impulses"
    figure = ("planar", f"{program}_per_s")
    return Demand(
        f"planar engine over pymunk, {word}{how}",
        figure,
        bound,
        ("peer", f"{kind}_per_s"),
        counts=counts,
    )


def _at_most(what: str, bench: str, name: str, bound: float, *, counts: bool = True) -> Demand:
    return Demand(what, (bench, name), bound, at_most=True, counts=counts)


DEMANDS = [
    _over_peer("midgame", 700, "midgame_10_slots"),
    # The engine plays racks with springs.
    _over_peer("loose_break", 100, "loose_break_20_slots_springs"),
    _over_peer("loose_break", 100, "loose_break_20_slots", counts=False),
    _over_peer("tight_break", 35, "tight_break_20_slots_springs"),
    _over_peer("tight_break", 35, "tight_break_20_slots", counts=False),
    Demand(
        "planar engine over MuJoCo engine, mid-game",
        ("planar", "midgame_10_slots_per_s"),
        20,
        ("engine", "midgame_play_many_per_s"),
    ),
    Demand("strokes/s mid-game, 10 slots", ("planar", "midgame_10_slots_per_s"), 90_000),
    Demand("strokes/s mid-game, 20 slots", ("planar", "midgame_20_slots_per_s"), 40_000),
    _at_most(
        "lane-steps used over needed, mid-game",
        "planar",
        "midgame_10_slots_used_over_needed",
        1.3,
    ),
    *[
        _at_most(f"seconds to compile {what}", "planar", f"{program}_compile_s", 5, counts=counts)
        for what, program, counts in (
            ("10 slots", "midgame_10_slots", True),
            ("14 slots", "midgame_14_slots", True),
            ("20 slots", "midgame_20_slots", True),
            # The bound was set for the engine without springs, which are a program of their own.
            ("20 slots with springs", "loose_break_20_slots_springs", False),
        )
    ],
    _at_most("ms for one stroke, mid-game", "planar_single", "midgame_median_ms", 0.3),
    _at_most("ms for one break", "planar_single", "tight_break_springs_median_ms", 1.5),
    _at_most("ms for 2,048 strikes on 9 discs", "planar_candidates", "10_slots_ms", 40),
    # Most of it goes to checking strikes and to an object for each outcome.
    _at_most(
        "ms for 2,048 strikes on 9 discs, by play_many",
        "planar_candidates",
        "play_many_ms",
        40,
        counts=False,
    ),
    Demand(
        "strikes/s, 2,048 on one layout, 10 slots", ("planar_candidates", "10_slots_per_s"), 80_000
    ),
    Demand(
        "strikes/s, 2,048 on one layout, 20 slots", ("planar_candidates", "20_slots_per_s"), 40_000
    ),
    Demand(
        "functional drill, 4,096 boards, over the planar engine on its strokes",
        ("functional", "steps_4096_per_s"),
        0.5,
        ("functional", "engine_alone_per_s"),
    ),
    _at_most("microseconds per ruling, many at once", "umpire", "us_per_ruling", 2),
    _at_most("milliseconds per picture of 84 x 84 without shadows", "pictures", "84x84_ms", 5),
]


def verdicts(results: Results) -> list[Verdict]:
    """The verdict on every demand whose benches were run."""
    return [
        Verdict(demand, demand.measured(results), demand.is_met(results))
        for demand in DEMANDS
        if demand.benches <= results.keys()
    ]


def all_met(judged: list[Verdict]) -> bool:
    """Whether no demand that counts is missed."""
    return all(verdict.met or not verdict.demand.counts for verdict in judged)

"""How much is measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Amounts:
    """Numbers of strokes, of impacts and of the like.

    Attributes:
        phases: impacts per speed and cut, for departure angles.
        impacts: random impacts per friction.
        directions: slides on the contact ground, per friction and speed.
        slide_speeds: of those, m/s.
        breaks: breaks that the reference engine is watched on.
        midgames: mid-game strokes that it is watched on.
        repeats: mid-game strokes that are played again in other ways; a third as many breaks.
        ground_shots: strokes on both grounds.
        racks: breaks at 6 m/s followed from event to event.
        planar: strokes of the planar engine against the reference.
        planar_breaks: its breaks watched at every step, and strokes played again; none if 0.
        soak: strokes of each kind that must end; none if 0.
        soak_springs: of racks, those with springs, which are slower.
        same: mid-game strokes by both engines.
        others: further ones by the planar engine.
        few: slow strokes by both engines.
        law_breaks: breaks of each packing by each contact law.
        reference_breaks: of those by the spring-dashpot reference.
        offsets: carrommen side by side for the pocketing curves.
        materials: materials drawn for the runs.
    """

    phases: int = 100
    impacts: int = 400
    directions: int = 12
    slide_speeds: tuple[float, ...] = (0.2, 1.0, 6.0)
    breaks: int = 400
    midgames: int = 2000
    repeats: int = 192
    ground_shots: int = 60
    racks: int = 24
    planar: int = 1000
    planar_breaks: int = 200
    soak: int = 100_000
    soak_springs: int = 5_000
    same: int = 4000
    others: int = 40_000
    few: int = 1500
    law_breaks: int = 400
    reference_breaks: int = 300
    offsets: int = 13
    materials: int = 2000


FULL = Amounts()
QUICK = Amounts(
    phases=10,
    impacts=40,
    directions=2,
    slide_speeds=(0.2, 1.0),
    breaks=40,
    midgames=200,
    repeats=18,
    ground_shots=6,
    racks=4,
    planar=200,
    planar_breaks=0,
    soak=0,
    same=300,
    others=1000,
    few=100,
    law_breaks=30,
    reference_breaks=12,
    offsets=5,
    materials=200,
)

"""The planar engine on whole strokes: against the reference, and what it must never do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.calibration import reference
from carrom.physics.calibration.check import PLANAR, Check
from carrom.physics.calibration.planar_strokes import (
    NO_TIME,
    Strokes,
    against_the_frame,
    breaks,
    loose_breaks,
    midgame,
    play,
    random_materials,
    with_random_strikes,
)
from carrom.physics.calibration.watch import strokes_begun, watch
from carrom.physics.material import Material
from carrom.physics.planar.outcomes import Outcomes
from carrom.rack import LOOSE, TIGHT, Packing


def order(outcomes: Outcomes | reference.Played) -> NDArray[np.intp]:
    """Rank of each disc among those that fell, -1 for the others."""
    ranks = np.argsort(np.argsort(outcomes.fall_times, axis=1), axis=1)
    return np.where(np.isfinite(outcomes.fall_times), ranks, -1)


def distances(one: Outcomes | reference.Played, other: reference.Played) -> NDArray[np.float64]:
    """Largest distance of a disc that both left on the board from its other self, (M,), m."""
    both = one.on_board & other.on_board
    apart = np.hypot(*np.moveaxis(one.positions - other.positions, -1, 0))
    return np.where(both, apart, 0.0).max(1)


def precision_checks(board: Board, strokes: int) -> Iterator[Check]:
    """Both precisions against the independent reference, with random materials and without.

    The same strokes are watched at every step: energy, overlaps, the frame.
    """
    drawn = random_materials(strokes, 5)
    shots = midgame(strokes, 11)
    instant = dataclasses.replace(Material(), fall_time=0.0)
    for name, materials in (
        ("random materials", drawn), ("nominal", [Material()]), ("fall time 0", [instant]),
    ):  # fmt: skip
        expected = reference.play(board, materials, *shots)
        seen = watch(board, materials, *strokes_begun(shots))
        same = (order(seen.outcomes) == order(expected)).all(1)
        same &= (seen.outcomes.pockets == expected.pockets).all(1)
        error = distances(seen.outcomes, expected)
        yield Check(
            f"float64 against the reference, {name}: same falls, share", float(same.mean()), 1.0,
            at_least=True, cases=strokes, engine=PLANAR,
        )  # fmt: skip
        yield Check(
            f"float64 against the reference, {name}: rest places, 99 %",
            float(np.quantile(error, 0.99)), 1e-6, "m", cases=strokes, engine=PLANAR,
        )  # fmt: skip
    for name, materials in (("random materials", drawn), ("nominal", [Material()])):
        expected = reference.play(board, materials, *shots)
        seen = watch(board, materials, *strokes_begun(shots), dtype="float32")
        error = distances(seen.outcomes, expected)
        same = (order(seen.outcomes) == order(expected)).all(1)
        few = (expected.impacts >= 2) & (expected.impacts <= 5)
        label = f"float32 against the reference, {name}"
        measured = (
            ("same falls, share", same.mean(), 0.99, "", True, strokes),
            ("rest places, median", np.median(error), 2e-5, "m", False, strokes),
            ("within 1 mm, share", (error < 1e-3).mean(), 0.88, "", True, strokes),
            (
                "2 to 5 impacts, 90 %", np.quantile(error[few], 0.9), 2e-5, "m", False,
                int(few.sum()),
            ),
        )  # fmt: skip
        for what, value, limit, unit, at_least, cases in measured:
            yield Check(f"{label}: {what}", float(value), limit, unit, at_least, cases, PLANAR)
        if name == "random materials":
            invariants = seen.gain, seen.overlap, seen.beyond
            yield from _invariant_checks("mid-game", *invariants, strokes)


def break_invariants(board: Board, strokes: int) -> Iterator[Check]:
    """Loose breaks with random materials, watched at every step."""
    begun = strokes_begun(loose_breaks(strokes, 3))
    seen = watch(board, random_materials(strokes, 8), *begun, dtype="float32")
    yield from _invariant_checks("loose breaks", seen.gain, seen.overlap, seen.beyond, strokes)


def _invariant_checks(
    kind: str, gain: float, overlap: float, beyond: float, strokes: int
) -> Iterator[Check]:
    for what, value, limit, unit in (
        ("energy gained in a step", max(gain, 0.0), 1e-8, "J"),
        ("overlap of two discs at any step", max(overlap, 0.0), 1e-6, "m"),
        ("beyond the frame at any step", max(beyond, 0.0), 1e-6, "m"),
    ):
        yield Check(f"{kind}: {what}", value, limit, unit, cases=strokes, engine=PLANAR)


def bit_checks(count: int) -> list[Check]:
    """Strokes that differ in a bit mirrored, in another order, or played again."""
    kinds = (("mid-game", midgame(count, 4), False), ("breaks", loose_breaks(count, 4), True))
    checks = []
    for kind, strokes, springs in kinds:
        materials = random_materials(count, 2)
        here = play(strokes, materials, springs=springs)
        mirrored = play(
            Strokes(strokes.positions * [-1, 1], strokes.on_board, strokes.starts * [-1, 1, -1, 1]),
            materials, springs=springs,
        )  # fmt: skip
        places = mirrored.positions * np.array([-1, 1], np.float32)
        flipped = mirrored._replace(
            positions=places, pockets=np.array([3, 2, 1, 0, -1])[mirrored.pockets]
        )
        shuffle = np.random.default_rng(1).permutation(count)
        shuffled = play(strokes.take(shuffle), [materials[k] for k in shuffle], springs=springs)
        ordered = Outcomes(*(values[np.argsort(shuffle)] for values in shuffled))
        for what, other in (("mirrored", flipped), ("in another order", ordered)):
            alike = [
                (one == two).reshape(count, -1).all(1) for one, two in zip(here, other, strict=True)
            ]
            different = int((~np.all(alike, axis=0)).sum())
            checks.append(
                Check(
                    f"{kind} that differ in a bit {what}", different, 0, cases=count, engine=PLANAR
                )
            )
    return checks


def soak_checks(count: int, with_springs: int) -> Iterator[Check]:
    """Strokes of every kind that do not end, materials random over their ranges.

    Args:
        count: strokes of each kind.
        with_springs: strokes of each rack whose overlapping contacts are springs: slower.
    """
    materials, touching = random_materials(1024, 5), Packing(0.0, 0.0)
    scattered = midgame(1000, 31), midgame(500, 32, pieces=14, slots=20)
    kinds: list[tuple[str, Strokes, bool, float | None]] = [
        ("mid-game", with_random_strikes(scattered[0], count, 1), False, None),
        ("pressed against the frame", against_the_frame(count, 0), False, None),
        ("14 carrommen", with_random_strikes(scattered[1], count, 2), True, NO_TIME),
    ]
    packings = ("loose", LOOSE, 33), ("tight", TIGHT, 34), ("gapless", touching, 35)
    for name, packing, seed in packings:
        racks = breaks(500, seed, packing)
        kinds += [
            (f"{name} racks, impulses", with_random_strikes(racks, count, 3), True, NO_TIME),
            (f"{name} racks, springs", with_random_strikes(racks, with_springs, 4), True, None),
        ]
    for kind, strokes, springs, contact_time in kinds:
        outcomes = play(strokes, materials, springs=springs, contact_time=contact_time)
        wrong = outcomes.unfinished | ~np.isfinite(outcomes.positions).all((1, 2))
        yield Check(
            f"{kind}: strokes that do not end", int(wrong.sum()), 0, cases=len(strokes.starts),
            engine=PLANAR,
        )  # fmt: skip

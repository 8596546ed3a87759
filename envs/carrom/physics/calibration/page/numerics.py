"""Chapter: the planar engine against an independent computation of the same model."""

from __future__ import annotations

from carrom.board import Board
from carrom.physics.calibration.amounts import Amounts
from carrom.physics.calibration.page.section import Section
from carrom.physics.calibration.planar_whole import (
    bit_checks,
    break_invariants,
    precision_checks,
    soak_checks,
)


def section(board: Board, amounts: Amounts) -> Section:
    """Precision, invariants, repeatability, and that every stroke ends."""
    checks = [*precision_checks(board, amounts.planar)]
    # What needs programs of its own, which take longer to compile than a quick page may.
    if amounts.planar_breaks:
        checks += break_invariants(board, amounts.planar_breaks)
        checks += bit_checks(amounts.planar_breaks)
    if amounts.soak:
        checks += soak_checks(amounts.soak, amounts.soak_springs)
    text = """The reference is the model written a second time: scalar, float64, one stroke after \
the other; contacts found to 1e-13 m along the present line of centres, entering a fall circle, \
leaving it and falling as three events, spins carried explicitly. It shares the numbers of the \
model with the engine and no code. In float64 both must give the same falls in every stroke; in \
float32, which is what trains, rounding of 1e-7 m grows with every impact, and the demands say \
how far.

Energy, overlaps and the frame are looked at after every step of every stroke. Strokes are played \
again mirrored and in another order, and must give the same bits. Strokes of every kind, with \
materials drawn from their ranges, must end; those with springs are slower and fewer."""
    return Section("7. The planar engine against an independent reference", text, tuple(checks))

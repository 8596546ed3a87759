"""The reference engine's calibration, in one list."""

from __future__ import annotations

from collections.abc import Iterator

from carrom.board import Board
from carrom.physics.calibration import ground, impacts, pockets, racks, strokes
from carrom.physics.calibration.amounts import FULL, QUICK, Amounts
from carrom.physics.calibration.check import Check


def calibrate(board: Board | None = None, *, quick: bool = False) -> Iterator[Check]:
    """Measure the engine; each number beside its demand.

    Args:
        board: regulation if not given.
        quick: fewer strokes, and no breaks by the spring reference.
    """
    board = Board() if board is None else board
    amounts = QUICK if quick else FULL
    yield from sliding(board, amounts)
    yield from impacting(board, amounts)
    yield from pocketing(board)
    yield from stroking(board, amounts)
    yield from racking(board, amounts)
    if not quick:
        yield racks.pocketed_on_breaks(board, breaks=300)


def sliding(board: Board, amounts: Amounts) -> Iterator[Check]:
    """What the board does to a disc."""
    yield from ground.deceleration_error(board)
    yield from ground.contact_deceleration_error(board, amounts.directions, amounts.slide_speeds)
    yield from ground.stop_distance_error(board)
    yield from ground.runs_of_striker(board)
    yield from ground.ground_agreement(board, shots=amounts.ground_shots)


def impacting(board: Board, amounts: Amounts) -> Iterator[Check]:
    """Single impacts."""
    yield from impacts.restitution_error(board)
    yield from impacts.spring_restitution_error(board)
    yield impacts.departure_error(board, phases=amounts.phases)
    yield from impacts.tangential_error(board, cases=amounts.impacts)
    yield impacts.arc_error(board)


def pocketing(board: Board) -> Iterator[Check]:
    """What falls."""
    yield from pockets.static_capture_error(board)
    yield from pockets.capture_time_error(board)
    yield pockets.transit_error(board)
    yield pockets.central_falls(board)


def stroking(board: Board, amounts: Amounts) -> Iterator[Check]:
    """Whole strokes."""
    yield from strokes.stroke_checks(board, amounts.breaks, amounts.midgames)
    yield strokes.rest_drift(board, shots=amounts.racks)
    third = amounts.repeats // 3
    yield strokes.skip_differences(board, third, amounts.repeats)
    yield strokes.batch_differences(board, third, amounts.repeats)


def racking(board: Board, amounts: Amounts) -> Iterator[Check]:
    """Contacts that overlap in time."""
    yield from racks.rack_checks(board)
    yield from racks.hard_breaks(board, amounts.racks)

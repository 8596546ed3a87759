"""The whole calibration, in one list."""

from __future__ import annotations

from collections.abc import Iterator

from carrom.board import Board
from carrom.physics.calibration import ground, impacts, pockets, racks, strokes
from carrom.physics.calibration.check import Check


def calibrate(board: Board | None = None, *, quick: bool = False) -> Iterator[Check]:
    """Measure the engine; each number beside its demand.

    Args:
        board: regulation if not given.
        quick: fewer strokes, and no breaks by the spring reference.
    """
    board = Board() if board is None else board
    share = 10 if quick else 1
    yield ground.deceleration_error(board)
    yield ground.stop_distance_error(board)
    yield from ground.runs_of_striker(board)
    yield from impacts.restitution_error(board)
    yield impacts.spring_restitution_error(board)
    yield impacts.departure_error(board, phases=100 // share)
    yield from impacts.tangential_error(board, cases=400 // share)
    yield impacts.arc_error(board)
    yield pockets.static_capture_error(board)
    yield from pockets.capture_time_error(board)
    yield from strokes.stroke_checks(board, breaks=400 // share, midgames=2000 // share)
    yield strokes.rest_drift(board)
    yield strokes.skip_differences(board, breaks=64 // share, midgames=200 // share)
    yield from racks.rack_checks(board)
    yield ground.ground_agreement(board, shots=60 // share)
    if not quick:
        yield racks.pocketed_on_breaks(board, breaks=300)

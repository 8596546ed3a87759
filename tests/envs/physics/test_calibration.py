"""The quick calibration, and that its checks can fail."""

import dataclasses
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from carrom.board import Board
from carrom.layout import Layout
from carrom.physics import simulation
from carrom.physics.calibration import ground, impacts, pockets, racks, strokes
from carrom.physics.calibration.check import Check
from carrom.physics.calibration.closed_forms import runs_of, speed_for_runs
from carrom.physics.calibration.report import calibrate
from carrom.physics.calibration.springs import spring_reference
from carrom.physics.material import Material
from carrom.physics.motion import Motion

BOARD = Board()
CALIBRATE = Path(__file__).parents[3] / "scripts" / "calibrate.py"


def test_every_quick_demand_is_met():
    failed = [check for check in calibrate(BOARD, quick=True) if not check.passed]
    assert not failed


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((0.1, 0.0), (0.1, 0.0318 - 2e-6), (2e-6, 0.0)),
        ((0.1, 0.0), (0.3683 - 0.0159 + 3e-6, 0.1), (0.0, 3e-6)),
        ((0.1, 0.0), (-0.34605 - 0.0050, 0.34605 + 0.0050), (0.0, math.sqrt(5e-5) - 0.00635)),
        ((0.1, 0.0), (-0.34605 - 0.0040, 0.34605 + 0.0040), (0.0, 0.0)),
    ],
)
def test_overlaps_are_seen(first, second, expected):
    positions, on_board = np.zeros((19, 2)), np.arange(19) < 2
    positions[:2] = first, second
    motion = Motion(
        Layout(positions, on_board), (), None, np.zeros(19, bool), 1.0, np.array([-0.1, -0.1])
    )
    assert strokes.rest_overlaps(BOARD, motion) == pytest.approx(expected, abs=1e-12)


def test_nan_never_passes():
    assert not Check("x", math.nan, 1.0).passed
    assert not Check("x", math.nan, 1.0, at_least=True).passed


def spoil(monkeypatch, **changes):
    """Scale fields of the engine's constants behind its back."""
    record = simulation.scene_record

    def spoiled(*arguments):
        scene = record(*arguments)
        for name, factor in changes.items():
            scene[name] = scene[name] * factor
        return scene

    monkeypatch.setattr(simulation, "scene_record", spoiled)


@pytest.mark.parametrize(
    ("changes", "measure"),
    [
        ({"deceleration": 1.001}, lambda board: ground.deceleration_error(board)[0]),
        ({"deceleration": 1.01}, lambda board: ground.stop_distance_error(board)[0]),
        ({"bounce": 1.002}, lambda board: impacts.restitution_error(board)[0]),
        ({"bounce": 1.002}, lambda board: impacts.restitution_error(board)[2]),
        ({"damping": 1.05}, lambda board: impacts.spring_restitution_error(board)[0]),
        ({"friction_rim": 1.001}, lambda board: impacts.tangential_error(board, 20)[0]),
        ({"fall_radius": 1.002}, lambda board: pockets.static_capture_error(board)[0]),
        ({"fall_time": 1.01}, lambda board: pockets.capture_time_error(board)[0]),
        ({"fall_time": 1.01}, pockets.transit_error),
        ({"friction_frame": 1.001}, lambda board: impacts.tangential_error(board, 20)[1]),
        ({"bounce": 1.16}, lambda board: strokes.stroke_checks(board, 0, 5)[0]),
        (
            {"damping": 0.0, "spring_step": 11.0},
            lambda board: strokes.stroke_checks(board, 3, 0)[1],
        ),
        ({"contact_time": 0.01}, lambda board: racks.rack_checks(board)[0]),
    ],
)  # fmt: skip
def test_a_spoiled_engine_is_found_out(monkeypatch, changes, measure):
    assert measure(BOARD).passed
    spoil(monkeypatch, **changes)
    assert not measure(BOARD).passed


def test_the_reference_conserves_momentum_and_has_its_restitution():
    """Two discs head-on: no code is shared with the engine but the damping."""
    material = dataclasses.replace(Material(), friction=0.005, friction_rim=0.0)
    position = np.array([[0.0, 0.0], [0.0, -(0.0159 + 0.02065) - 1e-5]])
    velocity = np.array([[0.0, 0.0], [0.0, 2.0]])
    spring_reference(
        BOARD, material, position, velocity, np.zeros(2), duration=3e-4, steps_per_contact=400
    )
    momentum = BOARD.masses[[0, 19]] @ velocity[:, 1]
    assert momentum == pytest.approx(BOARD.striker_mass * 2.0, rel=1e-4)
    assert (velocity[0, 1] - velocity[1, 1]) / 2.0 == pytest.approx(0.75, abs=2e-3)


@pytest.mark.parametrize(
    ("friction", "restitution", "speed"),
    [(0.08, 0.75, 3.07), (0.10, 0.70, 3.94), (0.13, 0.80, 3.47)],
)
def test_speed_for_three_and_a_half_runs(friction, restitution, speed):
    """Worked out backwards from the end: a path of 2.35 m with three cushions."""
    material = Material(friction=friction, restitution_frame=restitution)
    assert runs_of(BOARD, material, speed).runs == pytest.approx(3.5, abs=0.02)
    assert speed_for_runs(BOARD, material, 3.5) == pytest.approx(speed, abs=0.02)


def test_script_prints_json():
    done = subprocess.run(
        [sys.executable, str(CALIBRATE), "--quick", "--json"], capture_output=True, text=True
    )
    checks = json.loads(done.stdout)
    assert done.returncode == 0
    assert all(check["passed"] for check in checks)
    assert {"name", "value", "limit", "unit"} <= set(checks[0])

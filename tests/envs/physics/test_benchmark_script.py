"""The benchmark compares like with like."""

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from carrom.board import Board
from carrom.physics.calibration.shots import Shot, midgame_shot
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.strike import Strike
from carrom.pieces import STRIKER

PATH = Path(__file__).parents[3] / "scripts" / "benchmark.py"


@pytest.fixture(scope="module")
def benchmark():
    spec = importlib.util.spec_from_file_location("benchmark_script", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_plain_loop_plays_the_same_game(benchmark):
    board = Board()
    loop = benchmark.PlainLoop(board, Material())
    empty = midgame_shot(board, np.random.default_rng(0), pieces=0).layout
    # A lone striker stops where the parabola ends, but for v h / 2.
    rest = loop.play(Shot(empty, Strike(0.0, 0.0, 0.6)))[STRIKER]
    expected = board.base_line_y + 0.6**2 / (2 * Material().deceleration)
    assert rest[1] == pytest.approx(expected, abs=0.2e-3)
    # One carromman head-on, slowly: the engine's places within what fixed steps allow.
    layout = empty.with_piece(0, (0.0, 0.0))
    shot = Shot(layout, Strike(0.0, 0.0, 0.9))
    motion = MujocoEngine(board).play(*shot)
    assert math.dist(loop.play(shot)[0], motion.layout.positions[0]) < 5e-3


def test_rate_counts_work_over_time(benchmark):
    ticks = iter([0.0, 2.0, 10.0, 11.0, 20.0, 24.0])
    assert benchmark.best_rate(lambda: None, 5, lambda: next(ticks)) == 5.0


def test_unknown_bench_is_refused(benchmark):
    with pytest.raises(SystemExit, match="expected engine"):
        benchmark.main(benchmark.Options(only=["rocket"]))

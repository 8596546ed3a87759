"""The benchmark compares like with like, and judges what it measured."""

import importlib
import math
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from carrom.board import Board
from carrom.errors import ConfigError
from carrom.physics.calibration.shots import Shot, break_shot, midgame_shot
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.strike import Strike
from carrom.pieces import STRIKER
from carrom.rack import LOOSE, TIGHT

SCRIPTS = Path(__file__).parents[3] / "scripts"


@pytest.fixture(scope="module", autouse=True)
def scripts():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(SCRIPTS)
        yield


def module(name: str):
    return importlib.import_module(name)


def test_plain_loop_plays_the_same_game():
    board = Board()
    loop = module("benchmarks.reference").PlainLoop(board, Material())
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


@pytest.mark.parametrize(
    ("kind", "count", "pocketed", "duration"),
    [
        (midgame_shot, 80, 0.15, 0.08),
        # Contacts in a rack last longer than a step of 1 ms, so breaks are alike only roughly.
        (partial(break_shot, packing=LOOSE), 40, 0.4, 0.15),
        (partial(break_shot, packing=TIGHT), 40, 0.5, 0.3),
    ],
    ids=["midgame", "loose", "tight"],
)
def test_pymunk_is_a_fair_peer(kind, count, pocketed, duration):
    """It plays about what the reference plays: means of pocketed carrommen and of times."""
    board, rng = Board(), np.random.default_rng(6)
    shots = [kind(board, rng) for _ in range(count)]
    rests = [module("benchmarks.peer").Peer(board, Material()).play(shot) for shot in shots]
    layouts, strikes = [shot.layout for shot in shots], [shot.strike for shot in shots]
    motions = MujocoEngine(board).play_many(layouts, strikes, [0] * count)
    before = np.array([layout.on_board.sum() for layout in layouts])
    fell = before - [rest.on_board[:STRIKER].sum() for rest in rests]
    expected = before - [motion.layout.on_board.sum() for motion in motions]
    assert fell.mean() == pytest.approx(expected.mean(), abs=pocketed)
    times = np.mean([rest.duration for rest in rests])
    assert times == pytest.approx(np.mean([m.duration for m in motions]), rel=duration)


@pytest.mark.parametrize("speed", [0.5, 0.85])
def test_a_lone_striker_slides_alike_in_pymunk(speed):
    """It stops after v / (mu g), before the frame."""
    board, material = Board(), Material()
    empty = midgame_shot(board, np.random.default_rng(0), pieces=0).layout
    rest = (
        module("benchmarks.peer").Peer(board, material).play(Shot(empty, Strike(0.0, 0.0, speed)))
    )
    assert rest.on_board[STRIKER]
    assert rest.duration == pytest.approx(speed / material.deceleration, abs=0.01, rel=0.01)


def test_steps_used_are_those_of_a_queue():
    planar = module("benchmarks.planar")
    # Four steps at a time in two lanes: 1, 2 chunks; then 3 in the lane that is free first.
    assert planar.CHUNK == 4
    assert planar.steps_used(np.array([4, 8, 9]), 2) == 4 * 2 * 4
    # A lane more than there are strokes has nothing to do, and costs the same.
    assert planar.steps_used(np.array([1]), 2) == 4 * 2
    needed = np.random.default_rng(0).integers(1, 60, 500)
    # One lane plays all one after the other; many lanes play as long as the longest.
    assert planar.steps_used(needed, 1) == 4 * np.ceil(needed / 4).sum()
    assert planar.steps_used(needed, 500) == 4 * 500 * math.ceil(needed.max() / 4)


def test_rate_counts_work_over_time():
    ticks = iter([0.0, 2.0, 10.0, 11.0, 20.0, 24.0])
    rate = module("benchmarks.measure").best_rate(lambda: None, 5, lambda: next(ticks))
    assert rate == 5.0


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no such call on this system")
def test_one_core_is_given_back():
    before = os.sched_getaffinity(0)
    with module("benchmarks.measure").one_core():
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before


def figures(value: float) -> dict[str, dict[str, float]]:
    """Results in which every figure that a demand takes is ``value``."""
    results: dict[str, dict[str, float]] = {}
    for demand in module("benchmarks.demands").DEMANDS:
        for bench, name in filter(None, (demand.figure, demand.over)):
            results.setdefault(bench, {})[name] = value
    return results


def test_demands_are_judged_by_ratios_and_sides():
    demands = module("benchmarks.demands")
    results = figures(1e9)
    met = {verdict.demand.what: verdict.met for verdict in demands.verdicts(results)}
    # All equal: ratios are 1, rates high enough, times far too long.
    for demand in demands.DEMANDS:
        expected = demand.over is not None and demand.bound <= 1
        assert met[demand.what] == (expected or (demand.over is None and not demand.at_most))
    results["peer"]["midgame_per_s"] = 1e9 / 700
    results["peer"]["loose_break_per_s"] = 1e9 / 99
    met = {verdict.demand.what: verdict.met for verdict in demands.verdicts(results)}
    assert met["planar engine over pymunk, midgame"]
    assert not met["planar engine over pymunk, loose break, springs"]


def test_only_demands_that_count_fail_the_check():
    demands = module("benchmarks.demands")
    for demand in demands.DEMANDS:
        verdict = demands.Verdict(demand, math.nan, False)
        assert demands.all_met([verdict]) != demand.counts


def test_demands_of_benches_not_run_are_left_out():
    demands = module("benchmarks.demands")
    results = {name: all for name, all in figures(1.0).items() if name == "umpire"}
    assert [v.demand.figure[0] for v in demands.verdicts(results)] == ["umpire"]


def test_every_demand_names_a_bench():
    module("benchmark")
    benches = module("benchmarks.every").BENCHES
    for demand in module("benchmarks.demands").DEMANDS:
        assert demand.benches <= benches.keys()


def test_the_program_tells_what_it_measured(monkeypatch, capsys):
    program, measure = module("benchmark"), module("benchmarks.every")
    monkeypatch.setitem(measure.BENCHES, "umpire", lambda: {"us_per_ruling": 2.5})
    assert program.main(program.Options(only=["umpire"])) == 0
    assert "umpire.us_per_ruling: 2.5" in capsys.readouterr().out
    assert program.main(program.Options(only=["umpire"], check=True)) == 1
    assert "MISSED: microseconds per ruling" in capsys.readouterr().out
    monkeypatch.setitem(measure.BENCHES, "umpire", lambda: {"us_per_ruling": 1.5})
    assert program.main(program.Options(only=["umpire"], check=True)) == 0


def test_unknown_bench_is_refused():
    program = module("benchmark")
    with pytest.raises(ConfigError, match=r"rocket: expected .*planar_growth"):
        program.main(program.Options(only=["rocket"]))


def test_report_needs_all_benches(tmp_path):
    program = module("benchmark")
    with pytest.raises(ConfigError, match="expected all benches"):
        program.main(program.Options(only=["umpire"], report=tmp_path / "speed.md"))


def test_page_has_all_figures_verdicts_and_pictures(tmp_path):
    page, demands = module("benchmarks.page"), module("benchmarks.demands")
    results = figures(123_456.0)
    results["planar_growth"] = {
        f"{name}_{batch}_per_s": 1.0 + batch
        for name in ("stream", "side_by_side")
        for batch in page.BATCHES
    }
    results["planar_widths"] = {
        f"{slots}_slots_{lanes}_lanes_per_s": 1.0 for slots in (10, 20) for lanes in page.WIDTHS
    }
    page.write(tmp_path / "speed.md", results, demands.verdicts(results))
    text = (tmp_path / "speed.md").read_text()
    for demand in demands.DEMANDS:
        assert demand.what in text
    for bench in results:
        assert f"### {bench}" in text
    assert "123,456" in text
    for name in ("growth", "widths"):
        assert f"images/speed-{name}.png" in text
        assert (tmp_path / "images" / f"speed-{name}.png").stat().st_size > 5_000

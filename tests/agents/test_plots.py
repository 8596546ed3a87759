"""Plots: what is drawn is what was computed, and what cannot be drawn is said."""

import csv
import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.colors import to_hex, to_rgb
from matplotlib.image import imread

from carrom.errors import ConfigError
from carrom.physics.strike import Strike
from carrom_agents.drills.file import load_drills
from carrom_agents.plots.heat_map import draw_heat_map
from carrom_agents.plots.ladder import draw_ladder, read_ladder
from carrom_agents.plots.learning_curves import (
    curve_of,
    draw_learning_curves,
    draw_training,
    read_series,
)
from carrom_agents.plots.striker_value import draw_striker_value
from carrom_agents.plots.style import colour
from carrom_agents.plots.wins import draw_wins, read_wins
from carrom_agents.shot_map import PlaceWorth, ShotMap
from carrom_agents.statistics import Estimate


def inked(picture, ink):
    """Rows and columns of the pixels that have this colour, to rounding."""
    wanted = np.array(to_rgb(ink)) * 255
    return np.argwhere((np.abs(imread(picture)[..., :3] * 255 - wanted) < 1.01).all(axis=-1))


def written_run(folder, records):
    folder.mkdir()
    lines = [json.dumps(record) for record in records]
    (folder / "metrics.jsonl").write_text("\n".join(lines) + "\n")
    return folder


# ---- learning curves


def test_a_curve_is_the_mean_of_the_middle_half_of_the_runs():
    rng = np.random.default_rng(0)
    steps, values = np.arange(12) * 100.0, rng.normal(size=(8, 12))
    curve = curve_of("runs", [(steps, run) for run in values])
    np.testing.assert_array_equal(curve.steps, steps)
    middle = np.sort(values, axis=0)[2:6].mean(axis=0)
    np.testing.assert_allclose([e.value for e in curve.values], middle)
    assert all(e.low < e.value < e.high for e in curve.values)
    assert [e.samples for e in curve.values] == [8] * 12


def test_runs_that_agree_leave_no_doubt_and_steps_that_differ_are_joined_by_lines():
    def straight(steps):
        return np.array(steps), 3.0 + 0.5 * np.array(steps)

    curve = curve_of("lines", [straight([0, 7, 20]), straight([2, 11, 30])])
    np.testing.assert_array_equal(curve.steps, [2, 7, 11, 20])  # as far as both go
    for end in ("value", "low", "high"):
        np.testing.assert_allclose([getattr(e, end) for e in curve.values], 3 + 0.5 * curve.steps)


def test_long_runs_are_thinned_to_their_ends():
    steps = np.arange(5000)
    curve = curve_of("long", [(steps, steps), (steps, steps)])
    assert len(curve.steps) == 400
    assert curve.steps[[0, -1]].tolist() == [0, 4999]


def test_smoothing_averages_up_to_a_point():
    (steps, values) = curve_of("one", [([1, 2, 3, 4], [0, 6, 0, 3])], smoothing=3).runs[0]
    assert steps.tolist() == [3, 4]
    np.testing.assert_allclose(values, [2, 3])


def test_learning_curves_are_drawn_and_written_as_a_table(tmp_path):
    target = tmp_path / "deep" / "curves.png"
    level = ([0, 1_234_567], [0.25, 0.25])
    rising = [([0, 1_234_567], [0, 1]), ([0, 1_234_567], [0, 0.5])]
    written = draw_learning_curves({"level": [level], "rising": rising}, target, quantity="points")
    assert written == [target, target.with_suffix(".csv")]
    rows = list(csv.DictReader(written[1].open()))
    assert [(r["label"], r["step"], float(r["value"]), r["runs"]) for r in rows] == [
        ("level", "0", 0.25, "1"),
        ("level", "1234567", 0.25, "1"),
        ("rising", "0", 0.0, "2"),
        ("rising", "1234567", 0.75, "2"),
    ]
    assert (float(rows[3]["low"]), float(rows[3]["high"])) == (0.5, 1.0)
    across = inked(target, colour(0))
    wide = across[:, 1].max() - across[:, 1].min()
    assert wide > 0.7 * imread(target).shape[1]  # one long level line
    again = tmp_path / "again.png"
    draw_learning_curves({"level": [level], "rising": rising}, again, quantity="points")
    assert again.read_bytes() == target.read_bytes()


@pytest.mark.parametrize(
    ("curves", "smoothing", "said"),
    [
        ({}, 1, "no learning curves"),
        ({"a": []}, 1, "'a': expected at least one series"),
        ({"a": [([0, 1], [0])]}, 1, r"shape \(2,\), values of shape \(1,\)"),
        ({"a": [([], [])]}, 1, r"expected \(n,\)"),
        ({"a": [([1, 1], [0, 0])]}, 1, "steps that grow"),
        ({"a": [([0, 1], [0, np.nan])]}, 1, "finite"),
        ({"a": [([0, 1], [0, 0]), ([2, 3], [0, 0])]}, 1, "share no steps"),
        ({"a": [([0, 1], [0, 0])]}, 0, "smoothing = 0"),
        ({"a": [([0, 1], [0, 0])]}, 3, "smoothing = 3: expected at most 2"),
    ],
)
def test_bad_curves_are_refused(tmp_path, curves, smoothing, said):
    target = tmp_path / "curves.png"
    with pytest.raises(ConfigError, match=said):
        draw_learning_curves(curves, target, quantity="points", smoothing=smoothing)
    assert not list(tmp_path.iterdir())


def test_plots_are_png_files_in_folders_that_can_be_made(tmp_path):
    curves = {"a": [([0, 1], [0, 0])]}
    with pytest.raises(ConfigError, match=r"\.jpg'.*expected a name ending in \.png"):
        draw_learning_curves(curves, tmp_path / "curves.jpg", quantity="points")
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="file"):
        draw_learning_curves(curves, tmp_path / "file" / "curves.png", quantity="points")


def test_series_are_read_from_a_run(tmp_path):
    records = [
        {"global_step": 0, "evaluation/reward": 0.5},
        {"global_step": 10, "reward": 1.0},
        {"global_step": 20, "reward": None},
        {"global_step": 30, "reward": 2.0, "evaluation/reward": 0.75},
    ]
    run = written_run(tmp_path / "run", records)
    steps, values = read_series(run, "reward")
    assert (steps.tolist(), values.tolist()) == ([10, 30], [1.0, 2.0])
    with pytest.raises(ConfigError, match="'loss': expected one of evaluation/reward, reward"):
        read_series(run, "loss")
    with pytest.raises(ConfigError, match="nowhere"):
        read_series(tmp_path / "nowhere", "reward")
    (run / "metrics.jsonl").write_text('{"global_step": 0, "rew')
    with pytest.raises(ConfigError, match=r"metrics\.jsonl"):
        read_series(run, "reward")


def test_a_training_without_evaluations_is_drawn_all_the_same(tmp_path):
    records = [{"global_step": 10 * k, "reward": 0.1 * k} for k in range(20)]
    full = written_run(tmp_path / "run", [*records, {"global_step": 200, "evaluation/reward": 2}])
    bare = written_run(tmp_path / "bare", records)
    marks = {}
    for run in (full, bare):
        target = draw_training(run, tmp_path / f"{run.name}.png")
        assert len(inked(target, colour(0))) > 20
        marks[run.name] = len(inked(target, colour(1)))
    # The legend has a mark in either case; an evaluation is one more.
    assert marks["run"] > marks["bare"]


# ---- tournaments


def written_tournament(folder):
    folder.mkdir()
    (folder / "ladder.csv").write_text(
        "player,elo,low,high,pairs,won\nbanker,210,120.5,inf,40,70\nruns/x/aimer,0,0,0,60,60\n"
    )
    (folder / "wins.csv").write_text(
        "player,opponent,score,games\nbanker,runs/x/aimer,15,20\nruns/x/aimer,banker,5,20\n"
    )
    return folder


def test_ladder_and_wins_are_read_as_they_are_written_and_drawn(tmp_path):
    folder = written_tournament(tmp_path / "one")
    ratings = read_ladder(folder)
    assert list(ratings) == ["banker", "aimer"]
    assert ratings["banker"] == Estimate(210.0, 120.5, np.inf, 40)
    names, shares = read_wins(folder)
    assert names == ["banker", "aimer"]
    np.testing.assert_array_equal(shares, [[np.nan, 0.75], [0.25, np.nan]])
    ladder = draw_ladder(ratings, "Elo", tmp_path / "ladder.png")
    assert len(inked(ladder, colour(0))) > 50
    wins = draw_wins(names, shares, tmp_path / "wins.png")
    for share in (0.75, 0.25):
        cell = to_hex(colormaps["RdBu"](share))
        assert len(inked(wins, cell)) > 500


@pytest.mark.parametrize(
    "text", [None, "", "name,elo\na,1\n", "player,elo,low,high,pairs\na,x,0,0,1\n"]
)
def test_what_is_no_ladder_is_refused(tmp_path, text):
    if text is not None:
        (tmp_path / "ladder.csv").write_text(text)
    with pytest.raises(ConfigError, match=r"ladder\.csv"):
        read_ladder(tmp_path)


def test_a_ladder_without_wins_is_refused(tmp_path):
    folder = written_tournament(tmp_path / "one")
    (folder / "wins.csv").write_text("player,opponent,score,games\nbanker,nobody,1,2\n")
    with pytest.raises(ConfigError, match=r"wins\.csv.*nobody"):
        read_wins(folder)


# ---- strokes


VIEW = next(drill for drill in load_drills() if drill.name == "cut-1").view()


def map_with(success):
    places, directions = np.linspace(-0.2, 0.2, 20), np.linspace(-1.5, 1.5, 30)
    return ShotMap(places, directions, 2.0, success, 8, "expert")


def test_a_heat_map_is_as_bright_as_strokes_succeed(tmp_path):
    success = np.zeros((20, 30))
    success[:4] = np.nan
    success[15, 20] = 0.5
    dim = draw_heat_map(map_with(success), VIEW, tmp_path / "dim.png")
    success[10:, :15] = 1.0
    strikes = {"somebody": Strike(0.0, 1.0, 2.0)}
    bright = draw_heat_map(map_with(success), VIEW, tmp_path / "bright.png", players=strikes)
    shades = [to_hex(colormaps["viridis"](share)) for share in (0.0, 1.0)]
    dark, light = ([len(inked(p, shade)) for p in (dim, bright)] for shade in shades)
    assert dark[0] > dark[1] + 10_000
    assert light[1] > light[0] + 10_000
    closed = to_hex("0.85")
    parted, middle = (
        np.median(inked(p, s), axis=0) for p, s in ((dim, closed), (bright, shades[1]))
    )
    assert len(inked(dim, closed)) > 5_000, "where the striker may not stand"
    assert parted[1] < middle[1], "at the left"
    assert middle[0] > imread(dim).shape[0] / 2, "low directions are below"
    # The first that is bright on all sides.
    shots = map_with(success)
    assert shots.best == (pytest.approx(shots.places[11]), shots.directions[1], 1.0)


def test_worth_over_places_is_not_joined_across_a_gap(tmp_path):
    def worths(places):
        return [PlaceWorth(p, 0.1, 2.0, Estimate(1.0, 0.9, 1.1, 8)) for p in places]

    joined, parted = np.linspace(-0.15, 0.15, 13), [-0.15, -0.125, -0.1, 0.1, 0.125, 0.15]
    lengths = []
    for name, places in (("joined", joined), ("parted", parted)):
        target = tmp_path / f"{name}.png"
        draw_striker_value({"planner": worths(places)}, VIEW, target)
        lengths.append(len(np.unique(inked(target, colour(0))[:, 1])))
    assert lengths[1] < 0.6 * lengths[0]


# ---- the script


def run_script(monkeypatch, *arguments):
    path = Path(__file__).parents[2] / "scripts" / "plot.py"
    spec = importlib.util.spec_from_file_location("plot_script", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(sys, "argv", ["plot.py", *map(str, arguments)])
    return module.main()


def test_the_script_draws_curves_under_labels(tmp_path, monkeypatch, capsys):
    for seed in (0, 1):
        records = [{"global_step": 10 * k, "reward": k + seed} for k in range(5)]
        written_run(tmp_path / f"run{seed}", records)
    target = tmp_path / "curves.png"
    runs = [f"both={tmp_path / name}" for name in ("run0", "run1")] + [tmp_path / "run0"]
    assert run_script(monkeypatch, "curves", *runs, "--metric", "reward", "--target", target) == 0
    assert capsys.readouterr().out == f"curves: {target}\n"
    rows = list(csv.DictReader(target.with_suffix(".csv").open()))
    assert [(r["label"], float(r["value"]), r["runs"]) for r in (rows[0], rows[-1])] == [
        ("both", 0.5, "2"),
        ("run0", 4.0, "1"),
    ]


def test_the_script_draws_a_tournament(tmp_path, monkeypatch):
    folder = written_tournament(tmp_path / "one")
    for kind in ("ladder", "wins"):
        target = tmp_path / f"{kind}.png"
        assert run_script(monkeypatch, kind, folder, "--target", target) == 0
        assert target.is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ladder", "nowhere"), "nowhere/ladder.csv"),
        (("curves", "nowhere"), "record 'nowhere'"),
        (("heat-map", "--drill", "nope"), "drill = 'nope'"),
        (("heat-map", "--drill", "cut-1", "--stroke", "2"), "expected both or none"),
        (("heat-map", "--replay", "nowhere.json", "--stroke", "2"), "nowhere.json"),
        (("heat-map", "--shot", "-1"), "shot = -1: expected at least 0"),
        (("heat-map", "--shot", "1", "--target", "a.svg"), "ending in .png"),
        (("striker-value", "--shot", "1", "--weighed-by", "aimer"), "--weighed-by aimer"),
        (("striker-value", "--shot", "1", "--places", "0"), "places = 0"),
    ],
)
def test_the_script_says_what_is_wrong_in_one_line(monkeypatch, capsys, arguments, said):
    assert run_script(monkeypatch, *arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("plot: ")
    assert said in error
    assert error.count("\n") == 1

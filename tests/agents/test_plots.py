"""Plots: what is drawn is what was computed, and what cannot be drawn is said."""

import csv
import json

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.image import imread

from carrom.errors import ConfigError
from carrom_agents.plots.learning_curves import (
    curve_of,
    draw_learning_curves,
    draw_training,
    read_series,
)
from carrom_agents.plots.style import colour


def inked(picture, ink):
    """Rows and columns of the pixels that have exactly this colour."""
    pixels = np.round(imread(picture)[..., :3] * 255)
    return np.argwhere((pixels == np.round(np.array(to_rgb(ink)) * 255)).all(axis=-1))


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

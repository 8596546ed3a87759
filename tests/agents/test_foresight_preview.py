"""The preview of strikes: held against the closed forms that shots are aimed with, and MuJoCo."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from carrom.board import Board
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.strike import Strike
from carrom.view import OWN, View
from carrom_agents.foresight.preview import NOBODY, Preview, left_lying, preview
from carrom_agents.offers import Kind, Offers, offers
from carrom_agents.shots import ShotOptions
from carrom_agents.ways import standing

BOARD, MATERIAL = Board(), Material()
SHOTS = 256
"""Strikes per call: filled up, so that one program is compiled."""

_preview = jax.jit(functools.partial(preview, BOARD, MATERIAL))
_left = jax.jit(functools.partial(left_lying, BOARD, MATERIAL))


def _layouts(count: int, seed: int) -> list[Layout]:
    rng = np.random.default_rng(seed)
    return [random_layout(BOARD, rng, white=5, black=5, queen=True) for _ in range(count)]


def _seen(layout: Layout, strikes: np.ndarray) -> tuple[Preview, np.ndarray, np.ndarray]:
    """The preview of strikes (n, 3), where everything lies afterwards, and what falls."""
    count = len(strikes)
    filled = np.resize(strikes.astype(np.float32), (SHOTS, 3))
    discs = standing(layout.positions.astype(np.float32), layout.on_board)
    discs = jnp.asarray(np.repeat(discs.astype(np.complex64)[:, None], SHOTS, axis=1))
    seen = _preview(discs, filled)
    left, falls = _left(discs, seen)
    cut = jax.tree.map(lambda leaf: np.asarray(leaf)[..., :count], seen)
    return cut, np.asarray(left)[:, :count], np.asarray(falls)[:, :count]


def _offers(layout: Layout, kind: Kind, options: ShotOptions) -> tuple[Offers, np.ndarray]:
    view = View(BOARD, layout.positions, layout.on_board)
    found = offers(view, np.flatnonzero(layout.on_board[OWN]), options, frozenset({kind}))
    shots = found.shots
    strikes = np.stack([shots.place, shots.direction, shots.speed], axis=1)
    return found, strikes


def test_direct_shots_run_as_they_were_aimed():
    options, tried = ShotOptions(kept=2), 0
    for layout in _layouts(12, seed=1):
        found, strikes = _offers(layout, Kind.DIRECT, options)
        if not 0 < len(found) <= SHOTS:
            continue
        seen, _, falls = _seen(layout, strikes)
        shots, each = found.shots, np.arange(len(found))
        np.testing.assert_array_equal(seen.impact.met, shots.carromman)
        np.testing.assert_allclose(seen.impact.end, shots.ghost, atol=1e-4)
        np.testing.assert_allclose(seen.cut_cosine, shots.cut_cosine, atol=2e-3)
        onward = seen.onward.speed * seen.onward.heading
        np.testing.assert_allclose(onward, shots.onward, atol=0.02)
        assert falls[shots.carromman, each].all()
        tried += len(found)
    assert tried > 200


@pytest.mark.parametrize(("kind", "least"), [(Kind.BANK, 0.8), (Kind.REBOUND, 0.8)])
def test_sure_shots_by_way_of_a_frame_fall(kind: Kind, least: float):
    fallen = []
    for layout in _layouts(12, seed=2):
        found, strikes = _offers(layout, kind, ShotOptions())
        sure = np.flatnonzero(found.shots.chance > 0.85)[:SHOTS]
        if len(sure):
            _, _, falls = _seen(layout, strikes[sure])
            fallen += falls[found.shots.carromman[sure], np.arange(len(sure))].tolist()
    assert len(fallen) > 30
    assert np.mean(fallen) > least


def _random_strikes(rng: np.random.Generator, count: int) -> np.ndarray:
    return np.stack(
        [
            rng.uniform(-0.2, 0.2, count),
            rng.uniform(-1.2, 1.2, count),
            rng.uniform(0.5, 5.0, count),
        ],
        axis=1,
    )


def test_impacts_keep_momentum_and_lose_energy():
    rng = np.random.default_rng(3)
    for layout in _layouts(4, seed=3):
        seen, _, _ = _seen(layout, _random_strikes(rng, SHOTS))
        meets = seen.impact.met != NOBODY
        assert meets.sum() > 20
        before = seen.impact.left * seen.impact.heading
        sent = seen.sent.speed * seen.sent.heading
        onward = seen.onward.speed * seen.onward.heading
        striker, carromman = BOARD.striker_mass, BOARD.carromman_mass
        total = striker * onward + carromman * sent
        np.testing.assert_allclose(total[meets], striker * before[meets], atol=1e-6)
        energy = striker * abs(onward) ** 2 + carromman * abs(sent) ** 2
        assert (energy[meets] <= striker * abs(before[meets]) ** 2 + 1e-9).all()
        for leg in (seen.run, seen.sent, seen.banked, seen.combined, seen.returned, seen.pushed):
            assert (leg.left <= leg.speed + 1e-6).all()
            assert (leg.reach >= 0).all()


def test_in_a_mirror_everything_runs_the_other_way_round():
    rng = np.random.default_rng(4)
    layout = _layouts(1, seed=4)[0]
    strikes = _random_strikes(rng, SHOTS)
    seen, left, falls = _seen(layout, strikes)
    turned = Layout(layout.positions * [-1, 1], layout.on_board)
    other, other_left, other_falls = _seen(turned, strikes * [-1, -1, 1])
    same = (seen.impact.met == other.impact.met) & (seen.sent.met == other.sent.met)
    assert same.mean() > 0.98  # those that graze a carromman may miss it, by rounding
    mirrored = -other_left.conjugate()
    on_board = layout.on_board[:, None] & same & (falls == other_falls)
    np.testing.assert_allclose(left[on_board], mirrored[on_board], atol=2e-3)


def test_the_first_carromman_met_is_the_one_that_moves_in_mujoco():
    """A lone carromman is met where the preview says so, and sent where it says so."""
    engine, rng = MujocoEngine(BOARD, MATERIAL), np.random.default_rng(5)
    compared = 0
    while compared < 25:
        layout = Layout(np.zeros((19, 2)), np.zeros(19, bool))
        layout = layout.with_piece(0, (rng.uniform(-0.25, 0.25), rng.uniform(-0.1, 0.25)))
        place = rng.uniform(-0.15, 0.15)
        way = layout.positions[0] - [place, BOARD.base_line_y]
        direction = np.arctan2(-way[0], way[1]) + rng.uniform(-0.06, 0.06)
        strike = np.array([[place, direction, rng.uniform(1.0, 2.0)]])
        seen, left, falls = _seen(layout, strike)
        ends = seen.sent.framed[0] or seen.banked.speed[0] > 0
        if seen.impact.met[0] != 0 or seen.cut_cosine[0] < 0.5 or ends or falls[0, 0]:
            continue
        motion = engine.play(layout, Strike(*strike[0].tolist()))
        final = motion.layout.positions[0]
        moved = np.hypot(*(final - layout.positions[0]))
        error = abs(complex(*final) - left[0, 0])
        assert error < 0.01 + 0.1 * moved
        compared += 1


def test_those_that_are_said_to_fall_do_and_others_do_not():
    """A lone carromman hit at any speed towards a pocket's mouth, in MuJoCo."""
    engine, rng = MujocoEngine(BOARD, MATERIAL), np.random.default_rng(6)
    said, fell = [], []
    while len(said) < 150:
        layout = Layout(np.zeros((19, 2)), np.zeros(19, bool))
        layout = layout.with_piece(0, (rng.uniform(-0.25, 0.25), rng.uniform(0.0, 0.25)))
        found, strikes = _offers(layout, Kind.DIRECT, ShotOptions(arrivals=(1.0,)))
        if not len(found):
            continue
        strike = strikes[[rng.integers(len(strikes))]]
        strike += [0, rng.uniform(-0.02, 0.02), 0]
        strike[:, 2] = np.minimum(strike[:, 2] * rng.uniform(0.9, 2.5), MATERIAL.full_speed)
        seen, _, falls = _seen(layout, strike)
        if seen.impact.met[0] != 0:
            continue
        fallen = {fall.index for fall in engine.play(layout, Strike(*strike[0].tolist())).pocketed}
        said.append(falls[0, 0])
        fell.append(0 in fallen)
    said, fell = np.array(said), np.array(fell)
    assert min(said.mean(), 1 - said.mean()) > 0.15
    assert fell[said].mean() > 0.75
    assert fell[~said].mean() < 0.25

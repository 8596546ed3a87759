"""Places, codings, observations and starts against those of the ordinary environment."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ordinary_path import lane, position_of, setting_of

from carrom.action import N_SHOTS, action_coding
from carrom.baseline import free_line, free_places, is_free, nearest_place
from carrom.board import Board, to_board
from carrom.decision import STRIKE_NOW
from carrom.errors import CarromError
from carrom.functional import Functional, random_player
from carrom.functional.lines import Lines
from carrom.functional.starts import rack
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.physics.material import Material, randomisation_range
from carrom.rack import LOOSE, TIGHT, lattice
from carrom.table import view_of
from carrom.tasks import drill_position
from haste import jit_in_haste

BOARD = Board()
LINES = Lines.of(BOARD)
BATCH = 256


@jit_in_haste
def searched(positions: jax.Array, on_board: jax.Array, wish: jax.Array) -> tuple[jax.Array, ...]:
    places = LINES.on(jnp.int32(0), positions, on_board)
    return places.any(), places.nearest(wish), *LINES.first_free(positions, on_board)


def near_the_line(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Carrommen round the base line, overlapping or not: places do not ask."""
    positions = np.zeros((19, 2), np.float32)
    positions[:count] = rng.uniform([-0.3, -0.30], [0.3, -0.20], (count, 2))
    return positions, np.arange(19) < count


@settings(deadline=None, max_examples=300)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(0, 19))
def test_the_nearest_free_place_is_that_of_the_base_line_itself(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    positions, on_board = near_the_line(rng, count)
    wish = float(rng.uniform(-0.3, 0.3))
    free = free_places(BOARD, positions.astype(np.float64), on_board)
    found, nearest, line, any_line = searched(positions, on_board, wish)
    # A place narrower than rounding may be seen or not.
    wide = sum(high - low for low, high in free) > 1e-5
    if wide or not free:
        assert bool(found) == bool(free)
    if wide:
        wanted = nearest_place(free, wish)
        assert wanted is not None
        assert abs(float(nearest) - wish) == pytest.approx(abs(wanted - wish), abs=1e-6)
        assert line == 0
    elif any_line and not free:
        forward = float(LINES.forward[int(line)])
        assert free_places(BOARD, positions.astype(np.float64), on_board, forward)
        assert free_line(BOARD, positions.astype(np.float64), on_board) is not None


def test_the_lines_miss_no_more_than_slits() -> None:
    """Positions whose middle line is blocked: where only the exact search finds a place."""
    rng, blocked, missed = np.random.default_rng(0), 0, 0
    for _ in range(1000):
        positions, on_board = np.zeros((19, 2), np.float32), np.arange(19) < 8
        positions[:8, 0] = np.linspace(-0.235, 0.235, 8) + rng.uniform(-0.005, 0.005, 8)
        positions[:8, 1] = BOARD.base_line_y + rng.uniform(-0.015, 0.015, 8)
        exact = positions.astype(np.float64)
        if free_places(BOARD, exact, on_board):
            continue
        blocked += 1
        *_, line, found = searched(positions, on_board, 0.0)
        there_is = free_line(BOARD, exact, on_board) is not None
        assert there_is or not found
        missed += there_is and not found
        if found:
            assert free_places(BOARD, exact, on_board, float(LINES.forward[int(line)]))
    assert blocked > 100
    assert missed <= 0.02 * blocked


def test_random_places_are_free_and_even() -> None:
    rng = np.random.default_rng(2)
    positions, on_board = near_the_line(rng, 5)
    places = LINES.on(jnp.int32(0), jnp.asarray(positions), jnp.asarray(on_board))
    keys = jax.random.split(jax.random.key(0), 4000)
    drawn = np.asarray(jit_in_haste(jax.vmap(places.at_random))(keys))
    free = free_places(BOARD, positions.astype(np.float64), on_board)
    widened = tuple((low - 1e-6, high + 1e-6) for low, high in free)
    assert all(is_free(widened, float(x)) for x in drawn)
    lengths = np.array([high - low for low, high in free])
    shares = np.array(
        [np.mean((low - 1e-6 <= drawn) & (drawn <= high + 1e-6)) for low, high in free]
    )
    error = np.sqrt(lengths / lengths.sum() / len(drawn))
    assert np.all(np.abs(shares - lengths / lengths.sum()) < 4 * error)


@pytest.fixture(scope="module")
def drills() -> Any:
    env = Functional("shot")
    return jit_in_haste(jax.vmap(env.start))(jax.random.split(jax.random.key(7), BATCH))


@pytest.mark.parametrize("coding", ["direct", "target"])
def test_actions_mean_the_same_strikes(coding: str, drills: Any) -> None:
    env, rng = Functional("shot", action_coding=coding), np.random.default_rng(1)
    numbers = rng.uniform(-1, 1, (BATCH, 3)).astype(np.float32)
    shots = rng.integers(N_SHOTS, size=BATCH)
    actions = numbers if coding == "direct" else {"shot": shots, "residual": numbers}
    ours = jit_in_haste(jax.vmap(env.decode))(drills, actions)
    ordinary, setting = action_coding(coding, "snap", Material()), setting_of("shot")
    for k in range(BATCH):
        view = view_of(setting, position_of(lane(drills, k)), 0, STRIKE_NOW)
        theirs = ordinary.decode(lane(actions, k), view)
        turn = float(ours.direction[k]) - theirs.direction
        assert np.cos(turn) == pytest.approx(1, abs=1e-6)
        assert float(ours.place[k]) == pytest.approx(theirs.place, abs=1e-6)
        assert float(ours.speed[k]) == pytest.approx(theirs.speed, rel=1e-4)


@pytest.mark.parametrize("level", ["master", "beginner"])
def test_noise_is_that_of_the_named_level(level: str, drills: Any) -> None:
    env = Functional("shot", noise=level)
    numbers = np.zeros((BATCH, 3), np.float32)
    strikes = jit_in_haste(jax.vmap(env.decode))(drills, numbers)
    made = jit_in_haste(jax.vmap(env.make))(
        drills, strikes, jax.random.split(jax.random.key(3), BATCH)
    )
    noise = setting_of("shot", noise=level).noise
    errors = {
        "direction": np.asarray(made.direction - strikes.direction) / noise.direction,
        "speed": np.asarray(made.speed / strikes.speed - 1) / noise.speed,
    }
    for error in errors.values():
        assert abs(error.mean()) < 4 / np.sqrt(BATCH)
        assert error.std() == pytest.approx(1, abs=4 / np.sqrt(2 * BATCH))


def test_drills_are_distributed_as_the_ordinary_ones(drills: Any) -> None:
    rng = np.random.default_rng(0)
    theirs = [drill_position(BOARD, rng) for _ in range(BATCH)]
    for k in range(BATCH):
        position = position_of(lane(drills, k))
        position.layout.check(BOARD)
        board = position.match.board
        assert position.layout.counts == tuple(board.on_board)
        assert position.layout.queen_on_board == (board.queen == 0)
        assert free_places(BOARD, position.layout.positions, position.layout.on_board)

    def figures(positions: list[Any]) -> np.ndarray:
        return np.array(
            [
                (
                    *p.match.board.on_board,
                    int(p.match.board.queen) == 0,
                    int(p.match.board.queen) == 2,
                    int(p.match.board.breaker_seat),
                    np.abs(p.layout.positions[p.layout.on_board]).mean(),
                    p.layout.positions[p.layout.on_board][0, 0],
                )
                for p in positions
            ],
            float,
        )

    a, b = figures([position_of(lane(drills, k)) for k in range(BATCH)]), figures(theirs)
    error = np.sqrt((a.var(0) + b.var(0)) / BATCH)
    assert np.all(np.abs(a.mean(0) - b.mean(0)) < 4 * error)


@pytest.mark.parametrize("packing", [TIGHT, LOOSE])
def test_the_rack_faces_the_breaker_and_is_jittered(packing: Any) -> None:
    keys = jax.random.split(jax.random.key(0), 64)
    racked = jit_in_haste(jax.vmap(lambda k, s: rack(k, s, BOARD, packing, 0.3), (0, None)))
    for side in range(4):
        racks = racked(keys, jnp.int32(side))
        shifts = np.asarray(racks) - to_board(lattice(BOARD, packing, 0.3), side)
        assert np.abs(shifts).max() <= packing.jitter / 2 + 1e-7
        assert shifts.std() == pytest.approx(packing.jitter / np.sqrt(12), rel=0.05)


@pytest.mark.parametrize("doubles", [False, True])
def test_every_seat_observes_what_the_ordinary_views_show(doubles: bool) -> None:
    env, setting = Functional("match", doubles=doubles), setting_of("match", doubles=doubles)
    rng = np.random.default_rng(4)
    base = jax.tree.map(np.asarray, jit_in_haste(env.start)(jax.random.key(0)))
    observe = jit_in_haste(env.observe)
    for _ in range(40):
        board = dataclasses.replace(
            base.match.board,
            breaker_seat=np.int32(rng.choice(setting.format.seats)),
            striker=np.int32(rng.integers(2)),
            queen=np.int32(rng.integers(4)),
            owed=rng.integers(0, 3, 2).astype(np.int32),
            has_pocketed=rng.random(2) < 0.5,
            break_done=np.bool_(rng.random() < 0.5),
            break_attempts_failed=np.int32(rng.integers(3)),
            idle_turns=np.int32(rng.integers(6)),
            strokes_in_turn=np.int32(rng.integers(3)),
        )
        score = rng.integers(0, 40, 2).astype(np.int32)
        game = dataclasses.replace(base.match.game, score=score)
        match = dataclasses.replace(
            base.match, board=board, game=game, rotation=np.int32(rng.integers(4))
        )
        layout = random_layout(BOARD, rng, white=4, black=7, queen=True)
        state = dataclasses.replace(
            base,
            match=match,
            positions=layout.positions.astype(np.float32),
            on_board=layout.on_board,
        )
        position = dataclasses.replace(
            position_of(state), layout=Layout(state.positions.astype(np.float64), layout.on_board)
        )
        for seat in setting.format.seats:
            view = view_of(setting, position, seat, STRIKE_NOW)
            theirs = setting.observe(view)
            np.testing.assert_allclose(observe(state, seat), theirs[:74], atol=1e-7)


def test_the_random_player_strikes_from_anywhere_at_any_speed() -> None:
    env = Functional("board")
    state = jit_in_haste(env.start)(jax.random.key(0))
    keys = jax.random.split(jax.random.key(1), 2000)
    strikes = jit_in_haste(jax.vmap(lambda key: random_player(env.sight(state, 0), key)))(keys)
    free = free_places(BOARD, np.zeros((19, 2)), np.zeros(19, bool))
    assert all(is_free(free, round(float(x), 6)) for x in strikes.place)
    assert float(strikes.speed.mean()) == pytest.approx(2.625, abs=4 * 1.37 / np.sqrt(2000))
    assert abs(float(strikes.direction.mean())) < 4 * 1.81 / np.sqrt(2000)


def test_materials_are_drawn_from_their_ranges_once_an_episode() -> None:
    env = Functional("board", randomised_material=True)
    drawn = jit_in_haste(jax.vmap(env.start))(jax.random.split(jax.random.key(0), 400)).parameters
    for name, values in drawn._asdict().items():
        low, high = randomisation_range(name)
        assert low <= values.min() < low + 0.05 * (high - low)
        assert high - 0.05 * (high - low) < values.max() <= high


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"task": "chess"}, "task"),
        ({"task": "board", "action_coding": "joystick"}, "action_coding"),
        ({"task": "board", "noise": "drunk"}, "noise"),
        ({"task": "board", "reward": "praise"}, "reward"),
        ({"task": "board", "opponent": "random"}, "opponent"),
        ({"task": "shot", "doubles": True}, "doubles"),
        ({"task": "board", "max_strokes": 0}, "max_strokes"),
        ({"task": "shot", "randomised_material": "yes"}, "randomised_material"),
    ],
)
def test_bad_options_are_refused_by_name(options: dict[str, Any], named: str) -> None:
    with pytest.raises(CarromError, match=named):
        Functional(**options)

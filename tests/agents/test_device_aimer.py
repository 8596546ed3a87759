"""The aimer on the device strikes as the NumPy one, which is the reference."""

from __future__ import annotations

import dataclasses
import functools

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import NDArray

from carrom.board import Board
from carrom.env import CarromEnv
from carrom.functional import Functional, Sight, State, Strike, as_batch
from carrom.functional.lines import Lines
from carrom.midgame import random_layout
from carrom.pieces import N_PER_SIDE, QUEEN, STRIKER
from carrom.rack import rack
from carrom.view import OWN, QueenStatus, View
from carrom_agents.device.aimer import DeviceAimer, aimer
from carrom_agents.device.lanes import answers, serve
from carrom_agents.scripted import TARGETS, wanted_targets
from carrom_agents.scripted import aimer as reference
from carrom_agents.shots import direct_shots
from haste import jit_in_haste

BOARD = Board()
LINES = Lines.of(BOARD)
BATCH = 256
"""Most tests share one compiled program."""

Strikes = NDArray[np.float64]
"""(n, 3): place, direction, speed."""


def sights(views: list[View]) -> Sight:
    """The same positions as arrays."""

    def each(values: list, dtype: type) -> jax.Array:
        return jnp.asarray(np.array(values), dtype)

    positions = each([view.positions for view in views], jnp.float32)
    on_board = each([view.on_board for view in views], bool)
    middle = jnp.zeros(len(views), jnp.int32)
    pairs = {name: each([getattr(v, name) for v in views], jnp.int32) for name in _PAIRS}
    numbers = {name: each([getattr(v, name) for v in views], jnp.int32) for name in _NUMBERS}
    flags = {name: each([getattr(v, name) for v in views], bool) for name in _FLAGS}
    return Sight(
        positions=positions,
        on_board=on_board,
        forward=jnp.zeros(len(views)),
        places=jax.vmap(LINES.on)(middle, positions, on_board),
        **pairs,
        **numbers,
        **flags,
    )


_PAIRS = ("owed", "score", "games")
_NUMBERS = ("queen", "board_number", "failed_breaks", "idle_turns")
_FLAGS = ("queen_allowed", "plays_white", "break_to_be_made", "turn_begun")


@pytest.fixture(scope="module")
def strikes_of():
    """Strikes of the device's aimer, (n, 3)."""
    program = jit_in_haste(jax.vmap(aimer))

    def strikes(views: list[View], seed: int = 0) -> Strikes:
        found = []
        for begin in range(0, len(views), BATCH):
            part = views[begin : begin + BATCH]
            filled = sights([*part, *[part[0]] * (BATCH - len(part))])
            strike = program(filled, jax.random.split(jax.random.key(seed + begin), BATCH))
            found.append(np.stack([strike.place, strike.direction, strike.speed], 1)[: len(part)])
        return np.concatenate(found).astype(np.float64)

    return strikes


def by_reference(views: list[View]) -> Strikes:
    strikes = [reference(view, np.random.default_rng(0)) for view in views]
    return np.array([(strike.place, strike.direction, strike.speed) for strike in strikes])


def equal(found: Strikes, expected: Strikes) -> NDArray[np.bool_]:
    apart = np.abs(found - expected) / [1e-4, 1e-3, 1e-2]
    apart[:, 2] /= expected[:, 2]
    return np.all(apart < 1, axis=1)


def mid_games(count: int, seed: int) -> list[View]:
    """Positions of all sizes, the queen on the board, owed, mine or theirs."""
    rng = np.random.default_rng(seed)
    views = []
    for _ in range(count):
        queen = QueenStatus(int(rng.choice(4, p=[0.55, 0.15, 0.15, 0.15])))
        own, theirs = rng.integers(1, N_PER_SIDE + 1, 2)
        lies = queen == QueenStatus.ON_BOARD
        layout = random_layout(BOARD, rng, white=own, black=theirs, queen=lies)
        allowed = bool(rng.integers(2))
        views.append(
            View(BOARD, layout.positions, layout.on_board, queen=queen, queen_allowed=allowed)
        )
    return views


def last_pieces(count: int, seed: int) -> list[View]:
    """One or two own carrommen and few of the opponent's."""
    rng = np.random.default_rng(seed)
    views = []
    for _ in range(count):
        queen = bool(rng.integers(2))
        counts = {"white": int(rng.integers(1, 3)), "black": int(rng.integers(0, 3))}
        layout = random_layout(BOARD, rng, queen=queen, **counts)
        status = QueenStatus.ON_BOARD if queen else QueenStatus.MINE
        allowed = bool(rng.integers(2))
        views.append(
            View(BOARD, layout.positions, layout.on_board, queen=status, queen_allowed=allowed)
        )
    return views


def played(count: int) -> list[View]:
    """Positions, breaks apart, of boards that the reference plays against itself."""
    env = gym.make("CarromBoard-v0", opponent=reference, noise="club", disable_env_checker=True)
    table, rng = env.unwrapped, np.random.default_rng(0)
    assert isinstance(table, CarromEnv)
    views: list[View] = []
    over, seed = True, 0
    while len(views) < count:
        if over:
            table.reset(seed=seed)
            seed += 1
        view = table.view()
        if not view.break_to_be_made:
            views.append(view)
        _, _, terminated, truncated, _ = table.answer(reference(view, rng))
        over = terminated or truncated
    env.close()
    return views


def value_of(view: View, strike: NDArray[np.float64]) -> tuple[float, float]:
    """What the reference thinks of its own best shot and of the one nearest to ``strike``."""
    targets = TARGETS[wanted_targets(view.on_board, view.queen, view.queen_allowed)]
    shots = direct_shots(view, targets, reference.options)
    value = reference._value(view, shots)
    apart = np.abs(np.stack([shots.place, shots.direction, shots.speed], 1) - strike).sum(axis=1)
    assert apart.min() < 1e-4, "the device strikes what is no shot"
    return float(value.max()), float(value[np.argmin(apart)])


@pytest.mark.parametrize(
    "views",
    [
        pytest.param(functools.partial(mid_games, 400, 0), id="mid-game"),
        pytest.param(functools.partial(last_pieces, 200, 1), id="last pieces"),
        pytest.param(functools.partial(played, 200), id="played"),
    ],
)
def test_it_strikes_as_the_numpy_player(views, strikes_of) -> None:
    views = views()
    found, expected = strikes_of(views), by_reference(views)
    same = equal(found, expected)
    assert np.mean(same) >= 0.99
    for index in np.flatnonzero(~same):
        best, chosen = value_of(views[index], found[index])
        assert chosen == pytest.approx(best, abs=1e-5)


def frozen(own: dict[int, tuple[float, float]], **game) -> View:
    positions, on_board = np.zeros((19, 2)), np.zeros(19, bool)
    for index, point in own.items():
        positions[index], on_board[index] = point, True
    return View(BOARD, positions, on_board, **game)


def test_without_a_shot_it_stirs_or_leaves_alone_as_the_numpy_player(strikes_of) -> None:
    frame = BOARD.half_side - BOARD.carromman_radius
    views = [
        frozen({3: (0.0, frame), 12: (0.1, 0.0)}, queen=QueenStatus.MINE),
        frozen({0: (0.1, frame), 1: (-0.05, frame)}, queen=QueenStatus.MINE),
        # Nothing but the queen may be taken (107), and she cannot; or nothing at all.
        frozen({0: (0.2, 0.1), QUEEN: (0.0, frame)}, queen_allowed=True),
        frozen({0: (0.2, 0.1), QUEEN: (-0.15, 0.0)}, queen_allowed=False),
    ]
    found, expected = strikes_of(views), by_reference(views)
    assert np.all(equal(found, expected))
    assert np.all(found[:3, 2] == np.float32(reference.stir_speed))
    assert found[3, 2] < 0.5


def test_it_breaks_from_either_side_as_the_numpy_player(strikes_of) -> None:
    rng = np.random.default_rng(0)
    view = View(BOARD, rack(BOARD, rng), np.ones(19, bool), break_to_be_made=True)
    found = strikes_of([view] * (4 * BATCH))
    drawn = by_reference_breaks(view)
    assert sorted(drawn) == [-1, 1]
    side = np.sign(found[:, 0])
    for each, expected in drawn.items():
        assert np.all(equal(found[side == each], expected[None]))
    # Five standard errors of a fair coin.
    assert abs(np.mean(side)) < 5 / np.sqrt(len(side))


def by_reference_breaks(view: View) -> dict[int, NDArray[np.float64]]:
    strikes = [reference(view, np.random.default_rng(seed)) for seed in range(20)]
    return {
        int(np.sign(strike.place)): np.array([strike.place, strike.direction, strike.speed])
        for strike in strikes
    }


def test_one_board_alone_by_other_rules() -> None:
    """Outside a batch; and the settings are those of the rules given, not the default's."""
    hasty = dataclasses.replace(
        reference.options, arrivals=(1.8,), kept=1, middle_places=9, circle_places=1
    )
    rules = dataclasses.replace(reference, options=hasty)
    views = mid_games(30, 4)
    alone = jit_in_haste(DeviceAimer(rules))
    found, expected = [], []
    for view in views:
        strike = alone(jax.tree.map(lambda leaf: leaf[0], sights([view])), jax.random.key(0))
        found.append([strike.place, strike.direction, strike.speed])
        wanted = rules(view, np.random.default_rng(0))
        expected.append([wanted.place, wanted.direction, wanted.speed])
    assert np.all(equal(np.array(found, np.float64), np.array(expected)))
    assert np.mean(equal(np.array(expected), by_reference(views))) < 0.5


# ---- the lanes ------------------------------------------------------------------------------


@pytest.mark.parametrize("lanes", [1, 7, 100])
def test_those_that_need_it_are_served_and_no_others(lanes: int) -> None:
    rng, every = np.random.default_rng(0), np.arange(23)

    def work(index: jax.Array) -> tuple[jax.Array, jax.Array]:
        return 10 * index, jnp.stack([index, index**2]).astype(jnp.float32)

    program = jit_in_haste(lambda needed: serve(needed, work, lanes))
    for share in (0.0, 0.3, 1.0):
        needed = rng.random(23) < share
        served = program(needed)
        np.testing.assert_array_equal(served.item[: needed.sum()], every[needed])
        assert np.all(served.item[needed.sum() :] == 23)
        tens, powers = (np.asarray(leaf)[..., served.column] for leaf in served.results)
        np.testing.assert_array_equal(tens[needed], 10 * every[needed])
        np.testing.assert_array_equal(powers[:, needed], np.stack([every, every**2])[:, needed])


@pytest.mark.parametrize("lanes", [1, 7, 100])
def test_answers_are_those_of_asking_everyone_and_zeros_where_none_is_wanted(lanes: int) -> None:
    rng, every = np.random.default_rng(1), np.arange(23)
    table = jnp.asarray(rng.normal(size=(23, 3)), jnp.float32)

    def work(index: jax.Array) -> dict[str, jax.Array]:
        return {"rows": table[index], "odd": index % 2 == 1, "hundreds": 100 + index}

    program = jit_in_haste(lambda needed: answers(needed, work, lanes))
    for share in (0.0, 0.3, 1.0):
        needed = rng.random(23) < share
        found, all_of_them = program(needed), work(jnp.asarray(every))
        for name, expected in all_of_them.items():
            blank = np.zeros_like(expected)
            mask = needed.reshape(-1, *[1] * (expected.ndim - 1))
            np.testing.assert_array_equal(found[name], np.where(mask, expected, blank))
            assert found[name].dtype == expected.dtype


def test_a_batch_is_computed_together_however_it_is_mapped() -> None:
    function, x = as_batch(lambda x: x - jnp.mean(x)), jnp.arange(6.0)
    assert function(x[4]) == 0
    np.testing.assert_allclose(jax.vmap(function)(x), x - 2.5)
    np.testing.assert_allclose(jax.vmap(jax.vmap(function))(x.reshape(2, 3)).ravel(), x - 2.5)


# ---- strength -------------------------------------------------------------------------------


@pytest.mark.slow
def test_it_pockets_as_often_as_the_numpy_player() -> None:
    """4,000 positions of the drill, both with the same errors of the hand."""
    env, batch = Functional("shot", noise="expert"), 500
    start = jit_in_haste(jax.vmap(env.start))
    see = jit_in_haste(jax.vmap(functools.partial(env.sight, seat=0)))
    decide = jit_in_haste(jax.vmap(aimer))

    @jit_in_haste
    @jax.vmap
    def pockets(state: State, strike: Strike, key: jax.Array) -> jax.Array:
        outcome = env.play(state, env.make(state, strike, key))
        after = dataclasses.replace(state, on_board=state.on_board & outcome.on_board[:STRIKER])
        own = [jnp.sum(env.sight(each, 0).on_board[OWN]) for each in (state, after)]
        return own[1] < own[0]

    rates = []
    for number in range(8):
        keys = jax.random.split(jax.random.key(number), (3, batch))
        state = start(keys[0])
        sight = see(state)
        host = jax.tree.map(np.asarray, sight)
        views = [
            View(
                BOARD,
                host.positions[row].astype(np.float64),
                host.on_board[row],
                queen=QueenStatus(int(host.queen[row])),
                queen_allowed=bool(host.queen_allowed[row]),
            )
            for row in range(batch)
        ]
        numpys = by_reference(views)
        strikes = decide(sight, keys[1]), Strike(*jnp.float32(numpys.T), forward=sight.forward)
        rates.append([np.mean(pockets(state, strike, keys[2])) for strike in strikes])
    device, numpys = np.mean(rates, axis=0)
    error = np.sqrt(numpys * (1 - numpys) / (8 * batch))
    assert numpys > 0.5
    assert abs(device - numpys) < error

"""Whole steps on the planar engine: one trace, rewards that add up, ends that stay."""

from __future__ import annotations

import dataclasses
from typing import Any

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from ordinary_path import lane, plain_strike
from programs import BATCH, parts, play

from carrom.board import Board
from carrom.errors import ActionError
from carrom.functional import Functional, Strike, autoreset
from carrom.functional.motion import start_of
from carrom.functional.seldom import seldom
from carrom.midgame import random_layout
from carrom.physics.planar.requests import starts_of
from haste import jit_in_haste


def keys(seed: int, count: int = BATCH) -> jax.Array:
    return jax.random.split(jax.random.key(seed), count)


@pytest.fixture(scope="module")
def boards() -> tuple[Functional, Any, Any]:
    """Boards against the random player until all are over: the state, and every transition."""
    env = Functional("board", first="agent", noise="club")
    chex.clear_trace_counter()
    step = jax.jit(jax.vmap(chex.assert_max_traces(env.step, n=1)))
    state, transitions = jax.jit(jax.vmap(env.start))(keys(0)), []
    rng = np.random.default_rng(0)
    observe = jax.jit(jax.vmap(env.observe))
    for number in range(400):
        action = rng.uniform(-1, 1, (BATCH, 3)).astype(np.float32)
        state, transition = step(state, action, keys(1000 + number))
        seen = observe(state) if number < 3 else None
        transitions.append(jax.device_get((transition, state, seen)))
        if number > 100 and state.over.all():
            break
    # One more, in which nothing can happen any more.
    last = step(state, np.zeros((BATCH, 3), np.float32), keys(5))
    return env, transitions, jax.device_get((state, last))


@pytest.mark.slow  # What it steps through takes most of a minute to compile and to play.
def test_over_a_board_the_rewards_add_up_to_the_points(boards: Any) -> None:
    """The game's score, which the umpire keeps, is what the board brought."""
    _, transitions, (state, _) = boards
    rewards = np.sum([transition.reward for transition, *_ in transitions], axis=0)
    score = state.match.game.score
    done = state.terminated
    assert done.mean() > 0.8
    np.testing.assert_allclose(rewards[done], (score[:, 0] - score[:, 1])[done], atol=1e-3)
    np.testing.assert_array_equal(state.winner[done], np.argmax(score, axis=1)[done])


@pytest.mark.slow
def test_a_step_reports_all_that_happened_and_leaves_the_agent_to_strike(boards: Any) -> None:
    _, transitions, _ = boards
    for transition, state, seen in transitions:
        assert np.all((state.match.board.seat == 0) | state.terminated | state.truncated)
        np.testing.assert_allclose(transition.reward, sum(transition.terms.values()), atol=1e-5)
        assert not np.any([earned.any() for earned in state.earned.values()])
        if seen is not None:
            np.testing.assert_array_equal(transition.observation, seen)
            assert np.all(transition.strokes >= 1)


@pytest.mark.slow
def test_what_is_over_stays_as_it_is(boards: Any) -> None:
    *_, (state, (after, transition)) = boards
    over = state.terminated | state.truncated
    assert over.any()
    for before, now in zip(jax.tree.leaves(state), jax.tree.leaves(after), strict=True):
        np.testing.assert_array_equal(before[over], now[over])
    assert not transition.reward[over].any()
    assert not transition.strokes[over].any()


def test_a_drill_is_one_step_after_which_nothing_changes() -> None:
    env = Functional("shot", noise="expert")
    reset, step = jit_in_haste(jax.vmap(env.reset)), jit_in_haste(jax.vmap(env.step))
    action = np.random.default_rng(3).uniform(-1, 1, (BATCH, 3)).astype(np.float32)
    before, seen = reset(keys(3))
    state, transition = jax.device_get(step(before, action, keys(4)))
    assert state.terminated.all()
    assert np.all(transition.strokes == 1)
    np.testing.assert_allclose(transition.reward, sum(transition.terms.values()), atol=1e-5)
    moved = np.any(transition.observation != np.asarray(seen), axis=1)
    assert np.all(moved | ~transition.booked.facts.touched)
    assert moved.any()
    after, nothing = jax.device_get(step(state, action, keys(5)))
    for one, other in zip(jax.tree.leaves(state), jax.tree.leaves(after), strict=True):
        np.testing.assert_array_equal(one, other)
    assert not nothing.reward.any()
    assert not nothing.strokes.any()


@pytest.mark.slow  # It compiles a whole rollout.
def test_autoreset_goes_on_with_the_next_episode_at_once() -> None:
    env = Functional("shot", action_coding="target")
    chex.clear_trace_counter()
    step: Any = jax.vmap(chex.assert_max_traces(autoreset(env), n=1))
    actions = {"shot": jnp.zeros(BATCH, jnp.int32), "residual": jnp.zeros((BATCH, 3))}

    @jax.jit
    def rollout(state: Any, number: jax.Array) -> Any:
        def one(state: Any, key: jax.Array) -> Any:
            return step(state, actions, jax.random.split(key, BATCH))

        return jax.lax.scan(one, state, jax.random.split(jax.random.key(number), 20))

    start = jax.jit(jax.vmap(env.start))
    state, transitions = jax.device_get(rollout(start(keys(3)), 0))
    assert transitions.terminated.all()
    assert not state.terminated.any()
    assert not state.strokes.any()
    # The observation is the last of its episode: what was pocketed is off the board.
    pocketed = transitions.booked.facts.pocketed.sum(-1) > 0
    assert pocketed.any()
    counts = transitions.observation[..., 2:57:3].sum(-1)
    on_board = transitions.booked.match.board.on_board.sum(-1)
    queen = transitions.observation[..., 56]
    np.testing.assert_array_equal(counts - queen, on_board)


def struck() -> tuple[Any, Strike]:
    """Positions of all sizes, and a strike in each."""
    board, rng = Board(), np.random.default_rng(0)
    counts = rng.integers(1, 10, (BATCH, 2))
    layouts = [random_layout(board, rng, white=w, black=b, queen=True) for w, b in counts.tolist()]
    state = dataclasses.replace(
        parts(Functional("match"))["start"](keys(1, BATCH)),
        positions=jnp.asarray([layout.positions for layout in layouts], jnp.float32),
        on_board=jnp.asarray([layout.on_board for layout in layouts]),
    )
    place, direction = rng.uniform(-0.1, 0.1, BATCH), rng.uniform(-1, 1, BATCH)
    numbers = (place, direction, rng.uniform(1, 4, BATCH), np.zeros(BATCH))
    strikes = Strike._make(jnp.asarray(x, jnp.float32) for x in numbers)
    return state, strikes


@pytest.mark.parametrize("name", ["place", "direction", "speed", "carromman", "gone", "friction"])
def test_what_is_not_a_number_fails_and_harms_no_other_board(name: str) -> None:
    state, strikes = struck()
    good = jax.device_get(play(state, strikes))
    spoilt = np.arange(BATCH) % 3 == 0
    nan = jnp.where(spoilt, jnp.nan, 0.0)
    if name in ("carromman", "gone"):
        # Here on every board some carromman lies and some is gone.
        which = jnp.argmax(state.on_board == (name == "carromman"), axis=1)
        at = (jnp.arange(BATCH), which)
        state = dataclasses.replace(state, positions=state.positions.at[at].add(nan[:, None]))
        spoilt &= name == "carromman"
    elif name == "friction":
        parameters = state.parameters._replace(friction=state.parameters.friction + nan)
        state = dataclasses.replace(state, parameters=parameters)
    else:
        strikes = strikes._replace(**{name: getattr(strikes, name) + nan})
    found = jax.device_get(play(state, strikes))
    np.testing.assert_array_equal(found.failed, spoilt)
    for one, other in zip(good, found, strict=True):
        np.testing.assert_array_equal(one[~spoilt], other[~spoilt])


@pytest.mark.parametrize("name", ["place", "direction", "speed"])
def test_a_strike_that_is_not_a_number_is_not_made_one(name: str) -> None:
    env = Functional("match", noise="expert")
    state, strikes = struck()
    strikes = strikes._replace(**{name: jnp.full(BATCH, jnp.nan)})
    made = jit_in_haste(jax.vmap(env.make))(state, strikes, keys(0))
    assert jnp.isnan(getattr(made, name)).all()


@pytest.mark.parametrize("shot", [-5, 40, 1000])
def test_a_shot_that_there_is_not_is_no_strike(shot: int) -> None:
    env = Functional("match", action_coding="target")
    state, _ = struck()
    one = jax.tree.map(lambda leaf: leaf[0], state)
    strike = env.decode(one, {"shot": shot, "residual": jnp.zeros(3)})
    assert jnp.isnan(strike.speed)


@pytest.mark.parametrize(
    ("coding", "action", "message"),
    [
        ("direct", np.zeros(2), r"action of shape \(2,\): expected shape \(3,\)"),
        ("direct", 0.5, r"action of shape \(\): expected shape \(3,\)"),
        ("direct", None, "action = None: expected three numbers"),
        ("target", np.zeros(3), "action = .*: expected a dict of 'shot' and 'residual'"),
        ("target", {"shot": 3}, "action = .*: expected a dict of 'shot' and 'residual'"),
        ("target", {"shot": 0.5, "residual": np.zeros(3)}, r"action\['shot'\].*integers"),
        ("target", {"shot": np.zeros(2, int), "residual": np.zeros(3)}, r"shape \(2,\)"),
        ("target", {"shot": 3, "residual": np.zeros(4)}, r"action\['residual'\] of shape \(4,\)"),
    ],
)
def test_an_action_of_another_shape_is_refused(coding: str, action: Any, message: str) -> None:
    env = Functional("match", action_coding=coding)
    state, _ = struck()
    one = jax.tree.map(lambda leaf: leaf[0], state)
    with pytest.raises(ActionError, match=message):
        env.decode(one, action)


def test_only_those_play_that_strike_and_none_minds_the_others() -> None:
    board, (state, strikes) = Board(), struck()
    rng = np.random.default_rng(1)
    every = jax.device_get(play(state, strikes))
    active = rng.random(BATCH) < 0.4
    some = jax.device_get(play(state, strikes, active))
    turned = jax.tree.map(lambda leaf: jnp.roll(leaf, 1, 0), (state, strikes))
    moved = jax.device_get(play(*turned))
    for a, b, c in zip(every, some, moved, strict=True):
        np.testing.assert_array_equal(a[active], b[active])
        np.testing.assert_array_equal(np.roll(a, 1, 0), c)
    seats = [int(seat) for seat in state.match.board.seat]
    plain = [plain_strike(lane(jax.device_get(strikes), k)) for k in range(BATCH)]
    starts = jax.vmap(lambda s, strike: start_of(s, strike, board))(state, strikes)
    np.testing.assert_allclose(starts, starts_of(board, plain, seats), atol=1e-6)
    assert every.touched.any()
    assert not np.array_equal(every.touched, some.touched)


def test_seldom_work_is_done_where_it_is_needed() -> None:
    doubled = seldom(lambda pair: (pair[0] * 2, pair[1] + 1))
    needed = jnp.array([[True, False, True], [False, False, True]])
    tree = (jnp.arange(6.0).reshape(2, 3), jnp.zeros((2, 3, 2)))
    wanted = (jnp.where(needed, tree[0] * 2, tree[0]), tree[1] + needed[..., None])
    alone = doubled(needed[0, 0], jax.tree.map(lambda leaf: leaf[0, 0], tree))
    batch = jax.jit(jax.vmap(doubled))(needed[0], jax.tree.map(lambda leaf: leaf[0], tree))
    nested = jax.jit(jax.vmap(jax.vmap(doubled)))(needed, tree)
    shared = jax.vmap(doubled, in_axes=(0, None))(needed[0], (jnp.float32(3), jnp.zeros(2)))
    chex.assert_trees_all_close(alone, jax.tree.map(lambda leaf: leaf[0, 0], wanted))
    chex.assert_trees_all_close(batch, jax.tree.map(lambda leaf: leaf[0], wanted))
    chex.assert_trees_all_close(nested, wanted)
    np.testing.assert_array_equal(shared[0], [6, 3, 6])

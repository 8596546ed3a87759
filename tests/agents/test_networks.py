"""The network: symmetric where the game is, blind to what is not there, right in its geometry."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from carrom.action import N_POCKETS, N_SHOTS, action_coding
from carrom.aiming import direct_shot, straight_place
from carrom.board import Board
from carrom.midgame import random_layout
from carrom.observation import SIZE, encode
from carrom.physics.material import Material
from carrom.pieces import QUEEN
from carrom.view import View
from carrom_agents.config import NetworkConfig
from carrom_agents.distributions import ChoiceWithResidual, DiagonalGaussian
from carrom_agents.geometry import N_PLACES, Position, describe
from carrom_agents.networks import (
    N_CHOICES,
    ActorCritic,
    Decision,
    environment_action,
    shot_log_probabilities,
)

BOARD = Board()
CONFIG = NetworkConfig(width=16, place_width=8)


def views(count: int, seed: int = 0) -> list[View]:
    rng = np.random.default_rng(seed)
    result = []
    for _ in range(count):
        white, black = rng.integers(1, 10, size=2)
        layout = random_layout(BOARD, rng, white=white, black=black, queen=bool(rng.integers(2)))
        result.append(View(BOARD, layout.positions, layout.on_board))
    return result


OBSERVATIONS = np.stack([encode(view) for view in views(6)])


def random_parameters(module: ActorCritic) -> dict:
    """What is tested must hold for any parameters; the initial policy is nearly uniform."""
    inputs = jax.eval_shape(module.inputs, jax.ShapeDtypeStruct((1, SIZE), jnp.float32))
    params = jax.eval_shape(module.init, jax.random.key(0), inputs)
    rng = np.random.default_rng(1)
    return jax.tree.map(
        lambda leaf: jnp.asarray(rng.normal(scale=0.5, size=leaf.shape), jnp.float32), params
    )


@pytest.fixture(scope="module", params=["target", "direct"])
def network(request):
    module = ActorCritic(CONFIG, action_coding=request.param)
    params = random_parameters(module)
    return jax.jit(lambda observation: module.apply(params, module.inputs(observation)))


def permuted(observation: np.ndarray, order: np.ndarray) -> np.ndarray:
    """The observation with carromman ``order[i]`` in the place of carromman i."""
    changed = observation.copy()
    changed[..., :57] = observation[..., :57].reshape(-1, 19, 3)[:, order].reshape(-1, 57)
    return changed


def test_own_carrommen_are_interchangeable(network):
    order = np.arange(19)
    order[:9] = np.random.default_rng(0).permutation(9)
    before, after = network(OBSERVATIONS), network(permuted(OBSERVATIONS, order))
    np.testing.assert_allclose(after.value, before.value, rtol=1e-4, atol=1e-5)
    if isinstance(before.policy, DiagonalGaussian):
        np.testing.assert_allclose(after.policy.mean, before.policy.mean, rtol=1e-4, atol=1e-5)
        return
    shots = (4 * np.array([*order[:9], 9])[:, None] + np.arange(4)).ravel()
    one, two = (np.asarray(shot_log_probabilities(d.policy)) for d in (before, after))
    np.testing.assert_allclose(two, one[:, shots], rtol=1e-3, atol=1e-3)
    assert np.ptp(one[0][one[0] > -50]) > 0.1
    means = [np.asarray(d.policy.residuals.mean) for d in (before, after)]
    by_shot = [mean.reshape(6, N_SHOTS, N_PLACES, 3) for mean in means]
    allowed = one > -1e6
    np.testing.assert_allclose(
        by_shot[1][allowed[:, shots]], by_shot[0][:, shots][allowed[:, shots]], rtol=1e-3, atol=1e-3
    )


def test_opponents_carrommen_are_interchangeable(network):
    order = np.arange(19)
    order[9:18] = 9 + np.random.default_rng(1).permutation(9)
    before, after = network(OBSERVATIONS), network(permuted(OBSERVATIONS, order))
    np.testing.assert_allclose(after.value, before.value, rtol=1e-4, atol=1e-5)
    for one, two in zip(jax.tree.leaves(before.policy), jax.tree.leaves(after.policy), strict=True):
        np.testing.assert_allclose(two, one, rtol=1e-3, atol=1e-3)


def test_own_and_opponents_are_not(network):
    swapped = np.array([*range(9, 18), *range(9), QUEEN])
    before, after = network(OBSERVATIONS), network(permuted(OBSERVATIONS, swapped))
    assert np.all(np.abs(np.asarray(before.value - after.value)) > 1e-4)


def test_what_is_off_the_board_has_no_influence(network):
    moved = OBSERVATIONS.copy()
    pieces = moved[:, :57].reshape(-1, 19, 3)
    pieces[..., :2] += 0.1 * (pieces[..., 2:] == 0)
    assert not np.array_equal(moved, OBSERVATIONS)
    before, after = network(OBSERVATIONS), network(moved)
    np.testing.assert_array_equal(after.value, before.value)
    if isinstance(before.policy, ChoiceWithResidual):
        one, two = (np.asarray(d.policy.choice.log_probabilities) for d in (before, after))
        np.testing.assert_array_equal(two, one)
    else:
        np.testing.assert_array_equal(after.policy.mean, before.policy.mean)


def test_only_present_targets_are_drawn(network):
    decision = network(OBSERVATIONS)
    if isinstance(decision.policy, DiagonalGaussian):
        return
    present = OBSERVATIONS[:, 2:57:3][:, [*range(9), QUEEN]] > 0
    for key in jax.random.split(jax.random.key(2), 50):
        shot = environment_action(decision.policy.sample(key))["shot"]
        assert np.take_along_axis(present, shot[:, None] // N_POCKETS, axis=1).all()


def test_environment_actions_lie_in_the_action_space(network):
    decision = network(OBSERVATIONS)
    name = "direct" if isinstance(decision.policy, DiagonalGaussian) else "target"
    space = action_coding(name, "snap", Material()).space()
    for key in jax.random.split(jax.random.key(3), 20):
        batch = decision.policy.sample(key)
        for row in range(len(OBSERVATIONS)):
            action = environment_action(jax.tree.map(lambda leaf, row=row: leaf[row], batch))
            assert space.contains(action)


# ---- the network, against the same network written down plainly ---------------------------


def plain_network(params: dict, position: Position) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Value, logits [40, N_PLACES] and residuals [40, N_PLACES, 3] of one position."""

    def layer(index: int, values: jax.Array) -> jax.Array:
        weights = params["params"][f"Dense_{index}"]
        return values @ weights["kernel"] + weights["bias"]

    def pool(values: jax.Array, present: jax.Array) -> jax.Array:
        kept = jnp.where(present[:, None], values, 0)
        count = present.sum()
        share = jnp.array([count / len(present)])
        return jnp.concatenate([kept.sum(0) / jnp.maximum(count, 1), kept.max(0), share])

    relu = jax.nn.relu
    pieces = relu(layer(1, relu(layer(0, position.pieces))))
    groups = [slice(0, 9), slice(9, 18), slice(18, 19)]
    pooled = [pool(pieces[group], position.present[group]) for group in groups]
    context = relu(layer(2, jnp.concatenate([*pooled, position.game])))
    places = relu(layer(3, position.shots)[:, None] + layer(4, position.places))
    own = layer(5, jnp.concatenate([position.shots, places.max(1)], axis=-1))
    shots = relu(layer(7, relu(own + layer(6, context))))
    summary = jnp.concatenate([context, pool(shots, position.allowed)])
    value = layer(8, relu(layer(9, summary)))[0]
    hidden = relu(layer(10, places) + layer(11, shots)[:, None])
    logits = layer(12, hidden)[..., 0] + layer(13, shots)
    residuals = jnp.tanh(layer(14, hidden)).at[..., 0].add(position.shifts)
    return value, jnp.where(position.allowed[:, None], logits, -1e9), residuals


def test_values_and_gradients_agree_with_the_plain_network():
    module = ActorCritic(CONFIG)
    position = jax.jit(module.inputs)(OBSERVATIONS)
    # Two places alike everywhere: where they are the best, they share the gradient.
    twice = position.places.at[..., 3, :].set(position.places[..., 7, :])
    position = dataclasses.replace(position, places=twice)
    rng = np.random.default_rng(4)
    params = random_parameters(module)
    weights = [
        jnp.asarray(rng.normal(size=size), jnp.float32)
        for size in [(6,), (6, N_CHOICES), (6, N_CHOICES, 3)]
    ]
    allowed = jnp.repeat(position.allowed, N_PLACES, axis=-1)

    def mixture(value, log_probabilities, residuals):
        parts = (value, jnp.where(allowed, log_probabilities, 0), residuals)
        return sum(jnp.sum(w * part) for w, part in zip(weights, parts, strict=True)), parts

    def compiled(params):
        decision = module.apply(params, position)
        assert isinstance(decision, Decision)
        policy = decision.policy
        assert isinstance(policy, ChoiceWithResidual)
        return mixture(decision.value, policy.choice.log_probabilities, policy.residuals.mean)

    def plain(params):
        value, logits, residuals = jax.vmap(plain_network, (None, 0))(params, position)
        log_probabilities = jax.nn.log_softmax(logits.reshape(6, -1))
        return mixture(value, log_probabilities, residuals.reshape(6, -1, 3))

    found, expected = (
        jax.jit(jax.grad(function, has_aux=True))(params) for function in (compiled, plain)
    )
    for one, two in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        tolerance = 1e-4 * (1 + np.abs(two).max())
        np.testing.assert_allclose(one, two, rtol=1e-3, atol=tolerance)


def test_batch_shapes_do_not_matter(network):
    flat, shaped = network(OBSERVATIONS), network(OBSERVATIONS.reshape(2, 3, SIZE))
    assert shaped.value.shape == (2, 3)
    np.testing.assert_allclose(shaped.value.ravel(), flat.value, rtol=1e-5, atol=1e-5)
    action = flat.policy.mode()
    reshaped = jax.tree.map(lambda leaf: leaf.reshape(2, 3, *leaf.shape[1:]), action)
    log_prob = shaped.policy.log_prob(reshaped)
    np.testing.assert_allclose(log_prob.ravel(), flat.policy.log_prob(action), rtol=1e-4, atol=1e-4)


# ---- geometry, against the aiming that the environment itself uses ------------------------


@pytest.fixture(scope="module")
def described() -> Position:
    compiled = jax.jit(functools.partial(describe, BOARD))
    return jax.tree.map(np.asarray, compiled(OBSERVATIONS))


def test_shots_and_places_agree_with_the_environments_aiming(described):
    half = BOARD.base_line_length / 2
    touching = BOARD.striker_radius + BOARD.carromman_radius
    frictionless = Material(friction_rim=0.0)  # without throw, as the features have it
    for row, view in enumerate(views(6)):
        for shot in np.flatnonzero(described.allowed[row]):
            carromman, pocket = divmod(int(shot), N_POCKETS)
            target = view.positions[carromman if carromman < 9 else QUEEN]
            aim = BOARD.pocket_centres[pocket]
            straight = straight_place(BOARD, target, aim)
            places = described.places[row, shot, :, 4] * half
            assert places[0] == pytest.approx(straight, abs=1e-5)
            np.testing.assert_allclose(
                straight + described.shifts[row, shot] * half, places, atol=1e-5
            )
            expected = direct_shot(BOARD, frictionless, places, target, aim, 1.0)
            np.testing.assert_allclose(
                described.places[row, shot, :, 0], np.cos(expected.cut), atol=1e-3
            )
            ghost = target - touching * (aim - target) / np.hypot(*(aim - target))
            run = np.hypot(ghost[0] - places, ghost[1] - BOARD.base_line_y)
            np.testing.assert_allclose(
                described.places[row, shot, :, 1] * BOARD.half_side, run, atol=1e-5
            )


def distance_to_segment(point: np.ndarray, start: np.ndarray, end: np.ndarray) -> float:
    """By brute force: the nearest of many points of the segment."""
    points = start + np.linspace(0, 1, 4001)[:, None] * (end - start)
    return float(np.hypot(*(points - point).T).min())


def test_gaps_agree_with_brute_force(described):
    touching = BOARD.striker_radius + BOARD.carromman_radius
    half = BOARD.base_line_length / 2
    for row, view in enumerate(views(3)):
        present = np.flatnonzero(view.on_board)
        for shot in np.flatnonzero(described.allowed[row])[::3]:
            carromman, pocket = divmod(int(shot), N_POCKETS)
            index = carromman if carromman < 9 else QUEEN
            target, aim = view.positions[index], BOARD.pocket_centres[pocket]
            others = [view.positions[i] for i in present if i != index]
            gap = min((distance_to_segment(o, target, aim) for o in others), default=1.0)
            expected = np.tanh((gap - 2 * BOARD.carromman_radius) / 0.02)
            assert described.shots[row, shot, 6] == pytest.approx(expected, abs=1e-3)
            ghost = target - touching * (aim - target) / np.hypot(*(aim - target))
            for place in (0, 5, N_PLACES - 1):
                start = np.array([described.places[row, shot, place, 4] * half, BOARD.base_line_y])
                run = min((distance_to_segment(o, start, ghost) for o in others), default=1.0)
                beside = min(np.hypot(*(view.positions[i] - start)) for i in present)
                found = described.places[row, shot, place, 2:4]
                expected = np.tanh((np.array([run, beside]) - touching) / 0.02)
                np.testing.assert_allclose(found, expected, atol=1e-3)

"""Distributions against scipy and closed forms."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from carrom_agents.distributions import ChoiceWithResidual, DiagonalGaussian, MaskedCategorical

RNG = np.random.default_rng(7)
LOGITS = RNG.normal(size=(5, 6)).astype(np.float32)
ALLOWED = RNG.random((5, 6)) < 0.6
ALLOWED[:, 2] = True
UNSQUASHED = RNG.normal(size=(5, 6, 3)).astype(np.float32)
SHIFT = RNG.normal(size=(5, 6)).astype(np.float32)
MEAN = np.tanh(UNSQUASHED) + SHIFT[..., None] * [1, 0, 0]
LOG_STD = RNG.normal(scale=0.3, size=3).astype(np.float32)


def masked_probabilities() -> np.ndarray:
    weights = np.where(ALLOWED, np.exp(LOGITS.astype(np.float64)), 0)
    return weights / weights.sum(-1, keepdims=True)


def joint(shift: float = 0.0) -> ChoiceWithResidual:
    return ChoiceWithResidual(
        MaskedCategorical.create(jnp.asarray(LOGITS) + shift * jnp.arange(6), jnp.asarray(ALLOWED)),
        jnp.asarray(UNSQUASHED + shift),
        jnp.asarray(SHIFT),
        jnp.asarray(LOG_STD - shift),
    )


def test_categorical_matches_scipy():
    distribution = joint().choice
    expected = masked_probabilities()
    np.testing.assert_allclose(np.exp(distribution.log_probabilities), expected, atol=1e-6)
    np.testing.assert_allclose(distribution.entropy(), stats.entropy(expected, axis=-1), rtol=1e-5)
    np.testing.assert_array_equal(distribution.mode(), expected.argmax(-1))


def test_mode_is_the_first_of_equals():
    distribution = MaskedCategorical.create(
        jnp.array([[9.0, 1, 3, 3], [2, 2, 2, 2], [0, 0, 0, 1]]),
        jnp.array([[False, True, True, True], [True] * 4, [True] * 4]),
    )
    np.testing.assert_array_equal(distribution.mode(), [2, 0, 3])


def test_categorical_kl_matches_scipy():
    mine, theirs = joint().choice, joint(0.3).choice
    p, q = (np.exp(np.asarray(d.log_probabilities, np.float64)) for d in (mine, theirs))
    # scipy's relative entropy takes 0 log(0 / 0) as zero, as a common mask needs.
    np.testing.assert_allclose(mine.kl(theirs), stats.entropy(p, q, axis=-1), rtol=1e-4)


def test_forbidden_choices_are_never_drawn():
    keys = jax.random.split(jax.random.key(0), 2000)
    drawn = np.asarray(jax.vmap(joint().choice.sample)(keys))
    counts = np.stack([np.bincount(column, minlength=6) for column in drawn.T])
    assert not counts[~ALLOWED].any()
    for row, expected in zip(counts, masked_probabilities(), strict=True):
        # Forbidden classes have no expected count and take no part in the statistic.
        assert stats.chisquare(row[expected > 0], 2000 * expected[expected > 0]).pvalue > 1e-4


def test_nothing_allowed_is_uniform_and_finite():
    def entropy(logits: jax.Array) -> jax.Array:
        return MaskedCategorical.create(logits, jnp.zeros(6, bool)).entropy()

    assert entropy(jnp.asarray(LOGITS[0])) == pytest.approx(np.log(6), rel=1e-5)
    assert np.all(np.isfinite(jax.grad(entropy)(jnp.asarray(LOGITS[0]))))


def test_gaussian_matches_scipy():
    distribution = joint().residuals
    values = RNG.normal(size=MEAN.shape)
    std = np.broadcast_to(np.exp(LOG_STD), MEAN.shape)
    np.testing.assert_allclose(
        distribution.log_prob(jnp.asarray(values, jnp.float32)),
        stats.norm.logpdf(values, MEAN, std).sum(-1),
        rtol=2e-4,
        atol=1e-4,
    )
    np.testing.assert_allclose(
        distribution.entropy(), stats.norm.entropy(MEAN, std).sum(-1), rtol=1e-4
    )


def test_gaussian_kl_is_the_expected_log_ratio():
    mine = DiagonalGaussian(jnp.array([0.3]), jnp.array([-0.2]))
    theirs = DiagonalGaussian(jnp.array([-0.1]), jnp.array([0.4]))
    grid = np.linspace(-12, 12, 200_001)
    log_p = stats.norm.logpdf(grid, 0.3, np.exp(-0.2))
    log_q = stats.norm.logpdf(grid, -0.1, np.exp(0.4))
    integral = np.trapezoid(np.exp(log_p) * (log_p - log_q), grid)
    assert float(mine.kl(theirs)) == pytest.approx(integral, rel=1e-5)


def test_shared_log_std_counts_once_per_number():
    shared = DiagonalGaussian(jnp.asarray(MEAN), jnp.zeros(3))
    full = DiagonalGaussian(jnp.asarray(MEAN), jnp.zeros_like(jnp.asarray(MEAN)))
    np.testing.assert_allclose(shared.entropy(), full.entropy())
    np.testing.assert_allclose(shared.kl(full), 0, atol=1e-6)


def test_joint_entropy_and_kl_are_monte_carlo_means():
    mine, theirs = joint(), joint(0.1)
    keys = jax.random.split(jax.random.key(1), 20_000)
    actions = jax.vmap(mine.sample)(keys)
    log_p = np.asarray(jax.vmap(mine.log_prob)(actions), np.float64)
    log_q = np.asarray(jax.vmap(theirs.log_prob)(actions), np.float64)
    for exact, draws in ((mine.entropy(), -log_p), (mine.kl(theirs), log_p - log_q)):
        error = draws.std(0) / np.sqrt(len(draws))
        assert np.all(np.abs(draws.mean(0) - np.asarray(exact)) < 4.5 * error)


def test_joint_density_integrates_to_the_choice():
    # For each choice the residual's density integrates to one, so the joint one to p(choice).
    distribution = ChoiceWithResidual(
        MaskedCategorical.create(jnp.array([0.0, 1.0]), jnp.array([True, True])),
        unsquashed=jnp.array([[0.5], [-1.0]]),
        shift=jnp.array([0.1, -0.4]),
        log_std=jnp.array([-1.0]),
    )
    grid = jnp.linspace(-9, 9, 20_001)
    for choice, probability in enumerate(np.exp([0.0, 1.0]) / np.exp([0.0, 1.0]).sum()):
        density = jax.vmap(
            lambda x, choice=choice: distribution.log_prob(
                {"choice": jnp.array(choice), "residual": x[None]}
            )
        )(grid)
        assert np.trapezoid(np.exp(density), grid) == pytest.approx(probability, rel=1e-4)


def test_mode_takes_the_residual_of_the_chosen_shot():
    mode = joint().mode()
    for row in range(5):
        np.testing.assert_allclose(
            mode["residual"][row], MEAN[row, int(mode["choice"][row])], rtol=1e-5
        )

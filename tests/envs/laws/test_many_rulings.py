"""Rulings asked for together against rulings asked for one by one."""

import jax
import numpy as np
import pytest

from carrom.laws import StrokeFacts, new_match, rule_jit, rule_many_jit


@pytest.mark.parametrize("count", [1, 2, 32, 33, 70])
def test_many_rulings_are_those_of_single_strokes(count: int) -> None:
    rng = np.random.default_rng(count)
    states = [new_match(breaker_seat=int(seat)) for seat in rng.choice([0, 2], count)]
    facts = [
        StrokeFacts.shot(
            touched=bool(rng.random() < 0.8),
            pocketed=(int(rng.integers(3)), int(rng.integers(3))),
            queen=bool(rng.random() < 0.3),
            striker=bool(rng.random() < 0.3),
            proper=bool(rng.random() < 0.7),
        )
        for _ in range(count)
    ]
    together = rule_many_jit(states, facts)
    assert len(together) == count
    for state, told, ruled in zip(states, facts, together, strict=True):
        alone = rule_jit(state, told)
        assert jax.tree.structure(alone) == jax.tree.structure(ruled)
        for one, other in zip(jax.tree.leaves(alone), jax.tree.leaves(ruled), strict=True):
            assert one.dtype == other.dtype
            assert np.array_equal(one, other)

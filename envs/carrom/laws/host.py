"""The umpire for ordinary Python: numpy in, numpy out, one compiled call on the CPU.

``jax.jit`` of the pure functions spends far more time on passing some eighty small arrays
than on the laws. Here states, facts and rulings cross as one int32 vector each.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from carrom.laws import match, umpire
from carrom.laws.ruling import Ruling
from carrom.laws.state import SINGLES, MatchFormat, MatchState, integers, new_match
from carrom.laws.stroke import StrokeFacts


def rule_jit(
    state: MatchState, facts: StrokeFacts, *, format: MatchFormat = SINGLES
) -> tuple[MatchState, Ruling]:
    """``carrom.laws.rule`` with numpy leaves in and out, compiled once per format."""
    call, layout = _compiled_rule(format)
    return layout.unpack(np.asarray(call(_pack((state, facts)))))


def rule_many_jit(
    states: Sequence[MatchState], facts: Sequence[StrokeFacts], *, format: MatchFormat = SINGLES
) -> list[tuple[MatchState, Ruling]]:
    """``rule_jit`` for many strokes; a call of the compiled umpire costs as much as 30 rulings.

    Batches are cut and filled up to one size, so that it is compiled once per format.
    """
    if len(states) == 1:
        return [rule_jit(states[0], facts[0], format=format)]
    call, layout = _compiled_rules(format)
    rulings: list[tuple[MatchState, Ruling]] = []
    for start in range(0, len(states), _BATCH):
        part = slice(start, start + _BATCH)
        rows = [_pack(pair) for pair in zip(states[part], facts[part], strict=True)]
        filled = np.stack(rows + [rows[0]] * (_BATCH - len(rows)))
        rulings += [layout.unpack(row) for row in np.asarray(call(filled))[: len(rows)]]
    return rulings


def next_board_jit(
    state: MatchState, *, format: MatchFormat = SINGLES, toss: int = 0
) -> MatchState:
    """``carrom.laws.next_board`` with numpy leaves in and out, compiled once per format."""
    call, layout = _compiled_next_board(format)
    return layout.unpack(np.asarray(call(_pack((state, integers(toss))))))


_BATCH = 32
"""Strokes that ``rule_many_jit`` passes to the umpire together."""


class _Layout:
    """How the leaves of a pytree lie in an int32 vector."""

    def __init__(self, example: Any) -> None:
        leaves, self.structure = jax.tree.flatten(example)
        sizes = [int(np.prod(leaf.shape)) for leaf in leaves]
        ends = np.cumsum(sizes).tolist()
        # A scalar is taken out by an index, an array by a slice.
        self.parts = [
            (end - 1 if leaf.shape == () else slice(end - size, end), leaf.dtype == bool)
            for leaf, size, end in zip(leaves, sizes, ends, strict=True)
        ]

    def unpack(self, vector: Any) -> Any:
        """The pytree whose leaves lie in ``vector``, a numpy or JAX array."""
        leaves = [vector[part] != 0 if is_bool else vector[part] for part, is_bool in self.parts]
        return jax.tree.unflatten(self.structure, leaves)


def _pack(tree: Any) -> NDArray[np.int32]:
    values: list[int] = []
    for leaf in jax.tree.leaves(tree):
        if leaf.ndim:
            values.extend(leaf.tolist())
        else:
            values.append(int(leaf))
    return np.array(values, np.int32)


def _compile(
    function: Callable[..., Any], *examples: Any, many: bool = False
) -> tuple[Callable[[NDArray[np.int32]], jax.Array], _Layout]:
    """``function`` of pytrees as a compiled function of one vector, and its result's layout.

    With ``many`` it is a function of as many vectors as there are rows.
    """
    inputs = _Layout(examples)
    layout = _Layout(jax.eval_shape(function, *examples))

    def packed(vector: jax.Array) -> jax.Array:
        result = function(*inputs.unpack(vector))
        return jnp.concatenate([jnp.ravel(x).astype(jnp.int32) for x in jax.tree.leaves(result)])

    whole = jax.vmap(packed) if many else packed
    return jax.jit(whole, in_shardings=cpu(), out_shardings=cpu()), layout


@functools.cache
def _compiled_rule(format: MatchFormat):
    function = functools.partial(umpire.rule, format=format)
    return _compile(function, new_match(format), StrokeFacts.shot())


@functools.cache
def _compiled_rules(format: MatchFormat):
    function = functools.partial(umpire.rule, format=format)
    return _compile(function, new_match(format), StrokeFacts.shot(), many=True)


@functools.cache
def _compiled_next_board(format: MatchFormat):
    def function(state: MatchState, toss: jax.Array) -> MatchState:
        return match.next_board(state, format=format, toss=toss)

    return _compile(function, new_match(format), integers(0))


def cpu() -> jax.sharding.SingleDeviceSharding:
    """The CPU, also where there is an accelerator: the way there takes longer than a ruling."""
    return jax.sharding.SingleDeviceSharding(jax.local_devices(backend="cpu")[0])

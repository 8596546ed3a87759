"""From strokes to transitions: what followed each of the agent's decisions.

On the device a step of a rollout is one stroke on every board, of whoever has the turn. The
transition that a decision begins ends with the agent's next decision, or with the episode;
the others' strokes in between belong to it.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp


class Followed(NamedTuple):
    """What followed the decisions; every array is [T, B], and means nothing where none was.

    Attributes:
        reward: float32, from the decision to the next one, or to the end of the episode.
        next_value: float32, V of the position of the next decision; where the episode was cut
            off, V of the position that was.
        terminated: bool, the episode came to its end before another decision.
        truncated: bool, it was cut off before another decision.
        complete: bool, all this is known. Otherwise ``reward`` is what there is so far.
    """

    reward: jax.Array
    next_value: jax.Array
    terminated: jax.Array
    truncated: jax.Array
    complete: jax.Array


def followed(
    *,
    decided: jax.Array,
    value: jax.Array,
    reward: jax.Array,
    terminated: jax.Array,
    truncated: jax.Array,
    final_value: jax.Array,
) -> Followed:
    """Gather what followed each decision.

    Args:
        decided: bool [T, B], the stroke was the agent's.
        value: [T, B], V of the position, where he decided.
        reward: [T, B], what the stroke, of whomever, earned the agent.
        terminated: bool [T, B], the stroke ended the episode.
        truncated: bool [T, B], the episode was cut off after the stroke.
        final_value: [T, B], V of the position that was cut off.
    """

    def step(later: Followed, now: tuple[jax.Array, ...]) -> tuple[Followed, Followed]:
        decided, value, reward, terminated, truncated, final_value = now
        over = terminated | truncated
        found = Followed(
            reward=reward + jnp.where(over, 0.0, later.reward),
            next_value=jnp.where(over, final_value, later.next_value),
            terminated=terminated | (later.terminated & ~over),
            truncated=truncated | (later.truncated & ~over),
            complete=over | later.complete,
        )
        # For a decision before this one the future ends with this one.
        begun = Followed(
            reward=jnp.zeros_like(reward),
            next_value=value,
            terminated=jnp.zeros_like(decided),
            truncated=jnp.zeros_like(decided),
            complete=jnp.ones_like(decided),
        )
        earlier = Followed(*(jnp.where(decided, a, b) for a, b in zip(begun, found, strict=True)))
        return earlier, found

    no, nothing = jnp.zeros(decided.shape[1:], bool), jnp.zeros(reward.shape[1:])
    unknown = Followed(nothing, nothing, no, no, no)
    steps = (decided, value, reward, terminated, truncated, final_value)
    return jax.lax.scan(step, unknown, steps, reverse=True)[1]

"""What a stroke earned the agent's side, and who won: the counterpart of ``carrom.scoring``."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from carrom.functional.state import Booked
from carrom.laws import MatchFormat, MatchState, colour_of, side_with
from carrom.laws.finish import QUEEN_COUNTS_BELOW
from carrom.reward import board_terms, lead
from carrom.tasks import AGENT_SEAT, Task, Unit

Terms = dict[str, jax.Array]


def stroke_terms(
    before: MatchState, booked: Booked, reward: str, task: Task, format: MatchFormat
) -> Terms:
    """The stroke's reward terms under the preset ``reward``; ``result`` is paid at the end."""
    board, doubles = before.board, format.doubles
    colour = colour_of(AGENT_SEAT, board, doubles=doubles)
    if reward == "result":
        return {"result": jnp.float32(0)}
    if reward == "points":
        terms = {"points": lead(booked.ruling.points, colour)}
    else:
        sides = jnp.stack([side_with(c, board, doubles=doubles) for c in (0, 1)])
        counts = before.game.score[sides] < QUEEN_COUNTS_BELOW
        after = booked.match.board
        terms = board_terms(board, after, booked.facts, booked.ruling, colour, counts)
    if task.solo:
        terms["stroke"] = -1.0
    return {name: jnp.asarray(value, jnp.float32) for name, value in terms.items()}


def winner_of(booked: Booked, unit: Unit, format: MatchFormat) -> jax.Array:
    """Who won what the episode consists of: 0 the agent's side, 1 the other, -1 neither."""
    if unit is Unit.GAME:
        return booked.match.game.winner
    if unit is Unit.MATCH:
        return booked.match.winner
    own = colour_of(AGENT_SEAT, booked.match.board, doubles=format.doubles)
    colour = booked.ruling.winner
    return jnp.where(colour < 0, -1, (colour != own).astype(jnp.int32))


def outcome_reward(winner: jax.Array) -> jax.Array:
    """What the preset ``result`` pays: as ``carrom.scoring.OUTCOME_REWARD``."""
    return jnp.select([winner == 0, winner == 1], [1.0, -1.0], 0.0)

"""The scripted aimer for many boards at once, inside compiled code.

The rules are those of ``carrom_agents.scripted``, the same functions on JAX arrays; here they
are put together without branches.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
from jax import lax

from carrom.action import MIN_SPEED
from carrom.aiming import as_points, direct_shot
from carrom.board import Board
from carrom.functional import Sight, Strike, as_batch
from carrom.view import OWN
from carrom_agents.device.weighing import Boards, best_shots, middle_places, stirs
from carrom_agents.scripted import BREAK, Aimer, break_direction, wanted_targets
from carrom_agents.ways import spread_places, standing

_MOST_ENDS = 9
"""Ends of free intervals that are tried as well, those farthest to the left."""

_Strike = tuple[jax.Array, jax.Array, jax.Array]
"""Place, direction, speed."""


@dataclass(frozen=True)
class DeviceAimer:
    """A player of ``carrom.functional`` that strikes as a scripted aimer.

    Written for one board; under ``jax.vmap`` many are weighed together.

    Attributes:
        rules: the aimer it strikes as.
        board: the board played on.
    """

    rules: Aimer = field(default_factory=Aimer)
    board: Board = field(default_factory=Board)

    def __call__(self, sight: Sight, key: jax.Array, /) -> Strike:
        """Decide the next strike in the position ``sight``."""
        decided = _decider(self)(self.position(sight))
        opening, opens = self._break(sight, key), sight.break_to_be_made
        strike = (jnp.where(opens, *two) for two in zip(opening, decided, strict=True))
        return Strike(*strike, forward=sight.forward)

    def position(self, sight: Sight) -> Boards:
        """What has to be weighed of the position ``sight``: without the axis of the boards."""
        wanted = wanted_targets(sight.on_board, sight.queen, sight.queen_allowed)
        return Boards(
            pieces=standing(sight.positions, sight.on_board),
            wanted=wanted & ~sight.break_to_be_made,
            needs_cover=jnp.sum(sight.on_board[OWN]) > 1,
            places=self._places(sight),
        )

    def _break(self, sight: Sight, key: jax.Array) -> _Strike:
        side = jnp.where(jax.random.bernoulli(key), 1.0, -1.0)
        place = sight.places.nearest(side * BREAK.place)
        speed = jnp.float32(BREAK.speed * self.rules.options.material.full_speed)
        return place, break_direction(self.board, place, side), speed

    def _places(self, sight: Sight) -> jax.Array:
        """Places tried, (P,), see ``ways.striker_places``; inf instead of those not free."""
        options, free = self.rules.options, sight.places
        spread = spread_places(self.board, options.middle_places, options.circle_places)
        spread = jnp.asarray(spread, jnp.float32)
        ends = jnp.concatenate([free.lows, free.highs, free.left, free.right])
        # On the middle line the ends of the legal places are among the others already.
        is_new = ~jnp.any(ends[:, None] == spread, axis=1)
        ends = jnp.where(is_new & free.contains(ends), ends, jnp.inf)
        ends = -lax.top_k(-ends, _MOST_ENDS)[0]
        return jnp.concatenate([jnp.where(free.contains(spread), spread, jnp.inf), ends])


aimer = DeviceAimer()
"""With the settings of ``carrom_agents.scripted.aimer``."""


@functools.cache
def _decider(player: DeviceAimer) -> Callable[[Boards], _Strike]:
    return as_batch(functools.partial(_decide, player.rules, player.board))


def _decide(rules: Aimer, board: Board, boards: Boards) -> _Strike:
    """The strikes on B boards, each (B,); they mean nothing where there is a break."""
    best = best_shots(rules, board, boards)
    shoots, may = best.value >= rules.least_value, jnp.any(boards.wanted, axis=1)
    shot = direct_shot(
        board,
        rules.options.material,
        best.place,
        as_points(best.start),
        as_points(best.aim),
        best.arrival,
    )
    stir_place, centre = stirs(rules, board, boards, ~shoots)
    run = centre - (stir_place + 1j * board.base_line_y)
    # Where nothing may be pocketed everything is left where it is.
    middle = middle_places(boards, ~may)
    cases = [shoots, may]
    return (
        jnp.select(cases, [best.place, stir_place], middle),
        jnp.select(cases, [jnp.asarray(shot.direction), jnp.arctan2(-run.real, run.imag)], 0.0),
        jnp.select(cases, [jnp.asarray(shot.speed), rules.stir_speed], MIN_SPEED),
    )

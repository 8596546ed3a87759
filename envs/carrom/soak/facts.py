"""Random strokes and events: what happens on a random board.

The chances are not those of good players: they are chosen so that every law the umpire can
cite turns up. Everything is a pure function of a key, for one board; batches are ``vmap``.
"""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp

from carrom.laws import (
    LAW_IDS,
    PLENTY,
    Event,
    MatchFormat,
    MatchState,
    QueenState,
    StrokeFacts,
)
from carrom.laws.stroke import ALL_CLAIMS, BOARD_LOST_BY, NO_BREACH
from carrom.soak.logic import whole
from carrom.soak.starts import Style

STROKE_BREACHES = ("33", "37.a", "124.c", "130.a", "130.b")
"""What makes a stroke improper (section XVI and IV)."""
OTHER_BREACHES = ("46", "50", "82.a", "85", "86", "88.b", "89.b", "114", "122.b", "126.a", "134")
"""What a foul without a stroke may have been."""

FORFEITS = tuple(law for law in LAW_IDS if law.startswith("143."))
"""What costs the match."""
_FOULS = (
    *(Event.FOUL, Event.TECHNICAL_FOUL, Event.TECHNICAL_FOUL_OPPONENT),
    Event.TECHNICAL_FOUL_PARTNER,
)
_BOARD_LOST = (Event.BOARD_LOST, Event.BOARD_LOST_OPPONENT)
_MATCH_LOST = (Event.CONCEDE_MATCH, Event.CONCEDE_MATCH_OPPONENT)

_EVENTS = {
    Event.FOUL: 0.015,
    Event.TECHNICAL_FOUL: 0.015,
    Event.TECHNICAL_FOUL_OPPONENT: 0.015,
    Event.NO_STROKE: 0.01,
    Event.OUT_OF_TURN: 0.0005,
    Event.NO_STRIKER_SPACE: 0.0003,
    Event.VOID: 0.0003,
    Event.CONCEDE_GAME: 0.0003,
    Event.CONCEDE_MATCH: 0.0002,
    Event.BOARD_LOST: 0.0003,
    Event.BOARD_LOST_OPPONENT: 0.0003,
    Event.CONCEDE_GAME_OPPONENT: 0.0003,
    Event.CONCEDE_MATCH_OPPONENT: 0.0002,
}
"""How often a stroke is something else than a shot."""
_DOUBLES_EVENTS = {Event.TECHNICAL_FOUL_PARTNER: 0.01, Event.OUT_OF_TURN_PARTNER: 0.0005}
_EARLY_BREAK = 0.08
_UNIFORMS = 40
"""Random numbers of one stroke; those not needed cost little."""


def random_facts(
    key: jax.Array, state: MatchState, style: Style, format: MatchFormat
) -> StrokeFacts:
    """Random facts that do not contradict the position (see ``carrom.laws.check``).

    Args:
        key: of this stroke.
        state: the position.
        style: how the board is played.
        format: what is played.
    """
    u = iter(jax.random.uniform(key, (_UNIFORMS,)))
    board = state.board
    event = _event(u, state, style, format)
    is_shot = (event == Event.SHOT) | (event == Event.EARLY_BREAK)
    # A foul may come after the stroke has been played (64.b), or without any.
    moves = is_shot | ((event == Event.FOUL) & (next(u) < 0.5))

    pocketed = _pocketed(u, state, style) * moves
    left = board.on_board - pocketed
    jumps = moves & (next(u) < 0.03)
    jumped = jnp.stack([whole(next(u), 3), whole(next(u), 3)])
    overboard = jnp.where(jumps, jnp.minimum(jumped, left), 0)
    queen_there = (board.queen == QueenState.ON_BOARD) & moves
    queen = queen_there & (next(u) < style.queen)
    jumping_queen = queen_there & ~queen & jumps & (next(u) < 0.5)
    striker = moves & (next(u) < style.striker)
    proper = is_shot & (next(u) >= style.improper)
    breach = _breach(u, event, is_shot & ~proper)

    # What hangs over a pocket may fall although nothing was touched (71, 113).
    moved = jnp.any(pocketed + overboard > 0) | queen | jumping_queen
    falls = next(u) < 0.02
    misses = next(u) < jnp.maximum(style.misses, jnp.where(board.break_done, 0.0, 0.3))
    pocketed, overboard = pocketed * (~misses | falls), overboard * ~misses
    return StrokeFacts(
        event=event,
        proper=proper | ~moves,
        touched=moves & ~misses & (next(u) < jnp.where(moved, 0.99, 0.97)),
        pocketed=pocketed.astype(jnp.int32),
        pocketed_queen=queen & (~misses | falls),
        pocketed_striker=striker,
        overboard=overboard.astype(jnp.int32),
        overboard_queen=jumping_queen & ~misses,
        overboard_striker=moves & ~striker & (next(u) < 0.01),
        claims=whole(next(u), ALL_CLAIMS + 1),
        breach=breach,
        waive=jnp.stack([next(u) < 0.1, next(u) < 0.1]),
        room_returned=_room(u),
        room_due=_room(u),
    )


def _event(
    u: Iterator[jax.Array], state: MatchState, style: Style, format: MatchFormat
) -> jax.Array:
    """What happens, int32."""
    board = state.board
    chances = _EVENTS | (_DOUBLES_EVENTS if format.doubles else {})
    kinds = jnp.array([*chances, Event.SHOT], jnp.int32)
    ends = jnp.cumsum(jnp.array(list(chances.values()), jnp.float32)) * style.events
    event = kinds[jnp.searchsorted(ends, next(u), side="right")]
    # After the first stroke of a turn a breach is a foul (63.a, 64.a).
    event = jnp.where(
        (event == Event.TECHNICAL_FOUL) & (board.strokes_in_turn > 0), int(Event.FOUL), event
    )
    early = (event == Event.SHOT) & ~board.break_done & (next(u) < _EARLY_BREAK * style.events)
    return jnp.where(early, int(Event.EARLY_BREAK), event).astype(jnp.int32)


def _pocketed(u: Iterator[jax.Array], state: MatchState, style: Style) -> jax.Array:
    """Carrommen pocketed by a stroke, int32 (2,) per colour."""
    board = state.board
    own = _several(next(u), style.pockets) + (_several(next(u), 0.5) * (style.always > 0))
    opponents = _several(next(u), style.opponents)
    # Now and then all of a colour at once: the ends of 102 to 112 come together only so.
    sweep = next(u) / jnp.where(jnp.all(board.on_board <= 4), 0.06, 0.0005)
    all_own = (sweep < 0.25) | ((sweep > 0.5) & (sweep < 1))
    all_opponents = (sweep > 0.25) & (sweep < 1)
    wanted = jnp.where(jnp.stack([all_own, all_opponents]), 9, jnp.stack([own, opponents]))
    return jnp.minimum(jnp.where(board.striker == 0, wanted, wanted[::-1]), board.on_board)


def _several(u: jax.Array, chance: jax.Array | float) -> jax.Array:
    """At least one with this chance, each further one with a third of it; int32."""
    return jnp.sum(u < chance * jnp.array([1, 0.3, 0.1, 0.03]), dtype=jnp.int32)


def _breach(u: Iterator[jax.Array], event: jax.Array, improper: jax.Array) -> jax.Array:
    """The law broken, as an index into ``LAW_IDS``, or ``NO_BREACH``; int32."""
    drawn, is_named = next(u), next(u) < 0.7
    law = jnp.int32(NO_BREACH)
    for holds, laws in (
        (improper, STROKE_BREACHES),
        (_is_one(event, _FOULS), OTHER_BREACHES),
        (_is_one(event, _BOARD_LOST), BOARD_LOST_BY),
        (_is_one(event, _MATCH_LOST), FORFEITS),
    ):
        indices = jnp.array([LAW_IDS.index(each) for each in laws], jnp.int32)
        law = jnp.where(holds & is_named, indices[whole(drawn, len(laws))], law)
    return law


def _is_one(event: jax.Array, events: tuple[Event, ...]) -> jax.Array:
    return jnp.any(event == jnp.array(events))


def _room(u: Iterator[jax.Array]) -> jax.Array:
    """Mostly plenty of room, int32."""
    return jnp.where(next(u) < 0.85, PLENTY, whole(next(u), 3)).astype(jnp.int32)

"""What a stroke has to lead to, found from the rows of the tables and the laws around them."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from carrom.laws import LAW_IDS, Event, MatchFormat, MatchState, StrokeFacts
from carrom.laws.stroke import NO_BREACH
from carrom.soak.logic import all_of, any_of, count_of, is_cited
from carrom.soak.rows import FATES, End, Seen, end_rows, event_ends, stroke_rows

NO_CAUSE = -1
"""Of a board that goes on."""


class Course(NamedTuple):
    """What has to happen, in the order of section 22: 45, 137, the end of the board, the tables.

    Attributes:
        slip: no stroke was played (127.b).
        attempt: an attempt at the break that touched nothing (45).
        technical: a technical foul (63).
        idle: the turn ends without having touched anything (137).
        void: the board is to be replayed.
        over: it ends.
        played: neither; table 22 decides.
        fate: word of ``FATES`` -> bool, by table 22; none holds unless ``played``.
        keep: the turn is kept.
        i_win: at an end, the striking side wins.
        points: int32, at an end, without claims.
        claims: int32, at an end, extra points the winner may claim.
        cause: int32, law by which the board ends or is void, an index into ``LAW_IDS``.
        rows: how many rows of table 22 hold.
        ends: how many rows of table 23 hold.
        cites: all laws of the rows that hold are cited.
    """

    slip: jax.Array
    attempt: jax.Array
    technical: jax.Array
    idle: jax.Array
    void: jax.Array
    over: jax.Array
    played: jax.Array
    fate: dict[str, jax.Array]
    keep: jax.Array
    i_win: jax.Array
    points: jax.Array
    claims: jax.Array
    cause: jax.Array
    rows: jax.Array
    ends: jax.Array
    cites: jax.Array

    @property
    def goes_on(self) -> jax.Array:
        """The board goes on."""
        return ~(self.over | self.void)


def expect(
    before: MatchState, facts: StrokeFacts, s: Seen, laws: jax.Array, format: MatchFormat
) -> Course:
    """What has to happen.

    Args:
        before: the position.
        facts: what the umpire was told.
        s: the same from the side of who strikes.
        laws: the words of laws cited.
        format: what is played.
    """
    board, event = before.board, facts.event
    strikes = (event == Event.SHOT) | (event == Event.EARLY_BREAK)
    strokes = strikes | (event == Event.FOUL)
    moved = jnp.any(facts.pocketed + facts.overboard > 0)
    moved |= facts.pocketed_queen | facts.overboard_queen
    attempt = strikes & ~board.break_done & ~facts.touched & ~moved
    rows, ends = stroke_rows(s), (*end_rows(s), *event_ends(s, event))
    fate = {word: any_of(row.when for row in rows if row.says(word)) for word in FATES}

    passes = strokes & ~attempt & ~fate["keep"]
    idle = passes & board.break_done & ~(facts.touched | board.touched_in_turn)
    limit = 12 if format.doubles else 6
    by_idleness = idle & (board.idle_turns + 1 >= limit)
    beyond = (event == Event.VOID) | (event == Event.NO_STRIKER_SPACE)
    without_stroke = any_of(end.when for end in event_ends(s, event))
    by_stroke = strokes & ~attempt & ~by_idleness & any_of(end.when for end in end_rows(s))
    over = by_stroke | without_stroke
    played = strokes & ~attempt & ~by_idleness & ~over
    technical = any_of(event == kind for kind in Event if kind.name.startswith("TECHNICAL"))
    slip = event == Event.NO_STROKE
    # Two more attempts after a proper one that missed (45.a); otherwise the turn passes.
    again = attempt & s.proper & ~s.striker & (board.break_attempts_failed < 2)
    cites = all_of(
        ~row.when | ~played | is_cited(laws, law) for row in rows for law in row.laws.split()
    ) & all_of(~end.when | ~over | is_cited(laws, end.law) for end in ends)
    return Course(
        slip=slip,
        attempt=attempt,
        technical=technical,
        idle=idle,
        void=by_idleness | beyond,
        over=over,
        played=played,
        fate={word: holds & played for word, holds in fate.items()},
        keep=slip | technical | again | (played & fate["keep"]),
        i_win=any_of(end.when for end in ends if end.i_win),
        points=_chosen(ends, [end.points for end in ends]),
        claims=_chosen(ends, [end.claims for end in ends]),
        cause=_cause(ends, over, by_idleness, facts),
        rows=count_of(row.when for row in rows),
        ends=count_of(end.when for end in ends),
        cites=cites,
    )


def _cause(
    ends: tuple[End, ...], over: jax.Array, by_idleness: jax.Array, facts: StrokeFacts
) -> jax.Array:
    cause = jnp.int32(NO_CAUSE)
    for end in ends:
        cause = jnp.where(end.when & over, LAW_IDS.index(end.law), cause)
    # A breach that costs the board or the match is told, if it is known which (91, 143).
    told = over & (facts.event > Event.FOUL) & (facts.breach != NO_BREACH)
    cause = jnp.where(told, facts.breach, cause)
    for law, holds in (
        ("137", by_idleness),
        ("140", facts.event == Event.VOID),
        ("142", facts.event == Event.NO_STRIKER_SPACE),
    ):
        cause = jnp.where(holds, LAW_IDS.index(law), cause)
    return cause


def _chosen(ends: tuple[End, ...], values: list[jax.Array]) -> jax.Array:
    return sum(
        (jnp.where(end.when, value, 0) for end, value in zip(ends, values, strict=True)),
        jnp.int32(0),
    )

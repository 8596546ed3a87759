"""The decision tables of a stroke that does not end the board (laws 48, 64, 72-77, 92-101).

Three tables, by what the queen does: she has no part in the stroke, she was pocketed by it,
or she waits to be covered by it. The opponent's carrommen stay down in every row (74-76).
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from carrom.laws.state import QueenState
from carrom.laws.view import Laws, View


class Verdict(NamedTuple):
    """What follows from the tables; every field is a bool unless said otherwise.

    Attributes:
        keep: the turn is kept.
        own_out: own carrommen pocketed in the stroke come out.
        due: a due is charged.
        penalty: a penalty is charged.
        queen_out: the queen comes out.
        covered: the striking side now holds the queen.
        waits: the queen waits to be covered by the next stroke.
        laws: the laws of the row.
    """

    keep: jax.Array
    own_out: jax.Array
    due: jax.Array
    penalty: jax.Array
    queen_out: jax.Array
    covered: jax.Array
    waits: jax.Array
    laws: Laws

    def queen(self, before: jax.Array, striker: jax.Array) -> jax.Array:
        """The ``QueenState`` after the stroke, from the one before it."""
        held = jnp.where(self.covered, QueenState.COVERED_WHITE + striker, before)
        held = jnp.where(self.waits, int(QueenState.WAITING), held)
        return jnp.where(self.queen_out, int(QueenState.ON_BOARD), held)


def judge(view: View) -> Verdict:
    """Read the tables.

    In all three, a proper stroke pays a due for the striker and gives back own carrommen
    only with it, while an improper one gives back whatever it won and loses the turn.
    """
    some_own = view.own > 0
    proper, striker = view.proper, view.striker
    neutral = ~view.queen & ~view.waiting

    # Queen pocketed. Without a right to her she comes out: a due outstanding (95.b), or
    # nothing ever down and no own carromman with her now (95.a, 95.d).
    right = ~view.due_outstanding & ~(view.never_down & ~some_own)
    # One own carromman does not cover when all nine were on the board (97.b).
    enough = view.own > jnp.where(view.all_nine, 1, 0)
    taken = view.queen & proper & ~striker & right
    # With the striker the turn is kept if an own carromman fell too (98.a), or if it was
    # the queen alone and the right to her existed (99.a), but not with all nine on (95.d).
    with_striker = ~view.due_outstanding & (some_own | ~view.all_nine)

    covered = (taken & enough) | (view.waiting & proper & ~striker & some_own)
    waits = (taken & ~enough) | (view.waiting & proper & striker & some_own)
    keep_queen = jnp.where(striker, with_striker, right)
    keep = proper & jnp.where(view.queen, keep_queen, some_own)
    return Verdict(
        keep=keep,
        own_out=some_own & (striker | ~proper),
        due=striker,
        penalty=~proper,
        queen_out=~neutral & ~covered & ~waits,
        covered=covered,
        waits=waits,
        laws=_laws(view, some_own, right, keep),
    )


def _laws(view: View, some_own: jax.Array, right: jax.Array, keep: jax.Array) -> Laws:
    own, none = some_own, ~some_own
    opp = view.opp > 0
    striker, alone = view.striker, ~view.striker
    proper, improper = view.proper, ~view.proper
    queen, waiting = view.queen, view.waiting
    neutral = ~queen & ~waiting
    due, never, nine = view.due_outstanding, view.never_down, view.all_nine
    out = queen & proper & ~right
    return {
        # No part for the queen.
        "48": proper & alone & ((neutral & (own | ~opp)) | (queen & keep & none)),
        "125.a": proper & alone & opp & none & ~keep,
        "72.a": proper & striker & none & ~opp & (neutral | (queen & due)),
        "73": neutral & proper & striker & own & ~opp,
        "74": striker & none & opp & (neutral | (proper & (waiting | (queen & (due | nine))))),
        "75": proper & striker & own & opp & ~waiting,
        "64.a": improper & alone & none & ~opp & ~queen,
        "64.b": improper & alone & (own | queen),
        "72.b": improper & striker & none & ((neutral & ~opp) | (waiting & opp)),
        "76": improper & opp,
        "77.a": improper & alone & own,
        "77.b": neutral & improper & striker & own,
        # Queen pocketed.
        "92": queen & proper & alone & keep & none,
        "95.a": queen & alone & none & never & ~due,
        "95.b": queen & due & (out | (improper & alone & none)),
        "95.c": queen & right & nine & ~never & proper & alone,
        "95.d": queen & striker & none & ~due & jnp.where(proper, nine, never),
        "97.a": queen & proper & alone & own & keep & ~nine,
        "97.b": queen & proper & alone & own & keep & nine,
        "98.a": queen & proper & striker & own,
        "98.b": queen & improper & striker & own,
        "99.a": queen & proper & striker & none & keep,
        "99.b": queen & improper & striker & none,
        # Queen waiting to be covered.
        "15": waiting & proper & alone & own,
        "96": waiting & jnp.where(striker, none & opp, none | improper),
        "100.a": waiting & proper & striker & none & ~opp,
        "100.b": waiting & improper & striker & none & ~opp,
        "101.a": waiting & proper & striker & own,
        "101.b": waiting & improper & striker & own,
    }

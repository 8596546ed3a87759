"""The umpire's soak: random boards and matches by the hundred thousand, without physics.

Every board (or match) has a number and draws everything from a key of its own, so that any
stroke of it can be played again by itself, whatever was played beside it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from carrom.errors import CarromError
from carrom.laws import (
    MatchFormat,
    MatchState,
    Ruling,
    StrokeFacts,
    next_board,
    rule,
)
from carrom.soak.demands import demands
from carrom.soak.facts import random_facts
from carrom.soak.figures import Figures, Tally
from carrom.soak.logic import Demands
from carrom.soak.sequels import next_demands
from carrom.soak.starts import Style, fresh_match, random_start, random_style

IDLE = -1
"""Number of a lane that has nothing to play any more."""


class SoakError(CarromError, AssertionError):
    """The umpire has not met a demand; says which, and how to play the stroke again."""


@dataclass(frozen=True)
class Plan:
    """What is played.

    Attributes:
        format: singles or doubles, with or without a limit of boards.
        count: boards, or matches.
        matches: whole matches instead of single boards.
        seed: of everything.
        most_strokes: strokes after which a board is cut off (U31).
        lanes: how many are played side by side.
    """

    format: MatchFormat
    count: int
    matches: bool = False
    seed: int = 0
    most_strokes: int = 5_000
    lanes: int = 2_048


class Played(NamedTuple):
    """A stroke of a soak, everything about it.

    Attributes:
        before: the position.
        facts: what the umpire was told.
        after: the position he made of it.
        ruling: his ruling.
        toss: int32, of an extra board.
        following: with the next board, if this one is over.
    """

    before: MatchState
    facts: StrokeFacts
    after: MatchState
    ruling: Ruling
    toss: jax.Array
    following: MatchState


class Lane(NamedTuple):
    """A board or a match in play.

    Attributes:
        number: int32, which it is; ``IDLE`` for none.
        state: the match.
        strokes: int32, strokes played of it.
        board: int32, boards ended or void in it.
        of_board: int32, strokes of the board in play.
    """

    number: jax.Array
    state: MatchState
    strokes: jax.Array
    board: jax.Array
    of_board: jax.Array


class Record(NamedTuple):
    """What is kept of a stroke, for the umpire's soak itself.

    Attributes:
        number: int32, the board or match, ``IDLE`` for none.
        stroke: int32, which stroke of it, from 0.
        length: int32, strokes of the board up to this one.
        cut: bool, the board was cut off.
        match_over: bool.
    """

    number: Any
    stroke: Any
    length: Any
    cut: Any
    match_over: Any


def soak(plan: Plan) -> Figures:
    """Play and check everything.

    Raises:
        SoakError: a demand is not met, at the first stroke where that is so.
    """
    tally = Tally()
    for played, record in play(plan):
        met, cause = verdicts(plan.format, played)
        live = record.number != IDLE
        flawed = live & ~np.logical_and.reduce(list(met.values()))
        if flawed.any():
            raise _error(plan, played, record, met, int(np.argmax(flawed)))
        words = np.asarray(played.ruling.laws)[live]
        tally.add(cause[live], record.cut[live], record.length[live], words)
        tally.matches += int((live & record.match_over).sum()) * plan.matches
    return tally.figures()


def play(plan: Plan) -> Iterator[tuple[Played, Record]]:
    """One stroke of every lane after the other, until all boards or matches are over.

    Yields:
        The strokes, JAX leaves (lanes, ...), and what is kept of them, numpy leaves. Those
        of a lane whose number is ``IDLE`` mean nothing.
    """
    numbers = np.arange(plan.lanes)
    return _strokes(plan, np.where(numbers < plan.count, numbers, IDLE), begun=plan.lanes)


def replay(plan: Plan, number: int) -> Iterator[tuple[Played, list[str]]]:
    """The strokes of one board or match once more.

    Args:
        plan: as for ``soak``.
        number: of the board or match.

    Yields:
        A stroke with numpy leaves, and the demands it does not meet.
    """
    # In a batch that is otherwise idle, so that nothing new has to be compiled.
    numbers = np.full(plan.lanes, IDLE)
    numbers[0] = number
    for played, _ in _strokes(plan, numbers, begun=plan.count):
        met, _ = verdicts(plan.format, played)
        yield _lane(played, 0), unmet(met, 0)


def verdicts(
    format: MatchFormat, played: Played
) -> tuple[dict[str, NDArray[np.bool_]], NDArray[np.int32]]:
    """Whether strokes meet the demands, and by which law their boards ended.

    Args:
        format: what is played.
        played: leaves (n, ...).

    Returns:
        Demand -> bool (n,), and int32 (n,), an index into ``LAW_IDS`` or ``NO_CAUSE``.
    """
    return jax.device_get(_compiled_demands(format)(played))


def unmet(met: dict[str, NDArray[np.bool_]], lane: int) -> list[str]:
    """The demands that one of the strokes does not meet."""
    return [demand for demand, holds in met.items() if not holds[lane]]


def _error(
    plan: Plan, played: Played, record: Record, met: dict[str, NDArray[np.bool_]], lane: int
) -> SoakError:
    what = "match" if plan.matches else "board"
    return SoakError(
        f"{plan.format}, seed {plan.seed}, {what} {record.number[lane]}, stroke "
        f"{record.stroke[lane]}: not met: {'; '.join(unmet(met, lane))}\n"
        f"{_lane(played, lane)}"
    )


def _lane(played: Played, lane: int) -> Played:
    return jax.tree.map(lambda leaf: leaf[lane], jax.device_get(played))


def _strokes(plan: Plan, numbers: NDArray[np.intp], begun: int) -> Iterator[tuple[Played, Record]]:
    """One stroke of all lanes after the other, until all are idle.

    Args:
        plan: what is played.
        numbers: of the boards or matches to begin with.
        begun: how many of the plan have begun with that.
    """
    begin, step = _compiled(plan.format, plan.matches, plan.most_strokes)
    key, count, started = jax.random.key(plan.seed), jnp.int32(plan.count), jnp.int32(begun)
    lane = begin(key, jnp.asarray(numbers, jnp.int32))
    while np.any(np.asarray(lane.number) != IDLE):
        lane, started, played, record = step(key, lane, started, count)
        yield played, jax.device_get(record)


# Playing and checking are compiled apart, and without a scan: in one piece that takes thrice
# as long, and a call for each stroke of thousands of lanes costs next to nothing.
@functools.cache
def _compiled(
    format: MatchFormat, matches: bool, most_strokes: int
) -> tuple[Callable[..., Lane], Callable[..., Any]]:
    begin = jax.vmap(functools.partial(_begin, format, matches), (None, 0))
    stroke = functools.partial(_stroke, format, matches, most_strokes)

    def step(
        key: jax.Array, lane: Lane, begun: jax.Array, count: jax.Array
    ) -> tuple[Lane, jax.Array, Played, Record]:
        lane, played, record = jax.vmap(stroke, (None, 0))(key, lane)
        # Who has finished takes the next number, in order of lanes.
        free = lane.number == IDLE
        taken = begun + jnp.cumsum(free) - 1
        number = jnp.where(free & (taken < count), taken, IDLE).astype(jnp.int32)
        lane = jax.vmap(_choose)(free, begin(key, number), lane)
        return lane, begun + jnp.sum(number != IDLE), played, record

    return jax.jit(begin), jax.jit(step)


@functools.cache
def _compiled_demands(format: MatchFormat) -> Callable[[Played], Any]:
    def all_demands(played: Played) -> tuple[Demands, jax.Array]:
        met, cause = demands(played.before, played.facts, played.after, played.ruling, format)
        return met | next_demands(played.after, played.toss, played.following, format), cause

    return jax.jit(jax.vmap(all_demands))


def _begin(format: MatchFormat, matches: bool, key: jax.Array, number: jax.Array) -> Lane:
    """The board or match of a number, racked."""
    key = jax.random.fold_in(jax.random.fold_in(key, number), 0)
    zero = jnp.int32(0)
    if matches:
        state = fresh_match(format, jax.random.choice(key, jnp.array(format.seats, jnp.int32)))
    else:
        state = random_start(key, format)
    return Lane(number, state, zero, zero, zero)


def _style(key: jax.Array, board: jax.Array) -> Style:
    """How a board of a lane is played; stroke keys are of the other branch."""
    return random_style(jax.random.fold_in(jax.random.fold_in(key, 1), board))


def _stroke(
    format: MatchFormat,
    matches: bool,
    most_strokes: int,
    key: jax.Array,
    lane: Lane,
) -> tuple[Lane, Played, Record]:
    """One stroke of one lane."""
    key = jax.random.fold_in(key, lane.number)
    of_stroke = jax.random.fold_in(jax.random.fold_in(key, 2), lane.strokes)
    for_facts, for_toss = jax.random.split(of_stroke)
    toss = jax.random.randint(for_toss, (), 0, 2)
    facts = random_facts(for_facts, lane.state, _style(key, lane.board), format)
    after, ruling = rule(lane.state, facts, format=format)
    following = next_board(after, format=format, toss=toss)

    length = lane.of_board + 1
    board_done = after.board.over | after.board.replay
    cut = ~board_done & (length >= most_strokes)
    match_over = after.winner >= 0
    done = cut | (match_over if matches else board_done)
    record = Record(lane.number, lane.strokes, length, cut, match_over)
    played = Played(lane.state, facts, after, ruling, toss, following)
    lane = Lane(
        number=jnp.where(done, IDLE, lane.number),
        state=following,
        strokes=lane.strokes + 1,
        board=lane.board + board_done,
        of_board=jnp.where(board_done, 0, length),
    )
    return lane, played, record


def _choose(condition: jax.Array, yes: Lane, no: Lane) -> Lane:
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), yes, no)

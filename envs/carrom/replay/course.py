"""What of an episode follows from what came before: where strokes begin, and how it ended.

The same rules as those by which a table goes on (``carrom.play``, ``carrom.umpiring``), applied
to strokes that are already known.
"""

from __future__ import annotations

import cmath
import dataclasses
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from carrom.baseline import nearest_place
from carrom.board import Board
from carrom.decision import STRIKE_NOW
from carrom.errors import ConfigError
from carrom.laws import MatchState, StrokeFacts, foul_by, new_match, next_board_jit
from carrom.layout import Layout
from carrom.options import Options
from carrom.rack import PACKINGS, lattice
from carrom.replay.coding import changes
from carrom.replay.replay import Replay
from carrom.scoring import ends_episode, result_of
from carrom.table import Setting, Stroke, view_of
from carrom.tasks import AGENT_SEAT, TASKS, Unit, check_start, drill_position, returned_to

Comparison: TypeAlias = tuple[str, Any, Any]
"""What is compared: its name, as recorded, as it follows."""
_Breaches: TypeAlias = tuple[tuple[int, str], ...]


def beginnings(replay: Replay) -> Iterator[Iterator[Comparison]]:
    """For every stroke in order, what there is to compare of how it begins.

    That is the position before it, and the strike as made: by the noise and its seed it follows
    from the strike as decided.
    """
    setting, noise = _setting(replay), np.random.default_rng(replay.seeds[1])
    previous, breaches = None, ()
    for stroke in replay.strokes:
        yield _beginning(replay, setting, previous, breaches, stroke, noise)
        breaches = _breaches_after(breaches, stroke)
        previous = stroke


def ending(replay: Replay) -> Iterator[Comparison]:
    """What there is to compare of how the episode ended."""
    recorded = None if replay.result is None else _plain(replay.result)
    if not replay.strokes:
        yield "result", recorded, None
        return
    last, breaches = replay.strokes[-1], ()
    for stroke in replay.strokes:
        breaches = _breaches_after(breaches, stroke)
    if breaches:
        yield "what follows the last stroke", "nothing", f"a foul (law {breaches[0][1]})"
    result = _plain(result_of(_setting(replay), last.after.match, last.ruling))
    if _is_void_drill(replay, last):
        yield "result", recorded, None
    elif recorded is not None or _ends(replay, last):
        yield "result", recorded, result


def taken_as_recorded(replay: Replay) -> tuple[str, ...]:
    """What of how it begins and ends a user's own rules decided, which no file holds."""
    if not replay.strokes:
        return ()
    taken = []
    before, last = replay.strokes[0].before, replay.strokes[-1]
    if replay.toss is None and TASKS[replay.task].unit is Unit.STROKE:
        drawn = drill_position(replay.board, np.random.default_rng(replay.seeds[0]))
        if before.layout != drawn.layout or changes(before.match, drawn.match):
            taken.append("the first position, which is not that of the seed,")
    elif replay.toss is None:
        opened = new_match(replay.format, int(before.match.board.breaker_seat))
        if changes(before.match, opened) or not _is_rack(before.layout, replay.board):
            taken.append("the first position, which is no new board,")
    if replay.result is not None and not _ends(replay, last):
        taken.append("the end, which is not that of the task,")
    return tuple(taken)


def _setting(replay: Replay) -> Setting:
    format = replay.format
    options = {"board": replay.board, "doubles": format.doubles, "board_limit": format.board_limit}
    setting = Options.of("match", options).setting()
    return dataclasses.replace(setting, task=TASKS[replay.task], format=format)


def _beginning(
    replay: Replay,
    setting: Setting,
    previous: Stroke | None,
    breaches: _Breaches,
    stroke: Stroke,
    noise: np.random.Generator,
) -> Iterator[Comparison]:
    if previous is None:
        yield from _first(replay, stroke)
    elif breaches:
        seat, law = breaches[0]
        event = foul_by(seat, previous.after.match, replay.format)
        told = StrokeFacts.without_stroke(event, breach=law)
        yield "seat", stroke.seat, seat
        yield "facts.event", int(stroke.facts.event), int(told.event)
        yield "facts.breach", int(stroke.facts.breach), int(told.breach)
        yield "whether it is a stroke", stroke.meant is not None, False
        yield from _same(stroke, previous.after.match, previous.after.layout)
    elif _ends(replay, previous) or _is_void_drill(replay, previous):
        yield "what follows the end of the episode", "a stroke", "nothing"
    elif previous.ruling.board_over or previous.ruling.board_replayed:
        yield from _new_board(replay, previous.after.match, stroke)
    else:
        match = previous.after.match
        if setting.task.solo and previous.after.seat != AGENT_SEAT:
            match = returned_to(AGENT_SEAT, match)
        yield from _same(stroke, match, previous.after.layout)
    yield from _made(replay, setting, stroke, noise)


def _first(replay: Replay, stroke: Stroke) -> Iterator[Comparison]:
    """How the first stroke begins: by the toss, or from a position that is possible."""
    toss, format, before = replay.toss, replay.format, stroke.before
    if toss is None:
        try:
            check_start(before, TASKS[replay.task], format, replay.board)
        except ConfigError as error:
            yield "position before it", f"impossible ({error})", "possible"
        return
    yield "toss", "decided" if toss.takes_break is not None else "undecided", "decided"
    breaker = (toss.winner + (0 if toss.takes_break else format.seat_step)) % 4
    yield from leaves("match before it", before.match, new_match(format, breaker))
    yield "places before it", _rack_or_not(before.layout, replay.board), "a rack"


def _new_board(replay: Replay, ended: MatchState, stroke: Stroke) -> Iterator[Comparison]:
    # Who breaks an extra board is tossed for (56.b), and the file does not hold that toss.
    match, other = (next_board_jit(ended, format=replay.format, toss=toss) for toss in (0, 1))
    if not changes(stroke.before.match, other):
        match = other
    yield from leaves("match before it", stroke.before.match, match)
    yield "places before it", _rack_or_not(stroke.before.layout, replay.board), "a rack"


def _same(stroke: Stroke, match: MatchState, layout: Layout) -> Iterator[Comparison]:
    yield from leaves("match before it", stroke.before.match, match)
    yield from places("before it", stroke.before.layout, layout)


def _made(
    replay: Replay, setting: Setting, stroke: Stroke, noise: np.random.Generator
) -> Iterator[Comparison]:
    """The strike as made against the one decided, with the noise that the seed gives."""
    meant, made = stroke.meant, stroke.strike
    yield "whether a strike was made as decided", made is not None, meant is not None
    if meant is None or made is None:
        return
    yield "seat", stroke.seat, stroke.before.seat
    erring = replay.noise.apply(meant, noise)
    yield "direction of the strike as made", made.direction, erring.direction
    yield "speed of the strike as made", made.speed, erring.speed
    view = view_of(setting, stroke.before, stroke.before.seat, STRIKE_NOW)
    # Whether placing was strict is not in the file: then it stays where it errs to.
    possible = [(erring.place, erring.forward)]
    if view.can_strike:
        nearest = nearest_place(view.free_places, erring.place)
        assert nearest is not None, "there is a place where one can strike"
        possible.append((nearest, view.forward))
    found = (made.place, made.forward)
    yield "place of the strike as made", found, found if found in possible else possible[-1]


def _ends(replay: Replay, stroke: Stroke) -> bool:
    """Whether the episode ends with this stroke, by its task."""
    void = _is_void_drill(replay, stroke)
    return not void and bool(ends_episode(TASKS[replay.task].unit, stroke.ruling))


def _is_void_drill(replay: Replay, stroke: Stroke) -> bool:
    """Whether there is no result because the only board of one stroke is void (140)."""
    return TASKS[replay.task].unit is Unit.STROKE and bool(stroke.ruling.board_replayed)


def _breaches_after(breaches: _Breaches, stroke: Stroke) -> _Breaches:
    """The breaches of placing on which the umpire has still to rule: seat and law."""
    if stroke.ruling.board_over or stroke.ruling.board_replayed:
        return ()
    found = [(laid.seat, laid.breach) for laid in stroke.laid]
    return (*breaches[1:], *((s, law) for s, law in found if s is not None and law is not None))


def _rack_or_not(layout: Layout, board: Board) -> str:
    return "a rack" if _is_rack(layout, board) else "no rack"


def _is_rack(layout: Layout, board: Board) -> bool:
    """Whether all lie in the rack, however it is turned, up to its jitter (41.a)."""
    if not layout.on_board.all():
        return False
    here = layout.positions @ (1, 1j)
    for packing in PACKINGS.values():
        ideal = lattice(board, packing, 0.0) @ (1, 1j)
        turn = np.vdot(ideal, here)
        turned = ideal * cmath.rect(1.0, cmath.phase(turn))
        # Jitter also turns the rack that fits best, by no more than it shifts one carromman.
        if np.max(np.abs(here - turned)) <= 2 * packing.jitter:
            return True
    return False


def _plain(result: Any) -> dict[str, Any]:
    """A result as JSON would hold it."""
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in result.items()
    }


def leaves(name: str, recorded: Any, computed: Any) -> Iterator[Comparison]:
    """The fields of two structures of a kind, one by one."""
    for leaf in dataclasses.fields(recorded):
        one, other = getattr(recorded, leaf.name), getattr(computed, leaf.name)
        where = f"{name}.{leaf.name}"
        if dataclasses.is_dataclass(one):
            yield from leaves(where, one, other)
        else:
            yield where, np.asarray(one), np.asarray(other)


def places(when: str, recorded: Layout, computed: Layout) -> Iterator[Comparison]:
    """Where carrommen lie, one by one."""
    yield f"on_board {when}", recorded.on_board, computed.on_board
    for index, pair in enumerate(zip(recorded.positions, computed.positions, strict=True)):
        yield f"place of carromman {index} {when}", *pair

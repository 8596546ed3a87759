"""A stroke of a replay as JSON, told apart from the position before it.

The position before a stroke is that after the one before, unless the file says otherwise:
then (on a new board, or where a turn was handed back) it holds discs and match anew.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from carrom.errors import ConfigError, PhysicsError
from carrom.incident import Laid
from carrom.laws import LAW_IDS, MatchFormat, cited, new_match
from carrom.layout import Layout
from carrom.physics.motion import Motion, Pocketing
from carrom.physics.strike import Strike
from carrom.pieces import N_CARROMMEN
from carrom.replay.coding import (
    PLAIN_FACTS,
    PLAIN_RULING,
    changed,
    changes,
    item,
    layout_changed,
    layout_changes,
    listed,
    mapping,
    number,
    numbers,
    text,
    whole,
)
from carrom.table import Stroke
from carrom.tasks import Position

_BARE = Layout(np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool))


class LostStrokeError(PhysicsError):
    """A stroke of a replay whose physics diverged when it was played; nothing can be saved."""

    def __init__(self, message: str) -> None:
        super().__init__(message, self)

    def save(self, path: Any) -> None:
        """There is nothing to save: the replay holds the stroke."""
        raise self


def encoded(stroke: Stroke, previous: Stroke | None, format: MatchFormat) -> dict[str, Any]:
    """The stroke as JSON.

    Args:
        stroke: to be written.
        previous: the one before it in the episode.
        format: what is played.
    """
    data: dict[str, Any] = {"seat": stroke.seat}
    before = stroke.before
    if previous is None or not _equal(previous.after, before):
        data["start"] = {
            "discs": layout_changes(_BARE, before.layout),
            "match": changes(before.match, new_match(format)),
        }
    for name, strike in (("meant", stroke.meant), ("made", stroke.strike)):
        if strike is not None:
            data[name] = list(dataclasses.astuple(strike))
    if stroke.motion is not None:
        data["motion"] = _encoded_motion(stroke.motion, before.layout)
    if stroke.failure is not None:
        data["failure"] = str(stroke.failure)
    resting = before.layout if stroke.motion is None else stroke.motion.layout
    data["facts"] = changes(stroke.facts, PLAIN_FACTS)
    data["ruling"] = changes(stroke.ruling, PLAIN_RULING)
    data["laws"] = list(cited(stroke.ruling))
    data["sentences"] = list(stroke.sentences)
    if stroke.laid:
        data["laid"] = [
            dataclasses.asdict(laid) | {"place": list(laid.place)} for laid in stroke.laid
        ]
    replaced = layout_changes(resting, stroke.after.layout)
    if replaced:
        data["replaced"] = replaced
    data["score"] = np.asarray(stroke.after.match.game.score).tolist()
    data["after"] = changes(stroke.after.match, before.match)
    return data


def decoded(data: Any, previous: Stroke | None, format: MatchFormat, where: str) -> Stroke:
    """The inverse of ``encoded``.

    What follows from the rest (laws, sentences, score) is written for readers and not read.

    Raises:
        ConfigError: something is missing, or not what it should be; says ``where``.
    """
    data = mapping(data, where)
    if "start" in data or previous is None:
        start = mapping(item(data, "start", where), f"{where}.start")
        before = Position(
            layout_changed(item(start, "discs", where), _BARE, f"{where}.start.discs"),
            changed(item(start, "match", where), new_match(format), f"{where}.start.match"),
        )
    else:
        before = previous.after
    motion = None
    if "motion" in data:
        motion = _decoded_motion(data["motion"], before.layout, f"{where}.motion")
    resting = before.layout if motion is None else motion.layout
    failure = text(data["failure"], f"{where}.failure") if "failure" in data else None
    facts = changed(item(data, "facts", where), PLAIN_FACTS, f"{where}.facts")
    # A shot without either was reported.
    if motion is not None or failure is not None:
        item(data, "made", where)
    seat = whole(item(data, "seat", where), f"{where}.seat", 4)
    for name, taken in (
        ("seat", seat),
        ("seat with the turn", before.seat),
        ("breaker_seat", int(before.match.board.breaker_seat)),
    ):
        if taken not in format.seats:
            raise ConfigError(f"{where}: {name} = {taken}: expected one of {format.seats}")
    return Stroke(
        seat=seat,
        strike=_strike(data, "made", where),
        before=before,
        after=Position(
            layout_changed(data.get("replaced", {}), resting, f"{where}.replaced"),
            changed(item(data, "after", where), before.match, f"{where}.after"),
        ),
        motion=motion,
        facts=facts,
        ruling=changed(item(data, "ruling", where), PLAIN_RULING, f"{where}.ruling"),
        laid=tuple(
            _laid(one, format, f"{where}.laid")
            for one in listed(data.get("laid", []), f"{where}.laid")
        ),
        failure=None if failure is None else LostStrokeError(failure),
        meant=_strike(data, "meant", where),
    )


def _equal(one: Position, other: Position) -> bool:
    return one.layout == other.layout and not changes(one.match, other.match)


def _strike(data: Any, name: str, where: str) -> Strike | None:
    if name not in data:
        return None
    return Strike(*numbers(data[name], 4, f"{where}.{name}"))


def _encoded_motion(motion: Motion, before: Layout) -> dict[str, Any]:
    return {
        "moved": layout_changes(before, motion.layout),
        "pocketed": [list(dataclasses.astuple(fall)) for fall in motion.pocketed],
        "first_touch": motion.first_touch,
        "touched": np.flatnonzero(motion.touched).tolist(),
        "striker": None if motion.striker is None else motion.striker.tolist(),
        "duration": motion.duration,
    }


def _decoded_motion(data: Any, before: Layout, where: str) -> Motion:
    data = mapping(data, where)
    touched = np.zeros(N_CARROMMEN, bool)
    for index in listed(item(data, "touched", where), f"{where}.touched"):
        touched[whole(index, f"{where}.touched", N_CARROMMEN)] = True
    first, striker = item(data, "first_touch", where), item(data, "striker", where)
    falls = listed(item(data, "pocketed", where), f"{where}.pocketed")
    return Motion(
        layout=layout_changed(item(data, "moved", where), before, f"{where}.moved"),
        pocketed=tuple(_pocketing(fall, f"{where}.pocketed") for fall in falls),
        first_touch=None if first is None else whole(first, f"{where}.first_touch", N_CARROMMEN),
        touched=touched,
        duration=number(item(data, "duration", where), f"{where}.duration"),
        striker=None if striker is None else np.array(numbers(striker, 2, f"{where}.striker")),
    )


def _pocketing(data: Any, where: str) -> Pocketing:
    numbers(data, 3, where)
    index, pocket, time = data
    return Pocketing(whole(index, where), whole(pocket, where, 4), float(time))


def _laid(data: Any, format: MatchFormat, where: str) -> Laid:
    data = mapping(data, where)
    seat, breach = item(data, "seat", where), item(data, "breach", where)
    if seat is not None and seat not in format.seats:
        raise ConfigError(f"{where}.seat = {seat!r:.60}: expected null or one of {format.seats}")
    if breach is not None and breach not in LAW_IDS:
        raise ConfigError(f"{where}.breach = {breach!r:.60}: expected null or the id of a law")
    x, y = numbers(item(data, "place", where), 2, f"{where}.place")
    return Laid(
        index=whole(item(data, "index", where), f"{where}.index", N_CARROMMEN),
        seat=seat,
        place=(x, y),
        breach=breach,
    )

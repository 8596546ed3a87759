"""From a table in play to its replay."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from carrom.errors import ConfigError
from carrom.opponents import Player
from carrom.replay.replay import EngineKind, Replay, software
from carrom.striking import Physics
from carrom.table import Stroke, Table
from carrom.tasks import TASKS


def replay_of(table: Table, physics: Physics, names: Mapping[int, str] | None = None) -> Replay:
    """The replay of what has been played on ``table`` so far.

    Args:
        table: made with the option ``record=True``.
        physics: on which it is played.
        names: of the players by seat (singles: 0 and 2); by what they are if not given.

    Raises:
        ConfigError: the table does not record, or the names are not those of its seats.
    """
    setting = table.setting
    if not setting.record:
        raise ConfigError("record = False: expected True, to have a replay")
    given = {seat: _name(setting.players[seat]) for seat in setting.format.seats}
    unknown = set(names or {}) - set(given)
    if unknown:
        raise ConfigError(f"names of seats {sorted(unknown)}: expected of {sorted(given)}")
    return Replay(
        board=setting.board,
        material=setting.material,
        engine=EngineKind.of(physics.engine),
        format=setting.format,
        task=next(name for name, task in TASKS.items() if task == setting.task),
        noise=setting.noise,
        seeds=table.streams.seeds,
        names=given | {seat: str(name) for seat, name in (names or {}).items()},
        strokes=tuple(map(_without_film, table.history)),
        toss=table.toss,
        result=table.result,
        software=software(),
    )


def _without_film(stroke: Stroke) -> Stroke:
    if stroke.motion is None or stroke.motion.trajectory is None:
        return stroke
    motion = dataclasses.replace(stroke.motion, trajectory=None)
    return dataclasses.replace(stroke, motion=motion)


def _name(player: Player | None) -> str:
    """What a player is called of whom only the code is known."""
    if player is None:
        return "agent"
    name: Any = getattr(player, "__name__", type(player).__name__)
    return str(name)

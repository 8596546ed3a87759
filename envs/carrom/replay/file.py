"""Replays as files: JSON, compressed if the name ends in .gz; docs/replays.md has the format."""

from __future__ import annotations

import dataclasses
import gzip
import io
import json
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from carrom.board import Board
from carrom.errors import CarromError, ConfigError
from carrom.laws import MatchFormat
from carrom.output import replacing
from carrom.physics.material import Material
from carrom.physics.noise import ExecutionNoise
from carrom.replay.coding import item, key_of, listed, mapping, text, whole
from carrom.replay.replay import EngineKind, Replay
from carrom.replay.strokes import decoded, encoded
from carrom.table import Stroke, Toss

FORMAT = "carrom replay"
VERSION = 1
"""Raised whenever an older reader would misread a file."""
_GZIP = b"\x1f\x8b"
_LARGEST_SEED = 2**63
_LARGEST = 2**27
"""Bytes of a file unpacked: several times the longest match that a task allows."""
_Part = TypeVar("_Part")


def save(replay: Replay, path: str | Path) -> Path:
    """Write a replay; numbers keep every bit. The same replay gives the same bytes.

    Args:
        replay: to be written.
        path: where to; with the suffix .gz it is compressed. Missing folders are made, and a
            file is replaced only when all is written.

    Raises:
        ConfigError: the file cannot be written.
    """
    target = Path(path)
    content = json.dumps(to_data(replay), separators=(",", ":"), allow_nan=False).encode()
    if target.suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    try:
        with replacing(target) as unfinished:
            unfinished.write_bytes(content)
    except OSError as error:
        raise ConfigError(f"replay {str(target)!r}: {error}") from error
    return target


def load(path: str | Path) -> Replay:
    """Read a replay.

    Raises:
        ConfigError: there is no such file, or it is damaged, foreign, or newer than this
            program; says which, and where.
    """
    name = f"replay {str(path)!r}"
    try:
        with Path(path).open("rb") as file:
            content = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{name}: {getattr(error, 'strerror', None) or error}") from error
    if content.startswith(_GZIP):
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(content)) as unpacked:
                content = unpacked.read(_LARGEST + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise ConfigError(f"{name}: damaged: {error}") from error
    if len(content) > _LARGEST:
        raise ConfigError(f"{name}: expected at most {_LARGEST >> 20} MB, unpacked")
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{name}: no JSON, damaged or no replay at all: {error}") from error
    try:
        return of_data(data)
    except ConfigError as error:
        raise ConfigError(f"{name}: {error}") from error


def to_data(replay: Replay) -> dict[str, Any]:
    """The replay as what JSON can hold."""
    previous = (None, *replay.strokes)
    return {
        "format": FORMAT,
        "version": VERSION,
        "software": dict(replay.software),
        "task": replay.task,
        "match": dataclasses.asdict(replay.format),
        "names": {str(seat): name for seat, name in sorted(replay.names.items())},
        "noise": {"level": replay.noise_level, **dataclasses.asdict(replay.noise)},
        "seeds": list(replay.seeds),
        "engine": dataclasses.asdict(replay.engine),
        "board": dataclasses.asdict(replay.board),
        "material": dataclasses.asdict(replay.material),
        "toss": None if replay.toss is None else dataclasses.asdict(replay.toss),
        "result": None if replay.result is None else dict(replay.result),
        "strokes": [
            encoded(stroke, before, replay.format)
            for stroke, before in zip(replay.strokes, previous, strict=False)
        ],
    }


def of_data(data: Any) -> Replay:
    """The inverse of ``to_data``.

    Raises:
        ConfigError: as ``load``.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ConfigError(f"no replay: expected an object with format = {FORMAT!r}")
    version = data.get("version")
    if type(version) is not int or version < 1:
        raise ConfigError(f"version = {version!r:.60}: expected a whole number from 1 to {VERSION}")
    if version > VERSION:
        raise ConfigError(
            f"version = {version!r:.60}: newer than this program, which knows {VERSION}"
        )
    format = _part(data, "match", _format)
    noise = dict(mapping(item(data, "noise", "file"), "noise"))
    noise.pop("level", None)
    toss, result = item(data, "toss", "file"), item(data, "result", "file")
    return Replay(
        board=_part(data, "board", lambda board: Board(**board)),
        material=_part(data, "material", lambda material: Material(**material)),
        engine=_part(data, "engine", _engine),
        format=format,
        task=text(item(data, "task", "file"), "task"),
        noise=_part({"noise": noise}, "noise", lambda levels: ExecutionNoise(**levels)),
        seeds=tuple(
            whole(seed, "seeds", _LARGEST_SEED)
            for seed in listed(item(data, "seeds", "file"), "seeds")
        ),
        names=_names(mapping(item(data, "names", "file"), "names")),
        strokes=_strokes(listed(item(data, "strokes", "file"), "strokes"), format),
        toss=None if toss is None else _part(data, "toss", lambda toss: _toss(toss, format)),
        result=None if result is None else dict(mapping(result, "result")),
        software={
            name: text(version, f"software.{name:.60}")
            for name, version in mapping(item(data, "software", "file"), "software").items()
        },
    )


def _part(data: Mapping[str, Any], name: str, make: Callable[[Any], _Part]) -> _Part:
    """A part of the file made into what it describes."""
    part = mapping(item(data, name, "file"), name)
    try:
        return make(part)
    except (TypeError, CarromError) as error:
        raise ConfigError(f"{name}: {error}") from error


def _format(data: Any) -> MatchFormat:
    format = MatchFormat(**data)
    if type(format.doubles) is not bool:
        raise ConfigError(f"doubles = {format.doubles!r}: expected true or false")
    return format


def _engine(data: Any) -> EngineKind:
    return EngineKind(**{name: text(value, name) for name, value in data.items()})


def _toss(data: Any, format: MatchFormat) -> Toss:
    toss = Toss(**data)
    if toss.winner not in format.seats:
        raise ConfigError(f"winner = {toss.winner!r}: expected one of {format.seats}")
    if not (toss.takes_break is None or type(toss.takes_break) is bool):
        raise ConfigError(f"takes_break = {toss.takes_break!r}: expected true, false or null")
    return toss


def _names(data: Mapping[str, Any]) -> dict[int, str]:
    names = {}
    for key, name in data.items():
        where = f"names.{key:.60}"
        names[key_of(key, where, 4)] = text(name, where)
    return names


def _strokes(data: list[Any], format: MatchFormat) -> tuple[Stroke, ...]:
    strokes: list[Stroke] = []
    for count, one in enumerate(data, 1):
        previous = strokes[-1] if strokes else None
        try:
            strokes.append(decoded(one, previous, format, f"stroke {count}"))
        except ConfigError:
            raise
        except (TypeError, ValueError, IndexError) as error:
            raise ConfigError(f"stroke {count}: {error}") from error
    return tuple(strokes)

"""Everything that a browser may say, checked strictly; docs/playing.md has the protocol.

Whatever comes in, the outcome is a message or one ``ConfigError`` in one sentence.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

from carrom.action import MIN_SPEED
from carrom.board import Board
from carrom.errors import ConfigError, one_of
from carrom.physics.material import Material
from carrom_agents.serving.settings import LARGEST_SEED, GameSettings

LONGEST = 1024
"""Characters of a message."""
PERSON = "person"
"""Stands where a computing player's name would."""
_LARGEST_NUMBER = 10**6
_REACH = Board().half_side
_Check: TypeAlias = Callable[[str, Any], Any]


@dataclass(frozen=True)
class Flick:
    """A person's strike.

    Attributes:
        number: how many strokes were played before it, so that none is played twice.
        place: as in ``carrom.Strike``, m.
        direction: rad, -pi to pi.
        speed: m/s.
    """

    number: int
    place: float
    direction: float
    speed: float


@dataclass(frozen=True)
class Go:
    """Let the next stroke be played, where computing players are watched."""

    number: int


@dataclass(frozen=True)
class Analyse:
    """Say what the position is worth, and what could be played."""

    number: int


Message: TypeAlias = Flick | Go | Analyse


def speed_limits() -> dict[str, float]:
    """Lowest and highest speed of a strike, m/s."""
    return {"slowest": MIN_SPEED, "fastest": Material().full_speed}


def read_message(text: str) -> Message:
    """A message of a page whose game is open.

    Raises:
        ConfigError: it is none; says why.
    """
    data = _object(text)
    kind = one_of("type", data.get("type"), _FIELDS)
    made, fields = _FIELDS[kind]
    return made(**_checked(data, {"type": lambda _, value: value, **fields}, drop={"type"}))


def read_settings(text: str, names: Sequence[str], seed: int) -> GameSettings:
    """The game that a page wants to open.

    Args:
        text: what it sent.
        names: of the computing players there are.
        seed: where it names none.

    Raises:
        ConfigError: it is no game; says why.
    """
    players = (PERSON, *names)

    def player(name: str, value: Any) -> str:
        return one_of(name, value, players)

    data = _checked(
        _object(text),
        {"first": player, "second": player, "task": _text, "noise": _text, "breaks": _text},
        {"first_name": _text, "second_name": _text, "seed": _whole(LARGEST_SEED - 1)},
    )
    chosen = (data["first"], data["second"])
    given = (data.get("first_name", "You"), data.get("second_name", "Guest"))
    first, second = (None if player == PERSON else player for player in chosen)
    return GameSettings(
        players=(first, second),
        names=(
            given[0].strip() if first is None else first,
            given[1].strip() if second is None else second,
        ),
        task=data["task"],
        noise=data["noise"],
        breaks=data["breaks"],
        seed=data.get("seed", seed),
    )


def _object(text: str) -> Mapping[str, Any]:
    if len(text) > LONGEST:
        raise ConfigError(f"message of {len(text)} characters: expected at most {LONGEST}")
    try:
        data = json.loads(text, parse_constant=_no_number, object_pairs_hook=_unique)
    except ConfigError:
        raise
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"message: expected JSON: {error}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"message = {data!r:.60}: expected an object")
    return data


def _no_number(name: str) -> NoReturn:
    raise ConfigError(f"message: {name} is no number of JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        raise ConfigError("message: a key comes twice")
    return data


def _checked(
    data: Mapping[str, Any],
    required: Mapping[str, _Check],
    optional: Mapping[str, _Check] | None = None,
    *,
    drop: frozenset[str] | set[str] = frozenset(),
) -> dict[str, Any]:
    known = {**required, **(optional or {})}
    for name in data:
        if name not in known:
            raise ConfigError(f"key {name!r:.60}: unknown; expected {', '.join(known)}")
    for name in required:
        if name not in data:
            raise ConfigError(f"{name} is missing")
    return {name: known[name](name, value) for name, value in data.items() if name not in drop}


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"{name} = {value!r:.60}: expected text")
    return value


def _whole(greatest: int) -> _Check:
    def check(name: str, value: Any) -> int:
        if not (type(value) is int and 0 <= value <= greatest):
            raise ConfigError(f"{name} = {value!r:.60}: expected a whole number 0 to {greatest}")
        return value

    return check


def _within(low: float, high: float) -> _Check:
    def check(name: str, value: Any) -> float:
        # Comparing takes whole numbers of any size; nothing compares with what is no number.
        if type(value) not in (int, float) or not low <= value <= high:
            raise ConfigError(f"{name} = {value!r:.60}: expected a number {low:g} to {high:g}")
        return float(value)

    return check


_NUMBER = {"number": _whole(_LARGEST_NUMBER)}
_FIELDS: dict[str, tuple[Callable[..., Message], Mapping[str, _Check]]] = {
    "strike": (
        Flick,
        {
            **_NUMBER,
            "place": _within(-_REACH, _REACH),
            "direction": _within(-math.pi, math.pi),
            "speed": _within(MIN_SPEED, Material().full_speed),
        },
    ),
    "go": (Go, _NUMBER),
    "analyse": (Analyse, _NUMBER),
}
"""By type, what a message is made into, and what it must hold."""

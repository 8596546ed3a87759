"""A stroke whose computation failed, to be repeated elsewhere."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from carrom.board import Board
from carrom.errors import ConfigError
from carrom.layout import Layout
from carrom.physics.material import Material
from carrom.physics.strike import Strike

_FORMAT = "carrom stroke 1"


@dataclass(frozen=True)
class StrokeDump:
    """Everything a stroke depends on.

    Attributes:
        board: the board.
        material: the material.
        ground: kind of ground.
        layout: where the carrommen lay.
        strike: the strike, in the frame of ``seat``.
        seat: who struck.
        reason: what went wrong.
    """

    board: Board
    material: Material
    ground: str
    layout: Layout
    strike: Strike
    seat: int
    reason: str

    def save(self, path: str | Path) -> None:
        """Write the dump as JSON; numbers keep every bit."""
        content: dict[str, Any] = {
            "format": _FORMAT,
            "board": dataclasses.asdict(self.board),
            "material": dataclasses.asdict(self.material),
            "ground": self.ground,
            "positions": self.layout.positions.tolist(),
            "on_board": self.layout.on_board.tolist(),
            "strike": dataclasses.asdict(self.strike),
            "seat": self.seat,
            "reason": self.reason,
        }
        Path(path).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")

    def not_finite(self) -> Iterator[str]:
        """What of the stroke is not finite, with its name; board and material always are."""
        for name, value in dataclasses.asdict(self.strike).items():
            if not np.isfinite(value):
                yield f"strike.{name} = {value}"
        for index in np.flatnonzero(self.layout.on_board).tolist():
            if not np.isfinite(place := self.layout.positions[index]).all():
                yield f"positions[{index}] = {place.tolist()}"

    @classmethod
    def load(cls, path: str | Path) -> StrokeDump:
        """Read a saved dump.

        Raises:
            ConfigError: the file is not one.
        """
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            if content["format"] != _FORMAT:
                raise ValueError("another format")
            seat, texts = content["seat"], (content["ground"], content["reason"])
            if type(seat) is not int or not 0 <= seat < 4:
                raise ValueError(f"seat = {seat!r:.60}: expected 0 to 3")
            if not all(isinstance(text, str) for text in texts):
                raise ValueError(f"ground, reason = {texts!r:.60}: expected texts")
            return cls(
                Board(**content["board"]),
                Material(**content["material"]),
                content["ground"],
                Layout(content["positions"], content["on_board"]),
                Strike(**{name: _number(name, value) for name, value in content["strike"].items()}),
                seat,
                content["reason"],
            )
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            OverflowError,
            RecursionError,
        ) as error:
            raise ConfigError(f"{path}: expected a saved stroke ({_FORMAT!r}): {error}") from None


def _number(name: str, value: Any) -> float:
    """A number as JSON gives it; of a strike it need not be finite."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"strike.{name} = {value!r:.60}: expected a number")
    return float(value)

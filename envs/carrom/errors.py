"""Errors this package raises: ``ValueError`` for bad input, ``RuntimeError`` for a bad machine."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol


class CarromError(Exception):
    """Base of every error raised on purpose by this package."""


class BoardError(CarromError, ValueError):
    """A dimension or a layout is not one the laws allow."""


class ActionError(CarromError, ValueError):
    """An action is not a number, has the wrong shape or lies outside its space."""


class ConfigError(CarromError, ValueError):
    """An unknown name or a bad value was given as an option."""


class FactsError(CarromError, ValueError):
    """The facts of a stroke contradict the position they are applied to."""


class RenderError(CarromError, RuntimeError):
    """There is nothing to draw with: no graphics back end, no display, no encoder."""


class CheckpointError(CarromError, ValueError):
    """A saved agent is missing, damaged, or made for another network."""


class Dump(Protocol):
    """What is needed to repeat a computation that failed."""

    def save(self, path: str | Path) -> None:
        """Write it to a file."""


class PhysicsError(CarromError, RuntimeError):
    """The physics of a stroke diverged.

    Attributes:
        dump: what was computed, to be saved and replayed.
    """

    def __init__(self, message: str, dump: Dump) -> None:
        super().__init__(message, dump)
        self.dump = dump

    def __str__(self) -> str:
        return str(self.args[0])


class WorkerError(CarromError, RuntimeError):
    """A process that played some of the boards has ended unexpectedly."""


def one_of(option: str, name: Any, known: Iterable[str]) -> str:
    """``name`` if it is one of the ``known`` ones.

    Raises:
        ConfigError: it is not; lists them.
    """
    known = list(known)
    if not (isinstance(name, str) and name in known):
        raise ConfigError(f"{option} = {name!r}: expected one of {known}")
    return name

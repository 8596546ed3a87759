"""A strict reader of JSON objects: every field known, of the right type, in range."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from carrom.errors import FactsError

Check: TypeAlias = Callable[[Any, str], None]
"""Raises FactsError, naming the field, when the value is not what it should be."""


@dataclass(frozen=True)
class Field:
    """A field of an object.

    Attributes:
        check: what its value has to satisfy.
        required: whether it has to be there.
        nullable: whether it may be null.
    """

    check: Check
    required: bool = True
    nullable: bool = False


class FieldError(FactsError):
    """A field is not what it should be, or contradicts another.

    Attributes:
        path: names of the objects it lies in and its own, with dots between them.
        value: what stands in it.
        expected: what should.
    """

    def __init__(self, path: str, value: Any, expected: str) -> None:
        super().__init__(f"{path} = {value!r}: expected {expected}")
        self.path = path
        self.value = value
        self.expected = expected


def obj(fields: Mapping[str, Field]) -> Check:
    """An object with exactly these fields."""

    def check(value: Any, path: str) -> None:
        if not isinstance(value, dict):
            raise FieldError(path or "the line", value, "an object")
        prefix = f"{path}." if path else ""
        for name in value:
            if name not in fields:
                raise FactsError(f"{prefix}{name}: unknown field, expected {', '.join(fields)}")
        for name, field in fields.items():
            if name not in value:
                if field.required:
                    raise FactsError(f"{prefix}{name}: missing")
            elif value[name] is not None or not field.nullable:
                field.check(value[name], prefix + name)

    return check


def integer(low: int, high: int | None = None) -> Check:
    """A whole number in a range."""
    wanted = f"a whole number from {low} to {high}" if high is not None else f"at least {low}"

    def check(value: Any, path: str) -> None:
        # bool is a kind of int in Python, but true is no number in JSON.
        if type(value) is not int or value < low or (high is not None and value > high):
            raise FieldError(path, value, wanted)

    return check


def choice(*values: str) -> Check:
    """One of some words."""

    def check(value: Any, path: str) -> None:
        if value not in values:
            raise FieldError(path, value, f"one of {', '.join(values)}")

    return check


def boolean(value: Any, path: str) -> None:
    """True or false."""
    if type(value) is not bool:
        raise FieldError(path, value, "true or false")


def text(value: Any, path: str) -> None:
    """A string."""
    if not isinstance(value, str):
        raise FieldError(path, value, "a string")


def texts(value: Any, path: str) -> None:
    """A list of strings."""
    if not isinstance(value, list):
        raise FieldError(path, value, "a list of strings")
    for index, item in enumerate(value):
        text(item, f"{path}[{index}]")

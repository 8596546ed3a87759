"""Frozen dataclasses from YAML, strictly.

Every key must be a field, every field without a default must be there, and every value must
have the field's type. What is wrong is said once, with the file, the key's full path, the
value and what was expected.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from pathlib import Path
from typing import Any, Literal, TypeVar, Union

import yaml

from carrom.errors import ConfigError

T = TypeVar("T")


def load(cls: type[T], path: Path) -> T:
    """The ``cls`` that the YAML file at ``path`` describes.

    Raises:
        ConfigError: no such file, not YAML, or a key or value that does not fit.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be read ({error.strerror}): expected a YAML file"
        ) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 (byte {error.start}): expected a YAML file") from None
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None
    return build(cls, {} if document is None else document, str(path))


def build(cls: type[T], document: Any, source: str) -> T:
    """The ``cls`` that parsed YAML describes; ``source`` is named in errors.

    Raises:
        ConfigError: a key or value that does not fit.
    """
    return _build(cls, document, source, "")


def dump(instance: Any) -> str:
    """YAML from which ``load`` makes an equal instance."""
    return yaml.safe_dump(document_of(instance), sort_keys=False)


def document_of(instance: Any) -> Any:
    """What ``build`` makes an equal instance of."""
    return _plain(dataclasses.asdict(instance))


def _plain(value: Any) -> Any:
    """``value`` with tuples as lists: YAML knows no tuples."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


def _build(cls: type[T], document: Any, file: str, path: str) -> T:
    where = f"{file}: {path or 'the document'}"
    if not isinstance(document, dict):
        raise ConfigError(f"{where} = {document!r}: expected a mapping of {cls.__name__}'s keys")
    fields = {field.name: field for field in dataclasses.fields(typing.cast(Any, cls))}
    for key in document:
        if key not in fields:
            raise ConfigError(
                f"{file}: unknown key {_join(path, key)}: expected one of {', '.join(fields)}"
            )
    hints = typing.get_type_hints(cls)
    values: dict[str, Any] = {}
    for name, field in fields.items():
        if name in document:
            values[name] = _convert(hints[name], document[name], file, _join(path, name))
        elif field.default is field.default_factory is dataclasses.MISSING:
            raise ConfigError(f"{file}: {_join(path, name)} is missing: it has no default")
    try:
        return cls(**values)
    except ConfigError as error:
        raise ConfigError(f"{file}: {_join(path, error)}") from None


def _join(path: str, key: Any) -> str:
    return f"{path}.{key}" if path else str(key)


def _convert(hint: Any, value: Any, file: str, path: str) -> Any:
    """``value`` as the type ``hint``, or an error."""
    if dataclasses.is_dataclass(hint):
        return _build(typing.cast(type[Any], hint), value, file, path)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _convert(arguments[0], value, file, path)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in arguments:
            return None
        (inner,) = (argument for argument in arguments if argument is not type(None))
        return _convert(inner, value, file, path)
    if origin is dict and isinstance(value, dict):
        names, inner = arguments
        return {
            _convert(names, key, file, f"a key of {path}"): _convert(
                inner, item, file, _join(path, key)
            )
            for key, item in value.items()
        }
    if hint is Any:
        return value
    if origin is Literal and isinstance(value, str) and value in arguments:
        return value
    if origin is tuple and isinstance(value, list):
        if arguments[-1] is Ellipsis:
            arguments = (arguments[0],) * len(value)
        if len(value) != len(arguments):
            raise ConfigError(f"{file}: {path} = {value!r}: expected {_describe(hint)}")
        pairs = zip(arguments, value, strict=True)
        return tuple(
            _convert(part, item, file, f"{path}[{i}]") for i, (part, item) in enumerate(pairs)
        )
    if hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if hint in (int, str, bool) and type(value) is hint:
        return value
    raise ConfigError(f"{file}: {path} = {value!r}: expected {_describe(hint)}")


def _describe(hint: Any) -> str:
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is Literal:
        return f"one of {', '.join(arguments)}"
    if typing.get_origin(hint) is dict:
        return "a mapping"
    if typing.get_origin(hint) is tuple and arguments[-1] is Ellipsis:
        return f"a list, each of it {_describe(arguments[0])}"
    if typing.get_origin(hint) is tuple:
        return f"a list of {len(arguments)} ({', '.join(_describe(part) for part in arguments)})"
    names = {
        int: "an integer",
        float: "a number (exponents need a point: 3.0e-4)",
        str: "a string",
        bool: "true or false",
        Any: "anything",
    }
    return names[hint]

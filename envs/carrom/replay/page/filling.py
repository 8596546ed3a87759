"""Pages put together from files: templates, and data that scripts can read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

PAGE = "carrom.replay.page"
"""The package whose files the pages of others use, too."""


def part(name: str, package: str = PAGE) -> str:
    """The text of a file of a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def filled(template: str, values: Mapping[str, str]) -> str:
    """A template with ``{{name}}`` replaced by values, which have been escaped as they need.

    In one pass: what is put in is not looked through for more marks.
    """
    first, *rest = template.split("{{")
    pieces = [first]
    for piece in rest:
        name, after = piece.split("}}", 1)
        pieces += [values[name], after]
    return "".join(pieces)


def for_script(data: Any) -> str:
    """JSON that can stand in a script element: nothing in it can end the element."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")

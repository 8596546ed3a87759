"""The page put together: template, style, programs, the board, and the replay as data."""

from __future__ import annotations

from html import escape
from typing import Any

from carrom.errors import ConfigError
from carrom.replay.films import filmed
from carrom.replay.page.data import (
    FILM_RATE,
    board_data,
    board_drawings,
    law_texts,
    names_data,
    places_data,
    stroke_data,
)
from carrom.replay.page.filling import filled, for_script, part
from carrom.replay.replay import Replay

_PROGRAMS = ("board.js", "sheet.js", "replay.js")


def html(replay: Replay) -> str:
    """The replay as an HTML document that asks no network for anything.

    Raises:
        ConfigError: there is nothing to show, or as ``carrom.replay.film_of``.
    """
    if not replay.strokes:
        raise ConfigError("no strokes: expected at least one to show")
    data = _data(replay)
    return filled(
        part("template.html"),
        {
            "title": escape(data["title"]),
            "style": part("style.css"),
            "boards": board_drawings(replay.board),
            "data": for_script(data),
            "programs": "\n".join(map(part, _PROGRAMS)),
        },
    )


def _data(replay: Replay) -> dict[str, Any]:
    strokes = list(filmed(replay, FILM_RATE))
    names = names_data(replay)
    return {
        "title": " - ".join(names["sides"]),
        **board_data(replay.board),
        **names,
        "laws": law_texts(strokes),
        "strokes": [stroke_data(replay, stroke, n) for n, stroke in enumerate(strokes, 1)],
        "end": places_data(strokes[-1].after.layout),
    }

"""The page put together: template, style, program, the board, and the replay as data."""

from __future__ import annotations

import json
import re
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from carrom.board import Board
from carrom.errors import ConfigError
from carrom.laws import LAWS, QueenState, cited, colour_of, sentences, side_of
from carrom.layout import Layout
from carrom.render.board_shapes import board_shapes
from carrom.render.shapes import THEMES
from carrom.render.svg import svg_elements
from carrom.replay.films import filmed
from carrom.replay.page.paths import UNIT, paths
from carrom.replay.replay import Replay, consistent
from carrom.sheet_wording import Seating, occurrence, placing
from carrom.table import Stroke

_RATE = 240.0
"""Frames per second that paths are taken from."""


def html(replay: Replay) -> str:
    """The replay as an HTML document that asks no network for anything.

    Raises:
        ConfigError: there is nothing to show, or as ``carrom.replay.film_of``.
    """
    if not replay.strokes:
        raise ConfigError("no strokes: expected at least one to show")
    seating = Seating(replay.format, replay.names)
    title = f"{seating.side(0)} - {seating.side(1)}"
    page = {
        "title": escape(title),
        "style": _part("style.css"),
        "boards": "\n".join(_board(replay.board, theme) for theme in THEMES),
        "data": _for_script(_data(replay, seating, title)),
        "program": _part("replay.js"),
    }
    # One pass over the template: what is put in is not looked through for more marks.
    first, *rest = _part("template.html").split("{{")
    pieces = [first]
    for piece in rest:
        name, after = piece.split("}}", 1)
        pieces += [page[name], after]
    return "".join(pieces)


def _part(name: str) -> str:
    return files("carrom.replay.page").joinpath(name).read_text(encoding="utf-8")


def _for_script(data: Any) -> str:
    """JSON that can stand in a script element: nothing in it can end the element."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _board(board: Board, theme: str) -> str:
    """The empty board as an SVG element of the document."""
    half = 1000 * (board.half_side + board.frame_width)
    elements = "".join(svg_elements(board_shapes(board, THEMES[theme].style)))
    box = f"{-half:g} {-half:g} {2 * half:g} {2 * half:g}"
    return f'<svg class="wood {theme}" viewBox="{box}" aria-hidden="true">{elements}</svg>'


def _data(replay: Replay, seating: Seating, title: str) -> dict[str, Any]:
    strokes = list(filmed(replay, _RATE))
    last, shown = strokes[-1], []
    for number, stroke in enumerate(strokes, 1):
        with consistent(number):
            shown.append(_stroke(replay, stroke, seating))
    return {
        "title": title,
        "unit": UNIT,
        "half": replay.board.half_side + replay.board.frame_width,
        "frame": replay.board.frame_width,
        "pockets": replay.board.pocket_centres.tolist(),
        "radii": [replay.board.carromman_radius, replay.board.striker_radius],
        "discs": [
            ["#{:02x}{:02x}{:02x}".format(*colour) for colour in pair]
            for pair in THEMES["light"].style.discs
        ],
        "sides": [seating.side(0), seating.side(1)],
        "players": {seat: seating.player(seat) for seat in replay.format.seats},
        "task": replay.task,
        "noise": replay.noise_level,
        "engine": replay.engine.name,
        "laws": {law: LAWS[law] for stroke in strokes for law in cited(stroke.ruling)},
        "strokes": shown,
        "end": _places(last.after.layout),
    }


def _stroke(replay: Replay, stroke: Stroke, seating: Seating) -> dict[str, Any]:
    """One stroke or incident as the program needs it; lengths in ``UNIT``, times in ms."""
    before, motion = stroke.before, stroke.motion
    board, doubles = before.match.board, replay.format.doubles
    data: dict[str, Any] = {
        "at": _places(before.layout),
        "seat": stroke.seat,
        "side": before.side_of_board(stroke.seat),
        "rotation": int(before.match.rotation),
        "black": int(colour_of(stroke.seat, board, doubles=doubles)),
        "what": _in_one_line(occurrence(stroke)),
        "laws": list(cited(stroke.ruling)),
        "so": sentences(stroke.ruling)[-1],
        "laid": [
            placing([one], "the umpire" if one.seat is None else seating.player(one.seat))
            for one in stroke.laid
        ],
        "before": _score(replay, stroke, after=False),
        "after": _score(replay, stroke, after=True),
    }
    if motion is not None and motion.trajectory is not None and stroke.strike is not None:
        place = stroke.strike.position(replay.board, before.side_of_board(stroke.seat))
        velocity = stroke.strike.velocity(before.side_of_board(stroke.seat))
        data |= {
            "ms": round(motion.duration * 1000),
            "from": [round(x / UNIT) for x in place.tolist()],
            "velocity": [round(v, 3) for v in velocity.tolist()],
            "paths": paths(motion.trajectory),
            "falls": [
                [fall.index, fall.pocket, round(fall.time * 1000)] for fall in motion.pocketed
            ],
        }
    return data


def _in_one_line(columns: str) -> str:
    """What the sheet sets in columns, the outcome set off by three blanks, with commas."""
    parts = columns.strip().rsplit("   ", 1)
    return ": ".join(re.sub(" {2,}", ", ", part.strip()) for part in parts)


def _places(layout: Layout) -> list[int | None]:
    """X and y of each carromman in ``UNIT``, None for both off the board, in index order."""
    whole = np.rint(layout.positions / UNIT).astype(int).tolist()
    return [
        number if there else None
        for pair, there in zip(whole, layout.on_board.tolist(), strict=True)
        for number in pair
    ]


def _score(replay: Replay, stroke: Stroke, *, after: bool) -> dict[str, Any]:
    """What stands on the scoreboard. Pairs by side; C/m and debts by colour."""
    match = (stroke.after if after else stroke.before).match
    board, game = match.board, match.game
    queen = int(board.queen)
    holder = None
    if queen >= QueenState.COVERED_WHITE:
        holder = "white" if queen == QueenState.COVERED_WHITE else "black"
    doubles = replay.format.doubles
    return {
        "board": int(game.board_number),
        "game": int(match.game_number),
        "score": [int(points) for points in game.score],
        "games": [int(games) for games in match.games_won],
        "left": [int(count) for count in board.on_board],
        "owed": [int(count) for count in board.owed],
        "queen": {0: "on the board", 1: "to be covered"}.get(queen, f"covered by {holder}"),
        "white": int(side_of(int(board.breaker_seat), doubles=doubles)),
    }

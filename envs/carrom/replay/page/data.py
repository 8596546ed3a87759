"""What a page shows of boards, strokes and scores: data for its scripts, and the empty board."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from carrom.board import Board
from carrom.laws import LAWS, MatchFormat, QueenState, cited, colour_of, sentences, side_of
from carrom.layout import Layout
from carrom.render.board_shapes import board_shapes
from carrom.render.shapes import THEMES
from carrom.render.svg import svg_elements
from carrom.replay.page.paths import UNIT, paths
from carrom.replay.replay import Replay, consistent
from carrom.sheet_wording import Seating, occurrence, placing
from carrom.table import Stroke
from carrom.tasks import Position

FILM_RATE = 240.0
"""Frames per second that paths are taken from."""


def board_drawings(board: Board) -> str:
    """The empty board as SVG elements of a document, one for each theme."""
    return "\n".join(_drawing(board, theme) for theme in THEMES)


def _drawing(board: Board, theme: str) -> str:
    half = 1000 * (board.half_side + board.frame_width)
    elements = "".join(svg_elements(board_shapes(board, THEMES[theme].style)))
    box = f"{-half:g} {-half:g} {2 * half:g} {2 * half:g}"
    return f'<svg class="wood {theme}" viewBox="{box}" aria-hidden="true">{elements}</svg>'


def board_data(board: Board) -> dict[str, Any]:
    """What ``board.js`` needs to draw on ``board``; lengths in m."""
    return {
        "unit": UNIT,
        "half": board.half_side + board.frame_width,
        "frame": board.frame_width,
        "pockets": board.pocket_centres.tolist(),
        "radii": [board.carromman_radius, board.striker_radius],
        "discs": [
            ["#{:02x}{:02x}{:02x}".format(*colour) for colour in pair]
            for pair in THEMES["light"].style.discs
        ],
    }


def names_data(replay: Replay) -> dict[str, Any]:
    """What players and sides are called, and what they play."""
    seating = Seating(replay.format, replay.names)
    return {
        "sides": [seating.side(0), seating.side(1)],
        "players": {seat: seating.player(seat) for seat in replay.format.seats},
        "task": replay.task,
        "noise": replay.noise_level,
        "engine": replay.engine.name,
    }


def stroke_data(replay: Replay, stroke: Stroke, number: int) -> dict[str, Any]:
    """One stroke or incident as the scripts need it; lengths in ``UNIT``, times in ms.

    Args:
        replay: that holds it.
        stroke: with its film, see ``carrom.replay.film_of``.
        number: of the stroke, from 1.

    Raises:
        ConfigError: the stroke contradicts itself or those before it.
    """
    with consistent(number):
        return _stroke(replay, stroke)


def _stroke(replay: Replay, stroke: Stroke) -> dict[str, Any]:
    seating = Seating(replay.format, replay.names)
    before, motion = stroke.before, stroke.motion
    board, doubles = before.match.board, replay.format.doubles
    data: dict[str, Any] = {
        "at": places_data(before.layout),
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
        "before": score_data(before, replay.format),
        "after": score_data(stroke.after, replay.format),
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


def law_texts(strokes: Iterable[Stroke]) -> dict[str, str]:
    """What the laws say that the rulings cite."""
    return {law: LAWS[law] for stroke in strokes for law in cited(stroke.ruling)}


def places_data(layout: Layout) -> list[int | None]:
    """X and y of each carromman in ``UNIT``, None for both off the board, in index order."""
    whole = np.rint(layout.positions / UNIT).astype(int).tolist()
    return [
        number if there else None
        for pair, there in zip(whole, layout.on_board.tolist(), strict=True)
        for number in pair
    ]


def score_data(position: Position, format: MatchFormat) -> dict[str, Any]:
    """What stands on the scoreboard. Pairs by side; C/m and debts by colour."""
    match = position.match
    board, game = match.board, match.game
    queen = int(board.queen)
    holder = None
    if queen >= QueenState.COVERED_WHITE:
        holder = "white" if queen == QueenState.COVERED_WHITE else "black"
    return {
        "board": int(game.board_number),
        "game": int(match.game_number),
        "score": [int(points) for points in game.score],
        "games": [int(games) for games in match.games_won],
        "left": [int(count) for count in board.on_board],
        "owed": [int(count) for count in board.owed],
        "queen": {0: "on the board", 1: "to be covered"}.get(queen, f"covered by {holder}"),
        "white": int(side_of(int(board.breaker_seat), doubles=format.doubles)),
    }


def _in_one_line(columns: str) -> str:
    """What the sheet sets in columns, the outcome set off by three blanks, with commas."""
    parts = columns.strip().rsplit("   ", 1)
    return ": ".join(re.sub(" {2,}", ", ", part.strip()) for part in parts)

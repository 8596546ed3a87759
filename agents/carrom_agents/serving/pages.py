"""The pages put together, and the files they load."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from carrom.physics.noise import NOISE_LEVELS
from carrom.replay.page.data import board_data, board_drawings
from carrom.replay.page.filling import PAGE, filled, for_script, part
from carrom_agents.serving.game import Game
from carrom_agents.serving.messages import PERSON, speed_limits
from carrom_agents.serving.settings import TASKS

_HERE = "carrom_agents.serving.page"
FILES = {
    "board.js": (PAGE, "text/javascript"),
    "sheet.js": (PAGE, "text/javascript"),
    "style.css": (PAGE, "text/css"),
    "aim.js": (_HERE, "text/javascript"),
    "play.js": (_HERE, "text/javascript"),
    "start.js": (_HERE, "text/javascript"),
    "play.css": (_HERE, "text/css"),
}
"""What pages load: the package that holds it, and its kind."""
_TASKS = {"board": "a board", "game": "a game to 25", "match": "best of three games"}


def start_page(names: Sequence[str], preferred: str) -> str:
    """Where a game is chosen.

    Args:
        names: of the computing players.
        preferred: the one that is chosen at first.
    """
    players = [(PERSON, "a person"), *((name, name) for name in names)]
    levels = [(level, level) for level in NOISE_LEVELS]
    return filled(
        part("start.html", _HERE),
        {
            "first": _options(players, PERSON),
            "second": _options(players, preferred),
            "tasks": _options([(task, _TASKS[task]) for task in TASKS], "board"),
            "noise": _options(levels, "expert"),
        },
    )


def game_page(game: Game) -> str:
    """Where a game is played or watched."""
    view = game.view()
    names = game.names_shown
    data = {
        **board_data(view.board),
        **names,
        "laws": {},
        "people": game.people,
        "limits": speed_limits(),
        "line": view.board.base_line_y,
        "corner": view.board.half_side,
    }
    return filled(
        part("play.html", _HERE),
        {
            "title": escape(" - ".join(names["sides"])),
            "boards": board_drawings(view.board),
            "data": for_script(data),
        },
    )


def refusal_page(reason: str) -> str:
    """Where a page was asked for that there is not."""
    sentence = f"{reason[:1].upper()}{reason[1:]}."
    return filled(part("refusal.html", _HERE), {"reason": escape(sentence)})


def _options(choices: Sequence[tuple[str, str]], chosen: str) -> str:
    return "".join(
        f'<option value="{escape(value)}"{" selected" * (value == chosen)}>{escape(text)}</option>'
        for value, text in choices
    )

"""A hand at the page: strikes made with the mouse in a real browser."""

from __future__ import annotations

import json
import math
import re
from typing import Any
from urllib.request import Request, urlopen

from chromium import Browser
from game_site import WISH

from carrom.board import Board
from carrom.physics.strike import Strike

BOARD = Board()
HALF = BOARD.half_side + BOARD.frame_width
STATUS = "document.querySelector('#status').textContent"
AIMING = "document.body.classList.contains('aiming')"
OVER = f"{STATUS}.startsWith('The end')"
_DEAD, _REACH = 0.012, 0.3
"""m: how far back is no stroke yet, and how far is full force, as the page says."""


class Hand:
    """Someone at a page in which a game is open.

    Args:
        browser: shows it.
        address: of the server.
    """

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser, self.address = browser, address

    def open(
        self, *, width: int = 1000, height: int = 720, phone: bool = False, **wish: Any
    ) -> str:
        """Open a game of which nothing is left to chance, and its page; its token."""
        content = json.dumps(WISH | wish).encode()
        asked = Request(f"{self.address}/games", content, {"content-type": "application/json"})
        with urlopen(asked, timeout=30) as answer:
            token = json.load(answer)["game"]
        page = f"{self.address}/games/{token}"
        self.browser.open(page, width=width, height=height, phone=phone)
        return token

    def open_by_form(self, *, width: int, height: int, phone: bool, **wish: str) -> str:
        """Open a game as people do; its token."""
        self.browser.open(self.address, width=width, height=height, phone=phone)
        for name, value in wish.items():
            self.browser.ask(
                f"(() => {{ const field = document.getElementById({name!r});"
                f"field.value = {value!r}; field.dispatchEvent(new Event('change')); }})()"
            )
        (self.browser.tap if phone else self.browser.click)("#open")
        self.browser.wait("location.pathname.startsWith('/games/')")
        self.browser.wait("document.readyState === 'complete'")
        return self.browser.ask("location.pathname").rsplit("/", 1)[1]

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Where a place of the person's own frame, m, is in the window."""
        box = "(() => { const b = document.querySelector('#discs').getBoundingClientRect();"
        left, top, side = self.browser.ask(box + "return [b.x, b.y, b.width]; })()")
        return left + (x + HALF) / (2 * HALF) * side, top + (HALF - y) / (2 * HALF) * side

    @property
    def place(self) -> float:
        """Where the striker stands, m, as the page says."""
        shown = self.browser.ask("document.querySelector('#place_shown').textContent")
        number, side = re.fullmatch(r"([\d.]+) cm ?(left|right)?", shown).groups()  # type: ignore[union-attr]
        return float(number) / 100 * (-1 if side == "left" else 1)

    def slide(self, place: float) -> None:
        """Draw the striker along the base line."""
        y = BOARD.base_line_y
        self.browser.drag(self.point(self.place, y), self.point(place, y))

    def pull(
        self, direction: float, speed: float, fastest: float = 5.0
    ) -> list[tuple[float, float]]:
        """Where the pointer goes for a strike: pressed ahead of the centre, drawn back over it."""
        back = _DEAD + (speed - 0.25) / (fastest - 0.25) * (_REACH - _DEAD)
        u, v = -math.sin(direction), math.cos(direction)
        shares = (0.5, 0.2, -0.2, -0.5)
        return [self.point(u * back * share, v * back * share) for share in shares]

    def flick(self, strike: Strike) -> None:
        """Place the striker, aim, and let go."""
        if abs(strike.place - self.place) > 5e-4:
            self.slide(strike.place)
        self.browser.drag(*self.pull(strike.direction, strike.speed))

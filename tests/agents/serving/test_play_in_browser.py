"""The page in a real browser: a whole board by mouse, fingers, keys, and a bad line."""

from __future__ import annotations

import math
import selectors
import socket
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from chromium import SIZES, Browser, program
from hand import AIMING, BOARD, OVER, STATUS, Hand

from carrom.replay import verify
from carrom_agents.roster import find_player

pytestmark = pytest.mark.skipif(program() is None, reason="no Chromium is installed here")

HOSTILE = "<img src=x onerror=alert(1)>"
COUNT = "document.querySelectorAll('#list li').length"
RULED = "!document.querySelector('#ruling').classList.contains('pending')"
AIMER = find_player("aimer")


class Line:
    """A line between the browser and the server that can be cut.

    Args:
        port: of the server on this machine.
    """

    def __init__(self, port: int) -> None:
        self._port, self._open = port, True
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Everything that goes on now breaks off."""
        pairs, self._pairs = self._pairs, []
        for end in (end for pair in pairs for end in pair):
            end.close()

    def close(self) -> None:
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                one, _ = self._listener.accept()
            except OSError:
                return
            pair = one, socket.create_connection(("127.0.0.1", self._port))
            self._pairs.append(pair)
            threading.Thread(target=self._carry, args=pair, daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with selectors.DefaultSelector() as selector:
            for end, to in ((one, other), (other, one)):
                selector.register(end, selectors.EVENT_READ, to)
            try:
                while True:
                    for key, _ in selector.select(timeout=0.2):
                        content = key.fileobj.recv(1 << 16)  # type: ignore[union-attr]
                        if not content:
                            return
                        key.data.sendall(content)
                    if one.fileno() < 0:
                        return
            except (OSError, ValueError):
                return
            finally:
                one.close()
                other.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def hand(browser, running) -> Iterator[Hand]:
    browser.complaints.clear()
    browser.requests.clear()
    browser.prefer("light")
    browser.prefer_stillness(True)
    yield Hand(browser, running.address)
    assert browser.complaints == []
    assert all(request.startswith(running.address) for request in browser.requests)


def test_a_whole_board_by_mouse(hand, running) -> None:
    """Strikes as the aimer means them, a hostile name, and at the end the replay is right."""
    browser, rng = hand.browser, np.random.default_rng(2)
    wish = {"second": "random", "noise": "none", "first_name": HOSTILE}
    token = hand.open_by_form(width=1000, height=720, phone=False, **wish)
    game = running.host.find(token).game
    asked = []
    for _ in range(120):
        browser.wait(f"{AIMING} || {OVER}")
        if browser.ask(OVER):
            break
        asked.append(AIMER(game.view(), rng))
        count = browser.ask(COUNT)
        hand.flick(asked[-1])
        browser.wait(f"{COUNT} > {count}")
    replay = game.replay()
    assert replay.result is not None
    assert browser.ask(STATUS) == f"The end: {game.shown['end']}"
    assert verify(replay).equal
    own = [stroke for stroke in replay.strokes if stroke.seat == game.people[0]]
    assert len(own) == len(asked) > 9
    for stroke, meant in zip(own, asked, strict=True):
        assert stroke.meant is not None
        # A pixel is 1.3 mm; from pull to pull there is more of it for a fast stroke.
        assert abs(stroke.meant.place - meant.place) < 2e-3
        assert abs(stroke.meant.speed - max(meant.speed, 0.25)) < 0.1
        turn = stroke.meant.direction - meant.direction
        assert abs(math.atan2(math.sin(turn), math.cos(turn))) < 0.08
    points = browser.ask("[...document.querySelectorAll('#score .points')].map(e => e.textContent)")
    assert points == [str(int(p)) for p in replay.strokes[-1].after.match.game.score]
    assert browser.ask(COUNT) == len(replay.strokes)
    # The name has stayed text.
    assert browser.ask("document.images.length") == 0
    assert browser.ask("document.querySelector('#score').textContent").count(HOSTILE) == 1
    assert not browser.ask("document.querySelector('#downloads').hidden")


def test_where_the_striker_may_not_stand_it_is_not_flicked(hand, running) -> None:
    browser = hand.browser
    token = hand.open(second="random")
    browser.wait(AIMING)
    illegal = "document.querySelector('#aim').classList.contains('illegal')"
    assert not browser.ask(illegal)
    # Half over the base circle (130.b).
    hand.slide(BOARD.base_circle_x - 0.02)
    assert browser.ask(illegal)
    assert browser.ask("document.querySelector('#strike').disabled")
    browser.drag(*hand.pull(0.0, 2.0))
    browser.press("Enter")
    hand.slide(BOARD.base_circle_x)
    assert not browser.ask(illegal)
    hand.slide(0.05)
    assert hand.place == pytest.approx(0.05, abs=2e-3)
    assert running.host.find(token).game.strokes == []


def test_a_pull_from_the_striker_and_one_that_is_called_off(hand, running) -> None:
    browser = hand.browser
    game = running.host.find(hand.open(second="person")).game
    browser.wait(AIMING)
    line = BOARD.base_line_y
    points = [hand.point(x, line + y) for x, y in ((0, 0), (0.005, -0.02), (0.02, -0.1))]
    # Drawn back a little is no stroke; Escape gives back the aim as it was.
    browser.drag(hand.point(0.1, 0.1), hand.point(0.1, 0.095))
    browser.drag(*points, lets_go=False)
    browser.press("Escape")
    browser.drag(points[-1], points[-1])
    assert browser.ask(COUNT) == 0
    browser.drag(*points)
    browser.wait(f"{COUNT} === 1")
    meant = game.replay().strokes[0].meant
    assert meant is not None
    assert meant.place == pytest.approx(0.0, abs=1e-3)
    assert meant.direction == pytest.approx(math.atan2(0.02, 0.1), abs=0.02)
    # Now the other person sits below, and aims in his own frame.
    browser.wait(f"{STATUS}.includes('Guest to ')")
    hand.slide(0.08)
    browser.drag(*hand.pull(0.4, 3.0))
    browser.wait(f"{COUNT} === 2")
    first, second = game.replay().strokes
    assert first.seat != second.seat
    assert second.meant is not None
    assert second.meant.place == pytest.approx(0.08, abs=2e-3)
    assert second.meant.direction == pytest.approx(0.4, abs=0.02)
    assert second.meant.speed == pytest.approx(3.0, abs=0.1)


def test_by_keys_alone(hand, running) -> None:
    browser = hand.browser
    game = running.host.find(hand.open(second="person", noise="none")).game
    browser.wait(AIMING)
    for key, times in (("d", 12), ("a", 2), ("ArrowLeft", 3), ("ArrowUp", 4)):
        for _ in range(times):
            browser.press(key)
    browser.press("Enter")
    browser.wait(f"{COUNT} === 1")
    meant = game.replay().strokes[0].meant
    assert meant is not None
    assert meant.place == pytest.approx(0.01)
    assert meant.direction == pytest.approx(math.radians(1.5))
    assert meant.speed == pytest.approx(2.2)


def test_strokes_move_and_rulings_follow_them(hand) -> None:
    """On a phone, by finger, with motion."""
    browser = hand.browser
    browser.prefer_stillness(False)
    hand.open_by_form(width=360, height=740, phone=True, second="random")
    browser.wait(AIMING)
    assert browser.ask("document.documentElement.scrollWidth") == 360
    browser.draw_finger(*hand.pull(0.02, 4.5))
    browser.wait(f"{COUNT} >= 1 && !({RULED})")
    assert not browser.ask(AIMING)
    assert not browser.ask("document.querySelector('#skip').disabled")
    browser.wait(RULED)
    assert browser.ask("document.querySelectorAll('#laws li').length") >= 1
    assert browser.ask("document.querySelector('#so').textContent")
    low = browser.ask(
        "Math.min(...[...document.querySelectorAll('#buttons > :not([hidden])')].map("
        "e => Math.min(e.offsetWidth, e.offsetHeight)))"
    )
    assert low >= 38


@pytest.mark.parametrize("watched", [False, True])
def test_it_fits_every_window(hand, watched: bool) -> None:
    browser = hand.browser
    players = {"first": "random"} if watched else {"second": "person", "first_name": "W" * 30}
    token = hand.open(**players)
    for width, height, phone in SIZES:
        page = f"{hand.address}/games/{token}"
        browser.open(page, width=width, height=height, phone=phone)
        browser.wait(f"!{STATUS}.startsWith('Connecting')")
        assert browser.sticking_out() == [], (width, height)


def test_two_are_watched_and_stopped(hand) -> None:
    """Players who need no time are not hurried beyond what the server takes."""
    browser = hand.browser
    hand.open(first="random", second="random")
    browser.wait(f"{COUNT} >= 4")
    browser.press(" ")
    browser.wait("!document.querySelector('#analyse').disabled")
    count = browser.ask(COUNT)
    assert browser.ask("document.querySelector('#strike').hidden")
    assert browser.ask(COUNT) == count
    browser.click("#go")
    browser.wait(f"{OVER} || {COUNT} > 36")
    assert browser.ask("document.querySelector('#error').textContent") == ""


def test_a_line_that_is_cut_is_taken_up_again(browser, running) -> None:
    line = Line(int(running.address.rsplit(":", 1)[1]))
    browser.prefer_stillness(True)
    try:
        hand = Hand(browser, f"http://127.0.0.1:{line.port}")
        game = running.host.find(hand.open(second="person", noise="none")).game
        for count in range(3):
            browser.wait(AIMING)
            hand.browser.drag(*hand.pull(0.01 * count, 2.0))
            browser.wait(f"{COUNT} === {count + 1}")
            line.cut()
            browser.wait("document.querySelector('#error').textContent.includes('lost')")
            browser.wait("document.querySelector('#error').textContent === ''")
        browser.call("Page.reload")
        browser.wait("document.readyState === 'complete'")
        browser.wait(f"{COUNT} === 3 && {AIMING}")
        assert len(game.strokes) == 3
    finally:
        line.close()

"""The page in a real browser: every control works, on a desk and on a phone, without complaint."""

from __future__ import annotations

import dataclasses
import io

import numpy as np
import pytest
from chromium import SIZES, Browser, program
from PIL import Image

from carrom.pieces import STRIKER
from carrom.replay import film_of, html

pytestmark = pytest.mark.skipif(program() is None, reason="no Chromium is installed here")

HOSTILE = "<img src=x onerror=alert(1)><script>alert(1)</script>"
STATUS = "document.querySelector('#status').textContent"
PLAYING = "document.body.classList.contains('playing')"
RULED = "!document.querySelector('#ruling').classList.contains('pending')"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture(scope="module")
def page(board, tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "replay.html"
    named = dataclasses.replace(board, names={0: HOSTILE, 2: "Second & last"})
    file.write_text(html(named), encoding="utf-8")
    return file


@pytest.fixture
def desk(browser, page):
    browser.complaints.clear()
    browser.requests.clear()
    browser.prefer("light")
    browser.open(page, width=1280, height=800)
    yield browser
    assert browser.complaints == []
    assert browser.requests == [page.as_uri()]


def picture(browser):
    return np.asarray(Image.open(io.BytesIO(browser.screenshot())).convert("RGB")).astype(int)


def stage(browser):
    """Left, top and side of the board in the window, pixels."""
    box = "(() => { const b = document.querySelector('#stage').getBoundingClientRect();"
    return browser.ask(box + "return [b.x, b.y, b.width]; })()")


def test_it_opens_at_the_first_stroke_with_names_as_text(desk, board) -> None:
    assert desk.ask(STATUS) == f"Stroke 1 of {len(board.strokes)}"
    names = desk.ask("[...document.querySelectorAll('#score th')].map(e => e.textContent)")
    assert names == [HOSTILE, "Second & last"]
    assert desk.ask("document.images.length") == 0
    assert desk.ask("document.scripts.length") == 2
    assert desk.ask("document.querySelectorAll('#list button').length") == len(board.strokes)


def test_buttons_and_keys_step_and_scrub(desk, board) -> None:
    count = len(board.strokes)
    desk.click("#next")
    assert desk.ask(STATUS).startswith("Stroke 2 ")
    desk.press("ArrowRight")
    assert desk.ask(STATUS).startswith("Stroke 3 ")
    desk.click("#previous")
    assert desk.ask(STATUS).startswith("Stroke 2 ")
    desk.press("End")
    assert desk.ask(STATUS).startswith("The end")
    desk.press("ArrowLeft")
    assert desk.ask(STATUS).startswith(f"Stroke {count} ")
    desk.click("#first")
    assert desk.ask(STATUS).startswith("Stroke 1 ")
    desk.click("#last")
    assert desk.ask(STATUS).startswith("The end")
    desk.ask(
        "(() => { const s = document.querySelector('#scrub'); s.value = 4;"
        "s.dispatchEvent(new Event('input')); })()"
    )
    assert desk.ask(STATUS).startswith("Stroke 5 ")
    desk.click("#list li:nth-child(3) button")
    assert desk.ask(STATUS).startswith("Stroke 3 ")
    for key, speed in (("+", "2"), ("+", "4"), ("-", "2")):
        desk.press(key)
        assert desk.ask("document.querySelector('#speed').value") == speed


def test_it_plays_pauses_and_ends(desk, board) -> None:
    desk.ask(
        "(() => { const s = document.querySelector('#speed'); s.value = '8';"
        "s.dispatchEvent(new Event('change')); })()"
    )
    desk.click("#play")
    assert desk.ask(PLAYING)
    desk.wait(f"{STATUS}.startsWith('Stroke 2 ')")
    desk.click("#play")
    assert not desk.ask(PLAYING)
    desk.press("End")
    desk.press("ArrowLeft")
    desk.ask("document.activeElement.blur()")
    desk.press(" ")
    desk.wait(f"{STATUS}.startsWith('The end')")
    assert not desk.ask(PLAYING)
    # What the scoreboard shows is the last state of the match.
    game = board.strokes[-1].after.match.game
    points = desk.ask("[...document.querySelectorAll('#score .points')].map(e => e.textContent)")
    assert points == [str(int(number)) for number in game.score]


def test_the_ruling_shows_its_laws_once_all_is_at_rest(desk, board) -> None:
    number = next(n for n, s in enumerate(board.strokes, 1) if s.motion and s.motion.pocketed)
    desk.click(f"#list li:nth-child({number}) button")
    assert not desk.ask(RULED)
    desk.ask("document.activeElement.blur()")
    for _ in range(400):
        if desk.ask(RULED):
            break
        desk.press(".")
    assert desk.ask(RULED)
    *laws, so = board.strokes[number - 1].sentences
    shown = desk.ask(
        "[...document.querySelectorAll('#laws li')].map("
        "e => e.children[0].textContent + ': ' + e.children[1].textContent)"
    )
    assert shown == [law.removeprefix("breach of ") for law in laws]
    assert desk.ask("document.querySelector('#so').textContent") == so


def test_discs_are_drawn_where_the_engine_has_them(desk, board) -> None:
    """Half way through a stroke, by the colours of the pixels."""
    number = next(n for n, s in enumerate(board.strokes, 1) if s.motion and s.motion.pocketed)
    motion = film_of(board, number, rate=20.0).motion
    assert motion is not None
    film = motion.trajectory
    assert film is not None
    desk.click(f"#list li:nth-child({number}) button")
    desk.ask("document.activeElement.blur()")
    steps = min(12, len(film.times) - 2)
    for _ in range(steps):
        desk.press(".")
    seen, (left, top, side) = picture(desk), stage(desk)
    half = board.board.half_side + board.board.frame_width
    faces = {0: (246, 236, 212), 1: (44, 42, 44), 2: (212, 34, 48), 3: (74, 132, 214)}
    colours = np.repeat([0, 1, 2, 3], [9, 9, 1, 1])
    checked = 0
    for index in range(STRIKER + 1):
        if film.in_play[steps, index]:
            x, y = film.positions[steps, index]
            # Between the grooves, to the left of the middle.
            x -= 0.3 * board.board.carromman_radius
            column, row = left + (x + half) / half * side / 2, top + (half - y) / half * side / 2
            assert np.abs(seen[round(row), round(column)] - faces[colours[index]]).max() < 40, index
            checked += 1
    assert checked > 5


def test_dark_and_light(desk) -> None:
    theme = "document.documentElement.dataset.theme"
    assert desk.ask(theme) == "light"
    light = picture(desk)
    desk.press("t")
    assert desk.ask(theme) == "dark"
    assert picture(desk).mean() < light.mean() - 40
    desk.click("#theme")
    assert np.abs(picture(desk) - light).mean() < 3
    desk.prefer("dark")
    desk.wait(f"{theme} === 'dark'")


def test_it_fits_every_window(browser, board, tmp_path) -> None:
    page = tmp_path / "replay.html"
    page.write_text(html(dataclasses.replace(board, names={0: "W" * 30, 2: "M" * 30})))
    for width, height, phone in SIZES:
        browser.open(page, width=width, height=height, phone=phone)
        for key in ("Home", "End"):
            browser.press(key)
            assert browser.sticking_out() == [], (width, height, key)


def test_on_a_phone(browser, page) -> None:
    browser.complaints.clear()
    browser.open(page, width=360, height=740, phone=True)
    # Nothing sticks out to the right, whatever the players are called.
    assert browser.ask("document.documentElement.scrollWidth") == 360
    assert stage(browser)[2] > 320
    low = browser.ask(
        "Math.min(...[...document.querySelectorAll('#buttons > *')].map("
        "e => Math.min(e.offsetWidth, e.offsetHeight)))"
    )
    assert low >= 38
    browser.tap("#next")
    browser.wait(f"{STATUS}.startsWith('Stroke 2 ')")
    browser.tap("#discs")
    browser.wait(PLAYING)
    browser.tap("#discs")
    browser.wait(f"!{PLAYING}")
    assert browser.complaints == []

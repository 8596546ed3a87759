"""What is said of a position: the planner's own search, and what its strikes really do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pytest
from chromium import Browser, program
from game_site import idle, until
from hand import AIMING, Hand

from carrom.observation import encode
from carrom.pieces import SLICES, STRIKER
from carrom_agents import released
from carrom_agents.planner import candidates, planner
from carrom_agents.roster import find_player
from carrom_agents.serving.analysis import analysed
from carrom_agents.serving.game import Game
from carrom_agents.serving.messages import Flick
from carrom_agents.serving.settings import GameSettings

PLAYERS = {name: find_player(name) for name in ("aimer", "random")}
CANDIDATES = "document.querySelectorAll('#candidates li').length"


@pytest.fixture(scope="module")
def game() -> Game:
    """A board between the aimer and the other player, with some carrommen down."""
    settings = GameSettings(players=("aimer", "random"), names=("a", "b"), noise="none", seed=4)
    game = Game(settings, PLAYERS)
    while len(game.strokes) < 5:
        game.let_play()
    return game


def test_it_is_the_planners_search_and_the_networks_value(game) -> None:
    question = game.question()
    told = analysed(question, planner, released.ppo)
    rng = np.random.default_rng(question.number)
    searched = candidates(dataclasses.replace(planner, noise="none"), question.view, rng)
    best = told["candidates"][0]
    assert best["points"] == pytest.approx(question.earned + searched[0].points)
    assert told["planned"] == best["points"]
    assert best["strike"][1:] == [searched[0].strike.direction, searched[0].strike.speed]
    points = [each["points"] for each in told["candidates"]]
    assert points == sorted(points, reverse=True)
    words = [each["what"] for each in told["candidates"]]
    assert len(set(words)) == len(words)
    ppo = released.ppo
    value = ppo.agent.value(ppo.params, ppo.scale, encode(question.view)[None])
    assert told["learned"] == pytest.approx(question.earned + float(value[0]))


def test_what_a_candidate_does_is_what_it_does_when_played(game) -> None:
    """Without noise the stroke itself shows whether the words and the paths are right."""
    settings = GameSettings(players=(None, None), names=("a", "b"), noise="none", seed=4)
    table, checked = Game(settings, {}), 0
    while checked < 3:
        question = table.question()
        told = analysed(question, planner, released.ppo)
        assert (told["planned"] is None) == question.view.break_to_be_made
        best = told["candidates"][0]
        colour = 0 if question.view.plays_white else 1
        table.strike(Flick(question.number, *best["strike"]))
        stroke = table.replay().strokes[-1]
        assert stroke.motion is not None
        fallen = [fall.index for fall in stroke.motion.pocketed]
        own = [i for i in fallen if SLICES[colour].start <= i < SLICES[colour].stop or i == 18]
        if not question.view.break_to_be_made:
            assert ("nothing falls" in best["what"]) == (not own)
            checked += 1
        assert ("striker falls too" in best["what"]) == (STRIKER in fallen)
        # Both end where the discs came to rest.
        for index, path in best["paths"].items():
            end = np.array(path).reshape(-1, 3).sum(axis=0)[1:] * 1e-4
            if int(index) < STRIKER and int(index) not in fallen:
                rest = stroke.motion.layout.positions[int(index)]
                assert np.hypot(*(end - rest)) < 2e-3


def test_over_the_line(site) -> None:
    token = site.open()
    with site.socket(token) as socket:
        until(socket, idle)
        socket.send_json({"type": "analyse", "number": 0})
        told = until(socket, lambda m: m["type"] in ("analysis", "error"))
        assert told["type"] == "analysis"
        assert told["number"] == 0
        assert told["planned"] is None
        assert [each["what"] for each in told["candidates"]] == ["break"]
        socket.send_json({"type": "analyse", "number": 5})
        assert "expected 0" in until(socket, lambda m: m["type"] == "error")["error"]


@pytest.fixture
def browser(tmp_path) -> Iterator[Browser]:
    if program() is None:
        pytest.skip("no Chromium is installed here")
    with Browser(tmp_path) as browser:
        yield browser


def test_in_the_browser(browser, running) -> None:
    """A candidate is shown, taken for the aim when it is pressed, and played."""
    browser.prefer_stillness(True)
    hand = Hand(browser, running.address)
    game = running.host.find(hand.open(second="person", noise="none")).game
    browser.wait(AIMING)
    browser.drag(*hand.pull(0.0, 4.0))
    browser.wait(f"document.querySelectorAll('#list li').length === 1 && {AIMING}")
    browser.click("#analyse")
    browser.wait(f"{CANDIDATES} >= 1")
    assert "by the network" in browser.ask("document.querySelector('#worth').textContent")
    shown = "document.querySelector('#candidates li:last-child span').textContent"
    # Without errors of the hand all rollouts come to the same.
    assert "±" not in browser.ask("document.querySelector('#candidates').textContent")
    what = browser.ask(shown)
    assert what[0] == str(browser.ask(CANDIDATES))
    browser.click("#candidates li:last-child button")
    told = browser.ask("document.querySelector('#speed_shown').textContent")
    browser.press("Enter")
    browser.wait("document.querySelectorAll('#list li').length === 2")
    meant = game.replay().strokes[1].meant
    assert meant is not None
    assert told == f"{meant.speed:.2f} m/s"
    assert browser.ask("document.querySelector('#analysis').hidden")
    assert browser.complaints == []

"""A match at a table of people and computing players, without web."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from carrom.errors import ActionError, ConfigError
from carrom.laws import colour_of
from carrom.physics.strike import Strike
from carrom.replay import html, verify
from carrom.reward import potential
from carrom.view import View
from carrom_agents.roster import find_player
from carrom_agents.serving.game import Game
from carrom_agents.serving.messages import Flick
from carrom_agents.serving.settings import GameSettings

PLAYERS = {name: find_player(name) for name in ("aimer", "random")}
WATCHED = GameSettings(players=("aimer", "random"), names=("aimer", "random"), noise="club")
PLAYED = GameSettings(players=(None, "random"), names=("Asha", "random"), noise="none")


def flick_by(player, view: View, number: int, rng) -> Flick:
    strike = player(view, rng)
    return Flick(number, strike.place, strike.direction, strike.speed)


@pytest.fixture(scope="module")
def whole() -> tuple[Game, list[tuple[float, float]]]:
    """A board to its end, with what was earned by then and what it is by the position."""
    game, earned = Game(WATCHED, PLAYERS), []
    while not game.over:
        position, seat = game._env.position(), game.shown["seat"]
        board = position.match.board
        colour = int(colour_of(seat, board, doubles=False))
        expected = float(potential(board, colour, (True, True)))
        earned.append((game.question().earned, expected))
        game.let_play()
    return game, earned


def test_a_whole_board_is_shown_as_it_was_played(whole) -> None:
    game, _ = whole
    replay = game.replay()
    assert verify(replay).equal
    assert len(game.strokes) == len(replay.strokes) == game.shown["number"]
    for shown, stroke in zip(game.strokes, replay.strokes, strict=True):
        assert shown["laws"] == [
            law.split(":")[0].removeprefix("breach of ") for law in stroke.sentences[:-1]
        ]
        assert set(shown["laws"]) <= set(game.laws)
        assert ("paths" in shown) == (stroke.motion is not None)
    last = replay.strokes[-1]
    assert bool(last.ruling.board_over)
    winner = int(last.ruling.winner)
    points = int(last.ruling.points[winner])
    side = int(colour_of(0, last.before.match.board, doubles=False) != winner)
    name = game.names[(0, 2)[side]]
    assert game.shown["end"] == f"{name} wins the board, {points} to 0"
    assert game.shown["over"]
    assert game.shown["seat"] is None
    assert "aimer" in html(replay)
    json.dumps([game.strokes, game.laws, game.shown], allow_nan=False)


def test_what_was_earned_is_what_the_position_says(whole) -> None:
    _, earned = whole
    assert len(earned) > 10
    np.testing.assert_allclose(*np.array(earned).T, atol=1e-9)
    assert np.ptp([each for each, _ in earned]) > 2


def test_nothing_can_be_done_after_the_end(whole) -> None:
    game, _ = whole
    count = len(game.strokes)
    for attempt in (
        lambda: game.strike(Flick(count, 0.0, 0.0, 1.0)),
        game.let_play,
        game.question,
        lambda: game.check_number(count),
    ):
        with pytest.raises(ActionError):
            attempt()
    assert len(game.strokes) == count


def test_a_person_strikes_exactly_as_he_means_to() -> None:
    game = Game(PLAYED, PLAYERS)
    flick = Flick(0, 0.0123456789, 0.0987654321, 4.3210987654)
    game.strike(flick)
    made = game.replay().strokes[0].strike
    assert made is not None
    assert (made.place, made.direction, made.speed) == dataclasses.astuple(flick)[1:]


@pytest.mark.law("130.b")
@pytest.mark.law("134")
def test_what_cannot_be_played_changes_nothing() -> None:
    game = Game(PLAYED, PLAYERS)
    rng, count = np.random.default_rng(0), 0
    refused = 0
    while count < 6 and not game.over:
        if game.computer_strikes:
            with pytest.raises(ActionError, match="turn of random"):
                game.strike(Flick(count, 0.0, 0.0, 1.0))
            game.let_play()
            count = len(game.strokes)
            continue
        with pytest.raises(ActionError, match="no computing player"):
            game.let_play()
        view = game.view()
        for place in np.linspace(-0.36, 0.36, 41).tolist():
            if not any(low <= place <= high for low, high in view.free_places):
                with pytest.raises(ActionError, match="expected a free place"):
                    game.strike(Flick(count, place, 0.0, 1.0))
                refused += 1
        for number in (count - 1, count + 1):
            with pytest.raises(ActionError, match=f"expected {count}"):
                game.strike(Flick(number, 0.0, 0.0, 1.0))
        assert len(game.strokes) == count
        game.strike(flick_by(PLAYERS["aimer"], view, count, rng))
        count = len(game.strokes)
    assert refused > 20


@pytest.mark.law("39.a")
@pytest.mark.law("43")
def test_who_breaks_plays_white_and_may_be_chosen() -> None:
    tossed = set()
    for seed in range(12):
        for breaks in ("first", "second", "toss"):
            settings = dataclasses.replace(WATCHED, breaks=breaks, seed=seed)
            game = Game(settings, PLAYERS)
            breaker = game.names[game.shown["seat"]]
            assert not game.shown["black"]
            assert game.shown["break"]
            if breaks == "toss":
                tossed.add(breaker)
            else:
                assert breaker == {"first": "aimer", "second": "random"}[breaks]
    assert tossed == {"aimer", "random"}


def test_the_same_seed_gives_the_same_game() -> None:
    one, other = (Game(dataclasses.replace(WATCHED, seed=5), PLAYERS) for _ in range(2))
    for _ in range(4):
        one.let_play()
        other.let_play()
    assert one.strokes == other.strokes


def test_a_player_who_fails_ends_the_game_with_his_reason() -> None:
    def broken(view: View, rng: np.random.Generator, /):
        raise ZeroDivisionError("so it goes")

    game = Game(
        dataclasses.replace(WATCHED, players=("broken", "random")),
        {"broken": broken, "random": PLAYERS["random"]},
    )
    game.let_play()
    assert game.over
    assert game.shown["end"] == "aimer failed: ZeroDivisionError: so it goes"


def test_a_strike_that_nobody_can_make_is_its_players_failure() -> None:
    def mistaken(view: View, rng: np.random.Generator, /) -> Strike:
        return Strike(0.0, float("nan"), 1.0)

    game = Game(
        dataclasses.replace(WATCHED, players=("mistaken", "random")),
        {"mistaken": mistaken, "random": PLAYERS["random"]},
    )
    game.let_play()
    assert game.over
    assert "aimer failed: ActionError" in str(game.shown["end"])
    assert game.strokes == []


def test_a_game_is_cut_off_at_its_limit() -> None:
    game = Game(dataclasses.replace(WATCHED, max_strokes=2), PLAYERS)
    game.let_play()
    game.let_play()
    assert game.shown["end"] == "cut off after 2 strokes"
    assert game.over


@pytest.mark.parametrize(
    "change",
    [{"task": "shot"}, {"noise": "loud"}, {"breaks": "third"}, {"seed": -1}, {"seed": 2**31}],
)
def test_settings(change: dict) -> None:
    with pytest.raises(ConfigError, match=next(iter(change))):
        dataclasses.replace(WATCHED, **change)

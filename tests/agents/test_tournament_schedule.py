"""Who plays whom, and what a tournament's file may say."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carrom.errors import ConfigError
from carrom_agents.tournament.record import Fixture, GameRecord
from carrom_agents.tournament.schedule import Pairing, fixtures, round_robin, swiss_round
from carrom_agents.tournament.settings import Conditions, TournamentConfig, load_tournament

CONFIGS = Path(__file__).parents[2] / "configs"


def _won(one: str, two: str, winner: str | None) -> list[GameRecord]:
    """Both games of a start, with the same winner."""
    nothing = (0, 0)
    return [
        GameRecord(
            fixture=Fixture(*names, 0),
            conditions=Conditions(),
            ending="played",
            winner=winner,
            points=nothing,
            strokes=nothing,
            dues=nothing,
            queens=nothing,
            seconds=0.0,
        )
        for names in ((one, two), (two, one))
    ]


def test_round_robin_is_everybody_against_everybody_once() -> None:
    pairings = round_robin(["a", "b", "c", "d"])
    assert {frozenset(p) for p in pairings} == {
        frozenset(p) for p in itertools.combinations("abcd", 2)
    }
    assert len(pairings) == 6


def test_fixtures_are_balanced_wherever_they_stop() -> None:
    games = list(fixtures(round_robin(["a", "b", "c"]), range(5, 9)))
    assert len(set(games)) == len(games) == 4 * 3 * 2
    for stop in range(0, len(games), 6):
        for player in "abc":
            broke = sum(game.breaker == player for game in games[:stop])
            assert broke == sum(game.other == player for game in games[:stop]) == stop // 3


@given(st.integers(2, 11), st.integers(0, 2**32 - 1))
def test_swiss_pairs_all_who_have_not_met(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    players = [f"p{i}" for i in range(n)]
    met: list[Pairing] = []
    games: list[GameRecord] = []
    pauses = dict.fromkeys(players, 0)
    for _ in range((n + 1) // 2):  # as many as a configuration may ask for
        pairings = swiss_round(players, met, games)
        playing = [player for pairing in pairings for player in pairing]
        assert len(playing) == len(set(playing)) == n - n % 2
        for player in set(players) - set(playing):
            pauses[player] += 1
        for one, two in pairings:
            assert not {(one, two), (two, one)} & set(met)
            games += _won(one, two, (one, two, None)[rng.integers(3)])
        met += pairings
    assert max(pauses.values()) <= n % 2


def test_swiss_pairs_those_of_about_the_same_score() -> None:
    players = list("abcdefgh")
    assert swiss_round(players, [], []) == [("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")]
    met = [("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")]
    games = [game for pairing in met for game in _won(*pairing, pairing[1])]
    assert swiss_round(players, met, games) == [("b", "d"), ("f", "h"), ("a", "c"), ("e", "g")]


def test_the_weakest_pause_one_after_the_other() -> None:
    met = [("a", "b")]
    assert swiss_round(list("abc"), [], []) == met
    # c has paused; b is the last of the others.
    assert swiss_round(list("abc"), met, _won("a", "b", "a")) == [("a", "c")]


def test_too_many_rounds_are_refused() -> None:
    with pytest.raises(ValueError, match="too many rounds"):
        swiss_round(["a", "b"], [("a", "b")], [])


def test_the_file_that_comes_along_is_valid() -> None:
    config = load_tournament(CONFIGS / "ladder.yaml")
    assert config.name == "ladder"
    assert {"random", "aimer"} <= set(config.players)


def test_a_tournament_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "some.yaml"
    file.write_text(
        "players: [a, runs/with space, c]\nanchor: c\nschedule: swiss\nrounds: 2\n"
        "seed: 4\nstarts: 3\nconditions: {unit: game, noise: club}\n"
    )
    config = load_tournament(file)
    assert config.players == ("a", "runs/with space", "c")
    assert config.conditions == Conditions(unit="game", noise="club")
    assert list(config.start_seeds) == [4, 5, 6]
    assert config.games == 2 * 2 * 3  # two rounds of one pairing each


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "some.yaml: players is missing"),
        ("players: [a]\nanchor: a", "players = ['a']: expected at least two, none twice"),
        ("players: [r/a, r/a/]\nanchor: r/a", "none twice"),
        ("players: a", "some.yaml: players = 'a': expected a list, each of it a string"),
        ("players: [a, 3]", "some.yaml: players[1] = 3: expected a string"),
        ("players: [a, b]", "some.yaml: anchor = 'aimer': expected one of ['a', 'b']"),
        ("players: [aimer, b]\nstart: 3", "some.yaml: unknown key start: expected one of players"),
        ("players: [aimer, b]\nstarts: 0", "some.yaml: starts = 0: expected at least 1"),
        ("players: [aimer, b]\nseed: -1", "some.yaml: seed = -1: expected at least 0"),
        ("players: [aimer, b]\nworkers: 0", "some.yaml: workers = 0: expected at least 1"),
        ("players: [aimer, b]\nschedule: knockout", "expected one of round_robin, swiss"),
        ("players: [aimer, b]\nrounds: 1", "rounds = 1: expected none with schedule"),
        ("players: [aimer, b]\nschedule: swiss", "rounds = None: expected 1 to 1, half as many"),
        ("players: [aimer, b, c]\nschedule: swiss\nrounds: 1", "rounds = 1: expected at least 2"),
        ("players: [aimer, b]\nconditions: {move_limit_s: .inf}", "move_limit_s = inf: expected"),
        ("players: [aimer, b]\nconditions: {move_limit_s: 1000000.0}", "above 0, at most 86400"),
        (
            "players: [aimer, b, c]\nschedule: swiss\nrounds: 3",
            "rounds = 3: expected 1 to 2, half as many as there are players",
        ),
        (
            "players: [aimer, b]\nconditions: {noise: loud}",
            "some.yaml: conditions.noise = 'loud': expected one of",
        ),
        (
            "players: [aimer, b]\nconditions: {unit: stroke}",
            "conditions.unit = 'stroke': expected one of board, game, match",
        ),
        (
            "players: [aimer, b]\nconditions: {max_strokes: 0}",
            "conditions.max_strokes = 0: expected at least 1",
        ),
        (
            "players: [aimer, b]\nconditions: {move_limit_s: 0.0}",
            "conditions.move_limit_s = 0.0: expected seconds above 0",
        ),
    ],
)
def test_errors_name_file_key_value_and_what_was_expected(
    text: str, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "some.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=re.escape(message)):
        load_tournament(file)


def test_players_are_data() -> None:
    config = TournamentConfig(players=("aimer", "random"))
    assert config.players == ("aimer", "random")
    assert config.games == 20

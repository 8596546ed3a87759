"""Tournaments of real boards: swapped places, forfeits, and files that survive everything."""

import dataclasses
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from carrom.env import CarromEnv
from carrom.errors import CarromError, ConfigError
from carrom.opponents import Player, random_player
from carrom.physics.strike import Strike
from carrom.view import View
from carrom_agents.episode import episode
from carrom_agents.scripted import aimer
from carrom_agents.tournament.deadline import OutOfTime, deadline
from carrom_agents.tournament.entrants import ENTRANTS_FILE
from carrom_agents.tournament.game import play_game
from carrom_agents.tournament.log import GAMES_FILE, GameLog
from carrom_agents.tournament.play import play_tournament
from carrom_agents.tournament.record import Fixture, Forfeit, GameRecord, pairs_of
from carrom_agents.tournament.settings import Conditions, TournamentConfig

ROOT = Path(__file__).parents[2]
SHORT = Conditions(max_strokes=10)
"""Boards that are cut off soon."""


def _config(folder: Path, *players: str, **changes) -> TournamentConfig:
    settings = {"players": players, "folder": str(folder), "conditions": SHORT}
    return TournamentConfig(**{"starts": 2, "anchor": players[0], **settings, **changes})


def _raising(view: View, rng: np.random.Generator) -> Strike:
    """Breaks, and then does not know what to do."""
    if view.turn_begun or not view.break_to_be_made:
        raise LookupError("no shot\nfound")
    return random_player(view, rng)


def _thinking(view: View, rng: np.random.Generator) -> Strike:
    """Breaks, and then thinks for ever, whatever befalls him."""
    if view.break_to_be_made:
        return random_player(view, rng)
    while True:
        try:
            rng.random()
        except Exception:
            continue


def _confused(view: View, rng: np.random.Generator) -> Strike:
    return Strike(0.0, float("nan"), 1.0)


def _wordy(view: View, rng: np.random.Generator) -> Strike:
    return Strike("left", 0.0, 1.0)  # type: ignore[arg-type]


def _mighty(view: View, rng: np.random.Generator) -> Strike:
    return Strike(0.0, 0.0, 500.0)


def _leaving(view: View, rng: np.random.Generator) -> Strike:
    raise SystemExit(3)


def _killing(view: View, rng: np.random.Generator) -> Strike:
    os._exit(11)


_KNOWN: dict[str, Player] = {
    "random": random_player,
    "again": random_player,
    "aimer": aimer,
    "raising": _raising,
    "thinking": _thinking,
    "confused": _confused,
    "wordy": _wordy,
    "mighty": _mighty,
    "leaving": _leaving,
    "killing": _killing,
}


class _Counting:
    """Finds players, and counts the first strokes of boards they are asked for."""

    def __init__(self) -> None:
        self.breaks = 0

    def __call__(self, name: str) -> Player:
        player = _KNOWN[name]

        def counted(view: View, rng: np.random.Generator, /) -> Strike:
            self.breaks += view.break_to_be_made and not view.turn_begun
            return player(view, rng)

        return counted


def _find(name: str) -> Player:
    return _KNOWN[name]


def _untimed(records: Iterable[GameRecord]) -> list[GameRecord]:
    return [dataclasses.replace(record, seconds=0.0) for record in records]


def _in_file(folder: Path) -> list[GameRecord]:
    lines = (folder / GAMES_FILE).read_text().splitlines()
    return _untimed(GameRecord.of_line(line) for line in lines)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TournamentConfig]:
    """A tournament that nothing interrupted."""
    folder = tmp_path_factory.mktemp("tournament")
    config = _config(folder, "aimer", "random", "again")
    play_tournament(config, find=_find)
    return folder, config


def test_every_start_is_played_twice_by_everybody_against_everybody(played) -> None:
    folder, config = played
    games = _in_file(folder)
    assert len(games) == len({game.fixture for game in games}) == config.games == 12
    for one, two in (("aimer", "random"), ("aimer", "again"), ("random", "again")):
        for start in (0, 1):
            expected = {Fixture(one, two, start), Fixture(two, one, start)}
            assert expected <= {game.fixture for game in games}
    assert {game.conditions for game in games} == {SHORT}


def test_a_swapped_start_has_the_same_rack_and_the_same_errors() -> None:
    """What is meant differs; the racks, and what is made of what is meant, do not."""
    meant: dict[str, list[Strike]] = {"aimer": [], "random": []}
    breaks, errors = [], []

    def noting(name: str) -> Player:
        def noted(view: View, rng: np.random.Generator, /) -> Strike:
            meant[name].append(_KNOWN[name](view, rng))
            return meant[name][-1]

        return noted

    for breaker, other in (("aimer", "random"), ("random", "aimer")):
        env = CarromEnv(
            "board", opponent=noting(other), noise="club", first="agent", max_strokes=12
        )
        strokes = [s for played, _ in episode(env, noting(breaker), 7) for s in played]
        breaks.append(strokes[0])
        intended = {True: iter(meant[breaker]), False: iter(meant[other])}
        errors.append([])
        for stroke in strokes:
            want, made = next(intended[stroke.own]), stroke.strike
            assert made is not None
            errors[-1].append((made.direction - want.direction, made.speed / want.speed))
        meant["aimer"].clear()
        meant["random"].clear()
    one, two = (stroke.before.layout for stroke in breaks)
    np.testing.assert_array_equal(one.positions, two.positions)
    assert [stroke.before.physical_seat for stroke in breaks] == [0, 0]
    assert [int(stroke.before.match.board.striker) for stroke in breaks] == [0, 0]  # white
    shortest = min(map(len, errors))
    assert shortest > 5
    np.testing.assert_allclose(errors[0][:shortest], errors[1][:shortest], atol=1e-12)
    assert np.std(errors[0], axis=0) == pytest.approx([0.0087, 0.05], rel=0.8)


def test_a_game_against_the_same_player_is_the_same_with_the_places_swapped() -> None:
    players = {"one": aimer, "two": aimer}
    games = [
        play_game(Fixture(*names, 5), Conditions(), players)
        for names in (("one", "two"), ("two", "one"))
    ]
    first, second = (dataclasses.replace(game, seconds=0.0, winner=None) for game in games)
    assert dataclasses.replace(second, fixture=first.fixture) == first
    assert {games[0].winner, games[1].winner} == {"one", "two"}


def test_a_record_is_what_the_environment_says() -> None:
    conditions = Conditions(noise="club")
    game = play_game(Fixture("aimer", "random", 3), conditions, _KNOWN)
    env = CarromEnv("board", opponent=random_player, noise="club", first="agent")
    steps = list(episode(env, aimer, 3))
    strokes = [stroke for played, _ in steps for stroke in played]
    result = steps[-1][1]["result"]
    assert game.ending == "played"
    assert game.winner == {"own": "aimer", "opponent": "random"}[result["winner"]]
    assert game.points == result["points"]
    own = [stroke for stroke in strokes if stroke.own]
    assert game.strokes == (len(own), len(strokes) - len(own))
    assert game.dues[0] == sum(stroke.charged for stroke in own)
    assert sum(game.queens) == sum(stroke.covers_queen for stroke in strokes)
    assert GameRecord.of_line(game.as_line()) == game


def test_what_is_cut_off_is_drawn(played) -> None:
    folder, _ = played
    game = next(game for game in _in_file(folder) if game.ending == "cut off")
    assert (game.winner, game.points, game.forfeit) == (None, (0, 0), None)
    assert sum(game.strokes) == 10
    assert game.score_of(game.fixture.breaker) == 0.5


@pytest.mark.parametrize(
    ("name", "breaks", "reason"),
    [
        ("raising", True, "LookupError: no shot found"),
        ("raising", False, "LookupError: no shot found"),
        ("thinking", False, "took longer than 1 s for a decision"),
        ("confused", True, "expected finite numbers and a speed >= 0"),
        ("confused", False, "expected finite numbers and a speed >= 0"),
        ("wordy", True, "expected finite numbers and a speed >= 0"),
        ("mighty", False, "speed = 500.0 m/s: expected at most full force, 5 m/s"),
        ("leaving", False, "SystemExit: 3"),
    ],
)
def test_who_fails_forfeits(name: str, breaks: bool, reason: str) -> None:
    names = (name, "random") if breaks else ("random", name)
    conditions = dataclasses.replace(SHORT, max_strokes=100, move_limit_s=1.0)
    game = play_game(Fixture(*names, 0), conditions, _KNOWN)
    assert (game.ending, game.winner) == ("forfeit", "random")
    assert game.forfeit is not None
    assert game.forfeit.player == name
    assert reason in game.forfeit.reason
    # Strokes are counted up to the failure, the break of those who have made it.
    assert (sum(game.strokes) == 0) == (name in ("confused", "wordy") and breaks)
    assert GameRecord.of_line(game.as_line()) == game


def test_a_start_that_cannot_be_is_nobodys_forfeit() -> None:
    with pytest.raises(ConfigError, match="seed = -1"):
        play_game(Fixture("random", "again", -1), SHORT, _KNOWN)


def test_after_a_forfeit_the_tournament_goes_on(tmp_path: Path) -> None:
    games = play_tournament(_config(tmp_path, "random", "raising", "again"), find=_find)
    assert len(games) == 12
    lost = [game for game in games if game.forfeit is not None]
    assert {game.forfeit.player for game in lost if game.forfeit} == {"raising"}
    assert len(lost) == 8
    assert _in_file(tmp_path) == _untimed(games)


def test_who_ends_his_process_forfeits_and_the_others_play_on(tmp_path: Path) -> None:
    """He is asked for his second stroke as well as for his first, if he breaks or not."""
    config = _config(tmp_path, "random", "killing", "again", workers=2, starts=1)
    games = play_tournament(config, find=_find)
    assert len(games) == 6
    for game in games:
        names = (game.fixture.breaker, game.fixture.other)
        assert (game.ending == "forfeit") == ("killing" in names)
        if game.forfeit is not None:
            assert game.forfeit == Forfeit("killing", "ended the process that he played in")
            assert game.winner == next(name for name in names if name != "killing")
    assert sorted(map(str, _in_file(tmp_path))) == sorted(map(str, _untimed(games)))


def test_a_tournament_cut_anywhere_goes_on_to_the_same_games(played, tmp_path: Path) -> None:
    folder, config = played
    content = (folder / GAMES_FILE).read_bytes()
    for place, share in enumerate((0.0, 0.3, 0.72, 0.999)):
        other = tmp_path / str(place)
        other.mkdir()
        (other / GAMES_FILE).write_bytes(content[: int(share * len(content))])
        changed = dataclasses.replace(config, folder=str(other))
        games = play_tournament(changed, find=_find)
        assert _in_file(other) == _in_file(folder) == _untimed(games)


def test_whatever_is_left_of_the_last_line_is_dropped(played, tmp_path: Path) -> None:
    content = (played[0] / GAMES_FILE).read_bytes()
    lines = content.splitlines(keepends=True)
    for cut in range(0, len(content) + 1, 41):
        (tmp_path / GAMES_FILE).write_bytes(content[:cut])
        whole = content[:cut].count(b"\n")
        with GameLog(tmp_path, SHORT) as log:
            assert len(log.records) == whole
        assert (tmp_path / GAMES_FILE).read_bytes() == b"".join(lines[:whole])


def test_nothing_is_played_twice(played, tmp_path: Path) -> None:
    folder, config = played
    other = tmp_path / "copy"
    other.mkdir()
    (other / GAMES_FILE).write_bytes((folder / GAMES_FILE).read_bytes())
    counting = _Counting()
    more = dataclasses.replace(
        config, folder=str(other), players=("aimer", "random", "again", "raising")
    )
    play_tournament(dataclasses.replace(more, players=config.players), find=counting)
    assert counting.breaks == 0
    games = play_tournament(more, find=_find)
    assert len(games) == 24
    assert _in_file(other)[:12] == _in_file(folder)
    assert all("raising" in (g.fixture.breaker, g.fixture.other) for g in _in_file(other)[12:])
    # Starts that are added; and fewer players and starts again.
    games = play_tournament(dataclasses.replace(more, starts=3), find=_find)
    assert len(games) == 36
    assert {game.fixture.start for game in _in_file(other)[24:]} == {2}
    games = play_tournament(
        dataclasses.replace(more, players=("aimer", "random"), starts=1), find=counting
    )
    assert [game.fixture for game in games] == [
        Fixture("aimer", "random", 0),
        Fixture("random", "aimer", 0),
    ]
    assert counting.breaks == 0


def test_killed_with_two_workers_it_goes_on_with_one_to_the_same_games(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    (tmp_path / "config.yaml").write_text(
        f"folder: {killed}\nplayers: [aimer, random]\nstarts: 300\nworkers: 2\n"
        "conditions: {max_strokes: 10}\n"
    )
    command = [sys.executable, str(ROOT / "scripts" / "tournament.py")]
    file = killed / GAMES_FILE
    with subprocess.Popen([*command, str(tmp_path / "config.yaml")]) as playing:
        while not (file.exists() and file.read_bytes().count(b"\n") >= 3):
            assert playing.poll() is None
            time.sleep(0.02)
        playing.kill()
    kept = file.read_bytes().splitlines(keepends=True)
    assert 3 <= len(kept) < 600
    games = play_tournament(_config(killed, "aimer", "random", starts=5), find=_find)
    again = play_tournament(_config(whole, "aimer", "random", starts=5), find=_find)
    assert _untimed(games) == _untimed(again)
    kept = [line for line in kept if line.endswith(b"\n")]
    lines = file.read_bytes().splitlines(keepends=True)
    assert lines[: len(kept)] == kept
    assert len({GameRecord.of_line(line.decode()).fixture for line in lines}) == len(lines)


def test_a_swiss_tournament_is_played_in_rounds_and_goes_on_after_any_of_them(
    tmp_path: Path,
) -> None:
    names = ("aimer", "random", "raising", "again")
    config = _config(tmp_path, *names, schedule="swiss", rounds=2, starts=1)
    told = []
    games = play_tournament(
        config, find=_find, progress=lambda done, total: told.append((done, total))
    )
    assert len(games) == config.games == 8
    assert told[0] == (0, 8)
    assert told[-1] == (8, 8)
    pairings = [(game.fixture.breaker, game.fixture.other) for game in games[::2]]
    assert pairings[:2] == [("aimer", "random"), ("raising", "again")]
    # The first pairing was cut off twice; in the second one player has forfeited both games.
    assert pairings[2:] == [("again", "aimer"), ("random", "raising")]
    lines = (tmp_path / GAMES_FILE).read_bytes().splitlines(keepends=True)
    (tmp_path / GAMES_FILE).write_bytes(b"".join(lines[:5]))
    assert _untimed(play_tournament(config, find=_find)) == _untimed(games)


@pytest.mark.parametrize(
    "changes",
    [
        {"noise": "club"},
        {"unit": "game"},
        {"physics": "planar"},
        {"max_strokes": 11},
        {"move_limit_s": 2.0},
    ],
)
def test_other_conditions_in_the_same_folder_are_refused(played, changes: dict) -> None:
    folder, config = played
    before = (folder / GAMES_FILE).read_bytes()
    other = dataclasses.replace(config, conditions=dataclasses.replace(SHORT, **changes))
    ((name, value),) = changes.items()
    message = f"{name} = {value!r}: expected {getattr(SHORT, name)!r}, as in the games in {folder}"
    with pytest.raises(ConfigError, match=re.escape(message)):
        play_tournament(other, find=_find)
    assert (folder / GAMES_FILE).read_bytes() == before


def test_a_folder_that_was_trained_on_is_another_player(tmp_path: Path) -> None:
    run, folder = tmp_path / "run", tmp_path / "tournament"
    run.mkdir()
    (run / "player.npz").write_bytes(b"one")
    config = _config(folder, "random", str(run))
    games = play_tournament(config, find=lambda name: random_player)
    again = dataclasses.replace(config, players=("random", f"{run}/"), starts=3)
    more = play_tournament(again, find=lambda name: random_player)
    assert _untimed(more)[:4] == _untimed(games)
    assert len(_in_file(folder)) == len(more) == 6
    (run / "player.npz").write_bytes(b"two")
    with pytest.raises(ConfigError, match=f"player '{run}': has changed since it played in"):
        play_tournament(config, find=lambda name: random_player)
    assert len(_in_file(folder)) == 6
    # In another folder it may begin anew.
    elsewhere = dataclasses.replace(config, folder=str(tmp_path / "other"))
    assert len(play_tournament(elsewhere, find=lambda name: random_player)) == 4
    (folder / ENTRANTS_FILE).write_text("[1]")
    with pytest.raises(ConfigError, match=r"entrants\.json: expected a digest"):
        play_tournament(config, find=lambda name: random_player)


def test_one_program_at_a_time(played) -> None:
    folder, config = played
    with (
        GameLog(folder, SHORT),
        pytest.raises(ConfigError, match="another program is playing this tournament"),
    ):
        play_tournament(config, find=_find)
    assert len(play_tournament(config, find=_find)) == 12


@pytest.mark.parametrize("line", ["nonsense", "[1]", "{}", '{"fixture": {}}', '"x"'])
def test_a_line_that_is_no_game_is_named(line: str, tmp_path: Path) -> None:
    (tmp_path / GAMES_FILE).write_text(line + "\n")
    with pytest.raises(ConfigError, match="line 1 is no game"):
        GameLog(tmp_path, SHORT)


@pytest.mark.parametrize(
    ("was", "edited"),
    [
        ('"winner": null', '"winner": "nobody"'),
        ('"ending": "cut off"', '"ending": "lost"'),
        ('"start": 1', '"start": "x"'),
        ('"start": 1', '"start": -1'),
        ('"forfeit": null', '"forfeit": {"player": "aimer", "reason": "none"}'),
    ],
)
def test_a_line_that_says_what_no_game_comes_to_is_named(
    played, was: str, edited: str, tmp_path: Path
) -> None:
    lines = (played[0] / GAMES_FILE).read_text().splitlines()
    line = next(line for line in lines if '"cut off"' in line and '"start": 1' in line)
    (tmp_path / GAMES_FILE).write_text(line.replace(was, edited) + "\n")
    with pytest.raises(ConfigError, match="line 1 is no game"):
        GameLog(tmp_path, SHORT)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CarromError, match=r"folder = .*file/folder'.*cannot be written to"):
        GameLog(tmp_path / "file" / "folder", SHORT)


def test_players_are_found_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="player 'nobody': expected one of"):
        play_tournament(_config(tmp_path / "new", "random", "nobody"))
    assert not (tmp_path / "new").exists()


def test_pairs_are_what_was_played_both_ways() -> None:
    def game(breaker: str, other: str, start: int, winner: str | None) -> GameRecord:
        forfeit = Forfeit("b", "asleep") if start == 3 else None
        nothing = (0, 0)
        return GameRecord(
            fixture=Fixture(breaker, other, start),
            conditions=SHORT,
            ending="played" if forfeit is None else "forfeit",
            winner=winner,
            points=nothing,
            strokes=nothing,
            dues=nothing,
            queens=nothing,
            seconds=0.0,
            forfeit=forfeit,
        )

    games = [game("b", "a", 1, "b"), game("a", "b", 1, None), game("a", "b", 2, "a")]
    games += [game("a", "b", 3, "a"), game("b", "a", 3, "a")]
    pairs = {(p.one, p.two, p.breaking, p.replying) for p in pairs_of(games)}
    # Start 2 has been played one way only; a forfeit is lost.
    assert pairs == {("a", "b", 0.5, 0.0), ("a", "b", 1.0, 1.0)}


def test_who_is_in_time_is_not_interrupted() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with deadline(60.0), deadline(None):
        pass
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_who_sleeps_is_woken() -> None:
    with pytest.raises(OutOfTime), deadline(0.01):
        time.sleep(600)

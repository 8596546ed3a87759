"""What is said of a tournament: tables, files and pictures, and the script that makes them."""

import csv
import importlib.util
import io
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rich.console import Console
from rich.table import Table

from carrom.errors import ConfigError
from carrom_agents.tournament.log import GAMES_FILE
from carrom_agents.tournament.record import Fixture, Forfeit, GameRecord
from carrom_agents.tournament.report import TournamentReport, interval
from carrom_agents.tournament.settings import Conditions, TournamentConfig

SCRIPT = Path(__file__).parents[2] / "scripts" / "tournament.py"


def _game(breaker: str, other: str, start: int, winner: str | None, **changes) -> GameRecord:
    points = {breaker: (7, 0), other: (0, 7), None: (0, 0)}[winner]
    values = {"ending": "played", "points": points, "dues": (1, 0), "forfeit": None, **changes}
    return GameRecord(
        fixture=Fixture(breaker, other, start),
        conditions=Conditions(),
        winner=winner,
        strokes=(9, 8),
        queens=(1, 0),
        seconds=0.1,
        **values,
    )


@pytest.fixture(scope="module")
def report() -> TournamentReport:
    """runs/x beats aimer in six games of eight; random loses all, one by a forfeit."""
    config = TournamentConfig(players=("aimer", "runs/x", "random"), name="some", starts=4)
    games = []
    for start in range(4):
        games.append(_game("aimer", "runs/x", start, "aimer" if start < 2 else "runs/x"))
        games.append(_game("runs/x", "aimer", start, "runs/x"))
        games.append(_game("random", "aimer", start, "aimer"))
        games.append(_game("aimer", "random", start, "aimer"))
    games[-1] = _game(
        *("aimer", "random", 3, "aimer"),
        ending="forfeit",
        points=(0, 0),
        forfeit=Forfeit("random", "LookupError: no shot"),
    )
    return TournamentReport.of(config, games)


def _shown(table: Table) -> str:
    console = Console(file=io.StringIO(), width=80)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_standings_count_the_games(report: TournamentReport) -> None:
    assert list(report.standings) == ["runs/x", "aimer", "random"]
    aimer, strongest = report.standings["aimer"], report.standings["runs/x"]
    assert (strongest.won, strongest.drawn, strongest.lost) == (6, 0, 2)
    assert (aimer.won, aimer.drawn, aimer.lost) == (10, 0, 6)
    # 2 boards of 7 won and 6 lost against x, 7 won against random, one more by a forfeit.
    assert aimer.points == pytest.approx(7 * (2 - 6 + 7) / 16)
    # Whoever breaks pays a due here.
    assert aimer.dues == 0.5
    assert report.standings["random"].forfeits == {"LookupError: no shot": 1}
    assert report.scores["runs/x", "aimer"] == 6.0
    assert report.games["aimer", "random"] == 8
    assert ("runs/x", "random") not in report.games


def test_tables_are_for_people(report: TournamentReport) -> None:
    ladder = _shown(report.table())
    assert "some: 16 boards, noise expert, mujoco, seed 0" in ladder
    assert ladder.index(" x ") < ladder.index(" aimer ") < ladder.index(" random ")
    assert "(-∞, " in ladder
    assert "the break is worth" in " ".join(ladder.split())
    wins = _shown(report.wins())
    assert "6/8" in wins
    assert "2/8" in wins
    assert report.forfeits() == ["random forfeited 1 of 8: LookupError: no shot"]


def test_files_are_for_programs(report: TournamentReport, tmp_path: Path) -> None:
    paths = report.write(tmp_path)
    assert [path.name for path in paths] == ["ladder.csv", "wins.csv", "ladder.png", "wins.png"]
    rows = list(csv.DictReader(paths[0].open()))
    assert [row["player"] for row in rows] == ["runs/x", "aimer", "random"]
    for row in rows:
        rating = report.ratings.players[row["player"]]
        assert (float(row["elo"]), float(row["low"])) == (rating.value, rating.low)
    assert float(rows[2]["low"]) == -math.inf
    assert rows[2]["forfeits"] == "1"
    wins = {(r["player"], r["opponent"]): r for r in csv.DictReader(paths[1].open())}
    assert float(wins["runs/x", "aimer"]["score"]) == 6
    for path in paths[2:]:
        with Image.open(path) as picture:
            pixels = np.asarray(picture.convert("RGB"))
        assert min(pixels.shape[:2]) > 200
        # Something is drawn in colour.
        assert np.any(np.ptp(pixels.astype(int), axis=-1) > 60)


def test_an_end_that_is_not_there_stays_open(report: TournamentReport) -> None:
    assert interval(report.ratings.players["aimer"]) == "[0, 0]"
    assert interval(report.ratings.players["random"]).startswith("(-∞, ")


def test_names_that_are_alike_in_print_are_written_out() -> None:
    config = TournamentConfig(players=("a/x", "b/x", "b/y"), anchor="a/x")
    games = [
        _game(*names, 0, names[0])
        for one, two in (("a/x", "b/x"), ("b/x", "b/y"))
        for names in ((one, two), (two, one))
    ]
    assert TournamentReport.of(config, games).labels == {"a/x": "a/x", "b/x": "b/x", "b/y": "y"}


def test_who_has_not_met_cannot_be_compared() -> None:
    config = TournamentConfig(players=("aimer", "b", "c", "d"))
    games = [
        _game(*names, 0, names[0])
        for one, two in (("aimer", "b"), ("c", "d"))
        for names in ((one, two), (two, one))
    ]
    with pytest.raises(ConfigError, match="aimer, b and c, d have not met"):
        TournamentReport.of(config, games)


def _run(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> int:
    spec = importlib.util.spec_from_file_location("tournament", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(sys, "argv", ["tournament", *arguments])
    return module.main()


@pytest.fixture
def some_file(tmp_path: Path) -> str:
    file = tmp_path / "some.yaml"
    file.write_text(f"players: [random, aimer]\nfolder: {tmp_path / 'some'}\nstarts: 5\n")
    return str(file)


def test_the_script_plays_tells_and_writes(
    some_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    """Options override the file; the second time nothing is played."""
    folder = tmp_path / "other"
    arguments = (some_file, "--folder", str(folder), "--starts", "1", "--max-strokes", "6")
    assert _run(*arguments, monkeypatch=monkeypatch) == 0
    said = capsys.readouterr().out
    assert "2 boards, noise expert, mujoco, seed 0" in said
    assert "the break is worth" in " ".join(said.split())
    assert {path.name for path in folder.iterdir()} == {
        *("games.jsonl", "ladder.csv", "ladder.png", "wins.csv", "wins.png")
    }
    assert not (tmp_path / "some").exists()
    before = (folder / GAMES_FILE).read_bytes()
    assert _run(*arguments, monkeypatch=monkeypatch) == 0
    assert capsys.readouterr().out == said
    assert (folder / GAMES_FILE).read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--players", "aimer", "nobody"), "player 'nobody': expected one of"),
        (("--players", "aimer"), "players = ['aimer']: expected at least two"),
        (("--noise", "loud"), "noise = 'loud': expected one of"),
        (("--anchor", "nobody"), "anchor = 'nobody': expected one of"),
        (("--starts", "0"), "starts = 0: expected at least 1"),
        (("--rounds", "2"), "rounds = 2: expected none"),
    ],
)
def test_bad_arguments_get_one_line_and_status_2(
    arguments: tuple[str, ...],
    message: str,
    some_file: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys,
) -> None:
    assert _run(some_file, *arguments, monkeypatch=monkeypatch) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1

"""Reports against the environments played by hand, and the players' order."""

import dataclasses
import io
import json

import gymnasium as gym
import numpy as np
import pytest
from rich.console import Console

from carrom.env import CarromEnv
from carrom.errors import CheckpointError, ConfigError
from carrom.opponents import random_player
from carrom.physics.noise import NOISE_LEVELS
from carrom.physics.strike import Strike
from carrom.view import View
from carrom_agents import evaluation
from carrom_agents.banker import banker
from carrom_agents.episode import episode, player_chance
from carrom_agents.evaluation import evaluate_shots, play_alone, play_boards
from carrom_agents.reports import BoardReport, ShotReport, SoloReport
from carrom_agents.roster import find_player, labels
from carrom_agents.scripted import aimer


def _env(task: str, **options) -> CarromEnv:
    env = gym.make(task, disable_env_checker=True, **options).unwrapped
    assert isinstance(env, CarromEnv)
    return env


def _shown(report: ShotReport | BoardReport | SoloReport) -> str:
    console = Console(file=io.StringIO(), width=80)
    console.print(report.table())
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.fixture(scope="module")
def shots() -> ShotReport:
    players = {"aimer": aimer, "random": random_player, "again": aimer}
    return evaluate_shots(players, positions=40, seed=11)


def test_shots_are_those_of_single_environments(shots: ShotReport) -> None:
    env = _env("CarromShot-v0", noise="expert")
    facts, rewards = [], []
    for seed in range(11, 51):
        env.reset(seed=seed)
        _, reward, *_, info = env.answer(aimer(env.view(), player_chance(seed)))
        facts.append(info["facts"])
        rewards.append(reward)
    measured = shots.players["aimer"]
    assert measured.points.value == pytest.approx(np.mean(rewards))
    pocketed = [each["pocketed_own"] for each in facts]
    assert measured.pocketed.value == pytest.approx(np.mean(pocketed))
    assert measured.success.value == pytest.approx(np.mean(np.array(pocketed) > 0))


def test_every_player_meets_the_same_positions_and_errors(shots: ShotReport) -> None:
    same = shots.differences["aimer", "again"]
    for measure in (same.pocketed, same.points, same.dues):
        assert (measure.value, measure.low, measure.high) == (0.0, 0.0, 0.0)
    gained = shots.differences["aimer", "random"].points
    apart = shots.players["aimer"].points.value - shots.players["random"].points.value
    assert gained.value == pytest.approx(apart)


def test_the_aimer_strikes_better_than_chance_beyond_the_intervals(shots: ShotReport) -> None:
    assert shots.differences["aimer", "random"].points.low > 0.5
    assert shots.players["aimer"].success.low > shots.players["random"].success.high


def test_the_report_does_not_depend_on_the_blocks(
    shots: ShotReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "_BOARDS_AT_ONCE", 16)
    players = {"aimer": aimer, "random": random_player, "again": aimer}
    assert evaluate_shots(players, positions=40, seed=11) == shots


def test_dues_are_counted() -> None:
    """Whoever strikes straight at a pocket pays a due each time (72.a)."""

    def loser(view: View, rng: np.random.Generator) -> Strike:
        del rng
        low, high = view.free_places[0]
        place = (low + high) / 2
        way = view.board.pocket_centres[3] - [place, view.board.base_line_y]
        return Strike(place, float(np.arctan2(-way[0], way[1])), 1.2)

    report = evaluate_shots({"loser": loser}, positions=40, seed=0, noise="none")
    env = _env("CarromShot-v0")
    fell = []
    for seed in range(40):
        env.reset(seed=seed)
        *_, info = env.answer(loser(env.view(), env.np_random))
        fell.append(info["facts"]["pocketed_striker"])
    assert sum(fell) > 20
    # A striker that falls while an own carromman does, or none is down, costs a due as well.
    assert report.players["loser"].dues.value == pytest.approx(np.mean(fell))


@pytest.fixture(scope="module")
def boards() -> BoardReport:
    return play_boards(aimer, "random", boards=12, seed=3, names=("aimer", "random"))


def test_boards_are_those_of_single_environments(boards: BoardReport) -> None:
    points, strokes, won = [], [], 0
    for first in ("agent", "opponent"):
        env = _env("CarromBoard-v0", opponent="random", noise="expert", first=first)
        for seed in range(3, 9):
            steps = list(episode(env, aimer, seed))
            # Over a board the reward terms sum to points won less points lost.
            points.append(sum(sum(info.get("reward_terms", {}).values()) for _, info in steps))
            strokes.append(sum(len(played) for played, _ in steps))
            won += steps[-1][1]["result"]["winner"] == "own"
    assert boards.points.value == pytest.approx(np.mean(points))
    assert boards.strokes.value == pytest.approx(np.mean(strokes))
    assert boards.won.value == won / 12
    assert boards.won.samples == boards.points.samples == 12


def test_boards_alone_are_those_of_single_environments() -> None:
    report = play_alone(banker, boards=5, seed=0, name="banker")
    env = _env("CarromSolo-v0", noise="expert")
    strokes, cleared, slams, pocketed = [], 0, 0, 0
    for seed in range(5):
        steps = list(episode(env, banker, seed))
        played = [stroke for each, _ in steps for stroke in each]
        strokes.append(len(played))
        pocketed += sum(stroke.own_pocketed for stroke in played)
        pocketed += sum(bool(stroke.facts.pocketed_queen) for stroke in played)
        won = steps[-1][1]["result"]["winner"] == "own"
        cleared += won
        # Whoever pockets something of his own, or the queen, with every stroke, keeps the turn.
        kept = all(s.own_pocketed or bool(s.facts.pocketed_queen) for s in played)
        slams += won and kept and any(stroke.covers_queen for stroke in played)
    assert slams > 0, "expected a white slam on one of these boards"
    assert (report.cleared.value, report.slams.value) == (cleared / 5, slams / 5)
    assert report.strokes.value == pytest.approx(np.mean(strokes))
    assert report.shots.kinds["break"].samples == 5
    assert sum(e.samples for e in report.shots.kinds.values()) == sum(strokes)
    assert sum(report.shots.fallen.values()) == pocketed
    assert "white slams per break" in _shown(report)


def test_shots_are_looked_at_without_changing_how_boards_go() -> None:
    conditions = {"boards": 2, "seed": 3, "names": ("aimer", "random")}
    plain = play_boards(aimer, "random", **conditions)
    looked = play_boards(aimer, "random", shot_kinds=True, **conditions)
    assert plain.shots is None
    assert looked.shots is not None
    assert dataclasses.replace(looked, shots=None) == plain
    assert plain.slams is not None
    assert plain.slams.samples == 1
    far = looked.shots.distances
    aimed = [n for n in looked.shots.kinds if n not in ("break", "no shot")]
    assert sum(e.samples for e in far.values()) == sum(
        looked.shots.kinds[name].samples for name in aimed
    )
    assert set(aimed) <= {"direct", "cut", "back", "bank", "rebound", "combination", "other"}


def test_a_pair_is_the_player_twice() -> None:
    """The aimers' pair wins against chance; with one of them at random it wins by less."""
    conditions = {"boards": 8, "seed": 3, "doubles": True}
    pair = play_boards(aimer, "random", partner=aimer, **conditions)
    single = play_boards(aimer, "random", partner="random", **conditions)
    assert pair.won.value == 1
    assert pair.points.value > single.points.value
    assert pair.strokes.value < single.strokes.value


def test_the_aimer_beats_chance_whoever_breaks(boards: BoardReport) -> None:
    assert boards.won.low > 0.5
    assert boards.points.low > 4
    assert boards.queens.value > 0.5


def test_a_player_loses_what_his_opponent_wins() -> None:
    report = play_boards(random_player, aimer, boards=6, seed=0)
    assert report.lost.value > report.won.value
    assert report.points.high < 0


def test_a_board_cut_off_is_neither_won_nor_lost() -> None:
    report = play_boards(random_player, "random", boards=2, seed=0, max_strokes=3)
    assert (report.won.value, report.lost.value, report.points.value) == (0.0, 0.0, 0.0)
    assert report.strokes.value == pytest.approx(3)


def test_without_swapping_every_start_is_played_once() -> None:
    report = play_boards(aimer, "random", boards=3, seed=5, swap_seats=False, noise="none")
    assert report.boards == 3
    assert report == play_boards(aimer, "random", boards=3, seed=5, swap_seats=False, noise="none")


def test_reports_can_be_read_by_programs_and_by_people(
    shots: ShotReport, boards: BoardReport
) -> None:
    read = json.loads(json.dumps(shots.as_dict()))
    assert read["players"]["aimer"]["points"]["value"] == shots.players["aimer"].points.value
    assert [d["first"] for d in read["differences"]] == ["aimer", "aimer", "random"]
    assert json.loads(json.dumps(boards.as_dict()))["won"]["samples"] == 12
    assert f"{shots.players['random'].points.value:.3f}" in _shown(shots)
    assert "12 boards" in _shown(boards)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: evaluate_shots({}, positions=1, seed=0), "no players"),
        (lambda: evaluate_shots({"a": aimer}, positions=0, seed=0), "positions = 0"),
        (lambda: evaluate_shots({"a": aimer}, positions=1, seed=0), "positions = 1.*at least 2"),
        (lambda: evaluate_shots({"a": aimer}, positions=2, seed=-1), "seed = -1.*at least 0"),
        (lambda: play_boards(aimer, "random", boards=2, seed=-1), "seed = -1.*at least 0"),
        (lambda: evaluate_shots({"a": aimer}, positions=2, seed=0, noise="x"), "'x'.*expert"),
        (lambda: play_boards(aimer, "random", boards=3, seed=0), "boards = 3"),
        (lambda: play_alone(aimer, boards=0, seed=0), "boards = 0"),
        (lambda: play_alone(aimer, boards=1, seed=0, noise="x"), "'x'.*expert"),
        (lambda: play_boards(aimer, "nobody", boards=2, seed=0), "'nobody'"),
        (lambda: play_boards(aimer, "random", boards=2, seed=0, noise="x"), "'x'.*expert"),
        (lambda: find_player("nobody"), "'nobody'.*aimer"),
    ],
)
def test_bad_input_gets_one_clear_error(call, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        call()


def test_players_are_found_by_name_and_by_folder(tmp_path) -> None:
    assert find_player("aimer") is aimer
    with pytest.raises(CheckpointError, match="not a run folder"):
        find_player(str(tmp_path))


def test_players_side_by_side_are_told_apart() -> None:
    assert labels("aimer", "random") == ("aimer", "random")
    assert labels("runs/one", "runs/two/") == ("one", "two")
    assert labels("aimer", "aimer") == ("aimer", "aimer (2)")
    assert labels("here/run", "there/run") == ("run", "run (2)")


def test_noise_makes_the_aimer_worse() -> None:
    success = [
        evaluate_shots({"a": aimer}, positions=60, seed=0, noise=level).players["a"].success.value
        for level in NOISE_LEVELS
        if level in ("none", "beginner")
    ]
    assert success[0] > success[1] + 0.2

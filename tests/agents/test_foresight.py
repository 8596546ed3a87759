"""The player that foresees: what its network is told, what it says, and what it is taught."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import jax
import numpy as np
import pytest

from carrom.board import Board
from carrom.errors import CheckpointError, ConfigError
from carrom.functional import Functional
from carrom.midgame import random_layout
from carrom.observation import encode
from carrom.physics.noise import execution_noise
from carrom.view import OPPONENT, OWN, View
from carrom_agents import named_arrays, roster
from carrom_agents.config import LeagueConfig, LoggingConfig
from carrom_agents.foresight import training
from carrom_agents.foresight.lessons import Lessons, mirrored
from carrom_agents.foresight.player import ForesightPlayer, LearnedValue, foresight_of
from carrom_agents.foresight.rehearsing import rehearsal_of, views_of, worths
from carrom_agents.foresight.settings import (
    ForesightConfig,
    IterationConfig,
    LessonsConfig,
    MatchConfig,
    StudyConfig,
    load_iteration,
)
from carrom_agents.foresight.study import Study
from carrom_agents.planner.errors import as_made, spread_errors
from carrom_agents.planner.position import sights_of, state_of
from carrom_agents.planner.proposing import ScriptedProposals
from carrom_agents.planner.rollouts import values
from carrom_agents.planner.worth import GLANCE, StaticWorth, features_on
from carrom_agents.released import load_released, release
from carrom_agents.searched import ForeseenProposals, searching

pytestmark = pytest.mark.usefixtures("compiled_in_haste")

SMALL = ForesightConfig(width=8, pair_width=4)
BOARD = Board()


@pytest.fixture(scope="module")
def foresight(compiled_in_haste):
    return foresight_of(SMALL, "expert")


@pytest.fixture(scope="module")
def player(foresight) -> ForesightPlayer:
    params = foresight.init(jax.random.key(1))
    rng = np.random.default_rng(0)
    moved = jax.tree.map(lambda leaf: leaf + rng.normal(0, 0.2, leaf.shape), params)
    return ForesightPlayer(foresight, jax.tree.map(np.float32, moved), count=16)


def _views(count: int, seed: int = 0) -> list[View]:
    rng, found = np.random.default_rng(seed), []
    for _ in range(count):
        white, black = rng.integers(2, 9, 2)
        layout = random_layout(BOARD, rng, white=int(white), black=int(black), queen=True)
        found.append(View(BOARD, layout.positions, layout.on_board, queen_allowed=True))
    return found


def _asked(views: list[View], count: int = 16) -> tuple[np.ndarray, np.ndarray]:
    """Observations and strikes."""
    propose = ScriptedProposals()
    strikes = [propose(view, np.random.default_rng(row), count) for row, view in enumerate(views)]
    return np.stack([encode(view) for view in views]), np.stack(strikes).astype(np.float32)


def _said(player: ForesightPlayer, observation: np.ndarray, strikes: np.ndarray) -> np.ndarray:
    glanced = player.foresight.glanced(observation, strikes)
    foreseen = player.foresight.foreseen(player.params, observation, strikes, *glanced)
    return np.asarray(foreseen.worth)


def test_a_glance_at_a_position_is_the_planners(foresight):
    views = _views(8)
    expected = features_on(GLANCE)(sights_of(views, Functional("board")))
    observation, strikes = _asked(views)
    glance, glances = foresight.glanced(observation, strikes)
    assert glances.shape == (8, 16, 12)
    # Counts are told as shares of nine, sums of chances as shares of three.
    scale = np.array([1, 9, 9, 1, 1, 1, 1, 3, 1, 3, 1, 1])
    np.testing.assert_allclose(glance * scale, expected, atol=1e-5)


def test_carrommen_of_a_kind_are_all_alike(player):
    observation, strikes = _asked(_views(8))
    rng = np.random.default_rng(1)
    shuffled = observation.copy()
    for kind in (OWN, OPPONENT):
        rows = rng.permutation(np.r_[kind])
        pieces = shuffled[:, :57].reshape(-1, 19, 3)
        pieces[:, kind] = pieces[:, rows]
    said, again = _said(player, observation, strikes), _said(player, shuffled, strikes)
    assert np.ptp(said) > 0.1
    np.testing.assert_allclose(said, again, atol=1e-3)


def test_the_player_plays_what_it_expects_most_of(player):
    for number, view in enumerate(_views(4)):
        strike = player(view, np.random.default_rng(number))
        strikes = player.propose(view, np.random.default_rng(number), player.count)
        said = _said(player, encode(view)[None], strikes[None].astype(np.float32))[0]
        best = strikes[np.argmax(said)]
        assert (strike.place, strike.direction, strike.speed) == tuple(best)


def test_proposals_of_the_search_are_the_best_foreseen(player):
    view = _views(1)[0]
    found = ForeseenProposals(player, asked=16)(view, np.random.default_rng(0), 5)
    strikes = player.propose(view, np.random.default_rng(0), 16)
    said = _said(player, encode(view)[None], strikes[None].astype(np.float32))[0]
    np.testing.assert_array_equal(found, strikes[np.argsort(-said)[:5]])


def test_the_search_weighs_positions_by_the_networks_value(player):
    views = _views(8)
    worth = searching(player).evaluate(sights_of(views, Functional("board")))
    observation = np.stack([encode(view) for view in views])
    expected = player.foresight.value(player.params, observation)
    np.testing.assert_allclose(worth, expected, atol=1e-5)
    glanced = player.foresight.glanced(observation, _asked(views)[1])
    said = player.foresight.foreseen(player.params, observation, _asked(views)[1], *glanced)
    np.testing.assert_allclose(said.value, expected, atol=1e-5)


def test_rehearsals_come_to_what_the_planners_rollouts_do():
    rehearsal, evaluate = rehearsal_of("expert"), StaticWorth()
    views = _views(4, seed=3)
    env = Functional("board", overlaps="impulses")
    errors = spread_errors(execution_noise("expert"), np.random.default_rng(0), 2)
    made = np.stack([as_made(strikes, errors) for strikes in _asked(views, 6)[1]])
    made = made.astype(np.float32).reshape(4, -1, 3)
    states = [state_of(view, rehearsal.env) for view in views]
    states = jax.tree.map(lambda *leaves: np.stack(leaves), *states)
    found = worths(rehearsal.tried(states, made), evaluate)
    for row, view in enumerate(views):
        expected = values(env, evaluate, state_of(view, env), made[row].astype(np.float64))
        np.testing.assert_allclose(found[row], expected, atol=1e-3)
    shown, _ = rehearsal.seen(states)
    for view, again in zip(views, views_of(shown, BOARD), strict=True):
        np.testing.assert_array_equal(encode(view), encode(again))


def _lessons(positions: int) -> Lessons:
    """Lessons of a rule that can be said: what a strike comes to grows with its speed."""
    observation, strikes = _asked(_views(positions, seed=5))
    glance, glances = map(np.asarray, foresight_of(SMALL, "expert").glanced(observation, strikes))
    worth = strikes[..., 2] - np.float32(2)
    return Lessons(
        observation=observation,
        strikes=strikes,
        glance=glance,
        glances=glances,
        worth=worth,
        gained=worth * np.float32(0.5),
        kept=(worth > 0).astype(np.float32),
    )


def test_what_is_taught_is_learned(foresight):
    lessons = _lessons(16)
    study = Study(foresight, StudyConfig(minibatch=8))
    student = study.begin(jax.random.key(0))
    before = study.losses(student.params, lessons)
    student, told = study.learn(student, lessons, 200, 0.02, np.random.default_rng(0))
    after = study.losses(student.params, lessons)
    assert set(told) == set(after._fields)
    assert after.worth < 0.2 * np.var(lessons.worth) < before.worth
    assert after.gained < 0.3 * before.gained
    assert after.keeps < 0.7 * before.keeps
    # What a position is worth is what its fastest strike comes to.
    assert after.value < 0.3 * before.value
    assert told["skipped"] == 0


def test_a_gradient_that_is_not_finite_changes_nothing(foresight):
    lessons = _lessons(4)
    spoilt = lessons._replace(worth=np.full_like(lessons.worth, np.nan))
    study = Study(foresight, StudyConfig(minibatch=4))
    student = study.begin(jax.random.key(0))
    after, told = study.learn(student, spoilt, 2, 0.01, np.random.default_rng(0))
    assert told["skipped"] == 1
    jax.tree.map(np.testing.assert_array_equal, student, after)


def test_a_mirrored_lesson_is_that_of_the_mirrored_position():
    lessons = _lessons(2)
    turned = mirrored(lessons, np.array([True, False]))
    pieces = turned.observation[:, :57].reshape(2, 19, 3)
    as_was = lessons.observation[:, :57].reshape(2, 19, 3)
    np.testing.assert_array_equal(pieces[0], as_was[0] * [-1, 1, 1])
    np.testing.assert_array_equal(turned.strikes[0], lessons.strikes[0] * [-1, -1, 1])
    np.testing.assert_array_equal(turned.observation[:, 57:], lessons.observation[:, 57:])
    for before, after in zip(lessons, turned, strict=True):
        np.testing.assert_array_equal(before[1], after[1])


@pytest.fixture(scope="module")
def config(tmp_path_factory) -> IterationConfig:
    return IterationConfig(
        name="tiny",
        rounds=2,
        static_rounds=1,
        workers=1,
        network=SMALL,
        lessons=LessonsConfig(boards=4, strokes=6, candidates=6, rehearsals=2, due_placing="agent"),
        study=StudyConfig(minibatch=4, memory=40),
        league=LeagueConfig(snapshots=2, snapshot_every_updates=1, self_share=0.3, aimer_share=0.3),
        evaluation=MatchConfig(boards=2, opponents=("random",)),
        logging=LoggingConfig(
            directory=str(tmp_path_factory.mktemp("runs")), wandb="disabled", progress=False
        ),
    )


@pytest.fixture(scope="module")
def run(config) -> Path:
    return training.iterate(config)


def test_a_run_that_was_interrupted_ends_with_the_same_bits(config, run, monkeypatch):
    class StoppedError(Exception):
        pass

    gather = training.Iteration.gather

    def interrupted(iteration, state):
        if state.round == 1:
            raise StoppedError
        return gather(iteration, state)

    with monkeypatch.context() as patch:
        patch.setattr(training.Iteration, "gather", interrupted)
        with pytest.raises(StoppedError):
            training.iterate(dataclasses.replace(config, name="broken"))
    (broken,) = Path(config.logging.directory).glob("broken-*")
    training.go_on(broken)
    for file in (training.PLAYER_FILE, training.STATE_FILE, "lessons/000001.npz"):
        with np.load(run / file) as ours, np.load(broken / file) as theirs:
            assert ours.files == theirs.files
            for name in ours.files:
                np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda text: text.replace("seed: 0", "seed: 7"), "begun with seed = 0"),
        (lambda text: text.replace("rounds: 2", "rounds: 3", 1), "begun with rounds = 2"),
    ],
)
def test_a_run_goes_on_as_it_was_configured(run, tmp_path, edit, said):
    folder = tmp_path / "run"
    shutil.copytree(run, folder)
    settings = folder / "iteration.yaml"
    settings.write_text(edit(settings.read_text()))
    with pytest.raises(CheckpointError, match=said):
        training.go_on(folder)


def test_damaged_lessons_are_told_of(run, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(run, folder)
    file = folder / "lessons" / "000001.npz"
    for content in (file.read_bytes()[:500], b""):
        file.write_bytes(content)
        with pytest.raises(CheckpointError, match=r"000001\.npz: cannot be read"):
            training.go_on(folder)


def test_the_run_is_evaluated_and_drawn(run, config):
    result = json.loads((run / "evaluation.json").read_text())
    assert result["random"]["boards"] == 2
    records = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert [each["global_step"] for each in records] == [24, 48]
    assert (run / "learning_curve.png").stat().st_size > 1000
    # 40 positions of 24 a round: both rounds are learned from still.
    assert len(list((run / "lessons").iterdir())) == 2


def test_a_training_that_could_not_be_evaluated_is_refused_first(config, tmp_path):
    asked = dataclasses.replace(
        config,
        evaluation=MatchConfig(opponents=("nobody",)),
        logging=dataclasses.replace(config.logging, directory=str(tmp_path)),
    )
    with pytest.raises(ConfigError, match="player 'nobody'"):
        training.iterate(asked)
    assert not list(tmp_path.iterdir())


def test_a_run_folder_is_a_player_and_can_be_released(run, tmp_path):
    player = roster.find_player(str(run))
    release(run, tmp_path / "agent")
    released = load_released(tmp_path / "agent")
    for number, view in enumerate(_views(2)):
        strikes = [each(view, np.random.default_rng(number)) for each in (player, released)]
        assert strikes[0] == strikes[1]


def test_damaged_files_are_told_of(run, config, tmp_path):
    release(run, tmp_path / "agent")
    file = tmp_path / "agent" / training.PLAYER_FILE
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(CheckpointError, match=r"player\.npz: cannot be read"):
        load_released(tmp_path / "agent")
    file.write_bytes(b"")
    with pytest.raises(CheckpointError, match=r"player\.npz: cannot be read"):
        load_released(tmp_path / "agent")
    named_arrays.write_arrays(file, {"nothing": np.zeros(3)})
    with pytest.raises(CheckpointError, match="expected float32"):
        load_released(tmp_path / "agent")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("round: 3", "round"),
        ("rounds: 0", "rounds = 0: expected at least 1"),
        ("noise: loud", "noise"),
        ("lessons: {candidates: 1}", "candidates = 1: expected at least 2"),
        ("name: a/b", "expected letters"),
        ("seed: 99999999999999999999", "seed = 99999999999999999999: expected"),
        ("evaluation: {opponents: [aimer, aimer]}", "expected none twice"),
        ("evaluation: {boards: 3}", "boards = 3: expected an even number"),
    ],
)
def test_bad_settings_are_refused(tmp_path, text, said):
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=said):
        load_iteration(file)


def test_the_value_learns_from_the_seat_of_who_strikes(player):
    """The value of a position is that of whoever is to strike: it sees his carrommen first."""
    sights = sights_of(_views(4), Functional("board"))
    evaluate = LearnedValue(player.foresight, player.params)
    swapped = np.r_[9:18, 0:9, 18]
    turned = sights._replace(
        positions=-sights.positions[:, swapped], on_board=sights.on_board[:, swapped]
    )
    assert not np.allclose(evaluate(sights), evaluate(turned), atol=1e-3)

"""What is not finite: skipped or cut off, counted, dumped, and shown; parameters stay finite."""

import dataclasses
import json
import runpy
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_functional import ToyBooked, ToyFunctional

import carrom
from carrom.board import Board
from carrom.errors import ConfigError, PhysicsError
from carrom.failed_stroke import drawn, told
from carrom.functional import Functional, stroke_dump
from carrom.layout import Layout
from carrom.physics.dump import StrokeDump
from carrom.physics.material import Material
from carrom.physics.strike import Strike
from carrom_agents.agent import Agent, agent_of, new_statistics, scale_of
from carrom_agents.config import SELF, EnvConfig, ExperimentConfig, NetworkConfig, PpoConfig
from carrom_agents.device.rivals import find_rival
from carrom_agents.device.rollout import begin, collect
from carrom_agents.device.training import Game, learn_on_device
from carrom_agents.dumps import (
    DUMPS,
    MOST_DUMPS,
    MOST_SAMPLES,
    Amounts,
    UpdateDump,
    write_dumps,
)
from carrom_agents.learning import Progress, TrainingState, initial_state, learn
from carrom_agents.rollout import Collector

# Compiling is most of what this takes.
pytestmark = pytest.mark.usefixtures("compiled_in_haste")

SCRIPT = Path(__file__).parents[2] / "scripts" / "replay_dump.py"


@pytest.fixture
def shown(monkeypatch, capsys):
    """What scripts/replay_dump.py says, and how it ends."""

    def show(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", [str(SCRIPT), *arguments])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(SCRIPT), run_name="__main__")
        told = capsys.readouterr()
        return int(ended.value.code or 0), told.out + told.err

    return show


def finite(tree: Any) -> bool:
    return all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(tree))


class Poisoned(gym.Wrapper):
    """A toy whose observation, or reward, is not a number from the 40th step on, now and then."""

    what = "observation"
    count = 0

    def reset(self, **options):
        return self._spoilt(*self.env.reset(**options))

    def step(self, action):
        assert np.isfinite(action["residual"]).all()
        observation, reward, *ends, info = self.env.step(action)
        type(self).count += 1
        if self.what == "reward" and self.count > 40 and self.count % 7 == 0:
            reward = float("nan")
        return self._spoilt(observation, reward, *ends, info)

    def _spoilt(self, observation, *rest):
        if self.what == "observation" and self.count > 40 and self.count % 7 == 0:
            observation = observation + np.float32("nan")
        return observation, *rest


def trained(
    config: ExperimentConfig, agent: Agent, envs: gym.vector.VectorEnv
) -> tuple[TrainingState, list[Progress]]:
    told: list[Progress] = []
    return learn(config, agent, envs, initial_state(config, agent), told.append), told


@pytest.fixture(scope="module")
def brief(toy_config: ExperimentConfig) -> ExperimentConfig:
    return dataclasses.replace(toy_config, total_strokes=3 * toy_config.rollout_strokes)


@pytest.mark.parametrize("what", ["observation", "reward"])
def test_steps_that_are_not_finite_are_not_learnt_from(
    brief, toy_agent, farthest_right, vector_of, what
):
    kind = type("Kind", (Poisoned,), {"what": what, "count": 0})
    envs = gym.vector.SyncVectorEnv(
        [lambda: kind(farthest_right())] * 16, autoreset_mode=AutoresetMode.SAME_STEP
    )
    state, told = trained(brief, toy_agent, envs)
    assert finite((state.learner, dataclasses.astuple(state.statistics)))
    assert all(finite(progress.metrics) for progress in told)
    # One in seven of 256 steps, but for the first 40, and what was found out on the way.
    assert 28 <= told[0].metrics["steps_not_finite"] <= 34
    assert told[-1].metrics["minibatches_skipped"] == 0
    assert not any(progress.dumps for progress in told)
    first = jax.tree.leaves(initial_state(brief, toy_agent).learner.params)
    last = jax.tree.leaves(state.learner.params)
    assert any((one != two).any() for one, two in zip(first, last, strict=True))


def test_a_network_that_gives_no_numbers_changes_nothing_and_is_dumped(
    brief, toy_agent, farthest_right, vector_of, tmp_path, shown
):
    state = initial_state(brief, toy_agent)
    spoilt = jax.tree.map(lambda leaf: leaf.at[...].multiply(jnp.nan), state.learner.params)
    state = dataclasses.replace(state, learner=dataclasses.replace(state.learner, params=spoilt))
    told: list[Progress] = []
    envs = vector_of(farthest_right, 16, AutoresetMode.SAME_STEP)
    learn(brief, toy_agent, envs, state, told.append)
    assert told[-1].metrics["minibatches_skipped"] == 3 * brief.ppo.epochs * brief.ppo.minibatches
    for progress in told:
        write_dumps(tmp_path, progress.dumps)
    files = sorted(path.name for path in (tmp_path / DUMPS).iterdir())
    assert files == [f"update_{update:08d}.npz" for update in (1, 2, 3)]
    dump = UpdateDump.load(tmp_path / DUMPS / files[1])
    assert (dump.update, dump.seed, dump.epoch, dump.minibatch) == (2, 0, 0, 0)
    assert dump.samples == brief.rollout_strokes // brief.ppo.minibatches
    assert all(some.not_finite == some.size for some in dump.params.values())
    status, text = shown(str(tmp_path / DUMPS / files[1]))
    assert status == 0
    assert "update 2 of the run with seed 0" in text
    assert "loss nan" in text
    assert "of 128 samples, 128 of them valid" in text


class Spoilt(ToyFunctional):
    """The toy with strokes that fail, rewards and places that are not numbers, now and then."""

    def stroke(self, state, strike, key):
        after, _ = super().stroke(state, strike, key)
        kind = jax.random.randint(jax.random.fold_in(key, 7), (), 0, 60)
        nan = jnp.float32(jnp.nan)
        earned = {"shot": after.earned["shot"] + jnp.where(kind == 1, nan, 0)}
        places = after.places + jnp.where(kind == 2, nan, 0)
        after = dataclasses.replace(after, earned=earned, places=places)
        return after, ToyBooked(kind == 0)


@pytest.fixture(scope="module")
def device_config(toy_config: ExperimentConfig) -> ExperimentConfig:
    env = EnvConfig(physics="planar", num_envs=16)
    return dataclasses.replace(toy_config, env=env, total_strokes=4 * 256)


def test_on_the_device_the_episode_is_cut_off_and_the_stroke_is_kept(toy_agent, device_config):
    env, rival = Spoilt("board"), find_rival(SELF, device_config)
    params, scale = toy_agent.init(jax.random.key(3)), scale_of(new_statistics())

    def play(key):
        boards = begin(env, toy_agent, rival, (), jnp.arange(16, dtype=jnp.int32), key)  # type: ignore[arg-type]
        more = (toy_agent, rival, params, scale, (), boards, key, 24)
        return collect(env, *more, at_once=16)[1:]  # type: ignore[arg-type]

    rollout, tally, failure = jax.device_get(jax.jit(play)(jax.random.key(1)))
    assert 2 <= tally.failed.sum() <= 15
    assert 4 <= tally.strange.sum() <= 25
    lost = tally.failed | tally.strange
    assert tally.over[lost].all()
    assert (tally.reward[lost] == 0).all()
    assert finite((rollout, tally.reward, tally.earned))
    assert tally.failed[:, :].any()
    assert failure.found
    # The first step on which any board was lost, and the first such board.
    step, board = np.argwhere(lost)[0]
    np.testing.assert_array_equal(
        tally.seen[step, board], env.observe(failure.state, failure.state.match.board.seat)
    )


def test_training_on_the_device_goes_on(toy_agent, device_config, monkeypatch):
    dumped = []
    monkeypatch.setattr(
        "carrom_agents.device.training.stroke_dump", lambda *stroke: dumped.append(stroke)
    )
    told: list[Progress] = []
    game = Game(Spoilt("board"), find_rival(SELF, device_config), None)  # type: ignore[arg-type]
    (state,) = learn_on_device(
        device_config,
        toy_agent,
        game,
        [initial_state(device_config, toy_agent)],
        lambda _, progress: told.append(progress),
    )
    assert finite((state.learner, dataclasses.astuple(state.statistics)))
    assert all(finite(progress.metrics) for progress in told)
    assert all(progress.metrics["failed_strokes"] > 0 for progress in told)
    assert all(progress.metrics["steps_not_finite"] > 0 for progress in told)
    assert len(dumped) == len(told) == 4
    # The same program, with a network that gives no numbers.
    spoilt = jax.tree.map(lambda leaf: leaf * jnp.nan, state.learner.params)
    state = initial_state(device_config, toy_agent)
    state = dataclasses.replace(state, learner=dataclasses.replace(state.learner, params=spoilt))
    learn_on_device(
        device_config, toy_agent, game, [state], lambda _, progress: told.append(progress)
    )
    skipped = 4 * device_config.ppo.epochs * device_config.ppo.minibatches
    assert told[-1].metrics["minibatches_skipped"] == skipped
    names = [f"update_{update:08d}.npz" for update in (1, 2, 3, 4)]
    assert [next(iter(progress.dumps)) for progress in told[4:]] == names
    assert finite(dataclasses.astuple(told[-1].state.statistics))


def test_the_drill_on_the_device_cuts_off_a_stroke_that_is_not_a_number(tmp_path, shown):
    env = Functional("shot", noise="expert")
    state = jax.jit(env.start)(jax.random.key(0))
    wanted = carrom.functional.Strike(*map(jnp.float32, (0.05, jnp.nan, 2.0, 0.0)))
    key = jax.random.key(1)
    dump = stroke_dump(env, state, wanted, key)
    made = env.make(state, wanted, jax.random.split(key)[0])
    np.testing.assert_array_equal(
        np.array(dataclasses.astuple(dump.strike), np.float32), np.stack(made)
    )
    np.testing.assert_array_equal(dump.layout.positions, np.asarray(state.positions))
    dump.save(tmp_path / "stroke.json")
    loaded = StrokeDump.load(tmp_path / "stroke.json")
    assert loaded.reason == "not finite: strike.direction = nan"
    status, text = shown(str(tmp_path / "stroke.json"), "--svg", str(tmp_path / "stroke.svg"))
    assert status == 0
    assert "not finite: strike.direction = nan" in text
    assert text.count("again on the engine") == text.count("ConfigError") == 2
    assert "strike.direction = nan" in (tmp_path / "stroke.svg").read_text()


@dataclasses.dataclass(frozen=True)
class Slipping(Functional):
    """The drill with a player who in one position out of eight means no direction at all."""

    def decode(self, state, action):
        strike = super().decode(state, action)
        lost = jnp.sum(state.on_board) % 8 == 0
        return strike._replace(direction=jnp.where(lost, jnp.nan, strike.direction))


@pytest.mark.slow
def test_training_on_the_planar_engine_goes_on_and_dumps_strokes(tmp_path):
    config = ExperimentConfig(
        total_strokes=3 * 64,
        env=EnvConfig(physics="planar", num_envs=32),
        network=NetworkConfig(width=4, place_width=2),
        ppo=PpoConfig(rollout_length=2, minibatches=2, epochs=1),
    )
    game = dataclasses.replace(
        Game.of(config), env=Slipping("shot", action_coding="target", noise="expert")
    )
    told: list[Progress] = []
    (state,) = learn_on_device(
        config,
        agent_of(config),
        game,
        [initial_state(config, agent_of(config))],
        lambda _, progress: told.append(progress),
    )
    assert finite((state.learner, dataclasses.astuple(state.statistics)))
    assert int(state.learner.skipped) == 0
    for progress in told:
        assert 1 <= progress.metrics["failed_strokes"] <= 30
        assert progress.metrics["steps_not_finite"] == 0
        assert finite(progress.metrics)
        write_dumps(tmp_path, progress.dumps)
    files = sorted((tmp_path / DUMPS).iterdir())
    assert [file.name for file in files] == [f"stroke_{u:08d}_1.json" for u in (1, 2, 3)]
    for file in files:
        dump = StrokeDump.load(file)
        assert dump.reason == "not finite: strike.direction = nan"
        assert dump.layout.on_board.sum() % 8 == 0
        dump.layout.check(dump.board)


def impossible(view, rng) -> Strike:
    """A strike that no engine can compute."""
    return Strike(place=0.0, direction=0.1, speed=5_000.0)


@pytest.mark.usefixtures("strong_hands")
def test_a_stroke_that_diverges_is_cut_off_counted_and_dumped(tmp_path, shown):
    config = ExperimentConfig(env=EnvConfig(id="CarromBoard-v0"))
    agent = agent_of(config)
    envs = gym.make_vec(
        "CarromBoard-v0",
        num_envs=2,
        opponent=impossible,
        action_coding="target",
        first="agent",
        autoreset_mode=AutoresetMode.SAME_STEP,
        vectorization_mode="vector_entry_point",
    )
    collector = Collector(envs, agent, 6, seed=0)
    params = agent.init(jax.random.key(0))
    experience = collector.collect(params, scale_of(new_statistics()), jax.random.key(1))
    summary = experience.summary()
    assert summary["failed_strokes"] >= 2
    assert finite(summary)
    record = experience.rollout
    assert record.truncated.any()
    assert record.valid.all()
    assert finite((record.reward, record.next_value))
    assert 1 <= len(experience.dumps) <= 4
    file = tmp_path / "stroke.json"
    experience.dumps[0].save(file)
    status, text = shown(str(file))
    assert status == 0
    assert "speed 5000" in text
    assert "mujoco: PhysicsError" in text
    with pytest.raises(PhysicsError):
        carrom.physics.mujoco.replay(file)


def test_no_more_dumps_are_kept_than_show_the_cause(tmp_path):
    class Text:
        def save(self, path):
            Path(path).write_text("kept")

    for update in range(30):
        write_dumps(tmp_path, {f"update_{update:08d}.npz": Text()})
    names = sorted(path.name for path in (tmp_path / DUMPS).iterdir())
    assert names == [f"update_{update:08d}.npz" for update in range(MOST_DUMPS)]
    assert MOST_SAMPLES <= 512


@pytest.mark.parametrize("name", ["nowhere.npz", "a.txt", "a.npz", "a.json", "b.json"])
def test_what_is_no_dump_is_a_clear_error(tmp_path, shown, name):
    if name != "nowhere.npz":
        (tmp_path / name).write_text("{" if name != "b.json" else json.dumps({"format": "?"}))
    status, text = shown(str(tmp_path / name))
    assert status == 2
    assert text.startswith(f"replay_dump: {tmp_path / name}: ")
    assert text.count("\n") == 1


def test_a_dump_that_would_execute_something_is_not_read(tmp_path):
    np.savez(tmp_path / "trap.npz", about=np.array([Path("a")], dtype=object))
    with pytest.raises(ConfigError, match="expected a saved minibatch"):
        UpdateDump.load(tmp_path / "trap.npz")


NAN = float("nan")
MINIBATCH = UpdateDump(
    update=3,
    seed=0,
    key=(1, 2),
    epoch=0,
    minibatch=1,
    loss=NAN,
    gradient_norm=float("inf"),
    rates={"learning_rate": 1e-3},
    params={"weights": Amounts(3, 0, 1.0)},
    samples=9,
    arrays={
        ".inputs": np.arange(12, dtype=np.float32).reshape(6, 2),
        ".action": np.full((6, 3), NAN, np.float32),
        ".valid": np.array([1, 1, 1, 0, 1, 1], bool),
    },
)
STROKE = StrokeDump(
    Board(),
    Material(),
    "coulomb",
    Layout(np.zeros((19, 2)), np.zeros(19, bool)),
    Strike(0.0, NAN, 2.0),
    0,
    "not finite",
)


def test_dumps_are_written_under_another_name_first(tmp_path):
    """A program that ends while it writes leaves nothing under the dump's name."""

    class Ended:
        def save(self, path):
            Path(path).write_text("PK")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_dumps(tmp_path, {"update_00000001.npz": Ended()})
    assert not list((tmp_path / DUMPS).glob("update*"))
    write_dumps(tmp_path, {"update_00000001.npz": MINIBATCH})
    (file,) = (tmp_path / DUMPS).iterdir()
    assert list(UpdateDump.load(file).told()) == list(MINIBATCH.told())


@settings(max_examples=40, deadline=None)
@given(cut=st.booleans(), place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_damaged_minibatch_is_shown_or_refused(tmp_path_factory, cut, place, bit):
    file = tmp_path_factory.mktemp("damaged") / "a.npz"
    MINIBATCH.save(file)
    content = bytearray(file.read_bytes())
    index = int(place * len(content))
    if cut:
        del content[index:]
    else:
        content[index] ^= 1 << bit
    file.write_bytes(content)
    try:
        dump = UpdateDump.load(file)
    except ConfigError:
        return
    # What was hit means nothing: the checksums are over what does.
    assert list(dump.told()) == list(MINIBATCH.told())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"arrays": {".action": np.zeros(3)}}, "KeyError: '.valid'"),
        ({"arrays": {".valid": np.ones(3)}}, r".valid is float64 \(3,\): expected bool"),
        ({"arrays": {".valid": np.ones((), bool)}}, r".valid is bool \(\): expected bool"),
        ({"arrays": {".valid": np.ones(2, bool), "a": np.ones(3)}}, r"a is .*numbers \(2, ...\)"),
        ({"arrays": {".valid": np.ones(2, bool), "a": np.array(["x"] * 2)}}, "a is <U1 .*numbers"),
        ({"rates": {"learning_rate": "b"}}, "rates.learning_rate = 'b': expected a number"),
        ({"rates": {"learning_rate": 10**400}}, "OverflowError"),
        ({"params": {"a": Amounts("x", 0, 0.0)}}, "params.a.size = 'x': expected an integer"),  # type: ignore[arg-type]
        ({"seed": None}, "seed = None: expected an integer"),
    ],
)
def test_a_minibatch_of_something_else_is_refused(tmp_path, changes, message):
    dataclasses.replace(MINIBATCH, **changes).save(tmp_path / "a.npz")
    with pytest.raises(ConfigError, match=message):
        UpdateDump.load(tmp_path / "a.npz")


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
ANYTHING = PLAIN | st.lists(PLAIN, max_size=2) | st.dictionaries(st.text(max_size=3), PLAIN)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_damaged_stroke_is_drawn_or_refused(tmp_path_factory, data):
    file = tmp_path_factory.mktemp("damaged") / "a.json"
    STROKE.save(file)
    content = place = json.loads(file.read_text())
    key = data.draw(st.sampled_from(sorted(content)))
    if isinstance(content[key], dict) and data.draw(st.booleans()):
        place, key = content[key], data.draw(st.sampled_from(sorted(content[key])))
    place[key] = data.draw(ANYTHING)
    file.write_text(json.dumps(content))
    try:
        dump = StrokeDump.load(file)
    except ConfigError:
        return
    assert len(list(told(dump))) == 6
    assert drawn(dump).svg.startswith("<svg")


@pytest.mark.parametrize(
    "changes",
    [{"strike": {"place": 0, "direction": 0, "speed": None}}, {"reason": 5}, {"seat": 10**400}],
)
def test_a_stroke_of_something_else_is_one_line(tmp_path, shown, changes):
    STROKE.save(tmp_path / "a.json")
    content = json.loads((tmp_path / "a.json").read_text()) | changes
    for text in (json.dumps(content), "[" * 100_000):
        (tmp_path / "a.json").write_text(text)
        status, said = shown(str(tmp_path / "a.json"))
        assert (status, said.count("\n")) == (2, 1)
        assert "expected a saved stroke" in said

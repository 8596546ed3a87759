"""Checkpoints: what is restored is what was saved, bit for bit, and errors say what is wrong."""

import contextlib
import dataclasses
import gc
import hashlib
import json
import os
import pickle
import shutil
import sys
from pathlib import Path

import jax
import numpy as np
import pytest
from fixture_checkpoints import CONFIG as FIXTURE_CONFIG
from fixture_checkpoints import counted_out

from carrom.board import Board
from carrom.errors import CheckpointError
from carrom.midgame import random_layout
from carrom.observation import SIZE, encode
from carrom.view import View
from carrom_agents.agent import agent_of, new_statistics
from carrom_agents.checkpoint import CONFIG_FILE, forget_after, load_player, restore, save
from carrom_agents.config import EnvConfig, ExperimentConfig, NetworkConfig, dump_config
from carrom_agents.learning import TrainingState, initial_state
from carrom_agents.player import player_of, untrained_player

pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    # Compiling is most of what this takes, and what is compared is compiled alike.
    pytest.mark.usefixtures("compiled_in_haste"),
]

CONFIG = ExperimentConfig(network=NetworkConfig(width=8, place_width=4))
DATA = Path(__file__).parents[1] / "data" / "checkpoints"


def views(count: int, seed: int = 0) -> list[View]:
    rng, board = np.random.default_rng(seed), Board()
    layouts = [random_layout(board, rng, white=4, black=5, queen=True) for _ in range(count)]
    return [View(board, layout.positions, layout.on_board) for layout in layouts]


@pytest.fixture(scope="module", autouse=True)
def tidy():
    """What orbax leaves behind when it meets damage complains here, not in later tests."""
    yield
    gc.collect()


@pytest.fixture(scope="module")
def state() -> TrainingState:
    statistics = new_statistics().including(np.stack([encode(view) for view in views(50)]))
    learner = initial_state(dataclasses.replace(CONFIG, seed=5), agent_of(CONFIG)).learner
    return TrainingState(dataclasses.replace(learner, skipped=learner.skipped + 3), statistics, 42)


@pytest.fixture
def run(state: TrainingState, tmp_path: Path) -> Path:
    (tmp_path / CONFIG_FILE).write_text(dump_config(CONFIG))
    save(tmp_path, CONFIG, state)
    return tmp_path


def test_everything_comes_back_with_its_type_and_bits(run, state):
    found = restore(run, CONFIG)
    assert found.update == 42
    assert int(found.learner.skipped) == 3
    mine, theirs = (
        (s.learner, s.statistics.count, s.statistics.mean, s.statistics.squares)
        for s in (state, found)
    )
    assert jax.tree.structure(mine) == jax.tree.structure(theirs)
    for one, two in zip(jax.tree.leaves(mine), jax.tree.leaves(theirs), strict=True):
        assert one.dtype == two.dtype
        np.testing.assert_array_equal(one, two)


def test_the_newest_checkpoint_is_the_one_read(run, state):
    save(run, CONFIG, dataclasses.replace(state, update=100))
    save(run, CONFIG, dataclasses.replace(state, update=7))
    assert restore(run, CONFIG).update == 100


def test_loaded_player_plays_the_same_bits(run, state):
    for samples in (False, True):
        mine = player_of(CONFIG, state, samples=samples)
        loaded = load_player(run, samples=samples)
        for view in views(10, seed=1):
            one, two = (p(view, np.random.default_rng(3)) for p in (mine, loaded))
            assert one == two


def test_sampling_depends_on_the_generator_and_the_mode_does_not(run):
    view = views(1)[0]
    for samples in (False, True):
        player = load_player(run, samples=samples)
        strikes = {player(view, np.random.default_rng(seed)) for seed in range(5)}
        assert (len(strikes) > 1) == samples


def test_untrained_player_depends_on_the_seed_alone():
    view = views(1)[0]
    rng = np.random.default_rng(0)
    strikes = [
        untrained_player(dataclasses.replace(CONFIG, seed=seed))(view, rng) for seed in (0, 0, 1)
    ]
    assert strikes[0] == strikes[1] != strikes[2]


def test_another_network_is_refused(run):
    other = dataclasses.replace(CONFIG, network=NetworkConfig(width=16, place_width=4))
    with pytest.raises(CheckpointError, match=r"another network .*float32 \[.*, expected float32"):
        restore(run, other)


def test_missing_ones_are_named(tmp_path):
    with pytest.raises(CheckpointError, match="nowhere: no such run folder"):
        restore(tmp_path / "nowhere", CONFIG)
    with pytest.raises(CheckpointError, match="no checkpoint in"):
        restore(tmp_path, CONFIG)
    with pytest.raises(CheckpointError, match=f"not a run folder: it has no {CONFIG_FILE}"):
        load_player(tmp_path)


def test_an_unfinished_checkpoint_does_not_count(run):
    (run / "checkpoints" / ".00000099" / "state").mkdir(parents=True)
    assert restore(run, CONFIG).update == 42


def names(run: Path) -> list[str]:
    return sorted(path.name for path in (run / "checkpoints").iterdir())


def test_a_checkpoint_that_is_written_again_replaces_the_old_one(run, state):
    save(run, CONFIG, dataclasses.replace(state, statistics=new_statistics()))
    assert restore(run, CONFIG).statistics.count == 0
    assert names(run) == ["00000042"]


def test_what_came_later_and_what_was_never_completed_can_be_forgotten(run, state):
    for update in (7, 100):
        save(run, CONFIG, dataclasses.replace(state, update=update))
    for leftover in (".00000099", ".00000042.replaced"):
        (run / "checkpoints" / leftover / "state").mkdir(parents=True)
    forget_after(run, 42)
    assert names(run) == ["00000007", "00000042"]


def test_a_certain_checkpoint_can_be_named(run, state):
    save(run, CONFIG, dataclasses.replace(state, update=7))
    place = run / "checkpoints" / "00000007"
    assert restore(place, CONFIG).update == 7
    assert load_player(place).config == CONFIG
    with pytest.raises(CheckpointError, match="00000008: no such checkpoint"):
        restore(place.with_name("00000008"), CONFIG)


@pytest.mark.parametrize("layout", ["v1", "v2", "v3"])
def test_checkpoints_of_every_layout_are_read(layout):
    found, expected = restore(DATA / layout, FIXTURE_CONFIG), counted_out()
    assert found.update == expected.update
    mine, theirs = (
        (s.learner, dataclasses.astuple(s.statistics), s.league) for s in (found, expected)
    )
    assert jax.tree.structure(mine) == jax.tree.structure(theirs)
    for one, two in zip(jax.tree.leaves(mine), jax.tree.leaves(theirs), strict=True):
        assert one.dtype == two.dtype
        np.testing.assert_array_equal(one, two)


DAMAGE = ["no manifest", "garbled manifest", "no arrays", "a file cut off", "a file of zeros"]
DAMAGE += ["a file missing", "a file too many", "a bit turned", "a link"]


def array_files(folder: Path) -> list[Path]:
    """The files that hold numbers, the largest first."""
    files = [path for path in (folder / "state").rglob("*") if path.is_file()]
    return sorted(files, key=lambda path: -path.stat().st_size)


def damage(folder: Path, what: str) -> None:
    data = next(path for path in array_files(folder) if path.parent.name == "d")
    content = data.read_bytes()
    if what == "no manifest":
        (folder / "manifest.json").unlink()
    elif what == "garbled manifest":
        (folder / "manifest.json").write_text("{")
    elif what == "no arrays":
        shutil.rmtree(folder / "state")
    elif what == "a file cut off":
        data.write_bytes(content[:500])
    elif what == "a file of zeros":
        data.write_bytes(bytes(len(content)))
    elif what == "a file missing":
        data.unlink()
    elif what == "a file too many":
        (folder / "state" / "extra.npy").write_bytes(b"")
    elif what == "a bit turned":
        middle = len(content) // 2
        data.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    else:
        elsewhere = folder.parents[1] / "elsewhere"
        shutil.move(data, elsewhere)
        data.symlink_to(elsewhere)


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_is_reported_and_the_one_before_is_offered(run, state, what):
    save(run, CONFIG, dataclasses.replace(state, update=50))
    newest, before = (run / "checkpoints" / name for name in ("00000050", "00000042"))
    damage(newest, what)
    with pytest.raises(CheckpointError, match=f"50: the checkpoint is damaged: .*{before} is who"):
        restore(run, CONFIG)
    assert restore(before, CONFIG).update == 42
    damage(before, what)
    with pytest.raises(CheckpointError, match=r"damaged: .*; no earlier one is whole"):
        load_player(run)


@pytest.mark.parametrize("what", ["a file cut off", "a file missing"])
def test_damage_shows_in_the_layout_without_digests_too(tmp_path, what):
    refused = 0
    shutil.copytree(DATA / "v1", tmp_path, dirs_exist_ok=True)
    for path in (tmp_path / "checkpoints").rglob("d/*"):
        shutil.copytree(DATA / "v1", tmp_path, dirs_exist_ok=True)
        content = path.read_bytes()
        if what == "a file missing":
            path.unlink()
        else:
            path.write_bytes(content[: len(content) // 2])
        try:
            found = restore(tmp_path, FIXTURE_CONFIG)
        except CheckpointError:
            refused += 1
            continue
        # Some files are copies that nobody reads.
        jax.tree.map(np.testing.assert_array_equal, found.learner, counted_out().learner)
    assert refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 1}, "another run: its seed is 0, expected 1"),
        ({"env": EnvConfig(physics="planar")}, "its env.physics is 'mujoco', expected 'planar'"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(run, change, message):
    with pytest.raises(CheckpointError, match=message):
        restore(run, dataclasses.replace(CONFIG, **change))


def test_a_checkpoint_of_a_later_version_is_refused(run):
    file = run / "checkpoints" / "00000042" / "manifest.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"version": 4}))
    with pytest.raises(CheckpointError, match=r"layout 4, by another version .*expected 1 to 3"):
        restore(run, CONFIG)


MANIFEST_DAMAGE = {
    "a setting": lambda text: text.replace('"seed": 0', '"seed": 1'),
    "a digest": lambda text: text.replace('"digest": "', '"digest": "0'),
    "less to be checked": lambda text: text.replace('"version": 3', '"version": 2'),
    "nothing to be checked": lambda text: text.replace('"version": 3', '"version": 1'),
    "a truth": lambda text: text.replace('"version": 3', '"version": true'),
    "a fraction": lambda text: text.replace('"version": 3', '"version": 3.0'),
    "a list": lambda text: json.dumps([text]),
    "deep": lambda text: "[" * 100_000,
}


@pytest.mark.parametrize("what", MANIFEST_DAMAGE)
def test_a_manifest_that_was_changed_is_damage(run, state, what):
    before = run / "checkpoints" / "00000007"
    save(run, CONFIG, dataclasses.replace(state, update=7))
    file = run / "checkpoints" / "00000042" / "manifest.json"
    text = file.read_text()
    changed = MANIFEST_DAMAGE[what](text)
    assert changed != text
    file.write_text(changed)
    for config in (CONFIG, dataclasses.replace(CONFIG, seed=1)):
        with pytest.raises(CheckpointError, match=r"42: the checkpoint is damaged: manifest\.json"):
            restore(run, config)
    with pytest.raises(CheckpointError, match=f"{before} is whole"):
        restore(run, CONFIG)


class Trap:
    """Makes the folder that its name says when it is unpickled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


@pytest.fixture(scope="module")
def unpickled() -> list[object]:
    """What any unpickler looks for from now on: Python itself reports it."""
    found: list[object] = []
    sys.addaudithook(lambda event, args: found.append(args) if event.startswith("pickle") else None)
    return found


@pytest.mark.parametrize("digests", [True, False])
def test_nothing_in_a_checkpoint_is_executed(run, tmp_path, unpickled, digests):
    trap = pickle.dumps(Trap(tmp_path / "sprung"))
    pickle.loads(pickle.dumps(Path("a")))
    assert unpickled  # the hook sees what there is to see
    unpickled.clear()
    folder = run / "checkpoints" / "00000042"
    whole = folder.with_name("whole")
    shutil.copytree(folder, whole)
    file = "manifest.json"
    for path in sorted(p for p in whole.rglob("*") if p.is_file()):
        shutil.rmtree(folder)
        shutil.copytree(whole, folder)
        (folder / path.relative_to(whole)).write_bytes(trap)
        if path.name != file:
            # As somebody would who wants it read: with the right digest, or without any.
            manifest = json.loads((folder / file).read_text())
            digest = hashlib.sha256(trap).hexdigest()
            manifest["files"][path.relative_to(whole).as_posix()] = digest
            manifest.pop("digest")
            manifest["version"] = 2
            if not digests:
                manifest = {"version": 1, "leaves": manifest["leaves"]}
            (folder / file).write_text(json.dumps(manifest))
        with contextlib.suppress(CheckpointError):
            restore(run, CONFIG)
    assert unpickled == []
    assert not (tmp_path / "sprung").exists()


def test_where_nothing_can_be_written_is_a_clear_error(tmp_path, state):
    (tmp_path / "checkpoints").write_text("a file")
    with pytest.raises(CheckpointError, match=r"00000042: .* cannot be written: .*resume"):
        save(tmp_path, CONFIG, state)


def test_observation_size_is_the_environments():
    assert new_statistics().mean.shape == (SIZE,)

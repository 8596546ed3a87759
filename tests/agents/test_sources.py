"""What is kept of the sources makes them again, whatever their bytes."""

import dataclasses
import json
import resource
import subprocess
from pathlib import Path

import pytest
from experiments import small_experiment

from carrom.errors import ConfigError
from carrom_agents.config import EnvConfig, ExperimentConfig
from carrom_agents.reproduction import changed_since
from carrom_agents.run_folder import create_run_folder, note_resumed
from carrom_agents.sources import sources


def git(*arguments: str, at: Path) -> None:
    name = ("-c", "user.name=n", "-c", "user.email=e@f")
    subprocess.run(["git", *name, *arguments], cwd=at, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch) -> Path:
    place = tmp_path / "repository"
    (place / "below").mkdir(parents=True)
    git("init", at=place)
    for name in ("latin.py", "numbers.bin", "gone.py", "below/same.py"):
        (place / name).write_bytes(b"first\n\0" if name == "numbers.bin" else b"first\n")
    (place / ".gitignore").write_text("ignored.py\n")
    git("add", ".", at=place)
    git("commit", "-m", "first", at=place)
    monkeypatch.chdir(place / "below")
    return place


@pytest.fixture
def config(toy_config: ExperimentConfig, tmp_path: Path) -> ExperimentConfig:
    env = EnvConfig(num_envs=16)
    return small_experiment("small", env, toy_config.network, tmp_path / "runs")


def contents(place: Path) -> dict[str, bytes]:
    files = (path for path in place.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(place)): path.read_bytes() for path in files}


def test_the_patch_makes_of_the_revision_what_was_run(repository, config, tmp_path):
    (repository / "latin.py").write_bytes(b"# caf\xe9 \xff\n")
    (repository / "numbers.bin").write_bytes(bytes(range(256)))
    (repository / "gone.py").unlink()
    (repository / "below" / "new one.py").write_bytes(b"# \xe9 without an end")
    (repository / "new.yaml").write_text("name: new\n")
    run = create_run_folder(config)
    again = tmp_path / "again"
    git("clone", str(repository), str(again), at=tmp_path)
    git("apply", str(run / "git.diff"), at=again)
    assert contents(again) == contents(repository)


def test_what_is_too_large_ignored_or_no_source_is_not_kept(repository):
    (repository / "large.py").write_bytes(b"#" * 300_000)
    (repository / "ignored.py").write_text("secret of mine")
    (repository / "notes.txt").write_text("mine alone")
    (repository / "runs").mkdir()
    (repository / "runs" / "config.yaml").write_text("name: old\n")
    found = sources(without=repository / "runs")
    assert found is not None
    assert (found.patch, found.left_out) == (b"", ("large.py",))
    assert found.as_json()["changes"] == "none"


def test_other_sources_are_told_when_a_run_goes_on_or_is_made_again(repository, config):
    run = create_run_folder(config)
    assert note_resumed(config.logging.directory, run, 2) is None
    assert changed_since(run) == {}
    (repository / "latin.py").write_bytes(b"second\n")
    said = note_resumed(config.logging.directory, run, 4)
    assert said is not None
    assert said.startswith("goes on with other sources: changes was none, is sha256 ")
    assert b"+second" in (run / "git-00000004.diff").read_bytes()
    assert set(changed_since(run)) == {"changes"}
    git("commit", "-a", "-m", "second", at=repository)
    assert set(changed_since(run)) == {"revision"}
    notes = [json.loads(line) for line in (run / "resumes.jsonl").read_text().splitlines()]
    assert [(note["update"], note["changes"] == "none") for note in notes] == [
        (2, True),
        (4, False),
    ]


def test_variables_that_are_newly_set_are_told(config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    run = create_run_folder(config)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert changed_since(run) == {"$OMP_NUM_THREADS": (None, "3")}


def in_directory(config: ExperimentConfig, place: Path | str) -> ExperimentConfig:
    logging = dataclasses.replace(config.logging, directory=str(place))
    return dataclasses.replace(config, logging=logging)


@pytest.mark.parametrize("place", ["/proc/nothing", "/etc/passwd"])
def test_a_place_where_nothing_can_be_made_is_a_clear_error(config, place):
    with pytest.raises(ConfigError, match=rf"logging\.directory = '{place}': .* cannot be made"):
        create_run_folder(in_directory(config, place))


def test_where_there_is_no_room_no_half_of_a_run_is_left(config, tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))  # bytes of a file
    try:
        with pytest.raises(ConfigError, match=r"config\.yaml: cannot be written \(.*\)"):
            create_run_folder(config)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list((tmp_path / "runs").iterdir()) == []

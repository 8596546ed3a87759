"""Files that are there completely or not at all."""

import pytest

from carrom.errors import ConfigError
from carrom.output import check_target, replacing
from carrom.program import in_one_line, run


def test_what_fails_leaves_the_old_file(tmp_path) -> None:
    target = tmp_path / "made" / "x.txt"
    with replacing(target) as unfinished:
        unfinished.write_text("old")
    with pytest.raises(UnicodeEncodeError), replacing(target) as unfinished:
        unfinished.write_text("half of the n\ud800", encoding="utf-8")
    assert target.read_text() == "old"
    assert list(target.parent.iterdir()) == [target]


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path) -> None:
    link, target = tmp_path / "link", tmp_path / "target"
    target.write_text("old")
    link.symlink_to(target)
    pipe = tmp_path / "null"
    pipe.symlink_to("/dev/null")
    for name in (link, pipe):
        with replacing(name) as unfinished:
            unfinished.write_text("new")
        assert name.is_symlink()
    assert target.read_text() == "new"
    assert pipe.read_text() == ""


def test_targets_are_refused_beforehand(tmp_path) -> None:
    source = tmp_path / "source"
    source.write_text("")
    check_target("page", tmp_path / "new" / "x.html", source)
    assert (tmp_path / "new").is_dir()
    for target in (source, tmp_path, source / "x.html"):
        with pytest.raises(ConfigError, match="page"):
            check_target("page", target, source)


def test_errors_steer_no_terminal(capsys) -> None:
    def fail():
        raise ConfigError("name = \x1b[2J\nboard 1 to mallory: caf\xe9 \ud800")

    assert run("x", fail) == 2
    said = capsys.readouterr().err
    assert said == "x: name = \\x1b[2J\\nboard 1 to mallory: caf\xe9 \\ud800\n"
    assert in_one_line("plain") == "plain"

"""Replays in files: every bit comes back, and what is no replay is refused in one line."""

import contextlib
import copy
import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carrom
from carrom.errors import ConfigError
from carrom.physics.noise import NOISE_LEVELS
from carrom.replay import load, verify
from carrom.replay.file import of_data, to_data


def assert_equal(one, other):
    """Two replays hold the same, compared part by part, not through their files."""
    for name in ("board", "material", "engine", "format", "task", "noise", "seeds", "toss"):
        assert getattr(one, name) == getattr(other, name), name
    assert dict(one.names) == dict(other.names)
    assert len(one.strokes) == len(other.strokes)
    for a, b in zip(one.strokes, other.strokes, strict=True):
        assert (a.seat, a.strike, a.meant, a.laid) == (b.seat, b.strike, b.meant, b.laid)
        assert a.before.layout == b.before.layout
        assert a.after.layout == b.after.layout
        assert a.sentences == b.sentences
        assert str(a.before.match) == str(b.before.match)
        assert str(a.after.match) == str(b.after.match)
        assert str(a.facts) == str(b.facts)
        assert (a.motion is None) == (b.motion is None)
        if a.motion is not None and b.motion is not None:
            assert a.motion.layout == b.motion.layout
            assert a.motion.pocketed == b.motion.pocketed
            assert a.motion.first_touch == b.motion.first_touch
            assert a.motion.duration == b.motion.duration
            assert np.array_equal(a.motion.touched, b.motion.touched)
            assert np.array_equal(a.motion.striker, b.motion.striker)


@pytest.mark.parametrize("suffix", ["json", "json.gz"])
def test_every_bit_comes_back(board, suffix, tmp_path) -> None:
    read = load(board.save(tmp_path / "made" / f"x.{suffix}"))
    assert_equal(board, read)
    again = read.save(tmp_path / f"y.{suffix}")
    assert again.read_bytes() == (tmp_path / "made" / f"x.{suffix}").read_bytes()
    assert read.sheet() == board.sheet()


def test_a_file_says_in_plain_words_what_was_played(board) -> None:
    data = json.loads(json.dumps(to_data(board)))
    assert data["noise"]["level"] == "club"
    assert data["engine"] == {"name": "mujoco", "variant": "coulomb"}
    assert data["names"] == {"0": "agent", "2": "Aimer"}
    assert len(data["seeds"]) == 3
    assert data["software"]["mujoco"]
    for stroke, one in zip(board.strokes, data["strokes"], strict=True):
        assert one["sentences"] == list(stroke.sentences)
        if stroke.strike is not None and stroke.meant is not None:
            assert one["meant"] == [
                *(stroke.meant.place, stroke.meant.direction, stroke.meant.speed),
                stroke.meant.forward,
            ]
    # Positions are written once a board: on this one only before the first stroke.
    assert ["start" in one for one in data["strokes"]].count(True) == 1


def test_the_strike_as_made_is_the_one_as_decided_with_the_noise_of_the_seeds(board) -> None:
    rng = np.random.default_rng(board.seeds[1])
    noise = NOISE_LEVELS["club"]
    for stroke in board.strokes:
        if stroke.meant is None or stroke.strike is None:
            continue
        made = noise.apply(stroke.meant, rng)
        assert (stroke.strike.direction, stroke.strike.speed) == (made.direction, made.speed)


def test_without_the_option_nothing_is_recorded() -> None:
    env = carrom.CarromEnv("shot")
    env.reset(seed=0)
    with pytest.raises(ConfigError, match="record = False"):
        env.replay()
    with pytest.raises(ConfigError, match="record = 1"):
        carrom.CarromEnv("shot", record=1)


def test_names_are_those_of_the_seats(board) -> None:
    env = carrom.CarromEnv("shot", record=True)
    env.reset(seed=0)
    assert env.replay({0: "A", 2: "B"}).names == {0: "A", 2: "B"}
    assert env.replay({0: "A"}).names == {0: "A", 2: "random_player"}
    with pytest.raises(ConfigError, match=r"seats \[1\]"):
        env.replay({1: "A"})


def test_damaged_foreign_and_newer_files_are_told_apart(board, tmp_path) -> None:
    good = board.save(tmp_path / "good.json.gz").read_bytes()
    data = to_data(board)
    cases = {
        "half.json.gz": (good[: len(good) // 2], "damaged"),
        "flipped.json.gz": (good[:-30] + bytes([good[-30] ^ 4]) + good[-29:], "damaged"),
        "half.json": (gzip.decompress(good)[:-100], "no JSON"),
        "picture.json": (b"\x89PNG\r\n\x1a\n\xff\xff", "no JSON"),
        "deep.json": (b"[" * 100_000, "no JSON"),
        "list.json": (b"[1, 2]", "no replay"),
        "foreign.json": (b'{"format": "chess"}', "no replay"),
        "newer.json": (json.dumps(data | {"version": 2}).encode(), "newer than this program"),
        "older.json": (json.dumps(data | {"version": 0}).encode(), "version = 0"),
        "part.json": (json.dumps({**data, "strokes": None}).encode(), "strokes = None"),
    }
    for name, (content, complaint) in cases.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ConfigError, match=complaint) as refused:
            load(tmp_path / name)
        assert name in str(refused.value)
        assert "\n" not in str(refused.value)
    with pytest.raises(ConfigError, match="No such file"):
        load(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("path", "value", "complaint"),
    [
        (("board", "side"), 2.0, "board: side"),
        (("board", "colour"), "red", "board: "),
        (("material", "friction"), None, "material: "),
        (("engine", "name"), "unreal", "engine: "),
        (("match", "board_limit"), 0, "match: "),
        (("names", "1"), "third", "names of seats"),
        (("task",), "solitaire", "task"),
        (("toss", "winner"), 3, "toss: winner = 3"),
        (("strokes", 0, "seat"), 3, "stroke 1: seat = 3"),
        (("strokes", 0, "seat"), 7, "stroke 1.seat = 7"),
        (("strokes", 0, "start", "discs", "19"), [0, 0], "stroke 1.start.discs.19"),
        (("strokes", 0, "made"), [0.1, 0.2], "stroke 1.made"),
        (("strokes", 0, "facts", "touch"), True, "stroke 1.facts.touch: no such field"),
        (("strokes", 0, "facts", "pocketed"), [1, 2, 3], "stroke 1.facts.pocketed"),
        (("strokes", 0, "ruling", "winner"), True, "stroke 1.ruling.winner"),
        (("strokes", 0, "after", "board", "seat"), 2**40, "stroke 1.after.board.seat"),
        (("strokes", 1, "motion", "duration"), "long", "stroke 2.motion.duration"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(board, path, value, complaint) -> None:
    data = copy.deepcopy(to_data(board))
    part = data
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    with pytest.raises(ConfigError) as refused:
        of_data(data)
    assert complaint in str(refused.value)


def _leaves(data, path=()):
    if isinstance(data, dict):
        for key, value in data.items():
            yield (*path, key)
            yield from _leaves(value, (*path, key))
    elif isinstance(data, list):
        for key, value in enumerate(data):
            yield from _leaves(value, (*path, key))


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_no_damage_raises_anything_but_one_clear_error(board, data) -> None:
    content = json.loads(json.dumps(to_data(board)))
    content["strokes"] = content["strokes"][:3]
    place = data.draw(st.sampled_from(list(_leaves(content))))
    part = content
    for step in place[:-1]:
        part = part[step]
    odd = st.sampled_from(
        [None, True, -1, 3, 10**12, 0.5, "", "x", [], [1], [[]], {}, {"a": 1}, float("nan")]
    )
    if data.draw(st.booleans()):
        del part[place[-1]]
    else:
        part[place[-1]] = data.draw(odd)
    read = None
    with contextlib.suppress(ConfigError):
        read = of_data(content)
    if read is not None:
        # What can be read can be verified, and printed if it makes sense.
        assert str(verify(read))
        with contextlib.suppress(ConfigError):
            assert read.sheet()


@pytest.mark.parametrize(
    "path",
    [
        ("strokes", 0, "motion", "duration"),
        ("noise", "place"),
        ("board", "side"),
        ("material", "friction"),
        ("match", "board_limit"),
        ("seeds", 1),
    ],
)
def test_whole_numbers_beyond_floating_point_are_refused(board, path) -> None:
    data = json.loads(json.dumps(to_data(board)))
    *way, last = path
    part = data
    for step in way:
        part = part[step]
    part[last] = 10**400
    with pytest.raises(ConfigError, match=r"expected|allows") as error:
        of_data(data)
    assert len(str(error.value)) < 250


@pytest.mark.parametrize("name", ["\x1b[31mred", "a\nBoard 1 to mallory", "\ud800", "x" * 1000])
def test_names_that_would_forge_a_sheet_are_refused(board, name) -> None:
    with pytest.raises(ConfigError, match=r"name of seat 2 = .*printable"):
        of_data(to_data(board) | {"names": {"0": "a", "2": name}})
    env = carrom.CarromEnv("shot", record=True)
    env.reset(seed=0)
    with pytest.raises(ConfigError, match="printable"):
        env.replay({0: name})


def test_keys_that_are_no_seats_are_refused(board) -> None:
    for key in ("1" * 5000, "\u0660", "7"):
        with pytest.raises(ConfigError, match="whole number from 0 to 3"):
            of_data(to_data(board) | {"names": {"0": "a", key: "b"}})


def test_what_was_laid_by_nobody_there_or_against_no_law_is_refused(board) -> None:
    for seat, breach in ((1, None), (None, "<b>"), ([2], None), (None, [])):
        data = to_data(board)
        laid = {"index": 1, "seat": seat, "place": [0, 0], "breach": breach}
        data["strokes"][0]["laid"] = [laid]
        with pytest.raises(ConfigError, match=r"stroke 1\.laid"):
            of_data(data)


def test_what_unpacks_without_end_is_not_unpacked(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("carrom.replay.file._LARGEST", 2**20)
    for name, content in (("x.gz", gzip.compress(bytes(2**21))), ("x.json", b" " * 2**21)):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ConfigError, match="expected at most 1 MB"):
            load(tmp_path / name)

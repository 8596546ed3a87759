"""Whatever a browser says is a message within its ranges, or one refusal."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrom.action import MIN_SPEED
from carrom.errors import ConfigError
from carrom_agents.serving.allowance import Allowance
from carrom_agents.serving.messages import (
    LONGEST,
    Analyse,
    Flick,
    Go,
    Message,
    read_message,
    read_settings,
)
from carrom_agents.serving.settings import GameSettings

NAMES = ["aimer", "ppo"]
STRIKE = {"type": "strike", "number": 4, "place": 0.1, "direction": -1.5, "speed": 2}
GAME = {
    **{"first": "person", "second": "ppo", "task": "game", "noise": "club", "breaks": "toss"},
    **{"first_name": "  Asha ", "seed": 7},
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


def read(text: str) -> Message | None:
    """The message, or None if it was refused in one sentence."""
    try:
        return read_message(text)
    except ConfigError as error:
        said = str(error)
    assert said
    assert "\n" not in said
    assert len(said) < 400
    return None


def check(message: Message | None) -> None:
    if message is None:
        return
    assert isinstance(message, Flick | Go | Analyse)
    assert type(message.number) is int
    assert message.number >= 0
    if isinstance(message, Flick):
        assert abs(message.place) < 0.37
        assert abs(message.direction) <= math.pi
        assert MIN_SPEED <= message.speed <= 5


def test_what_is_right_is_read() -> None:
    assert read_message(json.dumps(STRIKE)) == Flick(4, 0.1, -1.5, 2.0)
    assert read_message('{"type":"go","number":0}') == Go(0)
    assert read_message('{"number":12,"type":"analyse"}') == Analyse(12)
    assert read_settings(json.dumps(GAME), NAMES, 1) == GameSettings(
        players=(None, "ppo"),
        names=("Asha", "ppo"),
        task="game",
        noise="club",
        breaks="toss",
        seed=7,
    )
    del GAME["seed"]
    assert read_settings(json.dumps(GAME), NAMES, 1).seed == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "expected JSON"),
        ("null", "expected an object"),
        ("[1]", "expected an object"),
        ("{}", "type = None"),
        ('{"type":"strike"}', "number is missing"),
        ('{"type":["strike"],"number":1}', "type = "),
        ('{"type":"go","number":1,"number":2}', "twice"),
        ('{"type":"go","number":1,"more":2}', "'more'"),
        ('{"type":"go","number":true}', "number = True"),
        ('{"type":"go","number":1.0}', "number = 1.0"),
        ('{"type":"go","number":-1}', "number = -1"),
        ('{"type":"go","number":1e9}', "number = "),
        ('{"type":"go","number":' + "9" * 900 + "}", "number = "),
        ("[" * 1000, "expected JSON|nested"),
        ('{"type":"go","number":1' + " " * LONGEST + "}", "characters"),
    ],
)
def test_what_is_wrong_is_named(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        read_message(text)


@pytest.mark.parametrize("name", ["place", "direction", "speed"])
@pytest.mark.parametrize(
    "value",
    ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 500, "null", "true", '"1"', "[0]"],
)
def test_numbers_are_numbers(name: str, value: str) -> None:
    text = json.dumps(STRIKE | {name: "here"}).replace('"here"', value)
    with pytest.raises(ConfigError):
        read_message(text)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200) | JSON.map(json.dumps))
def test_anything_at_all(text: str) -> None:
    check(read(text))


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["strike", "go", "analyse", "conn"]),
    st.dictionaries(st.sampled_from([*STRIKE, "x"]), JSON | st.floats(-6, 6) | st.integers(0, 9)),
)
def test_anything_like_a_message(kind: str, fields: dict) -> None:
    check(read(json.dumps(fields | {"type": kind})))


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from([*GAME, "x"]), JSON))
def test_anything_like_a_game(fields: dict) -> None:
    try:
        made = read_settings(json.dumps(GAME | fields), NAMES, 1)
    except ConfigError:
        return
    assert made.names[0].isprintable()
    json.dumps(made.names).encode()
    "".join(made.names).encode()


@pytest.mark.parametrize(
    "name", ["", "   ", "x" * 31, "a\nb", "a\u202eb", "a\x00b", "\ud800", "a\u2028b"]
)
def test_names_that_cannot_be_shown(name: str) -> None:
    with pytest.raises(ConfigError, match="name"):
        read_settings(json.dumps(GAME | {"first_name": name}), NAMES, 1)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 2), max_size=60), st.floats(0.5, 5), st.floats(1, 10))
def test_an_allowance_is_never_exceeded(pauses: list[float], rate: float, most: float) -> None:
    """In any stretch of time at most what was left, and what came in meanwhile."""
    allowance, now, taken = Allowance(rate, most, most, 0.0), 0.0, []
    for pause in pauses:
        now += pause
        allowed, allowance = allowance.spent(now)
        if allowed:
            taken.append(now)
    for number, start in enumerate(taken):
        for count, end in enumerate(taken[number:], 1):
            assert count <= most + rate * (end - start) + 1e-9
    assert not pauses or taken

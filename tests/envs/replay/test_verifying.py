"""Verification: what was played is equal to the last bit, and the smallest change is found."""

from __future__ import annotations

import copy
import dataclasses
import math
from typing import Any

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest

import carrom
from carrom.errors import ConfigError
from carrom.laws import Event, StrokeFacts, new_match
from carrom.midgame import random_layout
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.replay import film_of, verify
from carrom.replay.coding import changes, layout_changes
from carrom.replay.file import of_data, to_data
from carrom.replay.strokes import _BARE, LostStrokeError
from carrom.tasks import position_from


def with_stroke(replay, number, **changes):
    strokes = list(replay.strokes)
    strokes[number - 1] = dataclasses.replace(strokes[number - 1], **changes)
    return dataclasses.replace(replay, strokes=tuple(strokes))


def with_motion(replay, number, **changes):
    motion = dataclasses.replace(replay.strokes[number - 1].motion, **changes)
    return with_stroke(replay, number, motion=motion)


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("board", {}),
        ("shot", {}),
        ("solo", {}),
        ("match", {"doubles": True, "due_placing": "agent", "claims": "agent", "toss": "agent"}),
        ("board", {"striker_placing": "strict", "first": "agent", "noise": "beginner"}),
        ("board", {"material": Material(friction=0.05), "rack": "loose", "film_rate": 30.0}),
    ],
)
def test_what_was_played_is_equal_to_the_last_bit(played, task, options) -> None:
    replay = played(task, seed=1, **options)
    assert replay.strokes
    for read in (replay, of_data(to_data(replay))):
        verdict = verify(read)
        assert verdict.equal, str(verdict)
        moved = sum(stroke.motion is not None for stroke in replay.strokes)
        assert (verdict.strokes, verdict.simulated) == (len(replay.strokes), moved)


def test_on_the_planar_engine_too(played) -> None:
    replay = of_data(to_data(played("shot", physics="planar", film_rate=30.0)))
    assert replay.engine.name == "planar"
    assert verify(replay).equal


def test_incidents_without_a_stroke_are_ruled_upon_again() -> None:
    env = carrom.CarromEnv("match", record=True)
    env.reset(seed=2)
    env.report(Event.CONCEDE_GAME)
    env.report(Event.CONCEDE_GAME)
    read = of_data(to_data(env.replay()))
    assert any(int(s.facts.event) == Event.CONCEDE_GAME for s in read.strokes)
    assert verify(read).equal
    assert read.result == env.replay().result


def test_a_stroke_that_was_reported_is_ruled_upon_again() -> None:
    env = carrom.CarromEnv("board", record=True, first="agent")
    env.reset(seed=1)
    env.step(np.array([0.0, 0.0, 0.2], np.float32))
    env.report(StrokeFacts.shot(pocketed=(0, 0), overboard=(1, 0)))
    read = of_data(to_data(env.replay()))
    number = next(n for n, s in enumerate(read.strokes, 1) if s.facts.overboard.any())
    assert verify(read).equal
    assert any("as reported" in line for line in read.sheet())
    assert film_of(read, number) is read.strokes[number - 1]


def test_a_bit_of_a_strike_is_found(board) -> None:
    number = next(
        count
        for count, stroke in enumerate(board.strokes, 1)
        if stroke.motion is not None and stroke.motion.first_touch is not None
    )
    strike = board.strokes[number - 1].strike
    other = dataclasses.replace(strike, direction=strike.direction + 1e-9)
    verdict = verify(with_stroke(board, number, strike=other))
    assert verdict.difference is not None
    assert verdict.difference.stroke == number
    assert verdict.difference.by is None or verdict.difference.by < 1e-3
    assert f"stroke {number}" in str(verdict)


def test_the_first_difference_is_named_with_its_field_and_size(board) -> None:
    numbers = [n for n, s in enumerate(board.strokes, 1) if s.motion is not None]
    first, second = numbers[1], numbers[2]
    motion = board.strokes[first - 1].motion
    longer = with_motion(board, first, duration=math.nextafter(motion.duration, 9.0))
    longer = with_motion(longer, second, duration=0.0)
    difference = verify(longer).difference
    assert difference is not None
    assert (difference.stroke, difference.field) == (first, "duration")
    assert difference.by == math.nextafter(motion.duration, 9.0) - motion.duration
    falls = next(n for n in numbers if board.strokes[n - 1].motion.pocketed)
    stroke = board.strokes[falls - 1]
    difference = verify(with_motion(board, falls, pocketed=())).difference
    assert difference is not None
    assert (difference.stroke, difference.field) == (falls, "disc of what was pocketed")
    index = int(np.flatnonzero(stroke.motion.layout.on_board)[0])
    x, y = stroke.motion.layout.positions[index].tolist()
    moved = stroke.motion.layout.with_piece(index, (x, math.nextafter(y, 1.0)))
    difference = verify(with_motion(board, falls, layout=moved)).difference
    assert difference is not None
    assert (difference.stroke, difference.field) == (falls, f"place of carromman {index}")
    assert difference.by == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    ("part", "field"),
    [("ruling", "turn_kept"), ("ruling", "breach"), ("match", "board.owed"), ("facts", "touched")],
)
def test_a_ruling_or_a_state_that_was_changed_is_found(board, part, field) -> None:
    stroke = board.strokes[-1]
    if part == "ruling":
        value = np.asarray(getattr(stroke.ruling, field))
        changed = {"ruling": dataclasses.replace(stroke.ruling, **{field: 1 - value.astype(int)})}
    elif part == "facts":
        value = not stroke.facts.touched
        changed = {"facts": dataclasses.replace(stroke.facts, touched=np.bool_(value))}
    else:
        match = stroke.after.match
        owed = dataclasses.replace(match.board, owed=match.board.owed + np.int32(1))
        after = dataclasses.replace(stroke.after, match=dataclasses.replace(match, board=owed))
        changed = {"after": after}
    verdict = verify(with_stroke(board, len(board.strokes), **changed))
    assert verdict.difference is not None
    assert field in verdict.difference.field
    assert verdict.difference.stroke == len(board.strokes)


def difference_in(data):
    """The first difference of a replay whose data were changed."""
    difference = verify(of_data(data)).difference
    assert difference is not None
    return difference


def start_of(stroke, format):
    return {
        "discs": layout_changes(_BARE, stroke.before.layout),
        "match": changes(stroke.before.match, new_match(format)),
    }


def test_strokes_that_were_cut_out_are_missed(board) -> None:
    """Though what follows the gap says for itself from where it begins."""
    data = to_data(board)
    data["strokes"][5]["start"] = start_of(board.strokes[5], board.format)
    del data["strokes"][2:5]
    difference = difference_in(data)
    assert difference.stroke == 3
    assert "before it" in difference.field


def test_a_score_and_a_place_of_its_own_are_found_where_a_stroke_begins(board) -> None:
    for change, field in (("match", "match before it.game.score"), ("discs", "before it")):
        data = to_data(board)
        start = start_of(board.strokes[3], board.format)
        if change == "match":
            start["match"]["game"] = {"score": [24, 0]}
        else:
            index, (x, y) = next(item for item in start["discs"].items() if item[1])
            start["discs"][index] = [x, math.nextafter(y, 1.0)]
        data["strokes"][3]["start"] = start
        difference = difference_in(data)
        assert difference.stroke == 4
        assert field in difference.field


def test_who_breaks_is_as_the_toss_says(board) -> None:
    data = to_data(board)
    data["toss"]["takes_break"] = not data["toss"]["takes_break"]
    difference = difference_in(data)
    assert (difference.stroke, difference.field) == (1, "match before it.board.seat")


def test_a_result_is_that_of_the_last_ruling(played) -> None:
    data = to_data(played("shot", seed=3))
    assert data["result"] is not None
    assert verify(of_data(data)).equal
    for result in (None, {"winner": "opponent", "points": [0, 12]}):
        assert difference_in(data | {"result": result}).field == "result"
    longer = data | {"strokes": data["strokes"] * 2}
    assert difference_in(longer).field == "what follows the end of the episode"
    # As a board, it could only have been begun and ended by a user's own rules.
    other = str(verify(of_data(data | {"task": "board"})))
    assert "no new board" in other
    assert "the end, which is not that of the task, taken as recorded" in other


def test_strikes_as_made_have_the_noise_of_the_file(board) -> None:
    data = to_data(board)
    quiet = {"level": "none", "place": 0.0, "direction": 0.0, "speed": 0.0}
    assert difference_in(data | {"noise": quiet}).field == "direction of the strike as made"
    seeds = [data["seeds"][0], data["seeds"][1] + 1, data["seeds"][2]]
    assert difference_in(data | {"seeds": seeds}).field == "direction of the strike as made"


def test_what_was_laid_is_what_has_come_back(board) -> None:
    stroke = board.strokes[-1]
    index = int(np.flatnonzero(stroke.after.layout.on_board)[0])
    moved = stroke.after.layout.with_piece(index, (0.0, 0.3))
    after = dataclasses.replace(stroke.after, layout=moved)
    difference = verify(with_stroke(board, len(board.strokes), after=after)).difference
    assert difference is not None
    assert difference.field == f"place of carromman {index} after it"


def test_a_position_of_ones_own_is_said_to_be_taken_as_recorded(played) -> None:
    whole = played("board", seed=1, steps=1)
    assert "taken as recorded" not in str(verify(whole))

    def start(board, rng):
        return position_from(random_layout(board, rng, white=2, black=2, queen=True))

    own = played("board", seed=1, steps=1, start=start)
    assert verify(own).equal
    assert "the first position, which is no new board, taken as recorded" in str(verify(own))


def test_a_stroke_that_diverged_then_and_not_here_is_found(board) -> None:
    number = next(n for n, s in enumerate(board.strokes, 1) if s.motion is not None)
    lost = LostStrokeError("energy grew")
    data = to_data(with_stroke(board, number, motion=None, failure=lost))
    difference = verify(of_data(data)).difference
    assert difference is not None
    assert difference.field == "whether the physics diverged"
    assert (difference.recorded, difference.computed) == (True, False)


def test_another_material_comes_out_differently(board) -> None:
    engine = MujocoEngine(board.board, Material(friction=0.09))
    assert not verify(board, engine).equal


def test_other_software_is_named_where_something_differs(board) -> None:
    older = dataclasses.replace(board, software={**board.software, "mujoco": "3.0.0"})
    assert verify(older).equal
    assert "mujoco 3.0.0" in str(verify(older, MujocoEngine(material=Material(friction=0.09))))


def test_films_are_of_the_same_stroke_and_others_are_refused(board) -> None:
    number = next(n for n, s in enumerate(board.strokes, 1) if s.motion and s.motion.pocketed)
    motion = film_of(board, number, rate=60.0).motion
    assert motion is not None
    film, rest = motion.trajectory, motion.layout
    assert film is not None
    assert film.times[-1] == motion.duration
    assert np.array_equal(film.positions[-1, :19][rest.on_board], rest.positions[rest.on_board])
    with pytest.raises(ConfigError, match="verify it"):
        film_of(with_motion(board, number, pocketed=()), number)
    with pytest.raises(ConfigError, match="expected 1 to"):
        film_of(board, 0)


def test_every_seat_an_agent() -> None:
    """Dues laid, waived and claimed by agents are in the replay as they were decided."""
    env: Any = pettingzoo.make(
        "aec", "carrom_singles_v0", task="board", due_placing="agent", record=True, noise="club"
    )
    env.reset(seed=4)
    for agent in env.possible_agents:
        env.action_space(agent).seed(4)
    for count, agent in enumerate(env.agent_iter()):
        _, _, terminated, truncated, info = env.last()
        if terminated or truncated or count > 150:
            break
        env.step(env.action_space(agent).sample(info["action_mask"]))
    replay = of_data(to_data(env.unwrapped.replay()))
    assert replay.names == {0: "player_0", 2: "player_1"}
    assert any(stroke.laid for stroke in replay.strokes)
    assert verify(replay).equal


@pytest.mark.parametrize(
    ("mode", "workers"),
    [
        ("SameStep", 1),
        ("NextStep", 1),
        # Worker processes take long to start.
        pytest.param("SameStep", 2, marks=pytest.mark.slow),
    ],
)
def test_each_board_of_many_is_the_single_environments(mode, workers) -> None:
    """Also where the next episode has begun at once."""
    make = {"noise": "club", "record": True, "first": "opponent", "max_strokes": 8}
    envs = gym.make_vec(
        "CarromBoard-v0", num_envs=2, workers=workers, autoreset_mode=mode, **make
    ).unwrapped
    assert isinstance(envs, carrom.CarromVectorEnv)
    envs.reset(seed=7)
    envs.action_space.seed(7)
    actions, over, found = [], np.zeros(2, bool), {}
    while len(found) < 2:
        actions.append(envs.action_space.sample())
        _, _, _, truncated, _ = envs.step(actions[-1])
        for index in np.flatnonzero(truncated & ~over):
            found[int(index)] = to_data(envs.replays()[index])
        over |= truncated
    envs.close()
    for index, replay in found.items():
        env = carrom.CarromEnv("board", **make)
        env.reset(seed=7 + index)
        for action in actions:
            if env.step(action[index])[3]:
                break
        assert to_data(env.replay()) == replay
        assert len(replay["strokes"]) >= 8


def test_a_snapshot_keeps_its_own_history(played) -> None:
    env = carrom.CarromEnv("board", record=True)
    env.reset(seed=3)
    env.action_space.seed(3)
    env.step(env.action_space.sample())
    state, before = env.get_state(), to_data(env.replay())
    env.step(env.action_space.sample())
    longer = copy.deepcopy(to_data(env.replay()))
    env.set_state(state)
    assert to_data(env.replay()) == before
    assert len(longer["strokes"]) > len(before["strokes"])

"""Diagrams against the painted board, plain geometry and the reference engine."""

import dataclasses
import math
import xml.etree.ElementTree as ET

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import carrom
from carrom.board import Board, to_seat
from carrom.errors import ConfigError, RenderError
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.strike import Strike
from carrom.render.board_shapes import board_shapes
from carrom.render.diagram import diagram
from carrom.render.markings import surface_picture
from carrom.render.plot import pixels_of
from carrom.render.shapes import Drawing
from carrom.render.stroke_shapes import first_touch
from carrom.render.style import DEFAULT_STYLE, Style
from carrom.view import View

SVG = "{http://www.w3.org/2000/svg}"
WHITE = (255, 255, 255)
PIXELS = 1024
PLAIN = Style(
    surface=WHITE, frame=WHITE, net=WHITE, ink=(0, 0, 0), red=(255, 0, 0), grain=0.0,
    surface_pixels=PIXELS,
)  # fmt: skip
HOSTILE = '<script>alert(1)</script> & "quotes" ]]> \x00\x1b {{title}} $x^2$'


def layout_of(seed, white=5, black=7, queen=True):
    rng = np.random.default_rng(seed)
    return random_layout(Board(), rng, white=white, black=black, queen=queen, seat=0)


def circles(svg, radius):
    """Centres, m, and colours of the filled circles of that radius in an SVG document."""
    found = []
    for circle in ET.fromstring(svg).iter(f"{SVG}circle"):
        if (
            abs(float(circle.attrib["r"]) - 1000 * radius) < 0.006
            and circle.attrib["fill"] != "none"
        ):
            place = (float(circle.attrib["cx"]) / 1000, -float(circle.attrib["cy"]) / 1000)
            found.append((place, circle.attrib["fill"]))
    return found


def discs(svg):
    return circles(svg, Board().carromman_radius - 0.0006)


def texts(svg):
    return ["".join(text.itertext()) for text in ET.fromstring(svg).iter(f"{SVG}text")]


def face(colour):
    return "#{:02x}{:02x}{:02x}".format(*DEFAULT_STYLE.discs[colour][0])


@pytest.fixture(scope="module")
def played():
    """A filmed stroke in which something fell, and the environment after it."""
    env = gym.make("CarromShot-v0", film_rate=120.0, opponent="random")
    aimer = carrom.opponents.find_opponent("aimer")
    inner = env.unwrapped
    assert isinstance(inner, carrom.CarromEnv)
    for seed in range(20):
        env.reset(seed=seed)
        inner.answer(aimer(inner.view(), np.random.default_rng(0)))
        (stroke,) = inner.last_strokes
        if stroke.motion is not None and stroke.motion.pocketed:
            return env, stroke
    raise AssertionError("the aimer pockets nothing in twenty strokes")


@pytest.mark.parametrize(
    "board",
    [
        Board(),
        Board(
            pocket_diameter=0.0430,
            base_line_thickness=0.0065,
            outer_circle_diameter=0.1670,
            arrow_length=0.2,
        ),
    ],
)
def test_markings_are_those_that_are_painted(board) -> None:
    """Lines and areas here, distances to edges there."""
    half = board.half_side
    shapes = tuple(board_shapes(board, PLAIN))
    drawn = pixels_of(Drawing(shapes, -half, -half, half, half, WHITE, ""), PIXELS)
    painted = surface_picture(board, PLAIN)
    assert drawn.shape == painted.shape
    # Both are smoothed at the edges, each in its own way: compare the ink in blocks.
    blocks = [
        picture.astype(float).reshape(PIXELS // 4, 4, PIXELS // 4, 4, 3).mean(axis=(1, 3))
        for picture in (drawn, painted)
    ]
    assert np.abs(blocks[0] - blocks[1]).max() < 0.25 * 255
    assert np.abs(blocks[0] - blocks[1]).mean() < 0.004 * 255
    assert (255 - blocks[1]).mean() > 0.01 * 255


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_discs_lie_where_the_layout_has_them(theme) -> None:
    layout = layout_of(1)
    shown = discs(diagram(layout, theme=theme).svg)
    places = np.array(sorted(place for place, _ in shown))
    expected = np.array(sorted(layout.positions[layout.on_board].tolist()))
    assert np.allclose(places, expected, atol=1e-5)


def test_a_view_is_drawn_from_its_players_side_in_the_right_colours() -> None:
    layout = layout_of(2, white=4, black=8)
    order = np.r_[9:18, 0:9, 18]
    turned = to_seat(layout.positions, 2)
    view = View(Board(), turned[order], layout.on_board[order], plays_white=False)
    shown = discs(diagram(view).svg)
    for colour, count, part in ((0, 4, slice(0, 9)), (1, 8, slice(9, 18)), (2, 1, slice(18, 19))):
        mine = sorted(place for place, fill in shown if fill == face(colour))
        assert len(mine) == count
        expected = turned[part][layout.on_board[part]].tolist()
        assert np.allclose(mine, sorted(expected), atol=1e-5)


@given(st.integers(0, 10_000), st.floats(-0.2, 0.2), st.floats(-3.1, 3.1))
@settings(max_examples=40, deadline=None)
def test_the_ghost_disc_stands_at_the_first_touch(seed, place, direction) -> None:
    """Against small steps ahead until something is within reach."""
    board, layout, strike = Board(), layout_of(seed), Strike(place, direction, 1.0)
    start, ahead = strike.position(board, 0), strike.velocity(0)
    reach = board.striker_radius + board.carromman_radius
    gaps = np.hypot(*(layout.positions - start).T)[layout.on_board]
    if gaps.min(initial=1.0) < reach:
        return
    way, struck = first_touch(layout, start, ahead, board)
    step = 1e-4
    steps = start + np.arange(0, 1.1, step)[:, None] * ahead
    apart = np.hypot(*np.moveaxis(steps[:, None] - layout.positions, -1, 0))
    near = (apart < reach) & layout.on_board
    walls = np.max(np.abs(steps), axis=1) > board.half_side - board.striker_radius
    first = int(np.argmax(near.any(axis=1) | walls))
    # A graze may slip through between two steps.
    if struck is not None and not near[first].any() and way < first * step - step:
        offset = layout.positions[struck] - start
        assert reach - abs(offset[0] * ahead[1] - offset[1] * ahead[0]) < 1e-6
        return
    assert way == pytest.approx(first * step, abs=2 * step)
    if near[first].sum() == 1 and not walls[first]:
        assert struck == np.flatnonzero(near[first])[0]


def test_the_ghost_disc_names_what_the_engine_touches_first() -> None:
    engine, board, agreed = MujocoEngine(), Board(), 0
    rng = np.random.default_rng(5)
    for seed in range(30):
        layout = layout_of(seed)
        strike = Strike(float(rng.uniform(-0.2, 0.2)), float(rng.uniform(-1.2, 1.2)), 3.0)
        gaps = np.hypot(*(layout.positions - strike.position(board, 0)).T)[layout.on_board]
        if gaps.min() < board.striker_radius + board.carromman_radius + 1e-3:
            continue
        _, struck = first_touch(layout, strike.position(board, 0), strike.velocity(0) / 3.0, board)
        if struck is not None:
            assert engine.play(layout, strike).first_touch == struck
            agreed += 1
    assert agreed > 5


def test_a_played_stroke_shows_paths_numbers_and_the_ruling(played) -> None:
    _, stroke = played
    svg = diagram(stroke).svg
    shown = texts(svg)
    count = len(stroke.motion.pocketed)
    for number in range(1, count + 1):
        assert str(number) in shown
    assert str(count + 1) not in shown
    said = " ".join(shown)
    for sentence in stroke.sentences:
        assert sentence in said
    # Somewhere a path ends where each disc that moved came to rest.
    ends = [
        tuple(float(x) / 1000 for x in line.attrib["points"].split()[-1].split(","))
        for line in ET.fromstring(svg).iter(f"{SVG}polyline")
    ]
    for index in np.flatnonzero(stroke.motion.layout.on_board):
        before, after = (p.positions[index] for p in (stroke.before.layout, stroke.motion.layout))
        if np.hypot(*(after - before)) > 0.005:
            assert any(np.allclose((x, -y), after, atol=1e-4) for x, y in ends), index
    without = dataclasses.replace(stroke.motion, trajectory=None)
    plain = dataclasses.replace(stroke, motion=without)
    assert len(diagram(plain).svg) < len(svg)


def test_environments_tables_and_wrappers_can_be_drawn(played) -> None:
    env, _ = played
    inner = env.unwrapped
    expected = diagram(inner.layout()).svg
    assert diagram(env).svg == diagram(inner).svg == inner.diagram().svg == expected
    assert diagram(inner.get_state().table).svg == expected
    assert inner.diagram(theme="dark").svg != expected


def test_text_stays_text(tmp_path) -> None:
    drawn = diagram(layout_of(3), title=HOSTILE, text=[HOSTILE, "second line"])
    root = ET.fromstring(drawn.svg)
    assert {element.tag for element in root.iter()} == {
        f"{SVG}{tag}" for tag in ("svg", "title", "rect", "circle", "polygon", "polyline", "text")
    }
    assert any("<script>alert(1)</script>" in text for text in texts(drawn.svg))
    assert drawn.svg in drawn._repr_html_()
    assert drawn._repr_svg_() == drawn.svg
    # Matplotlib would take dollars for formulae and fail on some.
    drawn.save(tmp_path / "hostile.png", pixels=200)


def test_files(tmp_path) -> None:
    drawn = diagram(layout_of(4), strike=Strike(0.05, 0.2, 2.0), text="a plan")
    target = drawn.save(tmp_path / "x.svg")
    assert target.read_text(encoding="utf-8") == drawn.svg
    with Image.open(drawn.save(tmp_path / "x.PNG", pixels=640)) as picture:
        assert picture.width == 640
        assert picture.height > 640
    with pytest.raises(ConfigError, match=r"\.svg or \.png"):
        drawn.save(tmp_path / "x.gif")
    with pytest.raises(ConfigError, match="pixels = 0"):
        drawn.save(tmp_path / "x.png", pixels=0)
    assert drawn.save(tmp_path / "made" / "x.svg").read_bytes() == target.read_bytes()
    with pytest.raises(RenderError, match=r"x\.png"):
        drawn.save(target / "x.png")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made", "x.PNG", "x.svg"]


def test_what_cannot_be_drawn_is_refused() -> None:
    layout = Layout(np.zeros((19, 2)), np.zeros(19, bool))
    with pytest.raises(ConfigError, match="type str"):
        diagram("a board")
    with pytest.raises(ConfigError, match="theme = 'blue'"):
        diagram(layout, theme="blue")
    with pytest.raises(ConfigError, match="seat = 4"):
        diagram(layout, seat=4)
    for place in ((5.0, 5.0), (np.nan, 0.0)):
        with pytest.raises(ConfigError, match="carromman 3 at"):
            diagram(layout.with_piece(3, place))
    for strike in (Strike(5.0, 0.1, 1.0), Strike(0.0, np.nan, 1.0)):
        with pytest.raises(ConfigError, match=r"frame|finite"):
            diagram(layout, strike=strike)


def test_a_strike_of_no_speed_and_one_along_the_frame() -> None:
    board, layout = Board(), Layout(np.zeros((19, 2)), np.zeros(19, bool))
    assert diagram(layout, strike=Strike(0.0, 0.0, 0.0)).svg.count("polyline") >= 8
    way, struck = first_touch(layout, np.array([0.0, 0.0]), np.array([1.0, 0.0]), board)
    assert struck is None
    assert way == pytest.approx(board.half_side - board.striker_radius)
    slanted = first_touch(layout, np.zeros(2), np.array([math.cos(0.3), math.sin(0.3)]), board)
    assert slanted[0] == pytest.approx((board.half_side - board.striker_radius) / math.cos(0.3))

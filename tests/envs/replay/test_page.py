"""The page: compact paths, text that stays text, nothing from the network."""

import dataclasses
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrom.errors import ConfigError
from carrom.pieces import STRIKER
from carrom.replay import film_of, html
from carrom.replay.page.paths import TOLERANCE, UNIT, corners, paths

HOSTILE = "<script>alert(1)</script></script><!-- {{program}} & \"'"


class Reader(HTMLParser):
    """The scripts and the title of a page, as a browser would find them."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.inside, self.text = [], None, {}
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.inside = f"{tag} {dict(attrs).get('type', '')}".strip()
        self.text.setdefault(self.inside, "")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside:
            self.text[self.inside] += data


def data_of(page):
    return json.loads(Reader(page).text["script application/json"])


@pytest.fixture(scope="module")
def page(board):
    return html(board)


def test_it_is_one_file_that_asks_for_nothing(page) -> None:
    addresses = set(re.findall(r"[a-z]+://[^\"'\s<]*", page))
    assert addresses == set()
    assert not re.search(r"(src|href)\s*=\s*\"(?!data:,)", page)
    assert "default-src 'none'" in page
    assert "{{" not in page


def test_hostile_names_stay_text(board) -> None:
    hostile = dataclasses.replace(board, names={0: HOSTILE, 2: "b</title>"})
    read = Reader(html(hostile))
    assert read.tags.count("script") == 2
    assert read.text["title"] == f"{HOSTILE} - b</title>"
    data = json.loads(read.text["script application/json"])
    assert data["sides"] == [HOSTILE, "b</title>"]
    assert read.text["script"].count('"use strict"') == 1


def test_it_holds_what_was_ruled_and_scored(board, page) -> None:
    data = data_of(page)
    assert len(data["strokes"]) == len(board.strokes)
    for stroke, shown in zip(board.strokes, data["strokes"], strict=True):
        *laws, so = stroke.sentences
        said = [f"{law}: {data['laws'][law]}" for law in shown["laws"]]
        assert [law.removeprefix("breach of ") for law in laws] == said
        assert shown["so"] == so
        assert shown["seat"] == stroke.seat
        score = stroke.after.match.game.score
        assert shown["after"]["score"] == [int(points) for points in score]
        flat = np.array([np.nan if x is None else x for x in shown["at"]]).reshape(19, 2)
        on_board = stroke.before.layout.on_board
        assert np.array_equal(~np.isnan(flat[:, 0]), on_board)
        apart = flat[on_board] * UNIT - stroke.before.layout.positions[on_board]
        assert np.abs(apart).max(initial=0) <= UNIT / 2 * 1.0001


def test_paths_follow_the_film(board) -> None:
    """Joined by straight lines, at every moment, for every disc, they are where it was."""
    moved = 0
    for number in range(1, len(board.strokes) + 1):
        stroke = film_of(board, number, rate=240.0)
        if stroke.motion is None:
            continue
        film = stroke.motion.trajectory
        assert film is not None
        coded = paths(film)
        for index in range(STRIKER + 1):
            there = film.in_play[:, index]
            if not there[0]:
                assert str(index) not in coded
                continue
            places = film.positions[there, index]
            if str(index) not in coded:
                assert np.abs(places - places[0]).max() <= UNIT / 2
                continue
            moved += 1
            ms, x, y = np.cumsum(np.array(coded[str(index)]).reshape(-1, 3), axis=0).T
            assert ms[0] == 0
            times = film.times[there] * 1000
            here = np.column_stack([np.interp(times, ms, x), np.interp(times, ms, y)]) * UNIT
            # Beside the tolerance: rounding of the places, and of times, at 5 m/s at most.
            assert np.hypot(*(here - places).T).max() < TOLERANCE + UNIT + 0.0005 * 5.5
            assert np.hypot(*(here[-1] - places[-1])) < TOLERANCE + UNIT + 0.0005 * 5.5
    assert moved > 10


@given(st.integers(2, 60), st.integers(0, 1000), st.floats(1e-4, 0.1))
@settings(max_examples=60, deadline=None)
def test_corners_keep_every_frame_within_the_tolerance(count, seed, tolerance) -> None:
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.1, 1.0, count))
    places = np.cumsum(rng.normal(0, 0.05, (count, 2)), axis=0)
    chosen = corners(times, places, tolerance)
    assert chosen[0] == 0
    assert chosen[-1] == count - 1
    line = [np.interp(times, times[chosen], axis[chosen]) for axis in places.T]
    assert np.hypot(*(np.column_stack(line) - places).T).max() <= tolerance * (1 + 1e-9)


def test_a_straight_even_way_needs_two_corners() -> None:
    times = np.linspace(0, 1, 50)
    assert corners(times, np.column_stack([times, 2 * times]), 1e-6).tolist() == [0, 49]


def test_nothing_to_show_is_an_error(board) -> None:
    with pytest.raises(ConfigError, match="no strokes"):
        html(dataclasses.replace(board, strokes=()))

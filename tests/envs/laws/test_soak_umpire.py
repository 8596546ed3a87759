"""Random boards and matches, and whether what checks them would notice a mistake."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterator

import jax
import numpy as np
import pytest

from carrom.laws import (
    DOUBLES,
    SINGLES,
    MatchFormat,
    StrokeFacts,
    check,
    citations,
    new_match,
    rule,
)
from carrom.soak import umpire
from carrom.soak.citable import citable
from carrom.soak.figures import Figures
from carrom.soak.plans import run as run_plans
from carrom.soak.plans import umpire_plans
from carrom.soak.report import Part, never_cited, page
from carrom.soak.umpire import Plan, Played, Record, SoakError, play, replay, soak, verdicts

SINGLE_BOARDS = Plan(SINGLES, count=3_000, seed=11, lanes=256)
MATCHES = Plan(DOUBLES, count=100, matches=True, seed=12, lanes=100)
FORMATS = (SINGLES, DOUBLES, MatchFormat(board_limit=None), MatchFormat(True, board_limit=None))

# Compiling is most of what this takes; test_umpire_properties.py has the law compiled as it is
# for use, and compares it with the law that is not compiled.
pytestmark = pytest.mark.usefixtures("compiled_in_haste")


@pytest.fixture(scope="module")
def boards() -> Figures:
    return soak(SINGLE_BOARDS)


@pytest.fixture(scope="module")
def matches() -> Figures:
    return soak(MATCHES)


def test_every_board_ends_by_a_law(boards: Figures):
    assert boards.boards == len(boards.lengths) == SINGLE_BOARDS.count
    assert sum(boards.causes.values()) == boards.boards
    assert boards.cut == 0
    assert boards.strokes == boards.lengths.sum()


def test_every_match_ends(matches: Figures):
    assert matches.matches == MATCHES.count
    # Two games of three boards or more make a match, unless it is conceded.
    assert matches.boards > 6 * MATCHES.count
    assert matches.cited["57"] < matches.matches < matches.cited["57"] + matches.cited["139"]


def test_nearly_every_law_decides_somewhere(boards: Figures, matches: Figures):
    """Some need luck: the long soak asks for all of them."""
    parts = [
        Part("boards", SINGLES, boards, 1.0, (0, 0)),
        Part("matches", DOUBLES, matches, 1.0, (0, 0)),
    ]
    rare = {"102.b", "103.b", "104.b", "109.a", "109.b", "110.b", "112.b"}
    assert set(never_cited(parts)) <= rare
    written = page(parts, "a command")
    assert f"| 48 | {boards.cited['48']:,} | {matches.cited['48']:,} |" in written


@pytest.mark.parametrize("format", FORMATS)
def test_the_laws_to_expect_are_those_the_umpire_can_cite(
    format: MatchFormat, monkeypatch: pytest.MonkeyPatch
):
    known: set[str] = set()
    real = citations.words

    def listening(laws: dict[str, jax.Array], breach: jax.Array) -> jax.Array:
        known.update(laws)
        return real(laws, breach)

    monkeypatch.setattr(citations, "words", listening)
    jax.eval_shape(functools.partial(rule, format=format), new_match(format), StrokeFacts.shot())
    # Laws of another format are known to the umpire, but cannot hold.
    elsewhere = {law for other in FORMATS for law in citable(other)}
    assert set(citable(format)) <= known <= elsewhere


@pytest.mark.parametrize("plan", [SINGLE_BOARDS, MATCHES], ids=["singles", "doubles"])
def test_facts_never_contradict_the_position(plan: Plan):
    seen = 0
    for number in range(3):
        for played, unmet in itertools.islice(replay(plan, number), 150):
            check(played.before, played.facts, format=plan.format)
            assert unmet == []
            seen += 1
    assert seen > 20


def test_a_board_is_played_again_as_it_was(boards: Figures):
    first = list(replay(SINGLE_BOARDS, 5))
    again = list(replay(SINGLE_BOARDS, 5))
    assert len(first) == len(again)
    for one, other in zip(jax.tree.leaves(first), jax.tree.leaves(again), strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(first) in boards.lengths


# ---- would a mistake be noticed? -------------------------------------------------------


@pytest.fixture(scope="module", params=[SINGLE_BOARDS, MATCHES], ids=["singles", "doubles"])
def strokes(request: pytest.FixtureRequest) -> tuple[MatchFormat, list[Played]]:
    """Strokes early and late, so many at once, leaves (lanes, ...)."""
    steps = itertools.islice(play(request.param), 5, 60, 11)
    return request.param.format, [jax.device_get(played) for played, _ in steps]


def noticed(format: MatchFormat, played: Played) -> np.ndarray:
    """Which of the strokes do not meet a demand, bool (lanes,)."""
    met, _ = verdicts(format, played)
    return ~np.logical_and.reduce(list(met.values()))


@pytest.mark.parametrize("part", ["after", "ruling", "following"])
def test_every_altered_leaf_is_noticed(strokes: tuple[MatchFormat, list[Played]], part: str):
    """Whatever number of a ruling or a state is wrong, by one, in whatever stroke."""
    format, batches = strokes
    checked = 0
    for played in batches:
        assert noticed(format, played).sum() == 0
        relevant = np.ones(played.toss.shape, bool)
        if part == "following":
            relevant = played.after.board.over | played.after.board.replay
        checked += int(relevant.sum())
        leaves, structure = jax.tree.flatten(getattr(played, part))
        for index, leaf in enumerate(leaves):
            wrong = ~leaf if leaf.dtype == bool else leaf + 1
            altered = jax.tree.unflatten(structure, [*leaves[:index], wrong, *leaves[index + 1 :]])
            flawed = noticed(format, played._replace(**{part: altered}))
            assert flawed[relevant].all(), index
    assert checked > 3


def forgiving(plan: Plan) -> Iterator[tuple[Played, Record]]:
    """An umpire who forgets the due of a striker that took the queen with it (99.a)."""
    for played, record in play(plan):
        facts, ruling, board = played.facts, played.ruling, played.after.board
        forgotten = facts.pocketed_queen & facts.pocketed_striker & ruling.turn_kept
        own = np.arange(2) == np.asarray(ruling.striker)[:, None]
        owed = board.owed - (forgotten[:, None] & own & (board.owed > 0))
        after = dataclasses.replace(
            played.after, board=dataclasses.replace(board, owed=owed.astype(board.owed.dtype))
        )
        yield played._replace(after=after), record


def test_a_wrong_umpire_is_stopped_at_the_stroke(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(umpire, "play", forgiving)
    with pytest.raises(SoakError, match=r"72\.c: the rest stays owed") as caught:
        soak(SINGLE_BOARDS)
    said = str(caught.value).split(":")[0]
    number, stroke = (int(said.split(what)[1].split(",")[0]) for what in ("board ", "stroke "))
    *before, (true, unmet) = itertools.islice(replay(SINGLE_BOARDS, number), stroke + 1)
    assert all(failed == [] for _, failed in [*before, (true, unmet)])
    assert true.facts.pocketed_queen
    assert true.facts.pocketed_striker
    # That is the stroke, and a due was left of it.
    assert true.after.board.owed[true.ruling.striker] > 0


@pytest.mark.slow
def test_long_soak():
    parts = list(run_plans(umpire_plans(singles=100_000, doubles=20_000, matches=2_000, seed=1)))
    assert sum(part.figures.boards for part in parts) > 120_000
    assert never_cited(parts) == []
    assert sum(part.figures.cut for part in parts) < 10

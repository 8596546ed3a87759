"""Banks, rebounds and combinations: whether they succeed in the MuJoCo engine as believed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrom.baseline import is_free
from carrom.board import Board
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.physics.material import MATERIALS, Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.strike import Strike
from carrom.view import OWN, View
from carrom_agents.chains import taken
from carrom_agents.offers import Kind, Offers, offers
from carrom_agents.shots import ShotOptions, Shots

BOARD = Board()
INDIRECT = [Kind.BANK, Kind.REBOUND, Kind.COMBINATION, Kind.DOUBLE_REBOUND]


@pytest.fixture(scope="module")
def engine() -> MujocoEngine:
    return MujocoEngine()


def _found(layout: Layout, kind: Kind, options: ShotOptions | None = None) -> Offers:
    view = View(BOARD, layout.positions, layout.on_board)
    own = np.flatnonzero(layout.on_board[OWN])
    return offers(view, own, options or ShotOptions(), frozenset({kind}))


def _strike(found: Offers, index: int) -> Strike:
    shots = found.shots
    return Strike(
        float(shots.place[index]), float(shots.direction[index]), float(shots.speed[index])
    )


def _layouts(count: int, seed: int) -> list[Layout]:
    rng = np.random.default_rng(seed)
    return [random_layout(BOARD, rng, white=4, black=4, queen=False) for _ in range(count)]


def _lone(point: tuple[float, float]) -> Layout:
    return Layout(np.zeros((19, 2)), np.zeros(19, bool)).with_piece(0, point)


@pytest.mark.parametrize("kind", INDIRECT)
@pytest.mark.parametrize("material", MATERIALS.values(), ids=MATERIALS)
def test_without_noise_sure_shots_pocket(kind: Kind, material: Material) -> None:
    engine, options = MujocoEngine(BOARD, material), ShotOptions(material=material)
    rng = np.random.default_rng(0)
    met, pocketed = [], []
    for layout in _layouts(30, seed=1):
        found = _found(layout, kind, options)
        sure = np.flatnonzero(found.shots.chance > 0.9)
        for index in rng.choice(sure, min(len(sure), 4), replace=False):
            motion = engine.play(layout, _strike(found, index))
            met.append(motion.first_touch == found.met[index])
            pocketed.append(
                any(
                    fall.index == found.shots.carromman[index]
                    and fall.pocket == found.shots.pocket[index]
                    for fall in motion.pocketed
                )
            )
    assert len(met) > 15
    assert all(met)
    # The striker and what it moves may still come into the way.
    assert np.mean(pocketed) >= 0.88


@pytest.mark.parametrize("kind", INDIRECT)
def test_chances_are_borne_out_under_noise(kind: Kind, engine: MujocoEngine) -> None:
    rng, options = np.random.default_rng(2), ShotOptions()
    promised, kept = [], []
    for layout in _layouts(200, seed=3):
        found = _found(layout, kind)
        if len(found):
            index = int(rng.integers(len(found)))
            strike = options.noise.apply(_strike(found, index), rng)
            fallen = {fall.index for fall in engine.play(layout, strike).pocketed}
            promised.append(found.shots.chance[index])
            kept.append(found.shots.carromman[index] in fallen)
    assert len(kept) > 120
    assert -0.1 < np.mean(kept) - np.mean(promised) < 0.25
    assert np.corrcoef(kept, promised)[0, 1] > 0.25


@given(st.integers(0, 2**32 - 1), st.sampled_from(INDIRECT))
@settings(max_examples=25, deadline=None)
def test_strikes_are_legal_in_crowded_positions(seed: int, kind: Kind) -> None:
    layout = random_layout(BOARD, np.random.default_rng(seed), white=9, black=9, queen=True)
    view = View(BOARD, layout.positions, layout.on_board)
    found = _found(layout, kind)
    shots = found.shots
    assert all(is_free(view.free_places, place) for place in shots.place)
    assert np.all((shots.speed > 0) & (shots.speed <= Material().full_speed))
    assert np.all((shots.chance >= 0) & (shots.chance <= 1))
    assert np.all(layout.on_board[found.met])
    assert np.all((found.met == shots.carromman) == (kind != Kind.COMBINATION))


@given(st.integers(0, 2**32 - 1), st.sampled_from(INDIRECT))
@settings(max_examples=12, deadline=None)
def test_a_mirrored_position_offers_the_mirrored_shots(seed: int, kind: Kind) -> None:
    layout = random_layout(BOARD, np.random.default_rng(seed), white=3, black=3, queen=False)
    mirrored = Layout(layout.positions * (-1.0, 1.0), layout.on_board)

    def into_near_pockets(layout: Layout) -> Shots:
        # What is off the board stands far out beyond one of the far pockets, and narrows the
        # room of ways that go there.
        shots = _found(layout, kind).shots
        return taken(shots, (shots.pocket == 0) | (shots.pocket == 3))

    ours, theirs = into_near_pockets(layout), into_near_pockets(mirrored)
    assert len(ours) == len(theirs)
    for one, other in (
        (-ours.place, theirs.place),
        (-np.sin(ours.direction), np.sin(theirs.direction)),
        (np.cos(ours.direction), np.cos(theirs.direction)),
        (ours.speed, theirs.speed),
        (ours.chance, theirs.chance),
    ):
        np.testing.assert_allclose(np.sort(one), np.sort(other), atol=1e-6)


def test_a_back_shot_reaches_what_lies_behind_the_base_line(engine: MujocoEngine) -> None:
    """No direct shot pockets it into a far pocket; off the far frame and back it falls."""
    layout = _lone((0.12, -0.33))
    assert set(_found(layout, Kind.DIRECT).shots.pocket.tolist()).isdisjoint({1, 2})
    found = _found(layout, Kind.REBOUND)
    best = int(np.argmax(found.shots.chance))
    assert found.shots.chance[best] > 0.3
    fallen = [fall.index for fall in engine.play(layout, _strike(found, best)).pocketed]
    assert fallen == [0]


def test_a_bank_passes_what_bars_the_straight_way(engine: MujocoEngine) -> None:
    """One of the opponent's lies before the only pocket there is: off the frame into another."""
    barred = _lone((0.22, -0.15)).with_piece(9, (0.307, 0.214))
    assert set(_found(_lone((0.22, -0.15)), Kind.DIRECT).shots.pocket.tolist()) == {1}
    assert not len(_found(barred, Kind.DIRECT))
    found = _found(barred, Kind.BANK)
    best = int(np.argmax(found.shots.chance))
    assert found.shots.chance[best] > 0.8
    (fall,) = engine.play(barred, _strike(found, best)).pocketed
    assert (fall.index, fall.pocket) == (0, found.shots.pocket[best])


@pytest.mark.parametrize("gap", [0.0, 0.02, 0.05])
def test_a_carromman_sends_on_the_one_before_it(engine: MujocoEngine, gap: float) -> None:
    """Two in line with a far pocket, from touching to far apart; the first is the opponent's."""
    pocket = BOARD.pocket_centres[1]
    second = np.array([0.15, 0.22])
    heading = (pocket - second) / np.linalg.norm(pocket - second)
    first = second - (BOARD.carromman_diameter + gap) * heading
    layout = _lone(tuple(second)).with_piece(9, tuple(first))
    found = _found(layout, Kind.COMBINATION)
    best = int(np.argmax(found.shots.chance))
    assert found.shots.chance[best] > 0.6
    assert found.met[best] == 9
    motion = engine.play(layout, _strike(found, best))
    assert motion.first_touch == 9
    assert 0 in {fall.index for fall in motion.pocketed}


@pytest.mark.parametrize("kind", INDIRECT)
def test_no_carromman_no_shots(kind: Kind) -> None:
    nothing = Layout(np.zeros((19, 2)), np.zeros(19, bool))
    assert len(_found(nothing, kind)) == 0

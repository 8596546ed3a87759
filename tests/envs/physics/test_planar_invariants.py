"""What the planar engine must never do, whatever the stroke and the material."""

import inspect

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from carrom.board import Board
from carrom.physics.calibration.planar_strokes import (
    AT_ONCE,
    BOARD,
    Strokes,
    against_the_frame,
    breaks,
    loose_breaks,
    midgame,
    play,
    random_materials,
    with_random_strikes,
)
from carrom.physics.calibration.watch import strokes_begun, watch
from carrom.physics.material import Material
from carrom.physics.planar.event import advance
from carrom.physics.planar.lanes import Geometry, Parameters, columns, set_out
from carrom.physics.planar.outcomes import outcomes_of
from carrom.physics.planar.recording import begin
from carrom.physics.planar.strokes import MOST_STEPS, play_batch, play_stream
from carrom.rack import TIGHT


@pytest.mark.parametrize(
    "strokes", [midgame(600, 3), loose_breaks(100, 3)], ids=["midgame", "loose breaks"]
)
def test_every_step(strokes):
    """No energy from nothing, no overlap, nothing beyond the frame."""
    count = len(strokes.starts)
    seen = watch(BOARD, random_materials(count, 8), *strokes_begun(strokes), dtype="float32")
    assert seen.gain <= 1e-8
    assert seen.overlap < 1e-6
    assert seen.beyond < 1e-6
    assert not seen.outcomes.unfinished.any()
    assert seen.outcomes.impacts.sum() > 5 * count


def test_rest_keeps_every_bit():
    """Lanes at rest are left alone while others go on."""
    strokes = midgame(64, 3)
    geometry, parameters = Geometry.of(BOARD, 10), Parameters.of(Material())
    lanes = set_out(
        columns(jnp.asarray(strokes.positions, jnp.float32)).T,
        jnp.asarray(strokes.on_board.T),
        jnp.asarray(strokes.starts.T, jnp.float32),
        parameters,
        geometry,
    )
    step = jax.jit(advance)
    steady = 0
    while not bool(jnp.all(lanes.discs.at_rest())):
        after, resting = step(lanes, parameters, geometry), lanes.discs.at_rest()
        for new, old in zip(after.discs, lanes.discs, strict=True):
            assert bool(jnp.all((new == old) | ~resting))
        steady += int(resting.sum())
        lanes = after
    assert steady > 64


@pytest.mark.parametrize(
    ("strokes", "springs"), [(midgame(AT_ONCE, 4), False), (loose_breaks(300, 4), True)]
)
def test_mirror_and_order_keep_every_bit(strokes, springs):
    materials = random_materials(len(strokes.starts), 2)
    here = play(strokes, materials, springs=springs)
    mirrored = play(
        Strokes(strokes.positions * [-1, 1], strokes.on_board, strokes.starts * [-1, 1, -1, 1]),
        materials,
        springs=springs,
    )
    np.testing.assert_array_equal(
        mirrored.positions * np.array([-1, 1], np.float32), here.positions
    )
    np.testing.assert_array_equal(mirrored.durations, here.durations)
    np.testing.assert_array_equal(mirrored.fall_times, here.fall_times)
    np.testing.assert_array_equal(np.array([3, 2, 1, 0, -1])[mirrored.pockets], here.pockets)
    np.testing.assert_array_equal(mirrored.touched, here.touched)
    order = np.random.default_rng(1).permutation(len(strokes.starts))
    shuffled = play(strokes.take(order), [materials[k] for k in order], springs=springs)
    for one, other in zip(shuffled, here, strict=True):
        np.testing.assert_array_equal(one, other[order])


def test_batch_stream_and_recording_agree():
    """With and without refill, and alone: the same strokes, in float64 to rounding."""
    strokes = midgame(96, 6)
    with jax.enable_x64(True):
        geometry = Geometry.of(BOARD, 10, "float64")
        parameters = Parameters.of(Material(), dtype="float64")
        places, present, starts = (jnp.asarray(values) for values in strokes)
        batch = play_batch(geometry, parameters, places, present, starts)
        part = begin(geometry, parameters, places[5], present[5], starts[5])
    alone, stream = outcomes_of(np.asarray(part.row)), play(strokes, dtype="float64")
    for name in ("on_board", "pockets", "first_touch", "touched", "impacts", "unfinished"):
        np.testing.assert_array_equal(getattr(batch, name), getattr(stream, name))
        np.testing.assert_array_equal(getattr(alone, name)[0], getattr(stream, name)[5])
    np.testing.assert_allclose(batch.positions, stream.positions, atol=1e-7)
    np.testing.assert_allclose(alone.positions[0], stream.positions[5], atol=1e-9)


def test_inside_other_jitted_code():
    """A scan over strokes on what the strokes before left, one trace for all of it."""
    strokes = midgame(64, 7)
    geometry, parameters = Geometry.of(BOARD, 10), Parameters.of(Material())
    which = jnp.arange(64, dtype=jnp.int32)

    def stroke(state, speed):
        places, present = state
        starts = jnp.asarray(strokes.starts, jnp.float32) * jnp.stack([1.0, 1.0, speed, speed])
        outcome = play_stream(geometry, parameters, places, present, which, starts, lanes=32)
        return (outcome.positions[:, :-1], outcome.on_board[:, :-1]), outcome.on_board[:, :-1].sum()

    @jax.jit
    @chex.assert_max_traces(n=1)
    def rollout(places, present, speeds):
        return jax.lax.scan(stroke, (places, present), speeds)

    start = jnp.asarray(strokes.positions, jnp.float32), jnp.asarray(strokes.on_board)
    (_, present), left = rollout(*start, jnp.linspace(0.5, 1.5, 5))
    assert (np.diff(left) <= 0).all()
    assert int(present.sum()) == int(left[-1]) < int(start[1].sum())
    rollout(*start, jnp.linspace(0.1, 0.2, 5))


def test_one_trace_per_shape():
    """Boards, materials, strokes and how many of them are data, not programs."""
    traced = jax.jit(
        chex.assert_max_traces(inspect.unwrap(play_stream), n=1),
        static_argnames=("lanes", "most_steps"),
    )
    boards = [Board(), Board(side=0.738, pocket_diameter=0.0455, striker_mass=0.014)]
    for board, material, seed, count in zip(
        boards, random_materials(2, 1), (1, 2), (20, 30), strict=True
    ):
        strokes = midgame(32, seed)
        outcomes = traced(
            Geometry.of(board, 10),
            Parameters.of(material),
            jnp.asarray(strokes.positions, jnp.float32),
            jnp.asarray(strokes.on_board),
            jnp.arange(32, dtype=jnp.int32),
            jnp.asarray(strokes.starts, jnp.float32),
            count,
            lanes=16,
        )
        assert int((outcomes.impacts[:count] > 0).sum()) > count // 2


def test_wedges_come_to_rest():
    """If slow discs were stopped instead of losing their spin, some of these never ended:
    frame and striker would play the carromman to and fro without any time going by."""
    outcomes = play(against_the_frame(4 * AT_ONCE, 0), random_materials(4 * AT_ONCE, 1))
    assert not outcomes.unfinished.any()
    assert outcomes.impacts.max() < 60


SOAKS = {
    "midgame": lambda count: with_random_strikes(midgame(1000, 31), count, 1),
    "14 carrommen": lambda count: with_random_strikes(
        midgame(1000, 32, pieces=14, slots=20), count, 2
    ),
    "loose": lambda count: with_random_strikes(loose_breaks(1000, 33), count, 3),
    "tight": lambda count: with_random_strikes(breaks(1000, 34, TIGHT), count, 4),
}


def soak(kind: str, count: int) -> None:
    springs = kind in ("loose", "tight")
    outcomes = play(SOAKS[kind](count), random_materials(count, 5), springs=springs)
    assert not outcomes.unfinished.any()
    assert np.isfinite(outcomes.positions).all()
    assert outcomes.impacts.max() < MOST_STEPS / 4
    assert (outcomes.durations < 60).all()


@pytest.mark.parametrize("kind", SOAKS)
def test_every_stroke_ends(kind):
    soak(kind, 3 * AT_ONCE if kind == "midgame" else AT_ONCE)


@pytest.mark.slow
@pytest.mark.parametrize("kind", SOAKS)
def test_every_stroke_of_many_ends(kind):
    soak(kind, 100_000 if kind in ("midgame", "14 carrommen") else 20_000)

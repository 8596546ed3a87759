"""The planar engine: many strokes at once."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.calibration.shots import Shot, break_shot, midgame_shot
from carrom.physics.material import Material
from carrom.physics.planar.engine import PlanarEngine
from carrom.physics.planar.event import advance
from carrom.physics.planar.lanes import Geometry, Lanes, Parameters, columns, set_out
from carrom.physics.planar.outcomes import Outcomes
from carrom.physics.planar.requests import starts_of
from carrom.physics.planar.slots import SIZES, to_slots
from carrom.physics.planar.strokes import CHUNK, LANES, play_batch, play_stream
from carrom.physics.strike import Strike
from carrom.rack import LOOSE, TIGHT

from .measure import Figures, best_rate, latencies, one_core_bench, shots_of

WIDTHS = (32, 64, 128, 256, 512, 1024)
"""Lanes of the sweep."""
BATCHES = tuple(4**k for k in range(8))
"""Strokes of the growth: 1 to 16,384."""
CANDIDATES = 2048
_SINGLES = 64
"""Strokes played one by one."""
_KINDS = {
    "midgame": midgame_shot,
    "loose_break": partial(break_shot, packing=LOOSE),
    "tight_break": partial(break_shot, packing=TIGHT),
}


class Strokes(NamedTuple):
    """The arguments of ``play_stream`` up to ``starts``."""

    geometry: Geometry
    parameters: Parameters
    positions: jax.Array
    on_board: jax.Array
    which: jax.Array
    starts: jax.Array

    @classmethod
    def of(cls, shots: list[Shot], slots: int) -> Strokes:
        """Each shot on its own layout."""
        board, layouts = Board(), [shot.layout for shot in shots]
        return cls.on(
            board,
            np.stack([layout.positions for layout in layouts]),
            np.stack([layout.on_board for layout in layouts]),
            starts_of(board, [shot.strike for shot in shots], [0] * len(shots)),
            slots,
        )

    @classmethod
    def on(
        cls,
        board: Board,
        positions: NDArray[np.floating],
        on_board: NDArray[np.bool_],
        starts: NDArray[np.floating],
        slots: int,
    ) -> Strokes:
        """Strokes (M, 4) on layouts, (M, 19, 2) and (M, 19), in so many slots."""
        places, present, _ = to_slots(positions, on_board, slots)
        return cls(
            Geometry.of(board, slots),
            Parameters.of(Material()),
            jnp.asarray(places, jnp.float32),
            jnp.asarray(present),
            jnp.arange(len(starts), dtype=jnp.int32),
            jnp.asarray(starts, jnp.float32),
        )

    def rate(self, play: Callable[..., Any], repeats: int = 3) -> float:
        """Strokes per second of CPU time."""
        jax.block_until_ready(play(*self))
        return best_rate(
            lambda: jax.block_until_ready(play(*self)), len(self.starts), repeats=repeats
        )

    def side_by_side(self, play: Callable[..., Outcomes], count: int) -> Callable[[], Outcomes]:
        """The first ``count`` of them by ``play_batch`` or its like."""
        geometry, parameters, positions, on_board, _, starts = self
        batch = positions[:count], on_board[:count], starts[:count]
        return lambda: jax.block_until_ready(play(geometry, parameters, *batch))


@functools.cache
def strokes(kind: str, count: int, slots: int) -> Strokes:
    """Typical strokes in so many slots."""
    return Strokes.of(shots_of(_KINDS[kind], count), slots)


@one_core_bench
def planar() -> Figures:
    """Strokes per second, seconds of CPU time to compile, and lanes' use."""
    result = {}
    programs = [(slots, False, ("midgame",)) for slots in SIZES]
    programs += [(20, springs, ("loose_break", "tight_break")) for springs in (True, False)]
    for slots, springs, kinds in programs:
        for kind in kinds:
            played = strokes(kind, 8192 if kind == "midgame" else 4096, slots)
            name = f"{kind}_{slots}_slots" + ("_springs" if springs else "")
            start = time.process_time()
            program = play_stream.lower(*played, springs=springs).compile()
            # The second kind of strokes finds it compiled.
            if kind == kinds[0]:
                result[f"{name}_compile_s"] = time.process_time() - start
            result[f"{name}_per_s"] = played.rate(program)
    for kind, slots in (("midgame", 10), ("loose_break", 20)):
        result[f"{kind}_{slots}_slots_used_over_needed"] = used_over_needed(
            strokes(kind, 1024 if slots == 20 else 8192, slots)
        )
    return result


@one_core_bench
def planar_widths() -> Figures:
    """Strokes per second mid-game over lanes, with a queue of 4,096 strokes."""
    result = {}
    for slots in (10, 20):
        for lanes in WIDTHS:
            played = strokes("midgame", 4096, slots)
            result[f"{slots}_slots_{lanes}_lanes_per_s"] = played.rate(
                partial(play_stream, lanes=lanes), repeats=2
            )
    return result


@one_core_bench
def planar_growth() -> Figures:
    """Strokes per second mid-game over the size of the batch, in 10 slots.

    By ``play_stream`` in its lanes, and side by side by ``play_batch``, which waits for the
    slowest.
    """
    result = {}
    played = strokes("midgame", max(BATCHES), 10)
    for batch in BATCHES:
        stream = partial(play_stream, *played, batch)
        side = played.side_by_side(play_batch, batch)
        for name, play in (("stream", stream), ("side_by_side", side)):
            jax.block_until_ready(play())
            count = max(1, 256 // batch)

            def often(play: Callable[[], Any] = play, count: int = count) -> None:
                for _ in range(count):
                    jax.block_until_ready(play())

            result[f"{name}_{batch}_per_s"] = best_rate(often, batch * count, repeats=2)
    return result


@one_core_bench
def planar_single() -> Figures:
    """Latency of one stroke, ms: the program alone, and the engine's ``play``."""
    result, engine = {}, PlanarEngine()
    for kind, slots, springs in (
        ("midgame", 10, False),
        ("loose_break", 20, True),
        ("tight_break", 20, True),
        ("loose_break", 20, False),
    ):
        played = strokes(kind, _SINGLES, slots)
        one = [
            (played.positions[k : k + 1], played.on_board[k : k + 1], played.starts[k : k + 1])
            for k in range(_SINGLES)
        ]
        play = partial(play_batch, played.geometry, played.parameters, springs=springs)
        name = f"{kind}_springs" if springs else kind
        play(*one[0])
        median, high = latencies(
            lambda k, play=play, one=one: jax.block_until_ready(play(*one[k])), _SINGLES
        )
        result[f"{name}_median_ms"], result[f"{name}_p95_ms"] = median, high
    for kind in ("midgame", "tight_break"):
        shots = shots_of(_KINDS[kind], _SINGLES)
        engine.play(*shots[0])
        median, high = latencies(lambda k, shots=shots: engine.play(*shots[k]), _SINGLES)
        result[f"engine_{kind}_median_ms"], result[f"engine_{kind}_p95_ms"] = median, high
    return result


@one_core_bench
def planar_candidates() -> Figures:
    """2,048 strikes on one layout of 8 carrommen, ms of CPU time: on arrays, and as objects."""
    rng = np.random.default_rng(4)
    layout = midgame_shot(Board(), rng).layout
    strikes = [
        Strike(0.0, float(direction), float(speed))
        for direction, speed in rng.uniform((-1.0, 1.0), (1.0, 6.0), (CANDIDATES, 2))
    ]
    result = {}
    for slots in (10, 20):
        one = Strokes.of([Shot(layout, strike) for strike in strikes], slots)
        one = one._replace(
            positions=one.positions[:1], on_board=one.on_board[:1], which=jnp.zeros_like(one.which)
        )
        rate = one.rate(lambda *args: jax.device_get(play_stream(*args)))
        result[f"{slots}_slots_per_s"] = rate
        result[f"{slots}_slots_ms"] = 1e3 * CANDIDATES / rate
    engine = PlanarEngine()
    many = partial(engine.play_many, [layout] * CANDIDATES, strikes, [0] * CANDIDATES)
    many()
    result["play_many_ms"] = 1e3 * CANDIDATES / best_rate(many, CANDIDATES)
    return result


def used_over_needed(played: Strokes, lanes: int = LANES) -> float:
    """Steps that all lanes take, over those in which a stroke is under way."""
    needed = np.asarray(_steps_needed(*played))
    return steps_used(needed, lanes) / float(needed.sum())


def steps_used(needed: NDArray[np.integer], lanes: int) -> int:
    """Lane-steps of ``play_stream``: lanes at rest are looked for every ``CHUNK`` steps."""
    chunks, following, total = -(-needed // CHUNK), min(lanes, len(needed)), 0
    left = np.zeros(lanes, np.int64)
    left[:following] = chunks[:following]
    while left.any():
        total += CHUNK * lanes
        left -= 1
        free = np.flatnonzero(left <= 0)
        fresh = chunks[following : following + len(free)]
        left[free] = 0
        left[free[: len(fresh)]] = fresh
        following += len(fresh)
    return total


@jax.jit
def _steps_needed(
    geometry: Geometry,
    parameters: Parameters,
    positions: jax.Array,
    on_board: jax.Array,
    which: jax.Array,
    starts: jax.Array,
) -> jax.Array:
    """How many steps each stroke takes, (M,), without springs."""
    lanes = set_out(columns(positions[which]).T, on_board[which].T, starts.T, parameters, geometry)

    def step(state: tuple[Lanes, jax.Array]) -> tuple[Lanes, jax.Array]:
        lanes, steps = state
        steps = steps + ~lanes.discs.at_rest()
        return advance(lanes, parameters, geometry), steps

    def goes_on(state: tuple[Lanes, jax.Array]) -> jax.Array:
        return ~jnp.all(state[0].discs.at_rest())

    return jax.lax.while_loop(goes_on, step, (lanes, jnp.zeros(len(starts), jnp.int32)))[1]

"""Contacts that overlap in time, against an independent spring-dashpot computation."""

import functools

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from carrom.physics.calibration.planar_strokes import BOARD
from carrom.physics.calibration.shots import break_shot
from carrom.physics.calibration.springs import spring_reference
from carrom.physics.material import Material
from carrom.physics.planar.event import advance
from carrom.physics.planar.lanes import Geometry, Lanes, Parameters, set_out
from carrom.physics.planar.near_pairs import CHUNK
from carrom.physics.planar.requests import starts_of
from carrom.physics.planar.springs import squeeze_if_any
from carrom.rack import LOOSE, TIGHT, Packing, rack

GAPS = (0.0, 0.02e-3, 0.1e-3, 0.3e-3)
SPEEDS = (4.0, 6.0)
CHAIN = 6e-3
"""By then the first chain of contacts is over and no disc has come near a frame, s."""


LANES = 64


def begun(
    positions: np.ndarray, starts: np.ndarray, material: Material
) -> tuple[Lanes, Parameters, Geometry]:
    """``LANES`` full racks: positions (B, 19, 2) and starts (B, 4) are repeated as needed."""
    geometry, parameters = Geometry.of(BOARD), Parameters.of(material)
    which = np.arange(LANES) % len(starts)
    places = np.concatenate([positions[..., 0], positions[..., 1]], axis=1)[which].T
    lanes = set_out(
        jnp.asarray(places, jnp.float32),
        jnp.ones((19, LANES), bool),
        jnp.asarray(starts[which].T, jnp.float32),
        parameters,
        geometry,
    )
    return lanes, parameters, geometry


def neighbours(lanes: Lanes) -> set[tuple[int, int]]:
    """Pairs of slots closer than half a millimetre in some lane."""
    first, second = np.triu_indices(20, 1)
    points = np.stack([lanes.discs.x, lanes.discs.y], -1)
    apart = np.hypot(*np.moveaxis(points[first] - points[second], -1, 0))
    near = (apart - (BOARD.radii[first] + BOARD.radii[second])[:, None] < 0.5e-3).any(1)
    return set(zip(first[near].tolist(), second[near].tolist(), strict=True))


@jax.jit
def step(lanes: Lanes, parameters: Parameters, geometry: Geometry) -> Lanes:
    lanes = advance(lanes, parameters, geometry, springs=True)
    return squeeze_if_any(lanes, parameters, geometry)


def test_the_first_chain_of_contacts():
    """The striker into a corner of the rack, head-on: energy kept, and who leaves how fast."""
    material = Material(
        friction=0.005, restitution_striker=0.85, restitution_carromman=0.85,
        friction_rim=0.0, friction_frame=0.0,
    )  # fmt: skip
    cases = [(gap, speed) for gap in GAPS for speed in SPEEDS]
    positions, starts = np.zeros((len(cases), 19, 2)), np.zeros((len(cases), 4))
    for k, (gap, speed) in enumerate(cases):
        positions[k] = rack(BOARD, np.random.default_rng(0), packing=Packing(gap, 0.0))
        corner = positions[k, np.argmin(positions[k, :, 1])]
        touch = BOARD.carromman_radius + BOARD.striker_radius
        starts[k] = *(corner - (0.0, touch + 1e-3)), 0.0, speed
    lanes, *model = begun(positions, starts, material)
    bursts = 0
    while True:
        after = step(lanes, *model)
        # Each lane's last state before the time is up; its next event is at a frame.
        early = after.record.time < CHAIN
        if not bool(early.any()):
            break
        lanes = jax.tree.map(functools.partial(jnp.where, early), after, lanes)
        bursts += int((lanes.squeezed > 0).sum())
    assert bursts > LANES
    for k, (_, speed) in enumerate(cases):
        places = np.concatenate([positions[k], starts[k : k + 1, :2]])
        velocity = np.zeros((20, 2))
        velocity[-1, 1] = speed
        spring_reference(
            BOARD, material, places, velocity, np.zeros(20), duration=CHAIN, steps_per_contact=100
        )
        got = np.stack([lanes.discs.vx[:, k], lanes.discs.vy[:, k]], -1)
        kept, expected = (
            BOARD.masses @ (v**2).sum(1) / (BOARD.striker_mass * speed**2) for v in (got, velocity)
        )
        assert kept == pytest.approx(expected, abs=0.005)
        assert got[:-1, 1].max() / speed == pytest.approx(velocity[:-1, 1].max() / speed, abs=0.005)


@pytest.mark.parametrize("packing", [TIGHT, LOOSE], ids=["tight", "loose"])
def test_springs_make_no_energy(packing):
    """From burst to burst springs hold energy; when they are done it is less than before."""
    rng = np.random.default_rng(5)
    shots = [break_shot(BOARD, rng, packing) for _ in range(LANES)]
    positions = np.stack([shot.layout.positions for shot in shots])
    lanes, *model = begun(
        positions, starts_of(BOARD, [s.strike for s in shots], [0] * LANES), Material()
    )
    mass, radius = BOARD.masses[:, None], BOARD.radii[:, None]
    least, phases = np.full(LANES, np.inf), 0
    for _ in range(1500):
        discs = lanes.discs
        speed2 = np.asarray(discs.vx**2 + discs.vy**2, np.float64)
        rim2 = (radius * np.asarray(discs.twist)) ** 2 * np.sqrt(speed2)
        energy = (np.asarray(discs.in_play) * mass * (speed2 / 2 + rim2 / 4)).sum(0)
        free = np.asarray(lanes.squeezed == 0)
        assert (energy <= least + 1e-7)[free].all()
        least = np.where(free, np.minimum(least, energy), least)
        phases += int((~free).sum())
        if bool(lanes.discs.at_rest().all()):
            break
        lanes = step(lanes, *model)
    assert bool(lanes.discs.at_rest().all())
    assert phases > LANES
    points = np.stack([lanes.discs.x, lanes.discs.y], -1)
    first, second = np.triu_indices(20, 1)
    apart = np.hypot(*np.moveaxis(points[first] - points[second], -1, 0))
    both = np.asarray(lanes.discs.in_play[first] & lanes.discs.in_play[second])
    overlap = (BOARD.radii[first] + BOARD.radii[second])[:, None] - apart
    assert np.where(both, overlap, 0).max() < 1e-6


def test_company_does_not_matter():
    """A lane keeps its bits, whichever pairs of discs are near each other in the others."""
    rng = np.random.default_rng(3)
    shots = [break_shot(BOARD, rng, LOOSE) for _ in range(LANES)]
    positions = np.stack([shot.layout.positions for shot in shots])
    starts = starts_of(BOARD, [shot.strike for shot in shots], [0] * LANES)
    alike, *model = begun(positions, starts, Material())
    for _ in range(6):  # until most have come upon the rack
        alike = step(alike, *model)
    assert bool((alike.squeezed == 2).any())
    # In every second lane the carrommen change slots, so that any two are neighbours in some.
    slots = np.tile(np.arange(20)[:, None], LANES)
    slots[:19, 1::2] = rng.permuted(slots[:19, 1::2], axis=0)
    mixed = alike._replace(
        discs=jax.tree.map(lambda values: jnp.take_along_axis(values, slots, 0), alike.discs)
    )
    assert len(neighbours(alike)) < CHUNK < len(neighbours(mixed))
    for _ in range(12):
        alike, mixed = step(alike, *model), step(mixed, *model)
    chex.assert_trees_all_equal(
        *(jax.tree.map(lambda values: values[..., ::2], lanes) for lanes in (alike, mixed))
    )

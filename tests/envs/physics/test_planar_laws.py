"""The laws of the planar engine one by one, against closed forms and finer computations."""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from carrom.physics.calibration.planar_strokes import BOARD, Strokes, play
from carrom.physics.material import Material
from carrom.physics.model import CORNER_HOP, fall_radius
from carrom.physics.planar.contact import Movers, time_bound
from carrom.physics.planar.frame import path_to_frame
from carrom.physics.planar.ground import stopping_factor
from carrom.physics.planar.impulse import Body, bounce, collide
from carrom.physics.planar.lanes import NEVER, Geometry
from carrom.physics.sliding import farkas_table, slide

MATERIAL = Material()
JIT_COLLIDE, JIT_BOUNCE, JIT_PATH_TO_FRAME = map(jax.jit, (collide, bounce, path_to_frame))
JIT_TIME_BOUND = jax.jit(time_bound, static_argnums=2)
SLOWING = MATERIAL.deceleration
REACH = BOARD.half_side - BOARD.striker_radius


def lone_strikers(starts) -> Strokes:
    starts = np.atleast_2d(np.asarray(starts, float))
    count = len(starts)
    return Strokes(np.zeros((count, 9, 2)), np.zeros((count, 9), bool), starts)


# ---- sliding ---------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [0.1, 0.3, 1.0, 2.0, 5.0, 20.0, 50.0])
def test_stopping_factor_is_that_of_the_coupled_law(ratio):
    """Integrate dv/dt = -mu g F, R dw/dt = -2 mu g T until the disc stops."""
    table, step, speed, rim, way = farkas_table(), 2e-6, 0.2, 0.2 * ratio, 0.0
    if ratio > 2:
        speed, rim = 0.4 / ratio, 0.4
    start = speed
    while speed > 1e-6 * start:
        after, rim = slide(speed, rim, SLOWING, step, table)
        way, speed = way + 0.5 * step * (speed + after), after
    alone = start**2 / (2 * SLOWING)
    assert float(stopping_factor(jnp.float32(ratio**2))) == pytest.approx(way / alone, rel=0.004)


def test_lone_striker_stops_where_friction_says():
    rng = np.random.default_rng(1)
    speed = rng.uniform(0.05, 0.6, 200)
    angle = rng.uniform(0, 2 * np.pi, 200)
    heading = np.stack([np.cos(angle), np.sin(angle)], -1)
    got = play(lone_strikers(np.concatenate([heading * 0.05, heading * speed[:, None]], 1)))
    expected = heading * (0.05 + speed**2 / (2 * SLOWING))[:, None]
    np.testing.assert_allclose(got.positions[:, -1], expected, atol=2e-7)
    np.testing.assert_allclose(got.durations, speed / SLOWING, rtol=1e-6)
    assert (got.impacts == 0).all()


@pytest.mark.parametrize(("axis", "side"), [(0, 1), (0, -1), (1, 1), (1, -1)])
def test_one_bounce_off_the_frame(axis, side):
    """Squarely at a frame from 0.2 m away: v_out = e v_in."""
    start, speed = np.zeros(4), 0.8
    start[axis], start[2 + axis] = side * (REACH - 0.2), side * speed
    got = play(lone_strikers(start))
    out2 = MATERIAL.restitution_frame**2 * (speed**2 - 2 * SLOWING * 0.2)
    expected = np.zeros(2)
    expected[axis] = side * (REACH - out2 / (2 * SLOWING))
    np.testing.assert_allclose(got.positions[0, -1], expected, atol=3e-7)
    assert got.impacts[0] == 1


# ---- impulses --------------------------------------------------------------------------

SPEEDS = st.floats(-6, 6)
SPINS = st.floats(-200, 200)
ANGLES = st.floats(0, 2 * math.pi)
RATIOS = st.floats(0.05, 0.98)


def body(vx, vy, spin, mass=0.0055, radius=0.0159) -> Body:
    return Body(*(jnp.asarray([v], jnp.float64) for v in (vx, vy, spin, mass, radius)))


def energy(*bodies: Body) -> float:
    return sum(
        float(b.mass[0] * ((b.vx**2 + b.vy**2) / 2 + (b.radius * b.spin) ** 2 / 4)[0])
        for b in bodies
    )


@settings(max_examples=200, deadline=None)
@given(SPEEDS, SPEEDS, SPINS, SPEEDS, SPEEDS, SPINS, ANGLES, RATIOS, st.floats(0, 1))
def test_a_collision(vx, vy, spin, ux, uy, turn, angle, restitution, friction):
    """Momentum, Newton's restitution, Coulomb's cone, no slip reversed, no energy gained."""
    nx, ny = math.cos(angle), math.sin(angle)
    closing = (vx - ux) * nx + (vy - uy) * ny
    assume(closing > 0.01)
    with jax.enable_x64(True):
        i, j = body(vx, vy, spin), body(ux, uy, turn, 0.015, 0.02065)
        normal = jnp.asarray([nx]), jnp.asarray([ny])
        a, b = JIT_COLLIDE(i, j, *normal, jnp.asarray([restitution]), jnp.asarray([friction]))
        for before, after in (((i.vx, j.vx), (a.vx, b.vx)), ((i.vy, j.vy), (a.vy, b.vy))):
            momentum = i.mass * before[0] + j.mass * before[1]
            assert float((i.mass * after[0] + j.mass * after[1] - momentum)[0]) == pytest.approx(
                0, abs=1e-15
            )
        parting = float(((b.vx - a.vx) * nx + (b.vy - a.vy) * ny)[0])
        assert parting == pytest.approx(max(restitution * closing, 1e-3), rel=1e-9)
        impulse_x, impulse_y = j.mass * (b.vx - j.vx), j.mass * (b.vy - j.vy)
        push = float((impulse_x * nx + impulse_y * ny)[0])
        rub = float((-impulse_x * ny + impulse_y * nx)[0])
        assert abs(rub) <= friction * push + 1e-12

        def slip(one: Body, other: Body) -> float:
            rims = one.spin * one.radius + other.spin * other.radius
            return float(((other.vy - one.vy) * nx - (other.vx - one.vx) * ny - rims)[0])

        before, after = slip(i, j), slip(a, b)
        assert before * after >= -1e-9
        sticks = abs(after) < 1e-9
        assert sticks or abs(rub) == pytest.approx(friction * push, rel=1e-6, abs=1e-12)
        assert energy(a, b) <= energy(i, j) + 1e-12


@settings(max_examples=200, deadline=None)
@given(SPEEDS, SPEEDS, SPINS, ANGLES, RATIOS, st.floats(0, 1), st.booleans())
def test_a_bounce(vx, vy, spin, angle, restitution, friction, in_corner):
    nx, ny = math.cos(angle), math.sin(angle)
    closing = vx * nx + vy * ny
    assume(closing > 0)
    with jax.enable_x64(True):
        before = body(vx, vy, spin)
        normal = jnp.asarray([nx]), jnp.asarray([ny])
        corner = jnp.asarray([in_corner])
        after = JIT_BOUNCE(
            before, *normal, corner, jnp.asarray([restitution]), jnp.asarray([friction])
        )
        floor = max(1e-3, CORNER_HOP * math.hypot(vx, vy) if in_corner else 0)
        parting = -float((after.vx * nx + after.vy * ny)[0])
        assert parting == pytest.approx(max(restitution * closing, floor), rel=1e-9)
        # Only the least speed of separation, 1 mm/s, may come from nothing.
        assert energy(after) <= energy(before) + 0.0055 * 1e-6


# ---- contacts --------------------------------------------------------------------------


def places_at(start, velocity, braking, times):
    speed = math.hypot(*velocity)
    if speed == 0:
        return np.broadcast_to(start, (len(times), 2))
    t = np.minimum(times, speed / braking)[:, None]
    return start + np.asarray(velocity) * (t - braking * t * t / (2 * speed))


@settings(max_examples=300, deadline=None)
@given(
    st.floats(0.0319, 0.6), ANGLES, st.tuples(SPEEDS, SPEEDS), st.tuples(SPEEDS, SPEEDS),
    st.floats(0.1, 1.0), st.floats(0.1, 1.0), st.booleans(),
)  # fmt: skip
def test_no_contact_before_its_bound(distance, angle, v, u, slow_v, slow_u, at_rest):
    """Follow the two discs in small steps: until the bound their gap stays open."""
    u = (0.0, 0.0) if at_rest else u
    reach = 2 * BOARD.carromman_radius
    other = distance * np.array([math.cos(angle), math.sin(angle)])

    def mover(start, velocity, braking):
        speed = math.hypot(*velocity)
        stop = speed / braking if speed > 0 else NEVER
        along = np.asarray(velocity) * (braking / max(speed, 1e-300))
        values = (*start, *velocity, *along, stop, speed, reach / 2)
        return Movers(*(jnp.full((1, 1), value) for value in values))

    with jax.enable_x64(True):
        bound = float(
            JIT_TIME_BOUND(mover((0, 0), v, slow_v), mover(other, u, slow_u), 1e-12)[0, 0]
        )
    end = max(math.hypot(*v) / slow_v, math.hypot(*u) / slow_u)
    if bound < 0:
        assert distance <= reach + 1e-12
        return
    times = np.linspace(0, min(bound, end), 2000)
    gap = places_at(other, u, slow_u, times) - places_at(np.zeros(2), v, slow_v, times)
    assert np.hypot(*gap.T).min() >= reach - 1e-9


# ---- frame and pockets -----------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(st.floats(-1, 1), st.floats(-1, 1), ANGLES)
def test_path_to_frame(x, y, angle):
    """At its end a centre is on the frame, and before it is inside."""
    reach, offset = REACH, BOARD.pocket_offset
    x, y = x * reach, y * reach
    corner = BOARD.pocket_radius - BOARD.striker_radius
    assume(math.hypot(max(abs(x) - offset, 0), max(abs(y) - offset, 0)) <= corner)
    ux, uy = math.cos(angle), math.sin(angle)
    with jax.enable_x64(True):
        geometry = Geometry.of(BOARD, 2, "float64")
        a, b, c, d = (jnp.full((2, 1), value) for value in (x, y, ux, uy))
        path = float(JIT_PATH_TO_FRAME(a, b, c, d, geometry)[1, 0])
    along = np.linspace(0, path, 100)
    over_x = np.abs(x + along * ux) - offset
    over_y = np.abs(y + along * uy) - offset
    beyond = np.maximum(over_x, over_y) - (reach - offset)
    in_corner = (over_x > 0) & (over_y > 0)
    beyond[in_corner] = np.hypot(over_x, over_y)[in_corner] - corner
    assert beyond.max() <= 1e-12
    assert beyond[-1] == pytest.approx(0, abs=1e-9)


def test_falling_takes_its_time():
    """Straight across a fall circle: pocketed if and only if the transit takes fall_time."""
    rng = np.random.default_rng(9)
    count = 2000
    circle = fall_radius(BOARD.striker_radius, MATERIAL.edge_rounding, 1.0, BOARD.pocket_radius)
    # So far from the middle that the frames are out of the way until it is left.
    away = rng.uniform(6.6e-3, circle - 1e-5, count)
    half, speed = np.sqrt(circle**2 - away**2), rng.uniform(0.05, 3, count)
    out, along = np.array([1, 1]) / 2**0.5, np.array([1, -1]) / 2**0.5
    place = BOARD.pocket_offset - away[:, None] * out - (half + 2e-4)[:, None] * along
    got = play(lone_strikers(np.concatenate([place, speed[:, None] * along], 1)))

    def when(way):
        left2 = speed**2 - 2 * SLOWING * way
        time = 2 * way / (speed + np.sqrt(np.maximum(left2, 0)))
        return np.where(left2 > 0, time, 1e9)

    enters, leaves = when(2e-4), when(2e-4 + 2 * half)
    falls = leaves - enters >= MATERIAL.fall_time
    assert 300 < falls.sum() < count - 300
    # Those that cross it may come back off the frame and fall later.
    fell = np.isfinite(got.fall_times[:, -1]) & (got.fall_times[:, -1] < leaves)
    np.testing.assert_array_equal(fell, falls)
    late = got.fall_times[falls, -1] - enters[falls] - MATERIAL.fall_time
    assert np.abs(late).max() < 2e-5
    assert (got.pockets[falls, -1] == 1).all()


@pytest.mark.parametrize("fall_time", [0.0, 0.015])
@pytest.mark.parametrize(("offset", "falls"), [(-2e-6, True), (2e-6, False)])
def test_a_disc_on_the_brink(fall_time, offset, falls):
    """A resting striker falls after fall_time when its centre is inside the fall circle."""
    circle = fall_radius(BOARD.striker_radius, MATERIAL.edge_rounding, 1.0, BOARD.pocket_radius)
    places = BOARD.pocket_centres - np.sign(BOARD.pocket_centres) * (circle + offset) / 2**0.5
    starts = np.concatenate([places, np.zeros((4, 2))], 1)
    material = dataclasses.replace(MATERIAL, fall_time=fall_time)
    got = play(lone_strikers(starts), [material])
    if falls:
        assert got.pockets[:, -1].tolist() == [0, 1, 2, 3]
        np.testing.assert_allclose(got.fall_times[:, -1], fall_time, atol=1e-7)
        np.testing.assert_allclose(got.durations, fall_time, atol=1e-7)
    else:
        assert (got.pockets == -1).all()
        np.testing.assert_array_equal(got.positions[:, -1], np.float32(places))


def test_sliding_into_the_corners():
    """A disc that runs along a frame into the arc goes round it in few hops."""
    rng = np.random.default_rng(2)
    starts = np.zeros((400, 4))
    starts[:, 1] = REACH - 10.0 ** rng.uniform(-8, -2, 400)
    starts[:, 2] = rng.uniform(0.6, 6, 400)
    got = play(lone_strikers(starts), [dataclasses.replace(MATERIAL, fall_time=0.1)])
    assert not got.unfinished.any()
    assert got.impacts.max() < 40

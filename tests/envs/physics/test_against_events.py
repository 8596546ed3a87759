"""Two-disc strokes against an independent computation from event to event in closed form.

Without friction at rims and frame nothing spins: every path is a straight parabola in time,
and impacts are Newton's. No steps, no MuJoCo, no code shared with the engine.
"""

import math

import numpy as np

from carrom.board import Board
from carrom.physics.calibration.shots import midgame_shot
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine

BOARD = Board()
MATERIAL = Material(friction_rim=0.0, friction_frame=0.0)
SLOWING = MATERIAL.friction * 9.81


class Disc:
    def __init__(self, place, velocity, radius, mass):
        self.place, self.velocity = np.array(place, float), np.array(velocity, float)
        self.radius, self.mass = radius, mass

    def state(self, t):
        """Places (n, 2) and velocities (n, 2) at times t (n,)."""
        speed = float(np.hypot(*self.velocity))
        if speed == 0:
            return np.broadcast_to(self.place, (len(t), 2)), np.zeros((len(t), 2))
        t = np.minimum(t, speed / SLOWING)[:, None]
        heading = self.velocity / speed
        places = self.place + heading * (speed * t - SLOWING * t * t / 2)
        return places, heading * (speed - SLOWING * t)

    def to_frame(self):
        """Time and axis of the next frame, or (inf, 0)."""
        best = (math.inf, 0)
        speed = float(np.hypot(*self.velocity))
        for axis in range(2):
            if self.velocity[axis] == 0:
                continue
            side = math.copysign(BOARD.half_side - self.radius, self.velocity[axis])
            way = (side - self.place[axis]) / self.velocity[axis] * speed
            if way < speed**2 / (2 * SLOWING):
                time = (speed - math.sqrt(speed**2 - 2 * SLOWING * max(way, 0))) / SLOWING
                best = min(best, (time, axis))
        return best


def gaps(pair, times):
    (a, _), (b, _) = (disc.state(times) for disc in pair)
    return np.hypot(*(a - b).T) - pair[0].radius - pair[1].radius


def first_touch_time(pair, end):
    """When the discs touch first before ``end``, or inf: bracketed on a grid, then halved."""
    times = np.linspace(0, end, 4000)
    gap = gaps(pair, times)
    crossings = np.flatnonzero((gap[:-1] > 1e-13) & (gap[1:] <= 0))
    if not len(crossings):
        return math.inf
    low, high = times[crossings[0]], times[crossings[0] + 1]
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if gaps(pair, np.array([middle]))[0] > 0 else (low, middle)
    return low


def near_a_pocket(pair, end):
    times = np.linspace(0, end, 400)
    corners = [np.abs(disc.state(times)[0]) - BOARD.pocket_offset for disc in pair]
    return any((np.hypot(*c.T) < BOARD.pocket_radius + 2e-3).any() for c in corners)


def play(pair):
    """Rest places, or None if a disc comes near a pocket; and the number of impacts."""
    for impacts in range(200):
        rest = max(float(np.hypot(*disc.velocity)) for disc in pair) / SLOWING
        frames = [disc.to_frame() for disc in pair]
        end = min(rest, frames[0][0], frames[1][0])
        touch = first_touch_time(pair, end) if end > 0 else math.inf
        end = min(end, touch)
        if near_a_pocket(pair, end):
            return None, impacts
        for disc in pair:
            places, velocities = disc.state(np.array([end]))
            disc.place, disc.velocity = places[0].copy(), velocities[0].copy()
        if end == rest:
            return [disc.place for disc in pair], impacts
        if end == touch:
            normal = pair[1].place - pair[0].place
            normal /= np.hypot(*normal)
            closing = (pair[0].velocity - pair[1].velocity) @ normal
            reduced = 1 / (1 / pair[0].mass + 1 / pair[1].mass)
            impulse = (1 + MATERIAL.restitution_striker) * closing * reduced
            pair[0].velocity -= impulse / pair[0].mass * normal
            pair[1].velocity += impulse / pair[1].mass * normal
        else:
            for disc, (time, axis) in zip(pair, frames, strict=True):
                if time == end:
                    disc.velocity[axis] *= -MATERIAL.restitution_frame
    raise AssertionError("no rest")


def test_rest_places():
    engine = MujocoEngine(BOARD, MATERIAL)
    rng = np.random.default_rng(12)
    errors, impacts = [], []
    while len(errors) < 60:
        layout, strike = midgame_shot(BOARD, rng, pieces=1)
        index = int(np.flatnonzero(layout.on_board)[0])
        striker = Disc(
            strike.position(BOARD, 0), strike.velocity(0), BOARD.striker_radius, BOARD.striker_mass
        )
        carromman = Disc(
            layout.positions[index], (0, 0), BOARD.carromman_radius, BOARD.carromman_mass
        )
        rest, count = play([striker, carromman])
        if rest is None:
            continue
        motion = engine.play(layout, strike)
        assert motion.striker is not None
        assert motion.layout.on_board[index]
        errors.append(
            max(
                math.dist(motion.striker, rest[0]),
                math.dist(motion.layout.positions[index], rest[1]),
            )
        )
        impacts.append(count)
    assert max(impacts) >= 8
    assert np.median(errors) < 0.02e-3
    # An impact multiplies an error by the ratio of path to radius: the long strokes differ.
    assert np.quantile(errors, 0.9) < 2e-3


def test_a_lone_striker_between_frames():
    """No pair, many frames: the error is that of the overshoot of a micrometre per bounce."""
    engine = MujocoEngine(BOARD, MATERIAL)
    rng = np.random.default_rng(13)
    seen = 0
    while seen < 20:
        layout, strike = midgame_shot(BOARD, rng, pieces=0)
        striker = Disc(
            strike.position(BOARD, 0), strike.velocity(0), BOARD.striker_radius, BOARD.striker_mass
        )
        stone = Disc((0.0, 0.0), (0, 0), 1e-9, 1.0)
        rest, _ = play([striker, stone])
        if rest is None or np.hypot(*stone.place) > 0:
            continue
        motion = engine.play(layout, strike)
        assert motion.striker is not None
        assert math.dist(motion.striker, rest[0]) < 0.02e-3
        seen += 1

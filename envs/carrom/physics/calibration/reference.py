"""The model a second time: scalar, float64, slow, and written differently.

One stroke after the other. Contacts are found, to 1e-13 m, by advancing along the present
line of centres again and again; entering a fall circle, leaving it and falling are three
events; sides and arcs of the frame are tried one by one; spins are carried explicitly. It
shares the model's numbers with the planar engine and no code. Contacts are impulses, whatever
the contact time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.material import GRAVITY, Material
from carrom.physics.model import CORNER_HOP, REST_SPEED
from carrom.physics.planar.impulse import SEPARATION_SPEED

PARAMETERS = (
    *("friction", "restitution_striker", "restitution_carromman", "restitution_frame"),
    *("friction_rim", "friction_frame", "edge_rounding", "fall_time", "fall_factor"),
)
"""Fields of a material, in the order in which a stroke takes them."""
_CONSTANTS = (GRAVITY, CORNER_HOP, REST_SPEED, SEPARATION_SPEED)
"""Passed to the compiled code: its cache on disk would not notice that one has changed."""
TOLERANCE = 1e-13
MOST_EVENTS = 100_000
SIDE_X, SIDE_Y, ARC, FALL, LEAVE, ENTER = 0, 1, 2, 3, 4, 10


@dataclass(frozen=True)
class Played:
    """M strokes, n discs, the striker last; the names are those of the engine's outcomes."""

    positions: NDArray[np.float64]
    on_board: NDArray[np.bool_]
    fall_times: NDArray[np.float64]
    pockets: NDArray[np.int64]
    first_touch: NDArray[np.int64]
    touched: NDArray[np.bool_]
    durations: NDArray[np.float64]
    impacts: NDArray[np.int64]


def play(
    board: Board,
    materials: list[Material],
    positions: NDArray[np.float64],
    on_board: NDArray[np.bool_],
    starts: NDArray[np.float64],
) -> Played:
    """Play M strokes.

    Args:
        board: the board.
        materials: dealt out to the strokes in turn.
        positions: (M, n - 1, 2), m.
        on_board: (M, n - 1).
        starts: (M, 4), the striker's x, y, vx, vy.
    """
    place = np.concatenate([positions, starts[:, None, :2]], axis=1)
    velocity = np.zeros_like(place)
    velocity[:, -1] = starts[:, 2:]
    present = np.concatenate([on_board, np.ones((len(starts), 1), bool)], axis=1)
    return play_on(board, materials, place, velocity, np.zeros(place.shape[:2]), present)


def play_on(
    board: Board,
    materials: list[Material],
    positions: NDArray[np.float64],
    velocities: NDArray[np.float64],
    spins: NDArray[np.float64],
    on_board: NDArray[np.bool_],
) -> Played:
    """Play M strokes from where they are.

    Args:
        board: the board.
        materials: dealt out to the strokes in turn.
        positions: (M, n, 2), m, the striker last.
        velocities: (M, n, 2), m/s.
        spins: (M, n), rad/s.
        on_board: (M, n).
    """
    strokes, n = positions.shape[:2]
    place, velocity, spin = positions.copy(), velocities.copy(), spins.copy()
    present = on_board.copy()
    fall_times, pockets = np.full((strokes, n), np.inf), np.full((strokes, n), -1)
    touched, seen = np.zeros((strokes, n), bool), np.zeros((strokes, 3))
    parameters = np.array(
        [[*(getattr(m, name) for name in PARAMETERS), *_CONSTANTS] for m in materials]
    )
    for k in range(strokes):
        _stroke(
            place[k], velocity[k], spin[k], present[k], board.radii[-n:], board.masses[-n:],
            board.half_side, board.pocket_radius, parameters[k % len(parameters)],
            fall_times[k], pockets[k], touched[k], seen[k],
        )  # fmt: skip
    # The engine numbers pockets counter-clockwise from the near right one.
    pockets = np.array([3, 0, 2, 1, -1])[pockets]
    time, impacts, first = seen.T
    return Played(
        place, present, fall_times, pockets, first.astype(int), touched, time, impacts.astype(int)
    )


@numba.njit(cache=True)
def _first_contact(dx0, dy0, uix, uiy, vi0, ai, ujx, ujy, vj0, aj, reach):
    """When two discs on straight, braking legs touch first: every step is a lower bound."""
    t, stop_i, stop_j = 0.0, vi0 / ai, vj0 / aj
    for _ in range(500):
        ti, tj = min(t, stop_i), min(t, stop_j)
        way_i, way_j = vi0 * ti - 0.5 * ai * ti * ti, vj0 * tj - 0.5 * aj * tj * tj
        vi = vi0 - ai * ti if t < stop_i else 0.0
        vj = vj0 - aj * tj if t < stop_j else 0.0
        dx, dy = dx0 + ujx * way_j - uix * way_i, dy0 + ujy * way_j - uiy * way_i
        d = math.sqrt(dx * dx + dy * dy)
        gap, nx, ny = d - reach, dx / d, dy / d
        cos_i, cos_j = nx * uix + ny * uiy, nx * ujx + ny * ujy
        rate = cos_j * vj - cos_i * vi
        if gap <= TOLERANCE:
            if rate < 0.0:
                return t
            gap = 0.5 * TOLERANCE
        if gap > 0.5 * max(cos_i, 0.0) * vi * vi / ai + 0.5 * max(-cos_j, 0.0) * vj * vj / aj:
            return math.inf
        next_stop = math.inf
        if vi > 0.0:
            next_stop = stop_i - t
        if vj > 0.0:
            next_stop = min(next_stop, stop_j - t)
        if next_stop == math.inf:
            return math.inf
        bend = 0.0
        if vi > 0.0:
            bend += 0.5 * cos_i * ai
        if vj > 0.0:
            bend -= 0.5 * cos_j * aj
        discriminant, step = rate * rate - 4.0 * bend * gap, math.inf
        if discriminant >= 0.0:
            if rate < 0.0:
                step = 2.0 * gap / (-rate + math.sqrt(discriminant))
            elif bend < 0.0:
                step = (rate + math.sqrt(discriminant)) / (-2.0 * bend)
        if step > next_stop:
            t += next_stop
        else:
            t += max(step, 1e-18)
            if step < 1e-15 and gap < 1e-9:
                return t
    return t


@numba.njit(cache=True)
def _time_of(way, speed, braking):
    left = speed * speed - 2.0 * braking * way
    return 2.0 * way / (speed + math.sqrt(left)) if left > 0.0 else math.inf


@numba.njit(cache=True)
def _alone(i, time, x, y, ux, uy, speed, braking, radius, half_side, pocket_radius, circle,
           fall_time, pocket, entered):  # fmt: skip
    """Next event of disc i without other discs: its time from now and its kind."""
    offset, best, kind = half_side - pocket_radius, math.inf, -1
    if pocket[i] >= 0:
        px, py = offset if pocket[i] & 1 else -offset, offset if pocket[i] & 2 else -offset
        rest, out = max(entered[i] + fall_time - time, 0.0), math.inf
        if speed > 0.0:
            ex, ey = px - x, py - y
            along, aside = ex * ux + ey * uy, ex * uy - ey * ux
            half = math.sqrt(max(circle * circle - aside * aside, 0.0))
            out = _time_of(max(along + half, 0.0), speed, braking)
        best, kind = (rest, FALL) if rest <= out else (out, LEAVE)
    if speed == 0.0:
        return best, kind
    if pocket[i] < 0:
        for q in range(4):
            ex = (offset if q & 1 else -offset) - x
            ey = (offset if q & 2 else -offset) - y
            along, aside = ex * ux + ey * uy, ex * uy - ey * ux
            half2 = circle * circle - aside * aside
            if half2 > 0.0 and along > 0.0:
                t = _time_of(max(along - math.sqrt(half2), 0.0), speed, braking)
                if t < best:
                    best, kind = t, ENTER + q
    side = half_side - radius
    for axis in range(2):
        u, u_other, c, c_other = (ux, uy, x, y) if axis == 0 else (uy, ux, y, x)
        if u != 0.0:
            way = max((side - math.copysign(1.0, u) * c) / abs(u), 0.0)
            if abs(c_other + u_other * way) <= offset:
                t = _time_of(way, speed, braking)
                if t < best:
                    best, kind = t, axis
    reach = pocket_radius - radius
    for q in range(4):
        px, py = offset if q & 1 else -offset, offset if q & 2 else -offset
        ex, ey = px - x, py - y
        along, aside = ex * ux + ey * uy, ex * uy - ey * ux
        half2 = reach * reach - aside * aside
        if half2 > -1e-12:
            way = max(along + math.sqrt(max(half2, 0.0)), 0.0)
            hx, hy = x + ux * way - px, y + uy * way - py
            if hx * px > 0.0 and hy * py > 0.0 and hx * ux + hy * uy > 0.0:
                t = _time_of(way, speed, braking)
                if t < best:
                    best, kind = t, ARC
    return best, kind


@numba.njit(cache=True)
def _braking(alone, speed, rim):
    """Deceleration of a leg that begins with these speeds; ``alone`` is that without spin."""
    if speed == 0.0:
        return alone
    q = abs(rim) / speed
    blend = 0.2347 * q**3 / (q**3 + 0.75)
    return alone / math.sqrt(1.0 + q * q * (0.5 + blend))


@numba.njit(cache=True)
def _clip(value, limit):
    return min(max(value, -limit), limit)


@numba.njit(cache=True)
def _bounce(i, kind, place, velocity, spin, radius, half_side, pocket_radius, ux, uy, e, mu,
            hop, least):  # fmt: skip
    offset = half_side - pocket_radius
    nx = ny = 0.0
    if kind == SIDE_X:
        nx = math.copysign(1.0, ux)
        place[i, 0] = nx * (half_side - radius)
    elif kind == SIDE_Y:
        ny = math.copysign(1.0, uy)
        place[i, 1] = ny * (half_side - radius)
    else:
        px, py = math.copysign(offset, place[i, 0]), math.copysign(offset, place[i, 1])
        d = math.hypot(place[i, 0] - px, place[i, 1] - py)
        nx, ny = (place[i, 0] - px) / d, (place[i, 1] - py) / d
        place[i, 0], place[i, 1] = (
            px + (pocket_radius - radius) * nx,
            py + (pocket_radius - radius) * ny,
        )
    vx, vy = velocity[i]
    vn, vt = vx * nx + vy * ny, vy * nx - vx * ny
    out = max(e * vn, least)
    if kind == ARC:
        out = max(out, hop * math.hypot(vx, vy))
    rub = _clip(-(vt + spin[i] * radius) / 3.0, mu * (vn + out))
    vt += rub
    vt = math.copysign(math.sqrt(max(vt * vt - max(out * out - vn * vn, 0.0), 0.0)), vt)
    velocity[i, 0], velocity[i, 1] = -out * nx - vt * ny, -out * ny + vt * nx
    spin[i] += 2.0 * rub / radius


@numba.njit(cache=True)
def _collide(i, j, place, velocity, spin, radius, mass, e, mu, least):
    dx, dy = place[j, 0] - place[i, 0], place[j, 1] - place[i, 1]
    d = math.sqrt(dx * dx + dy * dy)
    nx, ny = dx / d, dy / d
    rx, ry = velocity[j, 0] - velocity[i, 0], velocity[j, 1] - velocity[i, 1]
    vn = rx * nx + ry * ny
    if vn >= 0.0:
        return False
    inverse = 1.0 / mass[i] + 1.0 / mass[j]
    vt = -rx * ny + ry * nx - spin[i] * radius[i] - spin[j] * radius[j]
    push = (-vn + max(-e * vn, least)) / inverse
    rub = _clip(-vt / (3.0 * inverse), mu * push)
    jx, jy = push * nx - rub * ny, push * ny + rub * nx
    velocity[i, 0] -= jx / mass[i]
    velocity[i, 1] -= jy / mass[i]
    velocity[j, 0] += jx / mass[j]
    velocity[j, 1] += jy / mass[j]
    spin[i] -= 2.0 * rub / (mass[i] * radius[i])
    spin[j] -= 2.0 * rub / (mass[j] * radius[j])
    return True


@numba.njit(cache=True)
def _meeting(present, place, ux, uy, speed, braking, radius):
    """The first contact of all pairs, of several at once the hardest: time, i, j."""
    n = len(present)
    times, first = np.full((n, n), np.inf), math.inf
    for i in range(n):
        for j in range(i + 1, n):
            if present[i] and present[j] and (speed[i] > 0.0 or speed[j] > 0.0):
                times[i, j] = _first_contact(
                    place[j, 0] - place[i, 0], place[j, 1] - place[i, 1],
                    ux[i], uy[i], speed[i], braking[i], ux[j], uy[j], speed[j], braking[j],
                    radius[i] + radius[j],
                )  # fmt: skip
                first = min(first, times[i, j])
    best_i = best_j = -1
    hardest = -1.0
    for i in range(n):
        for j in range(i + 1, n):
            if first < math.inf and times[i, j] <= first + 1e-13:
                ti, tj = min(first, speed[i] / braking[i]), min(first, speed[j] / braking[j])
                vi, vj = speed[i] - braking[i] * ti, speed[j] - braking[j] * tj
                way_i, way_j = 0.5 * (speed[i] + vi) * ti, 0.5 * (speed[j] + vj) * tj
                dx = place[j, 0] + ux[j] * way_j - place[i, 0] - ux[i] * way_i
                dy = place[j, 1] + uy[j] * way_j - place[i, 1] - uy[i] * way_i
                closing = (ux[i] * vi - ux[j] * vj) * dx + (uy[i] * vi - uy[j] * vj) * dy
                if closing > hardest:
                    hardest, best_i, best_j = closing, i, j
    return first, best_i, best_j


@numba.njit(cache=True)
def _stroke(place, velocity, spin, present, radius, mass, half_side, pocket_radius, parameters,
            fall_times, pockets, touched, seen):  # fmt: skip
    """One stroke, in place. ``seen`` gets the time of rest, impacts, first touch."""
    mu, e_striker, e_carromman, e_frame, mu_rim, mu_frame, edge, fall_time, factor = parameters[:9]
    gravity, hop, rest_speed, least = parameters[9:]
    n = len(present)
    striker, offset = n - 1, half_side - pocket_radius
    braking, leg_speed, leg_spin = np.zeros(n), np.zeros(n), spin.copy()
    ux, uy, speed, circle = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    alone, kind = np.zeros(n), np.zeros(n, np.int64)
    pocket, entered, hit = np.full(n, -1), np.zeros(n), np.zeros(n, np.bool_)
    for i in range(n):
        circle[i] = factor * math.sqrt(pocket_radius**2 - (radius[i] - edge) ** 2)
        leg_speed[i] = math.hypot(velocity[i, 0], velocity[i, 1])
        braking[i] = _braking(mu * gravity, leg_speed[i], radius[i] * spin[i])
        px, py = abs(place[i, 0]) - offset, abs(place[i, 1]) - offset
        if present[i] and math.hypot(px, py) < circle[i]:
            pocket[i] = (1 if place[i, 0] > 0 else 0) + (2 if place[i, 1] > 0 else 0)
    time, impacts, first_touch = 0.0, 0, -1
    for _ in range(MOST_EVENTS):
        moving, last, best = False, 0.0, math.inf
        for i in range(n):
            alone[i], kind[i], ux[i], uy[i], speed[i] = math.inf, -1, 0.0, 0.0, 0.0
            if not present[i]:
                continue
            speed[i] = math.hypot(velocity[i, 0], velocity[i, 1])
            if speed[i] > 0.0:
                ux[i], uy[i] = velocity[i, 0] / speed[i], velocity[i, 1] / speed[i]
                moving, last = True, max(last, speed[i] / braking[i])
            alone[i], kind[i] = _alone(
                i, time, place[i, 0], place[i, 1], ux[i], uy[i], speed[i], braking[i], radius[i],
                half_side, pocket_radius, circle[i], fall_time, pocket, entered,
            )  # fmt: skip
            best = min(best, alone[i])
        meets, first, second = _meeting(present, place, ux, uy, speed, braking, radius)
        if meets > best:
            first = -1
        best = min(best, meets)
        if best == math.inf and not moving:
            break
        step = best if best < math.inf else last
        time += step
        for i in range(n):
            hit[i] = False
            if present[i] and speed[i] > 0.0:
                t, stop = min(step, speed[i] / braking[i]), speed[i] / braking[i]
                way = speed[i] * t - 0.5 * braking[i] * t * t
                v = speed[i] - braking[i] * t if step < stop else 0.0
                place[i, 0] += ux[i] * way
                place[i, 1] += uy[i] * way
                velocity[i, 0], velocity[i, 1] = ux[i] * v, uy[i] * v
                spin[i] = leg_spin[i] * math.sqrt(v / leg_speed[i])
        if best == math.inf:
            continue
        if first >= 0:
            with_striker = second == striker
            e = e_striker if with_striker else e_carromman
            if _collide(first, second, place, velocity, spin, radius, mass, e, mu_rim, least):
                impacts += 1
                hit[first] = hit[second] = touched[first] = touched[second] = True
                if with_striker and first_touch < 0:
                    first_touch = first
        else:
            for i in range(n):
                if not present[i] or alone[i] > step:
                    continue
                if kind[i] == FALL:
                    present[i], fall_times[i], pockets[i] = False, time, pocket[i]
                    velocity[i] = 0.0
                elif kind[i] == LEAVE:
                    pocket[i] = -1
                elif kind[i] >= ENTER:
                    pocket[i], entered[i] = kind[i] - ENTER, time
                else:
                    _bounce(
                        i, kind[i], place, velocity, spin, radius[i], half_side, pocket_radius,
                        ux[i], uy[i], e_frame, mu_frame, hop, least,
                    )  # fmt: skip
                    hit[i] = True
                    impacts += 1
        for i in range(n):
            if hit[i]:
                v = math.hypot(velocity[i, 0], velocity[i, 1])
                if v < rest_speed:
                    spin[i] = 0.0
                leg_speed[i], leg_spin[i] = v, spin[i]
                braking[i] = _braking(mu * gravity, v, radius[i] * spin[i])
    seen[0], seen[1], seen[2] = time, impacts, first_touch

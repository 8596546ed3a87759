"""What strikes come to in one position: success over place and direction, worth over places.

Strikes are played on the planar engine in ``carrom.functional``, many at once, and ruled upon by
the umpire. Contacts that overlap in time are impulses there, so that the break is left out.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carrom.action import MIN_SPEED
from carrom.aiming import direct_shot
from carrom.baseline import is_free
from carrom.board import Board
from carrom.errors import ConfigError
from carrom.functional import Functional, State
from carrom.physics.material import Material
from carrom.physics.noise import execution_noise
from carrom.pieces import QUEEN
from carrom.view import OWN, View
from carrom_agents.episode import check_at_least
from carrom_agents.planner.errors import as_made, spread_errors
from carrom_agents.planner.position import state_of
from carrom_agents.planner.rollouts import Evaluate, Played, by_blocks, values
from carrom_agents.scripted import TARGETS, wanted_targets
from carrom_agents.statistics import Estimate, mean

Float = NDArray[np.float64]

_MOST_CELLS = 10**6
"""Of a map: as many as a picture has dots, and more than anyone waits for."""
_FAN = 48
"""Directions tried from every place besides those that geometry finds."""
_ASIDE = np.radians((-0.3, 0.0, 0.3))
"""How far beside them the directions that geometry finds are tried as well, rad."""
_ROUNDS = ((8, 4), (1, 16))
"""Of the candidates of a place: how many are kept, after how many strokes of each."""


@dataclass(frozen=True, eq=False)
class ShotMap:
    """Strikes of one speed over place and direction.

    Attributes:
        places: (P,), middles of the cells, m to the right of the base line's middle.
        directions: (D,), middles of the cells, rad, counter-clockwise from straight ahead.
        speed: m/s.
        success: (P, D), share of each cell's strokes that succeed: the player has a carromman
            fewer on the board, or has taken the queen, and keeps the turn, or wins the board.
            NaN where the striker may not stand.
        tries: strokes of each cell.
        noise: level of execution noise.
    """

    places: Float
    directions: Float
    speed: float
    success: Float
    tries: int
    noise: str

    @property
    def best(self) -> tuple[float, float, float]:
        """Place, direction and success of the best cell.

        It is the one that is best together with its neighbours: where most cells around succeed
        as well, a hand may err. Of several, the first.
        """
        free = ~np.isnan(self.success)
        padded = np.pad(np.where(free, self.success, 0.0), 1)
        around = np.lib.stride_tricks.sliding_window_view(padded, (3, 3)).mean(axis=(2, 3))
        found = np.argmax(np.where(free, around, -1.0))
        place, direction = np.unravel_index(found, self.success.shape)
        share = float(self.success[place, direction])
        return float(self.places[place]), float(self.directions[direction]), share


@dataclass(frozen=True)
class PlaceWorth:
    """The best strike that was found from one place.

    Attributes:
        place: m to the right of the base line's middle.
        direction: rad.
        speed: m/s.
        worth: points it comes to, on the mean over errors of the hand; on strokes that it was
            not chosen by.
    """

    place: float
    direction: float
    speed: float
    worth: Estimate


def shot_map(
    view: View,
    *,
    speed: float,
    noise: str = "expert",
    cells: tuple[int, int] = (60, 120),
    directions: tuple[float, float] = (-np.pi / 2, np.pi / 2),
    tries: int = 8,
    seed: int = 0,
) -> ShotMap:
    """How often strikes from everywhere succeed in the position ``view``.

    The strikes of a cell are spread evenly over it and have the errors of the hand besides, so
    that what succeeds only within a narrow angle shows, as faintly as it is rare.

    Args:
        view: of singles, after the break.
        speed: m/s.
        noise: level of execution noise.
        cells: how many, over places and over directions.
        directions: from the first to the second, rad, counter-clockwise from straight ahead.
        tries: strokes of each cell.
        seed: of errors and places within the cells.

    Raises:
        ConfigError: a position that cannot be played, an unknown level, or a number out of
            range; says what was expected.
    """
    _check(view, tries, seed)
    _check_speeds((speed,))
    check_at_least("cells of places", cells[0], 1)
    check_at_least("cells of directions", cells[1], 1)
    if np.prod(cells, dtype=float) > _MOST_CELLS:
        raise ConfigError(f"cells = {cells!r}: expected at most {_MOST_CELLS} together")
    if not -np.pi <= directions[0] < directions[1] <= np.pi:
        degrees = tuple(round(float(x), 6) for x in np.degrees(directions))
        raise ConfigError(
            f"directions = {degrees} degrees: expected two growing numbers from -180 to 180"
        )
    rng = np.random.default_rng(seed)
    places, width = _middles(_place_range(view), cells[0])
    turns, angle = _middles(directions, cells[1])
    free = np.array([is_free(view.free_places, place) for place in places.tolist()])
    if not free.any():
        raise ConfigError(f"cells of places = {cells[0]}: none has a free middle: expected more")
    # The same errors in every cell: neighbours differ by where they are, not by chance.
    errors = spread_errors(execution_noise(noise), rng, tries)
    errors[:, :2] += (width, angle) * (_spread_evenly(rng, tries) - 0.5)
    meant = np.stack([*np.meshgrid(places[free], turns, indexing="ij")], axis=-1).reshape(-1, 2)
    made = as_made(np.c_[meant, np.full(len(meant), speed)], errors)
    success = np.full(cells, np.nan)
    success[free] = succeeded(view, made).mean(axis=-1).reshape(-1, cells[1])
    return ShotMap(places, turns, speed, success, tries, noise)


def succeeded(view: View, made: Float) -> NDArray[np.bool_]:
    """Whether strikes succeed in the position ``view``, as ``ShotMap.success`` means it.

    Args:
        view: of singles, after the break.
        made: (..., 3), place, direction and speed, errors of the hand included.

    Returns:
        (...).
    """
    env = _game(view.board)

    def measure(played: Played) -> NDArray[np.bool_]:
        kept, over, gained = (np.asarray(x) for x in (played.kept, played.over, played.gained))
        # Where he has the turn again, what is seen next is seen by him.
        on_board = np.asarray(played.sight.on_board)
        fewer = on_board[:, OWN].sum(axis=1) < view.on_board[OWN].sum()
        took_queen = view.on_board[QUEEN] & ~on_board[:, QUEEN]
        return np.where(over, gained > 0, kept & (fewer | took_queen))

    return by_blocks(env, state_of(view, env), made, measure).astype(bool)


def place_worths(
    view: View,
    evaluate: Evaluate,
    *,
    speeds: tuple[float, ...] = (1.5, 2.5, 4.0),
    noise: str = "expert",
    places: int = 40,
    tries: int = 64,
    seed: int = 0,
) -> list[PlaceWorth]:
    """What the best strike from each place is worth in the position ``view``.

    From every place all the speeds are tried in the directions of direct shots at what is wanted,
    straight at it, and in a fan of others. The best of them by few
    strokes are played more often, and the very best once more, afresh.

    Args:
        view: of singles, after the break.
        evaluate: what positions that a stroke leaves are worth.
        speeds: m/s.
        noise: level of execution noise.
        places: how many, spread evenly; those where the striker may not stand are left out.
        tries: strokes that each worth is the mean of.
        seed: of errors.

    Raises:
        ConfigError: as from ``shot_map``.
    """
    _check(view, tries, seed)
    _check_speeds(speeds)
    check_at_least("places", places, 1)
    rng, level, env = np.random.default_rng(seed), execution_noise(noise), _game(view.board)
    state = state_of(view, env)
    spread, _ = _middles(_place_range(view), places)
    free = [place for place in spread.tolist() if is_free(view.free_places, place)]
    if not free:
        raise ConfigError(f"places = {places}: none of them is free: expected more")
    left = np.stack([_candidates(view, place, speeds) for place in free])
    for kept, strokes in _ROUNDS:
        found = _played(env, evaluate, state, left, spread_errors(level, rng, strokes))
        best = np.argsort(-found.mean(axis=-1), axis=1, kind="stable")[:, :kept]
        left = np.take_along_axis(left, best[..., None], axis=1)
    found = _played(env, evaluate, state, left, spread_errors(level, rng, tries))[:, 0]
    return [
        PlaceWorth(*strike, worth=mean(drawn, rng))
        for strike, drawn in zip(left[:, 0].tolist(), found, strict=True)
    ]


def _played(
    env: Functional, evaluate: Evaluate, state: State, strikes: Float, errors: Float
) -> Float:
    """Worths (places, strikes, errors) of strikes (places, strikes, 3)."""
    made = as_made(strikes.reshape(-1, 3), errors)
    return values(env, evaluate, state, made).reshape(*strikes.shape[:2], len(errors))


def _candidates(view: View, place: float, speeds: tuple[float, ...]) -> Float:
    """Strikes from a place, (n, 3); n does not depend on the place."""
    wanted = TARGETS[wanted_targets(view.on_board, view.queen, view.queen_allowed)]
    targets = view.positions[wanted][:, None]
    # Of shots that there are not the direction is some other, as good as any of the fan.
    shots = direct_shot(view.board, Material(), place, targets, view.board.pocket_centres, 1.0)
    full = targets[:, 0] - (place, view.board.base_line_y)
    aimed = np.r_[shots.direction.ravel(), np.arctan2(-full[:, 0], full[:, 1])]
    fan, _ = _middles((-np.pi / 2, np.pi / 2), _FAN)
    directions = np.r_[(aimed[:, None] + _ASIDE).ravel(), fan]
    both = np.stack(np.meshgrid(directions, speeds, indexing="ij"), axis=-1).reshape(-1, 2)
    return np.c_[np.full(len(both), place), both]


def _check(view: View, tries: int, seed: int) -> None:
    check_at_least("tries", tries, 1)
    check_at_least("seed", seed, 0)
    if view.break_to_be_made:
        raise ConfigError("a position before the break: expected one after it")
    if not view.can_strike:
        raise ConfigError("a position without a free place for the striker (142): expected one")


def _check_speeds(speeds: tuple[float, ...]) -> None:
    for speed in speeds or (np.nan,):
        if not MIN_SPEED <= speed <= Material().full_speed:
            raise ConfigError(
                f"speed = {speed!r} m/s: expected {MIN_SPEED:g} to {Material().full_speed:g}"
            )


def _place_range(view: View) -> tuple[float, float]:
    """From the first free place to the last."""
    return view.free_places[0][0], view.free_places[-1][1]


def _middles(ends: tuple[float, float], count: int) -> tuple[Float, float]:
    """Middles of so many equal cells between two ends, and the width of a cell."""
    width = (ends[1] - ends[0]) / count
    return ends[0] + width * (np.arange(count, dtype=np.float64) + 0.5), width


def _spread_evenly(rng: np.random.Generator, count: int) -> Float:
    """Points of the unit square, (count, 2), one in each row and in each column."""
    cells = np.stack([rng.permutation(count), rng.permutation(count)], axis=-1)
    return (cells + rng.random((count, 2))) / count


@functools.cache
def _game(board: Board) -> Functional:
    return Functional("board", overlaps="impulses", board=board)

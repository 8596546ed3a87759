"""Actions: arrays that code a strike.

``direct``: ``Box(-1, 1, (3,))``, float32.

| index | meaning | -1 | 0 | 1 |
|---|---|---|---|---|
| 0 | place: the striker centre's x on the base line | left end (-0.235 m) | middle | right end |
| 1 | direction, counter-clockwise | straight back | straight ahead | straight back |
| 2 | speed | 0.25 m/s | half way | full force (5 m/s) |

``target``: ``Dict(shot=Discrete(40), residual=Box(-1, 1, (3,)))``. The shot names a
carromman and a pocket, ``4 * carromman + pocket``, carrommen 0 to 8 own, 9 the queen,
pockets counter-clockwise from the near right one. All residuals zero is the direct shot of
``carrom.aiming`` from the place where it is straight (or as near as the base line allows).

| residual | meaning | +-1 |
|---|---|---|
| 0 | shifts the place | half the length of the base line |
| 1 | turns the direction, after the place is settled | 10 degrees |
| 2 | multiplies the speed | by 2 or 1/2 |

With ``striker_placing="snap"`` a place at which the striker may not stand (130, 134) means
the nearest one at which it may. With ``"strict"`` it is taken as it is, and ruled upon; and
everything that a player can do wrong with a striker can be done: a fourth number (of the
action, or of the residual) sets it off the middle between the base lines, by up to 5 cm
towards the board's centre (1) or back (-1), and speed -1 is no speed at all (127.b).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from carrom.aiming import direct_shot, straight_place
from carrom.baseline import nearest_place
from carrom.errors import ActionError, one_of
from carrom.observation import PIECE_FEATURES, PIECES_SIZE
from carrom.physics.material import Material
from carrom.physics.strike import Strike
from carrom.pieces import N_CARROMMEN, N_PER_SIDE, QUEEN
from carrom.view import View

MIN_SPEED = 0.25
"""m/s. Slow, but at nominal friction the striker slides 4 cm and so always leaves the lines:
every action is a stroke (127)."""
N_TARGETS = 10
"""Own carrommen and the queen."""
N_POCKETS = 4
N_SHOTS = N_TARGETS * N_POCKETS

FORWARD_REACH = 0.05
"""m by which a strict action can set the striker off the middle between the base lines."""
ARRIVAL_SPEED = 1.0
"""m/s at which a zero speed residual brings the carromman to the pocket: fast enough to
forgive a little friction, slow enough to drop."""
MAX_TURN = math.radians(10)
"""rad by which a residual of 1 turns a direct shot."""
_UNIT_BOX_SLACK = 1e-6


class ActionCoding(Protocol):
    """How an action codes a strike."""

    def space(self) -> spaces.Space[Any]:
        """The space of one action."""
        ...

    def check(self, action: Any) -> None:
        """Refuse what is no action.

        Raises:
            ActionError: wrong shape, not a number, or outside the space.
        """
        ...

    def decode(self, action: Any, view: View) -> Strike:
        """The strike that ``action`` means in the position ``view``.

        Raises:
            ActionError: as ``check``.
        """
        ...

    def mask(self, view: View) -> Any:
        """What ``space().sample(mask)`` needs to sample only what makes sense in ``view``."""
        ...


def unit_box(values: Any, what: str, size: int) -> NDArray[np.float64]:
    """``size`` numbers in [-1, 1], or an error that says what is wrong with them.

    Raises:
        ActionError: they are not; names ``what``.
    """
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise ActionError(f"{what} = {values!r}: expected {size} numbers in [-1, 1]") from None
    if array.shape != (size,):
        raise ActionError(f"{what} of shape {array.shape}: expected shape ({size},)")
    if not np.all(np.abs(array) <= 1 + _UNIT_BOX_SLACK):  # also catches NaN
        raise ActionError(f"{what} = {array.tolist()}: expected finite numbers in [-1, 1]")
    return np.clip(array, -1, 1)


def choice(values: Any, what: str, count: int) -> int:
    """An integer from 0 to ``count`` - 1, or an error that says what is wrong with it.

    Raises:
        ActionError: it is not; names ``what``.
    """
    number = np.asarray(values)
    if not (number.shape == () and number.dtype.kind in "iu" and 0 <= number < count):
        raise ActionError(f"{what} = {values!r}: expected an integer in 0 .. {count - 1}")
    return int(number)


@dataclass(frozen=True)
class _Placing:
    """Where the striker is set: as wished, or where it may stand."""

    snap: bool

    @property
    def numbers(self) -> int:
        """Numbers in an action: place, direction, speed, and the way forward if it is free."""
        return 3 if self.snap else 4

    @property
    def least_speed(self) -> float:
        """The lowest speed of the striker, m/s."""
        return MIN_SPEED if self.snap else 0.0

    def __call__(self, view: View, place: float, forward: list[float]) -> tuple[float, float]:
        """Place and forward of the striker, m, from the place wished and a forward number."""
        if not self.snap:
            return place, forward[0] * FORWARD_REACH
        nearest = nearest_place(view.free_places, place)
        assert nearest is not None, "a board without a free place is replayed (142)"
        return nearest, view.forward


@dataclass(frozen=True)
class DirectCoding:
    """Place, direction and speed as numbers in [-1, 1]."""

    material: Material
    placing: _Placing

    def space(self) -> spaces.Box:
        """``Box(-1, 1, (3,))``, or ``(4,)`` where placing is strict."""
        return spaces.Box(-1.0, 1.0, (self.placing.numbers,), np.float32)

    def check(self, action: Any) -> None:
        """Refuse what is no action."""
        unit_box(action, "action", self.placing.numbers)

    def decode(self, action: Any, view: View) -> Strike:
        """See the module's table."""
        numbers = unit_box(action, "action", self.placing.numbers).tolist()
        place, direction, speed, *forward = numbers
        place, ahead = self.placing(view, place * view.board.base_line_length / 2, forward)
        least = self.placing.least_speed
        return Strike(
            place=place,
            direction=direction * math.pi,
            speed=least + (speed + 1) / 2 * (self.material.full_speed - least),
            forward=ahead,
        )

    def mask(self, view: View) -> None:
        """Nothing to mask: every action means something."""


@dataclass(frozen=True)
class TargetCoding:
    """A carromman, a pocket, and what to change about the direct shot."""

    material: Material
    placing: _Placing

    def space(self) -> spaces.Dict:
        """``Dict(shot=Discrete(40), residual=Box(-1, 1, (3,)))``, (4,) where strict."""
        return spaces.Dict(
            shot=spaces.Discrete(N_SHOTS),
            residual=spaces.Box(-1.0, 1.0, (self.placing.numbers,), np.float32),
        )

    def check(self, action: Any) -> None:
        """Refuse what is no action."""
        self._parts(action)

    def _parts(self, action: Any) -> tuple[int, list[float]]:
        if not (isinstance(action, dict) and set(action) == {"shot", "residual"}):
            raise ActionError(f"action = {action!r}: expected a dict with 'shot' and 'residual'")
        number = choice(action["shot"], "action['shot']", N_SHOTS)
        residual = unit_box(action["residual"], "action['residual']", self.placing.numbers)
        return number, residual.tolist()

    def decode(self, action: Any, view: View) -> Strike:
        """See the module's table."""
        number, (shift, turn, force, *forward) = self._parts(action)
        carromman, pocket = divmod(number, N_POCKETS)
        board = view.board
        target = view.positions[carromman if carromman < N_PER_SIDE else QUEEN]
        aim = board.pocket_centres[pocket]
        place = float(straight_place(board, target, aim)) + shift * board.base_line_length / 2
        end = board.base_line_length / 2
        place, ahead = self.placing(view, min(max(place, -end), end), forward)
        shot = direct_shot(board, self.material, place, target, aim, ARRIVAL_SPEED)
        speed = min(max(shot.speed * 2.0**force, MIN_SPEED), self.material.full_speed)
        direction = float(shot.direction) + turn * MAX_TURN
        return Strike(place=place, direction=direction, speed=speed, forward=ahead)

    def mask(self, view: View) -> dict[str, Any]:
        """The shots at carrommen that are there, for ``space().sample(mask)``."""
        present = _targets(view.on_board)
        return {"shot": np.repeat(present, N_POCKETS).astype(np.int8), "residual": None}


def shot_mask(observation: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which shots of the target coding name a carromman that is on the board.

    Args:
        observation: (..., 74) or longer.

    Returns:
        bool (..., 40).
    """
    present = observation[..., 2:PIECES_SIZE:PIECE_FEATURES] > 0.5
    assert present.shape[-1] == N_CARROMMEN
    return np.repeat(_targets(present), N_POCKETS, axis=-1)


def _targets(present: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Own carrommen and the queen, (..., 10), of all carrommen, (..., 19)."""
    return np.concatenate([present[..., :N_PER_SIDE], present[..., QUEEN:]], axis=-1)


ACTION_CODINGS = {"direct": DirectCoding, "target": TargetCoding}
STRIKER_PLACINGS = ("snap", "strict")


def action_coding(name: str, striker_placing: str, material: Material) -> ActionCoding:
    """The coding called ``name``.

    Raises:
        ConfigError: unknown coding or striker placing; lists the known ones.
    """
    coding = ACTION_CODINGS[one_of("action_coding", name, ACTION_CODINGS)]
    placing = one_of("striker_placing", striker_placing, STRIKER_PLACINGS)
    return coding(material, _Placing(snap=placing == "snap"))

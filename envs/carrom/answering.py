"""Actions where a player decides more than his strikes.

If only strikes are asked for, an action is what ``carrom.action`` says. Otherwise it is a
dictionary with a part for every kind of decision, of which the one that is asked for counts:

| part | space | meaning |
|---|---|---|
| ``strike`` | as of ``carrom.action`` | a strike |
| ``place`` | ``Box(-1, 1, (2,))`` | where the carromman is laid: x, y in units of 0.1 m |
| ``waive`` | ``Discrete(2)`` | 1: the dues and penalties are forgiven, where that is possible |
| ``claim`` | ``Discrete(3)`` | how many extra points are claimed; more than there are means all |
| ``toss`` | ``Discrete(2)`` | 1: takes the break, 0: the side |

That is with ``illegal_placing="charged"``: where a carromman may not be laid, it is laid as
near as it may and a foul is charged (85, 86, 89.b, 114). With ``"masked"``, ``place`` is
``Discrete(n + 2)`` and there is no ``waive``: n places on a grid of 5 mm inside the outer
circle, in the player's frame; then "as the scripted player would"; then "waive". The mask says
which of them the laws allow now.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from carrom.action import ActionCoding, choice, unit_box
from carrom.board import Board
from carrom.decision import Answer, AsScripted, Claim, Kind, Placement, TossChoice, Waiver
from carrom.errors import ActionError
from carrom.laws import legal_due_places_jit
from carrom.layout import Layout
from carrom.view import View

PLACE_REACH = 0.1
"""m from the board's centre that a place of 1 means: beyond the outer circle (85)."""
MOST_CLAIMS = 2
"""Most extra points that the laws ever offer (107-112)."""
_PITCH = 0.005
"""m between neighbouring places of the grid."""

ILLEGAL_PLACINGS = ("charged", "masked")


@functools.cache
def place_grid(board: Board) -> NDArray[np.float64]:
    """The places of the masked coding, (n, 2), m: a square grid in the ring for dues (A27).

    The grid turns into itself by quarter turns, so it is the same from every seat.
    """
    inner, outer = board.placing_radii
    steps = np.arange(-np.floor(outer / _PITCH), np.floor(outer / _PITCH) + 1)
    points = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2) * _PITCH
    distance = np.hypot(*points.T)
    grid = points[(distance >= inner) & (distance <= outer)]
    grid.setflags(write=False)
    return grid


def legal_places(view: View) -> NDArray[np.bool_]:
    """Which places of ``place_grid`` the laws allow in ``view``, bool (n,)."""
    # The ring and the pockets turn into themselves by quarter turns, and the laws of placing
    # know no colours, so the player's own frame and order will do.
    layout = Layout(view.positions, view.on_board)
    return legal_due_places_jit(layout, place_grid(view.board), board=view.board)


@dataclass(frozen=True)
class AnswerCoding:
    """How an action codes whatever is asked for; see the module.

    Attributes:
        strikes: how it codes strikes.
        asked: the kinds of decisions that can be asked for; strikes always are.
        masked: whether illegal places are masked, instead of charged.
        board: gives the grid of places.
    """

    strikes: ActionCoding
    asked: frozenset[Kind]
    masked: bool
    board: Board

    @property
    def has_parts(self) -> bool:
        """Whether an action is a dictionary with a part for every kind of decision."""
        return self.asked != {Kind.STRIKE}

    @property
    def can_refuse(self) -> bool:
        """Whether an action of the space may be illegal in a position."""
        return self.masked and Kind.PLACE in self.asked

    def space(self) -> spaces.Space[Any]:
        """The space of one action."""
        if not self.has_parts:
            return self.strikes.space()
        parts: dict[str, spaces.Space[Any]] = {"strike": self.strikes.space()}
        if Kind.PLACE in self.asked and self.masked:
            parts["place"] = spaces.Discrete(len(place_grid(self.board)) + 2)
        elif Kind.PLACE in self.asked:
            parts["place"] = spaces.Box(-1.0, 1.0, (2,), np.float32)
            parts["waive"] = spaces.Discrete(2)
        if Kind.CLAIM in self.asked:
            parts["claim"] = spaces.Discrete(MOST_CLAIMS + 1)
        if Kind.TOSS in self.asked:
            parts["toss"] = spaces.Discrete(2)
        return spaces.Dict(parts)

    def check(self, action: Any) -> None:
        """Refuse what is no action.

        Raises:
            ActionError: it is outside the space; says what was expected.
        """
        if not self.has_parts:
            self.strikes.check(action)
            return
        names = self._names
        if not (isinstance(action, dict) and set(action) == set(names)):
            raise ActionError(f"action = {action!r}: expected a dict with {', '.join(names)}")
        self.strikes.check(action["strike"])
        if "place" in names and self.masked:
            choice(action["place"], "action['place']", len(place_grid(self.board)) + 2)
        elif "place" in names:
            unit_box(action["place"], "action['place']", 2)
            choice(action["waive"], "action['waive']", 2)
        for name, count in (("claim", MOST_CLAIMS + 1), ("toss", 2)):
            if name in names:
                choice(action[name], f"action[{name!r}]", count)

    @functools.cached_property
    def _names(self) -> tuple[str, ...]:
        space = self.space()
        assert isinstance(space, spaces.Dict)
        return tuple(space.spaces)

    def decode(self, action: Any, view: View) -> Answer:
        """What ``action`` answers to what ``view`` asks.

        Raises:
            ActionError: as ``check``, or a place that is masked.
        """
        kind = view.request.kind
        if kind is Kind.STRIKE and not self.has_parts:
            return self.strikes.decode(action, view)
        self.check(action)
        if kind is None:
            # The episode is over; whatever the action, the step reports it.
            return AsScripted()
        if kind is Kind.STRIKE:
            return self.strikes.decode(action["strike"], view)
        if kind is Kind.CLAIM:
            return Claim(min(int(action["claim"]), view.request.claims))
        if kind is Kind.TOSS:
            return TossChoice(bool(action["toss"]))
        return self._placing(action, view)

    def _placing(self, action: dict[str, Any], view: View) -> Answer:
        if not self.masked:
            if action["waive"] and view.request.may_waive:
                return Waiver()
            x, y = np.asarray(action["place"], np.float64) * PLACE_REACH
            return Placement(float(x), float(y))
        number = int(action["place"])
        if not self._place_mask(view)[number]:
            raise ActionError(
                f"action['place'] = {number}: expected one that info['action_mask'] allows"
            )
        if number == len(place_grid(self.board)):
            return AsScripted()
        if number > len(place_grid(self.board)):
            return Waiver()
        return Placement(*place_grid(self.board)[number].tolist())

    def mask(self, view: View) -> dict[str, Any] | None:
        """What ``space().sample(mask)`` needs to sample a legal answer; None without parts.

        The masks of the parts that are not asked for allow everything.
        """
        if not self.has_parts:
            return None
        kind = view.request.kind
        space = self.space()
        assert isinstance(space, spaces.Dict)
        mask: dict[str, Any] = {
            name: np.ones(int(part.n), np.int8) if isinstance(part, spaces.Discrete) else None
            for name, part in space.spaces.items()
        }
        mask["strike"] = self.strikes.mask(view)
        if kind is Kind.PLACE and self.masked:
            mask["place"] = self._place_mask(view)
        elif kind is Kind.PLACE:
            mask["waive"][1] = view.request.may_waive
        elif kind is Kind.CLAIM:
            mask["claim"] = (np.arange(MOST_CLAIMS + 1) <= view.request.claims).astype(np.int8)
        return mask

    def _place_mask(self, view: View) -> NDArray[np.int8]:
        """Which choices of ``place`` the laws allow in ``view``, int8 (n + 2,)."""
        return np.r_[legal_places(view), True, view.request.may_waive].astype(np.int8)

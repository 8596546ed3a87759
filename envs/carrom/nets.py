"""What hangs in the pockets' nets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeAlias

from carrom.pieces import STRIKER

Nets: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""The discs in each pocket's net in the order they fell; pockets as ``Board.pocket_centres``."""

EMPTY: Nets = ((), (), (), ())


class Fall(Protocol):
    """A disc that fell, as ``carrom.physics.motion.Pocketing``."""

    @property
    def index(self) -> int:
        """The disc."""
        ...

    @property
    def pocket(self) -> int:
        """Index into ``Board.pocket_centres``."""
        ...


def nets_after(nets: Nets, falls: Iterable[Fall]) -> Nets:
    """The nets after some more discs have fallen, in this order; a disc is where it fell last."""
    for fall in falls:
        kept = nets_without(nets, (fall.index,))
        nets = _nets(
            (*net, fall.index) if pocket == fall.pocket else net for pocket, net in enumerate(kept)
        )
    return nets


def nets_without(nets: Nets, taken: Iterable[int] = (STRIKER,)) -> Nets:
    """The nets after discs have been taken out of them, if they were there: the striker."""
    gone = frozenset(taken)
    return _nets(tuple(index for index in net if index not in gone) for net in nets)


def _nets(contents: Iterable[tuple[int, ...]]) -> Nets:
    first, second, third, fourth = contents
    return first, second, third, fourth

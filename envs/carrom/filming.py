"""The strokes of an episode as what renderers draw, moment by moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from carrom.nets import EMPTY, Nets, nets_after, nets_without
from carrom.render.film import Moment, moments
from carrom.table import Stroke


def stroke_moments(
    strokes: Iterable[Stroke], fps: float, nets: Nets = EMPTY, *, rest_s: float = 0.0
) -> Iterator[Moment]:
    """The films of successive strokes, with the nets as they fill.

    Args:
        strokes: of one episode; those without a film show nothing.
        fps: moments per second.
        nets: what is in them before the first stroke; see ``nets_before``.
        rest_s: for how long the end of every stroke is shown, s, beyond its own moment.

    Raises:
        ConfigError: ``fps`` is not positive and finite.
    """
    for stroke, held in with_nets(strokes, nets):
        if stroke.motion is None:
            continue
        last = None
        for last in moments(stroke.motion, fps, held):
            yield last
        if last is not None:
            yield from [last] * round(rest_s * fps)


def with_nets(strokes: Iterable[Stroke], nets: Nets = EMPTY) -> Iterator[tuple[Stroke, Nets]]:
    """Successive strokes of an episode, each with what is in the nets before it.

    Args:
        strokes: of one episode.
        nets: what is in them before the first stroke.
    """
    for stroke in strokes:
        nets = nets_without(nets, np.flatnonzero(stroke.before.layout.on_board).tolist())
        yield stroke, nets
        if stroke.motion is not None:
            nets = nets_without(nets_after(nets, stroke.motion.pocketed))


def nets_before(strokes: Iterable[Stroke], nets: Nets) -> Nets:
    """What was in the nets before ``strokes``, of what is in them now."""
    fallen = (fall.index for s in strokes if s.motion for fall in s.motion.pocketed)
    return nets_without(nets, fallen)

"""A stroke that was not computed, looked at afterwards: what of it is not finite, and again."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from carrom.errors import CarromError
from carrom.layout import Layout
from carrom.physics.dump import StrokeDump
from carrom.physics.motion import Motion
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.planar.engine import PlanarEngine
from carrom.render.diagram import Diagram, diagram


def told(dump: StrokeDump) -> Iterator[str]:
    """What happened, line by line, and what comes of the stroke on both engines."""
    strike = dump.strike
    yield f"a stroke that was not computed: {dump.reason}"
    yield (
        f"seat {dump.seat}: place {strike.place!r} m, direction {strike.direction!r} rad, speed "
        f"{strike.speed!r} m/s, forward {strike.forward!r} m"
    )
    yield f"carrommen on the board: {int(dump.layout.on_board.sum())}"
    yield f"not finite: {', '.join(dump.not_finite()) or 'nothing'}"
    engines = {
        "mujoco": lambda: MujocoEngine(dump.board, dump.material, dump.ground),
        "planar": lambda: PlanarEngine(dump.board, dump.material),
    }
    for name, made in engines.items():
        try:
            outcome = _outcome(made().play(dump.layout, strike, dump.seat))
        except CarromError as error:
            outcome = f"{type(error).__name__}: {error}"
        yield f"again on the engine {name}: {outcome}"


def _outcome(motion: Motion) -> str:
    fallen = [str(pocketing.index) for pocketing in motion.pocketed]
    touched = "nothing" if motion.first_touch is None else f"carromman {motion.first_touch}"
    return (
        f"at rest after {motion.duration:.3f} s; touched {touched} first; pocketed "
        f"{', '.join(fallen) or 'nothing'}"
    )


def drawn(dump: StrokeDump) -> Diagram:
    """The position with the strike, as far as they are finite."""
    there = dump.layout.on_board & np.isfinite(dump.layout.positions).all(axis=1)
    layout = Layout(np.where(there[:, None], dump.layout.positions, 0), there)
    finite = np.isfinite(list(dataclasses.asdict(dump.strike).values())).all()
    return diagram(
        layout,
        strike=dump.strike if finite else None,
        seat=dump.seat,
        board=dump.board,
        title="A stroke that was not computed",
        text=[dump.reason, *dump.not_finite()],
    )

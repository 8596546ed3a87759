"""Strokes that the planar engine gave up, as something that can be kept and played again."""

from __future__ import annotations

import dataclasses

import jax
import numpy as np

from carrom.functional.environment import Functional
from carrom.functional.sight import side_of_board
from carrom.functional.state import State, Strike
from carrom.layout import Layout
from carrom.physics import strike as plain
from carrom.physics.dump import StrokeDump


def stroke_dump(env: Functional, state: State, strike: Strike, key: jax.Array) -> StrokeDump:
    """Everything that ``env.stroke`` of one board depends on but the umpire.

    Args:
        env: the game.
        state: before the stroke.
        strike: as it was meant.
        key: that ``env.stroke`` was given.

    Returns:
        The dump. Parameters of the physics that are not finite are the nominal ones in it; its
        reason names them.
    """
    noise, _ = jax.random.split(key)
    made = jax.device_get(env.make(state, strike, noise))
    parameters = {name: float(value) for name, value in state.parameters._asdict().items()}
    material = {name: value for name, value in parameters.items() if np.isfinite(value)}
    dump = StrokeDump(
        board=env.board,
        material=dataclasses.replace(env.material, **material),
        # The sliding friction of the planar engine is that of the reference's "coulomb" ground.
        ground="coulomb",
        layout=Layout(np.asarray(state.positions, np.float64), np.asarray(state.on_board)),
        strike=plain.Strike(**{name: float(value) for name, value in made._asdict().items()}),
        seat=int(side_of_board(state, state.match.board.seat)),
        reason="",
    )
    physics = (f"{name} = {parameters[name]}" for name in parameters.keys() - material.keys())
    spoilt = ", ".join([*dump.not_finite(), *sorted(physics)])
    reason = f"not finite: {spoilt}" if spoilt else "the planar engine did not come to rest"
    return dataclasses.replace(dump, reason=reason)

"""Carrom by the AICF laws, as reinforcement-learning environments on MuJoCo physics.

Importing this package registers ``CarromShot-v0``, ``CarromSolo-v0``, ``CarromBoard-v0``,
``Carrom-v0`` and ``CarromMatch-v0`` with Gymnasium, see ``carrom.CarromEnv``, and
``carrom_singles_v0`` and ``carrom_doubles_v0`` with PettingZoo, see ``carrom.CarromAECEnv``.
``carrom.Functional`` is the same game as pure functions. The names below are loaded when they
are first used, so that importing the package costs little.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pettingzoo
from gymnasium.envs.registration import register

if TYPE_CHECKING:
    from carrom.aec import CarromAECEnv
    from carrom.board import Board
    from carrom.env import CarromEnv, EnvState
    from carrom.functional import Functional
    from carrom.layout import Layout
    from carrom.opponents import Player, opponent_names
    from carrom.physics.material import Material
    from carrom.physics.strike import Strike
    from carrom.table import Stroke
    from carrom.tasks import Position, position_from
    from carrom.vector import CarromVectorEnv
    from carrom.view import View

__all__ = [
    "Board",
    "CarromAECEnv",
    "CarromEnv",
    "CarromVectorEnv",
    "EnvState",
    "Functional",
    "Layout",
    "Material",
    "Player",
    "Position",
    "Strike",
    "Stroke",
    "View",
    "opponent_names",
    "position_from",
]

_HOMES = {
    "CarromAECEnv": "carrom.aec",
    "Board": "carrom.board",
    "CarromEnv": "carrom.env",
    "CarromVectorEnv": "carrom.vector",
    "EnvState": "carrom.env",
    "Functional": "carrom.functional",
    "Layout": "carrom.layout",
    "Material": "carrom.physics.material",
    "Player": "carrom.opponents",
    "Position": "carrom.tasks",
    "Strike": "carrom.physics.strike",
    "Stroke": "carrom.table",
    "View": "carrom.view",
    "opponent_names": "carrom.opponents",
    "position_from": "carrom.tasks",
}

ENVIRONMENTS = {
    "CarromShot-v0": "shot",
    "CarromSolo-v0": "solo",
    "CarromBoard-v0": "board",
    "Carrom-v0": "game",
    "CarromMatch-v0": "match",
}
"""Registered ids and their tasks."""

for _id, _task in ENVIRONMENTS.items():
    register(
        id=_id,
        entry_point="carrom.env:CarromEnv",
        vector_entry_point="carrom.vector:CarromVectorEnv",
        kwargs={"task": _task},
    )

MULTI_AGENT_ENVIRONMENTS = ("carrom_singles_v0", "carrom_doubles_v0")
"""Registered ids of the environments in which every seat is an agent."""

for _id in MULTI_AGENT_ENVIRONMENTS:
    # Whoever imports the package again (workers, reloads) finds them registered.
    if _id not in pettingzoo.aec_registry:
        pettingzoo.register("aec", _id, f"carrom.{_id}:env")


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'carrom' has no attribute {name!r}")

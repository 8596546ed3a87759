"""Singles: two agents sit opposite each other (28).

``env(**options)`` and ``raw_env(**options)`` as PettingZoo has them; see
``carrom.aec.CarromAECEnv`` for the options.
"""

from __future__ import annotations

from typing import Any

from pettingzoo.utils import wrappers

from carrom.aec import CarromAECEnv


def raw_env(**options: Any) -> CarromAECEnv:
    """The environment itself."""
    return CarromAECEnv(doubles=False, **options)


def env(**options: Any) -> wrappers.OrderEnforcingWrapper:
    """The environment with PettingZoo's check of the order of calls."""
    return wrappers.OrderEnforcingWrapper(raw_env(**options))

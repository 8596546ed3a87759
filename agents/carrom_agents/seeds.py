"""The seed tree: everything that is drawn in a run follows from its one seed, and how."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from carrom_agents.config import ExperimentConfig
from carrom_agents.learning import STREAMS, env_seed, key_of

EVALUATION_SEED = 2**31
"""First seed of evaluations while training; those of the training itself are smaller."""
FINAL_SEED = EVALUATION_SEED + 2**30
"""First seed of the final evaluation: positions that no choice was made by."""


def seed_tree(config: ExperimentConfig) -> dict[str, Any]:
    """What follows from the seed of a run, for JSON.

    Of every stream the rule and what it gives first are told, so that whoever follows the rule
    knows whether he has understood it: keys as ``jax.random.key_data``.
    """
    seed = config.seed
    keys = {
        stream: {
            "key": f"fold_in(fold_in(key(seed), {index}), update)",
            "at_update_0": np.asarray(jax.random.key_data(key_of(seed, stream, 0))).tolist(),
        }
        for index, stream in enumerate(STREAMS)
    }
    positions = config.evaluation
    return {
        "seed": seed,
        "random_bits": str(jax.random.key_impl(jax.random.key(seed))),
        "keys": keys,
        "environments": {
            "first_seed": "SeedSequence([seed, update]).generate_state(1)[0] >> 1",
            "at_update_0": env_seed(config, 0),
        },
        "evaluation": {"first_seed": EVALUATION_SEED, "positions": positions.positions},
        "final_evaluation": {"first_seed": FINAL_SEED, "positions": positions.final_positions},
    }

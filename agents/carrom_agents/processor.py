"""How many devices the processor is."""

from __future__ import annotations

import os


def share_processor(devices: int) -> None:
    """Make so many devices of the processor, where that is what is computed on.

    A device's program keeps one core busy. It must be said before JAX is first used.
    """
    import jax

    if devices > 1 and os.environ.get("JAX_PLATFORMS") == "cpu":
        jax.config.update("jax_num_cpu_devices", devices)

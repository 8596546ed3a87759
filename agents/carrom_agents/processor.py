"""How many devices the processor is, and how many threads compute on it."""

from __future__ import annotations

import os

_THREADS = 2
"""Threads of XLA on a processor. It cuts long sums, such as those of gradients over positions,
into as many parts as there are threads, which rounds otherwise: so their number is the same
everywhere, and with it the bits. What more cores are good for is more devices."""
_THREADS_VARIABLE = "NPROC"
"""Environment variable by which XLA is told."""


def fix_threads() -> None:
    """Have XLA compute with the same number of threads whatever the number of cores.

    It must be said before JAX is first used. What the user has set stays.
    """
    os.environ.setdefault(_THREADS_VARIABLE, str(_THREADS))


def share_processor(devices: int) -> None:
    """Make so many devices of the processor, where that is what is computed on.

    A device's program keeps one core busy. It must be said before JAX is first used.
    """
    fix_threads()
    import jax

    if devices > 1 and os.environ.get("JAX_PLATFORMS") == "cpu":
        jax.config.update("jax_num_cpu_devices", devices)

"""How many devices the processor is, how many threads compute on it, and how it is compiled for."""

from __future__ import annotations

import functools
import os
from typing import Any

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


def quick_to_compile(*, runs_once: bool = False) -> dict[str, Any]:
    """Options for ``jax.jit``, ``compiler_options``, of large programs for the processor.

    XLA fuses operations as it did before it had emitters for that. The first update of the
    drill's training, which compiles, so takes 54 s of one core instead of 75; the others took
    1.2 s each, and with emitters from 1.0 to 2.0 s in three runs.

    Args:
        runs_once: to optimise the program would take longer than it ever runs.

    Returns:
        Those of them that this XLA knows.
    """
    options: dict[str, Any] = {"xla_cpu_use_fusion_emitters": False}
    if runs_once:
        options["xla_backend_optimization_level"] = 0
    return {name: value for name, value in options.items() if _is_known(name, value)}


@functools.cache
def _is_known(name: str, value: Any) -> bool:
    """Whether XLA has that option."""
    import jax

    try:
        jax.jit(lambda: 0, compiler_options={name: value})()
    except jax.errors.JaxRuntimeError:
        return False
    return True

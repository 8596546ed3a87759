"""Compiling in haste: what many tests take is mostly the compilation of a program run once.

The operations are the same in the same order, merely less optimised. It is not for tests of what
the optimiser could break: bits that must not depend on the size of a batch or on the machine.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
from jax.core import Tracer

_jit = jax.jit
_OPTIONS = {"xla_backend_optimization_level": 0, "xla_cpu_use_fusion_emitters": False}

XLA_FLAGS_IN_HASTE = "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false"
"""For all programs of a process: its environment variable ``XLA_FLAGS``."""


def jit_in_haste(
    function: Callable[..., Any], compiler_options: dict[str, Any] | None = None, **options: Any
) -> Callable[..., Any]:
    """``jax.jit``; what is a part of another program is compiled as that one is."""
    part = _jit(function, **options)

    @functools.wraps(function)
    def whole(*args: Any, **kwargs: Any) -> Any:
        return part(*args, **kwargs)

    # The options of a program are refused for its parts; either way it is traced once.
    program = _jit(whole, compiler_options={**(compiler_options or {}), **_OPTIONS}, **options)

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        leaves = jax.tree.leaves((args, kwargs))
        within = any(isinstance(leaf, Tracer) for leaf in leaves)
        return (part if within else program)(*args, **kwargs)

    return called

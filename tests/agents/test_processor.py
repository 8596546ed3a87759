"""The number of threads: the same whatever the number of cores, and the bits with it."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import pytest

from carrom_agents import processor

_LONG_SUMS = """
import hashlib
import os
import sys

if sys.argv[1] == "one core":
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
from carrom_agents.processor import fix_threads

fix_threads()
import jax.numpy as jnp
import numpy as np

one, other = np.random.default_rng(0).normal(size=(2, 24_000, 16)).astype(np.float32)
print(hashlib.sha256(np.asarray(jnp.einsum("ki,kj->ij", one, other)).tobytes()).hexdigest())
"""


def digest(cores: str, **environment: str) -> str:
    inherited = {name: value for name, value in os.environ.items() if name != "NPROC"}
    done = subprocess.run(
        [sys.executable, "-c", _LONG_SUMS, cores],
        env=inherited | {"JAX_PLATFORMS": "cpu"} | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return done.stdout


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no way to give up a core")
def test_long_sums_come_out_the_same_on_one_core_and_on_all():
    on_all = digest("all cores")
    assert digest("one core") == on_all
    # What the user has set stays, and with another number of threads the bits are others.
    assert digest("all cores", NPROC="1") != on_all


def test_programs_compiled_quickly_compute_the_same():
    options = processor.quick_to_compile(runs_once=True)
    assert set(processor.quick_to_compile()) <= set(options)
    numbers = jnp.linspace(-1.0, 2.0, 1000)

    def squares(numbers: jax.Array) -> jax.Array:
        return jnp.cumsum(jnp.where(numbers < 0, 0, numbers) ** 2)

    quickly = jax.jit(squares, compiler_options=options)(numbers)
    assert jnp.allclose(quickly, squares(numbers), rtol=1e-5)


def test_options_that_xla_does_not_know_are_left_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(processor, "_is_known", lambda name, value: "emitters" not in name)
    assert processor.quick_to_compile() == {}
    assert set(processor.quick_to_compile(runs_once=True)) == {"xla_backend_optimization_level"}
    monkeypatch.undo()
    assert not processor._is_known("xla_cpu_compile_by_hand", True)

"""What a run is computed on, and what of that may be written down."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import Any

import jax

_TOLD = (
    "JAX_PLATFORMS",
    "JAX_ENABLE_X64",
    "JAX_DEFAULT_MATMUL_PRECISION",
    "JAX_DISABLE_JIT",
    "JAX_NUM_CPU_DEVICES",
    "XLA_FLAGS",
    "CUDA_VISIBLE_DEVICES",
    "NPROC",
    "OMP_NUM_THREADS",
    "MUJOCO_GL",
)
"""Environment variables that can change what comes out. Others are never written down."""
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
"""In the name of an environment variable: its value is nobody's business."""
_SHORTEST_SECRET = 8
"""Characters; what is shorter stands for too much else in a text."""


def machine() -> dict[str, Any]:
    """Processor, devices of JAX, and environment variables that can change what comes out."""
    try:
        usable = len(os.sched_getaffinity(0))
    except AttributeError:  # not everywhere
        usable = os.cpu_count() or 1
    return {
        "processor": _processor(),
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
        "usable_cores": usable,
        "devices": [f"{device.platform}: {device.device_kind}" for device in jax.devices()],
        "environment": {name: os.environ[name] for name in _TOLD if name in os.environ},
    }


def without_secrets(text: str) -> str:
    """``text`` with the values of secret environment variables replaced by their names."""
    for name, value in os.environ.items():
        if _SECRET.search(name) and len(value) >= _SHORTEST_SECRET:
            text = text.replace(value, f"<{name}>")
    return text


def _processor() -> str:
    """Its model, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or platform.machine())

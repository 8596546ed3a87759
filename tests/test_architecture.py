"""Arrows only point down: who may import whom, read off the imports themselves."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*ROOT.glob("envs/carrom/**/*.py"), *ROOT.glob("agents/carrom_agents/**/*.py")])

GROUND = (
    *("board", "errors", "finite", "output", "pieces", "rack", "baseline", "layout", "midgame"),
    "nets",
)
"""Modules of carrom on which everything may stand."""

ENVIRONMENT_FACE = (
    *("carrom.action", "carrom.aec", "carrom.aiming", "carrom.answering", "carrom.baseline"),
    *("carrom.board", "carrom.decision", "carrom.env", "carrom.errors", "carrom.filming"),
    *("carrom.functional", "carrom.layout"),
    *("carrom.midgame", "carrom.observation", "carrom.opponents", "carrom.physics.material"),
    *("carrom.physics.noise", "carrom.physics.strike", "carrom.physics.motion", "carrom.pieces"),
    *("carrom.rack", "carrom.replay", "carrom.reward", "carrom.tasks", "carrom.table"),
    "carrom.vector",
    "carrom.view",
)
"""What agents may use of carrom: neither the umpire nor the engines."""


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[str]:
    """Modules that a file imports, inside functions too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            yield node.module


def offending(inside: str, allowed: tuple[str, ...]) -> list[str]:
    """Imports of carrom, gymnasium or the agents by ``inside`` that are not ``allowed``."""
    found = []
    for path in SOURCES:
        module = module_of(path)
        if not (module == inside or module.startswith(inside + ".")):
            continue
        for name in imports(path):
            if name.split(".")[0] not in ("carrom", "carrom_agents", "gymnasium"):
                continue
            if not any(name == good or name.startswith(good + ".") for good in allowed):
                found.append(f"{module} imports {name}")
    return found


def test_there_is_something_to_read() -> None:
    assert len(SOURCES) > 40


@pytest.mark.parametrize("layer", ["laws", "physics"])
def test_umpire_and_physics_stand_on_the_ground_alone(layer: str) -> None:
    allowed = (f"carrom.{layer}", *(f"carrom.{name}" for name in GROUND))
    assert offending(f"carrom.{layer}", allowed) == []


def test_the_ground_imports_nothing_above_it() -> None:
    allowed = tuple(f"carrom.{name}" for name in GROUND)
    assert [fault for name in GROUND for fault in offending(f"carrom.{name}", allowed)] == []


def test_rendering_needs_positions_only() -> None:
    allowed = ("carrom.render", "carrom.physics.motion", *(f"carrom.{name}" for name in GROUND))
    assert offending("carrom.render", allowed) == []


def test_the_environment_never_imports_an_agent() -> None:
    allowed = ("carrom", "gymnasium")
    assert offending("carrom", allowed) == []


def test_agents_see_environments_through_their_public_interface() -> None:
    allowed = ("carrom_agents", "gymnasium", "carrom.render", *ENVIRONMENT_FACE)
    faults = [
        fault
        for fault in offending("carrom_agents", allowed)
        if not fault.endswith("imports carrom")
    ]
    assert faults == []


@pytest.mark.parametrize("module", ["laws", "physics.mujoco"])
def test_a_layer_can_be_used_without_the_environment(module: str) -> None:
    """Importing it loads neither the environment nor, for the umpire, MuJoCo."""
    code = (
        f"import sys, carrom.{module}; "
        "loaded = {'carrom.env', 'carrom.vector', 'carrom.play'} & set(sys.modules); "
        f"loaded |= {{'mujoco'}} & set(sys.modules) if {module!r} == 'laws' else set(); "
        "sys.exit(' '.join(sorted(loaded)) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

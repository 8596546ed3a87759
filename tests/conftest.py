"""Options and hooks of the whole suite."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

# Before anything imports JAX, which looks at these only then. Most of the suite's time would be
# compilation, and every process of a run needs the same programs: the workers, the scripts.
_PROGRAMS = Path(__file__).parents[1] / ".pytest_cache" / "jax"
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(_PROGRAMS))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--runslow", action="store_true", help="also run the long soaks")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--runslow"):
        return
    long = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if not item.get_closest_marker("slow")]


@pytest.fixture(scope="module")
def compiled_in_haste() -> Iterator[None]:
    """What the tests of a file have compiled is compiled in haste; see ``haste.py``."""
    import jax

    from haste import jit_in_haste

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jax, "jit", jit_in_haste)
        yield


@pytest.fixture
def strong_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let hands strike harder than they can: nothing else makes the physics diverge."""
    from carrom import play

    monkeypatch.setattr(play, "_FORCE_SLACK", 2_000.0)

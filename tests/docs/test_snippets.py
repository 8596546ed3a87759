"""What stands in Python blocks runs, block after block of a page, as a reader would go on."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pages import PAGES, ROOT, blocks

from carrom.physics.noise import NOISE_LEVELS

_SHORTER = {
    "boards=240": "boards=2",
    "num_envs=64, workers=2": "num_envs=4",
    "jax.random.key(0), 512": "jax.random.key(0), 16",
    "jax.random.key(1), (512, 3)": "jax.random.key(1), (16, 3)",
}
"""What would take long, and what takes the same path with less of it. For 16 boards the tests of
the functional environment compile the same programs."""
_STARTS_A_CLUSTER = ("scaling.md",)
"""Pages whose blocks run where a cluster is started, in ``tests/agents/distributed``."""
SNIPPETS = {
    page: kept
    for page in PAGES
    if page.name not in _STARTS_A_CLUSTER and (kept := blocks(page, "python"))
}


def test_there_are_some() -> None:
    assert {"README.md", "start.md", "task.md", "laws.md"} <= {page.name for page in SNIPPETS}


@pytest.mark.render
@pytest.mark.usefixtures("compiled_in_haste")
@pytest.mark.parametrize("page", SNIPPETS, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # Nothing else of the process is a snippet's: whether it is the main program, above all.
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in SNIPPETS[page]:
        text = block.text
        for long, short in _SHORTER.items():
            text = text.replace(long, short)
        # Line numbers of an error are those of the page.
        padded = "\n" * (block.line - 1) + text
        exec(compile(padded, block.page, "exec"), namespace)


def test_the_table_of_noise_is_that_of_the_levels() -> None:
    text = (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8")
    row = re.compile(r"^\| `(\w+)` \| ([\d.]+) mm \| ([\d.]+) degrees \| ([\d.]+) % \|", re.M)
    said = {level: tuple(map(float, numbers)) for level, *numbers in row.findall(text)}
    assert said.keys() == NOISE_LEVELS.keys()
    for level, noise in NOISE_LEVELS.items():
        degrees = noise.direction * 180 / 3.141592653589793
        assert said[level] == pytest.approx((1000 * noise.place, degrees, 100 * noise.speed))

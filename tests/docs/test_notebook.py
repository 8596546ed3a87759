"""The notebook runs from top to bottom, and shows an agent that has learnt."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from pages import ROOT

from haste import XLA_FLAGS_IN_HASTE

NOTEBOOK = ROOT / "docs" / "notebooks" / "train_and_watch.ipynb"


def test_it_is_kept_without_what_it_shows() -> None:
    notebook = nbformat.read(NOTEBOOK, 4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(cells) > 5
    assert all(cell.outputs == [] and cell.execution_count is None for cell in cells)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Everything that the cells show."""
    notebook = nbformat.read(NOTEBOOK, 4)
    folder: Path = tmp_path_factory.mktemp("notebook")
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        startup_timeout=300,
        timeout=None,
        resources={"metadata": {"path": str(folder)}},
    )
    # Compiling is much of what it takes.
    client.execute(env=os.environ | {"XLA_FLAGS": XLA_FLAGS_IN_HASTE})
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def _texts(shown: list[Any]) -> str:
    """All text, without the codes of colours."""
    parts = [output.get("text", output.get("data", {}).get("text/plain", "")) for output in shown]
    return re.sub(r"\x1b\[[\d;]*m", "", "\n".join(parts))


def test_the_agent_has_learnt(shown: list[Any]) -> None:
    low = re.search(r"less untrained\s+\[(-?[\d.]+),", _texts(shown))
    assert low is not None
    assert float(low[1]) > 0  # more pocketed than before, by more than chance


def test_it_shows_a_curve_a_diagram_and_the_board_as_a_page(shown: list[Any]) -> None:
    data = [output["data"] for output in shown if "data" in output]
    assert sum("image/png" in kinds for kinds in data) == 1
    assert any("<svg" in kinds.get("image/svg+xml", "") for kinds in data)
    (frame,) = (kinds["text/html"] for kinds in data if "iframe" in kinds.get("text/html", ""))
    assert frame.startswith('<iframe srcdoc="&lt;!DOCTYPE html')
    assert "Umpire's sheet: singles, one board" in _texts(shown)


def test_nothing_went_wrong_on_the_way(shown: list[Any]) -> None:
    assert not [output for output in shown if output.output_type == "error"]
    assert not [output for output in shown if output.get("name") == "stderr"]

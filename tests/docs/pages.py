"""The pages that people read, and the fenced blocks in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
_BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        page: it stands on, relative to the root.
        line: of the page where its text begins, from 1.
        text: of the block.
    """

    page: str
    line: int
    text: str


def blocks(path: Path, language: str) -> list[Block]:
    """The blocks of a page in a language, in order."""
    text = path.read_text(encoding="utf-8")
    return [
        Block(str(path.relative_to(ROOT)), text.count("\n", 0, found.start(2)) + 1, found[2])
        for found in _BLOCK.finditer(text)
        if found[1] == language
    ]

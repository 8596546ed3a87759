"""What the site needs beside the pages: the sources that they link to, and notebooks as pages.

Pages link to files of the repository as they do wherever it is browsed, ``../envs/...``. A site
holds only what lies in ``docs/``, so the files that are linked to are copied into it, as text.
"""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

_ANY_LINK = re.compile(r"\[([^\]]+)\]\(([^)#:\s]+)\)")
_LINK = re.compile(r"\]\(((?:\.\./)+)([^)#\s]+)(#[^)\s]*)?\)")
_ROOT = Path(__file__).parents[2]


def on_files(files: Files, config: Any) -> Files:
    """Add a page for each notebook, and the files outside ``docs/`` that pages link to."""
    for notebook in [file for file in files if file.src_uri.endswith(".ipynb")]:
        page = notebook.src_uri.removesuffix(".ipynb") + ".md"
        files.append(File.generated(config, page, content=_page_of(notebook)))
    wanted = {
        target
        for page in files.documentation_pages()
        for target in map(_outside(page.src_uri), _LINK.finditer(page.content_string))
        if target is not None
    }
    for target in sorted(wanted):
        source = _ROOT / target
        if not source.is_file():
            raise PluginError(f"a page links to {target}: expected a file of the repository")
        text = source.read_text(encoding="utf-8")
        files.append(File.generated(config, f"source/{target}.txt", content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links to files outside ``docs/`` lead to their copies; folders are named only."""
    folder = _ROOT / "docs" / posixpath.dirname(page.file.src_uri)
    markdown = _ANY_LINK.sub(
        lambda link: link[1] if (folder / link[2]).is_dir() else link[0], markdown
    )
    target_of = _outside(page.file.src_uri)

    def copied(match: re.Match[str]) -> str:
        target = target_of(match)
        if target is None:
            return match[0]
        up = posixpath.relpath(".", posixpath.dirname(page.file.src_uri) or ".")
        return f"]({posixpath.join(up, 'source', target)}.txt)"

    return _LINK.sub(copied, markdown)


def _page_of(notebook: File) -> str:
    """A notebook as Markdown, without what running it shows."""
    name = posixpath.basename(notebook.src_uri)
    text = {
        "markdown": lambda source: source,
        "code": lambda source: f"```python\n{source}\n```",
    }
    cells = json.loads(notebook.content_string)["cells"]
    title, *rest = (text[cell["cell_type"]]("".join(cell["source"])) for cell in cells)
    where = f"This page is [a notebook]({name}): here is what it does, running it shows the rest."
    return "\n\n".join([title, where, *rest])


def _outside(page: str) -> Any:
    """Which file of the repository a link of ``page`` means; None if it lies in ``docs/``."""

    def target_of(match: re.Match[str]) -> str | None:
        folder = posixpath.dirname(posixpath.join("docs", page))
        path = posixpath.normpath(posixpath.join(folder, match[1] + match[2]))
        return None if path.startswith(("docs/", "..")) else path

    return target_of

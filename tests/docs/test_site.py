"""The site builds without a warning, and every link in it leads somewhere."""

from __future__ import annotations

import posixpath
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from pages import PAGES, ROOT


class _Links(HTMLParser):
    """What a page links to, what it loads, and the places in it that can be linked to."""

    def __init__(self) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        if "id" in given:
            self.places.add(given["id"])
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        if "src" in given:
            self.loads.add(given["src"])
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preconnect"):
            self.loads.add(given.get("href", ""))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def read(site: Path) -> dict[str, _Links]:
    pages = {}
    for path in site.rglob("*.html"):
        pages[path.relative_to(site).as_posix()] = parser = _Links()
        parser.feed(path.read_text(encoding="utf-8"))
    return pages


def test_every_page_is_there(site: Path) -> None:
    wanted = {path.relative_to(ROOT / "docs") for path in PAGES if path.name != "README.md"}
    wanted |= {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.ipynb")}
    built = {path.relative_to(site) for path in site.rglob("*.html")}
    assert {path.with_suffix(".html") for path in wanted} <= built


def test_nothing_is_loaded_from_anywhere_else(site: Path, read: dict[str, _Links]) -> None:
    for page, found in read.items():
        for load in found.loads:
            assert not urlsplit(load).netloc, f"{page} loads {load}"
            # The page of what is not found stands for any place, and so begins at the root.
            start = "" if page == "404.html" else posixpath.dirname(page)
            where = posixpath.normpath(posixpath.join(start, urlsplit(load).path.lstrip("/")))
            assert (site / where).is_file(), f"{page} loads {load}"


def test_every_link_leads_somewhere(site: Path, read: dict[str, _Links]) -> None:
    for page, found in read.items():
        if page == "404.html":
            continue
        for link in found.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            path = unquote(parts.path)
            where = posixpath.normpath(posixpath.join(posixpath.dirname(page), path or "."))
            where = page if not path else where
            target = site / where
            if target.is_dir():
                where = posixpath.normpath(posixpath.join(where, "index.html"))
            assert (site / where).is_file(), f"{page} links to {link}"
            if parts.fragment and where in read:
                places = read[where].places | {"__skip"}
                assert unquote(parts.fragment) in places, f"{page} links to {link}"


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("reference/environment.html", ["carrom.CarromEnv", "carrom.CarromEnv.answer"]),
        ("reference/functional.html", ["carrom.functional.Functional.step"]),
        ("reference/laws.html", ["carrom.laws.rule", "carrom.laws.sentences"]),
        ("reference/carrom.html", ["carrom.View", "carrom.position_from", "carrom.replay.verify"]),
        ("reference/agents.html", ["carrom_agents.evaluation.play_boards"]),
    ],
)
def test_the_reference_is_made_of_the_docstrings(
    read: dict[str, _Links], page: str, shown: list[str]
) -> None:
    assert set(shown) <= read[page].places

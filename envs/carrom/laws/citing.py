"""Who speaks of which law: tests by their marks, worked cases, and sources in their prose.

A test cites a law by ``@pytest.mark.law("72.a")``, on itself, on its class, on its module or
on one of its parameters; several laws may stand in one mark. Marks are read off the syntax
tree, so that nothing has to be run.
"""

from __future__ import annotations

import ast
import functools
import io
import json
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from carrom.errors import FactsError

_NOT_RUN = {"skip", "skipif", "xfail", "slow", "render"}
"""Marks of tests that the suite may leave out; what they assert covers nothing."""


@dataclass(frozen=True, order=True)
class Citation:
    """A test that cites a law.

    Attributes:
        path: of the test's file, relative to the root, with forward slashes.
        name: of the test, ``TestClass.test_name`` within a class.
        law: the law's id; None when the mark's argument is computed at run time.
        asserts: the test's body asserts something.
    """

    path: str
    name: str
    law: str | None
    asserts: bool


def cited_by_tests(root: Path) -> list[Citation]:
    """Every citation by a test that always runs, in order of path and place in the file.

    Args:
        root: folder that holds ``tests``.
    """
    found = []
    for path in sorted((root / "tests").rglob("test_*.py")):
        tree = ast.parse(path.read_text())
        found += list(_in_module(tree, path.relative_to(root).as_posix()))
    return found


def _in_module(tree: ast.Module, path: str) -> Iterator[Citation]:
    values: dict[str, ast.AST] = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    values |= {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    yield from _in_body(tree.body, path, "", [], values)


def _in_body(
    body: list[ast.stmt],
    path: str,
    prefix: str,
    inherited: list[ast.Call | ast.Attribute],
    values: dict[str, ast.AST],
) -> Iterator[Citation]:
    """Tests among the statements of a module or a class, which pass their marks down.

    ``values`` are the constants and functions of the module, by name.
    """
    own = [
        mark
        for node in body
        if isinstance(node, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id == "pytestmark" for t in node.targets)
        for mark in _marks(node.value, {})
    ]
    for node in body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef):
            continue
        marks = inherited + own + [m for d in node.decorator_list for m in _marks(d, values)]
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from _in_body(node.body, path, f"{prefix}{node.name}.", marks, values)
        elif isinstance(node, ast.FunctionDef) and _always_runs(node, marks):
            for law in dict.fromkeys(law for mark in marks for law in _laws(mark)):
                yield Citation(path, prefix + node.name, law, _asserts(node, values))


def _marks(node: ast.AST, values: dict[str, ast.AST]) -> list[ast.Call | ast.Attribute]:
    """All ``pytest.mark.*`` within an expression, also in constants it names."""
    calls = {
        id(call.func): call
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and _is_mark(call.func)
    }
    found: list[ast.Call | ast.Attribute] = []
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and _is_mark(part):
            found.append(calls.get(id(part), part))
        elif isinstance(part, ast.Name) and part.id in values:
            found += _marks(values[part.id], {})
    return found


def _is_mark(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and ast.unparse(node.value) == "pytest.mark"


def _name(mark: ast.Call | ast.Attribute) -> str:
    attribute = mark.func if isinstance(mark, ast.Call) else mark
    return attribute.attr if isinstance(attribute, ast.Attribute) else ""


def _laws(mark: ast.Call | ast.Attribute) -> Iterator[str | None]:
    """Ids that a law mark cites, None for one that is not written out."""
    if not isinstance(mark, ast.Call) or _name(mark) != "law":
        return
    for argument in mark.args:
        # Long lists are broken into *("1", "2.a"), *("3", "4").
        spread = argument.value if isinstance(argument, ast.Starred) else None
        for item in spread.elts if isinstance(spread, ast.Tuple) else [argument]:
            value = item.value if isinstance(item, ast.Constant) else None
            yield value if isinstance(value, str) else None


def _called(test: ast.AST) -> Iterator[str]:
    """Names of the functions a test calls, without what they are attributes of."""
    for node in ast.walk(test):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func).rpartition(".")[2]


def _asserts(test: ast.AST, values: dict[str, ast.AST]) -> bool:
    """Whether a test asserts something, itself or through a function of its module."""
    if any(isinstance(node, ast.Assert) for node in ast.walk(test)):
        return True
    called = set(_called(test))
    if any(name.startswith("assert") or name == "raises" for name in called):
        return True
    return any(_asserts(values[name], {}) for name in called & values.keys())


def _always_runs(function: ast.FunctionDef, marks: list[ast.Call | ast.Attribute]) -> bool:
    if not function.name.startswith("test") or _NOT_RUN & {_name(mark) for mark in marks}:
        return False
    return not {"skip", "xfail", "importorskip"} & set(_called(function))


def cited_by_cases(file: Path) -> dict[str, list[str]]:
    """The ids of the worked cases that cite each law, in the file's order.

    Args:
        file: JSON lines, see ``carrom.laws.case_format``.

    Raises:
        FactsError: a case cites no law.
    """
    found: dict[str, list[str]] = {}
    for line in file.read_text().splitlines():
        case = json.loads(line)
        if not case.get("laws"):
            raise FactsError(f"case {case['id']}: laws missing")
        for law in case["laws"]:
            found.setdefault(law, []).append(case["id"])
    return found


_LAW = r"\d{1,3}(?:\.[a-i](?:\.i{1,3})?)?"
_NUMBERS = re.compile(rf"(?<![\w.-])({_LAW})(?:-(\d{{1,3}}))?(?![\w-]|\.\w)")
_SHAPE = re.compile(r"\(\s*[\w.]+\s*(?:,\s*[\w.]+\s*)*,\s*[234]?\s*\)")
"""The shape of an array, such as (19, 2): no citation."""


def cites(source: str, law: str) -> bool:
    """Whether the comments and strings of a Python file cite a law, an ambiguity or a dimension.

    A law is cited in parentheses, after the word "law", or by a string that is its id; with
    its letter, by its number alone, or within a range of numbers.
    """
    prose = _prose(source)
    if re.fullmatch(r"[AU]\d+", law):
        return any(re.search(rf"\b{law}\b", text) for text in prose)
    if law.startswith("I."):
        item = law.removeprefix("I.")
        return any(re.search(rf"equipment[^\n]*\b{re.escape(item)}\b", text) for text in prose)
    wanted = _prefixes(law)
    return any(
        first in wanted or (last and int(first.split(".")[0]) <= int(wanted[-1]) <= int(last))
        for text in prose
        for first, last in _cited(text)
    )


@functools.cache
def _prose(source: str) -> tuple[str, ...]:
    """Comments and strings."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return tuple(t.string for t in tokens if t.type in (tokenize.COMMENT, tokenize.STRING))


def _prefixes(law: str) -> list[str]:
    """The id and what it is a part of: 49.a.i, 49.a, 49."""
    parts = law.removesuffix(" (bis)").split(".")
    return [".".join(parts[:n]) for n in range(len(parts), 0, -1)]


def _cited(text: str) -> Iterator[tuple[str, str]]:
    """Numbers that stand where citations do: the number, and the end of a range or ""."""
    exact = re.fullmatch(rf"""["']({_LAW})["']""", text)
    if exact:
        yield exact[1], ""
    places = re.findall(r"\([^()]*\)", _SHAPE.sub("", text))
    places += re.findall(rf"\b[Ll]aws? ((?:(?:, | and |, and )?{_LAW}(?:-\d+)?)+)", text)
    for place in places:
        yield from _NUMBERS.findall(place)

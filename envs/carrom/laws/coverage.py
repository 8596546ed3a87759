"""Whether every law is applied somewhere and tested, and what is wrong where it is not."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from carrom.laws import citing
from carrom.laws.citing import Citation
from carrom.laws.equipment import EQUIPMENT
from carrom.laws.interpretations import READINGS, Reading
from carrom.laws.lawbook import LAWS
from carrom.laws.register import REGISTER, Entry

CASES = "tests/data/law_cases.jsonl"
CASE_TEST = ("tests/envs/laws/test_law_cases.py", "test_case")
"""The test that runs the worked cases: its file and its name."""


@dataclass(frozen=True)
class Coverage:
    """All that is said of the laws, side by side.

    Attributes:
        laws: law or item of the equipment -> its gist.
        entries: the same -> how it is dealt with.
        readings: point in doubt -> how it is settled.
        tests: citations by tests.
        cases: law -> ids of the worked cases that cite it.
        locate: dotted name -> the file that defines it, relative to the root, and its text.
    """

    laws: Mapping[str, str]
    entries: Mapping[str, Entry]
    readings: Mapping[str, Reading]
    tests: tuple[Citation, ...]
    cases: Mapping[str, list[str]]
    locate: Callable[[str], tuple[str, str]]

    def tests_of(self, law: str) -> list[Citation]:
        """The tests that cite a law, those of the worked cases not counted."""
        return [test for test in self.tests if test.law == law]

    def tested(self, law: str) -> bool:
        """Whether any test or worked case cites a law."""
        return bool(self.tests_of(law) or self.cases.get(law))


def coverage(root: Path) -> Coverage:
    """What a checkout says of the laws.

    Args:
        root: folder that holds ``envs`` and ``tests``.
    """
    return Coverage(
        laws=EQUIPMENT | LAWS,
        entries=REGISTER,
        readings=READINGS,
        tests=tuple(citing.cited_by_tests(root)),
        cases=citing.cited_by_cases(root / CASES),
        locate=lambda name: _locate(name, root),
    )


def _locate(name: str, root: Path) -> tuple[str, str]:
    """File and text of what defines a dotted name.

    Raises:
        LookupError: there is no such thing.
    """
    owner: Any = None
    for end in range(name.count(".") + 1, 0, -1):
        module, *rest = ".".join(name.split(".")[:end]), *name.split(".")[end:]
        try:
            owner = importlib.import_module(module)
        except ModuleNotFoundError:
            continue
        return _file_of(owner, rest, name, root)
    raise LookupError(f"{name}: no such module")


def _file_of(module: ModuleType, rest: list[str], name: str, root: Path) -> tuple[str, str]:
    owner: Any = module
    home = module.__name__
    for part in rest:
        is_field = dataclasses.is_dataclass(owner) and part in {
            field.name for field in dataclasses.fields(owner)
        }
        if not is_field and not hasattr(owner, part):
            raise LookupError(f"{name}: {getattr(owner, '__name__', owner)} has no {part}")
        owner = None if is_field else getattr(owner, part)
        # Constants and fields do not say where they are from: their owner does.
        home = home if is_field else getattr(owner, "__module__", None) or home
    file = Path(str(importlib.import_module(home).__file__))
    if not file.is_relative_to(root):
        raise LookupError(f"{name}: imported from {file}, expected a file of {root}")
    return file.relative_to(root).as_posix(), file.read_text()


def faults(coverage: Coverage) -> list[str]:
    """What is wrong, one sentence each; none when the coverage is whole.

    Args:
        coverage: what is said of the laws.
    """
    return [
        *_unpaired(coverage),
        *(fault for law, entry in coverage.entries.items() for fault in _faulty(law, entry)),
        *_untested(coverage),
        *_unknown(coverage),
        *_misplaced(coverage),
    ]


def _unpaired(coverage: Coverage) -> Iterator[str]:
    for law in coverage.laws:
        if law not in coverage.entries:
            yield f"{law}: not in the register"
    for law in coverage.entries:
        if law not in coverage.laws:
            yield f"{law}: in the register, but no law"


def _faulty(law: str, entry: Entry) -> Iterator[str]:
    if not (entry.applied_by or entry.told_by or entry.reason):
        yield f"{law}: neither a function that applies it nor a reason why it cannot arise"


def _untested(coverage: Coverage) -> Iterator[str]:
    for law, entry in coverage.entries.items():
        if entry.applicable and not entry.left_out and not coverage.tested(law):
            yield f"{law}: applicable, but no test cites it"
    for point, reading in coverage.readings.items():
        if reading.done_by and not coverage.tested(point):
            yield f"{point}: settled by a function, but no test cites it"


def _unknown(coverage: Coverage) -> Iterator[str]:
    known = {*coverage.laws, *coverage.readings}
    for test in coverage.tests:
        where = f"{test.path}: {test.name}"
        if test.law is None and (test.path, test.name) != CASE_TEST:
            yield f"{where}: the mark's law is computed, expected a string"
        elif test.law is not None and test.law not in known:
            yield f"{where}: cites {test.law}, which is no law"
        if not test.asserts:
            yield f"{where}: cites {test.law} and asserts nothing"
    for law, cases in coverage.cases.items():
        if law not in known:
            yield f"{CASES}: {cases[0]} cites {law}, which is no law"
    if not any((test.path, test.name) == CASE_TEST for test in coverage.tests):
        yield f"{CASE_TEST[0]}: {CASE_TEST[1]} is missing, which runs the cases"


def _misplaced(coverage: Coverage) -> Iterator[str]:
    for law, entry in coverage.entries.items():
        for name in (*entry.applied_by, *entry.told_by):
            try:
                path, source = coverage.locate(name)
            except LookupError as error:
                yield f"{law}: {error}"
                continue
            # What is told of many laws at once need not know each of them.
            if name in entry.applied_by and not citing.cites(source, law):
                yield f"{law}: {name} is said to apply it, but {path} does not cite it"
    for point, reading in coverage.readings.items():
        for name in reading.done_by:
            try:
                coverage.locate(name)
            except LookupError as error:
                yield f"{point}: {error}"

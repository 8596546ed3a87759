"""Every law is applied and tested, or has a reason; and that the checks of it can fail."""

from __future__ import annotations

import dataclasses
import importlib.util
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from carrom.laws import LAW_IDS, LAWS
from carrom.laws.citing import Citation, cited_by_cases, cited_by_tests, cites
from carrom.laws.coverage import CASE_TEST, Coverage, coverage, faults
from carrom.laws.coverage_page import PAGE, page
from carrom.laws.interpretations import READINGS, Reading
from carrom.laws.lawbook import CHAPTERS, number_of
from carrom.laws.register import REGISTER, Entry, Tag

ROOT = Path(__file__).parents[3]

# Written down from the laws: numbers, and the letters of those that have some.
NUMBERS = """
1 2ab 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17ab 18 19 20 21 22ab 23 24 25 26 27ab
28 29 30 31ab 32 33 34 35 36 37ab 38ab 39abcd 40 41ab 42 43 44 45abc 46 47 48 49ab 50 51
52ab 53abc 54 55 56ab 57 58 59 60abc 61 62 63ab 64ab 65abcd 66ab 67 68 69ab 70ab 71
72abc 73 74 75 76 77ab 78ab 79ab 80 81 82ab 83 84ab 85 86 87ab 88ab 89ab 90 91
92 93 94 95abcd 96 97ab 98ab 99ab 100ab 101ab 102ab 103ab 104ab 105ab 106ab 107ab 108ab 109ab
110ab 111ab 112ab 113 114 115 116 117 118ab 119 120 121ab 122abcde 123 124abc 125ab 126ab
127ab 128 129 130ab 131 132 133 134 135 136ab 137 138 139 140 141 142 143abcdefghi
144 145 146 147 148 149 150 151abc
"""
# Letters with parts of their own.
PARTS = {"49.a": ("i", "ii", "iii"), "52.b": ("i", "ii"), "78.b": ("i", "ii")}
# What of the applicable laws is not simulated: equipment nobody needs, trials, a pause.
LEFT_OUT = {
    *("I.plywood", "I.stand", "I.seat", "I.net", "I.light", "I.powder"),
    *("40", "138"),
}


@pytest.fixture(scope="module")
def covered() -> Coverage:
    return coverage(ROOT)


def test_the_book_has_every_number_and_letter_of_the_laws():
    ids = ["32 (bis)"]
    for number, letters in re.findall(r"(\d+)([a-i]*)", NUMBERS):
        for law in [f"{number}.{letter}" for letter in letters] or [number]:
            ids += [f"{law}.{part}" for part in PARTS.get(law, ())] or [law]
    assert sorted(ids) == sorted(LAW_IDS)
    assert sorted(number for numbers in CHAPTERS.values() for number in numbers) == list(
        range(1, 152)
    )
    assert number_of("32 (bis)") == 32


def test_every_law_is_covered(covered: Coverage):
    assert faults(covered) == []


def test_only_what_needs_no_simulation_is_left_out():
    left_out = {law for law, entry in REGISTER.items() if entry.applicable and entry.left_out}
    assert left_out == LEFT_OUT


def test_all_points_in_doubt_have_a_reading():
    numbers = {"A": range(1, 34), "U": range(1, 33)}
    assert list(READINGS) == [f"{letter}{n}" for letter, span in numbers.items() for n in span]


def test_the_page_is_up_to_date(covered: Coverage):
    stale = f"{PAGE} is stale: run python scripts/lawbook.py"
    assert (ROOT / PAGE).read_text() == page(covered), stale


def test_the_page_has_one_row_for_everything_and_no_empty_one(covered: Coverage):
    rows = [line.split(" | ") for line in page(covered).splitlines() if line.startswith("| ")]
    first = [row[0].removeprefix("| ") for row in rows]
    for law in (*LAWS, *READINGS):
        assert first.count(law) == 1, law
    for row, law in zip(rows, first, strict=True):
        if law in REGISTER:
            applied, tested = row[-2:]
            assert applied.strip(), law
            if REGISTER[law].applicable and law not in LEFT_OUT:
                assert tested.strip(" |"), law


# ---- each check can fail -------------------------------------------------------------


def entries(law: str, entry: Entry | None) -> Callable[[Coverage], Coverage]:
    """Exchanges, adds or removes the entry of a law."""

    def change(covered: Coverage) -> Coverage:
        changed = {name: e for name, e in covered.entries.items() if name != law}
        return dataclasses.replace(covered, entries=changed | ({law: entry} if entry else {}))

    return change


def readings(point: str, *done_by: str) -> Callable[[Coverage], Coverage]:
    """Exchanges who settles a point in doubt."""

    def change(covered: Coverage) -> Coverage:
        reading = Reading("law", "resolution", done_by)
        return dataclasses.replace(covered, readings={**covered.readings, point: reading})

    return change


def more(citation: Citation) -> Callable[[Coverage], Coverage]:
    """Adds a citation by a test."""
    return lambda covered: dataclasses.replace(covered, tests=(*covered.tests, citation))


def untested(law: str) -> Callable[[Coverage], Coverage]:
    """Removes the tests and the cases of a law."""
    return lambda covered: dataclasses.replace(
        covered,
        tests=tuple(test for test in covered.tests if test.law != law),
        cases={name: ids for name, ids in covered.cases.items() if name != law},
    )


def without_runner(covered: Coverage) -> Coverage:
    kept = tuple(test for test in covered.tests if (test.path, test.name) != CASE_TEST)
    return dataclasses.replace(covered, tests=kept)


def with_case(covered: Coverage) -> Coverage:
    return dataclasses.replace(covered, cases={**covered.cases, "72.d": ["S-72.d-01"]})


def rule_by(name: str, tag: Tag = Tag.REFEREE) -> Entry:
    return Entry((tag,), (name,))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (entries("72.a", None), "72.a: not in the register"),
        (entries("152", rule_by("carrom.laws.tables.judge")), "152: in the register, but no law"),
        (entries("30", Entry((Tag.CONDUCT,))), "30: neither a function"),
        (entries("72.a", Entry((Tag.REFEREE,))), "72.a: neither a function"),
        (entries("72.a", rule_by("carrom.laws.tablets.judge")), "72.a: carrom.laws.tablets"),
        (entries("72.a", rule_by("carrom.laws.tables.judged")), "has no judged"),
        (entries("13", rule_by("carrom.laws.Ruling.dues")), "Ruling has no dues"),
        (entries("72.a", rule_by("carrom.layout.Layout")), "layout.py does not cite it"),
        (
            entries("30", Entry((Tag.CONDUCT,), told_by=("carrom.laws.Event.JERK",))),
            "Event has no JERK",
        ),
        (untested("72.a"), "72.a: applicable, but no test cites it"),
        (untested("139"), "139: applicable, but no test cites it"),
        (untested("57"), "57: applicable, but no test cites it"),
        (untested("I.A"), "I.A: applicable, but no test cites it"),
        (untested("U1"), "U1: settled by a function, but no test cites it"),
        (readings("A1", "carrom.laws.course.stir"), "A1: carrom.laws.course.stir"),
        (more(Citation("tests/x.py", "test", "72.d", True)), "cites 72.d, which is no law"),
        (more(Citation("tests/x.py", "test", "107", True)), "cites 107, which is no law"),
        (more(Citation("tests/x.py", "test", "72.a", False)), "cites 72.a and asserts nothing"),
        (more(Citation("tests/x.py", "test", None, True)), "the mark's law is computed"),
        (with_case, "S-72.d-01 cites 72.d, which is no law"),
        (without_runner, "test_case is missing, which runs the cases"),
    ],
)
def test_each_check_can_fail(covered: Coverage, change: Callable[..., Coverage], fault: str):
    assert not any(fault in said for said in faults(covered))
    assert any(fault in said for said in faults(change(covered)))


def test_a_package_from_elsewhere_is_not_taken_for_the_checkout(covered: Coverage, tmp_path):
    (tmp_path / "tests" / "data").mkdir(parents=True)
    (tmp_path / "tests" / "data" / "law_cases.jsonl").touch()
    elsewhere = dataclasses.replace(covered, locate=coverage(tmp_path).locate)
    assert any(f"expected a file of {tmp_path}" in fault for fault in faults(elsewhere))


def test_a_missing_citation_is_found_for_every_applicable_law(covered: Coverage):
    nobody = dataclasses.replace(covered, tests=(), cases={})
    said = {fault.split(":")[0] for fault in faults(nobody) if "no test cites it" in fault}
    applicable = {law for law, entry in REGISTER.items() if entry.applicable} - LEFT_OUT
    assert said == applicable | {point for point, reading in READINGS.items() if reading.done_by}


def test_a_stale_page_and_a_gap_end_the_script_with_1(monkeypatch, tmp_path, capsys):
    spec = importlib.util.spec_from_file_location("lawbook", ROOT / "scripts" / "lawbook.py")
    assert spec
    assert spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)

    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["lawbook.py", *arguments])
        return script.main(), capsys.readouterr().out

    assert run("--check")[0] == 0
    copy = tmp_path / "laws.md"
    monkeypatch.setattr(script, "PAGE", copy)
    assert run("--check")[0] == 1
    assert run()[0] == 0
    assert copy.read_text() == (ROOT / PAGE).read_text()
    copy.write_text(copy.read_text() + " ")
    status, said = run("--check")
    assert status == 1
    assert "stale" in said
    monkeypatch.setattr(script, "coverage", lambda root: untested("72.a")(coverage(root)))
    copy.write_text("as it was")
    status, said = run()
    assert (status, copy.read_text()) == (1, "as it was")
    assert "72.a: applicable, but no test cites it" in said


# ---- reading the marks ---------------------------------------------------------------

SUITE = """
import pytest

pytestmark = pytest.mark.law("1")
ROWS = [pytest.param(0, marks=pytest.mark.law("2.a")), 1]


@pytest.mark.law("3")
@pytest.mark.law("4", "5")
@pytest.mark.parametrize("x", ROWS)
def test_much(x):
    assert x


@pytest.mark.law("6")
class TestClass:
    @pytest.mark.parametrize("x", [pytest.param(0, marks=[pytest.mark.law("7")])])
    def test_method(self, x):
        with pytest.raises(ValueError):
            int(x)

    def helper(self):
        assert True


def look_closely(x):
    assert x


def glance(x):
    print(x)


@pytest.mark.law("8")
def test_silent():
    glance("nothing")


@pytest.mark.law("13")
def test_by_a_helper():
    look_closely("much")


@pytest.mark.law(str(9))
def test_computed():
    np.testing.assert_allclose(1, 1)


@pytest.mark.slow
@pytest.mark.law("10")
def test_slow():
    assert True


@pytest.mark.skipif(True, reason="")
@pytest.mark.law("11")
def test_left_out():
    assert True


@pytest.mark.law("12")
def test_that_skips():
    pytest.skip("no")
    assert True
"""


def test_marks_are_found_wherever_they_stand_and_only_on_tests_that_run(tmp_path):
    folder = tmp_path / "tests" / "deep"
    folder.mkdir(parents=True)
    (folder / "test_some.py").write_text(SUITE)
    (folder / "helper.py").write_text(SUITE)
    found = {(c.name, c.law, c.asserts) for c in cited_by_tests(tmp_path)}
    assert {c.path for c in cited_by_tests(tmp_path)} == {"tests/deep/test_some.py"}
    assert found == {
        *(("test_much", law, True) for law in ("1", "2.a", "3", "4", "5")),
        *(("TestClass.test_method", law, True) for law in ("1", "6", "7")),
        *(("test_silent", law, False) for law in ("1", "8")),
        *(("test_by_a_helper", law, True) for law in ("1", "13")),
        *(("test_computed", law, True) for law in ("1", None)),
    }


def test_cases_are_counted_by_the_laws_they_cite(tmp_path):
    file = tmp_path / "cases.jsonl"
    file.write_text('{"id": "a", "laws": ["1", "2.a"]}\n{"id": "b", "laws": ["1"]}\n')
    assert cited_by_cases(file) == {"1": ["a", "b"], "2.a": ["a"]}


@pytest.mark.parametrize(
    ("source", "cited", "not_cited"),
    [
        ("# lost (72.a, 74)", ["72.a", "74"], ["72.b", "7", "4"]),
        ('"""Ends (102-112)."""', ["102.a", "107.b", "112.a"], ["101.a", "113"]),
        ("# two penalties (64)", ["64.a", "64.b"], ["63.a"]),
        ("law = '49.a.i'", ["49.a.i"], ["49.a.ii", "49.b"]),
        ("# by 49.a (49.a)", ["49.a.i", "49.a.ii"], ["49.b"]),
        ("# the rack of laws 41.a and 43", ["41.a", "43"], ["41.b"]),
        ("shape = 19  # positions (19, 2), m", [], ["19", "2.a"]),
        ("x = (72, 74) and 76", [], ["72.a", "74", "76"]),
        ("# 72 strokes in 15 s", [], ["72.a", "15"]),
        ("# 32 (32)", ["32", "32 (bis)"], ["3"]),
        ("# see A1, not U18", ["A1", "U18"], ["A18", "U1"]),
        ('"equipment A (playing surface)"', ["I.A"], ["I.B"]),
        ('"equipment (frame height)"', ["I.frame height"], ["I.frame width"]),
    ],
)
def test_what_counts_as_a_citation_in_a_source(source, cited, not_cited):
    assert [law for law in cited + not_cited if cites(source, law)] == cited

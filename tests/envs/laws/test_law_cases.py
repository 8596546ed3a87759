"""The worked cases: every decision as the laws want it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from carrom.laws import cited
from carrom.laws.cases import Case, differences, judge, read_cases

CASES = read_cases(
    (Path(__file__).parents[2] / "data" / "law_cases.jsonl").read_text().splitlines()
)


def _main_law(case: Case) -> str:
    found = re.fullmatch(r"[SD]-(.+)-\d+", case.name)
    assert found
    return found[1]


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=pytest.mark.law(_main_law(case)), id=case.name) for case in CASES],
)
def test_case(case: Case):
    assert case.after
    assert list(differences(case)) == []


def test_a_wrong_expectation_is_reported():
    case = CASES[0]
    case.after["on_board"]["white"] += 1
    try:
        assert list(differences(case)) == [("on_board.white", 10, 9)]
    finally:
        case.after["on_board"]["white"] -= 1


# Named after a law that only the umpire's caller can know of: clocks, sides, what fell why.
_OUT_OF_SIGHT = {"46", "50", "70.b", "66.a", "82.a", "81", "49.a.i", "49.a.ii", "49.a.iii", "27.b"}
# Cases of a law that just does not apply.
_NOT_SO = {"S-45.a-04", "S-54-02", "S-54-05", "S-56.a-05", "S-137-04"}
NAMED = [
    case for case in CASES if _main_law(case) not in _OUT_OF_SIGHT and case.name not in _NOT_SO
]


@pytest.mark.parametrize("case", NAMED, ids=lambda case: case.name)
def test_the_law_in_question_is_cited(case: Case):
    _, ruling = judge(case)
    assert _main_law(case) in cited(ruling)

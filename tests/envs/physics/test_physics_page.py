"""The page on the physics can be made, says everything, and would say if something failed."""

import re

import numpy as np
import pytest
from scipy import stats

from carrom.board import Board
from carrom.physics.calibration.agreement import same_chance
from carrom.physics.calibration.amounts import QUICK
from carrom.physics.calibration.check import Check
from carrom.physics.calibration.closed_forms import end_of_runs, interval, rebound, struck
from carrom.physics.calibration.page import model, runs, write
from carrom.physics.calibration.page.section import Section, demands
from carrom.physics.material import Material

BOARD = Board()
LARGEST_PICTURE = 150_000
TITLES = (
    "1. The model", "2. Sliding", "3. Impacts", "4. Corners and pockets",
    "5. The engines on the same strokes", "6. Whole strokes and breaks",
    "7. The planar engine against an independent reference",
    "8. Runs, and the material's ranges", "9. Every demand", "10. Where it ends",
)  # fmt: skip


def test_quick_page(tmp_path):
    checks = write.write(tmp_path, quick=True)
    assert [check for check in checks if not check.passed] == []
    text = (tmp_path / write.PAGE).read_text()
    assert re.findall("^## (.*)$", text, re.MULTILINE) == list(TITLES)
    rows = text.split("## 9. Every demand")[1].split("## 10.")[0]
    verdicts = re.findall(r"\| (passes|\*\*FAILS\*\*) \|$", rows, re.MULTILINE)
    assert verdicts == ["passes"] * len(checks)
    assert {check.engine for check in checks} == {"MuJoCo", "planar", "both"}
    assert all(check.cases > 0 for check in checks)
    pictures = re.findall(r"\]\(images/([a-z-]+\.png)\)", text)
    folder = tmp_path / "docs" / "images"
    assert sorted(pictures) == sorted(path.name for path in folder.iterdir())
    for name in pictures:
        data = (folder / name).read_bytes()
        assert data.startswith(b"\x89PNG")
        assert len(data) < LARGEST_PICTURE
    # Neither dates nor anything of this machine.
    assert str(tmp_path) not in text
    assert "nan" not in text.lower().split()


def test_the_same_text_and_pictures_again():
    one, other = (runs.section(BOARD, QUICK) for _ in range(2))
    assert one == other
    assert model.section(BOARD) == model.section(BOARD)


def test_a_failure_is_said():
    good, bad = Check("speed", 1.0, 2.0, "m/s"), Check("energy", 3.0, 2.0, "J", cases=1234)
    table = demands([good, bad])
    assert "| speed | MuJoCo | at most 2 m/s | 1 m/s | 1 | passes |" in table
    assert "| energy | MuJoCo | at most 2 J | 3 J | 1,234 | **FAILS** |" in table
    page = write.page_of([Section("1. One", "text", (good, bad))], quick=False)
    assert "**2 demands, of which 1 fail.**" in page
    assert "--quick" not in page


@pytest.mark.parametrize("seed", range(5))
def test_chi_square(seed):
    rng = np.random.default_rng(seed)
    counts = rng.poisson([[80, 90, 200, 210], [70, 95, 190, 240]])
    expected = float(np.asarray(stats.chi2_contingency(counts)[1]))
    assert same_chance(counts[0], counts[1]) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(("seen", "cases"), [(0, 12), (3, 40), (40, 40), (900, 1000)])
def test_interval_is_wilsons(seen, cases):
    expected = stats.binomtest(seen, cases).proportion_ci(method="wilson")
    assert interval(seen / cases, cases) == pytest.approx(tuple(expected), abs=1e-4)


def test_closed_forms_conserve_what_they_must():
    """Momentum and angular momentum about the point of contact; rolling where rims stick."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        masses, radii = rng.uniform(0.005, 0.015, 2), rng.uniform(0.015, 0.02, 2)
        speed, cut, spin = rng.uniform(0.1, 6), rng.uniform(-1.4, 1.4), rng.uniform(-60, 60)
        friction = float(rng.choice([0.0, 0.1, 5.0]))
        after = struck(tuple(masses), tuple(radii), speed, cut, spin, 0.7, friction)
        momentum = masses[0] * after.mover + masses[1] * after.other
        came = speed * np.array([np.cos(cut), np.sin(cut)])
        assert momentum == pytest.approx(masses[0] * came)
        # About the point of contact the impulse has no moment, on either disc.
        lever = masses[0] * radii[0]
        before = lever * (radii[0] * spin / 2 - came[1])
        assert lever * (radii[0] * after.mover_spin / 2 - after.mover[1]) == pytest.approx(before)
        assert (after.other - after.mover)[0] == pytest.approx(0.7 * came[0])
        assert after.kept <= 1 + 1e-12
        rims = after.mover_spin * radii[0] + after.other_spin * radii[1]
        if friction == 5.0:
            assert after.other[1] - after.mover[1] - rims == pytest.approx(0.0, abs=1e-12)
        velocity, turn = rebound(radii[0], speed, abs(cut), spin, 0.7, friction)
        assert velocity[0] == pytest.approx(-0.7 * speed * np.cos(cut))
        if friction == 5.0:
            assert velocity[1] + turn * radii[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("speed", [0.5, 1.2, 2.7, 5.0])
def test_end_of_runs_by_small_steps(speed):
    material, step = Material(), 1e-5
    reach, y, v = BOARD.half_side - BOARD.striker_radius, BOARD.base_line_y, speed
    while abs(v) > material.deceleration * step:
        v -= np.sign(v) * material.deceleration * step
        y += v * step
        if abs(y) > reach:
            y, v = np.sign(y) * reach, -material.restitution_frame * v
    assert end_of_runs(BOARD, material, speed) == pytest.approx(y, abs=1e-3)

"""The painted surface against the laws' table of dimensions, read off pixel by pixel."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrom.board import Board, legal_range
from carrom.render.markings import surface_picture
from carrom.render.style import Style

# Plain colours without grain, so that a pixel is one of three things or a mixture of two.
PLAIN = Style(surface=(255, 255, 255), ink=(0, 0, 0), red=(255, 0, 0), grain=0.0)
SIDE = 0.7366
HALF = SIDE / 2
PIXEL = SIDE / PLAIN.surface_pixels


@pytest.fixture(scope="module")
def surface():
    return surface_picture(Board(), PLAIN).astype(int)


def at(surface, x, y):
    """The pixel that holds the point (x, y)."""
    return surface[int((HALF - y) / PIXEL), int((x + HALF) / PIXEL)]


def black(pixels):
    """How black pixels are, from 0 to 1: red paint leaves the first channel alone."""
    return 1 - pixels[..., 0] / 255


def red(pixels):
    return (pixels[..., 0] - pixels[..., 1]) / 255


def runs(cover):
    """Start and length of every inked stretch of a row of pixels, in pixels, antialiased."""
    inked = np.concatenate([[False], cover > 0.02, [False]])
    edges = np.flatnonzero(np.diff(inked.astype(int)))
    return [
        (start + 1 - cover[start], cover[start:end].sum())
        for start, end in zip(edges[::2], edges[1::2], strict=True)
    ]


def test_four_sides_are_equal_to_the_last_pixel(surface):
    for turns in (1, 2, 3):
        assert np.array_equal(surface, np.rot90(surface, turns))


def test_base_lines_lie_where_equipment_e_and_f_put_them(surface):
    # Upwards from the near frame, a hand's breadth off the middle.
    column = black(surface[::-1, int((0.1 + HALF) / PIXEL)])[: int(0.2 / PIXEL)]
    (lower, lower_thickness), (upper, upper_thickness) = runs(column)
    assert lower * PIXEL == pytest.approx(0.1015, abs=PIXEL / 4)
    assert lower_thickness * PIXEL == pytest.approx(0.0050, abs=PIXEL / 4)
    assert (upper + upper_thickness) * PIXEL == pytest.approx(0.1015 + 0.0318, abs=PIXEL / 4)


def test_base_lines_with_their_circles_are_047_long(surface):
    row = black(surface[int((HALF + HALF - 0.1174) / PIXEL)])
    inked = np.flatnonzero(row > 0.5) * PIXEL - HALF
    # Lines of the neighbouring sides cross the row farther out than equipment D allows.
    near = inked[np.abs(inked) < 0.2365]
    assert near[-1] - near[0] == pytest.approx(0.4700, abs=2 * PIXEL)


def test_red_paint_is_eight_base_circles_and_the_centre(surface):
    area = red(surface).sum() * PIXEL**2
    expected = 8 * math.pi * 0.0127**2 + math.pi * 0.0159**2
    assert area == pytest.approx(expected, rel=2e-3)


def test_between_the_base_circle_and_its_red_part_the_wood_shows(surface):
    x, y = HALF - 0.1492, -(HALF - 0.1174)
    for angle in np.linspace(0, 2 * math.pi, 16):
        gap = (x + 0.0136 * math.cos(angle), y + 0.0136 * math.sin(angle))
        assert np.all(at(surface, *gap) == 255)


def test_outer_circle_is_017_across(surface):
    row = black(surface[PLAIN.surface_pixels // 2])
    inked = np.flatnonzero(row > 0.5) * PIXEL - HALF
    circle = inked[np.abs(inked) < 0.1]
    assert circle[-1] - circle[0] == pytest.approx(0.1700, abs=2 * PIXEL)


def test_arrows_point_at_the_pockets_between_the_base_circles(surface):
    along = np.arange(0.1, 0.48, PIXEL / 2)
    line = np.array([black(at(surface, s / math.sqrt(2), -s / math.sqrt(2))) for s in along])
    inked = along[line > 0.5]
    pocket_edge = math.sqrt(2) * (HALF - 0.02225) - 0.02225
    tip = inked[-1]
    assert tip == pytest.approx(pocket_edge - 0.0500, abs=0.0015)  # a point fades out
    start = tip - 0.2670
    shaft = inked[inked > start - 0.001]
    assert shaft[0] == pytest.approx(start, abs=0.002)
    assert np.all(np.diff(shaft) < PIXEL), "the shaft has no hole"
    # Behind the shaft's start only the arc, half its diameter away.
    assert inked[0] == pytest.approx(start - 0.0635 / 2, abs=0.002)


def test_wood_shows_between_arrow_and_base_circle(surface):
    # The circle's centre is 0.0318 / sqrt(2) from the diagonal; halfway from edge to arrow:
    aside = (0.0159 + 0.0318 / math.sqrt(2) - 0.00075) / 2 / math.sqrt(2)
    x, y = HALF - 0.1492 + aside, -(HALF - 0.1174) + aside
    assert np.all(at(surface, x, y) == 255)


@settings(max_examples=8, deadline=None)
@given(
    side=st.floats(0.7350, 0.7396),
    outer=st.floats(*legal_range("outer_circle_diameter")),
    centre=st.floats(*legal_range("centre_circle_diameter")),
    thickness=st.floats(*legal_range("base_line_thickness")),
)
def test_markings_follow_the_dimensions(side, outer, centre, thickness):
    board = Board(
        side=side,
        outer_circle_diameter=outer,
        centre_circle_diameter=centre,
        base_line_thickness=thickness,
    )
    picture = surface_picture(board, PLAIN).astype(int)
    n = PLAIN.surface_pixels
    pixel = side / n
    middle = picture[n // 2]
    assert red(middle)[n // 3 : -n // 3].sum() * pixel == pytest.approx(centre, abs=pixel)
    (_, lower), (_, _) = runs(black(picture[::-1, n // 2 + 200])[: int(0.2 / pixel)])
    assert lower * pixel == pytest.approx(thickness, abs=pixel / 4)
    circle = np.flatnonzero(black(middle) > 0.5) * pixel - side / 2
    circle = circle[np.abs(circle) < 0.1]
    assert circle[-1] - circle[0] == pytest.approx(outer, abs=2 * pixel)

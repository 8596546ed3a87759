"""Pictures by what can be measured in them, with projections computed here."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from carrom.board import Board
from carrom.errors import BoardError, ConfigError, RenderError
from carrom.pieces import COLOURS, QUEEN, STRIKER, Colour
from carrom.rack import rack
from carrom.render.picture import BoardRenderer
from carrom.render.scene import CAMERAS, drawing_scene
from carrom.render.stage import Stage

pytestmark = pytest.mark.render

BOARD = Board()
OUTER = 0.7366 + 2 * 0.0700
NOTHING = np.zeros((20, 2)), np.zeros(20, bool)


def scattered(seed):
    """Twenty places at least 45 mm apart and inside the frames."""
    rng = np.random.default_rng(seed)
    places = np.empty((0, 2))
    while len(places) < 20:
        place = rng.uniform(-0.34, 0.34, 2)
        if np.all(np.hypot(*(places - place).T) > 0.045):
            places = np.vstack([places, place])
    return places


def pixel_of(point, width, height):
    """Row and column of a point under the top camera: parallel rays, the board fits exactly."""
    scale = min(width, height) / OUTER
    return int(height / 2 - point[1] * scale), int(width / 2 + point[0] * scale)


def projected(points, camera, width, height):
    """Rows and columns of points (n, 3) under a camera that sees in perspective."""
    model = Stage(BOARD).model
    number = model.camera(camera).id
    eye, axes = model.cam_pos[number], model.cam_mat0[number].reshape(3, 3)
    focal = height / 2 / math.tan(math.radians(model.cam_fovy[number]) / 2)
    right, up, back = axes.T @ (points - eye).T
    return height / 2 - focal * up / -back, width / 2 + focal * right / -back


def colour_of(pixel):
    red, green, blue = (int(value) for value in pixel)
    if blue > red + 60:
        return Colour.STRIKER
    if red > green + 90:
        return Colour.QUEEN
    if max(red, green, blue) < 80:
        return Colour.BLACK
    if min(red, green, blue) > 165:
        return Colour.WHITE
    return None


@pytest.fixture(scope="module")
def top():
    with BoardRenderer(BOARD, 256, 256, shadows=False) as renderer:
        yield renderer


@pytest.mark.parametrize("size", [(256, 256), (320, 200), (200, 320)])
@pytest.mark.parametrize("shadows", [False, True])
def test_every_disc_has_its_colour_where_it_lies(size, shadows):
    with BoardRenderer(BOARD, *size, shadows=shadows) as renderer:
        for seed in range(3):
            places = scattered(seed)
            picture = renderer.render(places, np.ones(20, bool))
            assert picture.shape == (size[1], size[0], 3)
            assert picture.dtype == np.uint8
            seen = [colour_of(picture[pixel_of(place, *size)]) for place in places]
            assert seen == list(COLOURS)


def test_rack_shows_its_colours(top):
    places = np.vstack([rack(BOARD, np.random.default_rng(0)), [0.0, BOARD.base_line_y]])
    picture = top.render(places, np.ones(20, bool))
    assert [colour_of(picture[pixel_of(p, 256, 256)]) for p in places] == list(COLOURS)


def test_empty_board_shows_wood_red_centre_and_dark_pockets(top):
    picture = top.render(*NOTHING)
    assert colour_of(picture[pixel_of((0, 0), 256, 256)]) == Colour.QUEEN
    assert colour_of(picture[pixel_of((0.05, 0.0), 256, 256)]) is None
    for centre in BOARD.pocket_centres:
        assert picture[pixel_of(centre, 256, 256)].max() < 80
        inward = centre * (1 - 0.03 / np.hypot(*centre))  # 30 mm: beyond the pocket's edge
        assert picture[pixel_of(inward, 256, 256)].max() > 180


def test_empty_board_looks_the_same_from_four_sides(top):
    picture = top.render(*NOTHING).astype(int)
    marks = picture.sum(axis=2) < 400  # ink, red paint, pockets and frames, but no wood
    for turns in (1, 2, 3):
        assert np.mean(marks != np.rot90(marks, turns)) < 0.005


def test_moving_a_disc_changes_only_its_neighbourhood(top):
    places, shown = scattered(0), np.ones(20, bool)
    before = top.render(places, shown)
    moved = places.copy()
    moved[STRIKER] += (0.012, -0.009)
    after = top.render(moved, shown)
    rows, columns = np.nonzero((before != after).any(axis=2))
    assert len(rows) > 0
    x = (columns + 0.5 - 128) * OUTER / 256
    y = (128 - rows - 0.5) * OUTER / 256
    near = np.zeros(len(rows), bool)
    for place in (places[STRIKER], moved[STRIKER]):
        near |= np.hypot(x - place[0], y - place[1]) < BOARD.striker_radius + 2 * OUTER / 256
    assert near.all()


def test_a_disc_out_of_play_is_not_drawn_wherever_it_is_said_to_be(top):
    places, shown = scattered(1), np.ones(20, bool)
    shown[QUEEN] = False
    picture = top.render(places, shown)
    places[QUEEN] = np.nan
    assert np.array_equal(top.render(places, shown), picture)
    assert not any(colour_of(p) == Colour.STRIKER for p in top.render(*NOTHING).reshape(-1, 3))


@pytest.mark.parametrize("camera", ["perspective", "player", "broadcast"])
def test_perspective_cameras_see_the_striker_where_a_pinhole_does(camera):
    width, height = 320, 240
    shown = np.zeros(20, bool)
    shown[STRIKER] = True
    places = np.zeros((20, 2))
    with BoardRenderer(BOARD, width, height, camera, shadows=False) as renderer:
        for place in [(0.0, 0.0), (0.2, 0.1), (-0.15, -0.2), (0.1, 0.3)]:
            places[STRIKER] = place
            picture = renderer.render(places, shown).astype(int)
            rows, columns = np.nonzero(picture[..., 2] > picture[..., 0] + 40)
            middle = np.array([[*place, BOARD.carromman_thickness / 2]])
            row, column = projected(middle, camera, width, height)
            assert columns.mean() == pytest.approx(column.item(), abs=1.5)
            assert rows.mean() == pytest.approx(row.item(), abs=1.5)


def from_all_sides(points):
    """Points (n, 2) of one side, and of the other three."""
    x, y = np.array(points).T
    return np.concatenate([np.column_stack(p) for p in ((x, y), (-y, x), (-x, -y), (y, -x))])


HALF = 0.7366 / 2
CIRCLES = from_all_sides([(HALF - 0.1492, 0.1174 - HALF), (0.1492 - HALF, 0.1174 - HALF)])
"""Centres of the base circles, equipment F, G."""


def test_markings_stand_in_the_picture_where_the_laws_put_them():
    size = 1600
    with BoardRenderer(BOARD, size, size, shadows=False, samples=0) as renderer:
        picture = renderer.render(*NOTHING).astype(int)

    def at(points):
        return np.array([picture[pixel_of(point, size, size)] for point in points])

    low, high = 0.1015 - HALF, 0.1015 + 0.0318 - HALF  # outer edges of a pair of base lines
    pocket = HALF - 0.02225
    tip = math.hypot(pocket, pocket) - 0.02225 - 0.05
    along = np.array([0.3, 0.5, 0.7]) * 0.267  # of the arrow, from its point
    diagonal = np.column_stack([tip - along, along - tip]) / math.sqrt(2)
    ring = 0.17 / 2 - 0.00075
    angles = np.linspace(0.1, 1.4, 7)
    inked = from_all_sides(
        [
            *((x, low + 0.0025) for x in (-0.15, 0.0, 0.1)),
            *((x, high - 0.00075) for x in (-0.15, 0.0, 0.1)),
            *diagonal,
            *(ring * np.column_stack([np.cos(angles), np.sin(angles)])),
        ]
    )
    bare = from_all_sides(
        [
            *((x, (low + high) / 2) for x in (-0.15, 0.0, 0.1)),
            *((x, low - 0.004) for x in (-0.15, 0.0, 0.1)),
            *((x, high + 0.004) for x in (-0.15, 0.0, 0.1)),
            *(diagonal + 0.004),
            *(0.081 * np.column_stack([np.cos(angles), np.sin(angles)])),
        ]
    )
    # A thin line is a pixel or two wide here, and a sample may hit its edge.
    assert np.median(at(inked).sum(axis=1)) < 200
    assert (at(inked).sum(axis=1) < 450).all()
    assert (at(bare).min(axis=1) > 100).all()
    turned = 0.0115 * np.column_stack([np.cos(angles * 4), np.sin(angles * 4)])
    for centre in (*CIRCLES, np.zeros(2)):
        assert all(colour_of(pixel) == Colour.QUEEN for pixel in at(centre + turned))
    assert all(colour_of(p) == Colour.QUEEN for p in at(turned * 0.0150 / 0.0115))
    assert (at(turned * 0.0172 / 0.0115).min(axis=1) > 100).all()
    between = at(np.concatenate([c + turned * 0.0136 / 0.0115 for c in CIRCLES]))
    assert (between.min(axis=1) > 90).mean() > 0.9, "wood between the circle and its red part"


@pytest.mark.parametrize("camera", ["broadcast", "player"])
def test_perspective_cameras_see_red_circles_and_dark_pockets_where_they_are(camera):
    width, height = 960, 640
    with BoardRenderer(BOARD, width, height, camera, shadows=False) as renderer:
        picture = renderer.render(*NOTHING).astype(int)
    for points, expected in ((CIRCLES, True), (CIRCLES * 0.85, False)):
        rows, columns = projected(np.c_[points, np.zeros(len(points))], camera, width, height)
        seen = picture[rows.astype(int), columns.astype(int)]
        assert all((colour_of(pixel) == Colour.QUEEN) == expected for pixel in seen)


@pytest.mark.parametrize("camera", CAMERAS)
def test_depth_is_the_distance_along_the_axis(camera):
    width, height = 240, 180
    places, shown = np.zeros((20, 2)), np.zeros(20, bool)
    places[3], shown[3] = (0.1, 0.05), True
    with BoardRenderer(BOARD, width, height, camera, samples=0) as renderer:
        depth = renderer.depth(places, shown)
        empty = renderer.depth(*NOTHING)
    assert depth.shape == (height, width)
    assert depth.dtype == np.float32
    # Frames, the surface, and the disc's face: heights of equipment.
    points = np.array([(0.0, 0.4033, 0.0222), (0.0, -0.2, 0.0), (0.1, 0.05, 0.0080)])
    model = Stage(BOARD).model
    number = model.camera(camera).id
    eye, axes = model.cam_pos[number], model.cam_mat0[number].reshape(3, 3)
    away = -(axes.T @ (points - eye).T)[2]
    if camera == "top":
        rows, columns = np.array([pixel_of(p, width, height) for p in points]).T
    else:
        rows, columns = (a.astype(int) for a in projected(points, camera, width, height))
    # A pixel of a slanting surface is up to a centimetre deep.
    assert depth[rows, columns] == pytest.approx(away, abs=1e-6 if camera == "top" else 0.010)
    nearer = empty - depth
    assert nearer.min() > -1e-4
    assert nearer.max() == pytest.approx(0.008, abs=1e-6) or camera != "top"


@pytest.mark.parametrize("camera", CAMERAS)
def test_shadows_only_darken(camera):
    places, shown = scattered(2), np.ones(20, bool)
    pictures = []
    for shadows in (False, True):
        with BoardRenderer(BOARD, 200, 200, camera, shadows=shadows) as renderer:
            pictures.append(renderer.render(places, shown).astype(int))
    bright, shaded = pictures
    # Along edges, lamp and surroundings are sampled apart where there are shadows.
    assert np.mean(shaded > bright + 1) < 0.01
    assert np.mean(shaded < bright - 15) > 0.0005


def test_each_picture_is_a_fresh_array(top):
    first = top.render(*NOTHING)
    copy = first.copy()
    second = top.render(scattered(0), np.ones(20, bool))
    assert np.array_equal(first, copy)
    assert not np.shares_memory(first, second)


def test_a_second_renderer_draws_as_the_first_did():
    places, shown = scattered(3), np.ones(20, bool)
    pictures = []
    for _ in range(2):
        renderer = BoardRenderer(BOARD, 96, 96)
        pictures.append(renderer.render(places, shown))
        renderer.close()
    assert np.array_equal(*pictures)
    assert pictures[0].std() > 20


def test_closing_one_renderer_leaves_the_others_alone():
    places, shown = scattered(4), np.ones(20, bool)
    stays, goes = BoardRenderer(BOARD, 96, 96), BoardRenderer(BOARD, 64, 48, "player")
    forgotten = BoardRenderer(BOARD, 32, 32)
    for other in (goes, forgotten):
        other.render(places, shown)
    before = stays.render(places, shown)
    # The one that stays drew last: the others must not free what is its own.
    goes.close()
    assert np.array_equal(stays.render(places, shown), before)
    del forgotten, other
    assert np.array_equal(stays.render(places, shown), before)
    stays.close()


def test_a_closed_renderer_says_so():
    renderer = BoardRenderer(BOARD, 32, 32)
    renderer.close()
    renderer.close()
    with pytest.raises(RenderError, match="closed"):
        renderer.render(*NOTHING)


def test_unknown_camera_names_the_known_ones():
    with pytest.raises(ConfigError, match=r"'side'.*top, perspective, player, broadcast"):
        BoardRenderer(BOARD, camera="side")


@pytest.mark.parametrize("value", [0, -3, 5000, 2.5, None, True])
def test_sizes_are_whole_numbers_of_pixels(value):
    with pytest.raises(ConfigError, match=r"width = .*1 to 4096"):
        BoardRenderer(BOARD, width=value)
    with pytest.raises(ConfigError, match=r"height = .*1 to 4096"):
        BoardRenderer(BOARD, height=value)


def test_shadows_are_there_or_not():
    with pytest.raises(ConfigError, match="shadows = 'no': expected True or False"):
        BoardRenderer(BOARD, shadows="no")  # type: ignore[arg-type]


@pytest.mark.render
def test_another_thread_is_told_whose_the_renderer_is():
    with BoardRenderer(BOARD, 32, 32) as renderer, ThreadPoolExecutor(1) as threads:
        mine = renderer.render(*NOTHING)
        with pytest.raises(RenderError, match="belongs to the thread"):
            threads.submit(renderer.render, *NOTHING).result()
        assert np.array_equal(renderer.render(*NOTHING), mine)


def test_samples_are_a_small_whole_number():
    with pytest.raises(ConfigError, match=r"samples = -1: expected 0 to 16"):
        BoardRenderer(BOARD, samples=-1)


def test_a_bad_position_is_named(top):
    with pytest.raises(BoardError, match=r"\(19, 2\).*\(20, 2\)"):
        top.render(np.zeros((19, 2)), np.ones(20, bool))
    with pytest.raises(BoardError, match=r"\(1,\).*\(20,\)"):
        top.render(np.zeros((20, 2)), np.ones(1, bool))
    places = scattered(0)
    places[7, 1] = np.inf
    with pytest.raises(BoardError, match=r"disc 7 .*inf"):
        top.render(places, np.ones(20, bool))


def test_the_scene_takes_every_board_the_laws_allow():
    small = Board(
        side=0.7350, frame_width=0.0635, pocket_diameter=0.0430, carromman_diameter=0.0302
    )
    scene = drawing_scene(small)
    assert scene is drawing_scene(small)
    with BoardRenderer(small, 128, 128, shadows=False) as renderer:
        picture = renderer.render(*NOTHING)
    outer = 0.7350 + 2 * 0.0635
    edge = int(64 - small.half_side / outer * 128)
    # Dark frame outside, light wood inside, in the middle of the left side.
    assert picture[64, edge - 2].sum() < 350 < picture[64, edge + 2].sum()

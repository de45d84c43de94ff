"""A camera frames the whole scene, from every side, for any aspect ratio of the picture."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from drycell.base import DrycellError, UnknownName
from drycell.pictures import Camera
from drycell.pictures.camera import VIEW_ANGLE, VIEWS

numbers = st.floats(-5, 5)
clouds = st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=30)
aspects = st.floats(0.3, 4.0)


def in_picture(points: np.ndarray, eye, focus, up, aspect: float) -> np.ndarray:
    """Where points land: x and y from −1 to 1 across the picture, and their depth in metres."""
    back = np.subtract(eye, focus) / np.linalg.norm(np.subtract(eye, focus))
    right = np.cross(up, back)
    right /= np.linalg.norm(right)
    above = np.cross(back, right)
    seen = points - np.array(eye)
    depth = -seen @ back
    half = np.tan(math.radians(VIEW_ANGLE / 2)) * depth
    return np.stack((seen @ right / half / aspect, seen @ above / half, depth), axis=1)


@given(st.sampled_from(sorted(VIEWS)), clouds, aspects)
def test_all_points_are_in_the_picture_and_in_front_of_the_eye(view: str, cloud, aspect: float) -> None:
    points = np.array([*cloud, (0, 0, 0), (0.1, 0.2, 0.3)], dtype=float)
    x, y, depth = in_picture(points, *Camera(view).framing(points, aspect), aspect).T
    assert np.all(depth > 0)
    assert np.max(np.abs(x)) <= 1
    assert np.max(np.abs(y)) <= 1


@pytest.mark.parametrize("view", VIEWS)
def test_the_picture_is_filled(view: str) -> None:
    cube = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    x, y, _ = in_picture(cube, *Camera(view).framing(cube, 1.5), 1.5).T
    assert max(np.abs(x).max(), np.abs(y).max()) > 0.85


def test_from_the_front_x_is_right_and_z_is_up() -> None:
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 0, 1)], dtype=float)
    origin, right, above = in_picture(points, *Camera("front").framing(points, 1.0), 1.0)
    assert right[0] > origin[0]
    assert above[1] > origin[1]
    assert right[1] == pytest.approx(origin[1])


def test_from_the_top_y_is_up() -> None:
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], dtype=float)
    origin, right, above = in_picture(points, *Camera("top").framing(points, 1.0), 1.0)
    assert right[0] > origin[0]
    assert above[1] > origin[1]


def test_zoom_moves_in_by_its_factor() -> None:
    cube = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    far, focus, _ = Camera("front").framing(cube, 1.0)
    near, _, _ = Camera("front", zoom=2.0).framing(cube, 1.0)
    assert focus == pytest.approx((0.5, 0.5, 0.5))
    assert math.dist(far, focus) == pytest.approx(2 * math.dist(near, focus))
    # A cube of 1 m: half of it over tan 15°, plus half its depth, and 6 % to spare.
    assert math.dist(far, focus) == pytest.approx(1.06 * (0.5 / math.tan(math.radians(15)) + 0.5))


def test_the_camera_looks_at_another_focus() -> None:
    cube = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    assert Camera("front", focus=(1.0, 0.0, 0.0)).framing(cube, 1.0)[1] == pytest.approx((1, 0, 0))


def test_error_for_an_unknown_view_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName) as caught:
        Camera("frnt")
    assert str(caught.value) == "there is no view 'frnt'\n  try: did you mean 'front'?"


@pytest.mark.parametrize("zoom", [0.0, -1.0, math.inf, math.nan])
def test_a_zoom_must_be_above_zero(zoom: float) -> None:
    with pytest.raises(DrycellError, match="a camera cannot zoom by"):
        Camera(zoom=zoom)

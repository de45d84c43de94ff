"""The clear circle around a point of a surface, compared with distances by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import GeometryError, Pose, mm
from drycell.geometry import Box, Cone, Cylinder, Sphere, clear_radius, merge

UP = (0.0, 0.0, 1.0)


@given(st.floats(-39, 39), st.floats(-19, 19))
@settings(deadline=None, max_examples=60)
def test_on_a_plate_it_is_the_distance_to_the_nearest_edge(x, y):
    plate = Box(80 * mm, 40 * mm, 4 * mm)
    expected = min(40 - abs(x), 20 - abs(y)) * mm
    assert clear_radius(plate, (x * mm, y * mm, 2 * mm), UP, 1 * mm) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("x", "expected"), [(0.0, 0.0), (10.0, 5.0), (20.0, 15.0), (34.0, 6.0)])
def test_a_hole_limits_it(x, expected):
    plate = Box(80 * mm, 80 * mm, 4 * mm)
    drilled = merge([(Pose(), plate)], [(Pose(), Cylinder(5 * mm, 10 * mm))])
    found = clear_radius(drilled, (x * mm, 0.0, 2 * mm), UP, 1 * mm)
    assert found == pytest.approx(expected * mm, abs=0.02 * mm) or (expected == 0.0 and found < 5.01 * mm)


def test_on_the_top_of_a_cylinder_it_is_the_radius():
    assert clear_radius(Cylinder(20 * mm, 30 * mm), (0, 0, 15 * mm), UP, 1 * mm) == pytest.approx(
        20 * mm, abs=0.011 * mm
    )


@pytest.mark.parametrize("radius", [20, 50])
def test_on_a_round_side_it_ends_where_the_side_is_too_low(radius):
    # A circle of radius r on a cylinder of radius R sinks by R − √(R² − r²) = 1 mm.
    side = Cylinder(radius * mm, 200 * mm)
    expected = math.sqrt(radius**2 - (radius - 1) ** 2) * mm
    found = clear_radius(side, (radius * mm, 0, 0), (1, 0, 0), 1 * mm)
    assert found <= expected + 0.05 * mm
    assert found == pytest.approx(expected, rel=0.15)  # it ends at a whole facet
    ball = clear_radius(Sphere(radius * mm), (0, 0, radius * mm), UP, 1 * mm)
    assert ball == pytest.approx(expected, rel=0.15)


def test_a_small_ball_is_limited_by_the_lean_of_its_surface():
    assert clear_radius(Sphere(1.5 * mm), (0, 0, 1.5 * mm), UP, 1 * mm) < 1.5 * mm * math.sin(math.radians(30)) * 1.1


def test_a_step_limits_it_even_if_it_is_low():
    stepped = merge(
        [(Pose(), Box(80 * mm, 80 * mm, 4 * mm)), (Pose(20 * mm, 0, 2.25 * mm), Box(20 * mm, 80 * mm, 0.5 * mm))]
    )
    assert clear_radius(stepped, (0, 0, 2 * mm), UP, 1 * mm) == pytest.approx(10 * mm, abs=1e-8)


def test_it_depends_on_neither_the_place_nor_the_axes_of_the_shape():
    cone = Cone(20 * mm, 30 * mm, 10 * mm)
    assert clear_radius(cone, (0, 0, 15 * mm), UP, 1 * mm) == pytest.approx(10 * mm, abs=0.011 * mm)
    assert clear_radius(cone, (0, 0, -15 * mm), (0, 0, -1), 1 * mm) == pytest.approx(20 * mm, abs=0.011 * mm)


def test_a_direction_without_length_is_refused():
    with pytest.raises(GeometryError):
        clear_radius(Box(1, 1, 1), (0, 0, 0.5), (0, 0, 0), 1 * mm)
    assert np.isfinite(clear_radius(Box(1, 1, 1), (9, 9, 9), UP, 1 * mm))

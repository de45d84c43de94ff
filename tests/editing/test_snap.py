"""Snapping puts a body exactly where the user wants it."""

import math

import pytest

from drycell.base import GeometryError, Pose, deg, mm
from drycell.editing import aligned, onto_face, to_angle, to_grid
from drycell.geometry import Box, Cone

BOX = Box(40 * mm, 20 * mm, 10 * mm).bounds


def test_a_grid_rounds_each_coordinate_and_keeps_the_rotation() -> None:
    snapped = to_grid(Pose.of_rpy(0.1, 0.2, 0.3, at=(12 * mm, -13 * mm, 4.9 * mm)), 5 * mm)
    assert snapped.position == pytest.approx((10 * mm, -15 * mm, 5 * mm))
    assert snapped.rpy == pytest.approx((0.1, 0.2, 0.3))


def test_angle_steps_keep_the_position() -> None:
    snapped = to_angle(Pose.of_rpy(1 * deg, -40 * deg, 97 * deg, at=(1, 2, 3)), 15 * deg)
    assert snapped.rpy == pytest.approx((0, -45 * deg, 90 * deg))
    assert snapped.position == (1, 2, 3)


@pytest.mark.parametrize("step", [0.0, -1.0, math.nan, math.inf])
def test_a_step_must_be_above_zero(step: float) -> None:
    with pytest.raises(GeometryError):
        to_grid(Pose(), step)


def test_a_body_stands_on_a_level_face_with_its_bottom() -> None:
    stood = onto_face(Pose.of_rpy(0.4, 0, 30 * deg), BOX, (1.0, 2.0, 0.5), (0, 0, 1))
    assert stood.position == pytest.approx((1.0, 2.0, 0.5 + 5 * mm))
    assert stood.rpy == pytest.approx((0, 0, 30 * deg), abs=1e-9)


@pytest.mark.parametrize("normal", [(1, 0, 0), (0, -1, 0), (0, 0, -1), (0.6, 0.0, 0.8), (0.48, 0.64, 0.6)])
def test_a_body_stands_on_any_face_with_its_z_axis_along_the_normal(normal: tuple[float, float, float]) -> None:
    bounds = Cone(10 * mm, 30 * mm).bounds
    stood = onto_face(Pose.turn_z(0.7), bounds, (0.1, 0.2, 0.3), normal)
    assert stood.direction((0, 0, 1)) == pytest.approx(normal, abs=1e-9)
    assert stood.point((0, 0, bounds[0][2])) == pytest.approx((0.1, 0.2, 0.3))


def test_centres_are_aligned_along_the_given_axes() -> None:
    pose = aligned(Pose(1, 1, 1), BOX, Pose.turn_z(0.5), ((0, 0, 0), (0.2, 0, 0)), "x")
    assert pose.position == pytest.approx((0.1 * math.cos(0.5), 1, 1))
    with pytest.raises(GeometryError, match="unknown axes 'w'"):
        aligned(Pose(), BOX, Pose(), BOX, "w")

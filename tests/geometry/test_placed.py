"""Placed shapes: a single piece away from its shape's origin uses the fast path, and has the right pose."""

import pytest

from drycell.base import Pose
from drycell.geometry import Box, Compound, Cylinder, Placed, closest, distance


def test_a_piece_off_the_origin_is_measured_like_a_shape_there():
    local, pose = Pose.of_rpy(0.3, -0.2, 0.9, at=(0.05, 0.02, -0.01)), Pose.of_rpy(-0.7, 0.4, 0.1, at=(0.5, 0.1, 0.2))
    table = Placed(Box(0.4, 0.4, 0.02))
    for shape in (Box(0.1, 0.05, 0.2), Cylinder(0.03, 0.2)):
        carried, bare = Placed(Compound(((local, shape),)), pose), Placed(shape, pose @ local)
        assert carried.core is not None
        assert distance(carried, table) == distance(bare, table)
        assert closest(carried, table) == closest(bare, table)
        carried.place(Pose(0.0, 0.0, 0.05))
        bare.place(Pose(0.0, 0.0, 0.05) @ local)
        assert distance(carried, table) < 0.0
        assert distance(carried, table) == pytest.approx(distance(bare, table), abs=1e-12)
        assert carried.middle == pytest.approx(bare.middle, abs=1e-15)

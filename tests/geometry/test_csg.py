"""Merged solids have the exact volume of the boolean, and fall into exact convex pieces."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import IDENTITY, GeometryError, Pose, mm
from drycell.geometry import Box, Compound, Cylinder, Mesh, Placed, Prism, Shape, Sphere, contains, distance, merge
from drycell.geometry.convex_decomposition import convex_parts
from drycell.geometry.primitives import deviation_of


def polygon_area(radius: float, count: int) -> float:
    return 0.5 * count * radius**2 * math.sin(2 * math.pi / count)


def hull_volumes(shape: Mesh) -> float:
    parts = convex_parts(*shape.triangles())
    assert parts is not None
    return sum(Mesh(part.vertices, part.faces).volume for part in parts)


def test_a_box_less_a_cylinder_has_the_exact_volume_of_its_facets() -> None:
    plate = merge([(IDENTITY, Box(0.1, 0.1, 0.05))], [(IDENTITY, Cylinder(0.02, 0.2))])
    assert plate.volume == pytest.approx(0.05 * (0.01 - polygon_area(0.02, 24)), rel=1e-12)
    true = 0.05 * (0.01 - math.pi * 0.02**2)
    assert plate.volume == pytest.approx(true, abs=2 * math.pi * 0.02 * deviation_of(0.02, 24) * 0.05)
    fine = merge([(IDENTITY, Box(0.1, 0.1, 0.05))], [(IDENTITY, Cylinder(0.02, 0.2))], deviation=0.01 * mm)
    assert fine.volume == pytest.approx(true, abs=2 * math.pi * 0.02 * 0.01 * mm * 0.05)
    assert abs(fine.volume - true) < abs(plate.volume - true)


@pytest.mark.parametrize(
    ("solids", "holes", "count"),
    [
        ([(IDENTITY, Box(1, 1, 1))], [], 1),
        ([(IDENTITY, Box(1, 1, 1))], [(IDENTITY, Box(0.5, 0.5, 2))], 4),
        ([(IDENTITY, Box(0.1, 0.1, 0.05))], [(Pose(0, 0, 0.02), Box(0.05, 0.05, 0.05))], 5),
        ([(IDENTITY, Box(0.1, 0.1, 0.05))], [(IDENTITY, Cylinder(0.02, 0.2))], 24),
        ([(IDENTITY, Box(1, 1, 1)), (Pose(3, 0, 0), Box(1, 1, 1))], [], 2),
        ([(IDENTITY, Box(1, 1, 1)), (Pose(0.5, 0.5, 0.5), Box(1, 1, 1))], [], None),
        (
            [(IDENTITY, Prism(((0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)), 1))],
            [(Pose(0.5, 0.5), Cylinder(0.2, 3))],
            None,
        ),
    ],
)
def test_convex_pieces_add_up_to_the_solid(solids: list, holes: list, count: int | None) -> None:
    shape = merge(solids, holes)
    assert hull_volumes(shape) == pytest.approx(shape.volume, rel=1e-12)
    assert count is None or len(shape.pieces()) == count
    assert all(piece.core.convex for piece in shape.pieces())


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_pieces_of_random_solids_add_up(draw: type, data: st.DataObject) -> None:
    def part() -> tuple[Pose, Shape]:
        kind = st.one_of(st.builds(Box, draw.size, draw.size, draw.size), st.just(Cylinder(0.1, 0.7)))
        return data.draw(draw.pose(0.2)), data.draw(kind)

    shape = merge([part(), (IDENTITY, Box(0.5, 0.5, 0.5))], [part()], deviation=0.01)
    if all(piece.core.convex for piece in shape.pieces()):
        assert hull_volumes(shape) == pytest.approx(shape.volume, rel=1e-9)
    placed = Placed(shape)
    for point in data.draw(st.lists(st.tuples(*[draw.number(-0.4, 0.4)] * 3), min_size=5, max_size=5)):
        near = shape.nearest(point)
        if abs(near.distance) > 1e-6:
            assert contains(placed, point) == (near.distance < 0)


def test_a_compound_is_merged_as_the_union_of_its_parts() -> None:
    cross = Compound(((IDENTITY, Box(3, 1, 1)), (IDENTITY, Box(1, 3, 1))))
    assert cross.volume == pytest.approx(6)  # the middle counts twice
    assert merge([(IDENTITY, cross)]).volume == pytest.approx(5)


def test_common_faces_leave_no_slivers() -> None:
    rod, block = Cylinder(0.1, 0.7), Box(0.5, 0.5, 0.5)
    drilled = merge([(IDENTITY, rod), (IDENTITY, block)], [(IDENTITY, rod)])
    assert drilled.bounds == block.bounds  # nothing protrudes where the rod was
    assert drilled.volume == pytest.approx(0.5 * (0.25 - polygon_area(0.1, 24)), rel=1e-12)
    flush = merge([(IDENTITY, block)], [(Pose(0.5), block), (Pose(0, 0, 0.4), Box(0.5, 0.2, 0.5))])
    assert flush.volume == pytest.approx(0.125 - 0.5 * 0.2 * 0.1, rel=1e-12)
    tangent = merge(
        [(Pose(0.1, 0.1, 0.2), rod), (IDENTITY, Box(0.4, 0.4, 0.4))], [(Pose(0.2, 0.1), Box(0.44, 0.2, 0.3))]
    )
    assert hull_volumes(tangent) == pytest.approx(tangent.volume, rel=1e-9)


def test_a_void_stays_a_void() -> None:
    hollow = merge([(IDENTITY, Box(1, 1, 1))], [(IDENTITY, Box(0.5, 0.5, 0.5))])
    assert hollow.volume == pytest.approx(1 - 0.125)
    assert hull_volumes(hollow) == pytest.approx(hollow.volume)
    body, ball = Placed(hollow), Placed(Sphere(0.1))
    assert not contains(body, (0, 0, 0))
    assert distance(body, ball) == pytest.approx(0.15, abs=1e-9)


def test_merging_does_not_depend_on_the_poses_of_the_parts() -> None:
    world = Pose.of_rpy(0.3, 0.2, 0.1, (5, 6, 7))
    here = merge([(IDENTITY, Box(1, 1, 1))], [(Pose(0.5), Box(0.5, 0.5, 0.5))])
    there = merge([(world, Box(1, 1, 1))], [(world @ Pose(0.5), Box(0.5, 0.5, 0.5))])
    assert there.volume == pytest.approx(here.volume, rel=1e-12)
    assert there.centre_of_mass == pytest.approx(world.point(here.centre_of_mass))


def test_error_for_a_failed_merge_gives_the_reason() -> None:
    vertices, faces = Box(1, 1, 1).triangles()
    bowl = Mesh(vertices, faces[:-2])
    with pytest.raises(GeometryError) as caught:
        merge([(IDENTITY, Box(1, 1, 1))], [(IDENTITY, Sphere(1)), (IDENTITY, bowl)])
    assert str(caught.value) == (
        "merge: hole 1: mesh is not a solid: 4 of its edges are open (not shared by two triangles)\n"
        "  try: close the surface in the CAD system, or export it as a solid and not as faces"
    )
    with pytest.raises(GeometryError, match="merge: the list of solids is empty"):
        merge([])
    with pytest.raises(GeometryError, match="merge: 1 holes remove all of 1 solids"):
        merge([(IDENTITY, Box(1, 1, 1))], [(IDENTITY, Box(2, 2, 2))])


def test_a_fine_convex_mesh_stays_one_piece() -> None:
    ball = Mesh(*Sphere(0.1).triangles(0.1 * mm))
    assert len(ball.pieces()) == 1
    assert np.prod(ball.pieces()[0].core.extent(0, 0, 1)) == pytest.approx(0.1)

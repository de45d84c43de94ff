"""Simplification: fewer pieces within the given limits that enclose the original, with a correct closeness."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import GeometryError, Pose, mm
from drycell.geometry import (
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Mesh,
    Prism,
    Shape,
    Sphere,
    closeness,
    first_step,
    merge,
    simplify,
)
from drycell.geometry.convex_part import ConvexPart, MeshPart, parts_of
from drycell.geometry.hausdorff import hausdorff

# A block 100 × 60 × 40 mm with a bump of 10 × 10 × 2 mm on its top.
BUMP = Compound(((Pose(), Box(100 * mm, 60 * mm, 40 * mm)), (Pose(0, 0, 21 * mm), Box(10 * mm, 10 * mm, 2 * mm))))


def inside_points(shape: Shape, count: int, seed: int = 1) -> np.ndarray:
    """Points of a solid: drawn from its box, kept if they are in it."""
    low, high = (np.array(corner) for corner in shape.bounds)
    points = np.random.default_rng(seed).uniform(low, high, (20 * count, 3))
    return np.array([point for point in points if shape.contains(tuple(point))][:count])


def test_a_bump_disappears_if_the_closeness_is_larger_than_its_height():
    simple = simplify(BUMP, closeness=2 * mm)
    assert simple.pieces == (2, 1)
    assert simple.faces == (24, 12)
    ((pose, box),) = simple.shape.parts
    assert (box.x, box.y, box.z) == pytest.approx((0.1, 0.06, 0.042))
    assert pose.position == pytest.approx((0, 0, 0.001))
    # By hand: the block has 240 000 mm³, the bump 200; their box has 252 000.
    assert simple.closeness.volume == pytest.approx(252_000 / 240_200, rel=1e-12)
    assert simple.closeness.distance == pytest.approx(2 * mm, abs=1e-12)
    assert simple.closeness.found == pytest.approx(2 * mm, abs=1e-12)
    assert simple.closeness.along == pytest.approx((0, 0, 2 * mm), abs=1e-12)
    assert simple.closeness.contains


def test_nothing_is_simplified_below_the_height_of_the_bump():
    same = simplify(BUMP, closeness=1.99 * mm)
    assert same.shape is BUMP
    assert not same.changed
    assert same.closeness.volume == 1.0
    assert same.closeness.distance == 0.0
    assert first_step(BUMP) == pytest.approx(2 * mm, abs=1e-6)


@pytest.mark.parametrize(("limit", "pieces"), [(0.05, 1), (0.049, 2)])
def test_volume_alone_can_be_the_limit(limit, pieces):
    # By hand: 252 000 / 240 200 − 1 = 4.913 %.
    assert simplify(BUMP, volume=limit).pieces == (2, pieces)
    assert simplify(BUMP, volume=limit, closeness=1 * mm).pieces == (2, 2)


def test_a_flange_of_coaxial_bars_becomes_one_bar():
    flange = Compound(((Pose(), Cylinder(30 * mm, 100 * mm)), (Pose(0, 0, 20 * mm), Cylinder(31 * mm, 10 * mm))))
    simple = simplify(flange, closeness=1.1 * mm)
    ((pose, bar),) = simple.shape.parts if isinstance(simple.shape, Compound) else ((Pose(), simple.shape),)
    assert isinstance(bar, Cylinder)
    assert (bar.radius, bar.length) == pytest.approx((31 * mm, 100 * mm))
    assert pose.position == pytest.approx((0, 0, 0), abs=1e-12)
    assert 1 * mm <= simple.closeness.distance <= 1.1 * mm
    assert simple.closeness.found == pytest.approx(1 * mm, abs=1e-6)
    exact = math.pi * 0.031**2 * 0.1 / (math.pi * (0.03**2 * 0.09 + 0.031**2 * 0.01))
    assert simple.closeness.volume == pytest.approx(exact, rel=1e-4)


def test_a_turned_pair_is_covered_along_its_own_axes():
    turn = Pose.of_rpy(0.4, 0.2, 0.7, at=(0.1, 0.2, 0.3))
    pair = Compound(tuple((turn @ Pose(x, 0, 0), Box(0.1, 0.05, 0.02)) for x in (-0.05, 0.05)))
    simple = simplify(pair, closeness=0.1 * mm)
    ((_, box),) = simple.shape.parts
    assert sorted((box.x, box.y, box.z)) == pytest.approx([0.02, 0.05, 0.2], abs=2e-6)


def test_a_bored_block_is_filled_only_when_the_bore_is_small_enough():
    bored = merge([(Pose(), Box(60 * mm, 60 * mm, 20 * mm))], [(Pose(), Cylinder(3 * mm, 30 * mm))])
    assert len(bored.pieces()) > 8
    simple = simplify(bored, closeness=3.2 * mm)
    assert simple.pieces[1] == 1
    # From the axis it is 3 mm × cos 7.5° to the walls of a bore of 24 sides.
    assert simple.closeness.found == pytest.approx(3 * mm * math.cos(math.pi / 24), abs=1e-6)
    # With a smaller closeness the bore stays open, with fewer sides.
    open_bore = simplify(bored, closeness=2.5 * mm)
    assert 1 < open_bore.pieces[1] < open_bore.pieces[0]
    assert not open_bore.shape.contains((0.0, 0.0, 0.0))
    assert open_bore.closeness.distance <= 2.5 * mm


def test_a_finely_faceted_mesh_becomes_a_ball():
    mesh = Mesh(*Sphere(50 * mm).triangles(0.5 * mm))
    simple = simplify(mesh, closeness=1 * mm)
    assert isinstance(simple.shape, Sphere)
    assert simple.shape.radius == pytest.approx(50 * mm, abs=2e-6)
    assert simple.closeness.distance <= 1 * mm


def test_a_cone_becomes_a_cheaper_bar_within_the_limit():
    assert isinstance(simplify(Cone(20 * mm, 100 * mm, 19 * mm), closeness=1.1 * mm).shape, Cylinder)
    assert isinstance(simplify(Cone(20 * mm, 100 * mm, 10 * mm), closeness=1.1 * mm).shape, Cone)


def test_a_mesh_of_too_many_pieces_is_cut_in_halves_and_covered():
    # A ring of 100 mm with a section of 30 mm, in 32 × 12 facets: no union of few convex pieces.
    around, across = np.meshgrid(np.arange(32) * math.pi / 16, np.arange(12) * math.pi / 6, indexing="ij")
    wide = 0.1 + 0.03 * np.cos(across)
    points = np.stack((wide * np.cos(around), wide * np.sin(around), 0.03 * np.sin(across)), axis=2).reshape(-1, 3)
    corners = [(i * 12 + j, (i + 1) % 32 * 12 + j) for i in range(32) for j in range(12)]
    nexts = [(i * 12 + (j + 1) % 12, (i + 1) % 32 * 12 + (j + 1) % 12) for i in range(32) for j in range(12)]
    faces = [t for (a, b), (d, c) in zip(corners, nexts, strict=True) for t in ((a, b, c), (a, c, d))]
    ring = Mesh(points, np.array(faces))
    assert isinstance(parts_of(ring)[0], MeshPart)
    simple = simplify(ring, closeness=30 * mm)
    assert 1 < simple.pieces[1] <= 8
    assert simple.closeness.contains
    assert simple.closeness.found <= simple.closeness.distance <= 30 * mm
    for vertex in points[::7]:
        assert simple.shape.nearest(tuple(vertex)).distance <= 2e-9


@pytest.mark.parametrize("limits", [{}, {"closeness": 0.0}, {"volume": -0.1}, {"closeness": math.nan}])
def test_invalid_limits_are_refused(limits):
    with pytest.raises(GeometryError, match="simplify: "):
        simplify(BUMP, **limits)


def test_an_open_mesh_is_refused_with_the_number_of_open_edges():
    vertices, faces = Box(0.1, 0.1, 0.1).triangles()
    with pytest.raises(GeometryError, match="4 open edges"):
        simplify(Mesh(vertices, faces[2:]), closeness=1 * mm)


# ---------------------------------------------------------------- closeness


@pytest.mark.parametrize(
    ("simple", "detailed", "expected"),
    [
        (Box(0.1, 0.1, 0.2), Cylinder(0.05, 0.2), 0.05 * (math.sqrt(2) - 1)),  # a corner and a bar
        (Box(0.1, 0.1, 0.1), Sphere(0.05), 0.05 * (math.sqrt(3) - 1)),  # a corner from a ball
        (
            Cylinder(0.05 * math.sqrt(2), 0.2),
            Box(0.1, 0.1, 0.2),
            0.05 * (math.sqrt(2) - 1),
        ),  # a round side, a flat one
        (Capsule(0.05, 0.2), Cylinder(0.05, 0.2), 0.05),  # a round end
        (Cylinder(0.05, 0.2), Cone(0.05, 0.2), 0.05 * 0.2 / math.hypot(0.05, 0.2)),  # a rim from a mantle
    ],
)
def test_the_largest_distance_is_bracketed_and_known_by_hand(simple, detailed, expected):
    found = closeness(simple, detailed)
    assert found.found <= found.distance
    assert found.found == pytest.approx(expected, rel=2e-3)
    assert expected * (1 - 1e-9) <= found.distance <= expected * 1.02
    assert found.contains
    assert found.volume == pytest.approx(simple.volume / detailed.volume)
    assert max(found.along) <= found.distance + 1e-12


def test_a_void_inside_counts_in_the_distance():
    # A box of 100 mm with walls of 20 mm: the middle of the hollow is 30 mm from them.
    hollow = merge([(Pose(), Box(0.1, 0.1, 0.1))], [(Pose(), Box(0.06, 0.06, 0.06))])
    found = closeness(Box(0.1, 0.1, 0.1), hollow)
    assert found.found == pytest.approx(30 * mm, rel=1e-6)
    assert found.distance == pytest.approx(30 * mm, rel=1e-2)
    assert found.volume == pytest.approx(1 / (1 - 0.6**3))


def test_protrusions_are_measured_as_well():
    found = closeness(Box(0.1, 0.1, 0.1), Box(0.1, 0.1, 0.13))
    assert not found.contains
    assert found.distance == pytest.approx(15 * mm)
    assert found.along == pytest.approx((0, 0, 15 * mm))
    assert "does not contain it" in str(found)


SHAPES = st.sampled_from(
    [Box(0.05, 0.03, 0.02), Cylinder(0.02, 0.06), Cone(0.02, 0.05, 0.01), Sphere(0.02), Capsule(0.01, 0.04)]
)
PLACES = st.tuples(*[st.floats(-0.04, 0.04)] * 3, *[st.floats(-3, 3)] * 3)


@settings(max_examples=15, deadline=None)
@given(parts=st.lists(st.tuples(SHAPES, PLACES), min_size=2, max_size=4), limit=st.floats(0.002, 0.04))
def test_the_simplified_solid_contains_every_point_within_the_limit(parts, limit):
    detailed = Compound(tuple((Pose.of_rpy(*place[3:], at=place[:3]), shape) for shape, place in parts))
    simple = simplify(detailed, closeness=limit)
    assert simple.pieces[1] <= simple.pieces[0]
    assert simple.closeness.distance <= limit * 1.01
    for point in inside_points(detailed, 100):
        assert simple.shape.nearest(tuple(point)).distance <= 2e-9
    for point in inside_points(simple.shape, 100):
        assert detailed.nearest(tuple(point)).distance <= limit * (1 + 1e-9)


@settings(max_examples=20, deadline=None)
@given(shape=SHAPES, place=PLACES, bounding=SHAPES)
def test_no_point_is_farther_than_the_bound(shape, place, bounding):
    solid = parts_of(shape, Pose.of_rpy(*place[3:], at=place[:3]))
    found = hausdorff(ConvexPart(Pose(), bounding), solid, tolerance=1e-4)
    points = inside_points(bounding, 200)
    gaps = np.linalg.norm(points - solid[0].nearest_points(points), axis=1)
    assert gaps.max() <= found.bound + 1e-12
    assert found.found <= found.bound + 1e-12


def test_many_nearest_points_agree_with_the_nearest_points_of_every_shape():
    hexagon = tuple((0.1 * math.cos(k * math.pi / 3), 0.07 * math.sin(k * math.pi / 3)) for k in range(6))
    pose = Pose.of_rpy(0.3, 0.5, -0.8, at=(0.1, 0.2, -0.05))
    points = np.random.default_rng(3).uniform(-0.3, 0.3, (300, 3))
    kinds = [Box(0.1, 0.2, 0.3), Cylinder(0.1, 0.2), Cone(0.1, 0.2), Cone(0.0, 0.2, 0.05), Sphere(0.1)]
    for shape in [*kinds, Cone(0.1, 0.2, 0.05), Capsule(0.05, 0.2), Prism(hexagon, 0.2)]:
        (part,) = parts_of(shape, pose)
        for point, nearest_point in zip(points, part.nearest_points(points), strict=True):
            true = max(shape.nearest(pose.inverse().point(point)).distance, 0.0)
            assert math.dist(point, nearest_point) == pytest.approx(true, abs=1e-12)

"""Shapes are values: content, sizes, bounding balls, mass and surfaces, checked against numbers computed by hand."""

import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import IDENTITY, GeometryError, Pose, mm
from drycell.geometry import Box, Capsule, Compound, Cone, Cylinder, Mesh, Placed, Prism, Sphere, project_to_surface
from drycell.geometry.mass import of_triangles


def test_equal_shapes_are_equal_and_share_engine_data() -> None:
    assert Box(1, 2, 3) == Box(1.0, 2.0, 3.0)
    assert hash(Box(1, 2, 3)) == hash(Box(1.0, 2.0, 3.0))
    assert Box(1, 2, 3) != Box(1, 2, 4)
    assert Cylinder(1, 2) != Capsule(1, 2)
    first, second = Box(0.3, 0.2, 0.1), Box(0.3, 0.2, 0.1)
    assert first.pieces() is second.pieces()
    assert Mesh(*Box(1, 1, 1).triangles()) == Mesh(*Box(1, 1, 1).triangles())
    assert Compound(((IDENTITY, Sphere(1)),)) == Compound(((IDENTITY, Sphere(1)),))
    assert Compound(((IDENTITY, Sphere(1)),)) != Compound(((Pose(1), Sphere(1)),))


def test_a_shape_cannot_be_changed_and_survives_pickling() -> None:
    with pytest.raises(AttributeError):
        Box(1, 2, 3).x = 4.0  # type: ignore[misc]
    mesh = Mesh(*Box(1, 1, 1).triangles())
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0, 0] = 9.0
    for shape in (Cone(1, 2, 0.5), mesh, Compound(((Pose(1), Sphere(1)),))):
        shape.pieces()
        assert pickle.loads(pickle.dumps(shape)) == shape


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: Box(-50 * mm, 1, 1),
            "box: x is -50.000 mm but must be more than 0\n  try: use the absolute value, x=50.000 mm",
        ),
        (lambda: Cylinder(0, 1), "cylinder: radius is 0.000 mm but must be more than 0\n  try: omit the shape"),
        (lambda: Sphere(math.nan), "sphere: radius is nan\n  try: give radius as a finite length, as in radius=25*mm"),
        (lambda: Box(1, 5e6, 1), "box: y is 5e+06 m; the limit is 1e+06 m\n  try: lengths are metres: write 250*mm"),
        (
            lambda: Capsule(1, -1),
            "capsule: length is -1000.000 mm but must be 0 or more\n  try: use the absolute value, length=1000.000 mm",
        ),
        (lambda: Cone(0, 1), "cone: 'radius' and 'top_radius' are both 0\n  try: write for example radius: 10 mm"),
        (lambda: Compound(()), "compound: the list of parts is empty\n  try: give at least one (pose, shape) pair"),
        (
            lambda: Prism(((0, 0), (1, 0)), 1),
            "prism: the outline has 2 points, but must have 3 to 2000\n  try: give each corner once",
        ),
        (
            lambda: Prism(((0, 0), (1, 1), (1, 0), (0, 1)), 1),
            "prism: side 0 ((0.000 mm, 0.000 mm) to (1000.000 mm, 1000.000 mm)) crosses side 2 "
            "((1000.000 mm, 0.000 mm) to (0.000 mm, 1000.000 mm))\n  try: give the corners in order around the outline",
        ),
        (
            lambda: Prism(((0, 0), (1, 0), (1, 0), (0, 1)), 1),
            "prism: points 1 and 2 of the outline are the same, (1000.000 mm, 0.000 mm)\n  try: give each corner once",
        ),
        (lambda: Prism(((0, 0), (1, 0), (0.5, 0)), 1), "crosses side"),
        (
            lambda: Prism(((0, 0), (1, 0), (1, math.inf)), 1),
            "prism: a point of the outline is not finite\n  try: write (10*mm, 20*mm)",
        ),
        (
            lambda: Mesh(np.zeros((3, 2)), np.zeros((1, 3), int)),
            "mesh: vertices are (3, 2) and faces (1, 3) but must be (n, 3) and (m, 3)\n"
            "  try: give triangles; split polygons first",
        ),
        (
            lambda: Mesh(np.zeros((3, 3)), np.zeros((0, 3), int)),
            "mesh: the list of triangles is empty\n  try: a solid has at least four",
        ),
        (
            lambda: Mesh(np.eye(3), np.array([[0, 1, 3]])),
            "mesh: faces use vertices 0..3, but the mesh has 0..2\n  try: faces count vertices from 0",
        ),
        (
            lambda: Mesh(np.eye(3) * math.nan, np.array([[0, 1, 2]])),
            "mesh: 3 of 3 vertices are not finite numbers\n  try: export it again",
        ),
        (
            lambda: Mesh(np.eye(3) * 1e9, np.array([[0, 1, 2]])),
            "mesh: a vertex is 1e+09 m from the origin; the limit is 1e+06 m\n"
            "  try: state the units of the file, as in units='mm'",
        ),
        (
            lambda: Mesh(np.ones((3, 3)), np.array([[0, 1, 2]])),
            "mesh: no triangle has an area\n  try: check the units and the export settings",
        ),
        (
            lambda: Mesh(np.eye(3), np.array([[0, 1, 2]])).volume,
            "a mesh with 3 open edges encloses no volume\n"
            "  try: close the surface in the CAD system, or set the mass of the body",
        ),
        (
            lambda: Cylinder(1, 1).triangles(-1 * mm),
            "faceting: deviation is -1.000 mm but must be more than 0\n"
            "  try: 0.1*mm suits most parts; omit it for coarse facets",
        ),
    ],
)
def test_invalid_shapes_are_refused_with_numbers_and_a_hint(make: object, text: str) -> None:
    with pytest.raises(GeometryError) as caught:
        make()  # type: ignore[operator]
    assert text in str(caught.value)


def test_mass_of_primitives_agrees_with_textbooks() -> None:
    assert Box(1, 2, 3).volume == pytest.approx(6)
    assert np.diag(Box(1, 2, 3).inertia(2)) == pytest.approx([12 / 12 * 13, 12 / 12 * 10, 12 / 12 * 5])
    assert Sphere(2).volume == pytest.approx(32 / 3 * math.pi)
    assert Cone(3, 4).volume == pytest.approx(12 * math.pi)
    assert Cone(3, 4).centre_of_mass == pytest.approx((0, 0, -1))  # a quarter of the height above the base
    # A solid cone of mass m: 3/10 m r² about its axis, 3/80 m (4 r² + h²) across, through the centre of mass.
    m = 12 * math.pi
    assert np.diag(Cone(3, 4).inertia(1)) == pytest.approx([3 / 80 * m * 52, 3 / 80 * m * 52, 3 / 10 * m * 9])
    assert Cone(2, 3, 2).inertia(1) == pytest.approx(Cylinder(2, 3).inertia(1))
    assert Capsule(2, 0).inertia(1) == pytest.approx(Sphere(2).inertia(1))
    assert Prism(((0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)), 2).volume == pytest.approx(6)
    assert Prism(((0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)), 2).centre_of_mass == pytest.approx((5 / 6, 5 / 6, 0))


@pytest.mark.parametrize(
    "shape",
    [Box(0.1, 0.2, 0.3), Cylinder(0.1, 0.3), Cone(0.1, 0.2), Cone(0.1, 0.2, 0.04), Sphere(0.1), Capsule(0.05, 0.2)],
)
def test_mass_agrees_with_integrals_over_fine_facets(shape: Box) -> None:
    fine = of_triangles(*shape.triangles(1e-5))
    assert fine.volume == pytest.approx(shape.volume, rel=1e-3)
    assert fine.centre == pytest.approx(shape.centre_of_mass, abs=1e-4)
    assert np.array(fine.inertia) == pytest.approx(shape.inertia(1), rel=2e-3, abs=1e-9)


def test_compound_mass_follows_the_parallel_axes() -> None:
    halves = Compound(
        ((Pose(0, 0, -0.25), Box(1, 1, 0.5)), (Pose(0, 0, 0.25) @ Pose.turn_z(math.pi / 2), Box(1, 1, 0.5)))
    )
    assert halves.volume == pytest.approx(1)
    assert halves.inertia(1) == pytest.approx(Box(1, 1, 1).inertia(1))


@given(st.data())
@settings(max_examples=120, deadline=None)
def test_balls_and_boxes_enclose_the_whole_shape(draw: type, data: st.DataObject) -> None:
    shape = data.draw(draw.shape)
    turned = Compound(((data.draw(draw.pose(0.3)), shape),))
    points, faces = shape.triangles()
    inner = (points[faces[:, 0]] + points[faces[:, 1]] + points[faces[:, 2]]) / 3
    for body, samples in ((shape, points), (shape, inner), (turned, turned.triangles()[0])):
        (centre, radius), (lower, upper) = body.sphere, body.bounds
        assert (np.linalg.norm(samples - centre, axis=1) <= radius + 1e-9).all()
        assert (samples >= np.array(lower) - 1e-9).all()
        assert (samples <= np.array(upper) + 1e-9).all()
        gaps = [np.linalg.norm(samples - c, axis=1) - r for c, r in body.spheres()]
        assert (np.min(gaps, axis=0) <= 1e-9).all()
        assert len(gaps) <= 8


def test_a_long_capsule_gets_several_balls_and_a_plate_a_grid() -> None:
    balls = Capsule(0.05, 0.5).spheres()
    assert len(balls) == 6
    assert max(radius for _, radius in balls) < 0.075
    assert len(Box(1, 0.5, 0.02).spheres()) == 8
    assert Sphere(0.1).spheres() == (((0, 0, 0), 0.1),)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_nearest_point_is_on_the_surface_at_the_reported_distance(draw: type, data: st.DataObject) -> None:
    shape = data.draw(draw.shape)
    point = data.draw(st.tuples(*[draw.number(-0.6, 0.6)] * 3))
    near = shape.nearest(point)
    assert abs(near.distance) == pytest.approx(math.dist(point, near.point), abs=1e-9)
    assert abs(shape.nearest(near.point).distance) < 1e-9
    assert math.hypot(*near.normal) == pytest.approx(1)
    assert shape.contains(point) == (near.distance <= 1e-9)
    step = 1e-4  # moving outwards along the normal increases the distance by the same amount
    further = tuple(p + step * n for p, n in zip(near.point, near.normal, strict=True))
    assert shape.nearest(further).distance == pytest.approx(step, abs=1e-7)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_nearest_point_is_not_farther_than_any_facet(draw: type, data: st.DataObject) -> None:
    shape = data.draw(draw.shape)
    point = data.draw(st.tuples(*[draw.number(-0.6, 0.6)] * 3))
    vertices, _ = shape.triangles()
    assert abs(shape.nearest(point).distance) <= np.linalg.norm(vertices - point, axis=1).min() + 1e-9


def test_a_pick_on_a_faceted_cylinder_lands_on_the_cylinder() -> None:
    cylinder = Cylinder(20 * mm, 60 * mm)
    placed = Placed(cylinder, Pose(1, 2, 3) @ Pose.turn_x(0.7))
    vertices, faces = cylinder.triangles(1 * mm)
    middle = vertices[faces[0]].mean(axis=0)
    assert math.hypot(*middle[:2]) < 19.9 * mm  # the middle of a facet is inside the true surface
    found = placed.pose.inverse().point(project_to_surface(placed, placed.pose.point(middle.tolist())).point)
    assert math.hypot(*found[:2]) == pytest.approx(20 * mm, abs=1e-15)


def test_facets_are_within_the_requested_deviation() -> None:
    for shape in (Cylinder(0.1, 0.2), Sphere(0.1), Capsule(0.1, 0.2), Cone(0.1, 0.2, 0.05)):
        for deviation in (1e-3, 1e-4):
            vertices, faces = shape.triangles(deviation)
            middles = vertices[faces].mean(axis=1)
            gaps = [-shape.nearest(tuple(p)).distance for p in middles.tolist()[:: max(1, len(middles) // 200)]]
            assert max(gaps) <= deviation * (1 + 1e-9)
            assert max(abs(shape.nearest(tuple(p)).distance) for p in vertices.tolist()[::7]) < 1e-12
            assert Mesh(vertices, faces).is_solid


def test_inside_out_meshes_are_reversed_and_double_vertices_merged() -> None:
    vertices, faces = Box(1, 1, 1).triangles()
    assert Mesh(vertices, faces[:, ::-1]).volume == pytest.approx(1)
    soup = Mesh(vertices[faces].reshape(-1, 3), np.arange(36).reshape(12, 3))
    assert len(soup.vertices) == 8
    assert soup.is_solid
    assert Mesh(vertices, faces[:-1]).open_edges == 3


def test_importing_geometry_loads_no_engine() -> None:
    heavy = ("coal", "pinocchio", "manifold3d", "mujoco", "trimesh", "scipy")
    code = f"import sys, drycell.geometry; print([m for m in {heavy!r} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"

"""Distances against closed forms worked out by hand, over random rigid placements of the whole scene."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from drycell.base import IDENTITY, Pose, deg, mm
from drycell.geometry import (
    Box,
    Capsule,
    Closest,
    Compound,
    Cone,
    Cylinder,
    Mesh,
    Placed,
    Prism,
    Shape,
    Sphere,
    closest,
    contains,
    distance,
    gap as quick_gap,
    merge,
    proximity,
    touching,
)
from drycell.geometry.proximity import overlap

GAP = 5e-9  # metres: the required accuracy of a gap
DEPTH = 5e-8  # and a depth
EXAMPLES = settings(max_examples=60, deadline=None)


def check(a: Shape, b: Shape, X_AB: Pose, world: Pose, true: float) -> Closest:
    """Check a distance in both orders of the bodies, with and without a cutoff, and with its witness points."""
    one, other = Placed(a, world), Placed(b, world @ X_AB)
    tolerance = GAP if true > 0 else DEPTH
    for first, second in ((one, other), (other, one)):
        assert distance(first, second) == pytest.approx(true, abs=tolerance)
        assert distance(first, second, cutoff=true + 1e-3) == pytest.approx(true, abs=tolerance)
        beyond = distance(first, second, cutoff=true - 1e-3)
        assert beyond <= true + tolerance
        assert beyond > true - 1e-3 - tolerance
    near = closest(one, other)
    assert near.distance == pytest.approx(true, abs=tolerance)
    assert math.hypot(*near.normal) == pytest.approx(1, abs=1e-6)
    for p, q, n in zip(near.point_a, near.point_b, near.normal, strict=True):
        assert q - p == pytest.approx(near.distance * n, abs=1e-6)
    assert abs(a.nearest(one.pose.inverse().point(near.point_a)).distance) < 1e-6
    assert abs(b.nearest(other.pose.inverse().point(near.point_b)).distance) < 1e-6
    assert touching(one, other) == (true <= 1e-9) or abs(true) < 1e-8
    return near


def combine(*gaps: float) -> float:
    """The distance of two boxes, or bars, from their gaps along orthogonal ways: all negative means overlap."""
    return max(gaps) if max(gaps) <= 0 else math.hypot(*(max(gap, 0.0) for gap in gaps))


@given(st.data())
@EXAMPLES
def test_boxes_along_the_same_axes(draw: type, data: st.DataObject) -> None:
    a, b, at = (data.draw(st.tuples(*[s] * 3)) for s in (draw.size, draw.size, draw.number(-0.5, 0.5)))
    true = combine(*(abs(o) - (p + q) / 2 for o, p, q in zip(at, a, b, strict=True)))
    check(Box(*a), Box(*b), Pose(*at), data.draw(draw.pose(2)), true)


@given(st.data())
@EXAMPLES
def test_a_sphere_and_any_primitive(draw: type, data: st.DataObject) -> None:
    a, r = data.draw(draw.primitive), data.draw(draw.size)
    assume(not (isinstance(a, Cone) and a.top_radius > 0))  # a frustum has facets for distances, see below
    at = data.draw(st.tuples(*[draw.number(-0.6, 0.6)] * 3))
    check(a, Sphere(r), Pose(*at), data.draw(draw.pose(2)), a.nearest(at).distance - r)


@given(st.data())
@EXAMPLES
def test_a_sphere_and_a_frustum_within_its_facets(draw: type, data: st.DataObject) -> None:
    a, r = Cone(data.draw(draw.size), data.draw(draw.size), data.draw(draw.size)), data.draw(draw.size)
    at = data.draw(st.tuples(*[draw.number(-0.6, 0.6)] * 3))
    true = a.nearest(at).distance - r
    found = distance(Placed(a), Placed(Sphere(r), Pose(*at)))
    assert true - DEPTH <= found <= true + 1.1e-5 or (true < 0 and found == pytest.approx(true, abs=3e-5))


@given(st.data())
@EXAMPLES
def test_capsules_at_any_angle(draw: type, data: st.DataObject) -> None:
    (r, k), (s, m) = (data.draw(st.tuples(draw.size, draw.size)) for _ in range(2))
    X = data.draw(draw.pose(0.6))
    true = segments_apart((0, 0, -k / 2), (0, 0, k / 2), X.point((0, 0, -m / 2)), X.point((0, 0, m / 2))) - r - s
    assume(true + r + s > 1e-6)  # crossing axes: any direction perpendicular to both separates them
    check(Capsule(r, k), Capsule(s, m), X, data.draw(draw.pose(2)), true)


def segments_apart(*ends: tuple[float, float, float]) -> float:
    """By brute force: the inner stationary point if it lies within both, else the best of the four ends."""
    p, q, r, s = map(np.array, ends)
    d, e = q - p, s - r

    def to_segment(x: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
        share = np.clip((x - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
        return float(np.linalg.norm(a + share * (b - a) - x))

    best = min(to_segment(p, r, s), to_segment(q, r, s), to_segment(r, p, q), to_segment(s, p, q))
    n = np.cross(d, e)
    if np.linalg.norm(n) > 1e-9 * np.linalg.norm(d) * np.linalg.norm(e):
        t = np.linalg.solve(np.stack((d, -e, n), axis=1), r - p)
        if 0 <= t[0] <= 1 and 0 <= t[1] <= 1:
            best = min(best, float(abs(t[2]) * np.linalg.norm(n)))
    return best


@given(st.data())
@EXAMPLES
def test_cylinders_with_parallel_axes(draw: type, data: st.DataObject) -> None:
    (r, k), (s, m) = (data.draw(st.tuples(draw.size, draw.size)) for _ in range(2))
    x, y, z = data.draw(st.tuples(*[draw.number(-0.7, 0.7)] * 3))
    true = combine(math.hypot(x, y) - r - s, abs(z) - (k + m) / 2)
    check(Cylinder(r, k), Cylinder(s, m), Pose(x, y, z), data.draw(draw.pose(2)), true)


@given(st.data())
@EXAMPLES
def test_cylinders_side_by_side_around_contact(draw: type, data: st.DataObject) -> None:
    (r, k), (s, m) = (data.draw(st.tuples(draw.size, draw.number(0.1, 0.5))) for _ in range(2))
    gap = data.draw(st.sampled_from([1e-3, 1e-5, 1e-7, -1e-7, -1e-5, -1e-3]))
    turn = Pose.turn_z(data.draw(draw.number(-4, 4)))
    check(Cylinder(r, k), Cylinder(s, m), turn @ Pose(r + s + gap, 0, 0.01), data.draw(draw.pose(2)), gap)


@given(st.data())
@EXAMPLES
def test_on_a_wide_plate_only_the_lowest_point_counts(draw: type, data: st.DataObject) -> None:
    shape = data.draw(draw.primitive)
    assume(not (isinstance(shape, Cone) and shape.top_radius > 0))
    gap = data.draw(st.sampled_from([0.1, 1e-3, 1e-5, -1e-5, -1e-3]))
    turn = data.draw(draw.pose(0)) if data.draw(st.booleans()) else IDENTITY  # in a random orientation, or face to face
    u, v, w = turn.inverse().direction((0, 0, -1))
    lift = shape.extent(u, v, w) + 0.5 + gap  # type: ignore[attr-defined]
    check(Box(4, 4, 1), shape, Pose(0, 0, lift) @ turn, data.draw(draw.pose(2)), gap)


@pytest.mark.parametrize("gap", [0.01 * mm, 0.001 * mm, -0.01 * mm])
@pytest.mark.parametrize(
    ("a", "b", "X"),
    [
        (Box(0.2, 0.2, 0.2), Box(0.1, 0.1, 0.1), Pose(0.03, 0.02, 0.15)),
        (Box(0.2, 0.2, 0.2), Box(0.2, 0.2, 0.2), Pose(0, 0, 0.2)),
        (Cylinder(0.1, 0.2), Cylinder(0.1, 0.2), Pose(0, 0, 0.2)),
        (Box(0.2, 0.2, 0.2), Cylinder(0.05, 0.1), Pose(0.01, 0, 0.15)),
        (Box(0.2, 0.2, 0.2), Cone(0.05, 0.1), Pose(0.01, 0, 0.15)),
        (Box(0.2, 0.2, 0.2), Capsule(0.05, 0.1), Pose(0, 0, 0.15) @ Pose.turn_y(math.pi / 2)),
        (Mesh(*Box(0.2, 0.2, 0.2).triangles()), Prism(((-0.1, 0), (0.1, 0), (0, 0.1)), 0.1), Pose(0, 0, 0.15)),
    ],
)
def test_parallel_faces_a_hundredth_of_a_millimetre_apart(a: Shape, b: Shape, X: Pose, gap: float) -> None:
    world = Pose.of_rpy(0.3, -1.1, 2.2, (0.7, -0.4, 1.3))
    check(a, b, Pose(0, 0, gap) @ X, world, gap)


@pytest.mark.parametrize("inner", [Box(0.1, 0.1, 0.1), Cylinder(0.05, 0.1), Capsule(0.05, 0.02), Cone(0.05, 0.1)])
def test_depth_of_a_body_inside_another_is_the_way_out(inner: Shape) -> None:
    # A box of half size 0.5: the depth is along z, 0.5 - 0.2 + half the height of the inner box.
    half = inner.bounds[1][2]
    check(Box(1, 1, 1), inner, Pose(0.01, 0.02, 0.2), Pose.of_rpy(1, 2, 3), -(0.3 + half))


@given(st.data())
@EXAMPLES
def test_no_direction_has_a_smaller_overlap_than_the_depth(draw: type, data: st.DataObject) -> None:
    a, b = (data.draw(draw.primitive) for _ in range(2))
    X_WA, X_WB = (data.draw(draw.pose(0.1)) for _ in range(2))
    near = closest(Placed(a, X_WA), Placed(b, X_WB))
    assume(near.distance < -1e-6)
    one, other = a.pieces()[0].core, b.pieces()[0].core
    assert overlap(one, X_WA, other, X_WB, near.normal) == pytest.approx(-near.distance, abs=1e-6)
    rng = np.random.default_rng(1)
    for n in rng.normal(size=(200, 3)):
        x, y, z = (n / np.linalg.norm(n)).tolist()
        assert overlap(one, X_WA, other, X_WB, (x, y, z)) >= -near.distance - 1e-6


def test_results_do_not_depend_on_earlier_queries() -> None:
    fresh = distance(Placed(Cylinder(0.1, 0.3)), Placed(Box(0.1, 0.2, 0.3), Pose(0.3, 0.1, 0.2) @ Pose.turn_x(1)))
    a, b = Placed(Cylinder(0.1, 0.3)), Placed(Box(0.1, 0.2, 0.3))
    for x in (0.0, 2.0, 0.05, 0.2):
        b.place(Pose(x, 0, 0))
        distance(a, b)
        closest(b, a)
    b.place(Pose(0.3, 0.1, 0.2) @ Pose.turn_x(1))
    assert distance(a, b) == fresh


def test_a_peg_in_a_socket_keeps_its_clearance() -> None:
    socket = merge([(IDENTITY, Box(0.1, 0.1, 0.05))], [(Pose(0, 0, 0.02), Box(0.05, 0.05, 0.05))])
    assert len(socket.pieces()) == 5
    world = Pose.of_rpy(0.4, 0.5, 0.6, (1, 2, 3))
    a, peg = Placed(socket, world), Placed(Box(0.0498, 0.0498, 0.03))
    for x, z, true in ((0, 0.0151, 0.1 * mm), (0.09 * mm, 0.0151, 0.01 * mm), (0, 0.01001, 0.01 * mm)):
        peg.place(world @ Pose(x, 0, z))
        assert distance(a, peg) == pytest.approx(true, abs=GAP)
        near = closest(a, peg)
        assert near.distance == pytest.approx(true, abs=GAP)
        assert contains(peg, peg.pose.point((0, 0, 0)))
        assert not contains(a, peg.pose.point((0, 0, 0)))
    peg.place(world @ Pose(0.2 * mm, 0, 0.0151))
    assert distance(a, peg) == pytest.approx(-0.1 * mm, abs=DEPTH)


def test_distance_of_compounds_is_that_of_their_nearest_parts() -> None:
    arm = Compound(tuple((Pose(0.2 * k, 0, 0) @ Pose.turn_y(1.0), Capsule(0.05, 0.1)) for k in range(5)))
    wall = Compound(tuple((Pose(0.1 * k, 0.3, 0), Box(0.08, 0.02, 0.5)) for k in range(-5, 15)))
    assert distance(Placed(arm), Placed(wall)) == pytest.approx(0.3 - 0.01 - 0.05, abs=GAP)
    far = Placed(wall, Pose(0, 10, 0))
    assert 1.0 < distance(Placed(arm), far, cutoff=1.0) <= distance(Placed(arm), far)


def torus(rings: int = 48, sides: int = 24) -> Mesh:
    """A ring of radius 100 mm and thickness 60 mm, faceted: far more convex pieces than are worth it."""
    u, v = np.meshgrid(2 * np.pi * np.arange(rings) / rings, 2 * np.pi * np.arange(sides) / sides, indexing="ij")
    wide = 0.1 + 0.03 * np.cos(v)
    vertices = np.stack((wide * np.cos(u), wide * np.sin(u), 0.03 * np.sin(v)), axis=-1).reshape(-1, 3)
    faces = []
    for i in range(rings):
        for j in range(sides):
            a, b = i * sides + j, (i + 1) % rings * sides + j
            c, d = (i + 1) % rings * sides + (j + 1) % sides, i * sides + (j + 1) % sides
            faces += [(a, b, c), (a, c, d)]
    return Mesh(vertices, np.array(faces))


def test_a_mesh_of_too_many_pieces_is_a_surface_that_still_knows_its_inside() -> None:
    ring = Placed(torus(), Pose.of_rpy(1, 2, 3, (1, 0, 0)))
    assert ring.hollow
    ball = Placed(Sphere(0.005))
    ball.place(ring.pose)
    assert distance(ring, ball) == pytest.approx(0.065, abs=5e-4)
    assert closest(ring, ball).distance == distance(ring, ball)
    ball.place(ring.pose @ Pose(0.1, 0, 0))  # completely inside the ring's material
    assert distance(ring, ball) == pytest.approx(-0.025, abs=5e-4)
    assert distance(ball, ring) == pytest.approx(-0.025, abs=5e-4)
    assert touching(ring, ball)
    ball.place(ring.pose @ Pose(0.07, 0, 0))  # half inside, at the inner side: it leaves inwards
    near = closest(ring, ball)
    assert -0.0065 < near.distance < -0.003
    assert ring.pose.inverse().direction(near.normal)[0] < -0.9


def test_an_open_mesh_has_distances_but_no_inside() -> None:
    vertices, faces = Box(1, 1, 1).triangles()
    bowl = Placed(Mesh(vertices, faces[:-2]))
    assert distance(bowl, Placed(Sphere(0.1))) == pytest.approx(0.4, abs=GAP)
    assert distance(bowl, Placed(Sphere(0.1), Pose(0, 0, -0.55))) == pytest.approx(-1e-9)


def test_boxes_with_a_wrong_depth_from_coal_are_apart() -> None:
    """Found in a run: a part 10 µm above a table, tilted by the rounding errors of many moves, fell through it."""
    rows = (
        *(0.9999999999999984, -1.665334536937727e-16, 1.663622851509245e-16, 2.491693461508198e-17),
        *(6.207868043377508e-31, 0.9999999999999974, 8.794513139103643e-16, 0.29999999999999993),
        *(5.911909721176072e-16, 1.0331989324085224e-15, 0.9999999999999972, 0.020010179197747148),
    )
    part = Placed(Box(0.03, 0.03, 0.04), Pose.of_rows(rows))
    table = Placed(Box(1.2, 0.9, 0.02), Pose(0.0, 0.0, -0.01))
    assert quick_gap(part, table) == pytest.approx(10.179197747e-6, abs=1e-12)


@pytest.mark.parametrize("height", [1.4, 1.3, 1.2, 0.0, -1.2, -1.25, -1.4])
def test_a_cone_on_its_point_is_the_same_cone_upside_down(height: float) -> None:
    """For any width: facets that are fine enough for 300 mm would be more than the engine allows around one point."""
    block, place = Box(0.1, 0.1, 0.1), Pose(0.02, 0.01, height)
    on_its_point = distance(Placed(Cone(0.0, 2.5, 0.3)), Placed(block, place))
    upright = distance(Placed(Cone(0.3, 2.5)), Placed(block, Pose(0.02, -0.01, -height)))
    assert on_its_point == pytest.approx(upright, abs=1e-9)


def test_a_depth_along_a_kink_is_found_in_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    plain = proximity.overlap

    def counted(*given: object) -> float:
        nonlocal asked
        asked += 1
        return plain(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(proximity, "overlap", counted)
    wrist = Pose.of_rpy(-178.94 * deg, -0.1 * deg, -89.74 * deg, at=(0.486221, -0.106905, 0.521243))
    pad = Pose.of_rpy(-47.31 * deg, -50.22 * deg, 130.11 * deg, at=(0.449313, -0.115785, 0.524942))
    link = Placed(Cylinder(0.037, 0.04), wrist @ Pose(0, 0, 0.0623))
    assert distance(Placed(Box(0.12, 0.12, 0.02), pad), link) == pytest.approx(-0.00708491024, abs=1e-9)
    assert 0 < asked < 5000

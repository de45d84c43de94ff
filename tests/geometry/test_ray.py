"""Rays meet the true surface with the right normal; the lines of a fan meet what single rays do."""

import math

import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import IDENTITY, GeometryError, Pose
from drycell.geometry import (
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Fan,
    Mesh,
    Placed,
    Prism,
    RayHit,
    Shape,
    Sphere,
    contains,
    merge,
    ray,
)

DOWN = (0.0, 0.0, -1.0)


@pytest.mark.parametrize(
    ("shape", "origin", "direction", "distance", "normal"),
    [
        (Box(0.2, 0.4, 0.6), (0, 0, 1), DOWN, 0.7, (0, 0, 1)),
        (Box(0.2, 0.4, 0.6), (1, 0.1, 0.1), (-1, 0, 0), 0.9, (1, 0, 0)),
        (Sphere(0.1), (0.06, 0, 1), DOWN, 0.92, (0.6, 0, 0.8)),
        (Cylinder(0.1, 0.2), (1, 0.06, 0.05), (-1, 0, 0), 0.92, (0.8, 0.6, 0)),
        (Cylinder(0.1, 0.2), (0.03, 0.03, 1), DOWN, 0.9, (0, 0, 1)),
        (Capsule(0.1, 0.2), (0.06, 0, 1), DOWN, 0.82, (0.6, 0, 0.8)),
        (Capsule(0.1, 0.2), (1, 0, 0.05), (-1, 0, 0), 0.9, (1, 0, 0)),
        (Cone(0.1, 0.2), (0.05, 0, 1), DOWN, 1.0, (2 / math.sqrt(5), 0, 1 / math.sqrt(5))),
        (Cone(0.1, 0.2), (0.05, 0, -1), (0, 0, 1), 0.9, (0, 0, -1)),
        (Cone(0.2, 0.2, 0.1), (0.15, 0, 1), DOWN, 1.0, (2 / math.sqrt(5), 0, 1 / math.sqrt(5))),
        (Cone(0.2, 0.2, 0.1), (0.05, 0, 1), DOWN, 0.9, (0, 0, 1)),
        (Cone(0.1, 0.2, 0.2), (1, 0, 0), (-1, 0, 0), 0.85, (2 / math.sqrt(5), 0, -1 / math.sqrt(5))),
        (Prism(((0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)), 1), (1.5, 3, 0), (0, -1, 0), 2, (0, 1, 0)),
        (Mesh(*Box(1, 1, 1).triangles()), (0.2, 0.1, 2), DOWN, 1.5, (0, 0, 1)),
        (Compound(((Pose(0, 0, 1), Sphere(0.1)), (Pose(0, 0, 2), Sphere(0.1)))), (0, 0, 5), DOWN, 2.9, (0, 0, 1)),
    ],
)
def test_rays_by_hand(shape: Shape, origin: tuple, direction: tuple, distance: float, normal: tuple) -> None:
    world = Pose.of_rpy(0.5, 0.6, 0.7, (1, 2, 3))
    placed = Placed(shape, world)
    for X, body in ((IDENTITY, Placed(shape)), (world, placed)):
        hit = ray(body, X.point(origin), X.direction(direction))
        assert hit is not None
        assert hit.distance == pytest.approx(distance, abs=1e-12)
        assert hit.normal == pytest.approx(X.direction(normal), abs=1e-9)
        assert not hit.inside
        assert ray(body, X.point(origin), X.direction(direction), reach=distance - 1e-6) is None
        assert ray(body, X.point(origin), X.direction([-v for v in direction])) is None


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_a_hit_is_on_the_surface_with_nothing_in_front(draw: type, data: st.DataObject) -> None:
    shape = data.draw(draw.shape)
    placed = Placed(shape, data.draw(draw.pose(1)))
    origin = placed.pose.point(data.draw(st.tuples(*[draw.number(-1, 1)] * 3)))
    target = placed.pose.point(data.draw(st.tuples(*[draw.number(-0.3, 0.3)] * 3)))
    if math.dist(origin, target) < 1e-3:
        return
    direction = tuple((q - p) / math.dist(origin, target) for p, q in zip(origin, target, strict=True))
    hit = ray(placed, origin, direction)
    back = placed.pose.inverse()

    def depth(t: float) -> float:
        return shape.nearest(back.point([o + t * d for o, d in zip(origin, direction, strict=True)])).distance

    if hit is None:
        assert min(depth(k * 0.02) for k in range(1, 150)) > -1e-9
    elif hit.inside:
        assert contains(placed, origin)
        assert hit == RayHit(0.0, pytest.approx([-v for v in direction], abs=1e-12), True)  # type: ignore[arg-type]
    else:
        assert abs(depth(hit.distance)) < 3e-9
        assert min(depth(hit.distance * k / 20) for k in range(20)) > -3e-9
        assert sum(a * b for a, b in zip(hit.normal, direction, strict=True)) < 1e-9
        ahead = [o + hit.distance * d + 1e-6 * n for o, d, n in zip(origin, direction, hit.normal, strict=True)]
        assert shape.nearest(back.point(ahead)).distance == pytest.approx(1e-6, abs=1e-8)


@pytest.mark.parametrize(
    "shape",
    [
        Box(0.2, 0.2, 0.2),
        Cylinder(0.1, 0.2),
        Cone(0.1, 0.2),
        Sphere(0.1),
        Capsule(0.1, 0.0),
        Mesh(*Box(0.2, 0.2, 0.2).triangles()),
    ],
)
def test_touching_counts_within_a_nanometre_and_not_beyond(shape: Shape) -> None:
    height = shape.nearest((5, 0, -0.1 if isinstance(shape, Cone) else 0)).point[2]  # where it is widest: x = 0.1
    body = Placed(shape)
    for miss, counts in ((-1e-10, True), (0.0, True), (5e-10, True), (1e-8, False)):
        hit = ray(body, (0.1 + miss, -1, height), (0, 1, 0))
        assert (hit is not None) == counts


def test_a_ray_from_the_surface_hits_only_inwards() -> None:
    for shape in (Box(0.2, 0.2, 0.2), Cylinder(0.1, 0.2), Mesh(*Box(0.2, 0.2, 0.2).triangles())):
        body = Placed(shape)
        assert ray(body, (0, 0, 0.1), (0, 0, 1)) is None
        hit = ray(body, (0, 0, 0.1), DOWN)
        assert hit is not None
        assert (hit.distance, hit.inside) == (0.0, False)
        assert ray(body, (0, 0, 0.05), (0, 0, 1)) == RayHit(0.0, (0.0, 0.0, -1.0), True)


def test_a_hole_lets_a_ray_through() -> None:
    plate = Placed(merge([(IDENTITY, Box(0.1, 0.1, 0.05))], [(IDENTITY, Cylinder(0.02, 0.2))]))
    assert ray(plate, (0, 0, 1), DOWN) is None
    assert ray(plate, (0.0195, 0, 1), DOWN) is None
    assert ray(plate, (0.0201, 0, 1), DOWN) == RayHit(pytest.approx(0.975), (0.0, 0.0, 1.0), False)  # type: ignore[arg-type]
    inside = ray(plate, (0, 0, 0), (0, 1, 0))
    assert inside is not None
    assert inside.distance == pytest.approx(0.02)
    assert inside.normal[1] < -0.99


def test_a_bare_surface_is_hit_on_its_triangles() -> None:
    ball = Placed(Mesh(*Sphere(0.1).triangles(1e-4)))
    hit = ray(ball, (0.06, 0, 1), DOWN)
    assert hit is not None
    assert hit.distance == pytest.approx(0.92, abs=2e-4)
    assert hit.normal == pytest.approx((0.6, 0, 0.8), abs=0.02)
    assert ray(ball, (0, 0, 0), DOWN) == RayHit(0.0, (0.0, 0.0, 1.0), True)
    vertices, faces = Box(1, 1, 1).triangles()
    bowl = Placed(Mesh(vertices, faces[:-2]))  # its top is missing
    assert ray(bowl, (0, 0, 1), DOWN) == RayHit(1.5, (-0.0, -0.0, 1.0), False)


def test_a_line_nearly_parallel_to_a_cone_misses_it() -> None:
    cone = Placed(Cone(0.05, 0.1))
    for tilt in (1e-9, 7.7e-12, 1e-13, 0.0):
        assert ray(cone, (0.4, 0.25, 0.4), (-tilt, tilt, -1.0), 0.5) is None
        hit = ray(cone, (0.025, 0.0, 0.4), (-tilt, tilt, -1.0), 0.5)
        assert hit is not None
        assert hit.distance == pytest.approx(0.4, abs=1e-9)


def test_a_direction_with_a_vanishing_part_is_that_without_it() -> None:
    notch = Placed(Prism(((0.0, 0.0), (0.1, 0.0), (0.1, 0.02), (0.02, 0.02), (0.02, 0.1), (0.0, 0.1)), 0.5))
    hit = ray(notch, (0.01, 0.05, 1.0), (0.0, -4.450147717014e-311, -1.0))
    assert hit == ray(notch, (0.01, 0.05, 1.0), DOWN)
    assert hit is not None


def test_bad_rays_are_refused() -> None:
    with pytest.raises(
        GeometryError, match=r"ray: direction has length 0\n  try: give a direction, as in \(0, 0, -1\)"
    ):
        ray(Placed(Sphere(1)), (0, 0, 0), (0, 0, 0))
    with pytest.raises(GeometryError, match=r"ray: origin is .*nan"):
        ray(Placed(Sphere(1)), (0, math.nan, 0), DOWN)
    with pytest.raises(GeometryError, match="fan: the list of rays is empty"):
        Fan([], 1.0)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_fans_and_single_rays_hit_identical_points(draw: type, data: st.DataObject) -> None:
    body = Placed(data.draw(draw.shape), data.draw(draw.pose(0.6)))
    direction = st.tuples(*[draw.number(-1, 1)] * 3).filter(lambda d: math.hypot(*d) > 0.1)
    origin = data.draw(st.tuples(*[draw.number(-1, 1)] * 3))
    lines = [(origin, d) for d in data.draw(st.lists(direction, min_size=1, max_size=5))]
    lines += [((0, 0, 1), DOWN)] if data.draw(st.booleans()) else []
    fan, pose = Fan(lines, 0.8), data.draw(draw.pose(0.5))
    rays = fan.at(pose)
    hits = dict(rays.meet(body.shape, body.pose, rays.towards(*body.ball, fan.reaches)))
    for k, (start, along) in enumerate(fan.lines):
        single = ray(body, pose.point(start), pose.direction(along), 0.8)
        hit = hits.get(k)
        assert single == (hit and RayHit(hit.distance, body.pose.direction(hit.normal), hit.inside))


@given(st.data())
def test_the_balls_of_a_fan_cover_its_lines(draw: type, data: st.DataObject) -> None:
    vector = st.tuples(*[draw.number(-1, 1)] * 3)
    along = vector.filter(lambda d: math.hypot(*d) > 0.1)
    fan = Fan(data.draw(st.lists(st.tuples(vector, along), min_size=1, max_size=6)), data.draw(draw.number(0.01, 3)))
    for origin, direction in fan.lines:
        for k in range(21):
            point = [o + fan.reach * k / 20 * d for o, d in zip(origin, direction, strict=True)]
            assert min(math.dist(point, centre) - radius for centre, radius in fan.balls) <= 0.0


def test_a_long_narrow_fan_has_several_balls() -> None:
    assert len(Fan([((0, 0, 0), (0, 0, 1)), ((0, 0, 0), (0.1, 0, 1))], 2.0).balls) >= 4
    assert len(Fan([((0, 0, 0), (0, 0, 1)), ((0, 0, 0), (1, 0, 0)), ((0, 0, 0), (-1, 0, 0))], 2.0).balls) <= 2


def test_a_ray_from_inside_a_surface_hits_at_once() -> None:
    ball = Placed(Mesh(*Sphere(0.1).triangles(1e-4)))
    assert ray(ball, (0, 0, 0), DOWN, reach=0.01) == RayHit(0.0, (0.0, 0.0, 1.0), True)
    assert ray(ball, (0, 0, 1), DOWN, reach=0.85) is None

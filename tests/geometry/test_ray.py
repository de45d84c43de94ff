"""Rays meet the true surface with the right normal; a caster among many bodies finds the same as asking each."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drycell.errors import GeometryError
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
    RayCaster,
    RayHit,
    Shape,
    Sphere,
    contains,
    merge,
    ray,
)
from drycell.spatial import IDENTITY, Pose

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
def test_a_hit_is_on_the_surface_and_nothing_is_before_it(draw: type, data: st.DataObject) -> None:
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


def test_a_ray_from_the_surface_outwards_meets_nothing_and_inwards_at_once() -> None:
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


def test_a_bare_surface_is_met_by_its_triangles() -> None:
    ball = Placed(Mesh(*Sphere(0.1).triangles(1e-4)))
    hit = ray(ball, (0.06, 0, 1), DOWN)
    assert hit is not None
    assert hit.distance == pytest.approx(0.92, abs=2e-4)
    assert hit.normal == pytest.approx((0.6, 0, 0.8), abs=0.02)
    assert ray(ball, (0, 0, 0), DOWN) == RayHit(0.0, (0.0, 0.0, 1.0), True)
    vertices, faces = Box(1, 1, 1).triangles()
    bowl = Placed(Mesh(vertices, faces[:-2]))  # its top is missing
    assert ray(bowl, (0, 0, 1), DOWN) == RayHit(1.5, (-0.0, -0.0, 1.0), False)


def test_bad_rays_are_refused() -> None:
    with pytest.raises(
        GeometryError, match=r"ray: direction has length 0\n  try: give a direction, as in \(0, 0, -1\)"
    ):
        ray(Placed(Sphere(1)), (0, 0, 0), (0, 0, 0))
    with pytest.raises(GeometryError, match=r"ray: origin is .*nan"):
        ray(Placed(Sphere(1)), (0, math.nan, 0), DOWN)
    with pytest.raises(GeometryError, match="fan: there are no rays"):
        Fan([], 1.0)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_caster_finds_what_asking_each_body_finds(draw: type, data: st.DataObject) -> None:
    shapes = data.draw(st.lists(draw.shape, min_size=1, max_size=12))
    bodies = [Placed(shape, data.draw(draw.pose(0.6))) for shape in shapes]
    direction = st.tuples(*[draw.number(-1, 1)] * 3).filter(lambda d: math.hypot(*d) > 0.1)
    origin = data.draw(st.tuples(*[draw.number(-1, 1)] * 3))
    lines = [(origin, d) for d in data.draw(st.lists(direction, min_size=1, max_size=5))]
    lines += [((0, 0, 1), DOWN)] if data.draw(st.booleans()) else []
    fan, pose, reach = Fan(lines, 0.8), data.draw(draw.pose(0.5)), 0.8
    hits = RayCaster(bodies).cast(fan, pose)
    for (start, along), hit in zip(fan.lines, hits, strict=True):
        each = [ray(body, pose.point(start), pose.direction(along), reach) for body in bodies]
        nearest = min((h.distance for h in each if h), default=None)
        assert (hit is None) == (nearest is None)
        if hit is not None and nearest is not None:
            assert hit.distance == pytest.approx(nearest, abs=1e-9)
            assert each[hit.body] is not None


def test_a_caster_follows_bodies_that_move() -> None:
    bodies = [Placed(Sphere(0.1), Pose(k, 0, 0)) for k in range(10)]
    caster, fan = RayCaster(bodies), Fan([((3, 0, 1), DOWN)], 2)
    hit = caster.cast(fan)[0]
    assert hit is not None
    assert (hit.body, hit.distance) == (3, pytest.approx(0.9))
    bodies[3].place(Pose(20, 0, 0))
    bodies[7].place(Pose(3, 0, 0.5))
    caster.sync([3, 7])
    moved = caster.cast(fan)[0]
    assert moved is not None
    assert (moved.body, moved.distance) == (7, pytest.approx(0.4))
    import numpy as np

    caster.move(np.stack((np.arange(10.0), np.zeros(10), np.full(10, 0.25))))  # all lifted, as a batch would have it
    asked: list[int] = []

    def locate(index: int) -> Pose:
        asked.append(index)
        return Pose(index, 0, 0.25)

    lifted = caster.cast(fan, locate=locate)[0]
    assert lifted is not None
    assert (lifted.body, lifted.distance, asked) == (3, pytest.approx(0.65), [3])

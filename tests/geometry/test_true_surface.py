"""Points picked on merged solids are on the true round surfaces, not on their facets."""

import math
import random
from collections.abc import Callable

import pytest

from drycell.base import Pose, Vector, mm
from drycell.geometry import (
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Mesh,
    Placed,
    Shape,
    Sphere,
    merge,
    project_to_surface,
    ray,
)

LIMIT = 0.02 * mm
TURNED = Pose(0.01, 0.0, 0.0) @ Pose.turn_x(0.3)
TUBE = merge([(Pose(), Cylinder(0.05, 0.06))], [(Pose(), Cylinder(0.03, 0.2))])
PLATE = merge(
    [(Pose(), Box(0.1, 0.1, 0.02)), (Pose(z=0.03), Cylinder(0.02, 0.05)), (Pose(z=0.06), Sphere(0.025))],
    [(Pose(0.03, 0.03), Cylinder(0.01, 0.1))],
)


def tube(point: Vector) -> float:
    radius = math.hypot(point[0], point[1])
    return min(abs(radius - 0.05), abs(radius - 0.03), abs(abs(point[2]) - 0.03))


def plate(point: Vector) -> float:
    x, y, z = point
    return min(
        abs(abs(x) - 0.05),
        abs(abs(y) - 0.05),
        abs(abs(z) - 0.01),
        abs(math.hypot(x, y) - 0.02),
        abs(math.dist(point, (0.0, 0.0, 0.06)) - 0.025),
        abs(math.hypot(x - 0.03, y - 0.03) - 0.01),
    )


def cone(point: Vector) -> float:
    x, y, z = point
    side = (math.hypot(x, y) - 0.03 * (0.04 - z) / 0.08) * math.cos(math.atan2(0.03, 0.08))
    return min(abs(side), abs(z + 0.04))


def capsule(point: Vector) -> float:
    x, y, z = point
    return abs(math.hypot(x, y, max(abs(z) - 0.03, 0.0)) - 0.02)


@pytest.mark.parametrize(
    ("shape", "gap"),
    [
        (merge([(Pose(), Sphere(0.03))]), lambda point: abs(math.hypot(*point) - 0.03)),
        (merge([(Pose(), Cone(0.03, 0.08))]), cone),
        (merge([(Pose(), Capsule(0.02, 0.06))]), capsule),
        (TUBE, tube),
        (PLATE, plate),
        (merge([(TURNED, TUBE)]), lambda point: tube(TURNED.inverse().point(point))),
        (Compound(((TURNED, TUBE),)), lambda point: tube(TURNED.inverse().point(point))),
    ],
    ids=["sphere", "cone", "capsule", "tube", "plate", "merged again", "in a compound"],
)
def test_points_on_facets_are_moved_to_the_exact_surface(shape: Shape, gap: Callable[[Vector], float]) -> None:
    draw = random.Random(3)
    facets = []
    placed = Placed(shape, Pose())
    centre, radius = shape.sphere
    while len(facets) < 120:
        line = [draw.gauss(0.0, 1.0) for _ in range(3)]
        along = [value / math.hypot(*line) for value in line]
        eye = [c - 2 * radius * a + draw.uniform(-0.6, 0.6) * radius for c, a in zip(centre, along, strict=True)]
        hit = ray(placed, eye, along)
        if hit is None:
            continue
        x, y, z = (e + hit.distance * a for e, a in zip(eye, along, strict=True))
        facets.append(gap((x, y, z)))
        found = project_to_surface(placed, (x, y, z))
        assert gap(found.point) < LIMIT
        assert abs(found.distance) == pytest.approx(math.dist(found.point, (x, y, z)))
    assert max(facets) > 5 * LIMIT  # the facets themselves are not good enough


def test_the_normal_of_a_hole_points_into_it() -> None:
    found = project_to_surface(Placed(TUBE, Pose()), (0.0299 * math.cos(0.1), 0.0299 * math.sin(0.1), 0.0))
    x, y, _ = found.point
    assert found.normal == pytest.approx((-x / 0.03, -y / 0.03, 0.0), abs=1e-9)


def test_a_mesh_without_sources_keeps_its_facets() -> None:
    mesh = Mesh(*Sphere(0.03).triangles(1e-3))
    point = (0.0, 0.0, 0.05)
    assert project_to_surface(Placed(mesh, Pose()), point) == mesh.nearest(point)

"""Contacts span the common face; interference is the exact shared volume."""

import math

import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import IDENTITY, Pose, mm
from drycell.geometry import Box, Capsule, Cylinder, Mesh, Placed, Sphere, contacts, interference, merge

WORLD = Pose.of_rpy(0.3, -0.8, 1.9, (0.5, -1, 2))


def local(points: list, pose: Pose = WORLD) -> list[tuple[float, ...]]:
    """A point in the frame of the placed scene, in whole micrometres."""
    back = pose.inverse()
    return sorted(tuple(round(v * 1e6) + 0 for v in back.point(found.point)) for found in points)


@pytest.mark.parametrize("gap", [0.01 * mm, 0.0, -0.1 * mm])
def test_a_box_on_a_box_touches_in_four_corners(gap: float) -> None:
    a, b = Placed(Box(0.2, 0.2, 0.2), WORLD), Placed(Box(0.1, 0.06, 0.1), WORLD @ Pose(0.02, 0, 0.15 + gap))
    found = contacts(a, b, margin=0.02 * mm)
    height = round((0.1 + gap / 2) * 1e6)
    assert local(found) == [
        (-30000, -30000, height),
        (-30000, 30000, height),
        (70000, -30000, height),
        (70000, 30000, height),
    ]
    for contact in found:
        assert contact.depth == pytest.approx(-gap, abs=1e-9)
        assert contact.normal == pytest.approx(WORLD.direction((0, 0, 1)), abs=1e-6)


def test_overhanging_faces_are_clipped() -> None:
    a, b = Placed(Box(0.2, 0.2, 0.2)), Placed(Box(0.2, 0.2, 0.2), Pose(0.15, 0.1, 0.2) @ Pose.turn_z(math.pi / 2))
    points = local(contacts(a, b), IDENTITY)
    assert points == [(50000, 0, 100000), (50000, 100000, 100000), (100000, 0, 100000), (100000, 100000, 100000)]


def test_round_bodies_touch_in_a_rim_a_line_or_a_point() -> None:
    table = Placed(Box(1, 1, 1))
    standing = contacts(table, Placed(Cylinder(0.1, 0.2), Pose(0, 0, 0.6)), margin=1e-6)
    assert len(standing) == 12
    assert all(math.hypot(*c.point[:2]) == pytest.approx(0.1, abs=1e-6) for c in standing)
    lying = contacts(table, Placed(Cylinder(0.1, 0.2), Pose(0, 0, 0.6) @ Pose.turn_x(math.pi / 2)), margin=1e-6)
    assert local(lying, IDENTITY) == [(0, -100000, 500000), (0, 100000, 500000)]
    ball = contacts(table, Placed(Sphere(0.1), Pose(0.1, 0.2, 0.6)), margin=1e-6)
    assert local(ball, IDENTITY) == [(100000, 200000, 500000)]
    assert contacts(table, Placed(Capsule(0.1, 0.1), Pose(0, 0, 2)), margin=1e-6) == []


def test_a_part_in_a_socket_touches_at_all_near_faces() -> None:
    socket = merge([(IDENTITY, Box(0.1, 0.1, 0.05))], [(Pose(0, 0, 0.02), Box(0.05, 0.05, 0.05))])
    peg = Placed(Box(0.0498, 0.0498, 0.03), Pose(0, 0, 0.010005))
    normals = {tuple(round(v) for v in c.normal) for c in contacts(Placed(socket), peg, margin=0.2 * mm)}
    assert normals == {(0, 0, 1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)}
    assert {tuple(round(v) for v in c.normal) for c in contacts(Placed(socket), peg, margin=0.01 * mm)} == {(0, 0, 1)}


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_boxes_share_the_product_of_their_overlaps(draw: type, data: st.DataObject) -> None:
    a, b, at = (data.draw(st.tuples(*[s] * 3)) for s in (draw.size, draw.size, draw.number(-0.4, 0.4)))
    world = data.draw(draw.pose(2))
    lower = [max(-p / 2, o - q / 2) for o, p, q in zip(at, a, b, strict=True)]
    upper = [min(p / 2, o + q / 2) for o, p, q in zip(at, a, b, strict=True)]
    sides = [max(0.0, high - low) for low, high in zip(lower, upper, strict=True)]
    found = interference(Placed(Box(*a), world), Placed(Box(*b), world @ Pose(*at)))
    assert found.volume == pytest.approx(math.prod(sides), abs=1e-12)
    if math.prod(sides) > 1e-9:
        middle = [(low + high) / 2 for low, high in zip(lower, upper, strict=True)]
        assert found.centre == pytest.approx(world.point(middle), abs=1e-9)


def test_interference_of_balls_is_the_lens() -> None:
    r, d = 0.1, 0.12
    true = math.pi * (4 * r + d) * (2 * r - d) ** 2 / 12
    found = interference(Placed(Sphere(r)), Placed(Sphere(r), Pose(d)), deviation=0.02 * mm)
    assert found.volume == pytest.approx(true, rel=2e-3)
    assert found.centre == pytest.approx((d / 2, 0, 0), abs=1e-6)
    inside = interference(Placed(Mesh(*Box(1, 1, 1).triangles())), Placed(Box(0.1, 0.1, 0.1), Pose(0.2)))
    assert inside.volume == pytest.approx(1e-3)
    apart = interference(Placed(Sphere(r)), Placed(Sphere(r), Pose(1)))
    assert (apart.volume, apart.centre) == (0.0, (0.5, 0.0, 0.0))

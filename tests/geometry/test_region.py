"""Regions: sections of solids, and the places where outlines fit among others."""

import math
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import Pose, mm
from drycell.geometry import (
    Box,
    Cylinder,
    PlaneRegion,
    Polygon,
    convex_outline,
    free_place,
    inside_outline,
    level_section,
    minkowski_sum,
    outline_area,
)

TRAY: Polygon = ((-0.2, -0.15), (0.2, -0.15), (0.2, 0.15), (-0.2, 0.15))
OUTLINES: tuple[Polygon, ...] = (
    ((-0.02, -0.0125), (0.02, -0.0125), (0.02, 0.0125), (-0.02, 0.0125)),
    tuple((0.015 * math.cos(math.pi * k / 3), 0.015 * math.sin(math.pi * k / 3)) for k in range(6)),
    ((-0.03, -0.01), (0.03, -0.01), (-0.03, 0.02)),
)


def turned(outline: Polygon, angle: float, x: float = 0.0, y: float = 0.0) -> Polygon:
    c, s = math.cos(angle), math.sin(angle)
    return tuple((x + c * u - s * v, y + s * u + c * v) for u, v in outline)


def overlap(a: Polygon, b: Polygon) -> bool:
    """Whether two convex outlines overlap by more than 1 µm: no side of either separates them (an own test)."""
    for one, other in ((a, b), (b, a)):
        for (px, py), (qx, qy) in zip(one, one[1:] + one[:1], strict=True):
            n = math.hypot(qx - px, qy - py)
            if all(((qx - px) * (y - py) - (qy - py) * (x - px)) / n <= 1e-6 for x, y in other):
                return False
    return True


def test_a_tray_is_filled_until_a_search_over_a_grid_finds_no_place_either() -> None:
    random, surface = Random(1), PlaneRegion.of(TRAY)
    lying: list[Polygon] = []
    while True:
        own = turned(OUTLINES[random.randrange(3)], random.uniform(0, 2 * math.pi))
        at = free_place(surface, lying, own, (random.uniform(-0.2, 0.2), random.uniform(-0.15, 0.15)))
        if at is None:
            break
        lying.append(turned(own, 0.0, *at))
    assert len(lying) > 50
    assert sum(map(outline_area, lying)) - PlaneRegion.of(*lying).area < 1e-9
    assert all(inside_outline(TRAY, corner, 1e-9) for each in lying for corner in each)
    for k in range(81):
        for j in range(61):
            x, y = -0.2 + 0.005 * k, -0.15 + 0.005 * j
            tried = turned(own, 0.0, x, y)
            inside = all(inside_outline(TRAY, corner) for corner in tried)
            assert not inside or any(overlap(tried, each) for each in lying)


@settings(max_examples=30, deadline=None)
@given(st.floats(-0.15, 0.15), st.floats(-0.1, 0.1), st.floats(0.0, 6.3))
def test_a_free_place_touches_the_outline_in_the_way(x: float, y: float, angle: float) -> None:
    own, other = OUTLINES[2], turned(OUTLINES[0], angle)
    found = free_place(PlaneRegion.of(TRAY), [other], own, (x, y))
    assert found is not None
    assert not overlap(other, turned(own, 0.0, *found))
    if found != (x, y):
        inside = all(inside_outline(TRAY, corner) for corner in turned(own, 0.0, x, y))
        assert not inside or overlap(other, turned(own, 0.0, x, y)) or math.dist(found, (x, y)) < 2e-6


def test_the_section_of_a_ring_has_a_hole() -> None:
    outer, inner = (level_section(Cylinder(r, 0.1), Pose(), 0.01) for r in (0.1, 0.05))
    ring = outer - inner
    assert not ring.contains((0.0, 0.0))
    assert ring.contains((0.075, 0.0))
    assert len(ring.rings) == 2
    assert ring.area == pytest.approx(outer.area - inner.area)
    assert (ring & inner).empty


def test_the_section_of_a_turned_box_is_its_outline() -> None:
    box = Box(60 * mm, 40 * mm, 20 * mm)
    upright = Pose.of_rpy(math.pi / 2, 0.0, 0.4)
    assert level_section(box, upright, 0.0).area == pytest.approx(60 * 20 * mm * mm)
    assert level_section(box, upright, 21 * mm).empty
    tilted = Pose.of_rpy(0.3, 0.0, 0.0)  # y along the slope: the section through the middle is 60 mm by 20 mm / sin 0.3
    assert level_section(box, tilted, 0.0).area == pytest.approx(
        60 * mm * min(40 * mm / math.cos(0.3), 20 * mm / math.sin(0.3))
    )


def test_a_shrunk_square_has_room_for_the_outline_and_no_more() -> None:
    square = convex_outline([(0, 0), (1, 0), (1, 1), (0, 1)])
    own = convex_outline([(0, 0), (0.25, 0), (0.25, 0.5), (0, 0.5)])
    room = PlaneRegion.of(square).shrunk(own)
    assert room.area == pytest.approx(0.75 * 0.5)
    assert room.contains((0.01, 0.01))
    assert not room.contains((0.76, 0.25))
    assert outline_area(minkowski_sum(square, own)) == pytest.approx(1.25 * 1.5)

"""Legs are bodies that collide; furniture is only seen, and stays within the shape of its body."""

import math

import numpy as np
import pytest

from drycell import Body, Box, Cell, Conveyor, Cylinder, mm, s
from drycell.base import InvalidThing
from drycell.geometry import Compound
from drycell.looks import EXEMPT, look_of, tessellate

BEYOND = 30 * mm


def test_legs_are_a_body_below_the_other() -> None:
    cell = Cell()
    cell.add("table", Body(Box(1.2, 0.8, 40 * mm), at=(0, 0, 0.8 - 20 * mm), legs=760 * mm))
    legs = cell.world.bodies["table/legs"]
    assert isinstance(legs.shape, Compound)
    assert len(legs.shape.parts) == 4
    lower, upper = (legs.pose.point(corner) for corner in legs.shape.bounds)
    assert lower == pytest.approx((-0.6, -0.4, 0.0))
    assert upper == pytest.approx((0.6, 0.4, 0.76))
    # Four posts of 45 mm by 45 mm.
    assert legs.shape.volume == pytest.approx(4 * 0.045**2 * 0.76)


def test_legs_raise_their_body() -> None:
    cell = Cell()
    cell.add("floor", Body(Box(4.0, 4.0, 100 * mm), at=(0, 0, -50 * mm)))
    belt = cell.add("belt", Conveyor(length=1.0, width=0.3, speed=100 * mm / s, legs=700 * mm, on="floor"))
    table = cell.add("table", Body(Box(1.0, 0.5, 40 * mm), on="floor", at=(0, 1), legs=500 * mm, part=False))
    assert belt.body.pose.z == pytest.approx(0.75)
    assert table.pose.z == pytest.approx(0.52)
    assert cell.world.bodies["belt/legs"].pose.z == pytest.approx(0.0)


def test_legs_collide() -> None:
    cell = Cell()
    cell.add("table", Body(Box(1.2, 0.8, 40 * mm), at=(0, 0, 0.78), legs=760 * mm))
    box = cell.add("box", Body(Box(100 * mm, 100 * mm, 100 * mm), at=(0.6, 0.4, 0.3)))
    beside = cell.add("beside", Body(Box(100 * mm, 100 * mm, 100 * mm), at=(0.0, 0.0, 0.3)))
    assert [each.body.name for each in cell.scene.touching(box)] == ["table/legs"]
    assert cell.scene.touching(beside) == []


@pytest.mark.parametrize("kind", ["pedestal", "cabinet", "fence"])
@pytest.mark.parametrize("size", [(0.3, 0.3, 0.6), (1.5, 0.05, 1.9), (0.05, 1.5, 1.9), (0.6, 0.4, 0.9)])
def test_furniture_stays_within_its_box(kind: str, size: tuple[float, float, float]) -> None:
    cell = Cell()
    body = cell.add("thing", Body(Box(*size), drawn_as=kind))
    look = look_of(body)
    assert look is not None
    assert len(look.parts) > 5
    points = [tessellate(part.solid).moved(part.pose).points for part in look.parts if part.material not in EXEMPT]
    assert (np.abs(np.concatenate(points)).max(axis=0) <= np.array(size) / 2 + BEYOND).all()
    assert math.isfinite(sum(map(np.sum, points)))


def test_only_solids_have_legs_and_only_boxes_are_furniture() -> None:
    with pytest.raises(InvalidThing, match="legs"):
        Body(legs=100 * mm)
    with pytest.raises(InvalidThing, match="fence"):
        Body(Cylinder(0.1, 0.1), drawn_as="fence")

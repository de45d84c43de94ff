"""Plain looks show the shape of a body within a bevel, whatever the shape is."""

from itertools import pairwise

import numpy as np
import pytest

from drycell import Box, Capsule, Cone, Cylinder, Pose, Sphere
from drycell.geometry import Compound, Shape, Taper
from drycell.looks import OWN, Look, look_of, piece, plain_look, tessellate
from drycell.world import LiveBody, World


class Clock:
    now = 0


def bounds(look: Look) -> np.ndarray:
    points = np.concatenate([tessellate(each.solid).moved(each.pose).points for each in look.parts])
    return np.stack([points.min(axis=0), points.max(axis=0)])


SHAPES = {
    "box": Box(0.3, 0.2, 0.1),
    "cylinder": Cylinder(0.05, 0.2),
    "sphere": Sphere(0.05),
    "capsule": Capsule(0.05, 0.2),
    "cone": Cone(0.05, 0.2),
    "compound": Compound(((Pose(x=0.1), Box(0.1, 0.1, 0.1)), (Pose(z=0.2), Sphere(0.03)))),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_plain_look_fills_the_bounds_of_the_shape(shape: Shape) -> None:
    assert bounds(plain_look(shape, "steel")) == pytest.approx(np.array(shape.bounds), abs=0.0005)


def test_tapers_that_continue_each_other_are_one_loft() -> None:
    sections = [(0.1 * k, 0.0, 0.0, 0.05 - 0.01 * k, 0.05, 2.0) for k in range(4)]
    tapers = [Taper("z", low, high) for low, high in pairwise(sections)]
    apart = Taper("z", (1.0, 0.0, 0.0, 0.05, 0.05, 2.0), (1.1, 0.0, 0.0, 0.05, 0.05, 2.0))
    look = plain_look(Compound(tuple((Pose(), each) for each in (*tapers, apart))), "paint")
    assert [len(each.solid.numbers[0]) for each in look.parts] == [4, 2]


def test_a_look_can_give_its_shape_a_colour() -> None:
    world = World(Clock())
    body = LiveBody("housing", Box(0.3, 0.2, 0.1), look=lambda: Look((piece(OWN, "paint", tint="orange"),)))
    world.add(body)
    found = look_of(body)
    assert found is not None
    assert [each.tint for each in found.parts] == ["#e86f22"]
    assert bounds(found) == pytest.approx(np.array(body.shape.bounds))


def test_holes_and_frames_are_not_drawn() -> None:
    world = World(Clock())
    hole = world.add(LiveBody("hole", Box(0.1, 0.1, 0.1), hole=True))
    frame = world.add(LiveBody("frame"))
    assert look_of(hole) is None
    assert look_of(frame) is None

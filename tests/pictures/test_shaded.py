"""Shaded pictures of many bodies: few actors and few facets, and the same look as bodies drawn one by one."""

import math

import numpy as np
import pytest

from drycell import Body, Box, Capsule, Cell, Cylinder, Pose, Robot, mm
from drycell.geometry import Compound
from drycell.looks import small_surface, surface
from drycell.pictures import Camera

pytest.importorskip("pyvista")

from drycell.pictures.shaded import ShadedScene

SIZE = (320, 240)


@pytest.fixture(scope="module")
def cell() -> Cell:
    """An arm between posts of two materials."""
    made = Cell()
    made.add("arm", Robot("ur5e"))
    for number in range(6):
        shape = Box(80 * mm, 80 * mm, 0.5) if number % 2 else Cylinder(40 * mm, 0.5)
        made.add(
            f"post{number}", Body(shape, at=(0.2 * number - 0.5, 0.4, 0.25), material=("steel", "brass")[number % 2])
        )
    return made


def scene(cell: Cell, **options) -> ShadedScene:
    return ShadedScene(cell.world, cell.world.bodies.values(), Camera(), [0], SIZE, smoothing="ssaa", **options)


def test_a_still_picture_needs_two_actors_for_each_colour(cell: Cell) -> None:
    with scene(cell, still=True) as picture:
        # steel, brass, the base of the arm, and two colours of links: each a surface and edges
        assert len(picture._plotter.actors) <= 2 * 5
    with scene(cell) as moving:
        assert len(moving._plotter.actors) > 2 * 10


def test_a_still_picture_looks_like_one_of_separate_bodies(cell: Cell) -> None:
    images = []
    for still in (True, False):
        with scene(cell, still=still) as picture:
            picture.show(0)
            images.append(picture.image().astype(int))
    difference = np.abs(images[0] - images[1]).max(axis=2)
    assert difference.mean() < 0.1  # of 255
    assert np.ptp(images[0]) > 100


def test_small_round_shapes_have_few_facets_that_are_not_edges() -> None:
    ball_and_pin = Compound(((Pose(), Capsule(50 * mm, 0.2)), (Pose(0.1, 0, 0), Cylinder(5 * mm, 0.3))))
    fine, coarse = surface(ball_and_pin, math.inf), small_surface(ball_and_pin, 1 * mm)
    assert len(coarse.faces) < len(fine.faces) / 10
    along = coarse.vertices[coarse.edges[coarse.sharp]]
    pin = np.linalg.norm(along[:, :, :2] - (0.1, 0.0), axis=2).max(axis=1) < 5.1 * mm
    assert pin.sum() == len(along) >= 28  # the two rims of the pin, of at least 14 facets, and nothing else
    for one, other in zip(fine.vertices.T, coarse.vertices.T, strict=True):
        assert one.min() == pytest.approx(other.min(), abs=1 * mm)
        assert one.max() == pytest.approx(other.max(), abs=1 * mm)

"""Solids by name: each makes a body of the right shape, material and size."""

import math
from pathlib import Path

import pytest

from drycell.cell import box, capsule, cone, cylinder, mesh, prism, solid, sphere
from drycell.errors import DrycellError, GeometryError
from drycell.geometry import Box, Sphere, save_mesh
from drycell.units import mm
from drycell.world import Body


@pytest.mark.parametrize(
    ("body", "volume"),
    [
        (box("it", 2, 3, 4), 24),
        (cylinder("it", 2, 3), 12 * math.pi),
        (cone("it", 3, 4), 12 * math.pi),
        (cone("it", 2, 3, top_radius=1), 7 * math.pi),  # π · 3/3 · (4 + 2 + 1)
        (sphere("it", 3), 36 * math.pi),
        (capsule("it", 3, 2), 54 * math.pi),  # a ball of 36π and a cylinder of 18π
        (prism("it", [(0, 0), (4, 0), (0, 3)], 5), 30),
    ],
    ids=["box", "cylinder", "cone", "frustum", "ball", "capsule", "prism"],
)
def test_volumes_are_those_of_the_school_book(body: Body, volume: float) -> None:
    assert body.shape is not None
    assert body.shape.volume == pytest.approx(volume, rel=1e-9)
    assert (body.name, body.material, body.hole, body.part) == ("it", "plastic", False, False)


def test_material_and_hole_are_kept() -> None:
    made = solid("bore", Sphere(1), material="steel", hole=True)
    assert (made.material, made.hole) == ("steel", True)


def test_a_mesh_is_read_in_the_units_stated(tmp_path: Path) -> None:
    file = tmp_path / "cube.stl"
    save_mesh(Box(0.02, 0.03, 0.04), file, units="mm")
    read = mesh("cube", file, units="mm")
    assert read.shape is not None
    assert read.shape.volume == pytest.approx(20 * 30 * 40 * mm**3, rel=1e-6)


def test_a_mesh_in_a_unit_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cube.stl"
    save_mesh(Box(0.02, 0.03, 0.04), file, units="mm")
    with pytest.raises(DrycellError, match="furlong"):
        mesh("cube", file, units="furlong")


@pytest.mark.parametrize(
    "make", [lambda: box("b", 1, 0, 1), lambda: sphere("s", -1), lambda: cylinder("c", 1, math.nan)]
)
def test_sizes_must_be_above_zero(make) -> None:
    with pytest.raises(GeometryError):
        make()

import re
from pathlib import Path

import pytest

from drycell import Body, Box, Cell, DrycellError
from drycell.base import Known, UnknownName, WorldError
from drycell.cell import Model
from drycell.world import LiveBody, Material, Materials
from drycell.world.material import LIBRARY


def test_the_library_knows_steel():
    steel = Materials()["steel"]
    assert steel.metal
    assert steel.density == 7850


def test_every_default_body_is_of_a_known_material():
    assert LiveBody("x").material in Materials()


def test_error_for_an_unknown_material_suggests_the_nearest(world):
    with pytest.raises(UnknownName, match="there is no material 'aluminum'") as caught:
        world.add(LiveBody("plate", material="aluminum"))
    assert caught.value.hint == "did you mean 'aluminium'?"
    assert "plate" not in world.bodies


def test_a_cell_can_add_its_own(world):
    world.materials.add(Material("ice", 917, 0.03, 0.3, False, 0.02, 1e-6, 0.3, (0.9, 0.95, 1.0)))
    world.add(LiveBody("cube", material="ice"))
    assert "ice" in world.materials.names


def test_invalid_values_are_refused_with_the_limit():
    with pytest.raises(WorldError, match=r"material 'x': restitution must be in 0…1, not 1\.2"):
        Material("x", 1000, 0.3, 1.2, False, 0.0, 0.0, 0.5, (0, 0, 0))
    with pytest.raises(WorldError, match="material 'x': density must be above 0 kg/m³, not 0"):
        Material("x", 0, 0.3, 0.2, False, 0.0, 0.0, 0.5, (0, 0, 0))
    with pytest.raises(WorldError, match="material 'x': friction must be 0 or more, not -1"):
        Material("x", 1, -1, 0.2, False, 0.0, 0.0, 0.5, (0, 0, 0))


@pytest.mark.parametrize("name", [material.name for material in LIBRARY])
def test_a_body_can_be_of_every_material(name: str, tmp_path: Path) -> None:
    cell = Cell()
    assert cell.add("block", Body(Box(0.1, 0.1, 0.1), material=name)).material == name
    cell.save(tmp_path / "cell.yaml")
    assert Cell(Model.load(tmp_path / "cell.yaml")).world.body("block").material == name
    assert re.match(Known("material").text_schema()["pattern"], name)


@pytest.mark.parametrize("name", ["cast  iron", " steel", "steel ", "cast\niron", "cast, iron"])
def test_names_of_materials_have_single_spaces_and_no_other_characters(name: str) -> None:
    with pytest.raises(DrycellError, match="is not a valid name"):
        Cell().add("block", Body(Box(0.1, 0.1, 0.1), material=name))

"""Materials of looks: every material of the world is shown as one of them, in a colour that paint can have."""

import pytest

from drycell.base import UnknownName
from drycell.looks import FINISHES, INKS, LookPart, box, ink, painted, piece, placed, shown_as
from drycell.world.material import LIBRARY


@pytest.mark.parametrize("material", LIBRARY, ids=lambda each: each.name)
def test_every_material_of_the_world_is_shown_as_a_finish(material: object) -> None:
    name, tint = shown_as(material.name, material.colour, material.metal)  # type: ignore[attr-defined]
    assert name in FINISHES
    assert tint is None or ink(tint) == tint


def test_paint_is_never_pure_black_white_or_red() -> None:
    assert painted(0, 0, 0) == "#161616"
    assert painted(1, 1, 1) == "#ececec"
    assert painted(1, 0, 0) == "#db1e1e"


def test_colours_are_names_or_numbers() -> None:
    assert ink("orange") == INKS["orange"] == "#e86f22"
    assert ink("#A0B0C0") == "#a0b0c0"
    with pytest.raises(UnknownName, match="orang"):
        ink("orang")


def test_parts_can_be_placed_as_a_piece_of_a_larger_look() -> None:
    moved: LookPart
    (moved,) = placed([piece(box(1, 1, 1), "steel", (0.1, 0, 0))], (0, 0, 1), (0, 0, 1.5707963267948966))
    assert moved.pose.position == pytest.approx((0.0, 0.1, 1.0))

"""Where bodies are, and along which axes TRANSLATE shifts them."""

import pytest

from drycell.base import ProgramError, UnknownName, deg, inch
from drycell.languages.emula import run_text


def test_translate_shifts_along_the_axes_of_the_carrier_unless_a_frame_is_named(session) -> None:
    emulation = session.emulation
    emulation.grasp("parta")  # the hand's z points down
    emulation.translate("parta", z=1 * inch)
    assert session.place("parta") == (-2, 10, 0.9)
    emulation.translate("parta", z=1 * inch, frame="world")
    assert session.place("parta") == (-2, 10, 1.9)
    emulation.rotate("parta", "x", 90 * deg)
    emulation.translate("parta", y=1 * inch, frame="own")
    x, y, z = session.place("parta")
    assert (x, y) == (-2, 10)
    assert abs(z - 1.9) == pytest.approx(1)
    emulation.translate("parta", x=1 * inch, frame="table")
    assert session.place("parta")[0] == -1
    with pytest.raises(UnknownName, match="body 'wrld'"):
        emulation.translate("parta", x=1 * inch, frame="wrld")


def test_translate_and_where_say_where_the_body_is(session) -> None:
    text = """
    rotate (tray, z, 90); translate (parta, x, 1); translate (parta, 0, 0, 1, world); where (parta, tray); where (table)
    """
    session.run(lambda: run_text(text, session.emulation))
    assert session.lines == [
        "  parta is at X -2.000 Y 11.000 Z 1.900, turned 0, 0, 90 deg, carried by tray",
        "  parta is at X -2.000 Y 11.000 Z 2.900, turned 0, 0, 90 deg, carried by tray",
        "  parta is at X 1.000 Y 0.000 Z 2.525, turned 0, 0, 0 deg, seen from tray, carried by tray",
        "  table is at X 0.000 Y 0.000 Z 1.000, turned 0, 0, 0 deg",
    ]


def test_a_fixed_body_that_is_grasped_is_pointed_out(session) -> None:
    session.run(lambda: run_text("grasp (parta); release; grasp (table)", session.emulation))
    assert session.lines == ["  table is not a loose part of the cell, but moves with the robot now"]


def test_a_part_that_was_placed_inside_the_hand_is_reported_to_overlap_it(session) -> None:
    text = "translate (parta, 2, -10, 12, world); support (table, parta)"
    session.run(lambda: run_text(text, session.emulation))
    assert session.lines[-1] == "  parta rests on knuckle, which it overlaps by 0.450 inch"
    with pytest.raises(ProgramError, match="table cannot support itself"):
        session.emulation.support("table", "table")

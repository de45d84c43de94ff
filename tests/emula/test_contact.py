"""CONTACT: between bodies and sub-trees, with anything, in its richer forms; the grasped group; the light beam."""

import pytest

from drycell import Body, Box
from drycell.base import ProgramError, UnknownName, WorldError, inch
from drycell.languages.emula import SensorGuard


def at(emulation, sensor: int = 1, limit: float = 10.0) -> float:
    """The value of a sensor at the current pose of the hand, found with a guarded move there and back."""
    emulation.move_by({"x": 0.5 * inch}, SensorGuard((8,), 1e9))
    emulation.move_by({"x": -0.5 * inch}, SensorGuard((sensor,), limit))
    return emulation.sensors[sensor]


def over_parta(emulation, z: float) -> None:
    emulation.set_increment(False)
    emulation.move_to({"x": -2 * inch, "y": 10 * inch, "z": z * inch})


def test_touching_counts_and_gives_the_limit_of_the_guard(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "contact", ["FINGER1", "robot/PartA".rpartition("/")[2]])
        over_parta(emulation, 3.05 + 1e-6)
        assert at(emulation) == 0.0
        over_parta(emulation, 3.05)
        assert at(emulation) == 10.0
        assert at(emulation, limit=2.5) == 2.5
        over_parta(emulation, 3.0)
        assert at(emulation) == 10.0

    session.run(program)


def test_the_volume_form_is_proportional_to_the_interference(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "contact", ["finger1", "parta", "volume"])
        emulation.attach(2, "contact", ["gripper", "parta", "volume", 8])
        emulation.attach(3, "contact", ["finger1", "parta", "depth"])
        over_parta(emulation, 2.85)  # the fingers, 0.5 x 1 in each, reach 0.2 in into it
        assert at(emulation, 1, 1e9) == pytest.approx(0.5 * 1 * 0.2, rel=1e-6)
        assert at(emulation, 2, 1e9) == pytest.approx(2 * 8 * 0.5 * 1 * 0.2, rel=1e-6)  # of both fingers
        assert at(emulation, 3, 1e9) == pytest.approx(0.2, rel=1e-6)
        over_parta(emulation, 3.2)
        assert (at(emulation, 1), at(emulation, 2), at(emulation, 3)) == (0, 0, 0)

    session.run(program)


def test_a_force_grows_with_the_volume_and_stops_the_hand_at_its_limit(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "contact", ["finger1", "parta", "volume", 100])
        over_parta(emulation, 4.0)
        emulation.set_increment(True)
        emulation.set_cycle(0.01)  # 0.04 in
        report = emulation.move_by({"z": -2 * inch}, SensorGuard((1,), 10))
        # 100 · 0.5 · depth reaches 10 at 0.2 in: 1.15 in down are 28.75 cycles.
        assert report.cycles == 29
        assert report.value == pytest.approx(50 * (29 * 0.04 - 0.95), rel=1e-6)

    session.run(program)


def test_surface_contact_differs_from_penetration(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "contact", ["finger1", "parta", "surface", 0.01])
        emulation.attach(2, "contact", ["finger1", "parta", "penetration", 0.01])
        for z, surface, penetration in ((3.07, 0, 0), (3.055, 10, 0), (3.045, 10, 0), (3.03, 0, 10)):
            over_parta(emulation, z)
            assert (at(emulation, 1), at(emulation, 2)) == (surface, penetration), z

    session.run(program)


def test_a_node_stands_for_what_moves_with_it_and_what_lies_on_a_body_is_not_part_of_it(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "contact", ["gripper", "tray"])
        emulation.attach(2, "contact", ["column", "parta"])
        over_parta(emulation, 3.0)
        assert at(emulation, 1) == 0.0
        assert at(emulation, 2) == 10.0

    session.run(program)


def test_a_light_beam_is_broken_by_anything_between_the_fingers_held_or_not(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.attach(4, "contact", ["beam"])
        emulation.move_to({"gripper": 3.25 * inch, "roll": 1.5707963267948966})
        over_parta(emulation, 4.0)
        assert at(emulation, 4) == 0.0
        over_parta(emulation, 2.0)  # the beam is 0.5 in above the tips, parta reaches up to 3.05
        assert at(emulation, 4) == 10.0
        emulation.grasp("parta")
        over_parta(emulation, 9.0)
        assert at(emulation, 4) == 10.0
        emulation.release("parta")
        over_parta(emulation, 12.0)
        assert at(emulation, 4) == 0.0

    session.run(program)


def test_with_anything_means_anything_but_the_robot_itself(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "contact", ["finger1"])
        assert at(emulation, 1) == 0.0  # closed on finger2
        over_parta(emulation, 3.0)
        assert at(emulation, 1) == 10.0

    session.run(program)


def test_fingers_may_be_checked_for_touching_each_other(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.move_to({"gripper": 1 * inch})
        emulation.attach(1, "contact", ["finger1", "finger2"])
        report = emulation.move_to({"gripper": 0}, SensorGuard((1,), 10))
        assert (report.tripped, report.cycles) == (1, 25)

    session.run(program)


def test_attach_replaces_the_function_of_a_sensor(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "contact", ["finger1", "parta", "depth", 10])
        emulation.attach(1, "contact", ["finger1", "parta", "volume", 10])
        assert emulation.attached == {1: "contact,finger1,parta,volume"}
        over_parta(emulation, 2.85)
        assert at(emulation, 1, 1e9) == pytest.approx(1.0)  # 10 · 0.1 in³; the depth would be 2
        emulation.detach(1, "contact")
        assert emulation.attached == {}
        assert emulation.sensors[1] == 0.0

    session.run(program)


def test_mistakes_are_named(session) -> None:
    emulation = session.emulation
    with pytest.raises(UnknownName, match="there is no body 'partc'") as error:
        emulation.attach(1, "contact", ["finger1", "partc"])
    assert error.value.hint == "did you mean 'partb' or 'parta'?"
    with pytest.raises(ProgramError, match=r"CONTACT takes one or two bodies and an optional form, not \(\)"):
        emulation.attach(1, "contact", [])
    with pytest.raises(ProgramError, match="CONTACT takes one or two bodies"):
        emulation.attach(1, "contact", ["finger1", "parta", "table"])
    with pytest.raises(ProgramError, match="CONTACT takes one or two bodies"):
        emulation.attach(1, "contact", ["finger1", 3])
    with pytest.raises(UnknownName, match="there is no sensor function 'contac'") as error:
        emulation.attach(1, "contac", [])
    assert error.value.hint == "did you mean 'contact'?"
    with pytest.raises(UnknownName, match="there is no sensor '9'"):
        emulation.attach(9, "query")
    with pytest.raises(ProgramError, match="sensor 1 has no function attached"):
        emulation.detach(1, "query")
    assert emulation.attached == {}


def test_an_ambiguous_name_must_be_given_in_full(session) -> None:

    session.cell.add("shelf/parta", Body(Box(0.1, 0.1, 0.1), at=(1, 1, 1)))
    assert session.emulation.names.node("PARTA").body.name == "parta"  # the one with exactly that name
    session.cell.add("a/lid", Body(Box(0.1, 0.1, 0.1), at=(1, 2, 1)))
    session.cell.add("b/lid", Body(Box(0.1, 0.1, 0.1), at=(1, 3, 1)))
    with pytest.raises(WorldError, match="'lid' is ambiguous: it can be 'a/lid' or 'b/lid'"):
        session.emulation.names.node("lid")
    assert session.emulation.names.node("b/lid").name == "lid"

"""Collision checks: a line each cycle while a pair interferes, for any pairs, independent of sensors."""

import pytest

from drycell.base import ProgramError, UnknownName, inch


def test_a_line_is_printed_each_cycle_while_two_bodies_interfere(start) -> None:
    session = start(clearance=0.0)
    emulation = session.emulation

    def program() -> None:
        emulation.set_collision_check(True, "gripper", "parta")
        emulation.move_to({"x": -2 * inch, "y": 10 * inch, "z": 4 * inch})
        emulation.move_by({"z": -2 * inch})  # 5 sub-moves of 0.4: at 3.6, 3.2, 2.8, 2.4, 2.0; parta's top is at 3.05
        emulation.move_by({"z": 2 * inch})  # and back out: 2.4, 2.8, 3.2, …

    session.run(program)
    assert session.lines == ["**CRASH DETECTED* GRIPPER & PARTA"] * 5
    assert [collision.time for collision in emulation.collisions] == [
        2_800_000,
        2_900_000,
        3_000_000,
        3_100_000,
        3_200_000,
    ]


def test_several_pairs_report_in_the_order_in_which_they_were_named(start) -> None:
    session = start(clearance=0.0)
    emulation = session.emulation

    def program() -> None:
        emulation.set_collision_check(True, "finger2", "parta")
        emulation.set_collision_check(True, "finger1", "finger2")
        emulation.set_collision_check(True, "parta", "FINGER2")  # is checked already
        emulation.set_increment(False)
        emulation.move_to({"x": -2 * inch, "y": 10 * inch, "z": 3 * inch})
        emulation.set_collision_check(False, "finger2", "finger1")
        emulation.move_by({"z": -0.1 * inch})
        emulation.set_collision_check(False, "finger2", "parta")
        emulation.move_by({"z": -0.1 * inch})

    session.run(program)
    assert session.lines == [
        "**CRASH DETECTED* FINGER2 & PARTA",
        "**CRASH DETECTED* FINGER1 & FINGER2",
        "**CRASH DETECTED* FINGER2 & PARTA",
    ]


def test_a_held_part_is_checked_along_with_what_holds_it(start) -> None:
    session = start(clearance=0.0)
    emulation = session.emulation

    def program() -> None:
        emulation.set_collision_check(True, "gripper", "table")
        emulation.grasp("parta", (0, 0, 0))
        emulation.set_increment(False)
        emulation.move_to({"z": 4 * inch})  # parta's bottom is at 2.85
        emulation.move_to({"z": 3.1 * inch})  # and at 1.95, inside the table

    session.run(program)
    assert session.lines == ["**CRASH DETECTED* GRIPPER & TABLE"]


def test_the_clearance_says_from_when_on_it_counts(session) -> None:
    emulation = session.emulation
    gaps = []

    def program() -> None:
        emulation.move_to({"gripper": 1 * inch})
        emulation.set_collision_check(True, "finger1", "finger2")
        emulation.set_clearance(0.25 * inch)
        emulation.set_increment(False)
        for gap in (0.3, 0.2, 0.0):
            emulation.move_to({"gripper": gap * inch})
            gaps.append(len(emulation.collisions))

    session.run(program)
    assert gaps == [0, 1, 2]


def test_mistakes_are_named(session) -> None:
    emulation = session.emulation
    with pytest.raises(ProgramError, match="finger1 and parta are not checked for collisions"):
        emulation.set_collision_check(False, "finger1", "parta")
    with pytest.raises(ProgramError, match="hand and finger1 share a body and cannot collide"):
        emulation.set_collision_check(True, "hand", "finger1")
    with pytest.raises(UnknownName, match="there is no body 'finger3'"):
        emulation.set_collision_check(True, "finger1", "finger3")
    with pytest.raises(ProgramError, match="a clearance of -1 mm is not possible"):
        emulation.set_clearance(-0.001)

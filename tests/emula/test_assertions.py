"""GRASP, RELEASE and SUPPORT, and the commands that change the model: exactly what is asserted happens."""

import math

import pytest

from drycell import Body, Box
from drycell.base import ProgramError, UnknownName, WorldError, deg, inch
from drycell.kernel import JournalLine
from drycell.languages.emula import SensorGuard


def test_a_grasped_part_moves_with_the_hand_and_a_released_one_stays(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.grasp("PARTA")
        assert emulation.held == {"parta": "robot/hand"}
        emulation.move_by({"x": 1 * inch, "z": 5 * inch})
        assert session.place("parta") == (-1, 10, 6.9)
        emulation.release()
        emulation.move_by({"x": -1 * inch})
        assert session.place("parta") == (-1, 10, 6.9)
        assert emulation.held == {}
        assert session.body("parta").parent is None

    session.run(program)


@pytest.mark.parametrize(
    ("finger", "turn", "wanted"),
    [
        # In a finger's frame, x points to the other finger: finger1 is on the hand's +x side, finger2 on the other.
        ("finger1", 0, (1 - 1, 0, 3)),
        ("finger2", 0, (-1 + 1, 0, 3)),
        # After a quarter turn, finger1 is on the +y side.
        ("finger1", 90, (0, 1 - 1, 3)),
        ("finger2", 90, (0, -1 + 1, 3)),
    ],
)
def test_at_counts_from_the_tip_of_a_finger_across_to_the_other(session, finger, turn, wanted) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.move_to({"gripper": 2 * inch, "roll": turn * deg})
        emulation.grasp("parta", (1 * inch, 0, 0), finger)
        assert session.place("parta") == wanted
        assert emulation.held == {"parta": f"robot/{finger}"}
        # z points out of the hand, which points down.
        emulation.grasp("parta", (1 * inch, 0, 0.5 * inch), finger)
        assert session.place("parta") == (*wanted[:2], 2.5)

    session.run(program)


def test_at_without_from_counts_from_the_point_between_the_tips(session) -> None:
    session.emulation.grasp("parta", (0, 0, 1 * inch))
    assert session.place("parta") == (0, 0, 2)
    assert session.emulation.held == {"parta": "robot/hand"}


def test_grasping_keeps_the_orientation(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.move_to({"roll": 30 * deg})
        emulation.grasp("parta", (0, 0, 0), "finger1")
        assert session.body("parta").pose.rpy == pytest.approx((0, 0, 0))
        emulation.move_to({"roll": 0})
        assert session.body("parta").pose.rpy == pytest.approx((0, 0, -30 * deg))

    session.run(program)


def test_contacts_inside_the_grasped_group_do_not_count(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "contact", ["finger1", "parta"])
        emulation.attach(2, "contact", ["gripper", "partb"])
        emulation.attach(3, "contact", ["parta", "partb"])
        emulation.set_collision_check(True, "gripper", "parta")
        emulation.grasp("parta", (0, 0, 0))  # both fingers overlap it
        emulation.grasp("partb", (0, 0, 0))  # and it in partb
        assert emulation.move_by({"z": 2 * inch}, SensorGuard((1, 2, 3), 10)).tripped is None
        assert list(emulation.collisions) == []
        emulation.release("partb")
        assert emulation.move_by({"z": 1 * inch}, SensorGuard((1,), 10)).tripped is None
        assert emulation.move_by({"z": -1 * inch}, SensorGuard((2, 3), 10)).tripped == 2  # the held parta touches it

    session.run(program)


def test_a_dropped_part_falls_in_physical_time_onto_its_support(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.grasp("parta")
        emulation.move_by({"x": 2 * inch, "y": -10 * inch, "z": 10 * inch})
        emulation.release("parta")
        begun = session.cell.time
        landing = emulation.support("table", "parta")
        # Its bottom was at 10.75 in, the table's top is at 2: √(2 · 8.75 · 0.0254 / 9.80665) = 0.212 900 1 s
        assert landing.on == "table"
        assert landing.seconds == pytest.approx(math.sqrt(2 * 8.75 * inch / 9.80665), abs=2e-6)
        assert session.cell.time - begun == pytest.approx(landing.seconds, abs=1e-9)
        assert session.place("parta") == pytest.approx((0, 0, 2 + 1.15), abs=1e-4)
        # It is already supported: nothing happens.
        assert emulation.support("table", "parta") == type(landing)("parta", "table", 0.0)

    session.run(program)
    records: list[JournalLine] = [r for r in session.cell.kernel.journal.records if r.subject == "parta"]
    assert [record.kind for record in records] == ["falls", "rests"]


def test_a_part_released_between_the_fingers_slips_out_of_them(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "contact", ["finger1", "parta"])
        emulation.move_to({"x": -2 * inch, "y": 10 * inch, "z": 11 * inch, "gripper": 3.25 * inch, "roll": 90 * deg})
        emulation.move_to({"z": 2 * inch})
        assert emulation.move_to({"gripper": 0}, SensorGuard((1,), 10)).tripped == 1  # also slightly inside it
        emulation.grasp("parta")
        emulation.move_by({"z": 5 * inch})
        emulation.release()
        landing = emulation.support("tray", "parta")
        assert landing.on == "tray"
        assert landing.seconds == pytest.approx(math.sqrt(2 * 5 * inch / 9.80665), abs=2e-6)

    session.run(program)


def test_a_part_may_fall_in_any_direction_and_rests_on_what_it_meets_first(session) -> None:
    emulation = session.emulation
    session.cell.add("wall", Body(Box(1 * inch, 20 * inch, 20 * inch), at=(-8.5 * inch, 10 * inch, 10 * inch)))

    def program() -> None:
        landing = emulation.support("table", "parta", (-2.0, 0.0, 0.0))  # the length does not matter
        # From its side at X -4 to the side of the wall at -8.
        assert landing.on == "wall"
        assert landing.seconds == pytest.approx(math.sqrt(2 * 4 * inch / 9.80665), abs=2e-6)

    session.run(program)


def test_a_part_that_meets_nothing_leaves_the_cell(session) -> None:
    emulation = session.emulation

    def program() -> None:
        assert emulation.support("tray", "partb", (1, 0, 0)).on is None
        with pytest.raises(UnknownName, match="there is no body 'partb'"):
            emulation.grasp("partb")

    assert session.run(program).lost == ("partb",)


def test_collision_checks_go_on_during_a_fall(start) -> None:
    session = start(clearance=0.0)
    emulation = session.emulation
    # A post beside parta's path, which it grazes on its way down.
    session.cell.add("post", Body(Box(1 * inch, 1 * inch, 4 * inch), at=(2 * inch - 1e-10, 0, 4 * inch)))

    def program() -> None:
        emulation.set_cycle(0.01)
        emulation.set_collision_check(True, "post", "parta")
        emulation.move_to({"y": -20 * inch})
        emulation.translate("parta", 1.5 * inch, -10 * inch, 10 * inch)
        emulation.support("table", "parta")

    session.run(program)
    # parta's side at X -0.5 + 2 = 1.5 in is the post's; its bottom, at 10.75 in, passes the post's top at 6 in after
    # √(2 · 4.75 in / g) = 0.1569 s and is at the table, 2 in, after 0.2129 s: cycles 16 to 21.
    assert [collision.time for collision in emulation.collisions] == [5_000_000 + k * 10_000 for k in range(16, 22)]
    assert {collision.line for collision in emulation.collisions} == {"**CRASH DETECTED* POST & PARTA"}


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (lambda e: e.grasp("finger1"), "finger1 belongs to the robot and cannot be grasped"),
        (lambda e: e.grasp("tray", from_="parta"), "tray cannot be grasped from parta, which is attached to it"),
        (lambda e: e.grasp("parta", (math.inf, 0, 0)), "is too far away"),
        (lambda e: e.release(), "nothing is held"),
        (lambda e: e.release("parta"), "parta is not held"),
        (lambda e: e.support("table", "hand"), "hand belongs to the robot and cannot fall"),
        (lambda e: e.support("table", "parta", (0, 0, 0)), "is not a direction to fall in"),
        (lambda e: e.support("table", "parta", (math.nan, 0, 0)), "is not a direction to fall in"),
        (lambda e: e.translate("finger1", 1, 0, 0), "only the robot's motors can move finger1"),
        (lambda e: e.translate("parta", math.nan, 0, 0), "is too far away"),
        (lambda e: e.rotate("parta", "z", math.inf), "a rotation by"),
    ],
)
def test_meaningless_requests_are_refused_and_change_nothing(session, command, message) -> None:
    before = {name: body.pose for name, body in session.cell.world.bodies.items()}
    with pytest.raises(ProgramError, match=message):
        command(session.emulation)
    assert {name: body.pose for name, body in session.cell.world.bodies.items()} == before


def test_a_held_part_cannot_fall(session) -> None:
    session.emulation.grasp("parta")
    with pytest.raises(ProgramError, match="parta is held and cannot fall"):
        session.emulation.support("table", "parta")


def test_bodies_are_shifted_and_turned_by_name(session) -> None:
    emulation = session.emulation
    emulation.translate("PartA", x=1 * inch)
    emulation.translate("parta", 0, -1 * inch, 2 * inch)
    assert session.place("parta") == (-1, 9, 3.9)
    emulation.rotate("parta", "Z", 90 * deg)
    assert session.body("parta").pose.rpy == pytest.approx((0, 0, 90 * deg))
    with pytest.raises(UnknownName, match="axis 'w'"):
        emulation.rotate("parta", "w", 1.0)


def test_a_merged_body_can_no_longer_be_moved_separately(session) -> None:
    bracket = session.cell.add("bracket", Body(Box(2 * inch, 2 * inch, 1 * inch), at=(0.5, 0.5, 0.5)))
    session.cell.add("bracket/lug", Body(Box(1 * inch, 1 * inch, 1 * inch), parent=bracket.name, at=(0, 0, 1 * inch)))
    session.emulation.merge("bracket")
    assert bracket.shape.volume == pytest.approx(5 * inch**3)
    for name in ("lug", "bracket/lug"):
        with pytest.raises(
            WorldError, match="'bracket/lug' is merged into 'bracket' and can no longer be moved separately"
        ):
            session.emulation.translate(name, 1, 0, 0)

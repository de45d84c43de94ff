"""Parts by kind: the nearest that can be picked, and why others cannot. The part that is meant, and the one held."""

import pytest

from drycell import Body, Box, Cell, Conveyor, Robot, Source, above, deg, mm, s
from drycell.base import MotionError, Pose, ProgramError, UnknownName
from drycell.handling import RestingBox, part_meant


def table(**parts):
    cell = Cell("table")
    cell.add("table", Body(Box(3.0, 2.4, 0.02), at=(0.4, 0, -0.01)))
    for name, (x, y) in parts.items():
        cell.add(name, Body(Box(40 * mm, 60 * mm, 30 * mm), on="table", at=(x - 0.4, y)))
    return cell, cell.add("arm", Robot("ur5e", gripper="robotiq-2f-85"))


def run(cell, program):
    cell.program(program, name="program")
    return cell.run()


def test_the_nearest_part_of_a_kind_is_picked_and_parts_of_other_kinds_are_not():
    cell, arm = table(nut1=(0.5, 0.3), nut2=(0.5, -0.1), bolt1=(0.45, 0.05))
    order = []

    def program():
        arm.move(above("bolt1", 200 * mm))
        for _ in range(2):
            order.append(arm.pick("nut").name)
            arm.place(Pose(0.3, -0.5 + 0.1 * len(order), 15 * mm) @ Pose.turn_x(180 * deg))
            arm.move(above("bolt1", 200 * mm))

    run(cell, program)
    assert order[0] == "nut2"


def test_of_equally_near_parts_the_first_by_name_is_picked():
    cell, arm = table(nut2=(0.5, 0.1), nut1=(0.5, -0.1))
    got = []

    def program():
        arm.move(Pose(0.5, 0.0, 0.3) @ Pose.turn_x(180 * deg))
        got.append(arm.pick("nut").name)

    run(cell, program)
    assert got == ["nut1"]


def test_parts_that_cannot_be_picked_are_named_with_the_reason():
    cell, arm = table(nut1=(1.7, 0.0), nut2=(0.5, 0.3))
    cell.add("weight", Body(Box(20 * mm, 20 * mm, 20 * mm), on="nut2", part=True))
    messages = []

    def program():
        with pytest.raises(ProgramError) as caught:
            arm.pick("nut")
        messages.append(caught.value.what)

    run(cell, program)
    assert messages == ["arm can pick no part of kind 'nut': nut2: something lies on it; nut1: out of reach"]


def test_a_part_on_a_running_belt_is_not_picked_by_its_kind():
    cell, arm = table()
    cell.add("belt", Conveyor(length=1.2, width=0.1, speed=0.05, at=(0.0, 0.5, 0.05)))
    cell.add("feed", Source({"nut": Box(40 * mm, 40 * mm, 30 * mm)}, every=60 * s, first=2 * s, on="belt"))
    seen = []

    def program():
        from drycell import delay

        with pytest.raises(ProgramError, match="there is none in the cell"):
            arm.pick("nut")
        delay(3.0)
        with pytest.raises(ProgramError, match="nut1: it moves"):
            arm.pick("nut")
        seen.append(True)

    cell.program(program, name="program", priority=1)
    cell.run(until=10)
    assert seen


def test_an_unknown_kind_is_an_error_with_the_known_ones():
    cell, arm = table(nut1=(0.5, 0.3))

    def program():
        with pytest.raises(UnknownName, match="body or kind of part"):
            arm.pick("nutt")

    run(cell, program)


# ---------------------------------------------------------------- which part is meant


def test_the_box_of_a_part_is_that_of_its_stable_state():
    cell, _ = table(nut1=(0.5, 0.3))
    nut = cell.body("nut1")
    for pose, size in (
        (Pose(0.5, 0.3, 0.015), (60, 40, 30)),
        (Pose(0.5, 0.3, 0.020) @ Pose.turn_y(90 * deg), (60, 30, 40)),
        (Pose(0.5, 0.3, 0.030) @ Pose.turn_z(30 * deg) @ Pose.turn_x(90 * deg), (40, 30, 60)),
    ):
        cell.world.place(nut, pose)
        box = RestingBox.of(cell.world, nut)
        assert tuple(round(each / mm, 6) for each in box.size) == size
        assert box.top.position == pytest.approx((0.5, 0.3, size[2] * mm), abs=1e-9)
        assert box.top.direction((0, 0, 1)) == pytest.approx((0, 0, -1), abs=1e-9)
        # Independent of the code: the middle of its faces is on the surface of the part.
        for axis, half in (((1, 0, 0), size[0] / 2), ((0, 1, 0), size[1] / 2)):
            face = (
                box.middle[0] + half * mm * box.top.direction(axis)[0],
                box.middle[1] + half * mm * box.top.direction(axis)[1],
                box.middle[2],
            )
            assert nut.shape.nearest(nut.pose.inverse().point(face)).distance == pytest.approx(0.0, abs=1e-9)


def test_the_nearest_of_the_parts_whose_boxes_contain_the_tcp_is_meant():
    cell, _ = table(nut1=(0.5, 0.0), nut2=(0.53, 0.0))
    parts = [cell.body("nut1"), cell.body("nut2")]
    assert part_meant(cell.world, parts, Pose(0.517, 0.0, 0.015)) is parts[1]
    assert part_meant(cell.world, parts, Pose(0.512, 0.0, 0.015)) is parts[0]
    assert part_meant(cell.world, parts, Pose(0.5, 0.0, 0.035)) is None


def test_where_the_jaws_hold_another_part_than_the_box_says_the_journal_says_so():
    cell, arm = table(nut1=(0.5, 0.025))
    # A frame around the TCP: its box contains it, and its middle is nearer than that of the nut that the jaws hold.
    from drycell.geometry import merge

    ring = merge([(Pose(), Box(300 * mm, 300 * mm, 20 * mm))], [(Pose(), Box(260 * mm, 260 * mm, 40 * mm))])
    cell.add("frame", Body(ring, on="table", at=(0.1 - 0.02, 0.0), part=True))

    def program():
        arm.move(Pose(0.5, 0.0, 0.2) @ Pose.turn_x(180 * deg))
        arm.move_linear(Pose(0.48, 0.0, 0.018) @ Pose.turn_x(180 * deg))
        assert arm.gripper.close()

    run(cell, program)
    (line,) = [each for each in cell.kernel.journal.records if each.kind == "differs"]
    assert line.fields == {"meant": "frame", "holds": "nut1"}


def test_place_of_a_pattern_needs_a_held_part():
    from drycell import Pallet, PartLayer

    cell, arm = table()
    pallet = cell.add("pallet", Pallet(Box(0.3, 0.3, 0.05), layers=(PartLayer(size=(0.1, 0.1, 0.1)),), on="table"))

    def program():
        with pytest.raises(ProgramError, match=r"arm holds no part to put at pallet\.place1"):
            arm.place(pallet.next())
        with pytest.raises(MotionError):
            arm.move_linear(object())

    run(cell, program)

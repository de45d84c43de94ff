"""A robot takes tools from stations and puts them down again, and refuses what a tool changer cannot do."""

import pytest

from drycell import Body, Box, Cell, Pose, Robot, ToolStation, deg, mm
from drycell.base import ProgramError
from drycell.recording import Recording


def cell_with_stations(**tools):
    cell = Cell("changer")
    cell.add("table", Body(Box(1.2, 1.6, 0.02), at=(0.4, 0, -0.01)))
    for number, (name, tool) in enumerate(tools.items()):
        station = ToolStation(
            shape=Box(0.1, 0.1, 0.02), tool=tool, height=0.2, on="table", at=(0.1, 0.3 + 0.2 * number)
        )
        cell.add(name, station)
    block = Body(Box(30 * mm, 30 * mm, 60 * mm), on="table", at=(0.1, -0.3), material="steel")
    cell.add("block", block)
    return cell, cell.add("arm", Robot("ur10e"))


def test_a_robot_works_with_one_tool_after_the_other(tmp_path):
    cell, arm = cell_with_stations(one="robotiq-2f-85", two="vacuum-cup-30")
    one, two = cell.things["one"], cell.things["two"]
    cell.check_collisions()
    seen = []

    @cell.program
    def work():
        assert not arm.has_gripper
        arm.take_tool(one)
        seen.append((arm.pick("block").name, arm.gripper.name, one.present.value, two.present.value))
        arm.place(Pose(0.5, -0.4, 40 * mm) @ Pose.turn_x(180 * deg))
        arm.put_tool(one)
        assert not arm.has_gripper
        assert one.tool.palm.parent is one.body
        arm.take_tool(two)
        seen.append((arm.pick("block").name, arm.gripper.name, one.present.value, two.present.value))

    path = tmp_path / "run.dry"
    result = cell.run(record=path)
    assert seen == [("block", "one/tool", False, True), ("block", "two/tool", True, False)]
    assert result.collisions == ()
    # Back where it was, to the micrometre; and the recording shows the same.
    start, end = cell.world.pose("one/tool/palm", 0), cell.world.pose("one/tool/palm")
    assert end.distance_to(start)[0] < 1e-6
    recorded = Recording.open(path)
    assert recorded.world.pose("two/tool", recorded.end).position == pytest.approx(cell.world.pose("two/tool").position)
    # 2F-85 0.9 kg and the block of 0.42 kg at most.
    assert result.loads["arm"].limit == 12.5


def test_the_checks_of_a_changer(tmp_path):
    cell, arm = cell_with_stations(one="vacuum-cup-30", two="vacuum-cup-50", empty=None)
    one, two, empty = (cell.things[name] for name in ("one", "two", "empty"))

    @cell.program
    def work():
        with pytest.raises(ProgramError, match="arm has taken no tool"):
            arm.put_tool(empty)
        with pytest.raises(ProgramError, match="arm finds no tool in empty"):
            arm.take_tool(empty)
        with pytest.raises(ProgramError, match=r"the flange of arm is .* mm and .* deg from one\.dock"):
            one.give(arm.flange, "arm")
        arm.take_tool(one)
        with pytest.raises(ProgramError, match="arm has already taken one/tool"):
            arm.take_tool(two)
        with pytest.raises(ProgramError, match="arm cannot put one/tool into two: two/tool is there"):
            arm.put_tool(two)
        arm.tool = "one"
        arm.pick("block")
        with pytest.raises(ProgramError, match="arm cannot put one/tool down: it holds block"):
            arm.put_tool(one)
        arm.gripper.open()
        arm.put_tool(empty)
        assert empty.tool.name == "one/tool"

    assert cell.run().ending == "finished"

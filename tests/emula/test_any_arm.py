"""The paper's verbs on an arm without motors X, Y and Z: they move its TCP, and the gripper on its flange."""

from dataclasses import replace

import pytest

from drycell import Body, Box, Cell, Robot, mm
from drycell.languages.emula import Emulation, run_text
from drycell.robots import load_robot


class Bench:
    """A UR5-like arm with a two-finger gripper above a block; ``run`` runs a program text on it."""

    def __init__(self, tmp_path) -> None:
        self.cell = Cell("bench")
        self.cell.add("table", Body(Box(2.0, 2.0, 20 * mm), at=(0, 0, -10 * mm)))
        at = (486.9 * mm, -109.15 * mm, 30 * mm)
        self.block = self.cell.add("block", Body(Box(30 * mm, 40 * mm, 60 * mm), part=True, at=at))
        self.arm = self.cell.add("arm", Robot("ur5-like", gripper="two-finger"))
        self.lines: list[str] = []
        self.emulation = Emulation(self.cell, self.arm, echo=self.lines.append, out=tmp_path)

    def run(self, text: str):
        self.cell.program(lambda: run_text(f"UNITS(mm)\n{text}", self.emulation), name="session")
        return self.cell.run()


@pytest.fixture
def bench(tmp_path) -> Bench:
    return Bench(tmp_path)


def test_move_moveup_and_movedown_move_the_tcp_along_the_axes_of_the_base(bench) -> None:
    start = bench.arm.pose
    bench.run("move (20,30,-50)\nmoveup (7)\nmovedown (17)")
    moved = [(b - a) / mm for a, b in zip(start.position, bench.arm.pose.position, strict=True)]
    assert moved == pytest.approx([20, 30, -60], abs=1e-3)
    assert bench.arm.pose.rpy == pytest.approx(start.rpy, abs=1e-6)
    assert "now at X 506.900 Y -79.150 Z 271.859" in bench.lines[-1]


def test_axes_follow_a_rotated_base(tmp_path) -> None:
    cell = Cell("turned")
    arm = cell.add("arm", Robot("ur5-like", rpy=(0, 0, 1.5707963267948966)))
    emulation, start = Emulation(cell, arm, echo=lambda line: None, out=tmp_path), arm.pose
    cell.program(lambda: run_text("UNITS(mm); move (20,0,0)", emulation), name="session")
    cell.run()
    x, y, z = ((b - a) / mm for a, b in zip(start.position, arm.pose.position, strict=True))
    assert (x, y, z) == pytest.approx((0, 20, 0), abs=1e-3)


def test_a_guarded_move_of_the_tcp_ends_with_the_cycle_of_the_contact(bench) -> None:
    bench.run("attach (1,contact,gripper,block)\nclose\nmovedown (400) until sensors (1) exceed (1)")
    assert "sensor 1 exceeded 1 after" in bench.lines[-1]
    assert "finger1 touches block" in bench.lines[-1]
    # The fingers come down on the block: at most one cycle of 20 ms at 250 mm/s deep.
    assert -5.0 <= bench.cell.scene.distance("arm/gripper/finger1", "block") / mm <= 0.0


def test_rotate_turns_the_joint_of_the_flange(bench) -> None:
    bench.run("rotate (30)")
    assert bench.lines == ["  1 motor moved, 0.17 s, now at WRIST3 30.000"]


def test_close_holds_what_is_between_the_jaws_and_open_lets_go(bench) -> None:
    bench.run("movedown (290)\nclose\nmoveup (30)\nDISPLAY(1)")
    assert [line.split(", now at ")[-1] for line in bench.lines[1:2]] == ["GAP 40.000, holding block"]
    assert bench.block.pose.z / mm == pytest.approx(60, abs=0.01)


def test_a_guard_stops_the_jaws_and_notices_a_part_that_they_hold(bench) -> None:
    bench.run("attach (1,contact,finger1,block)\nmovedown (290)\nclose until sensors (1) exceed (1)")
    assert bench.lines[-1].endswith("at GAP 40.000, holding block: finger1 touches block")
    assert bench.arm.gripper.held is bench.block


def test_a_guard_can_stop_the_jaws_before_they_hold_anything(tmp_path) -> None:
    bench = Bench(tmp_path)
    bench.emulation._functions["late"] = ("late", lambda look: 1.0 if look.cycle >= 3 else 0.0)
    bench.run("attach (1,late)\nclose until sensors (1) exceed (1)\nclose (60)\nopen (62)")
    gap = float(bench.lines[0].split("GAP ")[1].split(":")[0])
    assert "after 3 cycles" in bench.lines[0]
    assert 60.0 < gap < 65.0
    assert "GAP 60.000" in bench.lines[1]
    assert "GAP 62.000" in bench.lines[2]


def test_grasp_and_release_work_with_a_gripper_that_holds_the_part(bench) -> None:
    bench.run("movedown (290)\nclose\ngrasp (block)\nmoveup (50)\nopen\nrelease\nsupport (table,block)")
    assert bench.lines[-1] == "  block fell for 0.101 s and rests on table"
    assert bench.block.pose.z / mm == pytest.approx(30, abs=0.01)


def test_an_arm_without_any_gripper_says_so(tmp_path) -> None:
    cell = Cell("bare")
    emulation = Emulation(cell, cell.add("arm", Robot("ur5-like")), echo=lambda line: None, out=tmp_path)
    cell.program(lambda: run_text("open", emulation), name="session")
    with pytest.raises(Exception, match="arm has no motor 'gripper' and no gripper"):
        cell.run()


def test_the_fingers_of_a_family_may_have_a_motor_of_another_name(tmp_path) -> None:
    mechanism = load_robot("box-frame/hand")
    joints = [replace(each, name="grip") if each.name == "gripper" else each for each in mechanism.joints]
    joints = [replace(each, name="spin") if each.name == "roll" else each for each in joints]
    cell = Cell("own")
    robot = cell.add("robot", Robot(replace(mechanism, joints=tuple(joints))))
    lines: list[str] = []
    emulation = Emulation(cell, robot, echo=lines.append, out=tmp_path)
    cell.program(lambda: run_text("open (2); close (1); DISPLAY(ARM)", emulation), name="session")
    cell.run()
    assert [line.split("now at ")[-1] for line in lines] == ["GRIP 2.000", "GRIP 1.000", "<1,2,3,4,5,6>"]

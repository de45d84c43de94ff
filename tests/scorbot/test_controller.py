"""The arm of the cell executes the commands of ScorPas, motion by motion."""

import pytest

from drycell.base import MotionError, Pose, ProgramError, deg, mm
from drycell.cell import Cell
from drycell.devices import Controller
from drycell.kernel import delay, now
from drycell.languages.kit import ScorbotInterface as Commanded
from drycell.robots import OutOfReach, Robot
from drycell.scorbot import SCORBOT

INIT = (160 * mm, 262.66 * mm, 236.94 * mm, -55.92 * deg, 2.39 * deg)  # table 21
WAIT = (-51.14 * mm, 262.66 * mm, 236.94 * mm, -55.92 * deg, 2.39 * deg)


class Arm:
    """A SCORBOT half a metre off the origin, turned a quarter, with a gripper and two lines."""

    def __init__(self, model: str = "scorbot-er3") -> None:
        cell = Cell("arm")
        self.kernel, self.world = cell.kernel, cell.world
        at = Pose(0.5, 0, 0) @ Pose.turn_z(90 * deg)
        self.robot = cell.add("arm", Robot(model, gripper="two-finger", at=at))
        self.prox, self.start = cell.signal("prox", False), cell.signal("start", False)
        lines = Controller(robot="arm", inputs={1: "prox", "part": "prox"}, outputs={1: "start"})
        self.scorbot = cell.add("scorbot", lines).scorbot

    def run(self, *programs) -> None:
        for program in programs:
            self.kernel.spawn(program)
        self.kernel.run()

    @property
    def place(self) -> tuple[float, ...]:
        """The tool seen from the base, in millimetres to the micrometre."""
        seen = self.world.pose(self.robot.base).inverse() @ self.robot.pose
        return tuple(round(v / mm, 3) + 0.0 for v in seen.position)


def test_it_is_what_languages_command() -> None:
    assert isinstance(Arm().scorbot, Commanded)


def test_the_point_between_the_jaws_is_145_mm_from_the_wrist_as_on_the_real_arm() -> None:
    robot = Arm().robot
    tip = robot.mechanism.forward([0.0] * 5) @ robot.tool
    assert tip.position == pytest.approx((0.016 + 2 * 0.221 + 0.145, 0.0, 0.349), abs=1e-9)


def test_both_positions_of_table_21_are_reached_with_the_gripper() -> None:
    arm = Arm()
    seen: list[tuple[float, ...]] = []

    def program() -> None:
        for position in (INIT, WAIT):
            arm.scorbot.move_to(*position)
            arm.scorbot.wait_position()
            seen.append((*arm.place, *(round(joint / deg, 1) for joint in arm.robot.joints[:3])))

    arm.run(program)
    # With the base towards the second position, the elbow would need 134.6 deg of its 130: the arm reaches back over
    # its shoulder instead.
    assert seen == [(160, 262.66, 236.94, 58.7, -63.8, 123.1), (-51.14, 262.66, 236.94, -79.0, -115.0, -125.5)]


def test_a_move_returns_at_once_and_begins_at_once() -> None:
    arm = Arm()
    seen: list[object] = []

    def program() -> None:
        delay(1)
        arm.scorbot.move_to(*INIT)
        seen.extend([now(), arm.robot.moving])
        arm.scorbot.wait_position()
        seen.append(arm.place)

    arm.run(program)
    assert seen == [1.0, True, (160, 262.66, 236.94)]


def test_a_move_commanded_meanwhile_follows_the_previous_one() -> None:
    arm = Arm()
    seen: dict[str, object] = {}

    def program() -> None:
        arm.scorbot.move_to(*INIT)
        arm.scorbot.move_to(*WAIT)
        arm.scorbot.move_by(0, 0, 20 * mm)
        seen["returned"] = now()
        arm.scorbot.wait_position()
        seen["place"] = arm.place

    arm.run(program)
    assert seen == {"returned": 0.0, "place": (-51.14, 262.66, 256.94)}
    first, second, third = arm.robot.moves
    assert [move.kind for move in arm.robot.moves] == ["joint", "joint", "linear"]
    assert (second.start, third.start) == (first.end, second.end)


def test_a_speed_counts_from_the_next_command_on() -> None:
    arm = Arm()

    def program() -> None:
        for grade in (9, 3):
            arm.scorbot.set_speed(grade)
            arm.scorbot.move_to(*INIT)
            arm.scorbot.set_speed(1)  # too late for the current motion
            arm.scorbot.wait_position()
            arm.scorbot.set_speed(9)
            arm.scorbot.move_to(*WAIT)
            arm.scorbot.wait_position()

    arm.run(program)
    there, _, slower, _ = arm.robot.moves
    # From WAIT to INIT at a third of the speed takes longer than the whole way from home at full speed.
    assert slower.duration > there.duration


def test_offsets_are_straight_along_the_axes_of_the_base() -> None:
    arm = Arm()
    places: list[tuple[float, ...]] = []

    def program() -> None:
        arm.scorbot.move_to(*INIT)
        for offset in ((10 * mm, 0, 0), (0, -10 * mm, 0), (0, 0, 30 * mm)):
            arm.scorbot.move_by(*offset)
            arm.scorbot.wait_position()
            places.append(arm.place)

    arm.run(program)
    assert places == [(170, 262.66, 236.94), (170, 252.66, 236.94), (170, 252.66, 266.94)]


def test_counts_are_of_encoders_from_the_home_position() -> None:
    arm = Arm()

    def program() -> None:
        arm.scorbot.move_pulses([0, 0, 0, 0, 0])
        arm.scorbot.wait_position()
        assert arm.robot.joints == pytest.approx(SCORBOT.home)
        arm.scorbot.move_pulses([14189, 0, 0, 0, 2790])
        arm.scorbot.wait_position()

    arm.run(program)
    moved = [(now_ - then) / deg for now_, then in zip(arm.robot.joints, SCORBOT.home, strict=True)]
    assert moved == pytest.approx([100.0, 0, 0, 0, 100.0], abs=1e-3)


def test_stopping_an_axis_stops_the_arm_and_drops_what_was_to_follow() -> None:
    arm = Arm()

    def program() -> None:
        arm.scorbot.move_to(*INIT)
        arm.scorbot.move_to(*WAIT)
        delay(0.5)
        arm.scorbot.stop_axis(1)
        assert not arm.robot.moving
        arm.scorbot.wait_position()

    arm.run(program)
    assert [move.stopped for move in arm.robot.moves] == [True]


def test_the_gripper_works_when_the_arm_has_come_to_rest() -> None:
    arm = Arm()

    def program() -> None:
        arm.scorbot.move_to(*INIT)
        arm.scorbot.set_gripper(False)

    arm.run(program)
    closes = next(record for record in arm.kernel.journal.records if record.kind == "closes")
    assert closes.time == arm.robot.moves[0].end


def test_lines_and_interrupts() -> None:
    arm = Arm()
    seen: list[object] = []

    def program() -> None:
        seen.append(arm.scorbot.wait_interrupt("1", 0.5))
        seen.append(arm.scorbot.wait_interrupt("part", 10))
        seen.extend([now(), arm.scorbot.input(1)])
        arm.scorbot.pulse(1)
        arm.scorbot.delay(1)

    def world() -> None:
        delay(2)
        arm.prox.set(True)

    arm.run(program, world)
    assert seen == [False, True, 2.0, True]
    assert [(time / 1e6, value) for time, value, _ in arm.start.history[1:]] == [(2.0, True), (2.2, False)]


def test_an_unknown_interrupt_is_reported() -> None:
    arm = Arm()
    with pytest.raises(ProgramError, match="no interrupt of scorbot has the code 'x7'"):
        arm.run(lambda: arm.scorbot.wait_interrupt("x7", 1))


def test_an_unreachable_target_is_reported_at_its_command() -> None:
    arm = Arm()

    def program() -> None:
        arm.scorbot.move_to(*INIT)
        with pytest.raises(OutOfReach, match=r"cannot reach '\(900.0, 0.0, 200.0\) mm'"):
            arm.scorbot.move_to(900 * mm, 0, 200 * mm, -90 * deg, 0)
        arm.scorbot.wait_position()

    arm.run(program)
    assert arm.place == (160, 262.66, 236.94)


def test_only_an_arm_of_five_axes_will_do() -> None:
    with pytest.raises(MotionError, match="cannot move arm, which has 6 axes"):
        Arm("ur5-like")

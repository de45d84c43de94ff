"""The driver sends the commands of programs over the line, as ACL."""

from collections.abc import Callable

import pytest

from drycell.base import MotionError, ProgramError, deg, mm
from drycell.kernel import Kernel, Pace
from drycell.languages.kit import ScorbotInterface
from drycell.robots import load_robot
from drycell.scorbot import SCORBOT, AclSession, LineLost, ScorbotDriver

from .far_end import FarEnd, StillArm


def drive(program: Callable[[ScorbotDriver], object], arm: StillArm, port: FarEnd | None = None) -> FarEnd:
    """Runs a program with a far end that answers at once, as fast as it goes."""
    kernel = Kernel()
    far = port or FarEnd(arm)
    driver = ScorbotDriver(kernel, AclSession(far), load_robot("scorbot-er3"), interrupts={"A": 3})
    assert isinstance(driver, ScorbotInterface)

    def run() -> None:
        driver.start()
        program(driver)

    kernel.spawn(run, name="robot")
    try:
        kernel.run(pace=Pace(attended=True))
    finally:
        driver.close(stop=False)
    return far


def test_the_first_move_and_what_comes_before_it() -> None:
    def program(scorbot: ScorbotDriver) -> None:
        scorbot.set_speed(5)
        scorbot.move_to(250 * mm, 0, 250 * mm, -90 * deg, 0)
        scorbot.wait_position()

    er3 = load_robot("scorbot-er3")
    joints = er3.inverse(er3.pose_at((0.25, 0, 0.25), -90 * deg, 0)).joints
    counts = SCORBOT.counts(joints)
    far = drive(program, StillArm())
    assert far.log == [
        *("", "ECHO", "CON", "DEFP DRY", "HERE DRY", "LISTPV POSITION"),
        *(f"SETPV DRY {axis} {count}" for axis, count in enumerate(counts, 1)),
        *("SPEED 56", "MOVE DRY", "LISTPV POSITION", "closed"),
    ]


def test_an_offset_is_a_straight_move_from_where_the_last_one_leads() -> None:
    def program(scorbot: ScorbotDriver) -> None:
        scorbot.move_to(250 * mm, 0, 250 * mm, -90 * deg, 30 * deg)
        scorbot.set_speed(3)
        scorbot.move_by(0, 10 * mm, 50 * mm)
        scorbot.wait_position()

    arm = StillArm()
    drive(program, arm)
    er3 = load_robot("scorbot-er3")
    near = er3.inverse(er3.pose_at((0.25, 0, 0.25), -90 * deg, 30 * deg)).joints
    joints = er3.inverse(er3.pose_at((0.25, 0.01, 0.3), -90 * deg, 30 * deg), near).joints
    assert arm.commands[-2:] == [
        f"move {SCORBOT.counts(near)} at 100 %",
        f"linear to {SCORBOT.counts(joints)} at 110 mm/s",  # three ninths of 330
    ]


def test_a_program_goes_on_while_motions_wait_for_each_other() -> None:
    arm, seen = StillArm(), []

    def program(scorbot: ScorbotDriver) -> None:
        for place in (100, 200, 300):
            scorbot.move_pulses([place, 0, 0, 0, 0])
        seen.append(list(arm.commands[1:]))
        scorbot.wait_position()
        seen.append([each.split(",")[0] for each in arm.commands[1:]])

    drive(program, arm)
    assert seen == [[], ["move (100", "move (200", "move (300"]]


def test_only_what_has_changed_is_sent_again_and_a_move_waits_for_the_one_before() -> None:
    def program(scorbot: ScorbotDriver) -> None:
        scorbot.move_pulses([1000, 0, 0, 0, 0])
        scorbot.move_pulses([1000, 0, 0, 0, 50])
        scorbot.wait_position()

    far = drive(program, StillArm())
    assert far.log[-6:] == ["MOVE DRY", "LISTPV POSITION", "SETPV DRY 5 50", "MOVE DRY", "LISTPV POSITION", "closed"]


def test_a_pulse_goes_off_again_even_if_the_program_ends() -> None:
    arm = StillArm()
    drive(lambda scorbot: scorbot.pulse(8), arm)
    assert arm.commands[1:] == ["output 8 on", "output 8 off"]

    def program(scorbot: ScorbotDriver) -> None:
        scorbot.pulse(1)
        scorbot.delay(0.05)
        scorbot.pulse(1)
        scorbot.delay(1.0)

    arm = StillArm()
    drive(program, arm)
    assert arm.commands[1:] == ["output 1 on", "output 1 on", "output 1 off"]


def test_inputs_of_one_instant_are_read_once_and_asked_again_afresh() -> None:
    arm = StillArm()
    arm.lines[0] = arm.lines[2] = True
    seen = []

    def program(scorbot: ScorbotDriver) -> None:
        seen.append([scorbot.input(number) for number in range(1, 9)])
        arm.lines[0] = False
        seen.append([scorbot.input(1), scorbot.input(3)])

    far = drive(program, arm)
    assert seen == [[True, False, True, False, False, False, False, False], [False, True]]
    assert far.log.count("SHOW DIN") == 2


def test_the_rise_of_an_input_is_an_interrupt() -> None:
    arm = StillArm()
    arm.lines[2] = True
    seen = []

    def program(scorbot: ScorbotDriver) -> None:
        seen.append(scorbot.wait_interrupt("A", 1.0))
        arm.lines[2] = False
        seen.append(scorbot.wait_interrupt("A", 0.2))
        with pytest.raises(ProgramError, match="no interrupt of scorbot has the code 'B'"):
            scorbot.wait_interrupt("B", 1.0)

    drive(program, arm)
    assert seen == [False, False]


def test_the_gripper_is_moved_when_the_arm_is_at_rest() -> None:
    def program(scorbot: ScorbotDriver) -> None:
        scorbot.move_pulses([100, 0, 0, 0, 0])
        scorbot.set_gripper(True)
        scorbot.set_gripper(False)

    far = drive(program, StillArm())
    assert far.log[-5:] == ["MOVE DRY", "LISTPV POSITION", "OPEN", "CLOSE", "closed"]


def test_an_arm_that_stands_still_on_its_way_is_stopped_and_reported() -> None:
    arm = StillArm(stuck=True)

    def program(scorbot: ScorbotDriver) -> None:
        scorbot.move_pulses([0, 0, -500, 0, 0])
        scorbot.wait_position()

    with pytest.raises(MotionError) as caught:
        drive(program, arm)
    assert caught.value.what == (
        "scorbot has stalled: axis 3 at 0 counts, target -500 ± 10, for more than 3 s; "
        "abort and motors off were sent and done"
    )
    assert arm.commands[-2:] == ["abort", "control off"]


def test_targets_out_of_reach_are_refused_before_anything_is_sent() -> None:
    arm = StillArm()
    with pytest.raises(MotionError, match=r"scorbot-er3 cannot reach '\(2000.0, 0.0, 200.0\) mm'"):
        drive(lambda scorbot: scorbot.move_to(2.0, 0, 0.2, -90 * deg, 0), arm)
    with pytest.raises(MotionError, match="base is past its limit"):
        drive(lambda scorbot: scorbot.move_pulses([30_000, 0, 0, 0, 0]), arm)
    with pytest.raises(MotionError, match=r"has no speed 10: 10 is not between 1 and 9"):
        drive(lambda scorbot: scorbot.set_speed(10), arm)
    with pytest.raises(MotionError, match="has no axis 0"):
        drive(lambda scorbot: scorbot.stop_axis(0), arm)
    with pytest.raises(MotionError, match="5 axes, but 2 counts"):
        drive(lambda scorbot: scorbot.move_pulses([1, 2]), arm)
    assert not [each for each in arm.commands if each.startswith("move")]


def test_stopping_an_axis_aborts_all_motion() -> None:
    arm = StillArm(stuck=True)

    def program(scorbot: ScorbotDriver) -> None:
        scorbot.move_pulses([500, 0, 0, 0, 0])
        scorbot.stop_axis(1)
        scorbot.wait_position()

    far = drive(program, arm)
    assert far.log[-4:] == ["Ctrl-A", "", "LISTPV POSITION", "closed"]


def test_an_error_of_the_line_names_the_line_of_the_program() -> None:
    def program(scorbot: ScorbotDriver) -> None:
        scorbot.set_gripper(True)
        raise AssertionError("the line is gone")

    with pytest.raises(LineLost) as caught:
        drive(program, StillArm(), FarEnd(StillArm(), unplugged_after=5))
    assert "nothing can be sent" in caught.value.what or "the line is gone" in caught.value.what
    assert caught.value.stopped.startswith("abort and motors off could not be sent")
    assert "program 'robot' (test_driver.py:" in str(caught.value)

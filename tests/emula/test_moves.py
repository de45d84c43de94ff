"""Moves: incremental, complete, guarded, asynchronous and refused; a guard stops them within a cycle of the event."""

import math

import pytest
from hypothesis import example, given, strategies as st

from drycell import Robot
from drycell.base import FieldError, MotionError, ProgramError, UnknownName, inch
from drycell.cell import Cell
from drycell.kernel import delay
from drycell.languages.emula import Emulation, SensorGuard, build_workstation

LIMITS = {
    "x": (-0.2286, 0.2286),
    "y": (-0.7366, 0.7366),
    "z": (0.0, 0.4318),
    "roll": (-2.35, 2.35),
    "pitch": (-1.57, 1.57),
    "yaw": (-2.35, 2.35),
    "gripper": (0.0, 0.08255),
}
places = st.fixed_dictionaries({name: st.floats(low, high) for name, (low, high) in LIMITS.items()})


@given(st.lists(places, min_size=1, max_size=3))
def test_complete_and_incremental_moves_end_at_the_very_same_motor_values(targets) -> None:
    ends = []
    for incremental in (True, False):
        cell = Cell("workstation")
        emulation = Emulation(cell, build_workstation(cell, "hand"), echo=print)

        @cell.program
        def session(emulation=emulation, incremental=incremental) -> None:
            emulation.set_increment(incremental)
            for target in targets:
                report = emulation.move_to(target, SensorGuard((1,), 10))
                assert report.tripped is None
                assert incremental or report.cycles <= 1

        cell.run()
        ends.append(emulation.motors)
    assert ends[0] == ends[1] == targets[-1]


# A cycle is a whole number of microseconds: cell time has no finer steps.
@given(st.floats(0.5, 4.0), st.integers(13_000, 400_000).map(lambda us: us / 1e6), st.floats(0.02, 1.0))
@example(1.0, 0.316406, 0.02)
def test_a_guarded_move_stops_within_one_cycle_of_contact_in_time_and_place(height, cycle, speed) -> None:
    """The hand moves down from Z 11 to parta, whose top is at a different height each time."""
    cell = Cell("workstation")
    emulation = Emulation(cell, build_workstation(cell, "hand"), echo=print)

    @cell.program
    def session() -> None:
        emulation.set_cycle(cycle)
        emulation.set_speed(speed)
        emulation.translate("parta", z=(height - 3.05) * inch)
        emulation.attach(1, "contact", ["finger1", "parta"])
        emulation.move_to({"x": -2 * inch, "y": 10 * inch, "z": 11 * inch})
        report = emulation.move_by({"z": -11 * inch}, SensorGuard((1,), 10))
        assert report.tripped == 1
        travel = 11 * inch / max(1, math.ceil(11 / (40 * speed * cycle) - 1e-9))  # of one cycle
        depth = height * inch - emulation.position[2]
        assert -1e-9 <= depth <= travel + 1e-9
        contact = (11 - height) * inch / travel * cycle  # the instant at which they touch
        assert -2e-6 <= report.seconds - contact <= cycle + 2e-6

    cell.run()


def test_in_complete_mode_the_sensors_are_read_once_at_the_end(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "contact", ["finger1", "parta"])
        emulation.set_increment(False)
        emulation.move_to({"x": -2 * inch, "y": 10 * inch, "z": 11 * inch})
        report = emulation.move_to({"z": 2 * inch}, SensorGuard((1,), 10))
        assert (report.cycles, report.tripped, report.seconds) == (1, 1, 0.1)
        assert session.inches["z"] == 2.0

    session.run(program)


def test_a_move_past_a_limit_is_refused_and_nothing_moves(session) -> None:
    emulation = session.emulation

    def program() -> None:
        with pytest.raises(MotionError, match=r"robot/z is past its limit: -177\.8 mm is not between 0\.0 and 431"):
            emulation.move_by({"z": -10 * inch})
        with pytest.raises(UnknownName, match="there is no motor 'grip'") as error:
            emulation.move_by({"grip": 1.0})
        assert error.value.hint == "did you mean 'gripper'?"
        with pytest.raises(UnknownName, match="there is no sensor '9'"):
            emulation.move_by({"z": 1.0}, SensorGuard((9,), 10))
        with pytest.raises(MotionError):
            emulation.move_by({"z": math.nan})
        assert session.inches["z"] == 3.0
        assert emulation.move_by({"z": 0.0}).cycles == 0

    assert session.run(program).duration == 0.0


def test_a_guard_needs_sensors_and_a_number() -> None:
    with pytest.raises(ProgramError, match="needs a sensor"):
        SensorGuard((), 10)
    with pytest.raises(ProgramError, match="must be a number"):
        SensorGuard((1,), math.nan)


def test_a_sensor_with_nothing_attached_reads_0(session) -> None:
    emulation = session.emulation

    def program() -> None:
        assert emulation.move_by({"z": 1 * inch}, SensorGuard((5,), 10)).tripped is None
        report = emulation.move_by({"z": 1 * inch}, SensorGuard((5,), 0))
        assert (report.tripped, report.cycles, report.value) == (5, 1, 0.0)

    session.run(program)


def test_a_program_need_not_wait_for_a_move(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "contact", ["finger1", "parta"])
        emulation.move_to({"x": -2 * inch, "y": 10 * inch, "z": 11 * inch})
        emulation.move_by({"z": -10 * inch}, SensorGuard((1,), 10), wait=False)
        delay(1.0)
        assert emulation.moving
        assert session.inches["z"] == pytest.approx(7.0)
        report = emulation.wait_move()
        assert (report.tripped, report.cycles) == (1, 20)
        with pytest.raises(ProgramError, match="no move is running in the background"):
            emulation.wait_move()

    session.run(program)


def test_a_program_may_poll_sensors_during_a_move(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "contact", ["finger1", "parta"])
        emulation.move_to({"x": -2 * inch, "y": 10 * inch, "z": 11 * inch})
        emulation.move_by({"z": -10 * inch}, wait=False)
        values = []
        for _ in range(24):
            delay(0.1)
            values.append(emulation.sensors[1])
        # parta's top, 7.95 in below, is passed in the 20th cycle of 0.4 in; 1.0 is the limit no guard has set yet.
        assert values == [0.0] * 19 + [1.0] * 5
        emulation.wait_move()

    session.run(program)


def test_any_robot_can_be_driven(tmp_path) -> None:
    cell = Cell("arm")
    robot = cell.add("puma", Robot("puma560"))
    emulation = Emulation(cell, robot, echo=print, out=tmp_path)

    def program() -> None:
        emulation.start_up()  # takes no time, because no start-up time is declared
        first = emulation.robot.mechanism.joint_names[0]
        report = emulation.move_by({first: 0.5}, SensorGuard((8,), 10))
        assert report.motors == 1
        assert report.seconds == pytest.approx(report.cycles * emulation.cycle / 1e6)
        emulation.attach(1, "contact", ["gripper", "puma"])

    cell.program(program, name="session")
    cell.run()


def test_the_next_command_waits_for_a_move_under_way(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.move_by({"z": 4 * inch}, wait=False)
        emulation.move_by({"z": 4 * inch})
        assert session.inches["z"] == 11.0

    assert session.run(program).duration == pytest.approx(2.0)


def test_an_obstacle_that_appears_during_a_move_is_seen(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "contact", ["finger1", "partb"])
        report = emulation.move_by({"z": 10 * inch}, SensorGuard((1,), 10))
        assert report.tripped == 1
        assert report.seconds == pytest.approx(1.1)

    def other() -> None:
        delay(1.05)
        emulation.translate("partb", -6 * inch, 3 * inch, 4.2 * inch)  # between the fingers' tips at Z 7.2

    session.cell.program(other, name="other")
    session.run(program)


def test_another_program_may_stop_the_arm_at_any_time(session) -> None:
    emulation = session.emulation

    def program() -> None:
        report = emulation.move_by({"z": 10 * inch}, SensorGuard((1,), 10))
        assert (report.tripped, report.cycles, report.seconds) == (None, 11, 1.05)
        assert session.inches["z"] == pytest.approx(7.2)
        emulation.move_by({"z": -1 * inch})
        assert session.inches["z"] == pytest.approx(6.2)

    def other() -> None:
        delay(1.05)
        session.robot.stop()

    session.cell.program(other, name="other")
    session.run(program)


def test_a_failing_sensor_function_stops_the_arm_and_leaves_the_session_usable(start) -> None:
    def broken(look) -> float:
        return 1 / (3 - look.cycle)

    session = start(functions={"broken": broken})
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "broken")
        with pytest.raises(ProgramError, match=r"'broken' of sensor 1 failed: ZeroDivisionError: division by zero"):
            emulation.move_by({"z": 4 * inch})
        assert session.inches["z"] == pytest.approx(4.2)
        emulation.move_by({"z": 4 * inch}, wait=False)
        with pytest.raises(ProgramError, match="ZeroDivisionError"):
            emulation.wait_move()
        emulation.detach(1)
        emulation.move_to({"z": 3 * inch})
        assert session.inches["z"] == 3.0

    session.run(program)


def test_cycle_and_speed_count_from_the_next_move_on(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.set_cycle(0.02)
        assert emulation.move_by({"z": 4 * inch}).cycles == 50
        emulation.set_speed(1.0)
        assert emulation.move_by({"z": 4 * inch}).cycles == 5
        with pytest.raises(FieldError, match="cycle: 0 must be above 0"):
            emulation.set_cycle(0.0)

    session.run(program)

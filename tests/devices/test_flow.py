"""Devices together with robots, sensors, recordings and searches: a cell through which parts flow."""

from pathlib import Path

from drycell import Body, Cell, Conveyor, Pose, Robot, Sensor, Source, Store, above, delay, shifted, wait
from drycell.base import deg, mm, s
from drycell.geometry import Box

BLOCK = Box(60 * mm, 40 * mm, 30 * mm)  # grasped across the belt, because its ends touch other parts in the queue


def cell_with_arm(seed: int = 0) -> Cell:
    """A cell in which an arm takes parts from a stop on a belt, one by one, and puts them into a store."""
    cell = Cell("flow", seed=seed)
    belt = cell.add(
        "belt",
        Conveyor(
            length=800 * mm, width=200 * mm, speed=100 * mm / s, stops={"pick": 600 * mm}, at=(-100 * mm, 450 * mm)
        ),
    )
    cell.add("feed", Source(kinds=BLOCK, on=belt.name, every=(3 * s, 5 * s), limit=4))
    shelf = cell.add(
        "shelf",
        Store(shape=Box(300 * mm, 200 * mm, 20 * mm), grid=(3, 2), pitch=(90 * mm, 90 * mm), at=(450 * mm, -100 * mm)),
    )
    arm = cell.add("arm", Robot("ur5-like", gripper="two-finger", at=(0, 0, 0)))
    cell.check_collisions(clearance=1 * mm)

    @cell.program
    def tend() -> None:
        for _ in range(4):
            while not belt.parts or belt.place(belt.parts[0]) < 569.9 * mm:
                delay(0.1)
            arm.pick(belt.parts[0])
            arm.place(shifted(above(shelf.next_free, 20 * mm), z=0.5 * mm))

    return cell


def test_an_arm_takes_parts_from_a_queue_and_stores_them() -> None:
    cell = cell_with_arm()
    result = cell.run(until=200)
    shelf = cell.devices["shelf"]
    assert result.ending == "finished"
    assert (result.parts.arrived, result.parts.stored, result.parts.lost) == (4, 4, 0)
    assert [stay.slot for stay in shelf.stays] == [1, 2, 3, 4]
    assert result.collisions == ()


def test_a_cell_with_devices_runs_the_same_again_and_is_recorded(tmp_path: Path) -> None:
    one, other = cell_with_arm(3), cell_with_arm(3)
    first = one.run(record=tmp_path / "one.dry")
    second = other.run(record=tmp_path / "other.dry")
    assert first.journal_hash == second.journal_hash
    assert (tmp_path / "one.dry").read_bytes() == (tmp_path / "other.dry").read_bytes()


def belt_with_eye(**source: object) -> Cell:
    cell = Cell("eye")
    belt = cell.add("belt", Conveyor(length=800 * mm, width=200 * mm, speed=100 * mm / s))
    at = Pose(0, -150 * mm, 60 * mm) @ Pose.turn_x(-90 * deg)
    cell.add("eye", Sensor("e3jk-through", on=belt.name, at=at))
    cell.add("feed", Source(kinds=BLOCK, on=belt.name, **source))
    return cell


def test_waiting_for_a_part_that_can_come_is_not_a_deadlock() -> None:
    cell = belt_with_eye(every=60 * s, first=30 * s, limit=1)
    eye = cell.sensors["eye"]
    cell.program(lambda: wait(eye.rises()) and print(end=""), name="watch")
    result = cell.run(until=100)
    assert result.ending == "finished"
    # The front of the part is 340 mm from the eye when it arrives.
    assert 33 < result.duration < 34


def test_waiting_for_what_no_part_can_cause_is_a_deadlock() -> None:
    cell = belt_with_eye(every=10 * s)
    never = cell.signal("never", False)
    cell.program(lambda: wait(never), name="watch")
    result = cell.run(until=100)
    assert result.ending == "deadlock"
    assert result.duration < 1


def test_a_part_is_grasped_from_a_running_belt_and_those_behind_go_on() -> None:
    cell = Cell("moving")
    belt = cell.add("belt", Conveyor(length=800 * mm, width=200 * mm, speed=20 * mm / s, at=(0, 450 * mm)))
    parts = [
        cell.add(f"part{i}", Body(Box(40 * mm, 40 * mm, 30 * mm), on=belt.name, at=(-60 * mm * i, 0))) for i in range(2)
    ]
    arm = cell.add("arm", Robot("ur5-like", gripper="two-finger"))

    @cell.program
    def take() -> None:
        grip = Pose(150 * mm, 450 * mm, 65 * mm) @ Pose.turn_x(180 * deg) @ Pose.turn_z(90 * deg)
        arm.move(above(grip, 80 * mm))
        arm.move_linear(grip, 100 * mm / s)
        while parts[0].pose.x < 148 * mm:
            delay(0.01)
        assert arm.gripper.close()
        arm.move_linear(above(grip, 80 * mm), 100 * mm / s)
        assert belt.parts == (parts[1],)
        delay(60)
        assert belt.place(parts[1]) > 779 * mm

    result = cell.run()
    assert result.ending == "finished"
    assert arm.gripper.held is parts[0]

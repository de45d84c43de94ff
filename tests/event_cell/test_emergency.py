"""At an emergency stop, the current job is finished, no other is started, and the program ends."""

import pytest

from drycell import delay
from drycell.base import s
from drycell.kernel import Signal

from .outcome import built

JOB = 45 * s  # to fetch a part, load it, and turn to where the arm waits


@pytest.mark.parametrize("program", ["robot.pas", "robot.py"])
@pytest.mark.parametrize(
    ("time", "ends"),
    [
        (5.0, ["belt"]),  # before the first part has reached the sensors
        (25.0, ["machine1/rotary", "belt"]),  # while it is carried to machine 1
        (100.0, ["store", "machine2/rotary", "belt", "belt"]),  # while it is being taken out, with other parts waiting
    ],
)
def test_a_program_ends_in_order(program: str, time: float, ends: list[str]) -> None:
    cell = built("30_event_cell", program)

    @cell.program
    def operator(emergency: Signal[bool]) -> None:
        delay(time)
        emergency.set(True)

    result = cell.run()
    assert result.ending == "finished"
    assert result.duration < time + JOB
    assert result.collisions == ()
    assert [part.where for part in result.parts.records] == ends
    assert cell.kernel.signals["arm.motion"].value == "still"
    assert not cell.kernel.signals["arm/gripper.holding"].value

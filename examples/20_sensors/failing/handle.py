"""Pick a part and put it down repeatedly, and compare two sensors that should agree.

The position of the jaws shows whether the gripper holds a part; the beam should show the same.
"""

from drycell import Pose, deg, delay, mm, now

PLACES = [Pose(400 * mm, y * mm, 35 * mm) @ Pose.turn_x(180 * deg) for y in (100, -100)]


def handle(arm, beam, part):
    doubts = 0
    for round_ in range(6):
        arm.pick(part)
        delay(2 * beam.period)
        if beam.value != arm.gripper.holding.value:
            doubts += 1
            print(f"{now():6.2f} s, round {round_ + 1}: the jaws hold something, the beam says no: has it failed?")
        arm.place(PLACES[round_ % 2])
    print(f"{doubts} of 6 rounds in doubt")

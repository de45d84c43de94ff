"""The arm's program: take each part from the end of the belt and drop it into the bin.

drycell calls `robot` with the objects from cell.yaml that its parameters name.
"""

from drycell import approach, mm, s, wait


def robot(arm, part_at_pick, pick, drop):
    arm.gripper.open()
    while True:
        wait(part_at_pick)  # until the light barrier detects a part; other programs and devices keep running
        arm.move(approach(pick, 80 * mm))  # to 80 mm above the pick position
        arm.move_linear(pick, 100 * mm / s)  # straight down, slowly
        arm.gripper.close()  # grasps what is between the jaws
        arm.move_linear(approach(pick, 80 * mm))
        arm.place(drop)  # approaches, opens the gripper and retreats

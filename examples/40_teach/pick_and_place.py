"""pick and place: taught to arm, 9 steps."""

from drycell import approach, mm, s


def pick_and_place(arm):
    arm.gripper.open()
    arm.move(approach("on_block", 60 * mm))
    arm.move_linear("on_block", 110 * mm / s)
    arm.gripper.close()
    arm.move_linear(approach(arm.here, 60 * mm), 110 * mm / s)
    arm.move(approach("on_stand", 60 * mm))
    arm.move_linear("on_stand", 110 * mm / s)
    arm.gripper.open()
    arm.move_linear(approach(arm.here, 60 * mm), 110 * mm / s)

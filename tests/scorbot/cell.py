from drycell import Robot

"""The tiny cell's arm, for who only needs its kinematics."""


def build(cell):
    cell.add("arm", Robot("scorbot-er3", gripper="two-finger"))
    cell.signal("part_there", False)
    cell.signal("lamp", False)

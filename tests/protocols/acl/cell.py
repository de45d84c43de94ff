"""The tiny cell's arm, for who only needs its kinematics."""


def build(cell):
    cell.add_robot("scorbot-er3", name="arm", gripper="two-finger")
    cell.signal("part_there", False)
    cell.signal("lamp", False)

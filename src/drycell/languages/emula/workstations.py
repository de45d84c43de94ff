"""The workstation of the paper: the box-frame robot, a table, a tray with parta, partb and a light beam.

The paper gives no dimensions. These are chosen so that tables 1 to 3 produce what figures 2 and 3 show, at 4 in/s and a
basic cycle of 0.1 s: a straight move advances 0.4 in per cycle. All lengths are in inches; z is measured from the floor
of the robot's frame, where the fingertips are when Z is 0.

* The arm starts at X 0, Y 0, Z 3 with closed fingers.
* parta, 4 x 2 x 2.3, lies on a tray 0.75 high beside the table, centred at X -2, Y 10. Its top is at 3.05.
  After ``move (-2,10,8)`` the tips are at 11, directly above it. Moving down they touch it after 7.95 and stop at the
  end of the 20th cycle, at 3.0.
* Its long side is along x, like the fingers at the start, so that they come down on it. Open to 3.25 and rotated by 90
  degrees they fit around its width of 2; after ``movedown (1)`` they are beside it, 1.25 above the tray.
* The table is 2 high, 1.25 above the tray: a part that is lifted by 10 and moved over the table touches it after 8.75
  and stops at the end of the 22nd cycle, 0.05 deep.

No contact occurs at the boundary of a cycle, where rounding would decide.

Table 4 is reconstructed with these figures, too: see ``START_UP`` and ``CLEARANCE``.
"""

from typing import Final

from drycell.base import Pose, deg, inch, ms, s
from drycell.cell import Body, Cell
from drycell.geometry import Box, Cylinder
from drycell.robots import LiveRobot, Robot, SteppingController

ROBOT: Final = "robot"
FAMILY: Final = "box-frame"
CYCLE: Final = 100 * ms
SPEED: Final = 0.1  # the fraction of the motors' maximum speeds: 4 in/s straight, 18 deg/s, fingers 0.4 in/s
START: Final = (0.0, 0.0, 3 * inch, 0.0, 0.0, 0.0, 0.0)

# The journal of table 4 is closed 4 min 50 s after it was opened, and only three of its commands can take time. At this
# speed `open (1)` and `close (0)` take 2.5 s each, from closed to 1 in and back; the rest is the start-up of the
# motors, which takes minutes on a hydraulic robot such as the RS/1.
START_UP: Final = 285 * s

# Table 4 has two collision lines for one closing of the fingers. They close by 0.04 in per cycle and meet at the end of
# the last one; with a clearance between one and two times that, the second to last cycle also counts.
CLEARANCE: Final = 0.05 * inch


def build_workstation(cell: Cell, model: str = "stylised") -> LiveRobot:
    """Add the workstation to a cell, with one of the robot's models: hand, stylised or detailed."""
    robot = cell.add(ROBOT, Robot(f"{FAMILY}/{model}", controller=SteppingController(cycle=CYCLE), joints=START))
    robot.override = SPEED
    table, tray = Box(20 * inch, 12 * inch, 2 * inch), Box(6 * inch, 4 * inch, 0.75 * inch)
    cell.add("table", Body(table, material="beech", at=(0.0, 0.0, 1 * inch)))
    cell.add("tray", Body(tray, material="aluminium", at=(-2 * inch, 10 * inch, 0.375 * inch)))
    parta, partb = Box(4 * inch, 2 * inch, 2.3 * inch), Box(2 * inch, 2 * inch, 1.5 * inch)
    cell.add("parta", Body(parta, material="brass", on="tray"))
    cell.add("partb", Body(partb, material="brass", on="table", at=(6 * inch, -3 * inch)))
    # A beam is not a solid: nothing collides with it. It runs from finger to finger at their widest, 0.5 in
    # above the tips, and is attached to the hand, so that it does not change the contacts of the fingers.
    at = Pose(0.0, 0.0, 8.5 * inch) @ Pose.turn_y(90 * deg)
    cell.add("beam", Body(Cylinder(0.1 * inch, 3.25 * inch), hole=True, parent=f"{ROBOT}/hand", at=at))
    return robot

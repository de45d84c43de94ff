"""The paper's work station: the box-frame robot, a work table, a tray with parta, partb and a light beam.

The paper gives no dimensions; these are drycell's, chosen so that tables 1 to 3 tell the story of figures 2 and 3 at
4 in/s and a basic cycle of 0.1 s, so that a straight move advances 0.4 in a cycle. All in inches, z from the floor of
the robot's frame, which the fingertips are at when Z is 0:

* The arm begins at X 0, Y 0, Z 3 with its fingers closed.
* parta, 4 x 2 x 2.3, lies on a tray 0.75 high beside the table, its middle at X -2, Y 10: its top is at 3.05.
  After ``move (-2,10,8)`` the tips are at 11, right above it; coming down they meet it after 7.95 and stop at the end
  of the 20th cycle, at 3.0.
* Its long side is along x, as the fingers are at first, so that they come down on it; open to 3.25 and turned by 90
  degrees they fit around its width of 2, and after ``movedown (1)`` are beside it, 1.25 above the tray.
* The table is 2 high, 1.25 above the tray: a part lifted by 10 and brought over it touches down after 8.75 and
  stops at the end of the 22nd cycle, 0.05 deep.

No contact falls on the boundary of a cycle, where rounding would decide.

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
SPEED: Final = 0.1  # the share of the motors' greatest speeds: 4 in/s straight, 18 deg/s, fingers 0.4 in/s
START: Final = (0.0, 0.0, 3 * inch, 0.0, 0.0, 0.0, 0.0)

# Table 4's journal is closed 4 min 50 s after it was opened, and only three of its commands can take time. At the
# declared speed `open (1)` and `close (0)` take 2.5 s each, from closed to 1 in and back; the rest is the start-up of
# the motors, which on a hydraulic robot such as the RS/1 is a matter of minutes.
START_UP: Final = 285 * s

# Table 4 has two collision lines for one closing of the fingers. They close by 0.04 in a cycle and meet at the end of
# the last one; with a clearance of more than one cycle's closing and less than two, the last but one counts, too.
CLEARANCE: Final = 0.05 * inch


def build_workstation(cell: Cell, model: str = "stylised") -> LiveRobot:
    """Sets the work station up in a cell, with one of the family's models: hand, stylised or detailed."""
    robot = cell.add(ROBOT, Robot(f"{FAMILY}/{model}", controller=SteppingController(cycle=CYCLE), joints=START))
    robot.override = SPEED
    table, tray = Box(20 * inch, 12 * inch, 2 * inch), Box(6 * inch, 4 * inch, 0.75 * inch)
    cell.add("table", Body(table, material="beech", at=(0.0, 0.0, 1 * inch)))
    cell.add("tray", Body(tray, material="aluminium", at=(-2 * inch, 10 * inch, 0.375 * inch)))
    parta, partb = Box(4 * inch, 2 * inch, 2.3 * inch), Box(2 * inch, 2 * inch, 1.5 * inch)
    cell.add("parta", Body(parta, material="brass", on="tray"))
    cell.add("partb", Body(partb, material="brass", on="table", at=(6 * inch, -3 * inch)))
    # A beam is space, not a solid: nothing bumps into it. It runs from finger to finger at their widest, 0.5 in above
    # the tips, and hangs on the hand, so that contacts of the fingers themselves stay as they are.
    at = Pose(0.0, 0.0, 8.5 * inch) @ Pose.turn_y(90 * deg)
    cell.add("beam", Body(Cylinder(0.1 * inch, 3.25 * inch), hole=True, parent=f"{ROBOT}/hand", at=at))
    return robot

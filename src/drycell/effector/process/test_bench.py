"""The cells that devices stand in when none is named: a hand above a table, and a block between its jaws."""

from math import pi
from typing import TYPE_CHECKING, Final

from drycell.base import Pose, mm

if TYPE_CHECKING:
    from drycell.cell import Cell

BLOCK: Final = 24 * mm
"""How wide the block is between the jaws."""
_ABOVE: Final = Pose(0.0, 0.0, 125 * mm) @ Pose.turn_x(pi)  # fingers down, their tips 14 mm above the table


def bench(kind: str, *, seed: int = 0) -> "Cell":
    """A new cell with a gripper, and with the wrist that it hangs on, or a pad on its first finger, if asked for."""
    from drycell.cell import Body, Cell
    from drycell.effector import Effector, Pad, Wrist
    from drycell.geometry import Box

    cell = Cell("bench", seed=seed)
    cell.add("table", Body(Box(300 * mm, 200 * mm, 20 * mm), at=(0, 0, -10 * mm)))
    cell.add("block", Body(Box(BLOCK, 30 * mm, 40 * mm), material="beech", on="table"))
    if kind == "wrist":
        cell.add("wrist", Wrist(at=_ABOVE))
        cell.add("gripper", Effector(parent="wrist"))
    else:
        cell.add("gripper", Effector(at=_ABOVE))
    if kind == "tactile":
        cell.add("tactile", Pad(of="gripper"))
    return cell

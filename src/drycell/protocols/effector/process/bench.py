"""The cell that a device stands in when none is named: a hand above a table, and a block between its jaws."""

from typing import TYPE_CHECKING

from drycell.units import mm

if TYPE_CHECKING:
    from drycell.cell import Cell

BLOCK = 24 * mm
"""How wide the block is between the jaws."""


def bench(kind: str, *, seed: int = 0) -> "Cell":
    """A new cell with one device of a kind."""
    import math

    from drycell.cell import Cell, box
    from drycell.devices.effector import Effector
    from drycell.robots import load_robot
    from drycell.spatial import Pose

    cell = Cell("bench", seed=seed)
    table = cell.add(box("table", 300 * mm, 200 * mm, 20 * mm), at=(0, 0, -10 * mm))
    cell.add(box("block", BLOCK, 30 * mm, 40 * mm, material="beech"), on=table)
    cell.devices["gripper"] = Effector(
        cell.kernel,
        cell.world,
        cell.gravity,
        cell.lookout,
        "gripper",
        load_robot("two-finger"),
        None,
        Pose(0, 0, 125 * mm) @ Pose.turn_x(math.pi),
    )
    return cell

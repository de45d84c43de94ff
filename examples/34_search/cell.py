"""An arm finds the top part of a stack with a light beam between its fingers; the program does not know how high it is.

``program.arl`` is in ARLA, the language of ABB's S3 controllers. Its PROGRAM 300 is an industrial program of 1995 that
was printed in part, and is completed here: move over the pallet, search down until the beam is interrupted, store that
position, and grip below it. The next search begins where the last one ended. A search in vain means that the pallet is
empty: the other one is next, and when both are, there is no part.

Things to try: more parts on a pallet; parts of other heights (the arm grips 15 mm below what it finds); a search faster
than 4 % (`drycell run examples/34_search --moves` shows where it stopped); a beam that fails: `cell.fault("beam", …)`.
"""

from pathlib import Path

from drycell import Cell, Pose, box, deg, mm
from drycell.languages.arla import VirtualS3, load_arla
from drycell.sensors import TraceLines

DOWN = Pose.turn_x(180 * deg)
TOP = 400 * mm  # of the table and the pallets


def build(cell: Cell) -> None:
    cell.add(box("table", 300 * mm, 700 * mm, 20 * mm, material="aluminium"), at=(1000 * mm, 250 * mm, TOP - 10 * mm))
    pallet(cell, 1, y=-350 * mm, parts=3, over=58, bottom=59)
    pallet(cell, 2, y=-200 * mm, parts=1, over=60, bottom=61)
    cell.workpoint("p70", at=Pose(1000 * mm, 0, TOP + 150 * mm) @ DOWN)
    cell.add_robot("irb2000-like", gripper="two-finger")
    beam = Pose(0, 0, 100 * mm) @ Pose.turn_y(90 * deg)  # from finger to finger
    cell.add_sensor(
        "finger-beam", name="beam", on="arm/gripper/finger2", at=beam, trace_lines=TraceLines(count=1, reach=64 * mm)
    )
    cell.signal("ready", False)
    cell.check_crashes(near_miss=1 * mm)
    machine = VirtualS3(cell, "arm", inputs={1: "beam"}, outputs={1: "ready"})
    cell.add_program("robot", load_arla(Path(__file__).with_name("program.arl"), machine))


def pallet(cell: Cell, number: int, *, y: float, parts: int, over: int, bottom: int) -> None:
    """A pallet with a stack of parts, and its two taught positions: above it, and where a search ends in vain."""
    below = cell.add(
        box(f"pallet{number}", 120 * mm, 120 * mm, 20 * mm, material="beech"), at=(1000 * mm, y, TOP - 10 * mm)
    )
    for count in range(1, parts + 1):
        below = cell.add(box(f"part{number}.{count}", 40 * mm, 40 * mm, 40 * mm, material="steel"), on=below)
    cell.workpoint(f"p{over}", at=Pose(1000 * mm, y, TOP + 300 * mm) @ DOWN)
    cell.workpoint(f"p{bottom}", at=Pose(1000 * mm, y, TOP + 15 * mm) @ DOWN)

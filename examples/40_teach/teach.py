"""Teach the cell in this folder: two points on surfaces become a pick-and-place program in cell.yaml.

python examples/40_teach/teach.py [folder]
"""

import sys
from pathlib import Path

from drycell import mm, s
from drycell.cell import CellSource
from drycell.teach import Lesson, grasp_at, pick_and_place, picked, place_at, save_into, save_lesson, verdict, walk


def teach(folder: Path) -> None:
    cell = CellSource.find(folder).build()
    world, arm = cell.world, cell.robots["arm"]

    # Pointing somewhere on the block's top is enough: the grasp is in its middle, with the jaws across.
    top = picked(world, "on_block", "block", (270 * mm, -145 * mm, 50 * mm), (0, 0, 1))
    grasp = grasp_at(world, arm, top)
    spot = picked(world, "on_stand", "stand", (260 * mm, 150 * mm, 30 * mm), (0, 0, 1))
    place = place_at(world, arm, grasp, spot)
    for point in (grasp, place):
        found = verdict(arm, point.pose(world))
        print(f"{point.name:<9} {found.lamp}: {found.text}")

    lesson = Lesson("pick and place", "arm")
    pick_and_place(lesson, grasp, place, distance=60 * mm, speed=110 * mm / s)
    print(lesson)
    print(f"moves take {sum(leg.duration for leg in walk(lesson, cell)):.3f} s")

    saved = save_into(lesson, folder)
    save_lesson(lesson, folder / "pick_and_place.lesson.yaml")
    print(f"saved as {saved.file}")


if __name__ == "__main__":
    teach(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)

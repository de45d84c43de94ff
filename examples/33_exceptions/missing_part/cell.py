"""A part is missing: the arm tries again, looks at the next position, and asks for another part.

The arm should bring two parts from a tray with three positions to a store, but only the first position has one.
Possible exceptions are declared beforehand, with strategies and their costs. The choice is made when the gripper has
closed without a part.

Try: put a part on the third position, and the operator is not asked; make `try again` more expensive than the others;
remove the operator, and see what the run reports.
"""

from drycell import Body, Box, Cell, Pose, Robot, Workpoint, approach, delay, mm, wait
from drycell.plan import ImaginableException, Strategy, TaskException, TaskExecution, TaskGraph

SIZE = 40 * mm


def build(cell: Cell) -> None:
    cell.add("table", Body(Box(700 * mm, 800 * mm, 40 * mm), at=(500 * mm, 0, -20 * mm)))
    cell.add("tray", Body(Box(100 * mm, 300 * mm, 10 * mm), on="table", at=(-100 * mm, -220 * mm), part=False))
    cell.add("store", Body(Box(100 * mm, 300 * mm, 10 * mm), on="table", at=(-100 * mm, 220 * mm), part=False))
    arm = cell.add("arm", Robot("ur5e", gripper="robotiq-2f-85"))
    wanted, delivered = cell.signal("part_wanted", False), cell.signal("part_delivered", False)
    down = Pose.turn_x(3.141592653589793)
    rows = [-100 * mm, 0, 100 * mm]
    places = [
        cell.add(f"place{n}", Workpoint(on="tray", at=Pose(0, y, 5 * mm + SIZE / 2) @ down))
        for n, y in enumerate(rows, 1)
    ]
    slots = [
        cell.add(f"slot{n}", Workpoint(on="store", at=Pose(0, y, 6 * mm + SIZE / 2) @ down))
        for n, y in enumerate(rows, 1)
    ]
    cell.add("part1", Body(Box(SIZE, SIZE, SIZE), on="tray", at=(0, rows[0])))
    left = list(places)

    def take() -> None:
        arm.gripper.open()
        arm.move(approach(left[0], 80 * mm))
        arm.move_linear(left[0])
        held = arm.gripper.close()
        arm.move_linear(approach(left[0], 80 * mm))
        if not held:
            raise TaskException("part missing")
        if len(left) > 1:
            left.pop(0)

    def next_place() -> None:
        left.pop(0)

    def ask() -> None:
        wanted.set(True)
        wait(delivered)
        wanted.set(False)
        delivered.set(False)

    missing = ImaginableException(
        "part missing",
        (
            Strategy("try again", cost=1, tries=1),
            Strategy("next place", next_place, cost=2, when=lambda: len(left) > 1),
            Strategy("ask for a part", ask, cost=10, tries=2),
        ),
    )
    graph = TaskGraph("bring")
    for number, slot in enumerate(slots[:2], 1):
        graph.task(f"take {number}", take, after=[f"put {number - 1}"] if number > 1 else [], exceptions=[missing])
        graph.task(f"put {number}", lambda slot=slot: arm.place(slot), after=f"take {number}")
    bring = TaskExecution(cell, graph)

    @cell.program(daemon=True)
    def operator() -> None:
        number = 1
        while True:
            wait(wanted)
            delay(30)
            number += 1
            cell.add(f"part{number}", Body(Box(SIZE, SIZE, SIZE), on="tray", at=(0, rows[2])))
            print(f"the operator puts part{number} on the tray")
            delivered.set(True)
            wait(~wanted)

    @cell.program
    def tell() -> None:  # voice: ok, the journal is pinned
        wait(bring.finished)
        for task, exception, strategy in bring.recovered:
            print(f"{task}: {exception}, so: {strategy}")

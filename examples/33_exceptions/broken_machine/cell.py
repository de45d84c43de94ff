"""A machine breaks down during its work: the task is interrupted, and the part goes to the other machine.

The signal ``mill_broken`` reports the exception at any time. The strategies are to wait for a quick repair, if one is
promised, or to replan: carry the part over and drill it there.

Try: set ``repair_promised`` from the start, and the mill repeats the task; break both machines.
"""

from drycell import Body, Box, Cell, Pose, Robot, Workpoint, delay, mm, wait
from drycell.plan import ImaginableException, Strategy, TaskExecution, TaskGraph

BREAKS_AT = 9.0


def build(cell: Cell) -> None:
    cell.add("table", Body(Box(800 * mm, 900 * mm, 40 * mm), at=(500 * mm, 0, -20 * mm)))
    cell.add("stand", Body(Box(80 * mm, 80 * mm, 10 * mm), on="table", at=(-100 * mm, -300 * mm), part=False))
    mill = cell.add("mill", Body(Box(120 * mm, 120 * mm, 30 * mm), on="table", at=(0, 0), part=False))
    spare = cell.add("spare", Body(Box(120 * mm, 120 * mm, 30 * mm), on="table", at=(-100 * mm, 300 * mm), part=False))
    part = cell.add("part", Body(Box(40 * mm, 40 * mm, 40 * mm), on="stand"))
    arm = cell.add("arm", Robot("ur5e", gripper="robotiq-2f-85"))
    down = Pose.turn_x(3.141592653589793)
    bed = {
        each: cell.add(f"{each.name}_bed", Workpoint(on=each.name, at=Pose(0, 0, 36 * mm) @ down))
        for each in (mill, spare)
    }
    mill_broken, spare_broken = cell.signal("mill_broken", False), cell.signal("spare_broken", False)
    repair_promised = cell.signal("repair_promised", False)
    drilled = cell.signal("drilled", "")

    def carry_to(machine):
        arm.pick(part)
        arm.place(bed[machine])
        arm.home()

    def drill_in(machine):
        delay(8)
        drilled.set(machine.name)

    def other_machine() -> TaskGraph:
        instead = TaskGraph("in the spare machine")
        instead.task("carry over", lambda: carry_to(spare))
        instead.task("drill there", lambda: drill_in(spare), after="carry over")
        return instead

    def repaired() -> None:
        delay(60)
        mill_broken.set(False)

    broken = ImaginableException(
        "mill broken",
        (
            Strategy("wait for the repair", repaired, then="retry", when=repair_promised.is_on, cost=1),
            Strategy("use the spare machine", other_machine, then="replan", when=spare_broken.is_off, cost=5),
        ),
        during=mill_broken,
    )
    graph = TaskGraph("order")
    graph.task("load", lambda: carry_to(mill), needs="arm", lasts=6)
    # The arm is kept while the mill drills: it is needed when the part has to be carried over.
    graph.task("drill", lambda: drill_in(mill), after="load", needs="arm", lasts=8, exceptions=[broken])
    graph.task("unload", lambda: arm.pick(part), after="drill", needs="arm", lasts=3)
    order = TaskExecution(cell, graph)

    @cell.program(daemon=True)
    def fate() -> None:
        delay(BREAKS_AT)
        mill_broken.set(True)

    @cell.program
    def tell() -> None:  # voice: ok, the journal is pinned
        wait(order.finished)
        print(f"drilled in: {drilled.value}")
        for task, exception, strategy in order.recovered:
            print(f"{task}: {exception}, so: {strategy}")

"""Two arms share a nest and a tool, take them in opposite order, and block each other.

Each program is correct by itself. Together they deadlock: the left arm has the nest and waits for the tool, the right
arm has the tool and waits for the nest. examples/32_nets/steered is the same cell with a Petri net that looks
ahead.

Try: delay the right arm (delay(20) before its loop), and the deadlock is gone in this run; then run drycell verify
examples/32_nets/unsteered.
"""

from drycell import Body, Box, Cell, Pose, Robot, above, mm, wait

JOBS = 2


def build(cell: Cell) -> None:
    cell.add("table", Body(Box(700 * mm, 500 * mm, 40 * mm), at=(0, 0, -20 * mm)))
    nest = cell.add("nest", Body(Box(80 * mm, 80 * mm, 20 * mm), on="table", at=(0, 150 * mm), part=False))
    tool = cell.add("tool", Body(Box(60 * mm, 60 * mm, 60 * mm), on="table", at=(0, -150 * mm), part=False))
    taken = {nest: cell.signal("nest_taken", False), tool: cell.signal("tool_taken", False)}

    def work(arm, first, then):
        for _ in range(JOBS):
            for what in (first, then):
                wait(~taken[what])
                taken[what].set(True)
                arm.move(above(what, 60 * mm))
            arm.home()
            taken[first].set(False)
            taken[then].set(False)

    left = cell.add("left", Robot("ur5e", at=(-600 * mm, 0, 0)))
    right = cell.add("right", Robot("ur5e", at=Pose(600 * mm) @ Pose.turn_z(3.14159265)))
    cell.check_collisions()
    cell.program(name="left job")(lambda: work(left, nest, tool))
    cell.program(name="right job")(lambda: work(right, tool, nest))

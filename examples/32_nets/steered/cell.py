"""The two arms of examples/32_nets/unsteered, with a coloured Petri net that prevents the deadlock.

The tokens of the net are values: which arm needs what, in which order. Before a program takes the nest or the tool, it
asks the supervisor, which plays the net ahead from the current state. If every continuation would end in a deadlock,
the supervisor makes the program wait: the second arm waits for a free nest or tool because it has to.

Try: write net_picture(net) to a file; give a third arm its own route; remove the request and run `drycell verify`.
"""

from drycell import Body, Box, Cell, Pose, Robot, above, mm
from drycell.nets import ColouredNet, Supervisor

JOBS = 2


def lending() -> ColouredNet:
    """The order in which each arm takes things: a step is the number of things that an arm has."""
    net = ColouredNet("lending")
    net.place("free", ["nest", "tool"])
    net.place("step", [("left", 0), ("right", 0)])
    net.place("route", [("left", 0, "nest"), ("left", 1, "tool"), ("right", 0, "tool"), ("right", 1, "nest")])
    net.transition(
        "take",
        takes={"step": "(who, n)", "route": "(who, n, what)", "free": "what"},
        gives={"step": "(who, n + 1)", "route": "(who, n, what)"},
    )
    net.transition(
        "give back",
        takes={"step": "(who, 2)", "route": ["(who, 0, first)", "(who, 1, then)"]},
        gives={"step": "(who, 0)", "route": ["(who, 0, first)", "(who, 1, then)"], "free": ["first", "then"]},
    )
    return net


def build(cell: Cell) -> None:
    cell.add("table", Body(Box(700 * mm, 500 * mm, 40 * mm), at=(0, 0, -20 * mm)))
    nest = cell.add("nest", Body(Box(80 * mm, 80 * mm, 20 * mm), on="table", at=(0, 150 * mm), part=False))
    tool = cell.add("tool", Body(Box(60 * mm, 60 * mm, 60 * mm), on="table", at=(0, -150 * mm), part=False))
    taken = {nest: cell.signal("nest_taken", False), tool: cell.signal("tool_taken", False)}
    supervisor = Supervisor(lending(), cell)

    def work(arm, first, then):
        for _ in range(JOBS):
            for what in (first, then):
                supervisor.request("take", who=arm.name, what=what.name)
                taken[what].set(True)
                arm.move(above(what, 60 * mm))
            arm.home()
            taken[first].set(False)
            taken[then].set(False)
            supervisor.happens("give back", who=arm.name)
            print(f"{arm.name} has done a job")

    left = cell.add("left", Robot("ur5e", at=(-600 * mm, 0, 0)))
    right = cell.add("right", Robot("ur5e", at=Pose(600 * mm) @ Pose.turn_z(3.14159265)))
    cell.check_collisions()
    cell.program(name="left job")(lambda: work(left, nest, tool))
    cell.program(name="right job")(lambda: work(right, tool, nest))

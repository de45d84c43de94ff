"""The press cell of the tutorial: its tool stands a quarter turn from both grasps of the block, a tie."""

from drycell import Body, Box, Cell, Robot, above, delay, mm, wait


def build(cell: Cell) -> None:
    table = cell.add("table", Body(Box(600 * mm, 600 * mm, 20 * mm), at=(500 * mm, 0, -10 * mm)))
    anvil = cell.add(
        "anvil", Body(Box(120 * mm, 120 * mm, 40 * mm), material="steel", on="table", at=(0, -150 * mm), part=False)
    )
    block = cell.add("block", Body(Box(40 * mm, 40 * mm, 30 * mm), material="beech", on="table", at=(0, 150 * mm)))
    arm = cell.add("arm", Robot("ur5-like", gripper="two-finger"))
    start = cell.signal("press.start", False)
    ready = cell.signal("press.ready", True)
    cell.check_collisions()

    @cell.program
    def feed() -> None:
        arm.pick(block)
        arm.place(above(anvil, 15.5 * mm))
        arm.home()
        start.set(True)
        wait(ready.rises())
        arm.pick(block)
        arm.place(above(table, 15.5 * mm))

    @cell.program(daemon=True)
    def press() -> None:
        while True:
            wait(start.rises())
            ready.set(False)
            delay(0.6)
            start.set(False)
            ready.set(True)

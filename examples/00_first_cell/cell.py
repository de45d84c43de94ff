"""A first cell: an arm picks a block, carries it past a post and puts it down where it touches the table.

It shows a blocking program, a gripper that grasps whatever is between its jaws, a guarded move that stops at contact,
and a collision check with a clearance: the block passes the post at 3 mm, but the clearance is 5 mm.

Try: move the post 10 mm towards the arm (−x) to cause a collision; set the clearance to 2 mm, and the near miss is
gone; remove the block and see what the program reports.
"""

from drycell import Body, Box, Cell, Cylinder, Robot, mm, s, shifted


def build(cell: Cell) -> None:
    table = cell.add("table", Body(Box(700 * mm, 800 * mm, 40 * mm), material="aluminium", at=(500 * mm, 0, -20 * mm)))
    block = cell.add(
        "block", Body(Box(60 * mm, 40 * mm, 50 * mm), material="beech", on="table", at=(-50 * mm, -220 * mm))
    )
    cell.add("post", Body(Cylinder(15 * mm, 110 * mm), material="brass", on="table", at=(-2 * mm, 0), part=False))
    arm = cell.add("arm", Robot("ur5e", gripper="robotiq-2f-85"))
    touch = cell.contact(block, table)
    cell.check_collisions(clearance=5 * mm, allow=[(block, table), ("arm/gripper", block)])

    @cell.program
    def place() -> None:
        arm.pick(block)
        arm.move_linear(shifted(arm.here, y=440 * mm), 250 * mm / s)
        arm.move_linear(shifted(arm.here, z=-70 * mm), 250 * mm / s)
        hit = arm.move_linear(shifted(arm.here, z=-20 * mm), 10 * mm / s, until=touch)
        print(f"touched the table at {hit.time:.3f} s with the tool {hit.pose.z / mm:.2f} mm above it")
        arm.gripper.open()
        arm.move_linear(shifted(arm.here, z=100 * mm))
        arm.home()

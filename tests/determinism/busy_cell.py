"""A cell with everything that could make two runs differ: random streams, declared choices, several
programs that wait for each other, arms of two kinds, a gripper, parts that travel, fall and are lost, collision
checks."""

from drycell import (
    Body,
    Box,
    Cell,
    Cylinder,
    Pose,
    Robot,
    Sphere,
    choose,
    delay,
    interval,
    mm,
    s,
    shifted,
    wait,
)
from drycell.kernel import ticks
from drycell.world import LiveBody, Travel


def build(cell: Cell) -> None:
    table = cell.add("table", Body(Box(700 * mm, 800 * mm, 40 * mm), material="aluminium", at=(500 * mm, 0, -20 * mm)))
    block = cell.add(
        "block", Body(Box(60 * mm, 40 * mm, 50 * mm), material="beech", on=table.name, at=(-50 * mm, -220 * mm))
    )
    cell.add("post", Body(Cylinder(15 * mm, 110 * mm), material="brass", on=table.name, at=(-2 * mm, 0), part=False))
    belt = cell.add("belt", Body(Box(2.0, 100 * mm, 20 * mm), at=(0, 600 * mm, 0)))
    arm = cell.add("arm", Robot("ur5-like", gripper="two-finger"))
    helper = cell.add("helper", Robot("scara", at=(500 * mm, 1.1, 0)))
    load = cell.signal("load", 0)
    ready = cell.signal("ready", False)
    touch = cell.contact(block, table)
    cell.check_collisions(clearance=6 * mm, allow=[(block, table)])

    @cell.program
    def carry() -> None:
        wait(ready, timeout=5.0)
        arm.pick(block)
        arm.move_linear(shifted(arm.here, y=interval("way", 380, 440) * mm), 250 * mm / s)
        arm.move_linear(shifted(arm.here, z=-70 * mm), 250 * mm / s)
        arm.move_linear(shifted(arm.here, z=-20 * mm), 10 * mm / s, until=touch)
        arm.gripper.open()
        arm.home()

    @cell.program
    def feed() -> None:
        chance = cell.kernel.random("feed")
        for number in range(8):
            delay(chance.uniform(0.2, 0.6))
            ball = cell.world.add(
                LiveBody(f"ball{number}", Sphere(12 * mm)),
                None,
                Pose(chance.uniform(-0.9, 0.9), 0.6, chance.uniform(0.1, 0.4)),
            )
            ball.part = True
            cell.gravity.release(ball)
            load.set(load.value + 1)
            if load.value == choose("ready after", [2, 3]):
                ready.set(True)

    @cell.program
    def run_belt() -> None:
        start = cell.kernel.now
        cell.world.move(belt, Travel(start, start + ticks(30.0), belt.pose, (0.05, 0, 0)))
        wait(load >= 5)
        cell.world.place(belt, belt.pose)
        delay(3.0)

    @cell.program(daemon=True)
    def help_out() -> None:
        chance = cell.kernel.random("helper")
        while True:
            helper.move([chance.uniform(-1.5, 1.5), chance.uniform(-1.5, 1.5), 0.05, 0.0], zone=20 * mm)

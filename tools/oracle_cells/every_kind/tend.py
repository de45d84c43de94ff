"""For the oracle: starts machines, and carries a block and a peg."""

from drycell import delay, mm, shifted, wait


def tend(io, robot, block, peg, times):
    for _ in range(times):
        io.pulse(1)
        io.pulse(2)
        wait(io.on(2), timeout=9.0)
        delay(0.5)
    robot.pick(block)
    robot.move(shifted(robot.here, z=60 * mm))
    robot.move(shifted(robot.here, x=-60 * mm), zone=5 * mm)
    robot.gripper.open()
    robot.pick(peg)
    robot.move_linear(shifted(robot.here, z=50 * mm), 100 * mm)
    robot.home()

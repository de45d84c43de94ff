"""The feeder: brings three parts, and announces each until the robot acknowledges it."""

from drycell import delay, interval, wait


def feeder(part_here):
    for _ in range(3):
        delay(interval("feeding", 4, 6))
        wait(~part_here)
        part_here.set(True)

"""The feeder: brings three parts, and announces each with a pulse of 20 ms."""

from drycell import delay, interval


def feeder(part_here):
    for _ in range(3):
        delay(interval("feeding", 4, 6))
        part_here.set(True)
        delay(0.02)
        part_here.set(False)

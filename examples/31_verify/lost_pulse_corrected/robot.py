"""The robot: waits for a part, acknowledges it and stores it, three times."""

from drycell import delay, interval, wait


def robot(part_here, stored):
    for _ in range(3):
        wait(part_here)
        part_here.set(False)
        delay(interval("handling", 3, 5))
        stored.set(stored.value + 1)

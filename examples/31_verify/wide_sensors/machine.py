"""The machine: works for a while on the part it is given, and is ready until it is unloaded."""

from drycell import delay, interval, wait


def machine(start, ready):
    while True:
        wait(start)
        start.set(False)
        delay(interval("machining", 50, 70))
        ready.set(True)
        wait(~ready)

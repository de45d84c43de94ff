"""The machine: each part takes a random time."""

from drycell import delay, interval, wait


def machine(machine_start, machine_done, shortest, longest):
    while True:
        wait(machine_start)
        machine_start.set(False)
        delay(interval("machining", shortest, longest))
        machine_done.set(True)

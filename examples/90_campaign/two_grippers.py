"""Two grippers: the arm waits at the machine with the next part and swaps; it drives while the machine works."""

from drycell import delay, interval, wait


def arm(cell, machine_start, machine_done):
    parts = 0
    machine_start.set(True)
    while True:
        wait(machine_done)
        machine_done.set(False)
        delay(3)  # take the part out
        delay(1.5)  # turn the wrist
        delay(4)  # load the next
        machine_start.set(True)
        parts += 1
        cell.measure("parts", parts)
        delay(interval("to the store", 4, 6))
        delay(interval("to the feeder", 3, 5))

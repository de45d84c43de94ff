"""Lets one tray through every 6 s."""

from drycell import delay, s


def pace(line):
    """Open the gate for a moment, repeatedly."""
    gate = line.gates["pace"].open
    while True:
        gate.set(True)
        delay(0.5 * s)
        gate.set(False)
        delay(5.5 * s)

"""Takes the blank to the press, and starts it. The device is used like any other: its signals are its attributes."""

from drycell import wait


def tend(arm, blank, bed, press1):
    arm.pick(blank)
    arm.place(bed)
    press1.start.set(True)
    wait(press1.ready)

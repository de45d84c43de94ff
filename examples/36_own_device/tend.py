"""Take the blank to the press and start it. The signals of the device are its attributes."""

from drycell import wait


def tend(arm, blank, bed, press1):
    arm.pick(blank)
    arm.place(bed)
    press1.start.set(True)
    wait(press1.ready)

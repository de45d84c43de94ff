"""Two light barriers, one above the other: a short part interrupts the low beam, a tall part both at once."""

from drycell import wait


def low(height_mm, low_beam):
    while True:
        wait(height_mm.changes())
        low_beam.set(height_mm.value > 10)


def high(height_mm, high_beam):
    while True:
        wait(height_mm.changes())
        high_beam.set(height_mm.value > 50)

"""The conveyor: carries parts of several heights past the light barriers."""

from drycell import choose, delay


def conveyor(height_mm):
    for _ in range(2):
        delay(2)
        height_mm.set(choose("height", [30, 80]))
        delay(1)
        height_mm.set(0)
    delay(1)

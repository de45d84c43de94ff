"""A range sensor with noise: how far off single readings are, and what averaging makes of it.

The noise is drawn from the seed, sample by sample: another seed, other values; the same seed, the same to the last bit.
The mean of n readings scatters by 1/√n of one reading.

Things to try: `drycell run examples/20_sensors/noisy --seed 1`; give the sensor back its data sheet's steps of 3 mm
(leave `quantum` out) and less noise, and see how averaging ceases to help.
"""

from math import sqrt
from statistics import fmean, pstdev

from drycell import Body, Box, Cell, Pose, Sensor, deg, delay, mm
from drycell.sensors import Noise

SIGMA = 2 * mm


def build(cell: Cell) -> None:
    cell.add("table", Body(Box(600 * mm, 400 * mm, 20 * mm), material="steel", at=(0, 0, -10 * mm)))
    cell.add("block", Body(Box(150 * mm, 150 * mm, 50 * mm), material="steel", on="table"))
    down = Pose(0, 0, 350 * mm) @ Pose.turn_x(180 * deg)
    sonar = cell.add("sonar", Sensor("hc-sr04", at=down, noise=Noise(sigma=SIGMA), quantum=0.0))

    def mean(count: int) -> float:
        values = []
        for _ in range(count):
            delay(sonar.period)
            values.append(sonar.value)
        return fmean(values)

    @cell.program
    def measure() -> None:
        print(f"the block is {sonar.reading.distance / mm:.1f} mm away")
        for count in (1, 4, 16):
            means = [mean(count) for _ in range(250)]
            expected = SIGMA / sqrt(count)
            print(
                f"means of {count:2d}: {fmean(means):6.2f} mm ± {pstdev(means):.3f} mm, expected {expected / mm:.3f} mm"
            )

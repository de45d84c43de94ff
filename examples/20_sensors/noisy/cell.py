"""A range sensor with noise: the error of single readings, and the effect of averaging.

The noise of each sample depends on the seed: another seed gives other values, the same seed the same values.
The mean of n readings has 1/√n of the standard deviation of one reading.

Try: `drycell run examples/20_sensors/noisy --seed 1`; remove `quantum` to restore the resolution of 3 mm from the data
sheet, reduce the noise, and see that averaging no longer helps.
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

"""An ultrasonic sensor on the arm measures the height of parts and reports what it cannot measure.

The sensor returns the smallest distance along its trace-lines. A slope steeper than its limit reflects the sound away:
there is no echo, and the reading explains why. Foam absorbs three quarters of the sound, which halves the reach.

Try: measure from 700 mm instead of 300 mm (the cone is wider there and covers the neighbours); make the wedge flatter;
run `drycell sensors honeywell-942` to see the data of the sensor.
"""

from drycell import Body, Box, Cell, Pose, Prism, Robot, Sensor, deg, delay, mm

HEIGHT = 300 * mm


def build(cell: Cell) -> None:
    cell.add("table", Body(Box(1000 * mm, 300 * mm, 20 * mm), material="aluminium", at=(500 * mm, 0, -10 * mm)))
    cell.add("low", Body(Box(90 * mm, 90 * mm, 30 * mm), material="steel", on="table", at=(-250 * mm, 0)))
    cell.add("high", Body(Box(90 * mm, 90 * mm, 80 * mm), material="beech", on="table", at=(-100 * mm, 0)))
    wedge = Prism(((-60 * mm, 0), (60 * mm, 0), (-60 * mm, 140 * mm)), 200 * mm)
    cell.add("wedge", Body(wedge, at=Pose(560 * mm, 0, 0) @ Pose.turn_x(90 * deg), part=False))
    cell.add("sponge", Body(Box(90 * mm, 90 * mm, 60 * mm), material="foam", on="table", at=(210 * mm, 0)))
    arm = cell.add("arm", Robot("ur5e", at=(350 * mm, -450 * mm, 0)))
    sonar = cell.add("sonar", Sensor("honeywell-942", on="arm/flange"))

    @cell.program
    def measure() -> None:
        for name, x in (("table", 150), ("low", 250), ("high", 400), ("wedge", 560), ("sponge", 710)):
            arm.move(Pose(x * mm, 0, HEIGHT) @ Pose.turn_x(180 * deg))
            delay(2 * sonar.period)
            distance = sonar.reading.distance
            height = "no echo" if distance is None else f"{round((HEIGHT - distance) / mm, 1) + 0.0:6.1f} mm high"
            print(f"{name:<7} {sonar.value:6.3f} {sonar.unit}  {height}")
            if distance is None:
                print(f"        {sonar.reading.why.split(';')[1].strip()}")

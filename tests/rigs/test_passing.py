"""The rig that moves a tool past a sensor: sets counted by hand, and the effect of accelerations."""

import math
from itertools import pairwise

import pytest

from drycell.base import mm, ms
from drycell.geometry import Cylinder
from drycell.rigs import CLEAR, Passing, PassSetting, detection_width, pass_tool
from drycell.robots import StandardController
from drycell.sensors import Output, SensorModel

EVERY = 5 * ms
# Detects any body in a cylinder of 20 mm.
SWITCH = SensorModel(
    type="proximity",
    name="switch",
    volume=Cylinder(10 * mm, 60 * mm),
    every=EVERY,
    output=Output(kind="real", on=5.0, off=0.0),
)
TOOL, WIDTH = 100 * mm, 20 * mm
PATH = TOOL + WIDTH + 2 * CLEAR


def trapezoid(acceleration: float) -> StandardController:
    """A controller whose laws are trapezoids, so that times can be computed by hand."""
    return StandardController(linear_acceleration=acceleration, linear_jerk=math.inf)


def counted(passing: Passing, seen: tuple[float, float]) -> list[int]:
    """The number of samples in each pass while the tool is detected, relative to the start of the pass."""
    sizes = []
    for start, _ in passing.passes:
        early, late = start + seen[0], start + seen[1]
        times = [each.time for each in passing.samples]
        # Close to an edge it is the sensor's own sampling that decides, which is not what is counted here.
        assert all(abs(time - edge) > 2 * EVERY for time in times for edge in (early, late))
        sizes.append(sum(early < time < late for time in times))
    return sizes


def test_a_width_is_measured_as_the_diameter_of_the_cylinder():
    assert detection_width(SWITCH) == pytest.approx(WIDTH, abs=1e-8)


@pytest.mark.parametrize(("name", "width"), [("e3jk-diffuse", 20 * mm), ("tl-x5", 18 * mm)])
def test_hysteresis_holds_along_the_axis_and_does_not_widen(name, width):
    assert detection_width(name) == pytest.approx(width, abs=1e-7)


def test_at_constant_speed_a_length_of_eight_steps_gives_sets_of_eight():
    # 100 mm of tool and 20 mm of width at 60 mm/s, sampled at 4 Hz: 120 mm in steps of 15 mm.
    passing = pass_tool(SWITCH, PassSetting(60 * mm, 4.0), TOOL, WIDTH, passes=4)
    assert passing.sizes == (8, 8, 8, 8)
    assert passing.average == 8.0


def test_sets_are_the_samples_while_the_tool_is_detected():
    # At full speed 50 mm after the start minus half a ramp; the ramps (0.025 s) are outside the detection width.
    speed, acceleration = 50 * mm, 2.0
    passing = pass_tool(SWITCH, PassSetting(speed, 4.0), TOOL, WIDTH, passes=4, controller=trapezoid(acceleration))
    early = CLEAR / speed + speed / acceleration / 2
    assert list(passing.sizes) == counted(passing, (early, early + (TOOL + WIDTH) / speed))
    assert set(passing.sizes) == {9, 10}  # 9.6 on average
    assert passing.path == pytest.approx(PATH)


def test_a_pass_takes_the_time_of_a_trapezoid():
    # 220 mm at 50 mm/s with 100 mm/s²: 220/50 + 50/100 = 4.9 s.
    passing = pass_tool(SWITCH, PassSetting(50 * mm, 4.0), TOOL, WIDTH, passes=2, controller=trapezoid(0.1))
    assert passing.pass_time == pytest.approx(4.9, abs=1e-5)


def test_an_arm_that_never_reaches_its_speed_gives_larger_sets():
    # With 20 mm/s² the arm would need 193.6 mm to 88 mm/s: on 220 mm it turns round before that, after 2 √(220/20) s.
    passing = pass_tool(SWITCH, PassSetting(88 * mm, 4.0), TOOL, WIDTH, passes=3, controller=trapezoid(0.02))
    whole = 2 * math.sqrt(PATH / 0.02)
    assert passing.pass_time == pytest.approx(whole, abs=1e-5)
    early = math.sqrt(2 * CLEAR / 0.02)  # 50 mm are covered in 2.236 s
    assert list(passing.sizes) == counted(passing, (early, whole - early))
    assert min(passing.sizes) >= 8  # 2.161 s at 4 Hz, where 88 mm/s would have given 5.45


def test_the_sensor_and_the_sampling_have_separate_clocks():
    passing = pass_tool(SWITCH, PassSetting(60 * mm, 4.0), TOOL, WIDTH, passes=1)
    gaps = {round(b.time - a.time, 9) for a, b in pairwise(passing.samples)}
    assert gaps == {0.25}
    assert {each.value for each in passing.samples} == {0.0, 5.0}


def test_the_same_seed_gives_the_same_samples_and_another_starts_elsewhere():
    setting = PassSetting(88 * mm, 4.0)
    first, again, other = (pass_tool(SWITCH, setting, TOOL, WIDTH, passes=1, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.samples[0].time != other.samples[0].time


def test_the_middle_of_a_run_has_seventy_samples():
    passing = pass_tool(SWITCH, PassSetting(60 * mm, 40.0), TOOL, WIDTH, passes=1)
    middle = passing.middle
    assert len(middle) == 70
    before = passing.samples.index(middle[0])
    assert abs(before - (len(passing.samples) - 70 - before)) <= 1

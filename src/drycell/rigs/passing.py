"""The rig of section 6.3: an arm moves a tool past a proximity sensor, and another program samples the sensor.

The arm moves back and forth along a straight path at right angles to the sensor's axis, with its controller's
accelerations, and reverses without a pause. The sensor has its own clock; the sampling program has another, which
starts at a random time. Where the tables are silent, drycell chooses: the tool is a steel bar, the path ends 50 mm
clear of the sensor on either side, and the tool passes the sensor at half its reach.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from drycell.base import DrycellError, Pose, deg, mm
from drycell.cell import Body, Cell
from drycell.geometry import Box, Cylinder
from drycell.kernel import delay, now
from drycell.rigs.extent import reach_of
from drycell.rigs.published import PASSES, PassSetting
from drycell.robots import MotionController, Robot
from drycell.sensors import Sensor, SensorModel, load_sensor, look


@dataclass(frozen=True)
class SensorSample:
    """A sample of the sensor: its time in seconds and the output."""

    time: float
    value: float


def sets_of(samples: Sequence[SensorSample], starts: Sequence[float], *, above: float) -> list[int]:
    """Return the number of samples in the set of each pass; a pass lasts until the start of the next.

    The averages of tables 11 and 12 are all multiples of 1/8, so eight sets were counted, one for each pass. A set is
    taken as the samples from the first detection of a pass to its last one. Samples in between that detect nothing,
    when a tool has an opening, belong to it; those before and after do not, because the samples at the ends of the path
    differed significantly between the real and the virtual cell (section 6.3.1), while the sets did not.

    A sample detects the tool if its value is ``above`` a threshold. A pass without detection has an empty set.
    """
    ends = [*starts[1:], float("inf")]
    sizes = []
    for start, end in zip(starts, ends, strict=True):
        seen = [index for index, sample in enumerate(samples) if start <= sample.time < end and sample.value > above]
        sizes.append(seen[-1] - seen[0] + 1 if seen else 0)
    return sizes


def average(sizes: Sequence[int]) -> float:
    """Return the mean size of the sets, as the tables print it."""
    return sum(sizes) / len(sizes)


def expected_samples(length: float, step: float) -> float:
    """Return the mean number of samples in a length that is passed at constant speed, over all start times of the
    sampling.

    A grid of points ``step`` apart has length / step points in an interval on average; a single interval has that
    number rounded up or down.
    """
    return length / step


CLEAR: Final = 50 * mm
SHOWN: Final = 70  # samples in each panel of figures 21 and 23
ARM: Final = "irb2000-like"

_DEPTH, _HEIGHT = 20 * mm, 100 * mm  # of the bar: along the sensor's axis, and across both axis and path
_STEM: Final = 150 * mm
_MIDDLE: Final = (
    1000 * mm,
    0.0,
    900 * mm,
)  # where the bar's middle passes the sensor's axis: well within the arm's reach
_DOWN: Final = Pose.turn_x(180 * deg)


@dataclass(frozen=True)
class Passing:
    """The result of one sampling: all samples, and the start and end of each pass."""

    setting: PassSetting
    tool: float
    path: float
    samples: tuple[SensorSample, ...]
    passes: tuple[tuple[float, float], ...]
    sizes: tuple[int, ...]

    @property
    def average(self) -> float:
        """The average number of samples in the sets, as in tables 11 and 12."""
        return average(self.sizes)

    @property
    def pass_time(self) -> float:
        """The duration of a pass in seconds, from rest to rest."""
        return sum(end - start for start, end in self.passes) / len(self.passes)

    @property
    def middle(self) -> Sequence[SensorSample]:
        """The samples from the middle of the run that figures 21 and 23 show."""
        first = max(0, (len(self.samples) - SHOWN) // 2)
        return self.samples[first : first + SHOWN]


def pass_tool(
    sensor: str | SensorModel,
    setting: PassSetting,
    tool: float,
    width: float,
    *,
    passes: int = PASSES,
    seed: int = 0,
    controller: MotionController | None = None,
) -> Passing:
    """Run the rig once. The bar's length ``tool`` and the sensor's detection ``width`` determine the path."""
    cell = Cell(f"{setting.speed / mm:g} mm/s at {setting.rate:g} Hz", seed=seed)
    arm = cell.add("arm", Robot(ARM, controller=controller, tool=Pose(0.0, 0.0, _STEM)))
    flange = arm.flange.name
    cell.add("tool", bar(tool).changed(parent=flange, at=(0.0, 0.0, _STEM)))
    stem = _STEM - _HEIGHT / 2
    cell.add("stem", Body(Cylinder(20 * mm, stem), material="steel", parent=flange, at=(0.0, 0.0, stem / 2)))
    model = load_sensor(sensor) if isinstance(sensor, str) else sensor
    x, y, z = _MIDDLE
    eye = cell.add("eye", Sensor(model, at=Pose(x, y, z) @ before_bar(model)))
    half = (tool + width) / 2 + CLEAR
    ends = [Pose(x, y + side * half, z) @ _DOWN for side in (-1, 1)]
    start_pose = arm.place_of(ends[0]) @ arm.tool.inverse()
    arm.put(arm.mechanism.inverse(start_pose, target="start of the path").joints)

    times: list[tuple[float, float]] = []
    samples: list[SensorSample] = []

    def path() -> None:
        for number in range(passes):
            start = now()
            arm.move_linear(ends[(number + 1) % 2], speed=setting.speed)
            times.append((start, now()))

    def sampling() -> None:
        delay(cell.kernel.random("sampling").uniform(0.0, 1.0 / setting.rate))
        while True:
            samples.append(SensorSample(now(), float(eye.value)))
            delay(1.0 / setting.rate)

    cell.program(path)
    cell.program(sampling, daemon=True)
    if cell.run().ending == "interrupted":
        raise KeyboardInterrupt  # an incomplete run would give a table that looks complete
    sizes = sets_of(samples, [start for start, _ in times], above=threshold(eye.model))
    return Passing(setting, tool, 2 * half, tuple(samples), tuple(times), tuple(sizes))


def bar(length: float) -> Body:
    """The tool: a bar along y."""
    return Body(Box(_DEPTH, length, _HEIGHT), material="steel")


def before_bar(model: SensorModel) -> Pose:
    """Return the pose of the sensor relative to the bar's middle: it looks at the bar along -x, from half its reach."""
    return Pose(_DEPTH / 2 + reach_of(model) / 2, 0.0, 0.0) @ Pose.turn_y(-90 * deg)


def threshold(model: SensorModel) -> float:
    """Return the value halfway between the outputs with and without a detection."""
    on = 1.0 if model.output.on is None else float(model.output.on)
    off = 0.0 if model.output.off is None else float(model.output.off)
    return (on + off) / 2


_LENGTH: Final = 400 * mm  # longer than the beam of any sensor in the rig
_FINE: Final = 1e-9


def detection_width(sensor: str | SensorModel) -> float:
    """Return the width in m that a proximity sensor detects in addition to a passing steel bar, at half its reach.

    This is the distance between switching on and switching off, minus the bar's length. It includes hysteresis: a
    sensor may switch off later than it switches on.
    """
    model = load_sensor(sensor) if isinstance(sensor, str) else sensor
    cell = Cell("detection width")
    cell.add("tool", bar(_LENGTH))
    held = before_bar(model)

    def sees(place: float, was_on: bool) -> bool:
        return look(model, cell.scene, Pose(0.0, place, 0.0) @ held, was_on=was_on).on

    far = 2 * _LENGTH + reach_of(model)
    if not sees(0.0, False) or sees(far, True) or sees(-far, False):
        raise DrycellError(
            f"{model.name or 'the sensor'} does not detect a steel bar at half its reach",
            hint="drycell rig beam shows what it detects",
        )
    entered = _edge(lambda place: sees(-place, False), far)
    left = _edge(lambda place: sees(place, True), far)
    return entered + left - _LENGTH


def _edge(sees: Callable[[float], bool], far: float) -> float:
    """Return the farthest position that is detected, by bisection between 0 and a position that is too far."""
    near = 0.0
    while far - near > _FINE:
        middle = (near + far) / 2
        if sees(middle):
            near = middle
        else:
            far = middle
    return near

"""One description of a sensor, the same in Python and in files, with mistakes reported where they are."""

import math
import pickle
from collections.abc import Callable
from dataclasses import replace

import pytest

from drycell import geometry, sensors
from drycell.base import FieldError, FileError, Kinds, Mistake, Pose, deg, mm, ms, read_thing
from drycell.geometry import Box, Cylinder
from drycell.sensors import Beam, Noise, Output, SensorModel, TraceLines, look
from drycell.world import LiveBody, Scene, World

TOUR = """
type: range                   # or proximity
volume: {beam: {length: 500 mm, half_angle: 8 deg}}
trace_lines: {count: 5, spread: 6 deg}
reflects_below: 40 deg        # beyond that the echo is lost
every: 350 ms
output: {kind: integer, from: [0 mm, 500 mm], to: [0, 255], default: 255}
noise: {sigma: 0.8 mm}
"""


KINDS = Kinds() | geometry | sensors


class Now:
    now = 0


def read(text: str) -> SensorModel:
    return read_thing(SensorModel, text, "sensor.yaml", KINDS)


def mistakes_in(text: str) -> list[Mistake]:
    with pytest.raises(FileError) as caught:
        read(text)
    return list(caught.value.mistakes)


def scene_with(shape: Box, at: Pose, material: str = "steel") -> Scene:
    world = World(Now())
    world.add(LiveBody("thing", shape, material=material), None, at)
    return Scene(world)


def test_a_file_and_python_say_the_same_in_the_same_fields() -> None:
    written = read(TOUR)
    made = SensorModel(
        type="range",
        volume=Beam(500 * mm, 8 * deg),
        trace_lines=TraceLines(count=5, spread=6 * deg),
        reflects_below=40 * deg,
        every=350 * ms,
        output=Output(kind="integer", from_=(0, 500 * mm), to=(0, 255), default=255),
        noise=Noise(sigma=0.8 * mm),
    )
    assert written == made


def test_a_new_type_takes_under_fifteen_lines_of_yaml_and_no_subclass() -> None:
    assert len(TOUR.strip().splitlines()) < 15
    reading = look(read(TOUR), scene_with(Box(1.0, 1.0, 0.01), Pose(0, 0, 0.305)), Pose())
    assert reading.distance == pytest.approx(0.3, abs=1e-9)
    assert reading.value == 153  # 255 × 300/500


def test_a_new_type_takes_under_fifteen_lines_of_python() -> None:
    hall = SensorModel(
        type="proximity",
        senses="metal",
        volume=Cylinder(4 * mm, 3 * mm),
        hysteresis="10 %",
        every=2 * ms,
        output=Output(kind="real", on=5.0, off=0.0, unit="V"),
    )
    near, far = Pose(0, 0, 12.9 * mm), Pose(0, 0, 13.1 * mm)  # a cube of 20 mm: its face is 10 mm before its middle
    assert look(hall, scene_with(Box(0.02, 0.02, 0.02), near), Pose()).value == 5.0
    assert look(hall, scene_with(Box(0.02, 0.02, 0.02), far), Pose()).value == 0.0


def test_a_mistake_is_reported_with_its_line_and_field() -> None:
    (found,) = mistakes_in(TOUR.replace("length: 500 mm", "length: 500"))
    assert (found.field, found.line) == ("volume.beam.length", 3)
    assert found.what == "'500' has no unit, but a length needs one"
    (found,) = mistakes_in(TOUR.replace("from:", "form:"))
    assert (found.field, found.hint) == ("output.form", "did you mean 'from'?")
    (found,) = mistakes_in(TOUR.replace("0.8 mm", "0.8 N"))
    assert (found.field, found.what) == ("noise.sigma", "this is a force, but the sensor measures lengths")
    assert found.hint == "write for example '2 mm'"
    two = "[{sphere: {radius: 1 mm}, box: [1 mm, 1 mm, 1 mm]}, {beam: {length: 1 m, half_angle: 8 deg}}]"
    (found,) = mistakes_in(TOUR.replace("{beam: {length: 500 mm, half_angle: 8 deg}}", two))
    assert found.field == "volume[0]"
    assert found.what == "a shape must have exactly one kind, but has 'sphere' and 'box'"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "a range sensor needs a field of view"),
        ({"trace_lines": TraceLines(count=1)}, "trace-lines without a volume need a reach"),
        (
            {"volume": Beam(1.0, 8 * deg), "trace_lines": TraceLines(count=5, spread=9 * deg)},
            "trace-line 2 (9.0 deg off the axis) is not in the sensor's volume",
        ),
        (
            {"volume": Beam(1.0, 8 * deg), "reflects_below": 40 * deg, "distorts_to": 30 * deg},
            "the band of distortion goes from 40.0 deg to 30.0 deg",
        ),
        ({"volume": Beam(1.0, 8 * deg), "distorts_to": 30 * deg}, "distorts_to: 'distorts_to' needs 'reflects_below'"),
        ({"volume": Beam(1.0, 8 * deg), "beam": "through"}, "a through beam only detects an interruption"),
        ({"volume": Beam(1.0, 8 * deg), "output": Output(unit="N")}, "output.unit: unit 'N': '1 N' is not a length"),
        ({"volume": Beam(1.0, 8 * deg), "output": Output(below=0.2)}, "an output with a limit is a switch"),
        ({"volume": Beam(1.0, 8 * deg), "hysteresis": 5 * mm}, "a hysteresis needs a limit"),
        ({"volume": Beam(1.0, 8 * deg), "hysteresis": "1 %", "output": Output(kind="boolean")}, "a hysteresis needs"),
        ({"type": "contact", "volume": Beam(1.0, 8 * deg), "hysteresis": 5 * mm}, "a contact sensor has no hysteresis"),
        ({"volume": Beam(1.0, 8 * deg), "reference": 0.0}, "reference: 0 must be above 0 and at most 1"),
        ({"volume": Beam(1.0, 8 * deg), "factors": {"brass": 1.5}}, "factors.brass: 1.5 must be in 0…1"),
    ],
)
def test_meaningless_arguments_are_refused(fields: dict[str, object], said: str) -> None:
    with pytest.raises(FieldError) as caught:
        SensorModel(**{"type": "range", **fields})
    assert said in caught.value.what
    assert caught.value.hint


def test_an_unknown_law_is_refused_by_name() -> None:
    with pytest.raises(FieldError, match="unknown transfer law 'polariod-frank2'") as caught:
        Output(law="polariod-frank2")
    assert str(caught.value.hint).startswith("did you mean 'polaroid-frank2'")


def test_switches_refuse_what_needs_a_measured_quantity() -> None:
    with pytest.raises(FieldError, match="a proximity sensor has no quantity for noise or resolution"):
        SensorModel(type="proximity", volume=Cylinder(1 * mm, 3 * mm), noise=Noise(sigma=1 * mm))
    with pytest.raises(FieldError, match="a proximity sensor has no quantity for a transfer function"):
        SensorModel(type="proximity", volume=Cylinder(1 * mm, 3 * mm), output=Output(from_=(0, 1), to=(0, 1)))
    with pytest.raises(FieldError, match="a contact sensor has no trace-lines"):
        SensorModel(type="contact", trace_lines=TraceLines(count=1, reach=1.0))


@pytest.mark.parametrize(
    ("fields", "said", "hint"),
    [
        (
            {"type": "rnage"},
            "type: expected 'range', 'proximity', 'contact' or 'force', got 'rnage'",
            "write 'range'",
        ),
        ({"type": "range", "every": 0.0}, "every: 0 must be above 0", "write for example"),
        ({"type": "range", "nearest": -1.0}, "nearest: -1000 mm must be at least 0", "write for example"),
        ({"type": "range", "delay": math.nan}, "delay: expected a time in SI, got nan", "write for example"),
        ({"type": "range", "every": math.inf}, "every: expected a time in SI, got inf", "write for example"),
        ({"type": "range", "every": "3 ms"}, "every: expected a time in SI, got '3 ms'", "write for example"),
        (
            {"type": "range", "every": 1e-9},
            "every: 1e-09 s is shorter than the clock's tick of 1e-06 s",
            "write for example",
        ),
        ({"type": "range", "reflects_below": 200 * deg}, "reflects_below: 200.0 deg must be 0…90 deg", "it is the"),
        (
            {"type": "range", "output": Output(kind="integer", default=3.5)},
            "output.default: 3.5 is published, but the output is an integer",
            "write kind: real",
        ),
        (
            {"type": "proximity", "output": Output(on=5.0)},
            "output.on: on is 5.0, but off is not a number",
            "give 'on' and 'off'",
        ),
        (
            {"type": "range", "output": Output(kind="boolean", default=7)},
            "output.default: default is 7, but on is not a number",
            "give 'on' and 'off'",
        ),
    ],
)
def test_python_is_held_to_the_same_values_as_files(fields: dict[str, object], said: str, hint: str) -> None:
    with pytest.raises(FieldError) as caught:
        SensorModel(**{"volume": Beam(1.0, 8 * deg), **fields})
    assert caught.value.what == f"SensorModel.{said}"
    assert str(caught.value.hint).startswith(hint)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Beam(-1.0, 1 * deg), "Beam.length: -1000 mm must be above 0"),
        (lambda: Noise(offset=math.nan), "Noise.offset: expected a length in SI, got nan"),
        (
            lambda: Output(default=math.nan),
            "Output.default: expected text, a number, true or false, got nan",
        ),
        (lambda: Output(table=((0, 1), (1, math.inf))), "Output.table[1][1]: expected a ratio in SI, got inf"),
    ],
)
def test_parts_of_a_model_are_checked_like_its_own_values(make: Callable[[], object], said: str) -> None:
    with pytest.raises(FieldError) as caught:
        make()
    assert caught.value.what == said
    assert caught.value.hint


def test_a_model_can_be_sent_to_another_process() -> None:
    model = read(TOUR)
    assert model.probe.reaches
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert again.noise.sigma.dimension == "length"
    assert again.probe.reaches == model.probe.reaches


def test_the_ball_holds_all_that_can_be_detected() -> None:
    model = SensorModel(type="range", volume=Beam(1.0, 30 * deg), trace_lines=TraceLines(count=5, spread=30 * deg))
    centre, radius = model.ball
    rim = math.tan(30 * deg)
    assert all(math.dist(centre, point) <= radius + 1e-12 for point in ((0, 0, 0), (rim, 0, 1), (0, -rim, 1)))
    assert radius < 0.7


def test_a_changed_copy_evaluates_again() -> None:
    model = SensorModel(type="range", volume=Beam(1.0, 10 * deg))
    assert model.probe.reaches == (pytest.approx(1.0, abs=1e-12),)
    assert replace(model, volume=Beam(2.0, 10 * deg)).probe.reaches == (pytest.approx(2.0, abs=1e-12),)

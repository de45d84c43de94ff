"""Covers contain everything that a sensor can see: any motion there wakes it."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings, strategies as st

from drycell import Sensor
from drycell.base import IDENTITY, Pose, deg, mm, ms
from drycell.cell import Cell
from drycell.geometry import Box, Cylinder
from drycell.sensors import Beam, SensorModel, TraceLines, Volume, load_sensor, sensor_names
from drycell.sensors.skipping import cover_of
from drycell.world import LiveBody, Travel

Build = Callable[[], SensorModel]


def published(model: SensorModel, part: Pose, velocity: tuple[float, float, float], skip: bool) -> list[object]:
    """The values that a sensor at the origin publishes while a 20 mm cube rides past for five seconds."""
    cell = Cell("cover")
    body = LiveBody("part", Box(20 * mm, 20 * mm, 20 * mm))
    cell.world.add(body, motion=Travel(0, 10_000_000, part, velocity))
    sensor = cell.add("eye", Sensor(model, skip=skip))
    cell.run(until=5)
    return [(time, value) for time, value, _ in sensor.history]


def test_a_pad_is_woken_by_what_is_pressed_into_it() -> None:
    pad = load_sensor("tactile-pad")  # 2 mm thick, 5 N/mm, every 5 ms, steps of 0.1 N
    coming = published(pad, Pose(0, 0, 100 * mm), (0, 0, -20 * mm), skip=True)
    # Its lower face is 90 mm up: 2 mm at 4.4 s, and 0.1 mm deeper with every sample: 0.5 N more.
    assert coming[:4] == [(0, 0.0), (4_405_000, 0.5), (4_410_000, 1.0), (4_415_000, 1.5)]
    assert coming == published(pad, Pose(0, 0, 100 * mm), (0, 0, -20 * mm), skip=False)


@pytest.mark.parametrize(
    ("volume", "lines", "height"),
    [
        (Volume(Cylinder(5 * mm, 200 * mm), at=(0, 0, 200 * mm)), TraceLines(count=1), 50 * mm),
        (
            (Cylinder(5 * mm, 100 * mm), Volume(Cylinder(5 * mm, 100 * mm), at=(0, 0, 400 * mm))),
            TraceLines(count=1),
            200 * mm,
        ),
        (Cylinder(5 * mm, 200 * mm), TraceLines(lines=(((-100 * mm, 0, 0), (1, 0, 1)),)), 50 * mm),
    ],
    ids=["before the volume", "between two volumes", "from beside the volume"],
)
def test_a_body_that_crosses_a_line_outside_the_volume_wakes_the_sensor(
    volume: Volume | tuple[Volume, ...], lines: TraceLines, height: float
) -> None:
    model = SensorModel(type="range", volume=volume, trace_lines=lines, every=10 * ms)
    eager, lazy = (published(model, Pose(-500 * mm, 0, height), (200 * mm, 0, 0), skip) for skip in (False, True))
    assert len(eager) >= 3
    assert lazy == eager


def is_held(model: SensorModel, point: tuple[float, float, float]) -> bool:
    reach = cover_of(model, None).at(IDENTITY)
    balls = zip(reach.centres.tolist(), reach.radii.tolist(), strict=True)
    return any(math.dist(centre, point) <= radius + 1e-9 for centre, radius in balls)


def assert_lines_are_held(model: SensorModel) -> None:
    probe = model.probe
    for (origin, along), reach in zip(probe.lines, probe.reaches, strict=True):
        for step in range(101):
            x, y, z = (p + step / 100 * reach * probe.hold * d for p, d in zip(origin, along, strict=True))
            assert is_held(model, (x, y, z))


@pytest.mark.parametrize("name", [name for name in sensor_names() if load_sensor(name).type != "force"])
def test_the_lines_of_every_sensor_of_the_library_are_held(name: str) -> None:
    assert_lines_are_held(load_sensor(name))


@settings(max_examples=40, deadline=None)
@given(
    st.floats(2, 80), st.floats(0, 1), st.integers(1, 9), st.floats(0, 300), st.one_of(st.none(), st.floats(0.01, 3))
)
def test_the_lines_of_any_cone_are_held(half: float, share: float, count: int, up: float, reach: float | None) -> None:
    volume = (Beam(1.0, half * deg), Volume(Cylinder(3 * mm, 20 * mm), at=(0, 0, 1.0 + up * mm)))
    lines = TraceLines(count=count, spread=0.99 * share * half * deg, reach=reach)
    assert_lines_are_held(SensorModel(type="range", volume=volume, trace_lines=lines))

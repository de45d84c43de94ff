"""Until when nothing changes: never too late, and not much too early."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from drycell import Cell
from drycell.base import IDENTITY, Pose, deg, mm
from drycell.geometry import Box, Cylinder, Sphere
from drycell.kernel import Kernel
from drycell.sensors import Beam, LiveSensor, Sensor, SensorModel, TraceLines, load_sensor, sensor_names
from drycell.sensors.skipping import HORIZON, BallCover, Mover, Skipper, arrivals, cover_of, skipper_of
from drycell.world import FOREVER, Fall, LiveBody, Motion, Sampled, Travel, World

length = st.floats(-2, 2)
vector = st.tuples(length, length, length)


@given(vector, vector, st.floats(0.01, 0.5), st.integers(0, 2_000_000), st.integers(0, 5_000_000))
def test_a_ride_arrives_when_it_comes_within_reach(
    offset: tuple[float, ...], velocity: tuple[float, ...], reach: float, start: int, span: int
) -> None:
    now = 500_000
    times, met = arrivals(
        np.array([offset]), np.array([velocity]), np.array([reach]), np.array([start]), np.array([start + span]), now
    )
    begin, end = max(start, now), max(start + span, now)

    def distance(t: float) -> float:
        ridden = (min(max(t, begin), end) - begin) * 1e-6
        return math.hypot(*(o + v * ridden for o, v in zip(offset, velocity, strict=True)))

    assert met[0] == (distance(now) <= reach) or distance(now) == pytest.approx(reach)
    looks = np.linspace(now, end + 1, 400).tolist()
    inside = [t for t in looks if distance(t) < reach - 1e-9]
    if math.isinf(times[0]):
        moves = any(velocity) and end > begin
        assert not inside or (distance(now) <= reach and not moves)
    else:
        assert all(t >= times[0] - 1 for t in inside if not met[0])
        assert distance(times[0]) <= reach + 1e-5 * (1 + math.hypot(*velocity))


@given(st.integers(0, 900_000), vector)
def test_a_mover_is_where_its_balls_are(t: int, way: tuple[float, ...]) -> None:
    world = World(Kernel())
    there = Pose(*way) @ Pose.turn_x(2.0)
    motion = Sampled([100_000, 400_000, 800_000], [IDENTITY, there, Pose(0, 1, 0)])
    body = world.add(LiveBody("part", Box(0.3, 0.1, 0.1)), motion=motion)
    child = world.add(LiveBody("flag", Sphere(0.05)), body, Pose(0.2, 0, 0))
    for each in (body, child):
        mover = Mover(world, each, 0)
        point = np.array([world.pose(each, t).point(each.shape.sphere[0])])
        assert np.linalg.norm(point - mover.centre) + mover.radius <= mover.sweep
        (when,) = mover.arrivals(point, np.array([0.0]), 0)
        assert when <= t or t >= mover.end


def balls_hold(cover: BallCover, point: tuple[float, ...]) -> bool:
    reach = cover.at(IDENTITY)
    gaps = np.linalg.norm(reach.centres - np.array(point), axis=1) - reach.radii
    return bool(gaps.min() <= 1e-9) and math.dist(reach.centre, point) <= reach.radius + 1e-9


@pytest.mark.parametrize("name", [name for name in sensor_names() if load_sensor(name).type != "force"])
def test_the_balls_of_a_sensor_hold_all_it_can_see(name: str) -> None:
    model = load_sensor(name)
    probe, cover = model.probe, cover_of(model, None)
    for (origin, along), reach in zip(probe.lines, probe.reaches, strict=True):
        for share in np.linspace(0, 1, 50).tolist():
            assert balls_hold(cover, tuple(o + share * reach * a for o, a in zip(origin, along, strict=True)))
    for shape, pose in probe.volumes(probe.hold):
        points, _ = shape.triangles()
        for point in points.tolist():
            assert balls_hold(cover, pose.point(point))


def sensor_at(cell: Cell, model: SensorModel, pose: Pose) -> tuple[Skipper, LiveSensor[float]]:
    return skipper_of(cell), cell.add("eye", Sensor(model, at=pose))


BEAM = SensorModel(type="proximity", volume=Cylinder(10 * mm, 1000 * mm))


@pytest.mark.parametrize(
    ("motion", "earliest", "latest"),
    [
        (Travel(0, 10_000_000, Pose(1, 0, 0.5), (-0.1, 0, 0)), 9_300_000, 9_400_000),  # 10 mm and 50 mm from the axis
        (Travel(2_000_000, 12_000_000, Pose(1, 0, 0.5), (-0.1, 0, 0)), 11_300_000, 11_400_000),
        (Travel(0, 10_000_000, Pose(1, 0, 0.5), (0.1, 0, 0)), FOREVER, FOREVER),
        (Travel(0, 9_000_000, Pose(1, 0, 0.5), (-0.1, 0, 0)), FOREVER, FOREVER),  # it stops 100 mm away
        (Travel(0, 10_000_000, Pose(1, 0, 1.2), (-0.1, 0, 0)), FOREVER, FOREVER),  # it passes above
        (Fall(0, 2_000_000, Pose(0, 0, 3.0)), 550_000, 630_600),  # 1.95 m down to the end of the beam take 0.6306 s
    ],
)
def test_how_long_a_sensor_at_rest_may_sleep(motion: Travel | Fall, earliest: int, latest: int) -> None:
    cell = Cell()
    world = cell.world
    world.add(LiveBody("ball", Sphere(50 * mm)), motion=motion)
    world.add(LiveBody("floor", Box(4, 4, 0.1)), None, Pose(0, 0, -0.05))
    skipper, eye = sensor_at(cell, BEAM, IDENTITY)
    assert earliest <= skipper.quiet_until(eye._view, 0) <= latest


def test_a_body_at_rest_in_its_beam_does_not_keep_a_sensor_awake_unless_the_sensor_moves() -> None:
    cell = Cell()
    world = cell.world
    world.add(LiveBody("ball", Sphere(50 * mm)), None, Pose(0, 0, 0.5))
    skipper, eye = sensor_at(cell, BEAM, IDENTITY)
    assert skipper.quiet_until(eye._view, 0) == FOREVER
    world.move(eye.body, Travel(0, 900_000, IDENTITY, (0.1, 0, 0)))
    assert skipper.quiet_until(eye._view, 200_000) == 200_000
    assert skipper.quiet_until(eye._view, 900_000) == FOREVER


def test_a_sensor_that_moves_sleeps_for_its_distance_over_its_speed() -> None:
    cell = Cell()
    world = cell.world
    world.add(LiveBody("ball", Sphere(50 * mm)), None, Pose(0.2, 0, 0.5))
    skipper, eye = sensor_at(cell, BEAM, IDENTITY)
    world.move(eye.body, Travel(0, 10_000_000, IDENTITY, (0.5, 0, 0)))
    # Of 32 balls along the beam, 31.25 mm apart and √(10² + 15.625²) = 18.55 mm large, the nearest are 15.625 mm off:
    # √(200² + 15.625²) - 50 - 18.55 = 132.06 mm, at 0.5 m/s.
    assert skipper.quiet_until(eye._view, 0) == pytest.approx(264_120, abs=50)


def test_a_slender_cone_is_held_more_closely_than_by_one_ball() -> None:
    model = SensorModel(type="range", volume=Beam(2500 * mm, 4 * deg), trace_lines=TraceLines(count=5, spread=3 * deg))
    reach = cover_of(model, None).at(IDENTITY)
    assert reach.radius > 1.2
    assert reach.radii.max() < 0.2
    assert reach.radii.min() < 0.05


class Turntable(Motion):
    """Rotates without end."""

    def pose(self, t: int) -> Pose:
        return Pose.turn_z(t * 1e-6)

    def bound(self, t0: int, t1: int) -> tuple[float, float]:
        return (0.0, 1.0)


def test_a_body_that_never_rests_is_checked_again_after_a_while() -> None:
    cell = Cell()
    world = cell.world
    table = world.add(LiveBody("table"), motion=Turntable())
    world.add(LiveBody("flag", Sphere(10 * mm)), table, Pose(0.5, 0, 0))
    skipper, eye = sensor_at(cell, BEAM, Pose(50.0, 0, 0))
    assert skipper.quiet_until(eye._view, 0) == HORIZON
    assert skipper.quiet_until(eye._view, HORIZON) == 2 * HORIZON

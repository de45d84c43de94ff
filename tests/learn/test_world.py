"""Floor plans, sensing in the plane against drycell's own sensors, and robots that stop at walls."""

import math
from dataclasses import replace
from random import Random

import pytest

from drycell.base import DrycellError, Pose
from drycell.geometry import Box
from drycell.kernel import Kernel
from drycell.learn.robot import Mobile, load_mobile
from drycell.learn.world import (
    GAP,
    FloorPlan,
    Mounted,
    Sonars,
    Variation,
    WallSegment,
    clearance,
    corridor,
    free_distance,
    load_worlds,
    room,
)
from drycell.learn.world.catalogue import WORLDS
from drycell.sensors import Noise, load_sensor, look
from drycell.world import LiveBody, Scene, World

THICK = 0.2


def cell_of(plan: FloorPlan) -> Scene:
    """The walls of a plan as bodies of a cell, with their faces on the lines of the plan."""
    world = World(Kernel())
    for number, wall in enumerate(plan.walls):
        (x, y), (u, v) = wall.start, wall.end
        along = math.atan2(v - y, u - x)
        # The room is to the left of its walls, so their thickness is on the right.
        middle = Pose((x + u) / 2, (y + v) / 2, 0.0) @ Pose.turn_z(along) @ Pose(0.0, -THICK / 2, 0.0)
        box = Box(wall.length + 2 * THICK, THICK, 20.0)
        world.add(LiveBody(f"wall{number}", box, material=wall.material), pose=middle)
    return Scene(world)


def upright(x: float, y: float, bearing: float) -> Pose:
    """A sensor that looks along a bearing, its own x to the left, its y up."""
    c, s = math.cos(bearing), math.sin(bearing)
    return Pose.of_rows((-s, 0.0, c, x, c, 0.0, s, y, 0.0, 1.0, 0.0, 0.0))


@pytest.mark.parametrize("name", ["polaroid-6500", "polaroid-frank2", "infrared-nomad"])
@pytest.mark.parametrize("material", ["paint", "foam", "concrete"])
def test_sensing_in_the_plane_agrees_with_drycells_own_sensors(name: str, material: str) -> None:
    plan = room("test", 5.0, 3.0, material)
    scene, model, stream = cell_of(plan), load_sensor(name), Random(5)
    heard = 0
    for _ in range(150):
        x, y = stream.uniform(0.05, 4.95), stream.uniform(0.05, 2.95)
        bearing = stream.uniform(-math.pi, math.pi)
        ours = Sonars([Mounted("eye", model, 0.0, 0.0, 0.0)]).distances(plan, (x, y, bearing))[0]
        theirs = look(model, scene, upright(x, y, bearing), thorough=False).quantity
        assert (ours is None) == (theirs is None), (x, y, bearing)
        if ours is not None and theirs is not None:
            heard += 1
            assert ours == pytest.approx(theirs, abs=1e-9)
    assert heard > 20


def test_a_sensor_sits_where_its_robot_carries_it() -> None:
    plan = room("test", 4.0, 4.0)
    model = replace(load_sensor("polaroid-6500"), trace_lines=None)
    ring = Sonars([Mounted("left", model, 0.1, 0.2, math.pi / 2)])
    assert ring.distances(plan, (2.0, 2.0, 0.0)) == [pytest.approx(1.8)]
    assert ring.distances(plan, (2.0, 2.0, math.pi / 2)) == [pytest.approx(1.8)]


@pytest.mark.parametrize("robot", ["nomad", "frank2"])
def test_a_robot_driven_at_a_wall_stops_in_front_of_it_at_any_angle(robot: str) -> None:
    plan, stream = room("test", 4.0, 3.0), Random(7)
    model = load_mobile(robot)
    for k in range(200):
        place = (stream.uniform(0.5, 3.5), stream.uniform(0.5, 2.5), 2 * math.pi * k / 200)
        mobile = Mobile(model, plan, place)
        leg = mobile.drive(10.0)
        assert leg.stopped
        gap = clearance(plan, *mobile.place[:2]) - model.radius
        assert gap == pytest.approx(GAP, abs=1e-9)
        again = mobile.drive(1.0)
        assert again.drive == pytest.approx(0.0, abs=1e-9)
        assert not mobile.drive(-0.2).stopped


def test_the_end_of_a_wall_stops_a_robot_too() -> None:
    plan = FloorPlan("post", (WallSegment((1.0, 0.0), (3.0, 0.0)),))
    free = free_distance(plan, 0.0, 0.1, 0.0, 5.0, 0.2)
    assert math.dist((free, 0.1), (1.0, 0.0)) == pytest.approx(0.2 + GAP, abs=1e-12)
    assert free_distance(plan, 0.0, 0.3, 0.0, 5.0, 0.2) == 5.0


def test_motions_are_exact_at_every_instant() -> None:
    mobile = Mobile(load_mobile("nomad"), room("test", 4.0, 3.0), (1.0, 1.0, 0.0))
    turn, drive = mobile.turn(math.pi / 2), mobile.drive(0.6)
    assert turn.at(turn.begin + turn.duration / 2) == pytest.approx((1.0, 1.0, math.pi / 4))
    assert drive.begin == turn.begin + turn.duration
    assert drive.at(drive.begin + drive.duration / 3) == pytest.approx((1.0, 1.2, math.pi / 2))


def test_bumpers_and_infrared_report_a_wall_the_robot_stands_at() -> None:
    plan = room("test", 4.0, 3.0)
    for name, straight in (("nomad", "bumper1"), ("frank2", "bumper2")):
        mobile = Mobile(load_mobile(name), plan, (2.0, 1.5, 0.0))
        others = [each for each in mobile.sensors if each.startswith(("bumper", "infrared"))]
        assert set(mobile.read(others).values()) <= {False, 24}  # 24 in: nothing in range
        mobile.drive(10.0)
        assert mobile.read([straight])[straight] is True
        if name == "nomad":
            # One millimetre in front of the wall; the other lines miss the wall or meet it at an angle.
            ring = mobile.read([f"infrared{k}" for k in range(1, 17)])
            assert ring["infrared1"] == 0
            assert ring["infrared2"] == ring["infrared16"] == 1
            assert ring["infrared9"] == 24
    assert mobile.read(["infrared2", "infrared1"]) == {"infrared2": True, "infrared1": False}


def test_the_nomads_ring_is_numbered_against_the_clock() -> None:
    mobile = Mobile(load_mobile("nomad"), room("test", 6.0, 4.0), (2.0, 1.0, 0.0))
    ring = mobile.read([f"sonar{k}" for k in (1, 5, 9, 13)])
    inches = [(4.0 - 0.2667) / 0.0254, (3.0 - 0.2667) / 0.0254, (2.0 - 0.2667) / 0.0254, (1.0 - 0.2667) / 0.0254]
    assert list(ring.values()) == [round(each) for each in inches]


def test_a_robot_is_not_set_into_a_wall() -> None:
    with pytest.raises(DrycellError, match=r"would be in a wall of 'test'"):
        Mobile(load_mobile("nomad"), room("test", 4.0, 3.0), (0.1, 1.0, 0.0))


def test_a_corridor_keeps_its_width_round_bends() -> None:
    way = corridor("bend", [(0.0, 0.0, 2.0), (5.0, 0.0, 2.0), (9.0, 3.0, 2.0)], inset=1.0)
    for along in (1.0, 3.0, 4.9, 6.0, 8.0):
        (x, y), _, width = way.at(along)
        assert width == 2.0
        assert clearance(way, x, y) == pytest.approx(1.0, abs=0.02)
        assert way.along((x, y)) == pytest.approx(along)
    assert way.length == pytest.approx(10.0)


@pytest.mark.parametrize("name", WORLDS.names())
def test_test_worlds_are_not_used_for_training(name: str) -> None:
    worlds = load_worlds(name)
    assert len(worlds.training) == 4
    assert len(worlds.test) == 2
    trained = [plan.walls for plan in worlds.training_plans]
    assert all(plan.walls not in trained for plan in worlds.test_plans)


def test_a_variation_disturbs_sensors_and_wheels_the_same_way_for_the_same_seed() -> None:
    real = Variation(seed=3, noise=Noise(sigma=0.02), gains=0.05, offsets=0.02, slip=0.05, skid=0.05, pull=0.02)
    plan, names = room("test", 5.0, 4.0), ["sonar1", "sonar5", "sonar13"]

    def run(variation: Variation) -> list[object]:
        mobile = Mobile(load_mobile("nomad"), plan, (1.0, 1.0, 0.0), variation=variation)
        mobile.turn(0.5)
        mobile.drive(0.5)
        return [mobile.place, mobile.read(names), mobile.read(names)]

    assert run(real) == run(real)
    assert run(real) != run(replace(real, seed=4))
    assert run(real)[0] != run(Variation())[0]
    assert run(Variation())[1] == run(Variation())[2]


def test_wheels_that_pull_turn_the_robot_by_the_way_it_made_and_back_again() -> None:
    mobile = Mobile(load_mobile("nomad"), room("test", 5.0, 4.0), (1.0, 1.0, 0.0), variation=Variation(pull=0.1))
    mobile.drive(0.5)
    assert mobile.place[2] == pytest.approx(0.05)
    mobile.drive(-0.5)
    assert mobile.place[2] == pytest.approx(0.0)
    stopped = mobile.drive(100.0)
    assert stopped.stopped
    assert mobile.place[2] == pytest.approx(0.1 * stopped.drive)

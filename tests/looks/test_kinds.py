"""Looks of all kinds and library entries: each can be drawn, stays with its shape, and follows the record."""

from itertools import pairwise

import numpy as np
import pytest

from drycell import Body, Box, Cell, Conveyor, Machine, Robot, Sensor, Sink, Source, Store, delay, mm, s
from drycell.kernel import ticks
from drycell.looks import EXEMPT, Look, look_bytes, look_of, tessellate
from drycell.robots import robot_names, tool_names
from drycell.sensors import sensor_names
from drycell.world import LiveBody

BEYOND = 30 * mm
"""How far a look may stick out of the shape of its body."""


def overhang(body: LiveBody, look: Look) -> float:
    """How far the parts of a look stick out of the box of its shape, or from the origin if it has none, in metres."""
    points = [tessellate(each.solid).moved(each.pose).points for each in look.parts if each.material not in EXEMPT]
    lower, upper = ((0.0,) * 3, (0.0,) * 3) if body.shape is None else body.shape.bounds
    every = np.concatenate(points)
    return float(max((np.array(lower) - every).max(), (every - np.array(upper)).max()))


def cell_with_everything() -> Cell:
    """One of each kind that has a body."""
    cell = Cell()
    cell.add("table", Body(Box(2.0, 1.0, 40 * mm), material="aluminium", at=(0, 0, -20 * mm)))
    cell.add("belt", Conveyor(length=800 * mm, width=200 * mm, speed=100 * mm / s, on="table"))
    cell.add("tall", Conveyor(length=2.0, width=400 * mm, height=800 * mm, speed=100 * mm / s, at=(0, 2, 0)))
    cell.add("narrow", Conveyor(length=300 * mm, width=40 * mm, height=30 * mm, speed=100 * mm / s, at=(0, 4, 0)))
    cell.add("mill", Machine(duration=3 * s, door=True, at=(3, 0, 0)))
    for name in ("cmm", "gantry-3", "positioner-2"):
        cell.add(f"machine-{name}", Machine(duration=3 * s, model=name, at=(5, 0, 0)))
    cell.add("bin", Sink(Box(200 * mm, 150 * mm, 60 * mm), material="cardboard", at=(0, -2, 0)))
    cell.add("flat", Sink(Box(300 * mm, 300 * mm, 5 * mm), at=(0, -3, 0)))
    cell.add("store", Store(Box(400 * mm, 300 * mm, 20 * mm), grid=(4, 3), pitch=(90 * mm, 90 * mm), at=(2, -2, 0)))
    return cell


def test_no_device_sticks_out_of_its_shape() -> None:
    cell = cell_with_everything()
    found = {}
    for body in cell.world.bodies.values():
        look = look_of(body)
        if look is not None and look.parts:
            found[body.name] = overhang(body, look)
    assert {name: round(value, 4) for name, value in found.items() if value > BEYOND} == {}
    assert len(found) > 15


@pytest.mark.parametrize("name", sensor_names())
def test_housings_stay_near_the_origin_of_their_sensor(name: str) -> None:
    cell = Cell()
    shape = {"shape": Box(20 * mm, 20 * mm, 20 * mm)} if name in ("bumper", "limit-switch") else {}
    sensor = cell.add("sensor", Sensor(name, **shape))
    look = look_of(sensor.body)
    assert look is not None
    assert overhang(sensor.body, look) <= BEYOND
    assert look_bytes(look)


@pytest.mark.parametrize("name", [*robot_names()[::9], "scorbot-er3", "ur5e", "kr6-r900-2"])
def test_robots_are_drawn_within_their_links(name: str) -> None:
    cell = Cell()
    cell.add("arm", Robot(name))
    for body in cell.world.bodies.values():
        look = look_of(body)
        if look is not None and look.parts:
            assert overhang(body, look) <= (BEYOND if name == "scorbot-er3" else 5 * mm)  # corners of sections differ
            assert {part.material for part in look.parts} == {"paint"}


@pytest.mark.parametrize("name", tool_names())
def test_every_tool_is_drawn(name: str) -> None:
    cell = Cell()
    cell.add("arm", Robot("ur5e", gripper=name))
    drawn = [body for body in cell.world.bodies.values() if body.name.startswith("arm/gripper")]
    looks = [look_of(body) for body in drawn if body.shape is not None]
    assert looks
    assert all(look is not None and look.parts for look in looks)


def values(cell: Cell, name: str, channel: str, times: list[float]) -> list[float]:
    """The values of a channel at times in seconds."""
    body = cell.world.bodies[name]
    look = look_of(body)
    assert look is not None
    return [look.channels[channel].source.at(cell.record, name, ticks(t)) for t in times]


def test_a_belt_travels_as_far_as_its_parts() -> None:
    cell = Cell()
    belt = cell.add("belt", Conveyor(length=2.0, width=200 * mm, speed=100 * mm / s, acceleration=50 * mm / s**2))
    cell.add("source", Source(Box(60 * mm, 40 * mm, 20 * mm), every=100 * s, on="belt"))

    @cell.program
    def drive() -> None:
        delay(3 * s)
        belt.stop()
        delay(4 * s)
        belt.start()
        delay(5 * s)

    cell.run(until=12)
    (part,) = belt.parts
    times = [0.5, 1.0, 2.5, 3.5, 4.5, 6.0, 7.5, 9.0, 12.0]
    moved = [cell.world.relative(cell.world.bodies["belt"], part, ticks(t)).x for t in times]
    travelled = values(cell, "belt", "travel", times)
    assert np.diff(travelled) == pytest.approx(np.diff(moved), abs=1e-6)
    assert travelled[-1] > 0.5


def test_lamps_and_spindle_follow_the_states_of_the_machine() -> None:
    cell = Cell()
    mill = cell.add("mill", Machine(duration=10 * s, door=True))
    mill.start.set(True)
    cell.run(until=30)
    times = [0.05 * k for k in range(600)]
    states = [cell.kernel.tracks.track("states", "mill").at(ticks(t)) for t in times]
    assert {"closing", "working", "opening", "idle"} <= set(states)
    assert values(cell, "mill", "green", times) == [float(each in ("closing", "working", "opening")) for each in states]
    assert values(cell, "mill", "amber", times) == [float(each == "idle") for each in states]
    assert values(cell, "mill", "red", times) == [0.0] * len(times)
    turns = np.diff(values(cell, "mill", "spindle", times))
    both = [one == other == "working" for one, other in pairwise(states)]
    none = [one != "working" and other != "working" for one, other in pairwise(states)]
    assert (turns[both] > 0.0).all()
    assert (turns[none] == 0.0).all()


def test_the_door_is_drawn_open_exactly_while_the_record_says_so() -> None:
    cell = Cell()
    mill = cell.add("mill", Machine(duration=10 * s, door=True))
    mill.start.set(True)
    cell.run(until=30)
    door, machine = cell.world.bodies["mill/door"], cell.world.bodies["mill"]
    times = [ticks(0.05 * k + 0.01) for k in range(600)]
    places = [cell.world.relative(machine, door, t).x for t in times]
    opened, closed = max(places), min(places)
    signals = cell.record.signals
    assert [bool(signals["mill.door_open"].at(t)) for t in times] == [x == pytest.approx(opened) for x in places]
    assert [bool(signals["mill.door_closed"].at(t)) for t in times] == [x == pytest.approx(closed) for x in places]
    look = look_of(door)
    assert look is not None
    assert {"glass", "paint"} <= {part.material for part in look.parts}


def test_the_lamp_of_a_sensor_is_on_while_it_detects() -> None:
    cell = Cell()
    cell.add("belt", Conveyor(length=1.0, width=200 * mm, speed=100 * mm / s, end="fall", at=(0, 0, 1)))
    cell.add("source", Source(Box(60 * mm, 100 * mm, 40 * mm), every=100 * s, on="belt"))
    eye = cell.add(
        "eye", Sensor("e3jk-diffuse", on="belt", at=(0, -150 * mm, 70 * mm), rpy=(-1.5707963267948966, 0, 0))
    )
    cell.run(until=12)
    times = [0.1 * k for k in range(120)]
    lit = values(cell, "eye", "seen", times)
    assert lit == [float(eye.history.at(ticks(t)) != 0.0) for t in times]
    assert 0.0 < sum(lit) < len(lit)

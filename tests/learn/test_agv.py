"""A mobile robot as a vehicle in a cell: its readings match the fast world, and it stops before it touches anything."""

import math

import pytest

from drycell import Body, Box, Cell
from drycell.base import UnknownName
from drycell.learn.agv import Agv, Driver
from drycell.learn.controller import Network, load_setup
from drycell.learn.robot import Mobile
from drycell.learn.world import room

SETUP = load_setup(40)
HIGH = 10.0  # walls that sensors do not see over, whichever way their lines rise


def walled() -> Cell:
    """A room of 5 m by 4 m, as walls whose inner faces are those of the floor plan."""
    cell = Cell("room")
    for name, size, at in (
        ("south", (5.2, 0.1), (2.5, -0.05)),
        ("north", (5.2, 0.1), (2.5, 4.05)),
        ("west", (0.1, 4.0), (-0.05, 2.0)),
        ("east", (0.1, 4.0), (5.05, 2.0)),
    ):
        cell.add(name, Body(Box(*size, HIGH), material="paint", at=(*at, 0.0)))
    return cell


@pytest.mark.parametrize("place", [(1.2, 1.5, 0.0), (3.0, 2.2, math.pi / 2), (2.0, 1.0, 2.5), (4.0, 3.2, -0.7)])
def test_it_reads_what_the_fast_world_reads(place: tuple[float, float, float]) -> None:
    cell, names = walled(), tuple(f"sonar{number}" for number in range(1, 17))
    agv = Agv(cell, SETUP.model, SETUP.arrangement, place, names)
    read: list[dict[str, float]] = []
    cell.program(lambda: read.append(agv.read()), name="read")
    cell.run(until=1.0)
    fast = Mobile(SETUP.model, room("room", 5.0, 4.0), place).read(names)
    assert read[0] == {name: float(value) for name, value in fast.items()}


@pytest.mark.parametrize("heading", [0.0, math.pi / 2, 0.6])
def test_its_protective_field_stops_it_before_a_wall_at_any_angle(heading: float) -> None:
    cell = walled()
    agv = Agv(cell, SETUP.model, SETUP.arrangement, (2.5, 2.0, heading), ["sonar1"])
    cell.check_collisions([("agv", name) for name in ("south", "north", "west", "east")])
    stopped: list[bool] = []
    cell.program(lambda: stopped.append(agv.drive(5.0)), name="drive")
    result = cell.run()
    assert stopped == [True]
    assert not result.collisions
    x, y, _ = agv.place
    assert min(x, 5.0 - x, y, 4.0 - y) > SETUP.model.radius


def test_a_drive_takes_the_time_its_speed_gives() -> None:
    cell = walled()
    agv = Agv(cell, SETUP.model, SETUP.arrangement, (1.0, 1.0, math.pi / 4), ["sonar1"])
    cell.program(lambda: agv.drive(1.0), name="drive")
    result = cell.run(until=20.0)
    x, y, _ = agv.place
    assert math.hypot(x - 1.0, y - 1.0) == pytest.approx(1.0)
    # 1 m at 0.5 m/s, plus acceleration and braking.
    assert 2.0 < agv.robot.moves[0].end / 1e6 < 3.0
    assert not result.collisions


def test_a_network_that_always_drives_is_stopped_and_says_so() -> None:
    cell = walled()
    agv = Agv(cell, SETUP.model, SETUP.arrangement, (3.5, 2.0, 0.0), SETUP.inputs.values())
    stubborn = Network([[[0.0, 0.0, 0.0]] * 4 + [[1.0, 0.0, 0.0]]])
    driver = Driver(SETUP, stubborn, agv)
    acts = []
    cell.program(lambda: acts.extend(driver.act() for _ in range(6)), name="roam")
    cell.run()
    assert acts[0].violated is None
    assert acts[-1].violated == "collision"
    assert acts[-1].stopped


def test_a_sensor_it_does_not_have_is_refused() -> None:
    with pytest.raises(UnknownName, match="sonar17"):
        Agv(walled(), SETUP.model, SETUP.arrangement, (2.0, 2.0, 0.0), ["sonar17"])

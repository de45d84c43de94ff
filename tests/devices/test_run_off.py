"""Parts that leave the open end of a belt keep the speed of the belt."""

import math

import pytest

from drycell.base import Pose, mm
from drycell.geometry import Box
from drycell.world import LiveBody

GRAVITY = 9.80665


def landed(bench, part: LiveBody) -> float:
    """Where a part lands on a floor 500 mm below the belt's top, in mm from the belt's start."""
    floor = bench.world.add(LiveBody("floor", Box(6.0, 2.0, 0.1)), None, Pose(0, 0, -0.55))
    bench.run(60)
    assert part.parent is floor
    return bench.world.pose(part).x / mm


def test_a_part_leaves_a_belt_that_is_slowing_down_at_the_speed_it_then_has(belt_bench) -> None:
    bench = belt_bench(end="fall", acceleration=0.1)
    part = bench.put("part", 975 * mm)  # its centre 50 mm before the end
    # At 0.1 s it has 40 mm to go, and the belt would stop after 50 mm: it leaves with √(0.1² − 2 · 0.1 · 0.04) m/s.
    bench.at(0.1, bench.belt.stop)
    drop = math.sqrt(2 * 0.5 / GRAVITY)
    speed = math.sqrt(0.1**2 - 2 * 0.1 * 0.04)
    assert landed(bench, part) == pytest.approx(1025 + speed * drop / mm, abs=0.01)


def test_a_part_whose_middle_stops_on_the_edge_goes_over_it(belt_bench) -> None:
    bench = belt_bench(end="fall", acceleration=0.1)
    part = bench.put("part", 975 * mm)
    bench.at(0, lambda: bench.belt.speed.set(0.0))  # stops after 50 mm
    assert landed(bench, part) == pytest.approx(1025, abs=0.5)


def test_a_part_half_off_the_belt_accelerates_with_the_belt_so_that_none_runs_into_it(belt_bench) -> None:
    bench = belt_bench(end="fall", speed=10 * mm)
    long = bench.put("long", 1099 * mm, length=200 * mm)  # its middle 1 mm before the end: leaves at 0.1 s
    short = bench.put("short", 895 * mm)  # 4 mm behind it
    bench.at(1, lambda: bench.belt.speed.set(1.0))
    bench.run(1.05)
    # 10 mm in the first second, then 50 mm more, for both.
    assert (bench.front(long), bench.front(short)) == (1159, 955)


def test_a_part_half_off_the_belt_does_not_stop_with_the_belt(belt_bench) -> None:
    bench = belt_bench(end="fall")
    part = bench.put("part", 1024 * mm)
    bench.at(0.1, bench.belt.stop)
    bench.run(0.2)
    assert bench.front(part) == 1044

"""Collision checks of a detailed and a simpler model are timed side by side."""

from dataclasses import replace

from drycell.cli.collision_timing import time_collision_checks
from drycell.robots import load_robot


def test_collision_checks_are_timed_alternately_on_the_same_poses():
    detailed = load_robot("box-frame/detailed")
    timing = time_collision_checks([detailed, replace(detailed)], instants=10, rounds=2)
    assert timing.instants == 10
    assert timing.pairs > 50
    assert all(seconds > 0.0 for seconds in timing.seconds)
    assert timing.speed_up == timing.seconds[0] / timing.seconds[1]

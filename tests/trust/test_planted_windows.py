"""A fault that shows in 1 % of an interval is found within the default budget, in cells with arms and belts."""

from collections.abc import Callable
from math import pi
from random import Random

import pytest

from drycell import Box, Cell, Conveyor, Robot, Sensor, Source, delay, interval, mm, now, wait
from drycell.base import Pose
from drycell.verify import verify

LONG = 20.0
OPEN = 0.2
"""Seconds that a window stays open: 1 % of the interval."""


def with_arm(cell: Cell) -> None:
    """An arm that moves for a second or two."""
    arm = cell.add("arm", Robot("scara"))

    @cell.program
    def moving() -> None:
        arm.move_joints([0.5, 0.5, 0.05, 0.0])
        arm.move_joints([0.0, 0.0, 0.0, 0.0])


def with_belt(cell: Cell, every: float | tuple[float, float] = 4.0) -> None:
    """A belt with a part now and then, and a sensor above it."""
    cell.add("belt", Conveyor(length=1.0, width=0.2, height=0.1, speed=0.2))
    cell.add("feed", Source(kinds={"block": Box(60 * mm, 60 * mm, 60 * mm)}, on="belt", every=every, limit=2))
    cell.add("eye", Sensor("e3jk-diffuse", on="belt", at=Pose.of_rpy(pi, 0, 0, (0, 0, 200 * mm)), every=0.1))


def door(cell: Cell, looks: float, before: float = 0.0) -> None:
    """A door is open for a short time, and an arm looks at another time."""
    door = cell.signal("door", False)

    @cell.program
    def doorman() -> None:
        delay(interval("comes", before, before + LONG))
        door.set(True)
        delay(OPEN)
        door.set(False)

    @cell.program
    def robot() -> None:
        delay(looks)
        assert not door, "the arm meets the open door"


def hidden(cell: Cell, opens: float) -> None:
    """The number itself decides: no event happens at the limits of the window."""

    @cell.program
    def sorter() -> None:
        length = interval("length", 0, LONG)
        delay(1)
        assert not opens <= length < opens + OPEN, "this length does not fit"


def by_clock(cell: Cell, opens: float) -> None:
    """The clock decides."""

    @cell.program
    def guard() -> None:
        delay(interval("comes", 0, LONG))
        assert not opens <= now() < opens + OPEN, "comes at the wrong time"


def two_windows(cell: Cell, one: float, other: float) -> None:
    """Two intervals must both lie in their windows."""
    first, second = cell.signal("first", False), cell.signal("second", False)
    for signal, name in ((first, "one"), (second, "other")):

        def opening(signal=signal, name=name) -> None:
            delay(interval(name, 0, LONG))
            signal.set(True)
            delay(OPEN)
            signal.set(False)

        cell.program(opening, name=name)

    @cell.program
    def robot() -> None:
        delay(one)
        met = first.value
        delay(other)
        assert not (met and second.value), "both windows are open"


def crossing(cell: Cell, offset: float) -> None:
    """Two programs take two locks in opposite order, and deadlock if they start within 100 ms of each other."""
    left, right = cell.signal("left", False), cell.signal("right", False)
    for name, mine, theirs, before in (("a", left, right, offset), ("b", right, left, 0.0)):

        def crossing(name=name, mine=mine, theirs=theirs, before=before) -> None:
            delay(before)
            delay(interval(f"{name} comes", 0, 10))
            while mine.value:
                wait(~mine)
            mine.set(True)
            delay(0.1)
            while theirs.value:
                wait(~theirs)
            theirs.set(True)
            theirs.set(False)
            mine.set(False)

        cell.program(crossing, name=name)


def at_the_eye(cell: Cell, looks: float) -> None:
    """A part reaches the sensor while a gate is open, at a time that depends on the belt and the source."""
    gate = cell.signal("gate", False)

    @cell.program
    def gatekeeper() -> None:
        delay(looks)
        gate.set(True)
        delay(OPEN + 0.1)  # the sensor samples every 100 ms
        gate.set(False)

    @cell.program
    def sorter(eye) -> None:
        for _ in range(2):
            wait(eye > 2.5)
            assert not gate, "a part comes while the gate is open"
            wait(eye < 2.5)


Build = Callable[[Cell], None]


def planted(where: Build, plant: Callable[..., None], *times: float) -> Build:
    def build(cell: Cell) -> None:
        where(cell)
        plant(cell, *times)

    return build


def plants(random: Random) -> dict[str, Build]:
    """Cells with a window each, at random places."""
    at, half = random.uniform, LONG / 2
    found = {}
    for name, where in (("arm", with_arm), ("belt", with_belt)):
        found[f"{name}, door"] = planted(where, door, at(0.5, LONG))
        found[f"{name}, hidden"] = planted(where, hidden, at(0, LONG - OPEN))
        found[f"{name}, clock"] = planted(where, by_clock, at(0, LONG - OPEN))
        found[f"{name}, two windows"] = planted(where, two_windows, at(0.5, half), at(0.5, half))
        found[f"{name}, crossing"] = planted(where, crossing, at(0.5, 8))
    found["source and sensor"] = planted(lambda cell: with_belt(cell, (5.0, 25.0)), at_the_eye, at(8, 26))
    return found


@pytest.mark.parametrize("name", plants(Random(0)))
def test_a_planted_window_is_found(name: str) -> None:
    verdict = verify(plants(Random(3))[name], ignore=["order", "lost signal"])
    assert verdict.finding is not None
    assert verdict.finding.fault.kind in ("assertion", "deadlock")


@pytest.mark.soak
def test_planted_windows_are_found_anywhere() -> None:
    runs: dict[str, list[int]] = {}
    for seed in range(40):
        for name, build in plants(Random(seed)).items():
            verdict = verify(build, ignore=["order", "lost signal"])
            assert verdict.finding is not None, (name, seed)
            runs.setdefault(name, []).append(verdict.finding.run)
    for name, found in runs.items():
        print(f"{name:20} {len(found)} found, in {sorted(found)[len(found) // 2]} runs (most: {max(found)})")

"""A livelock report names the pulse that a polling program has missed, and the part that caused it."""

from pathlib import Path

import pytest

from drycell import Cell, delay, wait
from drycell.verify import verify

CELL = """\
name: wide
devices:
  belt:
    conveyor: {length: 700 mm, width: 70 mm, height: 60 mm, speed: 40 mm/s}
  feeder:
    source:
      kinds: {part: {shape: {box: [60 mm, 30 mm, 40 mm]}, material: steel}}
      every: 500 s
      limit: 1
    on: belt
  beltdrive: {logic: {scan: 10 ms, rules: {belt.run: not sensor2}}}
sensors:
  sensor1:
    model: e3jk-diffuse
    volume: {cylinder: {radius: 2 mm, length: 60 mm}}
    output: {kind: boolean}
    every: 100 ms
    on: belt
    at: [101 mm, -50 mm, 50 mm]
    rpy: [-90 deg, 0 deg, 0 deg]
  sensor2:
    model: e3jk-diffuse
    volume: {cylinder: {radius: 2 mm, length: 60 mm}}
    output: {kind: boolean}
    every: 100 ms
    on: belt
    at: [301 mm, -50 mm, 50 mm]
    rpy: [-90 deg, 0 deg, 0 deg]
programs:
  robot: {file: robot.py}
"""
ROBOT = """\
from drycell import delay


def robot(sensor1, sensor2):
    delay(BUSY)
    while not sensor1:
        delay(0.5)
    while not sensor2:
        delay(0.1)
"""


def test_a_livelock_report_names_the_part_the_sensor_and_the_pulse_that_was_missed(tmp_path: Path) -> None:
    (tmp_path / "cell.yaml").write_text(CELL)
    (tmp_path / "robot.py").write_text(ROBOT.replace("BUSY", "20"))
    verdict = verify(tmp_path, until=60, budget=4)
    assert verdict.finding is not None
    assert verdict.finding.fault.kind == "livelock"
    # By hand: the part of 60 mm starts at the belt's end, from -350 mm to -290 mm, and moves at 40 mm/s. The volume is
    # from 99 mm to 103 mm, so the part is in it from 9.725 s to 11.325 s. The sensor samples every 100 ms.
    assert verdict.finding.fault.lines[:2] == (
        "sensor1 was True from 9.800 s to 11.400 s (part1), but nobody read it",
        "robot next read it at 20.000 s, and still polls it",
    )
    assert any("sensor1" in line and "9.800" in line for line in verdict.finding.trace)

    (tmp_path / "robot.py").write_text(ROBOT.replace("BUSY", "4"))
    assert not verify(tmp_path, until=60, budget=4).faults


def polled(cell: Cell, *, reads: bool = False, back: bool = True) -> None:
    bell, answer = cell.signal("bell", False), cell.signal("answer", False)

    @cell.program
    def rings() -> None:
        delay(1)
        bell.set(True)
        delay(0.1)
        if back:
            bell.set(False)
        wait(answer)

    @cell.program
    def listens() -> None:
        if reads:
            delay(1.05)
            assert bell.value
        delay(3)
        while bell.value != back:
            delay(0.25)
        answer.set(True)


def lines(**how: bool) -> tuple[str, ...]:
    finding = verify(lambda cell: polled(cell, **how), until=30, ignore=["order"]).finding
    assert finding is not None
    assert finding.fault.kind == "livelock"
    return finding.fault.lines


def test_a_missed_pulse_of_a_plain_signal_names_its_writer() -> None:
    assert lines()[:2] == (
        "bell was True from 1.000 s to 1.100 s (rings), but nobody read it",
        "listens next read it at 3.000 s, and still polls it",
    )


@pytest.mark.parametrize("how", [{"reads": True}, {"back": False}])
def test_a_pulse_that_was_read_or_that_still_lasts_is_not_named(how: dict[str, bool]) -> None:
    assert not any("nobody read it" in line for line in lines(**how))

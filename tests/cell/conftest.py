"""A gantry that is easy to reckon with, cells made of it, and cells on disk."""

from pathlib import Path

import pytest

from drycell import Body, Box, Robot
from drycell.base import mm
from drycell.cell import Cell
from drycell.robots import Drive, Joint, Link, LiveRobot, Mark, Mechanism, MotionController
from drycell.world import LiveBody


def _gantry() -> Mechanism:
    """Three slides of 2 m along x, y, z: 1 m/s, 2 m/s², 20 m/s³ each."""
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    joints = tuple(Joint(name, "prismatic", -1.0, 1.0, 1.0, 2.0, 20.0) for name in "xyz")
    links = tuple(
        Link(f"slide_{joint.name}", k - 1, drives=(Drive(k, "prismatic", axes[k]),)) for k, joint in enumerate(joints)
    )
    return Mechanism("gantry", joints, links, Mark(2))


@pytest.fixture(scope="session")
def gantry() -> Mechanism:
    return _gantry()


class ProbeCell(Cell):
    """A gantry with a cube of 20 mm for a probe, 100 mm above a table whose top is at z = 0."""

    def __init__(self, controller: MotionController | None = None) -> None:
        super().__init__("probing")
        self.table: LiveBody = self.add("table", Body(Box(1.0, 1.0, 0.1), at=(0, 0, -0.05)))
        self.arm: LiveRobot = self.add("arm", Robot(_gantry(), at=(0, 0, 120 * mm), controller=controller))
        self.probe: LiveBody = self.add(
            "probe", Body(Box(20 * mm, 20 * mm, 20 * mm), parent=self.arm.flange.name, at=(0, 0, -10 * mm))
        )


@pytest.fixture
def probe_cell() -> type[ProbeCell]:
    return ProbeCell


CELL_FILE = """\
name: touch down
bodies:
  table:
    shape: {box: [700 mm, 800 mm, 40 mm]}
    material: aluminium
    at: [500 mm, 0, -20 mm]
  block:
    shape: {box: [60 mm, 40 mm, 50 mm]}
    material: beech
    on: table
    at: [-50 mm, -220 mm]
  post:
    shape: {cylinder: {radius: 15 mm, length: 110 mm}}
    material: brass
    on: table
    part: false
    at: [-2 mm, 0]
workpoints:
  goal: {on: table, at: [-50 mm, 220 mm, 46 mm], rpy: [180 deg, 0, 0]}
robots:
  arm: {model: ur5-like, gripper: two-finger}
signals:
  done: false
programs:
  place: {file: place.py}
checks:
  collision: {clearance: 5 mm}
"""

PROGRAM = """\
from drycell import mm, s, shifted


def place(arm, block, goal, done, high=70):
    arm.pick(block)
    arm.move_linear(shifted(arm.here, y=440 * mm), 250 * mm / s)
    arm.place(goal, distance=high * mm)
    done.set(True)
"""


@pytest.fixture
def on_disk(tmp_path: Path) -> Path:
    """A folder with a cell file and its program."""
    (tmp_path / "cell.yaml").write_text(CELL_FILE)
    (tmp_path / "place.py").write_text(PROGRAM)
    return tmp_path

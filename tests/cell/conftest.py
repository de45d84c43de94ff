"""A gantry whose figures are easy to compute by hand, and cells with it."""

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

"""A device that runs for long keeps only the requested part of its past, and behaves like one that keeps all of it."""

import pytest

from drycell.base import mm
from drycell.cell import Cell
from drycell.cell.running import KEPT
from drycell.effector.link import bench, connect
from drycell.kernel import delay

ROUNDS = 40
PAUSE = 8.0


def grip_and_open(forgets: bool) -> tuple[Cell, list[object]]:
    """A cell in which a block is gripped and released for minutes, and the results."""
    cell = bench("gripper")
    cell.check_collisions(clearance=20 * mm)
    results: list[object] = []

    @cell.program
    def planner() -> None:
        with connect("cell:gripper") as gripper:
            gripper.initialise()
            for number in range(ROUNDS):
                results.append(gripper.squeeze(15).wait())
                results.append(gripper.move_to((40 + number % 20) * mm).wait())
                results.extend(gripper.status() for _ in range(30))
                delay(PAUSE)

    result = cell.run(keep=not forgets)
    results.append(result.row())
    return cell, results


@pytest.fixture(scope="module")
def both() -> tuple[tuple[Cell, list[object]], tuple[Cell, list[object]]]:
    return grip_and_open(forgets=True), grip_and_open(forgets=False)


def test_the_past_is_discarded_and_nothing_else_changes(both) -> None:
    (cell, results), (whole, expected) = both
    assert results == expected
    assert results[-1]["near_misses"]  # the hash of the journal includes the results of collision checks
    assert len(cell.kernel.journal.records) == 0
    most = 3 * 2 * KEPT / 1e6 / PAUSE  # just before the past is discarded, twice the span is kept
    for one, other in ((cell.world.linkages, whole.world.linkages), (cell.world.bodies, whole.world.bodies)):
        name = "gripper" if "gripper" in one else "block"
        assert len(one[name].history) < most < len(other[name].history), name
    rows = max(len(each.history) for each in whole.kernel.signals.values())
    assert max(len(each.history) for each in cell.kernel.signals.values()) < rows / 2


def test_past_poses_are_known_for_as_long_as_they_are_kept(both) -> None:
    (cell, _), (whole, _) = both
    last = cell.kernel.now
    for t in range(last - KEPT, last, 100_003):
        for name in ("gripper/finger1", "block"):
            assert cell.world.pose(cell.world.bodies[name], t) == whole.world.pose(whole.world.bodies[name], t)

"""``cell_vs_wall`` and ``cell_vs_mujoco`` measure the cell of the example, in both simulators."""

import numpy as np
import pytest

from benchmarks.cell import FOLDER
from benchmarks.stepped import STEP, SteppedCell
from drycell.cell import Cell, CellSource

SECONDS = 4.0


@pytest.fixture(scope="module")
def cell() -> Cell:
    """The cell after the first part was put into a machine, with the second part on the belt."""
    cell = CellSource.find(FOLDER).build()
    cell.run(until=90.0)
    return cell


@pytest.fixture(scope="module")
def stepped(cell: Cell) -> SteppedCell:
    stepped = SteppedCell(cell, SECONDS)
    stepped.run()
    return stepped


def test_mujoco_has_every_body_every_joint_and_the_parts_as_free_bodies(cell: Cell, stepped: SteppedCell) -> None:
    model = stepped.model
    assert {model.body(number).name for number in range(1, model.nbody)} == cell.world.bodies.keys()
    # The arm's five axes, two fingers, and three axes of either machine; six more freedoms for each part.
    parts = sum(body.part for body in cell.world.bodies.values())
    assert parts >= 2
    assert model.nu == 5 + 2 + 3 + 3
    assert model.nv == model.nu + 6 * parts


def test_mujoco_has_the_weight_of_a_part(cell: Cell, stepped: SteppedCell) -> None:
    part = next(name for name, body in cell.world.bodies.items() if body.part)
    assert stepped.model.body(part).mass[0] == pytest.approx(0.06 * 0.03 * 0.04 * 7850.0)


def test_mujoco_starts_where_the_run_ended(cell: Cell) -> None:
    import mujoco

    fresh = SteppedCell(cell, SECONDS)
    mujoco.mj_forward(fresh.model, fresh.data)
    for name, body in cell.world.bodies.items():
        assert fresh.data.body(name).xpos == pytest.approx(body.pose.position, abs=1e-6), name


def test_mujoco_follows_what_the_arm_did_back_in_time(cell: Cell, stepped: SteppedCell) -> None:
    assert stepped.data.time == pytest.approx(SECONDS)
    then = cell.world.now - round((SECONDS - STEP) * 1e6)
    hand = cell.world.body("arm/hand")
    np.testing.assert_allclose(stepped.data.body("arm/hand").xpos, cell.world.pose(hand, then).position, atol=0.01)
    assert not any(warning.number for warning in stepped.data.warning)


def test_parts_stay_on_the_belt_that_they_lie_on(cell: Cell, stepped: SteppedCell) -> None:
    belt = cell.world.body("belt")
    riding = [body for body in belt.children if body.part]
    assert riding
    for body in riding:
        assert stepped.data.body(body.name).xpos[2] == pytest.approx(body.pose.z, abs=0.002)

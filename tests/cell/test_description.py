"""A cell is saved as a cell file that builds the same cell: equal poses, the same run."""

import math
from pathlib import Path

import pytest

from drycell import Body, Box, Capsule, Cone, Cylinder, Prism, Robot, Sphere, Workpoint
from drycell.base import CellFileError, Pose, deg, mm
from drycell.cell import Cell, CellSource


def poses(cell: Cell) -> dict[str, tuple[float, ...]]:
    return {name: body.pose.rows for name, body in cell.world.bodies.items()}


def same_poses(one: Cell, other: Cell) -> None:
    first, second = poses(one), poses(other)
    assert list(first) == list(second)
    for name, rows in first.items():
        assert second[name] == pytest.approx(rows, abs=1e-12), name


def test_a_cell_file_read_saved_and_read_again_is_the_same_cell_and_runs_the_same(on_disk: Path) -> None:
    once = CellSource.find(on_disk).build()
    once.save(on_disk / "again.yaml")
    again = CellSource.find(on_disk / "again.yaml").build()
    same_poses(once, again)
    assert [(body.name, body.part, body.material) for body in once.added] == [
        (body.name, body.part, body.material) for body in again.added
    ]
    assert once.run().journal_hash == again.run().journal_hash


def test_saving_twice_writes_the_same_text(on_disk: Path) -> None:
    CellSource.find(on_disk).build().save(on_disk / "one.yaml")
    CellSource.find(on_disk / "one.yaml").build().save(on_disk / "two.yaml")
    assert (on_disk / "one.yaml").read_text() == (on_disk / "two.yaml").read_text()


def everything() -> Cell:
    """A cell with every kind of solid, on, under and beside each other, rotated; robots with and without a gripper."""
    cell = Cell("everything", seed=5)
    table = cell.add(
        "table", Body(Box(1.2, 0.8, 0.04), material="steel", at=Pose.of_rpy(0.01, 0.02, 0.3, (0.1, 0.2, 0.3)))
    )
    cell.add("peg", Body(Cylinder(5 * mm, 30 * mm), on=table.name, at=(0.1, 0.1)))
    cell.add("tip", Body(Cone(5 * mm, 30 * mm, top_radius=1 * mm), on=table.name, at=(0.1, 0.2), part=False))
    cell.add("ball", Body(Sphere(10 * mm), parent=table.name, at=(0.0, 0.0, 0.5), part=True))
    cell.add("pill", Body(Capsule(5 * mm, 30 * mm), on=table.name, at=Pose(-0.1, 0.1) @ Pose.turn_z(40 * deg)))
    cell.add("wedge", Body(Prism([(0, 0), (0.04, 0), (0, 0.03)], 20 * mm), on=table.name, at=(-0.2, 0.1)))
    cell.add("mover", Robot("scara", on=table.name, at=(0.3, 0.0), gripper="two-finger", joints=[0.1, -0.2, 0.05, 0.3]))
    cell.add("puma", Robot("puma560", at=(0, 2, 0), tool=Pose.of_rpy(0.1, 0.2, 0.3, (0.0, 0.01, 0.1))))
    cell.add("slot", Workpoint(on=table.name, at=Pose.of_rpy(math.pi, 0, 0.2, (0.1, 0.2, 0.05))))
    cell.signal("ready", True)
    cell.signal("level", 0.25)
    cell.check_collisions(
        but=["tip"],
        allow=[("peg", "table")],
        clearance=4 * mm,
        clearances=[("mover", "ball", 9 * mm)],
        cycle=0.02,
        stop=True,
    )
    cell.until, cell.pace = 90.0, 4.0
    return cell


def test_everything_defined_in_python_is_in_the_file(tmp_path: Path) -> None:
    cell = everything()
    cell.save(tmp_path / "cell.yaml")
    again = CellSource.find(tmp_path).build()
    same_poses(cell, again)
    assert (again.name, again.seed, again.until, again.pace) == ("everything", 5, 90.0, 4.0)
    assert {name: signal.value for name, signal in again.declared.items()} == {"ready": True, "level": 0.25}
    assert again.robots["mover"].joints == pytest.approx((0.1, -0.2, 0.05, 0.3))
    assert again.robots["puma"].tool.rows == pytest.approx(cell.robots["puma"].tool.rows, abs=1e-12)
    assert again.robots["mover"].gripper.opening == (0.0, 0.065)
    assert cell.monitor is not None
    assert again.monitor is not None
    assert (again.monitor.stops, again.monitor.cycle) == (True, 20_000)
    assert again.monitor.rules.clearance == pytest.approx(4 * mm)
    assert [(str(a), str(b), d) for a, b, d in again.monitor.rules.clearances] == [("mover", "ball", 9 * mm)]
    point = again.world.workpoint("slot")
    assert again.world.pose(point).rows == pytest.approx(cell.world.pose(cell.world.workpoint("slot")).rows, abs=1e-12)


def test_a_merged_solid_is_kept_as_a_mesh_beside_the_file(tmp_path: Path) -> None:
    cell = Cell()
    plate = cell.add("plate", Body(Box(0.1, 0.1, 0.01), at=(0, 0, 1)))
    cell.add("bore", Body(Box(0.02, 0.02, 0.02), hole=True, parent=plate.name))
    cell.world.merge(plate)
    cell.save(tmp_path / "cell.yaml")
    again = CellSource.find(tmp_path).build()
    shape = again.world.body("plate").shape
    assert shape is not None
    assert shape.volume == pytest.approx(0.1 * 0.1 * 0.01 - 0.02 * 0.02 * 0.01)
    assert list(again.world.bodies) == ["plate"]


def test_a_program_inside_a_function_cannot_be_named_by_a_file_and_nothing_is_written(tmp_path: Path) -> None:
    cell = Cell()

    @cell.program
    def inner() -> None: ...

    with pytest.raises(CellFileError) as caught:
        cell.save(tmp_path / "cell.yaml")
    assert caught.value.what == "program 'inner' is defined inside another function and cannot be named by a file"
    assert list(tmp_path.iterdir()) == []


def test_a_custom_mechanism_cannot_be_written_to_a_file(tmp_path: Path, gantry) -> None:
    cell = Cell()
    cell.add("mover", Robot(gantry))
    with pytest.raises(CellFileError) as caught:
        cell.save(tmp_path / "cell.yaml")
    assert caught.value.what == "the mechanism 'gantry' is not from the library, so a cell file cannot name it"


def test_contacts_are_made_by_programs_and_not_saved_as_signals(tmp_path: Path) -> None:
    cell = Cell()
    a, b = cell.add("a", Body(Box(1, 1, 1))), cell.add("b", Body(Box(1, 1, 1), at=(3, 0, 0)))
    cell.contact(a, b)
    cell.save(tmp_path / "cell.yaml")
    assert CellSource.find(tmp_path).build().declared == {}

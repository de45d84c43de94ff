"""Tolerances: each seed gives its own instance of the cell, reproducibly and within the declared limits."""

import math
import statistics
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from drycell import Body, Cell, Robot, deg, delay, mm
from drycell.base import CellFileError, DrycellError, GeometryError, Pose, WorldError
from drycell.cell import CellSource, Model
from drycell.geometry import (
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Mesh,
    Prism,
    Shape,
    Sphere,
    dimensions,
    resized,
)
from drycell.world import LiveBody, ToleranceLimits, deviate, draw

SHAPES: dict[str, Shape] = {
    "box": Box(40 * mm, 30 * mm, 20 * mm),
    "cylinder": Cylinder(10 * mm, 50 * mm),
    "cone": Cone(10 * mm, 50 * mm),
    "frustum": Cone(10 * mm, 50 * mm, 5 * mm),
    "sphere": Sphere(15 * mm),
    "capsule": Capsule(8 * mm, 30 * mm),
    "prism": Prism(((0.0, 0.0), (40 * mm, 0.0), (0.0, 20 * mm)), 30 * mm),
    "mesh": Mesh(*Box(40 * mm, 30 * mm, 20 * mm).triangles()),
    "compound": Compound(((Pose(), Box(0.1, 0.1, 0.1)), (Pose(0, 0, 0.1), Sphere(0.02)))),
}


def cell_of(seed: int, **tolerance: object) -> tuple[Cell, LiveBody, LiveBody]:
    """A table with a block in the middle of its top; the block has tolerances."""
    cell = Cell(seed=seed)
    table = cell.add("table", Body(Box(600 * mm, 400 * mm, 20 * mm)))
    block = cell.add("block", Body(Box(40 * mm, 30 * mm, 20 * mm), on=table.name, at=(100 * mm, 50 * mm)))
    cell.vary(block, **tolerance)
    return cell, table, block


# ---------------------------------------------------------------- shapes


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_is_drawn_within_its_tolerance_and_reaches_both_sides(name):
    shape, limit = SHAPES[name], 0.5 * mm
    nominal = dimensions(shape)
    off = []
    for seed in range(40):
        drawn = draw(ToleranceLimits(size=limit), shape, lambda what, seed=seed: Random(f"{seed} {what}"))
        assert list(drawn.changes) == list(nominal)
        for dimension, value in dimensions(drawn.shape).items():
            off.append(value - nominal[dimension])
            assert off[-1] == pytest.approx(drawn.changes[dimension], abs=1e-12)
    assert -limit <= min(off) < -0.8 * limit
    assert 0.8 * limit < max(off) <= limit


def test_dimensions_are_the_numbers_a_shape_is_described_by():
    assert dimensions(SHAPES["box"]) == {"x": 40 * mm, "y": 30 * mm, "z": 20 * mm}
    assert dimensions(SHAPES["cone"]) == {"radius": 10 * mm, "length": 50 * mm}
    assert dimensions(SHAPES["frustum"]) == {"radius": 10 * mm, "length": 50 * mm, "top_radius": 5 * mm}
    assert dimensions(SHAPES["prism"]) == {"x": 40 * mm, "y": 20 * mm, "length": 30 * mm}
    assert dimensions(SHAPES["compound"]) == {"1.x": 0.1, "1.y": 0.1, "1.z": 0.1, "2.radius": 0.02}


def test_a_resized_shape_keeps_its_centre():
    prism = resized(SHAPES["prism"], {"x": 4 * mm, "length": -3 * mm})
    assert prism.bounds[0] == pytest.approx((-2 * mm, 0, -13.5 * mm))
    assert prism.bounds[1] == pytest.approx((42 * mm, 20 * mm, 13.5 * mm))
    assert resized(SHAPES["mesh"], {"z": 2 * mm}).volume == pytest.approx(40 * 30 * 22 * mm**3)
    assert resized(SHAPES["sphere"], {}) is SHAPES["sphere"]
    with pytest.raises(GeometryError, match=r"radius is 15.000 mm and cannot become 15.000 mm shorter"):
        resized(SHAPES["sphere"], {"radius": -15 * mm})
    with pytest.raises(GeometryError, match="the shape has no dimension 'width'"):
        resized(SHAPES["sphere"], {"width": 1 * mm})


# ---------------------------------------------------------------- laws


@settings(max_examples=50, deadline=None)
@given(limit=st.floats(1e-6, 1.0), seed=st.integers(0, 1 << 30), law=st.sampled_from(["uniform", "normal"]))
def test_nothing_is_drawn_beyond_the_limit(limit, seed, law):
    random = Random(seed)
    assert all(abs(deviate(limit, law, random)) <= limit for _ in range(50))


def test_the_laws_have_the_expected_spread():
    random, count = Random(4), 20_000
    even = [deviate(1.0, "uniform", random) for _ in range(count)]
    crowded = [deviate(1.0, "normal", random) for _ in range(count)]
    # A uniform law over ±1 has a deviation of 1/√3; a normal one of σ = 1/3, cut at 3 σ, of 0.9866 σ.
    assert statistics.fmean(even) == pytest.approx(0.0, abs=0.015)
    assert statistics.pstdev(even) == pytest.approx(1 / math.sqrt(3), rel=0.02)
    assert statistics.fmean(crowded) == pytest.approx(0.0, abs=0.01)
    assert statistics.pstdev(crowded) == pytest.approx(0.9866 / 3, rel=0.02)
    # Ten equal boxes of the uniform law hold a tenth each: chi-square with 9 degrees of freedom, 1 % at 21.67.
    boxes = [0] * 10
    for value in even:
        boxes[min(int((value + 1.0) * 5.0), 9)] += 1
    assert sum((found - count / 10) ** 2 / (count / 10) for found in boxes) < 21.67


# ---------------------------------------------------------------- in a cell


def test_the_same_seed_draws_the_same_parts_and_another_draws_others():
    limits = {"size": 0.2 * mm, "at": 1 * mm, "angle": 0.5 * deg}
    one, same, other = (cell_of(seed, **limits)[2] for seed in (7, 7, 8))
    assert one.shape == same.shape
    assert one.pose == same.pose
    assert one.shape != other.shape
    assert one.pose != other.pose


def test_a_part_on_a_table_stays_on_it():
    for seed in range(20):
        _, _, block = cell_of(seed, size=2 * mm, at=5 * mm, angle=10 * deg)
        assert block.pose.z + block.shape.bounds[0][2] == pytest.approx(10 * mm, abs=1e-12)
        assert abs(block.pose.x - 100 * mm) <= 5 * mm
        assert abs(block.pose.y - 50 * mm) <= 5 * mm
        roll, pitch, yaw = block.pose.rpy
        assert (roll, pitch) == pytest.approx((0, 0), abs=1e-12)
        assert abs(yaw) <= 10 * deg


def test_bodies_on_a_body_move_with_its_top():
    cell = Cell(seed=3)
    table = cell.add("table", Body(Box(600 * mm, 400 * mm, 20 * mm)))
    tray = cell.add("tray", Body(Box(100 * mm, 100 * mm, 10 * mm), on=table.name))
    peg = cell.add("peg", Body(Cylinder(5 * mm, 40 * mm), on=tray.name))
    robot = cell.add("arm", Robot("scara", on=table.name, at=(-200 * mm, 0)))
    cell.vary(peg, size=1 * mm)
    cell.vary(table, size=1 * mm)
    top = table.pose.z + table.shape.z / 2
    assert top != pytest.approx(10 * mm, abs=1e-6)
    assert tray.pose.z - 5 * mm == pytest.approx(top, abs=1e-12)
    assert peg.pose.z - peg.shape.length / 2 == pytest.approx(top + 10 * mm, abs=1e-12)
    assert robot.base.pose.z == pytest.approx(top, abs=1e-12)


def test_free_bodies_are_shifted_and_turned_in_space():
    cell = Cell(seed=1)
    free = cell.add("free", Body(Box(40 * mm, 30 * mm, 20 * mm), at=(0.0, 0.0, 1.0)))
    drawn = cell.vary(free, at=2 * mm, angle=(0.0, 3 * deg, 0.0), law="normal")
    assert all(0.0 < abs(value) <= 2 * mm for value in drawn.shift)
    assert free.pose.position == pytest.approx((drawn.shift[0], drawn.shift[1], 1.0 + drawn.shift[2]))
    assert free.pose.rpy == pytest.approx((0.0, drawn.turn[1], 0.0), abs=1e-12)
    assert drawn.changes == {}


def test_one_tolerance_does_not_shift_what_another_draws():
    alone = cell_of(5, size=0.2 * mm)[2]
    more = cell_of(5, size=0.2 * mm, at=3 * mm, angle=1 * deg)[2]
    assert alone.shape == more.shape
    cell = Cell(seed=5)
    other = cell.add("other", Body(Box(1.0, 1.0, 1.0), at=(5.0, 0.0, 0.0)))
    cell.vary(other, size=1 * mm)
    block = cell.add("block", Body(Box(40 * mm, 30 * mm, 20 * mm)))
    cell.vary(block, size=0.2 * mm)
    assert block.shape == alone.shape


def test_the_journal_shows_what_was_drawn():
    cell, _, block = cell_of(2, size=0.2 * mm, at=1 * mm)
    (record,) = [each for each in cell.kernel.journal.records if each.kind == "tolerance"]
    assert record.subject == "block"
    assert list(record.fields) == ["x_mm", "y_mm", "z_mm", "at_mm"]
    assert record.fields["x_mm"] == pytest.approx((block.shape.x - 40 * mm) / mm, abs=1e-6)
    assert record.fields["at_mm"][2] == 0.0
    assert cell_of(2, size=0.2 * mm, at=1 * mm)[0].kernel.journal.sha256() == cell.kernel.journal.sha256()


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        ({"size": 20 * mm}, r"the tolerance of 'block' is ±20.000 mm, but its z is only 20.000 mm"),
        ({"size": -1 * mm}, "Tolerance.size: -1 mm must be at least 0"),
        ({"at": math.nan}, "Tolerance.at: expected a length in SI, got nan"),
        ({"at": (1.0, 2.0)}, "expected one value or a list of 3, got a list of 2"),
        ({"size": 1 * mm, "law": "even"}, "expected 'uniform' or 'normal', got 'even'"),
    ],
)
def test_tolerances_that_make_no_sense_are_refused_and_nothing_changes(limits, text):
    cell = Cell()
    block = cell.add("block", Body(Box(40 * mm, 30 * mm, 20 * mm)))
    with pytest.raises(DrycellError, match=text):
        cell.vary(block, **limits)
    assert block.shape == Box(40 * mm, 30 * mm, 20 * mm)
    assert cell.about == {}


def test_tolerances_are_given_once_before_the_run_and_to_bodies():
    cell, _, _ = cell_of(0, size=0.1 * mm)
    with pytest.raises(WorldError, match="'block' already has tolerances"):
        cell.vary("block", at=1 * mm)
    robot = cell.add("arm", Robot("scara", at=(1.0, 0.0, 0.0)))
    with pytest.raises(WorldError, match="is a link of a robot"):
        cell.vary(robot.linkage.links[0], size=1 * mm)
    node = cell.add("node", Body())
    with pytest.raises(WorldError, match="'node' has no shape whose size could vary"):
        cell.vary(node, size=1 * mm)
    cell.vary(node, at=1 * mm)
    cell.run(until=0.1)
    late = cell.add("late", Body(Box(0.1, 0.1, 0.1), at=(2.0, 0.0, 0.0)))
    with pytest.raises(WorldError, match="the cell has run"):
        cell.vary(late, size=1 * mm)


# ---------------------------------------------------------------- in a cell file

TEXT = """\
name: tray
bodies:
  table: {shape: {box: [600 mm, 400 mm, 20 mm]}}
  block: {shape: {box: [40 mm, 30 mm, 20 mm]}, on: table, at: [100 mm, 50 mm]}
  peg: {shape: {cylinder: {radius: 5 mm, length: 40 mm}}, on: table}
tolerances:
  block: {size: 0.2 mm, at: 1 mm, angle: 0.5 deg}
  peg: {size: 0.05 mm, at: [2 mm, 0, 0], law: normal}
run: {seed: 7}
"""


def test_a_cell_file_says_the_same_as_python():
    written = Cell(Model.read(TEXT))
    _, _, block = cell_of(7, size=0.2 * mm, at=1 * mm, angle=0.5 * deg)
    assert written.world.body("block").shape == block.shape
    assert written.world.body("block").pose == block.pose
    peg = written.world.body("peg")
    assert 0.0 < abs(peg.pose.x) <= 2 * mm
    assert peg.pose.y == 0.0
    assert Cell(Model.read(TEXT), seed=8).world.body("block").shape != block.shape


def test_the_section_is_written_back_as_it_was_read():
    read = Model.read(TEXT)
    assert Model.read(read.text()) == read
    assert "size: 0.2 mm" in read.text()


def test_a_saved_cell_draws_the_same_parts_again(tmp_path: Path):
    cell, _, block = cell_of(11, size=0.2 * mm, at=1 * mm, angle=0.5 * deg)
    table = cell.world.body("table")
    cell.vary(table, size=1 * mm)
    cell.save(tmp_path / "cell.yaml")
    again = CellSource.find(tmp_path).build()
    assert again.seed == 11
    for body in (table, block):
        copy = again.world.body(body.name)
        assert copy.shape == body.shape
        assert copy.pose.distance_to(body.pose) == pytest.approx((0.0, 0.0), abs=1e-7)
    text = (tmp_path / "cell.yaml").read_text()
    assert "box: [40 mm, 30 mm, 20 mm]" in text  # the nominal dimensions, not the actual ones


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("size: 0.2 mm", "size: 0.2", "cell.yaml:7:17: tolerances.block.size: '0.2' has no unit"),
        ("size: 0.2 mm", "size: -1 mm", "tolerances.block.size: '-1 mm' must be at least 0"),
        ("size: 0.2 mm", "size: 30 mm", "the tolerance of 'block' is ±30.000 mm, but its y is only 30.000 mm"),
        ("  block: {size", "  blok: {size", "cell.yaml:7:3: tolerances.blok: there is no body 'blok'"),
        ("[2 mm, 0, 0]", "[2 mm, 0]", "tolerances.peg.at: expected one value or a list of 3, got a list of 2"),
        ("law: normal", "law: even", "tolerances.peg.law: expected 'uniform' or 'normal', got 'even'"),
        ("angle: 0.5 deg", "angel: 0.5 deg", "tolerances.block.angel: there is no such field"),
    ],
)
def test_mistakes_in_the_section_are_reported_with_line_and_field(old, new, text):
    assert old in TEXT
    with pytest.raises(CellFileError) as caught:
        Cell(Model.read(TEXT.replace(old, new)))
    assert text in str(caught.value)


def test_runs_with_tolerances_can_be_repeated_and_recorded(tmp_path: Path):
    from drycell.recording import Recording

    def run(seed: int, file: str) -> str:
        cell, _, block = cell_of(seed, size=0.2 * mm, at=1 * mm)
        cell.program(name="wait")(lambda: delay(1.0))
        cell.check_collisions()
        result = cell.run(record=tmp_path / file)
        assert result.clean
        with Recording.open(tmp_path / file) as recorded:
            copy = recorded.world.body("block")
            assert copy.shape == block.shape
            assert recorded.world.pose(copy, 500_000) == block.pose
        return result.journal_hash

    assert run(1, "a.dry") == run(1, "b.dry")
    assert run(1, "c.dry") != run(2, "d.dry")

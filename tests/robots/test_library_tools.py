"""The grippers and tools of the library: they agree with the facts, and what is not known is marked."""

import math
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from drycell import Cell, Robot
from drycell.base import FileError, UnknownName, deg, mm
from drycell.handling import jaw_gap
from drycell.robots import LIBRARY, load_tool, thumbnail, tool_from_file, tool_heads, tool_names

TABLES = Path(__file__).with_name("gripper_tables.yaml")
LINEAR = {"onrobot-rg2": (45.0, -10.384705), "onrobot-rg6": (36.0, -6.911509)}
"""Grippers whose tables are by a width in mm: the angle of the knuckle at 0 mm in degrees, and rad per m."""
TURNED = {"schunk-wsg-50": 85.4 + 26.0}
"""The table's tip height is that of a finger lying across; the finger reaches 26 mm further, and its face is 85.4 mm
behind the origin of the description."""
KINDS = {"dispenser", "magnet-50", "touch-probe", "welding-torch", "two-finger"}


@cache
def tables():
    return yaml.safe_load(TABLES.read_text(encoding="utf-8"))


def driven(name, driver, joint):
    """The value of the library's joint for a driver of the table."""
    if name in LINEAR:
        start, ratio = LINEAR[name]
        return start * deg + ratio * driver * mm
    return driver * (deg if joint.revolute else mm)


def test_every_gripper_of_the_facts_is_in_the_library_and_nothing_else():
    assert set(tool_names()) == set(tables()) | KINDS


@pytest.mark.parametrize("name", [name for name, facts in tables().items() if "rows" in facts])
def test_the_gap_and_the_height_of_the_fingertips_follow_the_facts(name):
    fingers = load_tool(name).fingers
    for driver, gap, height in tables()[name]["rows"]:
        value = driven(name, driver, fingers.joints[0])
        assert jaw_gap(fingers, value) == pytest.approx(gap * mm, abs=0.1 * mm)
        for frame in ("jaw1", "jaw2"):
            tip = fingers.forward([value], frame).z
            assert tip == pytest.approx((height + TURNED.get(name, 0.0)) * mm, abs=0.1 * mm)


@pytest.mark.parametrize("name", [name for name, facts in tables().items() if "rows" in facts])
def test_the_joint_ends_where_the_fingers_are_closed_and_where_they_are_open(name):
    fingers = load_tool(name).fingers
    joint, rows = fingers.joints[0], tables()[name]["rows"]
    gaps = sorted(jaw_gap(fingers, end) for end in (joint.lower, joint.upper))
    assert gaps[0] == pytest.approx(max(min(row[1] for row in rows), 0.0) * mm, abs=0.1 * mm)
    assert gaps[1] == pytest.approx(max(row[1] for row in rows) * mm, abs=0.1 * mm)
    assert jaw_gap(fingers, fingers.home[0]) == gaps[1]  # open at the start


@pytest.mark.parametrize("name", [name for name, facts in tables().items() if "fingertip" in facts])
def test_the_solids_reach_the_fingertips(name):
    fingers = load_tool(name).fingers
    for frame in ("jaw1", "jaw2"):
        mark = fingers.mark(frame)
        link = fingers.links[mark.link]
        (low, high), tip = link.shape.bounds, mark.pose.position
        for axis in range(3):
            assert low[axis] - 2 * mm <= tip[axis] <= high[axis] + 2 * mm


@pytest.mark.parametrize("name", list(tables()))
def test_figures_are_those_of_the_facts(name):
    sheet, facts = load_tool(name).sheet, tables()[name]
    for figure, unit in (("payload", 1.0), ("stroke", mm)):
        assert getattr(sheet, figure) == (pytest.approx(facts[figure] * unit) if figure in facts else None)
    for figure, unit in (("speed", mm), ("force", 1.0)):
        expected = facts.get(figure)
        assert getattr(sheet, figure) == (None if expected is None else pytest.approx([v * unit for v in expected]))
    # The mass in the description is used where the figure from general knowledge differs.
    mass = 0.656 if name == "ufactory-vacuum" else facts.get("mass")
    assert sheet.mass == (None if mass is None else pytest.approx(mass))
    if "vacuum_kpa" in facts:
        assert sheet.vacuum == pytest.approx(-facts["vacuum_kpa"] * 1e3)


@pytest.mark.parametrize(("name", "force"), [("vacuum-cup-30", 34.4), ("vacuum-cup-50", 95.4)])
def test_the_force_of_a_cup_is_vacuum_times_area(name, force):
    sheet = load_tool(name).sheet
    assert sheet.suction == pytest.approx(force, abs=0.05)
    assert sheet.limit == pytest.approx(force / 9.81, abs=0.01)


def test_the_top_speed_of_the_gap_is_the_stated_one():
    for name, facts in tables().items():
        fingers = load_tool(name).fingers
        if fingers is None or "speed" not in facts:
            continue
        joint = fingers.joints[0]
        values = [joint.lower + (joint.upper - joint.lower) * k / 200 for k in range(201)]
        gaps = [jaw_gap(fingers, value) for value in values]
        steepest = max(abs(b - a) for a, b in pairwise(gaps)) / (values[1] - values[0])
        assert steepest * joint.speed == pytest.approx(facts["speed"][1] * mm, rel=0.002), name


@pytest.mark.parametrize(("name", "seconds"), [("schunk-egp-40", 0.2), ("schunk-pgn-plus-80", 0.03)])
def test_a_gripper_with_a_closing_time_closes_in_that_time(name, seconds):
    cell = Cell(name)
    arm = cell.add("arm", Robot("ur5e", gripper=name))

    @cell.program
    def close():
        arm.gripper.close()

    assert cell.run().duration == pytest.approx(seconds, abs=1e-4)


def test_figures_without_a_source_and_estimates_are_marked():
    sheets = {name: head.sheet for name, head in tool_heads().items()}
    assert sheets["robotiq-2f-85"].recalled == ("payload", "mass", "stroke", "lowest speed", "lowest force")
    assert set(sheets["schunk-pgn-plus-80"].recalled) >= {"mass", "stroke", "force", "closing time"}
    assert sheets["schunk-egu-60"].recalled == ()
    for name, sheet in sheets.items():
        if name in tables():
            assert (sheet.kind == "gripper") == ("acceleration" in dict(sheet.missing)), name
            assert sheet.solids == (
                "fitted" if "fingertip" in tables()[name] and name != "onrobot-rg6" else sheet.solids
            )
        assert load_tool(name).source
    assert {name for name, sheet in sheets.items() if sheet.solids == "generic"} == {
        "dispenser", "magnet-50", "onrobot-rg6", "schunk-egp-40", "schunk-egu-60", "schunk-pgn-plus-80", "touch-probe",
        "vacuum-cup-30", "vacuum-cup-50", "welding-torch",
    }  # fmt: skip
    for name in KINDS - {"two-finger"}:
        assert "mass" in sheets[name].recalled


def test_fitted_solids_state_how_far_the_real_surface_protrudes():
    tool = load_tool("robotiq-2f-85")
    assert tool.deviation == pytest.approx(3.6 * mm)
    assert tool.fingers.links[4].deviation == pytest.approx(5.2 * mm)
    cell = Cell("deviation")
    arm = cell.add("arm", Robot("ur5e", gripper="robotiq-2f-85"))
    assert arm.gripper.palm.deviation == pytest.approx(3.6 * mm)
    assert arm.gripper.links[4].deviation == pytest.approx(5.2 * mm)


def test_the_head_of_a_file_agrees_with_the_whole_file():
    for name, head in tool_heads().items():
        assert head.sheet == load_tool(name).sheet


def test_every_tool_has_a_thumbnail():
    from PIL import Image

    for name in tool_names():
        with Image.open(LIBRARY / thumbnail(name)) as picture:
            assert picture.size == (112, 112), name
            assert len(picture.convert("RGB").getcolors()) > 15, f"{name}: nothing is drawn"


def test_an_unknown_tool_is_reported_with_similar_names():
    with pytest.raises(UnknownName, match="did you mean 'robotiq-2f-85'"):
        load_tool("robotiq-2f-8")


OWN = """\
tool: claw
kind: gripper
source: our own
mass: 400 g
payload: 1 kg
stroke: 30 mm
speed: [0, 60 mm/s]
joints:
  jaw: {limits: [0 mm, 15 mm]}
tcp: {on: base, at: [0, 0, 90 mm]}
jaws: [{on: one}, {on: two}]
base: [{box: [60 mm, 30 mm, 50 mm], at: [0, 0, 25 mm]}]
links:
  one: {on: base, moves: [{by: jaw, axis: x}], shapes: [{box: [8 mm, 20 mm, 50 mm], at: [4 mm, 0, 75 mm]}]}
  two: {on: base, moves: [{by: jaw, axis: -x}], shapes: [{box: [8 mm, 20 mm, 50 mm], at: [-4 mm, 0, 75 mm]}]}
"""


def test_a_tool_file_of_your_own_is_read(tmp_path):
    path = tmp_path / "claw.yaml"
    path.write_text(OWN)
    claw = tool_from_file(path)
    assert claw.sheet.payload == 1.0
    assert claw.fingers.home == (15 * mm,)
    assert claw.fingers.joints[0].speed == pytest.approx(30 * mm)  # each of two jaws


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("speed: [0, 60 mm/s]\n", ""), "nothing says how fast it closes"),
        (("jaws: [{on: one}, {on: two}]", "jaws: [{on: one}, {on: too}]"), "there is no link 'too'"),
        (("by: jaw, axis: x", "by: jaws, axis: x"), "there is no joint 'jaws'"),
        (("tcp: {on: base", "tcp: {on: one"), "the TCP of a gripper is on its base"),
        (("kind: gripper", "kind: torch"), "a tool of the kind 'torch' has no fingers"),
        (("kind: gripper", "kind: griper"), "'griper'"),
        (("speed: [0, 60 mm/s]", "speed: [80 mm/s, 60 mm/s]"), "the lowest value is above the highest"),
        (("mass: 400 g", "mass: 400 mm"), "'400 mm' is not a mass"),
    ],
)
def test_mistakes_in_a_tool_file_are_reported_at_their_lines(tmp_path, change, said):
    path = tmp_path / "claw.yaml"
    assert change[0] in OWN
    path.write_text(OWN.replace(*change))
    with pytest.raises(FileError) as caught:
        tool_from_file(path)
    assert said in str(caught.value)
    assert "claw.yaml:" in str(caught.value)


FINGER = """
  <link name="{name}"><collision>
    <origin xyz="{side}0.005 0 0.03"/><geometry><box size="0.01 0.02 0.06"/></geometry>
  </collision></link>
  <joint name="{name}_slides" type="prismatic">
    <parent link="palm"/><child link="{name}"/><origin xyz="0 0 0.06"/><axis xyz="{side}1 0 0"/>
    <limit lower="0" upper="0.03" velocity="0.1" effort="10"/>{mimic}
  </joint>
"""
URDF = f"""<robot name="claw">
  <link name="palm"><collision>
    <origin xyz="0 0 0.03"/><geometry><box size="0.1 0.04 0.06"/></geometry>
  </collision></link>
  {FINGER.format(name="left", side="", mimic="")}
  {FINGER.format(name="right", side="-", mimic='<mimic joint="left_slides"/>')}
</robot>
"""


def test_the_urdf_of_a_gripper_alone_is_a_tool(tmp_path):
    path = tmp_path / "claw.urdf"
    path.write_text(URDF)
    claw = tool_from_file(path)
    joint = claw.fingers.joints[0]
    assert [jaw_gap(claw.fingers, end) for end in (joint.lower, joint.upper)] == pytest.approx([0.0, 60 * mm])
    assert claw.fingers.base.bounds[1][2] == pytest.approx(60 * mm)  # the palm
    assert claw.tcp.z == pytest.approx(110 * mm)
    assert math.isclose(claw.fingers.home[0], 30 * mm)


def test_a_urdf_without_fingers_is_not_a_tool(tmp_path):
    path = tmp_path / "stick.urdf"
    path.write_text('<robot name="stick"><link name="stick"/></robot>')
    with pytest.raises(FileError, match="has no gripper"):
        tool_from_file(path)

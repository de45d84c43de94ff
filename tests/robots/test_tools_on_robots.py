"""Tools on robots: every gripper holds a part, tools are selected by name, and payloads are checked."""

import pytest

from drycell import Body, Box, Cell, Cylinder, Pose, Robot, Source, Tool, deg, mm, shifted
from drycell.base import CellFileError, InvalidThing, MotionError, ProgramError, UnknownName
from drycell.cell import Model
from drycell.handling import Suction
from drycell.record import figures
from drycell.recording import Recording
from drycell.robots import MountedTool, load_robot, load_tool, tool_names
from drycell.world import CarriedLoad, mass_of

GRIPPERS = [name for name in tool_names() if load_tool(name).fingers is not None]
CUPS = [name for name in tool_names() if load_tool(name).cups]
OTHERS = [name for name in tool_names() if name not in (*GRIPPERS, *CUPS)]


def on_a_table(**parts):
    """A cell with a table whose top is at z = 0, and parts on it."""
    cell = Cell("table")
    cell.add("table", Body(Box(1.2, 1.2, 0.02), at=(0.4, 0.0, -0.01)))
    for name, part in parts.items():
        cell.add(name, part)
    return cell


def drawn(cell, tool):
    """Whether the bodies of a tool leave lines in a drawing."""
    from drycell.pictures import LineDrawing

    drawing = LineDrawing(cell.world)
    drawing.expose(0, tool.bodies)
    return "<path" in drawing.svg()


@pytest.mark.parametrize("name", GRIPPERS)
def test_every_gripper_holds_a_part_is_drawn_and_recorded(name, tmp_path):
    cell = on_a_table()
    arm = cell.add("arm", Robot("ur10e", gripper=name))
    width = round(0.6 * arm.fingers.opening[1], 4)
    # Tall enough that no finger reaches the table, also where a linkage moves the tips out.
    block = cell.add("block", Body(Box(width, width, 120 * mm), at=(0.4, -0.45, 60 * mm), part=True))
    cell.check_collisions()
    assert drawn(cell, arm.gripper)

    @cell.program
    def fetch():
        arm.pick(block)
        held.append((arm.gripper.held, arm.gripper.gap, block.parent))

    held = []
    path = tmp_path / "run.dry"
    result = cell.run(record=path)
    ((part, gap, parent),) = held
    assert part is block
    assert parent is arm.gripper.palm
    # The faces of fitted fingertips deviate from the real ones by a few tenths of a millimetre.
    assert gap == pytest.approx(width, abs=1.5 * mm)
    assert result.collisions == ()
    assert block.pose.z == pytest.approx(60 * mm + 80 * mm, abs=1e-6)  # picked up without sinking into the table
    recorded = Recording.open(path)
    assert recorded.world.pose("block", recorded.end).z == pytest.approx(block.pose.z, abs=1e-9)
    finger = arm.gripper.fingers[0].name
    assert recorded.world.pose(finger, recorded.end).position == pytest.approx(
        cell.world.pose(finger).position, abs=1e-9
    )


@pytest.mark.parametrize(
    ("name", "width"),
    [
        ("two-finger", 30),
        ("robotiq-2f-85", 20),  # its fingertips move out by 13 mm while they close to 20 mm
        ("robotiq-2f-85", 70),  # and by less on a wide part
        ("robotiq-2f-140", 20),
        ("onrobot-rg2", 20),
        ("franka-hand", 30),
    ],
)
def test_the_fingertips_stay_above_the_table_when_they_close_on_a_low_part(name, width):
    cell = on_a_table(plate=Body(Box(width * mm, 90 * mm, 12 * mm), at=(0.6, 0.1, 6 * mm), part=True))
    arm = cell.add("arm", Robot("ur10e", gripper=name))
    # The clearance counts from the surface of the real fingers, which may protrude from their solids.
    cell.check_collisions(clearance=2.9 * mm, pairs=[("arm/gripper", "table")])

    @cell.program
    def fetch():
        grasp = arm.gripper.default_grasp(cell.body("plate"))
        assert grasp.z < 32 * mm
        assert arm.pick("plate") is cell.body("plate")

    result = cell.run()
    assert (result.clean, result.near_misses) == (True, ())


def test_a_part_that_is_high_enough_is_grasped_at_half_its_height_as_before():
    cell = on_a_table(block=Body(Box(20 * mm, 30 * mm, 44 * mm), at=(0.6, 0.1, 22 * mm), part=True))
    arm = cell.add("arm", Robot("ur10e", gripper="robotiq-2f-85"))
    assert arm.gripper.default_grasp(cell.body("block")).z == pytest.approx(22 * mm)


@pytest.mark.parametrize("name", ["robotiq-2f-85", "onrobot-rg2"])
def test_fingers_on_arcs_push_a_part_along_the_table_and_not_into_it(name):
    cell = on_a_table(block=Body(Box(20 * mm, 30 * mm, 120 * mm), at=(0.6, 0.1, 60 * mm), part=True))
    arm = cell.add("arm", Robot("ur10e", gripper=name))
    block, places = cell.body("block"), []
    table = cell.body("table")
    cell.world.attach(block, table)

    @cell.program
    def close():
        grasp = arm.gripper.default_grasp(block)
        arm.move(Pose(grasp.x + 15 * mm, grasp.y, grasp.z) @ Pose.turn_z(0) @ Pose.turn_x(180 * deg))
        arm.tool = arm.tool  # a pose: the gripper stays the only one
        assert arm.gripper.close()
        places.append(block.pose.position)

    cell.run()
    ((x, y, z),) = places
    jaws = arm.gripper.palm.pose.direction(arm.gripper.tcp.direction((1.0, 0.0, 0.0)))
    assert abs(jaws[2]) < 1e-9
    moved = (x - 0.6) * jaws[0] + (y - 0.1) * jaws[1]
    assert abs(moved) > 10 * mm  # to the middle of the jaws
    assert z == pytest.approx(60 * mm, abs=1e-7)


@pytest.mark.parametrize("name", CUPS)
def test_every_cup_holds_a_steel_part_that_it_touches(name):
    block = Body(Box(60 * mm, 60 * mm, 5 * mm), at=(0.6, 0.1, 2.5 * mm), part=True, material="steel")
    cell = on_a_table(block=block)
    arm = cell.add("arm", Robot("ur10e", gripper=name))
    cell.check_collisions()
    assert isinstance(arm.gripper, Suction)
    assert drawn(cell, arm.gripper)

    @cell.program
    def carry():
        assert arm.pick("block") is cell.body("block")
        assert arm.gripper.holding.value
        arm.place(shifted(arm.here, y=-200 * mm, z=-80 * mm))
        assert not arm.gripper.holding.value

    result = cell.run()
    assert result.collisions == ()
    assert cell.body("block").pose.position == pytest.approx((0.6, -0.1, 2.5 * mm), abs=1e-6)


def suction(part, gripper="vacuum-cup-30", height=0.0, material=None):
    """Close a cup over a part; return whether it holds it."""
    cell = on_a_table(block=part)
    cell.body("block").material = material or part.material
    arm = cell.add("arm", Robot("ur10e", gripper=gripper))
    held = []

    @cell.program
    def close():
        top = 2 * part.at[2]
        arm.move(Pose(0.6, 0.1, top + height) @ Pose.turn_x(180 * deg))
        held.append(arm.gripper.close())

    cell.run()
    return held[0]


def plate(material="steel"):
    return Body(Box(60 * mm, 60 * mm, 5 * mm), at=(0.6, 0.1, 2.5 * mm), part=True, material=material)


def test_a_cup_holds_only_what_it_touches_and_faces():
    assert suction(plate())
    assert suction(plate(), height=0.9 * mm)
    assert not suction(plate(), height=1.2 * mm)
    rod = Body(Cylinder(5 * mm, 120 * mm), at=(0.6, 0.1, 60 * mm), part=True)
    assert not suction(rod)  # the lip of 30 mm reaches beyond its end of 10 mm
    assert suction(Body(Cylinder(16 * mm, 120 * mm), at=(0.6, 0.1, 60 * mm), part=True))
    fixed = Body(Box(60 * mm, 60 * mm, 5 * mm), at=(0.6, 0.1, 2.5 * mm), part=False)
    assert not suction(fixed)


def test_a_magnet_holds_steel_but_no_other_material():
    for material in ("steel", "cast iron"):
        assert suction(plate(), "magnet-50", material=material)
    for material in ("aluminium", "stainless steel", "plastic"):
        assert not suction(plate(), "magnet-50", material=material)


def test_a_cup_that_holds_nothing_is_an_error_of_pick():
    cell = on_a_table(block=plate("aluminium"))
    arm = cell.add("arm", Robot("ur10e", gripper="magnet-50"))

    @cell.program
    def fetch():
        arm.pick("block")

    with pytest.raises(ProgramError, match="closed its gripper at 'block', but grasped nothing"):
        cell.run()


def test_a_cup_has_no_gap():
    cell = on_a_table()
    arm = cell.add("arm", Robot("ur10e", gripper="vacuum-cup-30"))
    assert arm.has_gripper
    assert not arm.has_fingers
    with pytest.raises(MotionError, match="arm/gripper has no jaws"):
        _ = arm.fingers


@pytest.mark.parametrize("name", OTHERS)
def test_other_tools_have_a_centre_point_and_a_solid(name):
    cell = Cell(name)
    arm = cell.add("arm", Robot("ur10e", tool=name))
    model = load_tool(name)
    assert arm.tool == model.tcp
    assert cell.body("arm/tool").shape is model.solid
    assert not arm.has_gripper
    # The solid ends at the TCP, or a little before it.
    assert 0.0 <= model.tcp.z - model.solid.bounds[1][2] <= 20 * mm or name == "touch-probe"


def double():
    cell = on_a_table(block=plate(), other=Body(Box(40 * mm, 40 * mm, 60 * mm), at=(0.6, -0.2, 30 * mm), part=True))
    left = Tool("robotiq-hand-e", at=(0, 80 * mm, 20 * mm))
    right = Tool("vacuum-cup-50", at=Pose(0, -80 * mm, 20 * mm))
    tools = {"left": left, "right": right, "camera": Tool(at=(60 * mm, 0, 40 * mm))}
    return cell, cell.add("arm", Robot("ur10e", tools=tools))


def test_a_program_selects_one_of_several_tools():
    cell, arm = double()
    assert list(arm.tools) == ["left", "right", "camera"]
    assert arm.tool.y == pytest.approx(80 * mm)  # the first one is selected

    @cell.program
    def both():
        arm.tool = "right"
        arm.pick("block")
        arm.tool = "left"
        arm.pick("other")
        arm.tool = "camera"
        arm.move(Pose(0.5, 0.0, 0.5) @ Pose.turn_x(180 * deg))
        with pytest.raises(MotionError, match=r"arm has 2 grippers \(left, right\), and none of them is selected"):
            _ = arm.gripper

    cell.run()
    assert arm.tools["left"].held is cell.body("other")
    assert arm.tools["right"].held is cell.body("block")
    assert isinstance(arm.tools["camera"], MountedTool)
    assert arm.pose.position == pytest.approx((0.5, 0.0, 0.5), abs=1e-9)
    text = cell.kernel.journal.text()
    assert text.count("selects") == 3
    assert "selects     tool=right" in text


def test_an_unknown_tool_of_a_robot_is_reported():
    _, arm = double()
    with pytest.raises(UnknownName, match="there is no tool of arm 'rihgt'"):
        arm.tool = "rihgt"


FILE = """\
bodies:
  table: {shape: {box: [1 m, 1 m, 20 mm]}, at: [0.4 m, 0, -10 mm]}
robots:
  arm:
    model: ur10e
    gripper: robotiq-2f-85
    tools:
      torch: welding-torch
      camera: {at: [60 mm, 0, 40 mm], rpy: [0, 20 deg, 0]}
      second: {file: claw.yaml, at: [0, 80 mm, 0]}
"""


def test_a_cell_file_with_several_tools_is_read_and_saved(tmp_path):
    from tests.robots.test_library_tools import OWN

    (tmp_path / "claw.yaml").write_text(OWN)
    path = tmp_path / "cell.yaml"
    path.write_text(FILE)
    model = Model.load(path)
    arm = Cell(model).robots["arm"]
    assert list(arm.tools) == ["gripper", "torch", "camera", "second"]
    assert arm.tool == arm.tools["gripper"].tcp
    assert arm.tools["second"].payload == 1.0
    arm.tool = "second"
    assert arm.fingers is arm.tools["second"]
    again = Model.read(model.text(), str(path))
    assert again.things["arm"] == model.things["arm"]
    assert "gripper: robotiq-2f-85" in model.text()
    assert "torch: welding-torch" in model.text()


def test_the_signals_of_tools_can_be_named_in_a_file(tmp_path):
    path = tmp_path / "cell.yaml"
    path.write_text(
        "robots:\n  arm: {model: ur10e, tools: {cup: vacuum-cup-30, hand: robotiq-hand-e, torch: welding-torch}}\n"
    )
    roles = Model.load(path).things["arm"].offers("arm")
    assert {name for name, role in roles.items() if role == ("signal",)} == {
        "arm.motion", "arm/cup.holding", "arm/cup.vacuum", "arm/hand.holding", "arm/hand.moving",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("robot", "said"),
    [
        ("{model: ur10e, tools: {torch: weldingtorch}}", "there is no tool 'weldingtorch'"),
        ("{model: ur10e, tools: {torch: {model: welding-torch, file: x.yaml}}}", "'model' and 'file' are both given"),
        ("{model: ur10e, gripper: {file: clw.yaml}}", "robots.arm.gripper.file: there is no file 'clw.yaml'"),
        ("{model: ur10e, tools: {t: {file: clw.yaml}}}", "robots.arm.tools.t.file: there is no file 'clw.yaml'"),
        ("{model: ur10e, gripper: {at: [0, 0, 50 mm]}}", "neither 'model' nor 'file' is given"),
        ("{model: ur10e, gripper: two-finger, tools: {gripper: two-finger}}", "there is already a 'gripper'"),
    ],
)
def test_mistakes_with_tools_are_reported_where_they_are(tmp_path, robot, said):
    path = tmp_path / "cell.yaml"
    path.write_text(f"robots:\n  arm: {robot}\n")
    with pytest.raises(CellFileError) as caught:
        Cell(Model.load(path))
    assert said in str(caught.value)
    assert "cell.yaml:2:" in str(caught.value)


def test_a_mechanism_is_a_gripper_too_but_a_file_cannot_name_it():
    fingers = load_tool("two-finger").fingers
    cell = Cell("own")
    arm = cell.add("arm", Robot("ur10e", gripper=fingers))
    assert arm.fingers.opening == (0.0, 65 * mm)
    with pytest.raises(CellFileError, match="the gripper 'two-finger' is not from the library"):
        cell.model.text()


# ---------------------------------------------------------------- payloads


def carried(material="steel", size=(40 * mm, 40 * mm, 60 * mm), mass=None, robot="ur3e", gripper="robotiq-2f-85"):
    part = Body(Box(*size), at=(0.35, 0.1, size[2] / 2), part=True, material=material, mass=mass)
    cell = on_a_table(block=part)
    arm = cell.add("arm", Robot(robot, gripper=gripper))

    @cell.program
    def fetch():
        arm.pick("block")

    return cell, cell.run()


def test_the_load_of_a_robot_is_that_of_its_tools_and_parts():
    _, result = carried()
    mass = 7850 * 0.04 * 0.04 * 0.06
    assert result.loads["arm"].mass == pytest.approx(0.9 + mass)
    assert result.loads["arm"].limit == load_robot("ur3e").data.payload == 3.0
    assert result.loads["arm/gripper"] == CarriedLoad(pytest.approx(mass), 5.0)
    assert result.warnings == ()
    assert result.as_json()["loads"]["arm"]["mass_kg"] == result.loads["arm"].mass


def test_a_load_above_the_payload_is_warned_of_with_its_figures():
    cell, result = carried(mass=2.5)
    assert result.warnings == ("arm: carries 3.40 kg (tools 0.90 kg, parts 2.50 kg), but its payload is 3.00 kg",)
    assert result.loads["arm"].exceeded
    assert not result.loads["arm/gripper"].exceeded
    assert "payload is 3.00 kg" in result.summary()
    assert "payload is 3.00 kg" in cell.kernel.journal.text()


def test_the_payload_of_the_gripper_is_checked_too():
    _, result = carried(mass=5.5, robot="ur10e")
    assert result.warnings == ("arm/gripper: holds 5.50 kg, but its payload is 5.00 kg",)


def test_the_suction_of_a_cup_limits_the_mass_of_a_part():
    cell, result = carried(mass=4.0, robot="ur10e", gripper="vacuum-cup-30")
    warned, lost = result.warnings
    assert warned == "arm/gripper: holds 4.00 kg, but its payload is 3.50 kg"
    # 60 kPa on 27 mm: 34.4 N. The weight alone is 39.2 N, and the arm accelerates upwards.
    assert "lost block: a load of 4" in lost
    assert "times the pull that its holding force of 34.4 N allows" in lost
    assert cell.body("block").parent is cell.body("table")


def test_a_mass_that_is_not_known_is_named_and_not_claimed_to_be_checked():
    _, result = carried(gripper="schunk-egu-60")
    assert result.loads["arm"].unknown == ("gripper",)
    assert result.loads["arm"].mass == pytest.approx(7850 * 0.04 * 0.04 * 0.06)
    assert "arm/gripper" not in result.loads  # its payload is not known either
    _, heavy = carried(mass=3.5, gripper="schunk-egu-60")
    assert heavy.warnings == (
        "arm: carries at least 3.50 kg (tools 0.00 kg, parts 3.50 kg), but its payload is 3.00 kg",
    )


def test_tools_that_are_too_heavy_are_warned_of_before_anything_moves():
    cell = Cell("heavy")
    cell.add("arm", Robot("ur3e", tools={"a": "onrobot-rg6", "b": "welding-torch", "c": "robotiq-2f-85"}))
    result = cell.run(until=0.1)
    assert result.warnings == ("arm: carries 3.65 kg (tools 3.65 kg, parts 0.00 kg), but its payload is 3.00 kg",)


def test_a_robot_without_a_payload_has_no_load():
    cell = Cell("old")
    cell.add("arm", Robot("ur5-like", gripper="two-finger"))
    assert cell.run(until=0.1).loads == {}


def test_loads_are_recorded_with_their_times(tmp_path):
    cell = on_a_table(block=Body(Box(40 * mm, 40 * mm, 60 * mm), at=(0.35, 0.1, 30 * mm), part=True, mass=1.5))
    arm = cell.add("arm", Robot("ur3e", gripper="robotiq-2f-85"))

    @cell.program
    def carry():
        arm.pick("block")
        arm.gripper.open()

    path = tmp_path / "run.dry"
    result = cell.run(record=path)
    recorded = Recording.open(path)
    assert figures.loads(recorded, recorded.end) == result.loads
    assert [load.mass for load in recorded.tracks.track("loads", "arm")] == pytest.approx([0.9, 2.4, 0.9])
    assert figures.loads(recorded, 0)["arm"].mass == 0.9


def test_parts_of_a_source_have_the_mass_that_is_stated():
    from drycell.devices import PartKind

    cell = on_a_table()
    cell.add("feeder", Source(kinds={"box": PartKind(Box(0.05, 0.05, 0.05), mass=0.25)}, every=1.0, on="table"))
    cell.run(until=0.5)
    (part,) = (body for body in cell.world.bodies.values() if body.part)
    assert mass_of(part) == 0.25


def test_the_mass_of_a_body_is_stated_or_follows_from_its_material():
    cell = on_a_table(
        steel=Body(Box(0.1, 0.1, 0.1), part=True, material="steel"), stated=Body(Box(1.0, 1.0, 1.0), mass=2.0)
    )
    assert mass_of(cell.body("steel")) == pytest.approx(7.85)
    assert mass_of(cell.body("stated")) == 2.0
    frame = cell.add("frame", Body())
    assert mass_of(frame) is None
    with pytest.raises(InvalidThing, match="must be above 0"):
        Body(Box(1.0, 1.0, 1.0), mass=0.0)

"""Robots and motion controllers as things of a cell: reading from files, errors, and writing to files."""

from pathlib import Path

import pytest

from drycell import Body, Box, Cell, Model, Pose, Robot, deg, mm
from drycell.base import CellFileError, FieldError, UnknownName, fields_of, type_of
from drycell.base.schema import docs
from drycell.cell import known_kinds
from drycell.robots import (
    FamilyDraft,
    FamilyFile,
    IndependentController,
    LiveRobot,
    MotionController,
    StandardController,
    SteppingController,
    Tool,
    load_robot,
)
from drycell.robots.description import RobotFile

SLIDER = """\
robot: slider
source: made up for this test
joints:
  x: {limits: [0, 500 mm], speed: 100 mm/s, acceleration: 1 m/s^2, jerk: 10 m/s^3}
  turn: {limits: [-90 deg, 90 deg], speed: 90 deg/s, acceleration: 90 deg/s^2, jerk: 900 deg/s^3}
flange: {on: arm}
links:
  carriage: {moves: [{by: x, axis: x}]}
  arm: {moves: [{by: turn, axis: z}], shapes: [{box: [50 mm, 40 mm, 30 mm]}]}
"""

OWN = """\
from drycell.base.schema import Duration
from drycell.robots import IndependentController


class Sluggish(IndependentController, kind="sluggish"):
    \"\"\"Thinks before every joint move.\"\"\"

    thinks: Duration = 0.5
    \"\"\"How long it thinks.\"\"\"

    def joint_move(self, arm, start, end, speed):
        \"\"\"Slower by what it thinks.\"\"\"
        return super().joint_move(arm, start, end, speed / (1.0 + self.thinks))
"""


def things_below(thing: type) -> set[type]:
    """A class of things and all classes that its fields hold."""
    found, todo = set(), [thing]
    while todo:
        here = todo.pop()
        if here in found:
            continue
        found.add(here)
        for field in fields_of(here):
            kind = field.type
            while kind is not None:
                if hasattr(kind, "base"):
                    todo.append(kind.base)
                kind = getattr(kind, "inner", None)
    return found


@pytest.mark.parametrize("root", [Robot, RobotFile, FamilyFile, FamilyDraft])
def test_every_field_has_a_line_about_it(root: type) -> None:
    controllers = known_kinds().under(MotionController).values()
    for thing in {*things_below(root), *controllers}:
        assert thing.__doc__
        for field in fields_of(thing):
            assert field.doc, f"{thing.__name__}.{field.name}"
            assert field.name in docs(field.owner)


# ---------------------------------------------------------------- robots in cell files


def read(text: str, folder: Path = Path()) -> Model:
    return Model.read(text, folder / "cell.yaml")


def test_a_robot_is_read_built_and_written() -> None:
    model = read(
        "bodies: {table: {shape: {box: [1 m, 1 m, 100 mm]}, at: [0, 0, 50 mm]}}\n"
        "robots:\n"
        "  arm:\n"
        "    model: scara\n"
        "    on: table\n"
        "    at: [100 mm, 0]\n"
        "    tool: {at: [0, 0, 50 mm], rpy: [0, 0, 90 deg]}\n"
        "    gripper: two-finger\n"
        "    controller: independent\n"
        "    joints: [10 deg, 0, 20 mm, -5 deg]\n"
    )
    arm = Cell(model)["arm"]
    assert isinstance(arm, LiveRobot)
    assert arm.base.pose.position == pytest.approx((100 * mm, 0.0, 100 * mm))  # on the top of the table
    assert arm.joints == (10 * deg, 0.0, 20 * mm, -5 * deg)
    assert arm.tool.position == pytest.approx((0.0, 0.0, 50 * mm))  # not the pose of the gripper
    assert arm.controller == IndependentController()
    assert arm.model_name == "scara"
    assert read(model.text()) == model
    assert "controller: independent" in model.text()
    assert "joints: [10 deg, 0, 20 mm, -5 deg]" in model.text()


def test_python_gives_the_same_robot(tmp_path: Path) -> None:
    cell = Cell()
    pose = Pose(0.0, 0.0, 0.1) @ Pose.turn_z(90 * deg)
    robot = Robot("scara", tool=pose, joints=[0.1, 0.2, 0.05, 0.3], controller=SteppingController(cycle=0.01))
    assert cell.add("arm", robot).tool == pose
    cell.save(tmp_path)
    text = (tmp_path / "cell.yaml").read_text()
    assert "controller: {stepping: {cycle: 10 ms}}" in text
    assert "0.1 rad, 0.2 rad, 50 mm, 0.3 rad" in text  # each value in the unit of its joint
    again = Cell(Model.load(tmp_path))["arm"]
    assert (again.joints, again.controller) == (cell["arm"].joints, SteppingController(cycle=0.01))
    assert again.tool.rows == pytest.approx(pose.rows)
    assert Robot("scara", tool=pose).tool == Tool(at=pose)


def test_a_robot_from_a_file_keeps_the_units_of_its_joints(tmp_path: Path) -> None:
    (tmp_path / "slider.yaml").write_text(SLIDER)
    cell = Cell(Model.read("name: one", tmp_path / "cell.yaml"))
    cell.add("arm", Robot(file="slider.yaml", joints=(0.2, 0.5)))
    (tmp_path / "deep").mkdir()
    cell.save(tmp_path / "deep")
    text = (tmp_path / "deep" / "cell.yaml").read_text()
    assert "file: ../slider.yaml" in text
    assert Cell(Model.load(tmp_path / "deep"))["arm"].joints == (0.2, 0.5)


def test_a_robot_offers_exactly_what_it_has() -> None:
    for gripper in (None, "two-finger"):
        cell, model = Cell(), Robot("ur5-like", gripper=gripper)
        cell.add("arm", model)
        offered = model.offers("arm")
        assert {name for name, roles in offered.items() if "signal" in roles} == set(cell.kernel.signals)
        assert all(name.startswith("arm/") for name in cell.world.bodies)
        assert (offered["arm"], offered["arm/"]) == (("robot", "body"), ("body",))


def test_bodies_are_attached_to_links_and_robots_on_robots() -> None:
    model = read(
        "bodies: {probe: {shape: {sphere: 5 mm}, parent: arm/flange, at: [0, 0, 20 mm]}}\n"
        "robots: {arm: {model: scara}, small: {model: cmm, parent: arm/flange}}\n"
    )
    cell = Cell(model)
    assert cell.world.body("probe").parent is cell["arm"].flange
    assert cell["small"].base.parent is cell["arm"].flange
    assert cell.body(cell["arm"]) is cell["arm"].base


@pytest.mark.parametrize(
    ("robot", "said"),
    [
        ("{}", "cell.yaml:1:15: robots.arm: neither 'model' nor 'file' is given\n"),
        ("{model: scra, file: gone.urdf}", "cell.yaml:1:35: robots.arm.file: there is no file 'gone.urdf'\n"),
        ("{model: scra}", "cell.yaml:1:15: robots.arm: there is no robot 'scra'\n"),
        ("{model: scara, gripper: two-fingr}", "robots.arm: there is no tool 'two-fingr'\n"),
        ("{file: gone.yaml}", "cell.yaml:1:22: robots.arm.file: there is no file 'gone.yaml'\n"),
        (
            "{model: scara, joints: [0, 0, 5 deg, 0]}",
            "cell.yaml:1:45: robots.arm.joints[2]: joint 'quill' needs a length, not an angle\n",
        ),
        ("{model: scara, joints: [0, 0]}", "robots.arm: arm has 4 joints, but 2 values were given"),
        (
            "{model: scara, controller: independnt}",
            "robots.arm.controller: there is no such motion controller\n",
        ),
        (
            "{model: scara, controller: {stepping: {cycel: 1 s}}}",
            "cell.yaml:1:54: robots.arm.controller.stepping.cycel: there is no such field\n",
        ),
        (
            "{model: scara, controller: {stepping: {cycle: 0.1 us}}}",
            "robots.arm.controller.stepping.cycle: a basic cycle cannot last 1e-07 s\n",
        ),
        ("{model: scara, on: floor}", "cell.yaml:1:34: robots.arm.on: there is no body 'floor'\n"),
    ],
)
def test_mistakes_of_a_robot_have_a_position(robot: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(CellFileError) as caught:
        Cell(read(f"robots: {{arm: {robot}}}\n", tmp_path))
    assert said in f"{caught.value}\n".replace(f"{tmp_path}/", "")


def test_mistakes_in_a_robot_file_have_their_own_place(tmp_path: Path) -> None:
    (tmp_path / "slider.yaml").write_text(SLIDER.replace("by: turn", "by: trn"))
    with pytest.raises(CellFileError) as caught:
        Cell(read("robots: {arm: {file: slider.yaml}}\n", tmp_path))
    said = str(caught.value)
    assert "cell.yaml:1:15: robots.arm" in said
    assert "slider.yaml:9:22: links.arm.moves[0].by: there is no joint 'trn'" in said


def test_python_hears_the_same() -> None:
    with pytest.raises(FieldError, match="neither 'model' nor 'file' is given"):
        Robot()
    with pytest.raises(UnknownName, match="there is no robot 'scra'\n  try: did you mean 'scara'"):
        Cell().add("arm", Robot("scra"))


def test_an_unbuildable_thing_can_still_be_written() -> None:
    for robot in (Robot("scra", joints=(0.1,)), Robot("scara", joints=(0.1, 0.2, 0.3, 0.4, 0.5))):
        model = Model(things={"arm": robot})
        assert read(model.text()).things == model.things
    model = read("robots: {arm: {model: scara, joints: [1 mm, 0, 2 deg, 0]}}\n")
    assert read(model.text()) == model


def test_a_mechanism_of_your_own_cannot_be_written() -> None:
    cell = Cell()
    cell.add("arm", Robot(load_robot("scara").renamed("mine")))
    with pytest.raises(
        CellFileError, match="the mechanism 'mine' is not from the library, so a cell file cannot name it"
    ):
        cell.model.text()


# ---------------------------------------------------------------- motion controllers


def test_controllers_are_written_as_one_word_or_with_their_settings() -> None:
    kind = type_of(MotionController)
    assert kind.write(StandardController()) == "standard"
    assert kind.write(StandardController(linear_jerk=float("inf"))) == {"standard": {"linear_jerk": "unlimited"}}
    text = "robots: {arm: {model: scara, controller: {standard: {turn_jerk: unlimited, scan: 0}}}}\n"
    controller = Cell(read(text))["arm"].controller
    assert controller == StandardController(turn_jerk=float("inf"), scan=0.0)


def test_robots_built_from_one_model_plan_for_themselves() -> None:
    model = Robot("scara", controller=IndependentController())
    cell = Cell()
    one, two = cell.add("one", model), cell.add("two", model)
    assert one.controller == two.controller
    assert one.controller is not two.controller


def test_a_controller_of_your_own_comes_from_a_file_beside_the_cell(tmp_path: Path) -> None:
    (tmp_path / "sluggish.py").write_text(OWN)
    times = {}
    for named in ("independent", "sluggish", "{sluggish: {thinks: 2 s}}"):
        text = f"uses: [sluggish.py]\nrobots: {{arm: {{model: cmm, controller: {named}}}}}\n"
        model = Model.read(text, tmp_path / "cell.yaml", trusted=True)
        assert Model.read(model.text(), tmp_path / "cell.yaml", trusted=True) == model
        cell = Cell(model)
        arm = cell["arm"]
        cell.program(lambda arm: arm.move_joints([joint.lower for joint in arm.mechanism.joints]), name="there")
        cell.run()
        times[named] = arm.moves[0].duration
        assert arm.controller.name == named.strip("{").split(":")[0]
    assert times["independent"] < times["sluggish"] < times["{sluggish: {thinks: 2 s}}"]


def test_a_controller_that_only_moves_joints_refuses_the_rest() -> None:
    class Bare(MotionController, kind="bare"):
        """Moves joints only."""

        def joint_move(self, arm, start, end, speed):
            return StandardController().joint_move(arm, start, end, speed)

    cell = Cell()
    cell.add("table", Body(Box(1.0, 1.0, 0.1)))
    arm = cell.add("arm", Robot("scara", controller=Bare(), on="table"))
    cell.program(lambda: arm.move_joints((0.5, 0.0, 0.0, 0.0), zone=10 * mm), name="go")
    cell.run()
    assert arm.joints == pytest.approx((0.5, 0.0, 0.0, 0.0))
    assert arm.controller.linear_speed == 250 * mm

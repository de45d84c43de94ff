"""Models are exchanged during a session; the state stays, and a model that does not fit is rejected."""

from dataclasses import replace

import pytest

from drycell import Body, Box
from drycell.base import MechanismError, UnknownName, deg, inch
from drycell.cell import CellSource
from drycell.languages.emula import Emulation, SensorGuard
from drycell.robots import ModelFile, load_robot, simpler_model


def test_motors_held_parts_and_sensors_stay(session) -> None:
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "contact", ["finger1", "parta"])
        emulation.move_to({"x": -2 * inch, "y": 10 * inch, "z": 11 * inch})
        assert emulation.move_by({"z": -10 * inch}, SensorGuard((1,), 10)).cycles == 20
        before, places = emulation.motors, {name: body.pose for name, body in session.cell.world.bodies.items()}
        for model in ("hand", "detailed", "box-frame/stylised", "HAND"):
            emulation.exchange_model(model)
            assert emulation.model == f"box-frame/{model.rpartition('/')[2].lower()}"
            assert emulation.motors == before
            assert emulation.sensors[1] == 10
            assert {name: body.pose for name, body in session.cell.world.bodies.items()} == places
        assert session.body("robot/column").shape is None
        emulation.grasp("parta")
        emulation.exchange_model("detailed")
        assert session.body("robot/column").shape is not None
        emulation.move_by({"z": 8 * inch})
        assert session.place("parta") == (-2, 10, 9.9)

    session.run(program)


def test_the_same_program_ends_alike_whenever_models_are_exchanged(start) -> None:
    ends = []
    for models in (["hand"] * 4, ["stylised"] * 4, ["detailed"] * 4, ["hand", "detailed", "stylised", "hand"]):
        session = start(model=models[0])
        emulation = session.emulation

        def program(emulation=emulation, models=models) -> None:
            emulation.attach(1, "contact", ["finger1", "parta"])
            emulation.move_by({"x": -2 * inch, "y": 10 * inch, "z": 8 * inch})
            emulation.exchange_model(models[1])
            emulation.move_by({"z": -10 * inch}, SensorGuard((1,), 10))
            emulation.move_to({"gripper": 3.25 * inch})
            emulation.exchange_model(models[2])
            emulation.move_by({"roll": 90 * deg})
            emulation.move_by({"z": -1 * inch})
            emulation.exchange_model(models[3])
            emulation.move_to({"gripper": 0}, SensorGuard((1,), 10))

        session.run(program)
        ends.append(emulation.motors)
    assert ends[0] == ends[1] == ends[2] == ends[3]


def test_sensors_and_collision_checks_see_the_new_solids(start) -> None:
    session = start(model="hand", clearance=0.0)
    emulation = session.emulation
    # A lintel that only the column of a complete robot reaches.

    session.cell.add("lintel", Body(Box(4 * inch, 1 * inch, 1 * inch), at=(0, 1.5 * inch, 25 * inch)))

    def program() -> None:
        emulation.set_collision_check(True, "robot", "lintel")
        emulation.set_increment(False)
        emulation.move_by({"z": 1 * inch})
        assert list(emulation.collisions) == []
        emulation.exchange_model("stylised")
        emulation.move_by({"z": 1 * inch})
        assert len(emulation.collisions) == 1

    session.run(program)


def test_a_model_that_lacks_a_required_node_is_refused_by_name(session) -> None:
    whole = load_robot("box-frame/hand")
    links = tuple(
        replace(link, parent=link.parent - 1 if link.parent >= 4 else link.parent) if n > 4 else link
        for n, link in enumerate(whole.links)
        if link.name != "knuckle"
    )
    joints = tuple(joint for joint in whole.joints)
    drives = whole.links[4].drives
    links = tuple(replace(link, drives=(*drives, *link.drives)) if link.name == "hand" else link for link in links)
    flange = replace(whole.flange, link=whole.flange.link - 1)
    frames = tuple((name, replace(mark, link=mark.link - 1)) for name, mark in whole.frames)
    crippled = replace(whole, name="cripple", joints=joints, links=links, flange=flange, frames=frames)
    before = {name: body.shape for name, body in session.cell.world.bodies.items()}
    with pytest.raises(MechanismError, match="cripple cannot replace robot: it lacks node 'knuckle'"):
        session.emulation.exchange_model(crippled)
    with pytest.raises(MechanismError, match="cannot replace robot: their joints differ: it lacks 'x', 'y', 'z'"):
        session.emulation.exchange_model("puma560")
    assert {name: body.shape for name, body in session.cell.world.bodies.items()} == before
    assert session.emulation.model == "box-frame/stylised"


def test_an_unknown_model_is_refused_with_the_familys(session) -> None:
    with pytest.raises(UnknownName, match="there is no model 'stylized'") as error:
        session.emulation.exchange_model("stylized")
    assert error.value.hint == "did you mean 'stylised'?"


def test_a_family_of_your_own_and_a_simplified_model_are_exchanged_by_name_and_by_file(tmp_path) -> None:
    found = ModelFile.find("box-frame/detailed")
    simple = simpler_model(found.mechanism, closeness=0.02, name="box-frame/simple")
    changed = {node: each.shape for node, each in simple.nodes.items() if each.changed}
    found.write(tmp_path / "boxes.yaml", changed, "simple", "simplified")
    text = (tmp_path / "boxes.yaml").read_text()
    (tmp_path / "boxes.yaml").write_text(text.replace("family: box-frame", "family: boxes"))
    (tmp_path / "cell.yaml").write_text("format: 1\nrobots: {arm: {file: boxes.yaml, model: hand}}\n")
    cell = CellSource.find(str(tmp_path)).build()
    robot = cell.robots["arm"]
    assert robot.model_name == "boxes/hand"
    emulation = Emulation(cell, robot, echo=lambda line: None, out=tmp_path)

    def program() -> None:
        assert robot.linkage.links[0].shape is None
        emulation.exchange_model("simple")
        assert emulation.model == "boxes/simple"
        assert robot.linkage.links[2].shape.volume == pytest.approx(simple.mechanism.links[2].shape.volume, rel=1e-6)
        emulation.exchange_model("box-frame/stylised")  # a model from the library with equal motors and links
        emulation.exchange_model(str(tmp_path / "boxes.yaml"), "detailed")
        assert emulation.model == "boxes/detailed"
        with pytest.raises(UnknownName, match="model 'nonsense'"):
            emulation.exchange_model("nonsense")

    cell.program(program)
    cell.run()


def test_a_model_of_another_robot_is_refused_by_name(session) -> None:
    with pytest.raises(MechanismError, match="puma560 cannot replace"):
        session.emulation.exchange_model("puma560")

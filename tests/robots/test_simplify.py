"""Simpler models of robots: the same joints and nodes, files that load, closeness of every node."""

from pathlib import Path

import numpy as np
import pytest

from drycell.base import FileError, MechanismError, UnknownName, mm, read_thing, read_tree
from drycell.geometry import Capsule, Cone, Prism
from drycell.robots import (
    LIBRARY,
    SHAPES,
    FamilyFile,
    ModelFile,
    exchangeable,
    file_text,
    load_family,
    load_robot,
    read_family,
    robot_from_file,
    simpler_model,
)
from drycell.robots.arguments import tree
from drycell.robots.catalogue import is_family
from drycell.robots.description import RobotFile, read_robot


@pytest.mark.parametrize("path", sorted(LIBRARY.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_robot_of_the_library_is_written_so_that_it_reads_back_as_the_same(path: Path):
    text = path.read_text(encoding="utf-8")
    if is_family(text):
        written = file_text(read_thing(FamilyFile, text, path.name, SHAPES))
        assert read_family(written).models == read_family(text).models
        assert read_family(written).sensors == read_family(text).sensors
    else:
        assert read_robot(file_text(read_tree(RobotFile, tree(text, path.name), path.name, SHAPES))) == read_robot(text)


def test_a_finger_with_a_pad_becomes_a_box_of_hand_computed_closeness():
    # In inches: a finger 0.5 × 1 × 2.75 and a pad 0.6 × 1.4 × 0.8 on it, in a box of 0.6 × 1.4 × 2.75.
    model = simpler_model(load_robot("box-frame/detailed"), closeness=6 * mm)
    finger = model.nodes["finger1"]
    assert finger.pieces == (2, 1)
    # A corner of the box is 0.1 in and 0.2 in off the finger: √(0.1² + 0.2²) in.
    assert finger.closeness.distance == pytest.approx(np.hypot(0.1, 0.2) * 25.4 * mm, abs=1e-9)
    assert finger.closeness.contains
    assert model.changed
    assert model.pieces[1] < model.pieces[0]
    exchangeable(model.original, model.mechanism)


def test_a_simpler_model_of_a_family_is_one_more_model_of_it(tmp_path: Path):
    source = ModelFile.find("box-frame/detailed")
    model = simpler_model(source.mechanism, closeness=20 * mm, name="box-frame/coarse")
    shapes = {name: node.shape for name, node in model.nodes.items() if node.changed}
    target = tmp_path / "mine.yaml"
    assert source.write(target, shapes, "coarse", "made by a test") == [target]
    loaded = robot_from_file(target)
    assert loaded.name == "box-frame/coarse"
    exchangeable(source.mechanism, loaded)
    for link, made in zip(loaded.links, model.mechanism.links, strict=True):
        assert len(link.shape.pieces()) == len(made.shape.pieces())
        assert np.allclose(link.shape.bounds, made.shape.bounds, atol=1e-9)
    # The others still exist, unchanged.
    family = read_family(target.read_text(encoding="utf-8"))
    assert list(family.models) == [*load_family("box-frame").models, "coarse"]
    assert family.model("detailed") == source.mechanism
    assert robot_from_file(target, "hand") == load_robot("box-frame/hand")


def test_the_written_file_still_contains_the_detailed_robot(tmp_path: Path):
    source = ModelFile.find("ur5-like")
    model = simpler_model(source.mechanism, volume=0.3, name="ur5-coarse")
    shapes = {name: node.shape for name, node in model.nodes.items() if node.changed}
    source.write(tmp_path / "coarse.yaml", shapes, "ur5-coarse", "")
    loaded = robot_from_file(tmp_path / "coarse.yaml")
    assert loaded.joints == source.mechanism.joints
    random = np.random.default_rng(2)
    for link, detailed in zip(loaded.links, source.mechanism.links, strict=True):
        points = random.uniform(*detailed.shape.bounds, (300, 3))
        for point in points:
            if detailed.shape.contains(tuple(point)):
                assert link.shape.nearest(tuple(point)).distance <= 2e-9


def test_shapes_of_every_kind_are_written(tmp_path: Path):
    source = ModelFile.find("scara")
    bored = load_robot("scara").links[0].shape.parts[0][1]
    shapes = {
        "inner_arm": Prism(((0.0, 0.0), (0.1, 0.0), (0.0, 0.1)), 0.05),
        "outer_arm": Capsule(0.02, 0.1),
        "quill": Cone(0.0, 0.1, 0.02),
        "hand": bored,
        "base": None,
    }
    source.write(tmp_path / "odd.yaml", shapes, "odd", "")
    loaded = robot_from_file(tmp_path / "odd.yaml")
    assert loaded.base is None
    for link in loaded.links:
        assert np.allclose(link.shape.bounds, shapes[link.name].bounds, atol=1e-9)
        assert link.shape.volume == pytest.approx(shapes[link.name].volume)


def test_meshes_are_written_beside_and_found_again(tmp_path: Path):
    from drycell.base import Pose
    from drycell.geometry import Box, Cylinder, merge

    bored = merge([(Pose(), Box(0.1, 0.1, 0.02))], [(Pose(), Cylinder(0.02, 0.03))])
    source = ModelFile.find("scara")
    written = source.write(tmp_path / "one.yaml", {"hand": bored}, "one", "")
    assert [path.name for path in written] == ["one.yaml", "one-hand-1.ply"]
    # Another folder, another model: the mesh of the first one is named from there.
    again = ModelFile.find(str(tmp_path / "one.yaml"))
    (tmp_path / "deep").mkdir()
    again.write(tmp_path / "deep" / "two.yaml", {}, "two", "")
    hand = robot_from_file(tmp_path / "deep" / "two.yaml").links[-1].shape
    assert hand.volume == pytest.approx(bored.volume, rel=1e-6)


def test_models_that_are_not_there_are_reported():
    with pytest.raises(UnknownName, match="there is no robot 'puma500'"):
        ModelFile.find("puma500")
    with pytest.raises(UnknownName, match="there is no model of family box-frame 'fancy'"):
        ModelFile.find("box-frame/fancy")
    with pytest.raises(MechanismError, match="has no model 'hand'"):
        ModelFile.find("puma560", "hand")
    with pytest.raises(FileError, match="URDF file, which can be read but not written"):
        ModelFile.find("arm.urdf")

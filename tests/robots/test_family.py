"""Families: several models of one robot with the same motors, and models that lack a node refused by its name."""

from dataclasses import replace

import pytest

from drycell.base import FileError, MechanismError, UnknownName, inch
from drycell.robots import LIBRARY, exchangeable, load_family, load_robot, read_family

TEXT = (LIBRARY / "box-frame.yaml").read_text(encoding="utf-8")


def test_the_7_axis_family_has_three_models_with_the_same_motors_and_nodes():
    family = load_family("box-frame")
    assert list(family.models) == ["hand", "stylised", "detailed"]
    first = family.model("hand")
    assert first.joint_names == ("x", "y", "z", "roll", "pitch", "yaw", "gripper")
    for model in family.models.values():
        exchangeable(first, model)
        assert model.link_poses(first.home) == first.link_poses(first.home)
        assert {"finger1", "finger2"} <= set(model.link_names)


def test_models_differ_in_their_solids_only():
    family = load_family("box-frame")
    pieces = [sum(link.shape is not None for link in model.links) for model in family.models.values()]
    assert pieces == [3, 8, 8]
    assert family.model("hand").base is None
    assert load_robot("box-frame") == family.model()
    assert load_robot("box-frame/hand") == family.model("hand")


def test_the_same_target_gives_the_same_motor_values_on_every_model():
    family = load_family("box-frame")
    home = family.model().home
    target = family.model().forward((-2 * inch, 10 * inch, 8 * inch, 0.4, 0.2, -0.1, 0.0))
    found = [model.inverse(target, home).joints for model in family.models.values()]
    assert found[0] == found[1] == found[2]
    assert found[0][:3] == pytest.approx((-2 * inch, 10 * inch, 8 * inch))
    assert found[0][6] == home[6]


def test_a_model_that_lacks_a_required_node_is_refused_with_the_nodes_name():
    broken = TEXT.replace("      knuckle: []\n", "", 1)
    with pytest.raises(FileError) as caught:
        read_family(broken, "mine.yaml")
    assert "models.hand.nodes: model 'hand' lacks node 'knuckle', which family 'box-frame' requires" in str(
        caught.value
    )
    assert "try: add 'knuckle: []' if it is not to be seen" in str(caught.value)


def test_a_node_the_family_does_not_know_is_refused():
    broken = TEXT.replace("      knuckle: []\n", "      knuckle: []\n      thumb: []\n", 1)
    with pytest.raises(FileError, match="family 'box-frame' has no node 'thumb'"):
        read_family(broken)


def test_unknown_models_and_families_are_reported():
    with pytest.raises(UnknownName, match="there is no model of family box-frame 'handd'"):
        load_family("box-frame").model("handd")
    with pytest.raises(UnknownName, match="there is no family 'puma560'"):
        load_family("puma560")
    with pytest.raises(FileError, match="default: there is no model 'pretty'"):
        read_family(TEXT.replace("default: stylised", "default: pretty"))


def test_other_robots_cannot_stand_for_each_other():
    with pytest.raises(MechanismError, match="scara cannot replace cmm: their joints differ"):
        exchangeable(load_robot("cmm"), load_robot("scara"))


def test_joints_that_stand_in_the_way_are_named():
    one = load_robot("box-frame/hand")
    slower = replace(one.joints[2], speed=one.joints[2].speed / 2)
    other = replace(one, name="slow", joints=(*one.joints[:2], slower, *one.joints[3:]))
    with pytest.raises(MechanismError, match=r"their joints differ: different limits or kind: 'z'$"):
        exchangeable(one, other)

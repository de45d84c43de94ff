"""Instincts in order of priority, learning networks, the multiplexer, the teacher, and the controller."""

import math
from pathlib import Path
from random import Random

import pytest

from drycell.base import DrycellError, UnknownName
from drycell.learn import Training, evaluate
from drycell.learn.controller import (
    ActionTrial,
    BehaviourController,
    Network,
    find_setup,
    find_setups,
    goal_first,
    is_correct,
    least_bad,
    load_rules,
    load_setup,
    setup_figures,
    setup_from_file,
    strongest_first,
)
from drycell.learn.controller.instincts import RULES
from drycell.learn.robot import Mobile
from drycell.learn.world import corridor, room


def test_the_rules_of_the_tables_are_there() -> None:
    assert RULES.names() == ["table-26", "table-29", "table-29-frank2", "table-31", "table-34"]


def test_table_29_puts_collisions_before_moving_forward() -> None:
    rules = load_rules("table-29")
    named = [rules.violation({"front": front}, motion) for front in (29, 30) for motion in ("left", "forward")]
    assert [each and each.name for each in named] == ["collision", "collision", "not_forward", None]


def test_table_31_is_violated_when_the_difference_is_15_inches_or_more() -> None:
    rules = load_rules("table-31")
    assert rules.violation({"left": 50, "right": 36}, "forward") is None
    assert rules.violation({"left": 50, "right": 35}, "forward") is not None
    assert rules.violation({"left": 35, "right": 50}, "forward") is not None


def test_table_34_is_violated_beyond_500_bits() -> None:
    rules = load_rules("table-34")
    assert rules.violation({"left": 1500, "right": 1000}, "forward") is None
    assert rules.violation({"left": 1000, "right": 1501}, "forward") is not None


def test_in_table_26_a_collision_is_avoided_before_the_corridor_is_followed() -> None:
    values = {"front": 20.0, "left": 100.0, "right": 20.0}
    violated = load_rules("table-26").violation(values, "none")
    assert violated is not None
    assert violated.name == "avoid_collision"


def test_there_are_five_architectures_one_with_a_memory_layer() -> None:
    sizes = {}
    for figure in setup_figures():
        network = load_setup(figure).network(Random(1))
        sizes[figure] = (network.inputs, len(network.layers[0]), network.outputs)
    assert sizes == {40: (4, 5, 3), 42: (5, 6, 3), 47: (5, 6, 3), 48: (4, 5, 3), 49: (4, 8, 3)}
    assert load_setup(49).memory
    assert find_setup("frank2", 2).figure == 48
    assert find_setup("frank2", 2, 49).figure == 49
    assert find_setup("frank2", figure=49).objective == 2
    assert find_setup("nomad").figure == 40
    assert [each.figure for each in find_setups()] == [40, 42, 47, 48, 49]
    assert [each.figure for each in find_setups("frank2", 2)] == [48, 49]


def test_an_architecture_that_does_not_fit_is_refused_with_those_that_do() -> None:
    with pytest.raises(DrycellError, match="no architecture 40 for frank2 and objective 1") as error:
        find_setup("frank2", 1, 40)
    assert "frank2, objective 1: 47" in str(error.value)
    with pytest.raises(DrycellError, match="there is no architecture for shakey"):
        find_setup("shakey")
    with pytest.raises(UnknownName):
        load_setup(41)


MINE = """\
figure: 1
title: Nomad with four sonars and a rule of its own
robot: nomad
arrangement: ring
objective: 1
inputs: {front: sonar1, left: sonar5, right: sonar13, back: sonar9}
full_scale: 255
motion: true
rate: 0.3
rules: careful.yaml
worlds: nomad-rooms
actions: {forward: {drive: 300 mm}, left: {turn: 90 deg}, right: {turn: -90 deg}}
"""
CAREFUL = """\
rules: careful
instincts:
  - {name: collision, inputs: [front], below: 36}
  - {name: not_forward, moves: forward}
"""


def test_a_custom_setup_with_custom_rules_is_two_short_files(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(MINE)
    (tmp_path / "careful.yaml").write_text(CAREFUL)
    setup = setup_from_file(tmp_path / "mine.yaml")
    assert setup.instincts.instincts[0].below == 36
    assert setup.network(Random(1)).inputs == 5
    trained = Training(setup, 1).run()
    assert trained.reached
    assert evaluate(setup, trained.network).succeeded


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("back: sonar9", "back: sonar19", "there is no sensor of nomad 'sonar19'"),
        ("{front: sonar1, ", "{ahead: sonar1, ", "there is no input for the rule 'collision' 'front'"),
        ("{forward: ", "{onward: ", "there is no action for the rule 'not_forward' 'forward'"),
        ("worlds: nomad-rooms", "worlds: moon", "there is no set of worlds 'moon'"),
        ("arrangement: ring", "arrangement: row", "there is no arrangement of nomad's sensors 'row'"),
        ("rate: 0.3", "rate: fast", "rate"),
    ],
)
def test_inconsistent_setups_are_refused(old: str, new: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(MINE.replace(old, new))
    (tmp_path / "careful.yaml").write_text(CAREFUL)
    with pytest.raises(DrycellError, match=said):
        setup_from_file(tmp_path / "mine.yaml")


def test_back_propagation_follows_the_gradient() -> None:
    stream = Random(3)
    network = Network.random(3, 2, [4], stream)
    inputs, wanted, tiny = [0.2, 0.9, 0.4], [1.0, 0.0], 1e-6

    def loss(net: Network) -> float:
        return sum(0.5 * (t - o) ** 2 for t, o in zip(wanted, net.propagate(inputs), strict=True))

    taught = network.copy()
    taught.teach(inputs, wanted, rate=1.0)
    for number, layer in enumerate(network.layers):
        for r, row in enumerate(layer):
            for c in range(len(row)):
                moved = network.copy()
                moved.layers[number][r][c] += tiny
                slope = (loss(moved) - loss(network)) / tiny
                assert taught.layers[number][r][c] - row[c] == pytest.approx(-slope, abs=1e-5)


def test_a_memory_layer_feeds_back_the_last_outputs() -> None:
    network = load_setup(49).network(Random(2))
    first, second = network.propagate([0.5] * 4), network.propagate([0.5] * 4)
    assert first != second
    plain = Network(network.layers)
    assert plain.propagate([0.5] * 4 + [0.0] * 3) == first
    assert plain.propagate([0.5] * 4 + list(first)) == second
    network.forget()
    assert network.propagate([0.5] * 4) == first


def test_a_network_refuses_inputs_it_does_not_have() -> None:
    with pytest.raises(DrycellError, match="has 4 inputs, but got 3 values"):
        load_setup(40).network(Random(1)).propagate([0.1, 0.2, 0.3])


def test_outputs_are_tried_by_strength_and_going_on_first_where_a_difference_is_held() -> None:
    assert strongest_first([0.2, 0.9, 0.4]) == [1, 2, 0]
    assert strongest_first([0.5, 0.5, 0.5]) == [0, 1, 2]
    assert goal_first([0.2, 0.9, 0.4]) == [0, 1, 2]


def test_the_teacher_takes_what_stops_a_violation_or_lessens_a_difference() -> None:
    rule = load_rules("table-31").instincts[0]
    before = {"left": 80.0, "right": 40.0}

    def trial(number: int, left: float, stopped: bool = False) -> ActionTrial:
        return ActionTrial(number, {"left": left, "right": 40.0}, "forward", stopped)

    assert is_correct(rule, before, trial(0, 50.0))
    assert is_correct(rule, before, trial(0, 79.0))
    assert not is_correct(rule, before, trial(0, 80.0))
    assert not is_correct(rule, before, trial(0, 79.0), lessens_to=0.75)
    assert not is_correct(rule, before, trial(0, 41.0, stopped=True))
    assert least_bad(rule, [trial(0, 95.0), trial(1, 90.0), trial(2, 85.0, stopped=True)]) == 1


def test_in_a_corner_only_the_turn_out_of_it_is_right_and_the_wrong_one_is_taken_back() -> None:
    setup = load_setup(40)
    corner = (4.3, 0.8, 0.0)  # a wall ahead and one to the right
    mobile = Mobile(setup.model, room("test", 5.0, 4.0), corner)
    # Strongest right, then forward, then left.
    network = Network([[[0.0] * 3, [0.0] * 3, [0.0] * 3, [0.0] * 3, [0.0, -1.0, 1.0]]])
    controller = BehaviourController(setup, network, mobile)
    controller.set_going()
    step = controller.learn()
    assert (step.violated, step.action, step.tried) == ("collision", "left", 3)
    assert mobile.place == pytest.approx((4.3, 0.8, math.pi / 2), abs=1e-9)
    assert step.taught is not None
    assert step.taught.error == pytest.approx(abs(sum(step.taught.signals)))


def test_a_robot_off_the_middle_of_a_corridor_is_taught_to_turn_to_it() -> None:
    for figure in (42, 48, 49):
        setup = load_setup(figure)
        for side, wanted in ((0.6, "right"), (-0.6, "left")):
            way = corridor("test", [(0.0, 0.0, 2.6), (20.0, 0.0, 2.6)])
            mobile = Mobile(setup.model, way, (10.0, side, 0.0), arrangement=setup.arrangement)
            controller = BehaviourController(setup, setup.network(Random(1)), mobile)
            assert controller.learn().action == wanted
            assert mobile.place[0] == pytest.approx(10.0 + 0.3 * math.cos(math.radians(10.0)))


def test_where_nothing_is_violated_the_network_is_not_asked() -> None:
    setup = load_setup(42)
    way = corridor("test", [(0.0, 0.0, 2.6), (20.0, 0.0, 2.6)])
    mobile = Mobile(setup.model, way, (10.0, 0.0, 0.0))
    step = BehaviourController(setup, setup.network(Random(1)), mobile).learn()
    assert (step.violated, step.action, step.taught) == (None, "forward", None)

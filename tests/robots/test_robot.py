"""Robots under command: the results that programs see, their times, and the table of moves."""

import math
import os
import subprocess
import sys
from itertools import pairwise
from typing import Any

import pytest

from drycell.base import DrycellError, MotionError, NotInProgram, Pose, deg, mm, s
from drycell.geometry import Box
from drycell.kernel import Kernel, Rank, delay, now, wait
from drycell.robots import (
    IndependentController,
    LiveRobot,
    Mechanism,
    Move,
    Solution,
    StandardController,
    SteppingController,
    above,
    shifted,
)
from drycell.robots.inverse import Inverse
from drycell.world import LiveBody


def apart(one: Pose, other: Pose) -> float:
    return math.dist(one.position, other.position)


# ---------------------------------------------------------------- standing in the world


def test_a_robot_is_bodies_in_the_world(scene, six_axis: Mechanism):
    robot = scene.robot(six_axis, at=Pose(1.0, 2.0, 0.0))
    names = [name for name in scene.world.bodies if name.startswith("arm/")]
    assert names == ["arm/base", *(f"arm/{link}" for link in six_axis.link_names), "arm/flange"]
    assert robot.joints == six_axis.home
    assert robot.flange_pose.distance_to(Pose(1.0, 2.0, 0.0) @ six_axis.forward(six_axis.home)) == pytest.approx(
        (0.0, 0.0), abs=1e-12
    )
    assert apart(robot.pose, robot.flange_pose) == pytest.approx(100 * mm)
    assert not robot.moving


def test_bodies_mounted_on_the_flange_move_with_it(scene, six_axis: Mechanism):
    robot = scene.robot(six_axis)
    probe = scene.world.add(LiveBody("probe"), robot.flange, Pose(0.0, 0.0, 0.1))
    scene.run(lambda: robot.move_joints([q + 0.3 for q in six_axis.home]))
    assert scene.world.pose(probe).distance_to(robot.pose) == pytest.approx((0.0, 0.0), abs=1e-12)


def test_moving_one_joint_moves_exactly_the_links_beyond_it(scene, six_axis: Mechanism):
    robot = scene.robot(six_axis)
    home = list(six_axis.home)
    scene.run(lambda: robot.move_joints([*home[:3], home[3] + 0.5, *home[4:]]))
    for name, body in scene.world.bodies.items():
        moved = scene.world.pose(body, 0).distance_to(scene.world.pose(body))[1] > 1e-9
        assert moved == (name in ("arm/wrist1", "arm/wrist2", "arm/wrist3", "arm/flange")), name


def test_a_joint_past_its_limit_is_refused_and_nothing_moves(scene, gantry: Mechanism):
    robot = scene.robot(gantry, "cart")
    refused: list[str] = []

    def program() -> None:
        try:
            robot.move_joints((0.2, 1.5, 0.0))
        except MotionError as error:
            refused.append(str(error))

    scene.run(program)
    assert refused == [
        "cart/y is past its limit: 1500.0 mm is not between -1000.0 and 1000.0 mm\n"
        "  try: keep y within -1000.0..1000.0 mm"
    ]
    assert robot.joints == (0.0, 0.0, 0.0)
    assert list(robot.moves) == []


def test_a_robot_can_be_placed_instantly(scene, gantry: Mechanism):
    robot = scene.robot(gantry)
    robot.put((0.3, -0.2, 0.1))
    assert robot.joints == (0.3, -0.2, 0.1)
    with pytest.raises(MotionError, match="arm/x is past its limit"):
        robot.put((3.0, 0.0, 0.0))
    assert robot.joints == (0.3, -0.2, 0.1)


# ---------------------------------------------------------------- time


def test_cycle_times_of_a_move_table_agree_with_hand_computation(scene, gantry: Mechanism):
    robot = scene.robot(gantry)  # 1 m/s, 2 m/s², 20 m/s³; lines with 2 m/s² and 20 m/s³

    def program() -> None:
        robot.move_joints((0.8, 0.2, 0.0))
        robot.move_linear(shifted(robot.here, y=-0.2), speed=250 * mm / s)
        robot.move(shifted(robot.here, z=0.25), speed=0.5)
        robot.move_circular(shifted(robot.here, x=-0.1, y=0.1), shifted(robot.here, x=-0.2), speed=200 * mm / s)
        robot.override = 0.5
        robot.move_linear(shifted(robot.here, x=-0.1), speed=200 * mm / s)
        robot.home()

    scene.run(program)
    by_hand = [
        0.8 / 1 + 1 / 2 + 2 / 20,  # x leads: d/v + v/a + a/j
        0.2 / 0.25 + 0.25 / 2 + 2 / 20,
        0.25 / 0.5 + 0.5 / 2 + 2 / 20,
        # half a circle of 100 mm; 200 mm/s is a²/j exactly: d/v + 2 √(v/j)
        0.1 * math.pi / 0.2 + 2 * math.sqrt(0.2 / 20),
        0.1 / 0.1 + 2 * math.sqrt(0.1 / 20),
        # x goes home over 500 mm at half speed, z over 250 mm with it
        0.5 / 0.5 + 0.5 / 2 + 2 / 20,
    ]
    durations = [move.duration for move in robot.moves]
    assert durations == pytest.approx(by_hand, abs=1e-3)
    assert durations == pytest.approx(by_hand, abs=3e-6)  # in fact they agree to the tick
    assert [move.kind for move in robot.moves] == ["joint", "linear", "joint", "circular", "linear", "joint"]
    distances = [math.hypot(0.8, 0.2), 0.2, 0.25, 0.1 * math.pi, 0.1, math.hypot(0.5, 0.25)]
    assert [move.distance for move in robot.moves] == pytest.approx(distances, rel=1e-4)
    assert robot.moves[1].top_speed == pytest.approx(0.25, rel=1e-3)
    assert robot.moves[-1].rest_time == pytest.approx(sum(by_hand), abs=2e-5)


def test_a_move_returns_when_the_arm_is_at_rest(scene, gantry: Mechanism):
    robot = scene.robot(gantry)
    seen: list[tuple[float, bool, tuple[float, ...]]] = []

    def program() -> None:
        robot.move_joints((0.9, 0.0, 0.0))
        seen.append((now(), robot.moving, robot.joints))

    scene.run(program)
    assert seen == [(1.5, False, (pytest.approx(0.9), 0.0, 0.0))]


def test_an_asynchronous_move_returns_at_once_and_can_be_waited_for(scene, gantry: Mechanism):
    robot = scene.robot(gantry)
    times: list[tuple[float, bool]] = []

    def program() -> None:
        move = robot.move_joints((0.9, 0.0, 0.0), wait=False)
        times.append((now(), move.done))
        robot.wait_still()
        times.append((now(), move.done))
        robot.move_joints((0.0, 0.0, 0.0), wait=False)
        robot.move_joints((0.9, 0.0, 0.0))  # waits for the one before
        times.append((now(), robot.moving))

    scene.run(program)
    assert times == [(0.0, False), (1.5, True), (4.5, False)]  # 0.9/1 + 1/2 + 2/20 each


def test_motion_ends_before_anything_else_of_its_instant(scene, gantry: Mechanism):
    robot = scene.robot(gantry)
    seen: list[bool] = []
    scene.kernel.at(1_500_000, lambda: seen.append(robot.moving), Rank.SENSOR)
    scene.run(lambda: robot.move_joints((0.9, 0.0, 0.0)))
    assert seen == [False]


def test_a_move_to_the_current_position_takes_no_time(scene, six_axis: Mechanism):
    robot = scene.robot(six_axis)

    def program() -> None:
        robot.home()
        robot.move_linear(robot.here)

    assert scene.run(program).time == 0
    assert [move.duration for move in robot.moves] == [0.0, 0.0]


def test_a_looping_program_moves_by_the_same_bits_every_time(scene, six_axis: Mechanism):
    robot = scene.robot(six_axis)
    corner = robot.here

    def program() -> None:
        for _ in range(4):
            robot.move(shifted(corner, y=0.2), zone=20 * mm)
            robot.move_linear(shifted(corner, y=0.2, z=-0.1), zone=10 * mm)
            robot.move_linear(shifted(corner, z=-0.1))
            robot.move(corner)

    scene.run(program)
    rounds = [trajectory.content for trajectory in robot.linkage.history[1:]]
    assert rounds[4:8] == rounds[8:12] == rounds[12:16]


# ---------------------------------------------------------------- targets, tools, frames


def test_the_tool_reaches_the_target(scene, six_axis: Mechanism):
    robot = scene.robot(six_axis)
    block = scene.world.add(LiveBody("block", Box(0.04, 0.04, 0.03)), pose=Pose(-0.5, 0.1, 0.015))
    reached: list[Pose] = []

    def program() -> None:
        robot.move(above(block, 80 * mm))
        reached.append(robot.pose)
        robot.move_linear(block, speed=100 * mm / s)
        reached.append(robot.pose)

    scene.run(program)
    assert reached[0].position == pytest.approx((-0.5, 0.1, 0.11), abs=1e-9)
    assert reached[1].position == pytest.approx((-0.5, 0.1, 0.03), abs=1e-9)
    assert reached[1].direction((0.0, 0.0, 1.0)) == pytest.approx((0.0, 0.0, -1.0), abs=1e-9)
    assert [move.target for move in robot.moves] == ["80.0 mm above block", "block"]


def test_another_tool_brings_another_point_there(scene, six_axis: Mechanism):
    robot = scene.robot(six_axis)
    target = robot.here

    def program() -> None:
        robot.tool = Pose(0.0, 0.05, 0.2)
        robot.move(target)

    scene.run(program)
    assert robot.pose.distance_to(target.local) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert apart(robot.flange_pose, robot.pose) == pytest.approx(math.hypot(0.05, 0.2))


def test_poses_are_seen_from_the_user_frame_and_follow_it(scene, gantry: Mechanism):
    robot = scene.robot(gantry)
    pallet = scene.world.add(LiveBody("pallet"), pose=Pose(0.3, 0.0, 0.0))
    robot.frame = pallet
    places: list[Pose] = []

    def program() -> None:
        robot.move(Pose(0.1, 0.0, 0.0))
        places.append(robot.pose)
        scene.world.translate(pallet, y=0.2)
        robot.move(Pose(0.1, 0.0, 0.0))
        places.append(robot.pose)

    scene.run(program)
    assert places[0].position == pytest.approx((0.4, 0.0, 0.0))
    assert places[1].position == pytest.approx((0.4, 0.2, 0.0))


def test_a_named_configuration_is_taken(scene, six_axis: Mechanism):
    robot = scene.robot(six_axis)
    target = robot.here
    elbows = {str(each.configuration["elbow"]) for each in six_axis.solutions(six_axis.forward(six_axis.home))}
    assert elbows == {"up", "down"}

    def program() -> None:
        for elbow in ("down", "up"):
            robot.move(target, configuration=f"elbow={elbow}")
            found.append(robot.joints)

    found: list[tuple[float, ...]] = []
    scene.run(program)
    assert found[0][2] * found[1][2] < 0  # the elbow is bent the other way
    assert robot.pose.distance_to(target.local) == pytest.approx((0.0, 0.0), abs=1e-9)


def test_a_target_out_of_reach_reads_as_the_design_says(scene, six_axis: Mechanism):
    robot = scene.robot(six_axis, "picker")
    fixture = scene.world.add_workpoint("mill/fixture", None, Pose(2.0, 0.0, 0.3) @ Pose.turn_x(180 * deg))

    def program() -> None:
        delay(1.25)
        robot.move(fixture)

    with pytest.raises(MotionError) as error:
        scene.run(program)
    what, where, hint = str(error.value).split("\n")
    assert what.startswith("picker cannot reach 'mill/fixture': beyond reach by ")
    assert what.endswith(" mm")
    assert where.startswith("  at 1.250 s, program 'program' (test_robot.py:")
    assert where.endswith("), seed 7")
    assert hint.startswith("  try: move the target ")


# ---------------------------------------------------------------- zones


def test_a_move_into_a_zone_returns_at_its_entry_and_blends(scene, gantry: Mechanism):
    robot = scene.robot(gantry)
    at_entry: list[tuple[float, Pose]] = []

    def program() -> None:
        robot.move_linear(Pose(0.4, 0.0, 0.0), zone=20 * mm)
        at_entry.append((now(), robot.pose))
        robot.move_linear(Pose(0.4, 0.4, 0.0))

    scene.run(program)
    (time, pose), (first, second) = at_entry[0], robot.moves
    assert pose.x == pytest.approx(0.38, abs=1e-6)
    assert first.blended
    assert not first.stopped
    assert first.end == second.start == round(time * 1e6)
    assert robot.pose.position == pytest.approx((0.4, 0.4, 0.0), abs=1e-9)
    alone = 0.4 / 0.25 + 0.25 / 2 + 2 / 20
    assert second.rest_time < 2 * alone - 0.05
    corner = min(math.dist(robot.linkage.joints(t), (0.4, 0.0, 0.0)) for t in range(0, 4_000_000, 5_000))
    assert 1 * mm < corner < 20 * mm  # it cut the corner, inside the zone


@pytest.mark.parametrize("kind", ["joint", "linear", "circular", "blended linear"])
def test_a_move_solves_the_inverse_kinematics_once(
    scene, six_axis: Mechanism, kind: str, monkeypatch: pytest.MonkeyPatch
):
    robot, solved = scene.robot(six_axis), list[Pose]()
    nearest = Inverse.nearest

    def counted(self: Inverse, pose: Pose, *rest: Any) -> Solution:
        solved.append(pose)
        return nearest(self, pose, *rest)

    monkeypatch.setattr(Inverse, "nearest", counted)
    here = robot.here
    corner, beyond = shifted(here, y=0.2), shifted(here, y=0.2, z=-0.1)

    def program() -> None:
        match kind:
            case "joint":
                robot.move(corner)
            case "linear":
                robot.move_linear(corner)
            case "circular":
                robot.move_circular(shifted(here, y=0.1, z=0.05), corner)
            case _:
                robot.move_linear(corner, zone=20 * mm)
                robot.move_linear(beyond)

    scene.run(program)
    assert [move.blended for move in robot.moves] == ([True, False] if kind == "blended linear" else [False])
    assert len(solved) == len(robot.moves)


def test_without_a_next_move_at_once_the_arm_stops_at_the_point(scene, gantry: Mechanism):
    robot = scene.robot(gantry)

    def program() -> None:
        robot.move_linear(Pose(0.4, 0.0, 0.0), zone=20 * mm)
        delay(0.01)
        robot.move_linear(Pose(0.4, 0.4, 0.0))

    scene.run(program)
    alone = 0.4 / 0.25 + 0.25 / 2 + 2 / 20
    assert [move.duration for move in robot.moves] == pytest.approx([alone, alone], abs=3e-6)
    assert robot.linkage.joints(robot.moves[1].start) == pytest.approx([0.4, 0.0, 0.0], abs=1e-9)


def test_a_controller_without_zones_runs_the_same_program_with_stops(scene, gantry: Mechanism):
    robot = scene.robot(gantry, controller=IndependentController())

    def program() -> None:
        robot.move_linear(Pose(0.4, 0.0, 0.0), zone=20 * mm)
        robot.move_linear(Pose(0.4, 0.4, 0.0))

    scene.run(program)
    alone = 0.4 / 0.25 + 0.25 / 1  # a trapezoid with 1 m/s²
    assert [move.duration for move in robot.moves] == pytest.approx([alone, alone], abs=3e-6)


def test_an_asynchronous_move_is_blended_by_the_next_command(scene, gantry: Mechanism):
    robot = scene.robot(gantry)

    def program() -> None:
        robot.move_linear(Pose(0.4, 0.0, 0.0), zone=20 * mm, wait=False)
        robot.move_linear(Pose(0.4, 0.4, 0.0))

    scene.run(program)
    assert robot.moves[0].blended


# ---------------------------------------------------------------- guards


def touching(kernel: Kernel, at: float):
    """A force that jumps from 0 to 12 N at a time."""
    force = kernel.signal("touch", 0.0, unit="N")
    kernel.at(round(at * 1e6), lambda: force.set(12.0), Rank.SENSOR)
    return force


def test_a_guard_stops_the_arm_by_the_controllers_deceleration(scene, gantry: Mechanism):
    robot = scene.robot(gantry, controller=StandardController(scan=0.004))
    force = touching(scene.kernel, 1.0015)
    hits: list[Move] = []
    scene.run(
        lambda: hits.append(robot.move_linear(Pose(0.8, 0.0, 0.0), speed=250 * mm / s, until=force.exceeds(10.0)))
    )
    (hit,) = hits
    assert hit
    assert hit.fired
    assert hit.stopped
    assert hit.time == 1.0015
    # At full speed since 0.225 s, having gone 28.125 mm by then.
    assert hit.pose.x == pytest.approx(0.028125 + 0.25 * (1.0015 - 0.225), abs=2e-6)
    # Noticed at the next scan, 1.004 s; from there 0.225 s and 28.125 mm to rest.
    assert hit.rest_time == pytest.approx(1.004 + 0.225, abs=2e-6)
    assert hit.rest_pose.x == pytest.approx(0.028125 + 0.25 * (1.004 - 0.225) + 0.028125, abs=2e-6)
    assert hit.rest_pose.position[1:] == pytest.approx((0.0, 0.0), abs=1e-9)
    assert robot.joints == hit.rest_joints


def test_a_guard_that_never_fires_lets_the_move_arrive(scene, gantry: Mechanism):
    robot = scene.robot(gantry)
    force = touching(scene.kernel, 100.0)
    hits: list[Move] = []
    scene.run(lambda: hits.append(robot.move_linear(Pose(0.4, 0.0, 0.0), until=force > 10.0)))
    assert not hits[0]
    assert not hits[0].stopped
    assert hits[0].time == pytest.approx(1.825, abs=2e-6)
    assert hits[0].pose.x == pytest.approx(0.4)


def test_a_condition_that_holds_already_fires_at_once_and_nothing_moves(scene, gantry: Mechanism):
    robot = scene.robot(gantry)
    contact = scene.kernel.signal("contact", True)
    hits: list[Move] = []
    scene.run(lambda: hits.append(robot.move_linear(Pose(0.4, 0.0, 0.0), until=contact)))
    assert hits[0].fired
    assert hits[0].duration == 0.0
    assert robot.joints == (0.0, 0.0, 0.0)


def test_an_edge_can_be_a_guard(scene, gantry: Mechanism):
    robot = scene.robot(gantry)
    contact = scene.kernel.signal("contact", True)
    scene.kernel.at(500_000, lambda: contact.set(False))
    scene.kernel.at(700_000, lambda: contact.set(True))
    hits: list[Move] = []
    scene.run(lambda: hits.append(robot.move_linear(Pose(0.4, 0.0, 0.0), until=contact.rises())))
    assert hits[0].time == 0.7


def test_an_event_at_the_very_instant_of_arrival_counts(scene, gantry: Mechanism):
    robot = scene.robot(gantry)
    force = touching(scene.kernel, 1.5)
    hits: list[Move] = []
    scene.run(lambda: hits.append(robot.move_joints((0.9, 0.0, 0.0), until=force > 10.0)))
    assert hits[0].fired
    assert hits[0].time == hits[0].rest_time == 1.5


def test_a_guarded_move_begins_at_rest(scene, gantry: Mechanism):
    robot = scene.robot(gantry)
    force = touching(scene.kernel, 2.5)

    def program() -> None:
        robot.move_linear(Pose(0.4, 0.0, 0.0), zone=20 * mm)
        robot.move_linear(Pose(0.4, 0.4, 0.0), until=force > 10.0)

    scene.run(program)
    first, second = robot.moves
    assert not first.blended
    assert first.rest_time == second.start_time == pytest.approx(1.825, abs=2e-6)
    assert second.fired


def test_a_guarded_move_has_no_zone_and_is_waited_for(scene, gantry: Mechanism):
    robot = scene.robot(gantry)
    force = touching(scene.kernel, 2.5)
    with pytest.raises(
        MotionError, match="a guarded move of arm begins and ends at rest and cannot have a zone or wait=False"
    ):
        scene.run(lambda: robot.move_joints((0.9, 0.0, 0.0), zone=10 * mm, until=force > 1.0))
    assert robot.joints == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("event", [0.1, 0.105, 0.1199, 0.12, 0.3331])
def test_a_stepping_arm_stops_within_one_cycle_of_the_event_in_time_and_place(
    new_scene, gantry: Mechanism, event: float
):
    scene = new_scene()
    robot = scene.robot(gantry, controller=SteppingController(cycle=0.02))
    force = touching(scene.kernel, event)
    hits: list[Move] = []
    scene.run(lambda: hits.append(robot.move_joints((0.8, 0.0, 0.0), until=force > 10.0)))
    hit = hits[0]
    assert hit.time == event
    assert 0.0 <= hit.rest_time - hit.time < 0.02
    assert hit.rest_time / 0.02 == pytest.approx(round(hit.rest_time / 0.02))
    assert apart(hit.rest_pose, hit.pose) <= 1.0 * 0.02  # one cycle's travel at 1 m/s


def test_complete_moves_look_at_the_guard_at_their_end(scene, gantry: Mechanism):
    controller = SteppingController(cycle=0.02, mode="complete")
    robot = scene.robot(gantry, controller=controller)
    force = touching(scene.kernel, 0.005)
    hits: list[Move] = []

    def program() -> None:
        hits.append(robot.move_joints((0.8, 0.0, 0.0), until=force > 10.0))
        robot.controller = controller.changed(mode="incremental")
        robot.move_joints((0.7, 0.0, 0.0))

    scene.run(program)
    assert hits[0].fired
    assert hits[0].rest_time == 0.02
    assert hits[0].rest_joints == pytest.approx((0.8, 0.0, 0.0))
    assert robot.moves[1].duration == pytest.approx(0.1)


# ---------------------------------------------------------------- stops and sharing


def test_another_program_can_stop_the_arm(scene, gantry: Mechanism):
    robot = scene.robot(gantry)

    def mover() -> None:
        robot.move_linear(Pose(0.8, 0.0, 0.0))

    def guardian() -> None:
        delay(1.0)
        robot.stop()
        assert not robot.moving
        assert now() == pytest.approx(1.225, abs=2e-6)

    scene.run(mover, guardian)
    assert robot.moves[0].stopped
    assert not robot.moves[0].fired
    assert robot.pose.x == pytest.approx(0.028125 + 0.25 * 0.775 + 0.028125, abs=2e-6)


def test_an_arm_stopped_in_its_zone_rests_before_the_corner(scene, gantry: Mechanism):
    robot = scene.robot(gantry)

    def program() -> None:
        robot.move_linear(Pose(0.4, 0.0, 0.0), zone=50 * mm)
        robot.stop()
        assert not robot.moving

    scene.run(program)
    # 50 mm before the corner it ran at full speed: 28.125 mm to rest.
    assert robot.pose.x == pytest.approx(0.35 + 0.028125, abs=2e-6)


def test_a_run_that_ends_in_the_middle_of_a_move_leaves_it_as_it_is(scene, gantry: Mechanism):
    robot = scene.robot(gantry)
    scene.kernel.spawn(lambda: robot.move_joints((0.9, 0.0, 0.0)))
    scene.kernel.run(until=600_000)
    assert robot.moving
    assert not robot.moves[0].stopped
    assert robot.joints[0] == pytest.approx(0.3)  # half of the rise of 0.6 s at 1 m/s
    assert robot.moves[0].duration == pytest.approx(0.6)


def test_a_cancelled_program_stops_its_arm(scene, gantry: Mechanism):
    robot = scene.robot(gantry)
    mover = scene.kernel.spawn(lambda: robot.move_joints((0.8, 0.0, 0.0)), name="mover")

    def guardian() -> None:
        delay(0.3)
        mover.cancel()
        wait(robot.still)

    scene.run(guardian)
    assert 0.0 < robot.joints[0] < 0.3


def test_two_programs_cannot_command_one_arm_at_once(scene, gantry: Mechanism):
    robot = scene.robot(gantry)

    def robot_program() -> None:
        robot.move_joints((0.9, 0.0, 0.0))

    def intruder() -> None:
        delay(0.5)
        robot.home()

    with pytest.raises(MotionError) as error:
        scene.run(robot_program, intruder)
    what, where, hint = str(error.value).split("\n")
    assert what == "program 'intruder' cannot command arm while it moves for program 'robot_program'"
    assert where.startswith("  at 0.500 s, program 'intruder' (test_robot.py:")
    assert hint == "  try: let one program command arm, or wait for arm.still first"


def test_programs_may_take_turns(scene, gantry: Mechanism):
    robot = scene.robot(gantry)

    def first() -> None:
        robot.move_joints((0.9, 0.0, 0.0))

    def second() -> None:
        delay(0.5)
        wait(robot.still)
        robot.home()

    scene.run(first, second)
    assert [move.start_time for move in robot.moves] == [0.0, 1.5]


def test_two_robots_share_a_zone_by_signal_and_wait(scene, gantry: Mechanism):
    left, right = scene.robot(gantry, "left"), scene.robot(gantry, "right")
    free = scene.kernel.signal("zone.free", True)
    inside: list[tuple[str, float, float]] = []

    def turn(robot: LiveRobot) -> None:
        for _ in range(3):
            wait(free)
            free.set(False)
            entered = now()
            robot.move_joints((0.9, 0.0, 0.0))
            robot.home()
            inside.append((robot.name, entered, now()))
            free.set(True)
            delay(0.1)

    def left_program() -> None:
        turn(left)

    def right_program() -> None:
        delay(0.05)
        turn(right)

    scene.run(left_program, right_program)
    assert [name for name, _, _ in inside] == ["left", "right"] * 3
    stays = sorted((entered, gone) for _, entered, gone in inside)
    assert all(gone <= entered for (_, gone), (entered, _) in pairwise(stays))


def test_the_same_program_runs_under_every_controller(new_scene, six_axis: Mechanism):
    ends, times = [], []
    for controller in (
        StandardController(),
        IndependentController(),
        SteppingController(),
        SteppingController(mode="complete"),
    ):
        scene = new_scene()
        robot = scene.robot(six_axis, controller=controller)
        corner = robot.here

        def program(robot: LiveRobot = robot, corner=corner) -> None:
            robot.move(shifted(corner, y=0.2), zone=20 * mm)
            robot.move_linear(shifted(corner, y=0.2, z=-0.1), speed=100 * mm / s)
            robot.move_circular(shifted(corner, y=0.1, z=-0.2), shifted(corner, z=-0.1))
            robot.move_linear(corner)

        times.append(scene.run(program).time)
        ends.append(robot.joints)
    for joints in ends:
        assert joints == pytest.approx(six_axis.home, abs=1e-8)
    assert len(set(times)) == 4


# ---------------------------------------------------------------- the journal, and mistakes


def test_moves_and_guards_are_in_the_journal(scene, gantry: Mechanism):
    robot = scene.robot(gantry, "cart", controller=StandardController(scan=0.0))
    force = touching(scene.kernel, 2.0)

    def program() -> None:
        robot.move_joints((0.9, 0.0, 0.0))
        robot.move_linear(Pose(0.9, 0.4, 0.0), until=force.exceeds(10.0))

    scene.run(program)
    lines = [" ".join(line.split()) for line in scene.kernel.journal.text().splitlines() if "cart" in line]
    assert lines == [
        '0.000000 cart move move=joint to="900.000 mm, 0.000 mm, 0.000 mm" duration_s=1.500000',
        '1.500000 cart move move=linear to="(900.0, 400.0, 0.0) mm" at_mm=(900.000000, 400.000000, 0.000000) '
        'until="touch > 10.0" duration_s=1.825000',
        # 28.125 mm in the first 0.225 s, then 250 mm/s
        '2.000000 cart guard condition="touch > 10.0" at_mm=(900.000000, 96.875000, 0.000000)',
        "2.000000 cart stop duration_s=0.225000",
    ]


def test_the_journal_is_the_same_every_time(new_scene, six_axis: Mechanism):
    hashes = set()
    for _ in range(2):
        scene = new_scene()
        robot = scene.robot(six_axis)

        def program(robot: LiveRobot = robot) -> None:
            corner = robot.here
            robot.move(shifted(corner, y=0.2), zone=20 * mm)
            robot.move_linear(shifted(corner, y=0.2, z=-0.1), zone=10 * mm)
            robot.move_linear(corner)

        scene.run(program)
        hashes.add(scene.kernel.journal.sha256())
    assert len(hashes) == 1


RUN = """
import random
from drycell.kernel import Kernel, Rank
from drycell.robots import LiveRobot, load_robot, shifted
from drycell.base.pose import Pose
from drycell.world import World

kernel = Kernel(seed=3)
robot = LiveRobot(kernel, World(kernel), "arm", load_robot("puma560"), tool=Pose(0.0, 0.0, 0.05))
force = kernel.signal("force", 0.0)
kernel.at(3_333_333, lambda: force.set(5.0), Rank.SENSOR)
rng = random.Random(3)

def program():
    for _ in range(6):
        robot.move_joints([q + rng.uniform(-0.2, 0.2) for q in robot.mechanism.home], zone=0.02)
        robot.move_linear(shifted(robot.here, *(rng.uniform(-0.05, 0.05) for _ in range(3))), zone=0.01)
        robot.move_linear(shifted(robot.here, *(rng.uniform(-0.05, 0.05) for _ in range(3))))
        robot.move_linear(shifted(robot.here, z=-0.03), speed=0.02, until=force > 3.0)

kernel.spawn(program)
kernel.run()
print(kernel.journal.sha256())
"""


def test_last_bits_of_the_processor_do_not_reach_the_journal():
    variants = [
        {"PYTHONHASHSEED": "5"},
        {"OPENBLAS_CORETYPE": "Nehalem"},
        {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable"},
    ]
    ended = [
        subprocess.run(
            [sys.executable, "-c", RUN], env={**os.environ, **each}, capture_output=True, text=True, check=True
        )
        for each in variants
    ]
    assert len({each.stdout for each in ended}) == 1
    # ruckig complains on standard error of objects that outlive the interpreter: there must be none.
    assert {each.stderr for each in ended} == {""}


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (
            lambda robot: robot.move_joints((0.1, 0.0, 0.0), speed=1.5),
            "cannot move at 1.5 times the speed of its joints",
        ),
        (lambda robot: robot.move_linear(Pose(0.1, 0.0, 0.0), speed=0.0), "arm cannot move at 0 mm/s"),
        (lambda robot: robot.move_joints((0.1, 0.0, 0.0), zone=-0.01), "a zone cannot be -10.0 mm wide"),
        (lambda robot: robot.move_joints((0.1, 0.0)), "arm has 3 joints, but 2 values were given"),
        (lambda robot: setattr(robot, "override", 0.0), "arm cannot override speeds by 0"),
    ],
)
def test_mistakes_are_refused_with_a_hint(scene, gantry: Mechanism, command, text: str):
    robot = scene.robot(gantry)
    with pytest.raises(MotionError) as error:
        scene.run(lambda: command(robot))
    assert text in str(error.value)
    assert "\n  try: " in str(error.value)
    assert list(robot.moves) == []


def test_commands_are_for_programs(scene, gantry: Mechanism):
    robot = scene.robot(gantry)
    with pytest.raises(NotInProgram):
        robot.home()
    assert issubclass(NotInProgram, DrycellError)
    assert repr(robot) == "<Robot arm at 0.000 mm, 0.000 mm, 0.000 mm>"

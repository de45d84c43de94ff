"""Frames: every body has the pose of the world at any time, and bodies at rest cost little."""

import math
import struct
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from drycell import Body, Robot
from drycell.base import Pose
from drycell.cell import Cell, CellSource
from drycell.geometry import Box
from drycell.studio.host.frames import BodyNumbering, FrameMaker, wire_poses
from drycell.world import FOREVER, LiveBody, Rest, Sampled, Travel, World

EXAMPLE = Path(__file__).parents[2] / "examples" / "30_event_cell"


def rows(frame: bytes) -> np.ndarray:
    _, _, _, count = struct.unpack_from("<dQII", frame)
    return np.frombuffer(frame, "<f4", count * 7, offset=24).reshape(count, 7)


def wanted(world: World, bodies: list[LiveBody], t: int) -> np.ndarray:
    reported = []
    for body in bodies:
        if body.exists(t):
            pose = world.pose(body, t)
            reported.append([*pose.position, *pose.quaternion])
        else:
            reported.append([math.nan] * 7)
    return np.array(reported, dtype=np.float32)


def same(found: np.ndarray, expected: np.ndarray) -> None:
    assert (np.isnan(found[:, 0]) == np.isnan(expected[:, 0])).all()
    there = ~np.isnan(expected[:, 0])
    np.testing.assert_allclose(found[there, :3], expected[there, :3], atol=1e-6)
    # A quaternion and its negative are one and the same rotation.
    dots = np.abs((found[there, 3:] * expected[there, 3:]).sum(axis=1))
    np.testing.assert_allclose(dots, 1.0, atol=1e-5)


@pytest.fixture(scope="module")
def ran() -> tuple[Cell, BodyNumbering]:
    cell = CellSource.find(EXAMPLE).build()
    numbering = BodyNumbering(cell.world)
    cell.run(until=150.0)
    return cell, numbering


def test_frames_carry_the_channels_of_all_bodies_after_the_poses(ran: tuple[Cell, BodyNumbering]) -> None:
    cell, numbering = ran
    frames = FrameMaker(numbering, cell.record)
    names = [(body.name, channel) for body, channel in numbering.channels]
    assert {name for name, _ in names} >= {"belt", "machine1", "machine2", "sensor1"}
    for t in (0, 70_000_000, 149_000_000):
        frame = frames.at(t)
        (_, _, _, count) = struct.unpack_from("<dQII", frame)
        found = np.frombuffer(frame, "<f4", offset=24 + 28 * count)
        expected = [channel.source.at(cell.record, name, t) for name, channel in names]
        np.testing.assert_allclose(found, expected, rtol=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 150_000_000), min_size=1, max_size=8))
def test_frames_show_every_body_where_it_was(ran: tuple[Cell, BodyNumbering], times: list[int]) -> None:
    cell, numbering = ran
    frames = FrameMaker(numbering)
    for t in times:
        same(rows(frames.at(t)), wanted(cell.world, numbering.bodies, t))


def test_every_body_that_ever_was_keeps_its_number(ran: tuple[Cell, BodyNumbering]) -> None:
    cell, numbering = ran
    assert len(numbering.bodies) > len(cell.world.bodies)
    assert [numbering.number(body) for body in numbering.bodies] == list(range(len(numbering.bodies)))


def test_the_version_grows_when_a_body_comes_or_gets_another_shape() -> None:
    cell = Cell()
    box = cell.add("box", Body(Box(0.1, 0.1, 0.1)))
    cell.world.add(LiveBody("lid", Box(0.1, 0.1, 0.01)), box, Pose(0, 0, 0.05))
    numbering = BodyNumbering(cell.world)
    first = numbering.version
    cell.world.place(box, Pose(1, 0, 0))
    assert numbering.version == first
    cell.add("other", Body())
    assert numbering.version == first + 1
    cell.world.merge(box)
    assert numbering.version == first + 2


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-4.0, 4.0), min_size=3, max_size=3), st.lists(st.floats(-9, 9), min_size=3, max_size=3))
def test_quaternions_are_good_at_any_rotation(turn: list[float], at: list[float]) -> None:
    pose = Pose.of_rotation_vector(turn, at)
    found = wire_poses(np.array([pose.rows]))[0]
    assert abs(float(np.linalg.norm(found[3:])) - 1) < 1e-5
    assert abs(abs(float(np.dot(found[3:], pose.quaternion))) - 1) < 1e-5


def test_half_turns_are_not_errors() -> None:
    for turn in (Pose.turn_x, Pose.turn_y, Pose.turn_z):
        found = wire_poses(np.array([turn(math.pi).rows]))[0]
        assert abs(float(np.linalg.norm(found[3:])) - 1) < 1e-6


def test_a_resting_body_is_not_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell()
    belt = cell.add("belt", Body(Box(1, 0.1, 0.1)))
    parts = [cell.world.add(LiveBody(f"part{k}", Box(0.1, 0.1, 0.1)), belt, Pose(k, 0, 0)) for k in range(20)]
    cell.world.move(parts[0], Travel(1_000_000, 2_000_000, Pose(), (1.0, 0.0, 0.0)), belt)
    frames = FrameMaker(BodyNumbering(cell.world))
    frames.at(0)
    asked: list[str] = []
    pose = World.pose

    def counted(self: World, what: LiveBody, t: int | None = None) -> Pose:
        asked.append(what.name)
        return pose(self, what, t)

    monkeypatch.setattr(World, "pose", counted)
    frames.at(500_000)
    assert asked == []
    frames.at(1_500_000)
    assert set(asked) <= {"part0", "belt"}
    frames.at(2_500_000)
    asked.clear()
    frames.at(3_000_000)
    assert asked == []
    cell.world.move(belt, Rest(Pose(0, 0, 1)))
    frames.at(3_000_000)
    assert len(set(asked)) == 21


def test_a_hundred_moving_bodies_and_an_arm_take_a_few_milliseconds() -> None:
    cell = Cell()
    cell.add("arm", Robot("ur5-like"))
    for k in range(100):
        times = [step * 50_000 for step in range(60)]
        poses = [Pose(k * 0.1, step * 0.01, 0.0) @ Pose.turn_z(step * 0.1) for step in range(60)]
        cell.world.move(cell.world.add(LiveBody(f"part{k}", Box(0.1, 0.1, 0.1))), Sampled(times, poses))
    frames = FrameMaker(BodyNumbering(cell.world))
    spent = []
    for step in range(60):
        before = time.thread_time()
        frames.at(step * 33_000 + 1)
        spent.append(time.thread_time() - before)
    assert sorted(spent)[30] < 0.006  # 1.7 ms on the machine it was written on


def test_a_body_has_no_pose_before_it_is_added_or_after_it_is_removed() -> None:
    cell = Cell()
    clock = cell.kernel
    early = cell.world.add(LiveBody("early", Box(1, 1, 1)))
    numbering = BodyNumbering(cell.world)
    frames = FrameMaker(numbering)
    clock.now = 10
    cell.world.remove(early)
    clock.now = 20
    cell.world.add(LiveBody("late", Box(1, 1, 1)))
    assert [np.isnan(rows(frames.at(t))[:, 0]).tolist() for t in (0, 9, 10, 19, 20, 9)] == [
        [False, True], [False, True], [True, True], [True, True], [True, False], [False, True],
    ]  # fmt: skip
    assert early.gone < FOREVER

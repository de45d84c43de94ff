"""A recording reproduces the run: poses, joints, signals and the journal, bit for bit."""

import math
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from drycell.base import Pose, RecordingError, UnknownName, WorldError
from drycell.cell import Cell
from drycell.geometry import Box, Cylinder, Mesh, Sphere
from drycell.kernel import Changes, Journal, JournalLine, Kernel, delay, wait
from drycell.record import LiveRecord
from drycell.recording import Header, Recording, RecordingWriter, source_files
from drycell.robots import Drive, Joint, Link, Mark, Mechanism
from drycell.world import (
    FOREVER,
    Fall,
    JointTrajectory,
    Linkage,
    LiveBody,
    Material,
    Rest,
    Sampled,
    Travel,
    World,
    lineage,
)

SECOND = 1_000_000


class HandClock:
    now = 0


def arm() -> Mechanism:
    """Two turns, a slide and a mirrored finger: every kind of drive the forward kinematics knows."""
    turning = [Joint(name, "revolute", -math.inf, math.inf, 3.0, 10.0, math.inf) for name in ("a", "b")]
    slide = Joint("c", "prismatic", -0.2, 0.2, 0.5, 2.0, 20.0)
    diagonal = 1 / math.sqrt(3)
    return Mechanism(
        "testarm",
        joints=(*turning, slide),
        links=(
            Link("upper", -1, Pose(0, 0, 0.3), (Drive(0, "revolute", offset=0.1),)),
            Link("fore", 0, Pose.of_rpy(0.3, 0.2, 0.1, (0.25, 0, 0)), (Drive(1, "revolute", (diagonal,) * 3),)),
            Link("left", 1, Pose(0.1, 0, 0), (Drive(2, "prismatic", (1.0, 0.0, 0.0)),)),
            Link("right", 1, Pose(0.1, 0, 0), (Drive(2, "prismatic", (1.0, 0.0, 0.0), ratio=-0.5),)),
        ),
        flange=Mark(1, Pose(0.1, 0, 0)),
    )


def stand(world: World, name: str) -> Linkage:
    mechanism = arm()
    base = world.add(LiveBody(name), None, Pose.of_rpy(0.1, 0.2, 0.3, (0.5, 0.1, 0.0)))
    links = [LiveBody(f"{name}/{link}", Box(0.1, 0.05, 0.05), "steel") for link in mechanism.link_names]
    linkage = Linkage(world, name, mechanism, base, links, [0.1, -0.2, 0.01])
    world.add_linkage(linkage)
    return linkage


def random_pose(chance: random.Random) -> Pose:
    return Pose.of_rpy(*(chance.uniform(-3, 3) for _ in range(3)), [chance.uniform(-1, 1) for _ in range(3)])


def random_trajectory(chance: random.Random, linkage: Linkage, start: int) -> JointTrajectory:
    pieces = chance.randint(1, 5)
    breaks = np.concatenate(([0.0], np.cumsum([chance.uniform(0.05, 0.7) for _ in range(pieces)])))
    coefficients = np.zeros((pieces, 4, 3))
    here = np.array(linkage.joints(start))
    for piece in range(pieces):
        span = breaks[piece + 1] - breaks[piece]
        coefficients[piece] = [here, *([chance.uniform(-1, 1) for _ in range(3)] for _ in range(3))]
        here = coefficients[piece][0] + span * (
            coefficients[piece][1] + span * (coefficients[piece][2] + span * coefficients[piece][3])
        )
    return JointTrajectory(start, breaks, coefficients)


def random_step(chance: random.Random, clock: HandClock, world: World) -> None:
    """One change that a cell could make now."""
    loose = [body for body in world.bodies.values() if body.name.startswith("part")]
    linkage = chance.choice(list(world.linkages.values()))
    what = chance.randrange(9)
    if what == 0 or not loose:
        free = [f"part{k}" for k in range(8) if f"part{k}" not in world.bodies]
        if free:
            shape = chance.choice([None, Sphere(0.02), Cylinder(0.01, 0.05)])
            world.add(LiveBody(chance.choice(free), shape, part=True), None, random_pose(chance))
        return
    body = chance.choice(loose)
    others = [each for each in world.bodies.values() if each is not body and body not in lineage(each)]
    parent = chance.choice([None, *others])
    if what == 1:
        world.attach(body, parent)
    elif what == 2:
        velocity = [chance.uniform(-1, 1) for _ in range(3)]
        end = chance.choice([FOREVER, clock.now + chance.randint(0, 2 * SECOND)])
        world.move(body, Travel(clock.now, end, random_pose(chance), velocity), parent)
    elif what == 3:
        world.move(body, Fall(clock.now, clock.now + SECOND, random_pose(chance), (0.1, -0.2, 0.3)), parent)
    elif what == 4:
        times = sorted(chance.sample(range(clock.now, clock.now + SECOND), chance.randint(2, 6)))
        world.move(body, Sampled(times, [random_pose(chance) for _ in times]), parent)
    elif what == 5:
        world.remove(body)
    elif what == 6:
        linkage.follow(random_trajectory(chance, linkage, max(clock.now, linkage.history[-1].start)))
    elif what == 7:
        linkage.cut(max(clock.now, linkage.history[-1].start))
    elif linkage.history[-1].start <= clock.now:
        linkage.jump([chance.uniform(-0.2, 0.2) for _ in range(3)])


@given(seed=st.integers(0, 10_000), steps=st.integers(0, 60), late=st.integers(0, 20))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_pose_at_any_time_equals_that_of_the_live_world_bit_for_bit(tmp_path, seed, steps, late):
    chance, clock = random.Random(seed), HandClock()
    world = World(clock)
    robot = stand(world, "arm")
    world.add_workpoint("grip", robot.links[1], Pose.of_rpy(0.1, 0.2, 0.3, (0.05, 0, 0)))
    world.add_workpoint("corner", None, Pose(1, 2, 3))
    seen = list(world.bodies.values())

    def see(body: LiveBody) -> None:
        if body not in seen:
            seen.append(body)

    world.subscribe(see)
    for _ in range(late):  # the state before the recording began is part of it
        random_step(chance, clock, world)
        clock.now += chance.choice([0, 0, 137_211])
    stand(world, "second")
    began, seen = clock.now, [body for body in seen if body.gone == FOREVER]
    with RecordingWriter(tmp_path / "run.dry", world, {}, Header("random")) as writer:
        for _ in range(steps):
            random_step(chance, clock, world)
            clock.now += chance.choice([0, 1, chance.randint(0, 700_000)])
        writer.close(clock.now, {"ending": "finished"})
    times = [0, clock.now, clock.now + SECOND, *(chance.randint(0, clock.now + SECOND) for _ in range(20))]
    # Read out of order, as a scrub bar does.
    with Recording.open(tmp_path / "run.dry") as recording:
        assert recording.duration == clock.now
        described = Counter((body.name, body.born, body.gone) for body in recording.bodies)
        described.subtract((body.name, body.born, body.gone) for body in seen)
        # A body removed before the recording began is in it only if another body was once attached to it.
        assert all(extra == 0 or (extra > 0 and gone <= began) for (_, _, gone), extra in described.items())
        for t in times:
            for body in seen:
                if body.exists(t) and not [b for b in seen if b.name == body.name and b is not body and b.exists(t)]:
                    assert recording.pose(body.name, t).rows == world.pose(body, t).rows
            for point in world.workpoints.values():
                assert recording.pose(point.name, t).rows == world.pose(point, t).rows
            for name, linkage in world.linkages.items():
                assert recording.joints(name, t) == linkage.joints(t)
                assert recording.world.linkages[name].velocity(t) == linkage.velocity(t)
        again = {body.name: [segment.start for segment in body.history] for body in recording.world.bodies.values()}
        assert again == {body.name: [segment.start for segment in body.history] for body in world.bodies.values()}


def small_world() -> tuple[HandClock, World]:
    clock = HandClock()
    world = World(clock)
    world.add(LiveBody("table", Box(1.0, 0.6, 0.02), "steel"))
    world.add(LiveBody("part", Cylinder(0.01, 0.05), part=True), None, Pose(0, 0, 0.035))
    return clock, world


def test_a_reused_name_refers_to_the_body_present_at_that_time(tmp_path):
    clock, world = small_world()
    with RecordingWriter(tmp_path / "run.dry", world, {}, Header("twice")) as writer:
        clock.now = 10
        world.remove(world.body("part"))
        clock.now = 20
        world.add(LiveBody("part", Sphere(0.01), part=True), None, Pose(1, 0, 0))
        writer.close(30, {})
    recording = Recording.open(tmp_path / "run.dry")
    assert recording.pose("part", 9).position == (0, 0, 0.035)
    assert recording.pose("part", 20).position == (1, 0, 0)
    with pytest.raises(WorldError, match=r"'part' is not in the cell at 0\.000015 s"):
        recording.pose("part", 15)
    assert [body.shape for body in recording.bodies if body.name == "part"] == [Cylinder(0.01, 0.05), Sphere(0.01)]


def test_bodies_keep_shape_material_and_role(tmp_path):
    _, world = small_world()
    world.materials.add(Material("jelly", 1000, 0.1, 0.1, False, 0.5, 1e-6, 0.2, (0.9, 0.1, 0.1)))
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]) * 0.1
    faces = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    for name in ("one", "two"):
        world.add(LiveBody(name, Mesh(corners, faces), "jelly"))
    world.add(LiveBody("bore", Cylinder(0.01, 0.1), hole=True), world.body("one"))
    with RecordingWriter(tmp_path / "run.dry", world, {}, Header("shapes")) as writer:
        writer.close(0, {})
    recording = Recording.open(tmp_path / "run.dry")
    assert {name: (body.shape, body.material, body.part, body.hole) for name, body in world.bodies.items()} == {
        name: (body.shape, body.material, body.part, body.hole) for name, body in recording.world.bodies.items()
    }
    assert recording.world.materials["jelly"] == world.materials["jelly"]
    assert [body.name for body in recording.world.subtree(recording.world.body("one"))] == ["one", "bore"]
    archive = np.load(tmp_path / "run.dry")
    assert sum(name.startswith("meshes/") for name in archive.files) == 2  # one mesh, kept once
    archive.close()


def test_a_workpoint_on_a_merged_part_is_still_found(tmp_path):
    clock, world = small_world()
    knob = world.add(LiveBody("knob", Box(0.05, 0.05, 0.05)), world.body("table"), Pose(0.1, 0, 0.03))
    world.add_workpoint("grip", knob, Pose(0, 0, 0.025))
    world.merge(world.body("table"))
    with RecordingWriter(tmp_path / "run.dry", world, {}, Header("merged")) as writer:
        clock.now = 5
        world.place(world.body("table"), Pose(0, 0, 1))
        writer.close(10, {})
    recording = Recording.open(tmp_path / "run.dry")
    assert recording.pose("grip", 7).rows == world.pose(world.workpoint("grip"), 7).rows


def cell_run(path: Path, seed: int = 3, flushes: int = 0, sink: bool = False) -> tuple[Kernel, World]:
    """A program, a part on a belt, signals of all types; recorded."""
    kernel = Kernel(seed, journal=Journal(sink=lambda record: records.append(record)) if sink else Journal())
    records: list[JournalLine] = []
    world = World(kernel)
    belt = world.add(LiveBody("belt", Box(1, 0.2, 0.02)))
    eye = kernel.signal("eye", False)
    count = kernel.signal("count", 0)
    level = kernel.signal("level", 0.5, unit="bar")
    state = kernel.signal("state", "idle")
    writer = RecordingWriter(
        path, world, LiveRecord(kernel, world).signals, Header("belt", seed=seed, until=9 * SECOND)
    )

    def feed() -> None:
        for number in range(5):
            speed = kernel.random("feed").uniform(0.1, 0.2)
            part = world.add(LiveBody(f"part{number}", Box(0.05, 0.05, 0.05), part=True), belt)
            world.move(part, Travel(kernel.now, kernel.now + SECOND, Pose(), (speed, 0, 0)), belt)
            count.set(count.value + 1)
            level.set(level.value + speed)
            state.set(f"part {number % 2}")
            eye.set(not eye.value)
            delay(1.0)

    def watch() -> None:
        wait(eye == True, timeout=3.0)  # noqa: E712  # a condition
        kernel.journal.write("seen", "watch", count=count.value)

    kernel.spawn(feed)
    kernel.spawn(watch)
    if flushes:
        kernel.every(SECOND * 5 // flushes, lambda: (kernel.settle(), writer.flush(kernel.now)), owner="flush")
    outcome = kernel.run(until=9 * SECOND)
    kernel.settle()
    for record in records or kernel.journal.records:
        writer.record(record)
    writer.close(outcome.time, {"ending": outcome.ending}, choices=[0, 1])
    return kernel, world


def test_signals_come_back_with_time_value_writer_and_unit(tmp_path):
    kernel, _ = cell_run(tmp_path / "run.dry")
    recording = Recording.open(tmp_path / "run.dry")
    assert list(recording.signals) == ["eye", "count", "level", "state"]
    for name, signal in kernel.signals.items():
        assert list(recording.signal(name)) == list(signal.history)
        assert [type(value) for _, value, _ in recording.signal(name)] == [type(v) for _, v, _ in signal.history]
    assert recording.signal("level").unit == "bar"
    assert recording.signal("count")[-1] == (4 * SECOND, 5, "feed")


def test_the_journal_comes_back_record_by_record(tmp_path):
    kernel, _ = cell_run(tmp_path / "run.dry")
    recording = Recording.open(tmp_path / "run.dry")
    assert list(recording.journal()) == list(kernel.journal.records)
    assert "".join(line + "\n" for line in recording.journal_lines()) == kernel.journal.json_lines()


def test_the_header_says_which_run_it_was(tmp_path):
    cell_run(tmp_path / "run.dry")
    header = Recording.open(tmp_path / "run.dry").header
    assert (header.cell, header.seed, header.until, header.duration) == ("belt", 3, 9 * SECOND, 5 * SECOND)
    assert header.choices == (0, 1)
    assert header.outcome == {"ending": "finished"}
    assert header.libraries["numpy"] == np.__version__
    assert repr(Recording.open(tmp_path / "run.dry")).endswith("run.dry of 'belt', 5.000 s>")


def test_source_files_are_relative_to_the_cells_folder_and_have_a_hash(tmp_path):
    (tmp_path / "cell").mkdir()
    (tmp_path / "cell" / "cell.yaml").write_text("name: demo\n")
    (tmp_path / "shared.py").write_text("x = 1\n")
    files = source_files([tmp_path / "cell" / "cell.yaml", tmp_path / "shared.py"], tmp_path / "cell")
    assert [file.path for file in files] == ["cell.yaml", "../shared.py"]
    assert files[0].sha256 == "8789e7eabb7ba5922a5087c25d315a1e5fbb6b0f97510862579d348428dbd9d4"  # sha256sum cell.yaml
    header = Header("demo", source=files)
    assert header.changed_sources(tmp_path / "cell") == []
    (tmp_path / "shared.py").write_text("x = 2\n")
    assert header.changed_sources(tmp_path / "cell") == ["../shared.py"]
    with pytest.raises(RecordingError, match="cannot be read, but the run depends on it"):
        source_files([tmp_path / "gone.py"], tmp_path)


def test_error_for_an_unknown_name_suggests_the_nearest(tmp_path):
    cell_run(tmp_path / "run.dry")
    recording = Recording.open(tmp_path / "run.dry")
    for ask in (
        lambda: recording.pose("prat1", 0),
        lambda: recording.signal("eyes"),
        lambda: recording.joints("arm", 0),
    ):
        with pytest.raises(UnknownName, match="there is no"):
            ask()
    with pytest.raises(UnknownName, match="did you mean 'part1'"):
        recording.pose("prat1", 0)


def test_histories_cut_at_the_front_after_a_flush_lose_nothing(tmp_path):
    clock, world = small_world()
    part = world.body("part")
    signal: Changes[int] = Changes(int)
    signal.write(0, 0, "")
    with RecordingWriter(tmp_path / "run.dry", world, {"n": signal}, Header("long")) as writer:
        for number in range(1, 300):
            clock.now = number * 1000
            world.place(part, Pose(number * 1e-3, 0, 0))
            signal.write(clock.now, number, "feed")
            if number % 50 == 0:
                writer.flush(clock.now)
                part.history.forget(clock.now)
                signal.forget(clock.now - 2000)
        writer.close(clock.now, {})
    recording = Recording.open(tmp_path / "run.dry")
    assert [recording.pose("part", n * 1000 + 1).x for n in range(1, 300)] == [n * 1e-3 for n in range(1, 300)]
    assert list(recording.signal("n")) == [(n * 1000, n, "feed" if n else "") for n in range(300)]


def test_a_signal_that_dropped_changes_before_the_flush_is_refused(tmp_path):
    _, world = small_world()
    signal: Changes[int] = Changes(int)
    signal.write(0, 0, "")
    with RecordingWriter(tmp_path / "run.dry", world, {"n": signal}, Header("long")) as writer:
        writer.flush(1)
        signal.write(5, 5, "feed")
        signal.drop(2)
        with pytest.raises(RecordingError, match="signal 'n' has dropped changes that were not yet recorded"):
            writer.flush(10)


def test_motions_of_an_unknown_kind_are_refused_when_they_begin(tmp_path):
    class Wobble(Rest):
        pass

    _, world = small_world()
    with (
        RecordingWriter(tmp_path / "run.dry", world, {}, Header("odd")),
        pytest.raises(
            RecordingError, match="a motion of type Wobble cannot be recorded: the known types are rest, travel"
        ),
    ):
        world.move(world.body("part"), Wobble(Pose()))
    assert list(tmp_path.iterdir()) == []


def test_a_cell_without_signals_is_read_back(tmp_path):
    Cell("still").run(1, record=tmp_path / "still.dry")
    with Recording.open(tmp_path / "still.dry") as recorded:
        assert recorded.signals == {}
        assert recorded.result.duration == 1.0

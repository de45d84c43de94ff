"""Overlays agree with geometry computed by hand, and picked points lie on exact surfaces."""

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drycell import Body, Cell, Robot, Sensor, Workpoint, deg, delay, mm, s, shifted
from drycell.base import DrycellError, Pose, UnknownName
from drycell.geometry import Box, Cylinder
from drycell.recording import Recording
from drycell.sensors import Beam, Row, SensorModel, TraceLines
from drycell.studio.api.scene import TreeSensor
from drycell.studio.host.session import HostSession
from drycell.studio.host.tree import tree

from .asking import answered


def session_of(cell: Cell, folder: Path) -> HostSession:
    session = HostSession(folder, lambda event: None)
    session.open_cell(cell)
    return session


def ask(session: HostSession, do: str, **arguments: Any) -> Any:
    return answered(session, do, arguments)[0]


def number_of(session: HostSession, name: str) -> int:
    return next(number for number, body in enumerate(session.bodies) if body.name == name)


# -------------------------------------------------------------------- picks


@pytest.fixture
def post(tmp_path: Path) -> HostSession:
    """A cylinder of 15 mm radius and 110 mm height, tilted, and a box turned by 30 degrees."""
    cell = Cell()
    cell.add("post", Body(Cylinder(15 * mm, 110 * mm), at=Pose.of_rpy(0.3, -0.2, 0.7, at=(0.4, -0.3, 0.2))))
    cell.add("block", Body(Box(0.06, 0.04, 0.05), at=Pose.of_rpy(0.0, 0.0, 30 * deg, at=(1.0, 0.5, 0.025))))
    return session_of(cell, tmp_path)


@pytest.mark.parametrize("turn", [0.0, 0.31, 1.9, 3.3, 5.4])
def test_a_pick_on_a_cylinder_lies_on_the_cylinder_not_on_a_facet(post: HostSession, turn: float) -> None:
    pose = Pose.of_rpy(0.3, -0.2, 0.7, at=(0.4, -0.3, 0.2))
    axis_point = pose.point((0.0, 0.0, 0.02))
    eye = pose.point((3.0 * math.cos(turn), 3.0 * math.sin(turn), 1.0))
    direction = [b - a for a, b in zip(eye, axis_point, strict=True)]

    found = ask(post, "scene.pick", number=number_of(post, "post"), origin=list(eye), direction=direction, t=0)

    x, y, z = found["local_point"]
    assert math.hypot(x, y) == pytest.approx(0.015, abs=1e-9)
    assert math.atan2(y, x) == pytest.approx(math.remainder(turn, math.tau), abs=1e-9)
    assert found["local_normal"] == pytest.approx([math.cos(turn), math.sin(turn), 0.0], abs=1e-9)
    assert found["point"] == pytest.approx(list(pose.point((x, y, z))), abs=1e-12)
    assert found["normal"] == pytest.approx(list(pose.direction(found["local_normal"])), abs=1e-12)


def test_a_pick_on_a_box_face_is_exact(post: HostSession) -> None:
    # Straight down onto the top, 10 mm along the box's own x from its middle.
    x, y = 1.0 + 0.01 * math.cos(30 * deg), 0.5 + 0.01 * math.sin(30 * deg)

    found = ask(post, "scene.pick", number=number_of(post, "block"), origin=[x, y, 2.0], direction=[0, 0, -1], t=0)

    assert found["body"] == "block"
    assert found["point"] == pytest.approx([x, y, 0.05], abs=1e-12)
    assert found["normal"] == pytest.approx([0, 0, 1], abs=1e-12)
    assert found["local_point"] == pytest.approx([0.01, 0.0, 0.025], abs=1e-12)


def test_a_ray_that_just_passes_by_takes_the_nearest_point_of_the_surface(post: HostSession) -> None:
    number = number_of(post, "block")
    ray = {"number": number, "origin": [1.0, 0.5, 2.0], "direction": [1, 0, 0], "t": 0}

    found = ask(post, "scene.pick", **ray, near=[1.0, 0.5, 0.0501])

    assert found["point"] == pytest.approx([1.0, 0.5, 0.05], abs=1e-12)
    with pytest.raises(DrycellError, match="misses 'block'"):
        ask(post, "scene.pick", **ray)
    with pytest.raises(DrycellError, match="no body number 99"):
        ask(post, "scene.pick", **{**ray, "number": 99})


# -------------------------------------------------------------------- sensors


@pytest.fixture
def eyes(tmp_path: Path) -> HostSession:
    """A cone of 200 mm and 10 degrees that looks down from 300 mm, and a row of three lines 40 mm apart."""
    cell = Cell()
    cell.add("plate", Body(Box(100 * mm, 100 * mm, 20 * mm), at=(0.0, 0.0, 0.14)))  # its top is at 150 mm
    down = Pose.of_rpy(180 * deg, 0.0, 0.0, at=(0.0, 0.0, 0.3))
    sonar = SensorModel(type="range", volume=Beam(0.2, 10 * deg), trace_lines=TraceLines(count=5, spread=5 * deg))
    cell.add("sonar", Sensor(sonar, at=down))
    curtain = SensorModel(
        type="proximity", volume=Beam(0.5, 20 * deg), trace_lines=TraceLines(row=Row(count=3, width=0.08), reach=0.4)
    )
    cell.add("curtain", Sensor(curtain, at=Pose.of_rpy(0.0, 90 * deg, 0.0, at=(-1.0, 0.0, 0.14))))
    return session_of(cell, tmp_path)


def test_the_cone_of_a_sensor_has_its_apex_at_the_sensor_and_opens_along_z(eyes: HostSession) -> None:
    reported = ask(eyes, "scene.overlays", t=0, what=["sensors"])["sensors"]
    sonar = next(each for each in reported if each["name"] == "sonar")

    assert eyes.bodies[sonar["body"]].name == "sonar"
    (volume,) = sonar["volumes"]
    pose = Pose.of_quaternion(volume["pose"][3:], volume["pose"][:3])
    corners = [pose.point(volume["vertices"][k : k + 3]) for k in range(0, len(volume["vertices"]), 3)]
    assert min(z for _, _, z in corners) == pytest.approx(0.0, abs=1e-6)
    assert max(z for _, _, z in corners) == pytest.approx(0.2, abs=1e-6)
    rim = 0.2 * math.tan(10 * deg)
    assert max(math.hypot(x, y) for x, y, _ in corners) == pytest.approx(rim, rel=0.02)
    assert max(math.hypot(x, y) for x, y, z in corners if z < 0.1) < 0.5 * rim  # it widens


def test_trace_lines_are_as_long_as_the_cone_lets_them(eyes: HostSession) -> None:
    reported = ask(eyes, "scene.overlays", t=0, what=["sensors"])["sensors"]
    sonar, curtain = (next(each for each in reported if each["name"] == name) for name in ("sonar", "curtain"))

    assert sonar["lines"][0] == pytest.approx([0, 0, 0, 0, 0, 1, 0.2], abs=1e-9)
    for line in sonar["lines"][1:]:  # 5 degrees off the axis they leave through the cone's flat end
        assert line[5] == pytest.approx(math.cos(5 * deg))
        assert line[6] == pytest.approx(0.2 / math.cos(5 * deg), abs=1e-6)
    assert [line[0] for line in curtain["lines"]] == pytest.approx([-0.04, 0.0, 0.04])
    assert [line[6] for line in curtain["lines"]] == [0.4] * 3


def test_lines_end_where_they_meet_something_and_the_sensor_lights_up(eyes: HostSession) -> None:
    sonar, curtain = ask(eyes, "scene.overlays", t=0, what=["detections"])["detections"]

    assert sonar["on"] is True
    assert sonar["seen"] == ["plate"]
    assert sonar["lines"][0] == pytest.approx(0.15, abs=1e-9)  # from 300 mm down to 150 mm
    assert sonar["lines"][1:] == pytest.approx([0.15 / math.cos(5 * deg)] * 4, abs=1e-9)
    assert sonar["tripped"] == [True] * 5
    assert sonar["spans"] == [pytest.approx(0.15, abs=1e-9)]  # waves end there, too
    assert (curtain["on"], curtain["lines"], curtain["tripped"]) == (False, [None] * 3, [False] * 3)


def test_a_beam_ends_at_a_body_that_it_does_not_detect(tmp_path: Path) -> None:
    cell = Cell()
    cell.add("pane", Body(Box(100 * mm, 100 * mm, 10 * mm), material="glass", at=(0.0, 0.0, 0.205)))
    cell.add("eye", Sensor(SensorModel(type="proximity", senses="metal", volume=Cylinder(2 * mm, 300 * mm))))
    session = session_of(cell, tmp_path)
    ((volume,),) = (each["volumes"] for each in ask(session, "scene.overlays", t=0, what=["sensors"])["sensors"])
    (found,) = ask(session, "scene.overlays", t=0, what=["detections"])["detections"]

    assert (volume["form"], volume["reach"]) == ("beam", pytest.approx(0.3))
    assert found["on"] is False
    assert found["spans"] == [pytest.approx(0.2, abs=1e-9)]


@pytest.mark.parametrize(
    ("volume", "form"),
    [
        (Beam(0.2, 10 * deg), "waves"),
        (Cylinder(2 * mm, 300 * mm), "beam"),
        (Cylinder(9 * mm, 5 * mm), "field"),
        (Box(200 * mm, 60 * mm, 10 * mm), "field"),
    ],
)
def test_the_form_of_a_volume_follows_from_its_shape(tmp_path: Path, volume: Any, form: str) -> None:
    cell = Cell()
    cell.add("eye", Sensor(SensorModel(type="proximity", volume=volume)))
    (eye,) = ask(session_of(cell, tmp_path), "scene.overlays", t=0, what=["sensors"])["sensors"]
    (drawn,) = eye["volumes"]

    assert drawn["form"] == form
    assert len(drawn["normals"]) == len(drawn["vertices"])
    normals = np.reshape(drawn["normals"], (-1, 3))
    assert np.linalg.norm(normals, axis=1) == pytest.approx(np.ones(len(normals)), abs=2e-3)


def test_sensors_of_a_recording_are_drawn_as_in_the_run_and_light_up_when_they_did(tmp_path: Path) -> None:
    """A plate is put 150 mm below the sonar at 1.05 s and goes at 2.05 s; the sonar looks every 100 ms."""
    cell = Cell()
    plate = cell.add("plate", Body(Box(100 * mm, 100 * mm, 20 * mm), at=(1.0, 0.0, 0.14)))
    sonar = SensorModel(type="range", volume=Beam(0.2, 10 * deg), trace_lines=TraceLines(count=5, spread=5 * deg))
    cell.add("sonar", Sensor(sonar, at=Pose.of_rpy(180 * deg, 0.0, 0.0, at=(0.0, 0.0, 0.3))))

    @cell.program
    def visitor() -> None:
        delay(1.05 * s)
        cell.world.place(plate, Pose(0.0, 0.0, 0.14))
        delay(1.0 * s)
        cell.world.place(plate, Pose(1.0, 0.0, 0.14))
        delay(1.0 * s)

    live = session_of(cell, tmp_path)
    cell.run(record=tmp_path / "run.dry")
    recorded = HostSession(tmp_path, lambda event: None)
    recorded.open_recording(Recording.open(tmp_path / "run.dry"), tmp_path / "run.dry")

    assert ask(recorded, "scene.overlays", t=0, what=["sensors"]) == ask(live, "scene.overlays", t=0, what=["sensors"])
    assert tree(recorded).sensors == tree(live).sensors == (TreeSensor("sonar", None, "range"),)
    for t, lit in ((1.0, False), (1.099, False), (1.1, True), (2.0, True), (2.1, False)):
        (found,) = ask(recorded, "scene.overlays", t=round(t * 1e6), what=["detections"])["detections"]
        assert found["on"] is lit, t
        assert found["tripped"] == [lit] * 5, t
        if not 1.05 <= t < 2.05:
            assert found["lines"] == [None] * 5
        else:  # the plate is there, whether or not the sensor has noticed it yet
            assert found["lines"][0] == pytest.approx(0.15, abs=1e-9)
            assert found["lines"][1:] == pytest.approx([0.15 / math.cos(5 * deg)] * 4, abs=1e-9)


# -------------------------------------------------------------------- a run


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> HostSession:
    """An arm that has gone 200 mm along y in a straight line, past a post."""
    cell = Cell()
    table = cell.add("table", Body(Box(700 * mm, 800 * mm, 40 * mm), at=(500 * mm, 0, -20 * mm)))
    cell.add("post", Body(Cylinder(15 * mm, 110 * mm), on=table.name, at=(-2 * mm, 0), part=False))
    arm = cell.add("arm", Robot("ur5-like", gripper="two-finger"))
    cell.check_collisions(clearance=5 * mm)
    cell.add("corner", Workpoint(on=table.name, at=(0.1, 0.2, 0.02)))
    starts: list[tuple[int, Pose, Pose]] = []

    @cell.program
    def go() -> None:
        begin = cell.kernel.now, arm.pose
        arm.move_linear(shifted(arm.here, y=200 * mm), 250 * mm / s)
        starts.append((begin[0], begin[1], arm.pose))

    cell.run()
    session = session_of(cell, tmp_path_factory.mktemp("ran"))
    session.mode = "ended"
    session.started = starts[0]  # type: ignore[attr-defined]
    return session


def test_the_trace_of_the_tool_is_the_line_it_was_sent_along(ran: HostSession) -> None:
    _, first, last = ran.started  # type: ignore[attr-defined]

    points = ask(ran, "scene.tool_path", robot="arm", t0=0, t1=ran.now)

    assert points[0] == pytest.approx(list(first.position), abs=2e-6)
    assert points[-1] == pytest.approx(list(last.position), abs=2e-6)
    assert len(points) > 100
    for x, _, z in points:
        assert (x, z) == pytest.approx((first.x, first.z), abs=5e-4)  # as straight as the controller drives
    assert sum(math.dist(a, b) for a, b in pairwise(points)) == pytest.approx(0.2, abs=1e-3)


def test_exposures_are_evenly_spread_and_hold_all_links(ran: HostSession) -> None:
    reported = ask(ran, "scene.exposures", t0=0, t1=ran.now, count=5, bodies=["arm"])

    assert [each["t"] for each in reported] == [round(ran.now * k / 4) for k in range(5)]
    shapes = {body.name for body in ran.bodies if body.name.startswith("arm/") and body.shape is not None}
    assert all(set(each["poses"]) == shapes for each in reported)
    hand = next(name for name in shapes if "finger" in name)
    moved = [b - a for a, b in zip(reported[0]["poses"][hand][:3], reported[-1]["poses"][hand][:3], strict=True)]
    assert moved == pytest.approx([0.0, 0.2, 0.0], abs=1e-5)


def test_too_many_copies_and_unknown_names_are_refused(ran: HostSession) -> None:
    with pytest.raises(UnknownName, match="amr"):
        ask(ran, "scene.exposures", t0=0, t1=1, count=2, bodies=["amr"])
    with pytest.raises(DrycellError, match=r"request 'scene\.exposures': count"):
        ask(ran, "scene.exposures", t0=0, t1=1, count=100_000, bodies=["arm"])
    with pytest.raises(UnknownName, match="robot"):
        ask(ran, "scene.tool_path", robot="leg", t0=0, t1=1)
    with pytest.raises(DrycellError, match=r"request 'scene\.overlays': what"):
        ask(ran, "scene.overlays", t=0, what=["everything"])


def test_properties_show_pose_shape_and_mass_by_hand(ran: HostSession) -> None:
    tables = {each["title"]: each for each in ask(ran, "scene.properties", name="post", t=0)}

    world = {line["label"]: line["value"] for line in tables["Pose in the world"]["lines"]}
    assert (world["x"], world["y"], world["z"]) == pytest.approx((0.498, 0.0, 0.055))
    seen = {line["label"]: line["value"] for line in tables["Pose relative to table"]["lines"]}
    assert (seen["x"], seen["z"]) == pytest.approx((-0.002, 0.075))
    body = {line["label"]: line["value"] for line in tables["Body"]["lines"]}
    volume = math.pi * 0.015**2 * 0.11
    assert body["shape"] == "cylinder"
    assert body["volume"] == pytest.approx(volume)
    assert body["mass"] == pytest.approx(1200 * volume)  # plastic
    assert body["size z"] == pytest.approx(0.11)
    assert tables["Pose relative to table"]["link"] == "table"


def test_properties_of_a_robot_show_joints_with_limits_at_the_instant(ran: HostSession) -> None:
    at_first, at_last = (ask(ran, "scene.properties", name="arm", t=t) for t in (0, ran.now))

    joints = {line["label"]: line for line in at_last[0]["lines"]}
    assert at_last[0]["title"] == "Joints"
    assert len(joints) == 6
    assert all(line["low"] < line["value"] < line["high"] and line["unit"] == "rad" for line in joints.values())
    assert at_first[0]["lines"] != at_last[0]["lines"]


def test_properties_of_points_programs_and_signals(ran: HostSession) -> None:
    corner = ask(ran, "scene.properties", name="corner", t=0)
    assert [line["value"] for line in corner[0]["lines"][:3]] == pytest.approx([0.6, 0.2, 0.0])
    assert ask(ran, "scene.properties", name="go", t=0)[0]["title"] == "Program"
    motion = ask(ran, "scene.properties", name="arm.motion", t=0)[0]
    assert motion["title"] == "Signals"
    with pytest.raises(UnknownName, match="tabel"):
        ask(ran, "scene.properties", name="tabel", t=0)


def test_tools_and_workpoints_ride_on_their_bodies(ran: HostSession) -> None:
    reported = ask(ran, "scene.overlays", t=0, what=["tools", "workpoints"])

    (tool,) = [each for each in reported["tools"] if each["name"] == "arm TCP"]
    assert ran.bodies[tool["body"]].name == "arm/flange"
    assert ran.cell is not None
    assert tool["pose"][:3] == pytest.approx(list(ran.cell.robots["arm"].tool.position))
    corner = next(each for each in reported["workpoints"] if each["name"] == "corner")
    assert ran.bodies[corner["body"]].name == "table"
    assert corner["pose"][:3] == pytest.approx([0.1, 0.2, 0.02])


def test_contacts_measure_near_bodies_and_ignore_bodies_that_belong_together(tmp_path: Path) -> None:
    cell = Cell()
    arm = cell.add("arm", Robot("ur5-like", gripper="two-finger"))
    finger = next(body for body in cell.world.bodies.values() if "finger" in body.name and body.shape is not None)
    low = min(cell.world.pose(finger).point(p)[2] for p in finger.shape.triangles()[0])  # type: ignore[union-attr]
    x, y, _ = cell.world.pose(finger).position
    cell.add("floor", Body(Box(0.2, 0.2, 0.02), at=(x, y, low - 0.01 - 0.004)))  # 4 mm below the finger
    cell.check_collisions(clearance=5 * mm)
    session = session_of(cell, tmp_path)

    reported = ask(session, "scene.contacts", t=0)

    with_floor = [each for each in reported if "floor" in (each["a"], each["b"])]
    assert min(each["distance"] for each in with_floor) == pytest.approx(0.004, abs=1e-9)
    assert with_floor[0]["kind"] == "near"
    assert with_floor[0]["text"] == "4.0 mm"
    assert math.dist(with_floor[0]["start"], with_floor[0]["end"]) == pytest.approx(0.004, abs=1e-9)
    assert all("floor" in (each["a"], each["b"]) for each in reported), "links of one arm are not reported"
    assert arm.name == "arm"


def test_contacts_of_the_past_are_those_of_what_was_carried_then(tmp_path: Path) -> None:
    cell = Cell()
    table = cell.add("table", Body(Box(700 * mm, 800 * mm, 40 * mm), at=(500 * mm, 0, -20 * mm)))
    block = cell.add("block", Body(Box(60 * mm, 40 * mm, 50 * mm), on=table.name, at=(-50 * mm, -220 * mm)))
    cell.add(
        "post", Body(Cylinder(15 * mm, 110 * mm), on=table.name, at=(-2 * mm, 0))
    )  # 3 mm beside the way of the block
    arm = cell.add("arm", Robot("ur5-like", gripper="two-finger"))
    cell.check_collisions(clearance=5 * mm, allow=[(block, table)])
    session = session_of(cell, tmp_path)

    @cell.program
    def carry() -> None:
        arm.pick(block)
        arm.move_linear(shifted(arm.here, y=440 * mm), 250 * mm / s)
        arm.move_linear(shifted(arm.here, z=-80 * mm))
        arm.gripper.open()

    (passed,) = cell.run().near_misses
    reported = ask(session, "scene.contacts", t=passed.time)

    (gap,) = [each for each in reported if {each["a"], each["b"]} == {"block", "post"}]
    assert gap["kind"] == "near"
    assert gap["distance"] == pytest.approx(passed.distance, abs=1e-6)


def test_looks_change_nothing_in_a_run(tmp_path: Path) -> None:
    def journal(looking: bool) -> str:
        cell = Cell(seed=3)
        table = cell.add("table", Body(Box(700 * mm, 800 * mm, 40 * mm), at=(500 * mm, 0, -20 * mm)))
        block = cell.add("block", Body(Box(60 * mm, 40 * mm, 50 * mm), on=table.name, at=(-50 * mm, -220 * mm)))
        arm = cell.add("arm", Robot("ur5-like", gripper="two-finger"))
        eye = SensorModel(type="range", volume=Beam(0.4, 10 * deg), trace_lines=TraceLines(count=5, spread=5 * deg))
        cell.add("eye", Sensor(eye, at=Pose.of_rpy(180 * deg, 0.0, 0.0, at=(0.45, 0.0, 0.35))))
        cell.check_collisions(clearance=5 * mm, allow=[(block, table)])
        session = session_of(cell, tmp_path)

        @cell.program
        def go() -> None:
            arm.pick(block)
            arm.move_linear(shifted(arm.here, y=440 * mm), 250 * mm / s)

        if looking:

            def look() -> None:
                for t in (0, cell.kernel.now // 2, cell.kernel.now):
                    ask(session, "scene.overlays", t=t, what=["sensors", "detections", "contacts", "tools"])
                    ask(session, "scene.properties", name="block", t=t)
                    ask(session, "scene.tool_path", robot="arm", t0=0, t1=t)

            for k in range(1, 9):
                cell.kernel.at(k * 300_000, lambda: cell.kernel.inspect(look))
        else:
            for k in range(1, 9):
                cell.kernel.at(k * 300_000, lambda: None)
        return cell.run().journal_hash

    assert journal(True) == journal(False)


def test_the_cylinder_shape_matches_the_expectations_of_other_tests(post: HostSession) -> None:
    shape = post.bodies[number_of(post, "post")].shape
    assert isinstance(shape, Cylinder)

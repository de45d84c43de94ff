"""External axes carry robots and workpieces, and move together with an arm: poses, times, refusals and recordings."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from drycell import (
    Body,
    Box,
    Cell,
    DrycellError,
    Pose,
    Robot,
    Workpoint,
    above,
    deg,
    delay,
    m,
    mm,
    s,
    shifted,
    wait,
)
from drycell.cell import Model
from drycell.recording import Recording
from drycell.robots import (
    IndependentController,
    LiveRobot,
    OutOfReach,
    StandardController,
    SteppingController,
    load_robot,
    robot_from_file,
)
from drycell.verify import verify

DOWN = Pose.turn_x(180 * deg)
SPEED, ACCELERATION = 1.5, 1.5  # of the track
JERK = ACCELERATION / 0.1  # its acceleration builds up in 0.1 s


def alone(travel: float, speed: float = SPEED, acceleration: float = ACCELERATION, jerk: float = JERK) -> float:
    """The duration of a jerk-limited move that reaches its speed and its acceleration."""
    assert travel >= speed * (speed / acceleration + acceleration / jerk)
    return travel / speed + speed / acceleration + acceleration / jerk


def on_a_track(cell: Cell, **options: Any) -> tuple[LiveRobot, LiveRobot]:
    """A track with an arm on its carriage."""
    track = cell.add("track", Robot("track", **options))
    controller = options.get("controller", StandardController())
    arm = cell.add("arm", Robot("ur5e", parent="track/flange", controller=controller))
    return track, arm


def run(cell: Cell, program: Callable[[], object]) -> Any:
    cell.program(program, name="work")
    return cell.run()


# ---------------------------------------------------------------- poses


def test_a_track_carries_an_arm() -> None:
    cell = Cell()
    track, arm = on_a_track(cell, at=(0.1, 0.2, 0.0))
    before = arm.pose
    track.put([1.234])
    # The carriage is 200 mm above the floor, and 120 mm high.
    assert arm.base.pose.position == pytest.approx((1.334, 0.2, 0.32), abs=1e-12)
    assert arm.pose.position == pytest.approx(before.moved(1.234, 0, 0).position, abs=1e-12)


def test_a_workpoint_on_a_positioner_moves_with_both_axes() -> None:
    cell = Cell()
    positioner = cell.add("positioner", Robot("positioner-2", at=(1.0, 2.0, 0.0)))
    weld = cell.add("weld", Workpoint(on="positioner/flange", at=(0.2, 0.0, 0.0)))
    # The axes meet 900 mm above the floor; the face of the plate is 30 mm below that point.
    assert cell.world.pose(weld).position == pytest.approx((1.2, 2.0, 0.87), abs=1e-12)
    positioner.put([90 * deg, 0.0])  # about y: z turns to x, and x to −z
    assert cell.world.pose(weld).position == pytest.approx((0.97, 2.0, 0.7), abs=1e-12)
    positioner.put([90 * deg, 90 * deg])
    assert cell.world.pose(weld).position == pytest.approx((0.97, 2.2, 0.9), abs=1e-12)


def test_a_gantry_goes_to_its_joint_values_and_hangs_an_arm_upside_down() -> None:
    cell = Cell()
    gantry = cell.add("gantry", Robot("gantry-3", arguments={"z": 1.5 * m}))
    arm = cell.add("arm", Robot("ur5e", parent="gantry/flange"))
    gantry.put([1.0, 0.5, 0.25])
    assert arm.base.pose.position == pytest.approx((1.0, 0.5, 1.5 + 1.0 - 0.25), abs=1e-12)
    assert arm.base.pose.direction((0, 0, 1)) == pytest.approx((0, 0, -1), abs=1e-12)


def test_a_loose_part_rides_on_a_turntable_and_stays_on_a_tilted_plate() -> None:
    cell = Cell()
    table = cell.add("table", Robot("turntable"))
    positioner = cell.add("positioner", Robot("positioner-2", at=(3.0, 0.0, 0.0)))
    part = cell.add("part", Body(Box(40 * mm, 40 * mm, 40 * mm), at=(0.3, 0.0, 0.82), part=True))
    other = cell.add("other", Body(Box(40 * mm, 40 * mm, 40 * mm), on="positioner/plate", part=True))
    cell.gravity.release(part)

    def work() -> None:
        table.move_joints([450 * deg])
        positioner.move_joints([60 * deg, 0.0])

    run(cell, work)
    assert part.parent is cell.world.body("table/plate")
    assert part.pose.position == pytest.approx((0.0, 0.3, 0.82), abs=1e-9)
    assert other.parent is cell.world.body("positioner/plate")  # until parts can slide
    assert other.pose.direction((0, 0, 1))[2] == pytest.approx(0.5, abs=1e-9)


def test_a_body_on_an_axis_stands_on_the_link_that_moves() -> None:
    cell = Cell()
    track = cell.add("track", Robot("track"))
    box = Box(40 * mm, 40 * mm, 40 * mm)
    on = {where: cell.add(f"on-{where}", Body(box, on=where)) for where in ("track", "track/base")}
    # The carriage is 200 mm above the floor and 120 mm high; the rails on the beam are 180 mm above the floor.
    assert on["track"].pose.position == pytest.approx((0.0, 0.0, 0.34), abs=1e-12)
    assert on["track/base"].pose.z == pytest.approx(0.2, abs=1e-12)
    track.put([1.0])
    assert on["track"].pose.x == pytest.approx(1.0, abs=1e-12)
    assert on["track/base"].pose.x == pytest.approx(1.5, abs=1e-12)  # the middle of the beam
    arm = cell.add("arm", Robot("ur5e", at=(0, 2.0, 0)))
    assert arm.carrier is None
    cell.add("plate", Body(box, on="arm"))
    assert cell.world.body("plate").parent is arm.base


# ---------------------------------------------------------------- coordinated moves


def test_the_tool_arrives_at_a_place_in_the_world_when_the_track_arrives() -> None:
    cell = Cell()
    track, arm = on_a_track(cell)
    goal = Pose(2.5, -0.5, 0.7) @ DOWN

    def work() -> None:
        move = arm.move(goal, axes={track: 2.2 * m})
        assert track.joints == pytest.approx([2.2], abs=1e-12)
        assert arm.pose.position == pytest.approx(goal.position, abs=1e-9)
        assert not track.moving
        assert not arm.moving
        assert (move.start_time, move.time) == (track.moves[-1].start_time, track.moves[-1].time)
        assert move.duration == pytest.approx(alone(2.2), abs=1e-6)

    result = run(cell, work)
    assert [move.target for move in result.moves["track"]] == ["2200.000 mm"]
    assert result.robots["track"].time == pytest.approx(alone(2.2), abs=1e-6)


def test_the_slowest_joint_of_all_sets_the_time_and_all_keep_their_proportions() -> None:
    cell = Cell()
    track, arm = on_a_track(cell)
    joint = arm.mechanism.joints[0]
    start = arm.joints
    turned = (start[0] + 300 * deg, *start[1:])
    progress = []

    def work() -> None:
        arm.move_joints(turned, axes={track: 100 * mm}, wait=False)
        while arm.moving:
            delay(0.1)
            progress.append(((arm.joints[0] - start[0]) / (300 * deg), track.joints[0] / 0.1))

    result = run(cell, work)
    own = alone(300 * deg, joint.speed, joint.acceleration, joint.jerk)
    assert own > alone(3.0) / 2
    assert result.moves["arm"][0].duration == pytest.approx(own, abs=1e-6)
    assert result.moves["track"][0].duration == pytest.approx(own, abs=1e-6)
    assert len(progress) > 10
    for one, other in progress:
        assert one == pytest.approx(other, abs=1e-9)


def test_independent_axes_start_together_and_end_with_the_last() -> None:
    cell = Cell()
    track, arm = on_a_track(cell, controller=IndependentController())
    end = [q + 10 * deg for q in arm.joints]

    def work() -> None:
        arm.move_joints(end, axes={track: 1.8 * m})

    # A trapezoid without limited jerk: travel / speed + speed / acceleration.
    assert run(cell, work).moves["arm"][0].duration == pytest.approx(1.8 / SPEED + SPEED / ACCELERATION, abs=1e-6)


def test_a_stepping_controller_takes_the_cycles_of_the_slowest() -> None:
    cell = Cell()
    track, arm = on_a_track(cell, controller=SteppingController(cycle=0.05))

    def work() -> None:
        arm.move_joints(arm.joints, axes={track: 1.0 * m})

    assert run(cell, work).moves["arm"][0].duration == pytest.approx(math.ceil(1.0 / SPEED / 0.05) * 0.05, abs=1e-6)


def test_the_defaults_of_an_arms_controller_leave_the_track_its_own_limits() -> None:
    cell = Cell()
    track = cell.add("track", Robot("track"))
    arm = cell.add("arm", Robot("ur5e", parent="track/flange"))  # a trapezoid, 1.05 rad/s and 1.4 rad/s² by default
    waist = arm.joints[0]

    def work() -> None:
        arm.move_joints(arm.joints, axes={track: 2.0 * m})
        arm.move_joints((waist + 2.0, *arm.joints[1:]), axes={track: 1.9 * m})
        arm.move_joints((waist, *arm.joints[1:]), axes={track: 2.0 * m}, time=4.0)

    moves = run(cell, work).moves["track"]
    assert moves[0].duration == pytest.approx(2.0 / SPEED + SPEED / ACCELERATION, abs=1e-6)
    assert moves[1].duration == pytest.approx(2.0 / 1.05 + 1.05 / 1.4, abs=1e-6)
    assert moves[2].duration == pytest.approx(4.0, abs=2e-6)


def test_a_target_on_a_turned_table_is_where_it_will_be() -> None:
    cell = Cell()
    table = cell.add("table", Robot("turntable", at=(0.9, 0.0, 0.0), arguments={"height": "400 mm"}))
    arm = cell.add("arm", Robot("ur5e"))
    place = cell.add("place", Workpoint(on="table/flange", at=(0.3, 0.0, 0.05), rpy=(180 * deg, 0, 0)))

    def work() -> None:
        with pytest.raises(OutOfReach):
            arm.move(place)
        arm.move(place, axes={table: 180 * deg})
        assert arm.pose.position == pytest.approx((0.6, 0.0, 0.45), abs=1e-9)
        assert cell.world.pose(place).position == pytest.approx((0.6, 0.0, 0.45), abs=1e-9)

    run(cell, work)


def test_an_arm_that_hangs_from_a_gantry_works_on_a_positioner() -> None:
    cell = Cell()
    gantry = cell.add("gantry", Robot("gantry-3"))
    positioner = cell.add("positioner", Robot("positioner-2", at=(2.0, 1.0, 0.0)))
    arm = cell.add("arm", Robot("ur5e", parent="gantry/flange"))
    weld = cell.add("weld", Workpoint(on="positioner/flange", at=(0.0, 0.15, 0.1), rpy=(180 * deg, 0, 0)))

    def work() -> None:
        arm.move(weld, axes={gantry: (1.6, 1.0, 0.3), positioner: (30 * deg, 45 * deg)})
        assert gantry.joints == pytest.approx((1.6, 1.0, 0.3))
        assert arm.pose.distance_to(cell.world.pose(weld))[0] < 1e-9

    result = run(cell, work)
    assert len({(move.start, move.end) for name in ("arm", "gantry", "positioner") for move in result.moves[name]}) == 1


def test_a_zone_blends_coordinated_moves() -> None:
    assert blended(80 * mm) < blended(0.0) - 0.1


def blended(zone: float) -> float:
    """The time of two coordinated moves with a zone between them."""
    cell = Cell()
    track, arm = on_a_track(cell)
    corner, end = Pose(1.2, -0.5, 0.8) @ DOWN, Pose(1.2, -0.5, 0.6) @ DOWN

    def work() -> None:
        arm.move(corner, axes={track: 1.0 * m}, zone=zone)
        assert math.dist(arm.pose.position, corner.position) <= zone + 1e-6
        assert track.moving == (zone > 0.0)
        arm.move(end, axes={track: 1.1 * m})
        assert arm.pose.position == pytest.approx(end.position, abs=1e-9)
        assert track.joints == pytest.approx([1.1], abs=1e-9)

    result = run(cell, work)
    assert result.moves["track"][0].blended == (zone > 0.0)
    return float(result.duration)


def test_a_guard_stops_all_on_their_common_path() -> None:
    cell = Cell()
    track, arm = on_a_track(cell)
    button = cell.signal("button", False)
    start, end = arm.joints, [q + 60 * deg for q in arm.joints]
    rests = []

    def press() -> None:
        delay(1.0)
        button.set(True)

    def work() -> None:
        move = arm.move_joints(end, axes={track: 3.0 * m}, until=button)
        assert move.fired
        assert move.time == 1.0
        assert not track.moving
        done = track.joints[0] / 3.0
        assert 0.1 < done < 0.9
        assert arm.joints == pytest.approx([a + done * (b - a) for a, b in zip(start, end, strict=True)], abs=1e-9)
        rests.append((move.rest_time, track.moves[-1].rest_time, track.moves[-1].stopped))
        track.move_joints([0.0])
        arm.move_joints(start)

    cell.program(press)
    run(cell, work)
    assert rests[0][0] == rests[0][1]
    assert rests[0][2]


def test_stopping_the_track_stops_the_arm() -> None:
    cell = Cell()
    track, arm = on_a_track(cell)

    def work() -> None:
        arm.move_joints([q + 60 * deg for q in arm.joints], axes={track: 3.0 * m}, wait=False)
        delay(1.0)
        track.stop()
        assert not arm.moving
        assert arm.moves[-1].stopped
        assert 0.3 < track.joints[0] < 2.0

    run(cell, work)


def test_the_next_command_waits_for_a_coordinated_move() -> None:
    cell = Cell()
    track, arm = on_a_track(cell)

    def work() -> None:
        arm.move_joints(arm.joints, axes={track: 1.8 * m}, wait=False)
        assert track.moving
        goal = Pose(2.0, -0.5, 0.7) @ DOWN
        arm.move(goal)  # from where the base will be
        assert arm.pose.position == pytest.approx(goal.position, abs=1e-9)
        assert arm.moves[-1].start_time == pytest.approx(alone(1.8), abs=1e-6)
        track.move_joints([0.0], wait=False)
        arm.move_joints(arm.mechanism.home, axes={track: 3.0 * m})
        assert track.joints == pytest.approx([3.0])

    run(cell, work)


# ---------------------------------------------------------------- refusals


def refused(cell: Cell, program: Callable[[], object]) -> str:
    with pytest.raises(DrycellError) as error:
        run(cell, program)
    return str(error.value)


def test_a_line_from_a_moving_base_is_refused() -> None:
    cell = Cell()
    track, arm = on_a_track(cell)

    def work() -> None:
        track.move_joints([1.0], wait=False)
        delay(0.1)
        arm.move_linear(shifted(arm.here, z=50 * mm))

    text = refused(cell, work)
    assert "arm cannot move to" in text
    assert "while track, which carries it, moves by itself" in text
    assert "at 0.100 s, program 'work' (test_external_axes.py:" in text
    assert "axes={track: …}" in text


def test_a_base_cannot_leave_while_its_arm_moves_to_a_place() -> None:
    cell = Cell()
    track, arm = on_a_track(cell)

    def work() -> None:
        arm.move(shifted(arm.here, z=50 * mm), wait=False)
        track.move_joints([1.0])

    assert "while track, which carries it, moves by itself" in refused(cell, work)


def test_an_arm_may_fold_while_its_base_moves() -> None:
    cell = Cell()
    track, arm = on_a_track(cell)

    def work() -> None:
        track.move_joints([1.5], wait=False)
        arm.move_joints([q + 20 * deg for q in arm.joints])
        assert track.moving
        track.wait_still()

    run(cell, work)


def test_one_program_commands_an_axis_at_a_time() -> None:
    cell = Cell()
    track, arm = on_a_track(cell)

    def other() -> None:
        delay(0.5)
        track.move_joints([0.0])

    cell.program(other)

    def work() -> None:
        arm.move_joints(arm.joints, axes={track: 2.0})

    text = refused(cell, work)
    assert "program 'other' cannot command track while it moves for program 'work'" in text


@pytest.mark.parametrize(
    ("axes", "text"),
    [
        (
            lambda track, arm: {track: 5 * m},
            "track/carriage is past its limit: 5000.0 mm is not between 0.0 and 3000.0",
        ),
        (lambda track, arm: {track: (1.0, 2.0)}, "track has 1 joints, but 2 values were given"),
        (lambda track, arm: {track: "1 m"}, "neither a joint value nor a list"),
        (lambda track, arm: {arm: arm.joints}, "arm cannot move together with 'arm'"),
        (lambda track, arm: {"track": 1.0}, "arm cannot move together with 'track'"),
    ],
)
def test_wrong_axes_are_refused(axes: Callable[..., Any], text: str) -> None:
    cell = Cell()
    track, arm = on_a_track(cell)

    def work() -> None:
        arm.move_joints(arm.joints, axes=axes(track, arm))

    assert text in refused(cell, work)
    assert not track.moves


def test_out_of_reach_says_how_far_the_track_would_have_to_go() -> None:
    cell = Cell()
    track, arm = on_a_track(cell)
    goal = Pose(2.6, -0.5, 0.7) @ DOWN

    def needed() -> float:
        with pytest.raises(OutOfReach) as error:
            arm.move(goal)
        assert "beyond reach by" in error.value.what
        hint = str(error.value.hint)
        assert "(now 0.0 mm)" in hint
        return float(hint.split("move track/carriage to ")[1].split(" mm")[0]) * mm

    def work() -> None:
        far = needed()
        assert f"axes={{track: {far / mm:.6g}*mm}}" in str(arm.reach(goal).hint)
        track.put([far - 2 * mm])
        assert not arm.reach(goal)
        track.put([far])
        assert arm.reach(goal)
        arm.move(goal)

    run(cell, work)


# ---------------------------------------------------------------- world, recordings, searches


def test_a_carried_arm_collides_when_its_base_has_gone_far_enough() -> None:
    cell = Cell()
    track, arm = on_a_track(cell)
    wall = cell.add("wall", Body(Box(0.1, 4.0, 4.0), at=(2.0 + 0.05, 0.0, 2.0)))
    bodies = [each for each in cell.world.subtree(arm.base) if each.shape is not None]
    gap = min(cell.scene.gap(each, wall, 0) for each in bodies)
    assert 0.5 < gap < 2.0
    cell.check_collisions([(arm, wall)])

    def work() -> None:
        track.move_joints([2.5])

    found = run(cell, work).collisions[0]
    # Half of the time of acceleration is lost: the position is speed × (t − lag) once the speed is reached.
    lag = (SPEED / ACCELERATION + ACCELERATION / JERK) / 2
    assert {found.a.partition("/")[0], found.b} == {"arm", "wall"}
    assert found.time * 1e-6 == pytest.approx(gap / SPEED + lag, abs=1e-3)


def busy(cell: Cell) -> None:
    """An arm on a track picks a part, and puts it on a turned table."""
    track = cell.add("track", Robot("track"))
    arm = cell.add("arm", Robot("ur5e", parent="track/flange", gripper="two-finger"))
    cell.add("bench", Body(Box(0.4, 0.4, 0.4), at=(2.4, -0.6, 0.2)))
    table = cell.add("table", Robot("turntable", at=(0.6, 0.8, 0.0), arguments={"height": "500 mm"}))
    part = cell.add("part", Body(Box(40 * mm, 40 * mm, 40 * mm), on="bench", part=True))
    spot = cell.add("spot", Workpoint(on="table/flange", at=(0.2, 0.0, 0.021), rpy=(180 * deg, 0, 0)))

    @cell.program
    def work() -> None:
        arm.move(above(part, 150 * mm), axes={track: 2.1 * m})
        arm.pick(part)
        arm.move(shifted(spot, z=150 * mm), axes={track: 0.3 * m, table: 180 * deg})
        arm.place(spot)
        arm.move_joints(arm.mechanism.home, axes={table: 90 * deg})


def test_a_part_placed_on_a_turned_table_turns_with_it() -> None:
    cell = Cell()
    busy(cell)
    cell.run()
    part = cell.world.body("part")
    # At 180° the spot is at −x of the table; a quarter turn back, it is at +y.
    assert part.pose.position[:2] == pytest.approx((0.6, 0.8 + 0.2), abs=1e-6)
    assert part.parent is cell.world.body("table/plate")


def test_recordings_give_back_every_pose_and_runs_repeat_byte_for_byte(tmp_path: Path) -> None:
    hashes, path = [], tmp_path / "run.drycell"
    for _ in range(2):
        cell = Cell("axes", seed=3)
        busy(cell)
        result = cell.run(record=path)
        hashes.append((result.journal_hash, path.read_bytes()))
    assert hashes[0] == hashes[1]
    with Recording.open(path) as recording:
        for k in range(40):
            t = int(result.duration * 1e6 * k / 39)
            for name in ("arm/flange", "arm/gripper/palm", "part", "table/plate", "track/carriage"):
                there = recording.world.pose(recording.world.body(name), t)
                assert there.rows == cell.world.pose(cell.world.body(name), t).rows
        assert recording.tracks.named("moves")["track"].count(10**12) == len(result.moves["track"])


def test_a_search_covers_coordinated_moves() -> None:
    def build(cell: Cell) -> None:
        track, arm = on_a_track(cell)
        ready, go = cell.signal("ready", False), cell.signal("go", False)

        @cell.program
        def tend() -> None:
            arm.move_joints(arm.joints, axes={track: 1.0 * m})
            ready.set(True)
            wait(go)
            arm.move_joints(arm.joints, axes={track: 0.0})

        @cell.program
        def press() -> None:
            wait(ready)
            delay(1.0)
            go.set(True)

    verdict = verify(build)
    assert verdict.finding is None


# ---------------------------------------------------------------- arguments


def test_arguments_size_an_axis() -> None:
    track = load_robot("track", {"travel": "5.5 m", "speed": 2 * m / s})
    assert (track.joints[0].upper, track.joints[0].speed) == (5.5, 2.0)
    assert track.base is not None
    (low, _, _), (high, _, _) = track.base.bounds
    assert (low, high) == pytest.approx((-0.45, 5.95))
    assert load_robot("track").joints[0].upper == 3.0
    assert load_robot("turntable", {"diameter": "2 m"}).links[0].shape.bounds[1][0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("track", {"travl": "4 m"}, "did you mean 'travel'"),
        ("track", {"travel": "4 deg"}, "is not a length"),
        ("track", {"travel": "4"}, "has no unit"),
        ("track", {"travel": 0.0}, "must be above 0"),
        ("track", {"travel": "-1 m"}, "must be above 0"),
        ("ur5e", {"travel": "4 m"}, "travel"),
        ("box-frame", {"travel": "4 m"}, "has no arguments"),
    ],
)
def test_wrong_arguments_are_reported(name: str, arguments: dict[str, str | float], text: str) -> None:
    with pytest.raises(DrycellError) as error:
        load_robot(name, arguments)
    assert text in str(error.value)


def test_a_wrong_argument_is_reported_at_its_line(tmp_path: Path) -> None:
    file = tmp_path / "cell.yaml"
    file.write_text("robots:\n  track:\n    model: track\n    arguments:\n      travel: 4 kg\n")
    with pytest.raises(DrycellError) as error:
        Cell(Model.load(file))
    assert "cell.yaml:5" in str(error.value)
    assert "'4 kg' is not a length" in str(error.value)
    file.write_text("robots:\n  track: {model: track, arguments: {travel: 4}}\n")
    with pytest.raises(DrycellError, match="expected text"):
        Model.load(file)


def test_arguments_from_python_are_saved_with_their_units(tmp_path: Path) -> None:
    cell = Cell("saved")
    cell.add("track", Robot("track", arguments={"travel": 4 * m}))
    cell.save(tmp_path / "cell.yaml")
    assert "arguments: {travel: 4000 mm}" in (tmp_path / "cell.yaml").read_text()
    again = Cell(Model.load(tmp_path / "cell.yaml"))
    assert again.robots["track"].mechanism.joints[0].upper == 4.0


FILE = """robot: lift
source: ours
arguments: {stroke: 800 mm}
joints:
  lift: {limits: [0 mm, $stroke], speed: 0.5 m/s, acceleration: 1 m/s^2}
flange: {on: ram, at: [0, 0, %s]}
links:
  ram: {moves: [{by: lift, axis: z}]}
"""


def test_your_own_file_can_have_arguments(tmp_path: Path) -> None:
    file = tmp_path / "lift.yaml"
    file.write_text(FILE % "0.5 * $stroke - 10 mm")
    lift = robot_from_file(file, arguments={"stroke": "1 m"})
    assert lift.forward([0.25]).z == pytest.approx(0.25 + 0.49)
    assert robot_from_file(file).joints[0].upper == 0.8


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("$strok", "did you mean 'stroke'"),
        ("$stroke + 10 deg", "adds a length and an angle"),
        ("$stroke ** 2", "is not an expression"),
        ("2 $stroke", "is not an expression"),
        ("$stroke / 0", "divides by zero"),
        ("$stroke + 2", "'2' is not a quantity"),
    ],
)
def test_wrong_expressions_are_reported_with_their_line(tmp_path: Path, expression: str, text: str) -> None:
    file = tmp_path / "lift.yaml"
    file.write_text(FILE % expression)
    with pytest.raises(DrycellError) as error:
        robot_from_file(file)
    assert text in str(error.value)
    assert "lift.yaml:6" in str(error.value)

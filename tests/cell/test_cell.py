"""A cell is built in Python: bodies, robots, signals and checks; errors name the invalid thing."""

import pytest

from drycell import Body, Box, Cylinder, Robot, Workpoint
from drycell.base import BusyWait, DrycellError, FieldError, KernelError, MotionError, Pose, UnknownName, WorldError, mm
from drycell.cell import Cell
from drycell.kernel import delay
from drycell.robots import IndependentController, MotionController, StandardController, SteppingController
from drycell.world import Travel


def error_of(build, kind: type[DrycellError]) -> str:
    with pytest.raises(kind) as caught:
        build()
    return str(caught.value)


# ---------------------------------------------------------------- building


def test_two_bodies_of_one_name_are_refused() -> None:
    cell = Cell()
    cell.add("block", Body(Box(0.1, 0.1, 0.1)))
    assert error_of(lambda: cell.add("block", Body(Box(0.1, 0.1, 0.1))), WorldError) == (
        "there is already a body 'block'\n  try: give each a unique name"
    )


@pytest.mark.parametrize("name", ["2 t", "", "a//b", "/a", "a/", "tab\tle", "*", "x" * 101, 7])
def test_names_invalid_in_files_are_refused_before_anything_is_added(name: object) -> None:
    cell = Cell()
    with pytest.raises(FieldError, match="is not a valid name") as refused:
        cell.add(name, Body(Box(1.0, 1.0, 1.0)))
    assert refused.value.hint.startswith("start with a letter")
    assert not cell.things
    assert not cell.world.bodies
    cell.add("mill/door-lid.2", Body(Box(1.0, 1.0, 1.0)))
    cell.add("Käfig_1", Body(Box(1.0, 1.0, 1.0)))


def test_bodies_of_another_cell_cannot_carry_things() -> None:
    Cell().add("table", Body(Box(1, 1, 0.1)))
    text = error_of(lambda: Cell().add("block", Body(Box(0.1, 0.1, 0.1), on="table")), UnknownName)
    assert text == "there is no body 'table'\n  try: there are none yet; define one first"


def test_a_material_is_looked_up_by_name() -> None:
    text = error_of(lambda: Cell().add("block", Body(Box(0.1, 0.1, 0.1), material="aluminum")), UnknownName)
    assert text == "there is no material 'aluminum'\n  try: did you mean 'aluminium'?"


def test_a_robot_is_looked_up_by_name() -> None:
    text = error_of(lambda: Cell().add("arm", Robot("ur5_like")), UnknownName)
    assert text == "there is no robot 'ur5_like'\n  try: did you mean 'ur5-like' or 'ur5e'?"


def test_a_gripper_is_looked_up_by_name() -> None:
    text = error_of(lambda: Cell().add("arm", Robot("ur5-like", gripper="two-fingers")), UnknownName)
    assert text == "there is no tool 'two-fingers'\n  try: did you mean 'two-finger'?"


def test_joints_past_a_limit_are_refused_with_the_numbers() -> None:
    text = error_of(lambda: Cell().add("arm", Robot("scara", joints=[0.0, 9.0, 0.0, 0.0])), DrycellError)
    assert text == (  # 9 rad
        "arm/outer is past its limit: 515.7 deg is not between -150.0 and 150.0 deg\n"
        "  try: keep outer within -150.0..150.0 deg"
    )


def test_two_robots_of_one_name_are_refused_before_anything_is_added() -> None:
    cell = Cell()
    cell.add("arm", Robot("scara"))
    before = list(cell.world.bodies)
    assert "there is already" in error_of(lambda: cell.add("arm", Robot("scara")), DrycellError)
    assert list(cell.world.bodies) == before


def test_error_for_a_robot_without_a_gripper_says_how_to_add_one() -> None:
    arm = Cell().add("mover", Robot("scara"))
    assert error_of(lambda: arm.gripper, MotionError) == (
        "mover has no gripper\n  try: give it one: cell.add('mover', Robot(…, gripper=\"robotiq-2f-85\"))"
    )


def test_a_position_is_a_pose_or_two_or_three_lengths() -> None:
    cell = Cell()
    assert cell.add("flat", Body(Box(1, 1, 1), at=(1, 2))).pose.position == (1, 2, 0)
    assert cell.add("deep", Body(Box(1, 1, 1), at=(1, 2, 3))).pose.position == (1, 2, 3)
    assert cell.add("posed", Body(Box(1, 1, 1), at=Pose(4, 5, 6))).pose.position == (4, 5, 6)
    text = error_of(lambda: cell.add("odd", Body(Box(1, 1, 1), at=(1,))), DrycellError)
    assert text == ("Body.at: expected a list of 3, got a list of 1\n  try: write for example [100 mm, 50 mm, 0 mm]")


def test_signals_and_workpoints_of_one_name_are_refused() -> None:
    cell = Cell()
    cell.signal("ready", False)
    cell.add("goal", Workpoint())
    assert "there is already a signal 'ready'" in error_of(lambda: cell.signal("ready", True), KernelError)
    assert "there is already a workpoint 'goal'" in error_of(lambda: cell.add("goal", Workpoint()), WorldError)


def test_a_workpoint_moves_with_its_body() -> None:
    cell = Cell()
    tray = cell.add("tray", Body(Box(0.1, 0.1, 0.1), at=(1, 0, 0)))
    point = cell.add("slot", Workpoint(on=tray.name, at=(0, 0, 50 * mm)))
    cell.world.translate(tray, y=0.5)
    assert cell.world.pose(point).position == pytest.approx((1, 0.5, 0.05))


def test_error_for_a_cyclic_tree_shows_the_cycle() -> None:
    cell = Cell()
    lower = cell.add("lower", Body(Box(1, 1, 1)))
    upper = cell.add("upper", Body(Box(1, 1, 1), on=lower.name))
    assert error_of(lambda: cell.world.attach(lower, upper), WorldError) == (
        "cannot attach 'lower' to 'upper': 'upper' is attached to 'lower' (upper → lower → …)\n"
        "  try: a tree of bodies has no cycles; detach one of the two first"
    )


# ---------------------------------------------------------------- collision checks


def crossing(limit: float = 0.0, gap: float = 0.0, **rules) -> Cell:
    """A cube of 100 mm travels at 1 m/s past a fixed one of the same size, whose near side it meets after 1 s.

    It starts with a gap of 1 m along x, and passes ``gap`` beside it along y (none: straight into it).
    """
    cell = Cell()
    wall = cell.add("wall", Body(Box(0.1, 0.1, 0.1), at=(1.1, 0, 0)))
    cube = cell.add("cube", Body(Box(0.1, 0.1, 0.1), at=(0, 0.1 + gap if gap else 0, 0)))
    cell.check_collisions(clearance=limit, **rules)

    @cell.program
    def travel() -> None:
        cell.world.move(cube, Travel(0, 2_000_000, cube.pose, (1, 0, 0)))
        delay(2.5)
        assert wall.pose.x == 1.1

    return cell


def test_a_collision_is_reported_with_bodies_time_depth_and_point() -> None:
    result = crossing().run()
    (collision,) = result.collisions
    assert {collision.a, collision.b} == {"cube", "wall"}
    assert collision.time == 1_000_000
    assert not result.clean
    assert result.ending == "finished"
    # The cube passes right through: the depth is largest, 100 mm, when the two coincide.
    assert "cube – wall from 1.000 s, 100.00 mm deep" in result.summary()


def test_a_pass_within_the_clearance_is_a_near_miss_and_the_run_is_clean() -> None:
    result = crossing(limit=5 * mm, gap=3 * mm).run()
    (near,) = result.near_misses
    assert near.distance == pytest.approx(3 * mm)
    assert result.collisions == ()
    assert result.clean
    assert "3.00 mm apart" in result.summary()


def test_a_pass_beyond_the_clearance_is_not_a_near_miss() -> None:
    result = crossing(limit=2 * mm, gap=3 * mm).run()
    assert result.near_misses == ()
    assert "  collisions    none" in result.summary().splitlines()


def test_pairs_that_may_touch_are_silent() -> None:
    assert crossing(allow=[("cube", "wall")]).run().clean


def test_only_named_pairs_are_checked_when_pairs_are_named() -> None:
    assert crossing(pairs=[("cube", "wall")]).run().collisions
    assert crossing(but=["cube"]).run().clean


def test_with_stop_the_run_ends_at_the_first_collision() -> None:
    result = crossing(stop=True).run()
    assert result.ending == "stopped"
    assert result.duration == pytest.approx(1.0, abs=0.001)
    assert "cube" in result.outcome.reason
    assert "wall" in result.outcome.reason
    assert not result.clean


def test_a_collision_rule_with_an_unknown_name_is_refused() -> None:
    text = error_of(lambda: crossing(but=["cubs"]), UnknownName)
    assert text == "there is no body 'cubs'\n  try: did you mean 'cube'?"


def test_a_second_collision_check_is_refused() -> None:
    cell = crossing()
    assert error_of(cell.check_collisions, KernelError) == (
        "this cell already has a collision check\n  try: call check_collisions once, with all arguments"
    )


def test_the_summary_says_if_collisions_are_not_checked() -> None:
    cell = Cell()
    cell.program(lambda: None, name="nothing")
    assert "  collisions    not checked" in cell.run().summary().splitlines()


# ---------------------------------------------------------------- guards and controllers


def test_a_contact_guard_stops_the_arm_by_its_controllers_deceleration(probe_cell) -> None:
    cell = probe_cell()
    touch = cell.contact(cell.probe, cell.table)
    hits = []

    @cell.program
    def down() -> None:
        hits.append(cell.arm.move_linear(Pose(0, 0, -80 * mm), 50 * mm, until=touch))

    cell.run()
    (hit,) = hits
    assert hit.fired
    # 50 mm/s with 2 m/s² and 20 m/s³: peak √(0.05 · 20) = 1 m/s², so a ramp takes 2 · 1/20 = 0.1 s and 2.5 mm.
    # 100 mm above: 0.1 s + 97.5 mm / 50 mm/s.
    assert hit.time == 2.05
    assert hit.pose.z == pytest.approx(20 * mm, abs=1e-7)
    # The next input scan, every 4 ms, is at 2.052 s, 0.1 mm farther; then another ramp.
    assert hit.rest_time == 2.152
    assert hit.rest_pose.z == pytest.approx(20 * mm - 2.6 * mm, abs=1e-6)


def test_another_controller_runs_the_same_cell_by_its_own_rules(probe_cell) -> None:
    cell = probe_cell(IndependentController())
    touch = cell.contact(cell.probe, cell.table)
    hits = []

    @cell.program
    def down() -> None:
        hits.append(cell.arm.move_linear(Pose(0, 0, -80 * mm), 50 * mm, until=touch))

    cell.run()
    (hit,) = hits
    # A trapezoid of 1 m/s²: 0.05 s and 1.25 mm to 50 mm/s, 98.75 mm / 50 mm/s more; inputs every 10 ms.
    assert hit.time == 2.025
    assert hit.rest_time == 2.08
    assert hit.rest_pose.z == pytest.approx(20 * mm - 1.5 * mm, abs=1e-6)


@pytest.mark.parametrize("controller", [StandardController(), IndependentController(), SteppingController()])
def test_every_controller_takes_the_tool_to_the_same_place(probe_cell, controller: MotionController) -> None:
    cell = probe_cell(controller)

    @cell.program
    def there() -> None:
        cell.arm.move((0.3, 0.2, 0.1))
        cell.arm.move_linear(Pose(0.1, 0.2, 0.15))

    result = cell.run()
    assert cell.arm.pose.position == pytest.approx((0.1, 0.2, 0.15), abs=1e-9)
    assert len(result.moves["arm"]) == 2


# ---------------------------------------------------------------- parts


def test_a_part_dropped_over_the_edge_is_lost_in_the_result() -> None:
    cell = Cell()
    table = cell.add("table", Body(Box(0.2, 0.2, 0.1)))
    peg = cell.add("peg", Body(Cylinder(5 * mm, 20 * mm), on=table.name))

    @cell.program
    def knock() -> None:
        cell.world.place(peg, Pose(1.0, 0, 0.5))
        cell.gravity.release(peg)
        delay(3.0)

    result = cell.run()
    assert result.lost == ("peg",)
    assert not result.clean
    assert "  lost parts    peg" in result.summary().splitlines()


def test_a_loop_that_only_reads_the_time_gets_a_hint_to_wait() -> None:
    cell = Cell()

    @cell.program
    def idle() -> None:
        while cell.time < 5:
            pass

    with pytest.raises(BusyWait, match="program 'idle' stops the clock"):
        cell.run()

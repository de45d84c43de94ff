"""The arms of the library: they agree with an independent table, poses are solved, and every arm works in a cell."""

import importlib.util
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml

from drycell import Body, Box, Cell, Robot, shifted
from drycell.base import MotionError, UnknownName, deg, mm
from drycell.geometry import Placed, distance
from drycell.recording import Recording
from drycell.robots import LIBRARY, load_robot, robot_heads, robot_names, thumbnail, tool_names

TABLES = Path(__file__).with_name("library_tables.yaml")


@cache
def tables():
    return yaml.load(TABLES.read_text(encoding="utf-8"), yaml.CSafeLoader)


ARMS = sorted(line.split(":")[0] for line in TABLES.read_text(encoding="utf-8").splitlines() if line[0] != "#")
NUMERIC = {
    "crb15000-5", "crx10ia", "crx10ial", "crx20ial", "crx30ia", "crx3ia", "crx5ia", "denso-cobotta", "franka-fr3",
    "franka-panda", "hc10dtp", "kinova-gen3-6dof", "kinova-gen3-7dof", "kinova-gen3-lite", "lbr-iiwa14-r820",
    "sia20d", "xarm6", "xarm7",
}  # fmt: skip
"""Arms without a closed form: offset wrists and seven axes."""


def transform(x, y, z, roll, pitch, yaw):
    cr, sr, cp, sp, cy, sy = (f(v * deg) for v in (roll, pitch, yaw) for f in (math.cos, math.sin))
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x * mm],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y * mm],
            [-sp, cp * sr, cp * cr, z * mm],
            [0, 0, 0, 1],
        ]
    )


def by_table(name, joints):
    """The flange poses (n, 4, 4) by the table of an arm."""
    table, kinds = tables()[name], load_robot(name).revolute
    found = np.tile(transform(*table["base"]), (len(joints), 1, 1))
    for (theta, d, a, alpha), turns, q in zip(table["rows"], kinds, joints.T, strict=True):
        angle = theta * deg + (q if turns else 0.0)
        shift = d * mm + (0.0 if turns else q)
        c, s = np.cos(angle) + 0 * q, np.sin(angle) + 0 * q
        ca, sa, zero = math.cos(alpha * deg), math.sin(alpha * deg), 0 * q
        step = np.array(
            [
                [c, -s * ca, s * sa, a * mm * c],
                [s, c * ca, -c * sa, a * mm * s],
                [zero, zero + sa, zero + ca, shift + zero],
                [zero, zero, zero, zero + 1],
            ]
        )
        found = found @ step.transpose(2, 0, 1)
    return found @ transform(*table["flange"])


def samples(name, count, seed=1):
    """Joint values within the limits."""
    joints = load_robot(name).joints
    low = [max(joint.lower, -math.pi) for joint in joints]
    high = [min(joint.upper, math.pi) if joint.revolute else joint.upper for joint in joints]
    return np.random.default_rng(seed).uniform(low, high, (count, len(joints)))


def farthest(name, count):
    """The greatest distance in metres (and rotation as a matrix difference) between an arm and its table."""
    joints, arm = samples(name, count), load_robot(name)
    made = np.array([arm.forward(each.tolist()).matrix for each in joints])
    return float(np.abs(made - by_table(name, joints)).max())


def unsolved(name, count):
    """The number of poses of an arm that its inverse kinematics does not solve."""
    arm, missed = load_robot(name), 0
    for joints in samples(name, count, seed=2):
        pose = arm.forward(joints.tolist())
        try:
            found = arm.inverse(pose)
        except MotionError:
            missed += 1
            continue
        arm.check_joints(found.joints)
        missed += float(np.abs(arm.forward(found.joints).matrix - pose.matrix).max()) > 1e-7
    return missed


def test_the_library_has_152_arms_of_20_makers():
    heads = robot_heads()
    assert len(ARMS) == 152
    assert set(ARMS) <= set(robot_names())
    assert len({heads[name].maker for name in ARMS}) == 20


@pytest.mark.parametrize("name", ARMS)
def test_forward_kinematics_agrees_with_the_table(name):
    assert farthest(name, 5) < 1e-6


@pytest.mark.parametrize("name", ARMS[::8])
def test_poses_are_solved(name):
    assert unsolved(name, 5) == 0


@pytest.mark.parametrize(
    ("name", "joints"),
    [
        ("franka-panda", (-2.635, -1.591, 2.892, -1.113, -1.538, 1.357, 2.748)),
        ("franka-fr3", (-0.216, -1.616, -2.83, -3.024, 0.665, 0.563, 2.732)),
        ("franka-fr3", (0.253, -1.125, 0.896, -1.211, 0.069, 0.562, 2.261)),
        ("franka-fr3", (2.016, -0.961, 1.807, -2.945, 0.83, 0.625, -1.922)),
        ("franka-fr3", (-2.218, 1.009, 0.536, -2.832, 2.077, 4.238, -0.157)),
        ("franka-fr3", (-0.895, -1.755, 1.523, -2.968, 2.799, 3.03, 2.302)),
        ("franka-fr3", (0.978, 1.255, 1.637, -2.74, 1.129, 1.32, 0.909)),
        ("franka-fr3", (1.227, 1.028, 0.127, -2.977, 2.619, 3.079, 0.739)),
        ("franka-fr3", (0.288, -1.497, 1.951, -2.974, -2.512, 3.174, 1.702)),
        ("franka-fr3", (-2.634, 0.781, -1.067, -3.039, 2.597, 3.951, 2.463)),
        ("xarm7", (0.009, 0.81, 1.24, -0.173, -2.896, -0.972, -1.799)),
        ("kinova-gen3-lite", (0.046, -1.999, 1.347, 0.093, -2.457, 1.901)),
    ],
)
def test_poses_with_few_solutions_within_the_limits_are_solved(name, joints):
    """A search that ignored the limits found solutions of these poses, but only past a limit."""
    arm = load_robot(name)
    pose = arm.forward(joints)
    found = arm.inverse(pose).joints
    arm.check_joints(found)
    assert np.abs(arm.forward(found).matrix - pose.matrix).max() < 1e-7


def test_only_offset_wrists_and_seven_axes_need_the_numeric_solver():
    numeric = {name for name in ARMS if type(load_robot(name)._inverse.solver).__name__ == "Numeric"}
    assert numeric == NUMERIC


@pytest.mark.soak
@pytest.mark.parametrize("name", ARMS)
def test_a_thousand_poses_agree_with_the_table(name):
    assert farthest(name, 1000) < 1e-6


@pytest.mark.soak
@pytest.mark.parametrize("name", ARMS)
def test_ten_thousand_poses_are_solved(name):
    missed = unsolved(name, 10_000)
    print(f"{name}: {missed} of 10,000 poses are not solved")
    assert missed <= (10 if name in NUMERIC else 0)


def works(name, folder):
    """Move an arm to another pose in a cell, draw it, and check what was recorded, also in a file."""
    from drycell.pictures import LineDrawing

    cell = Cell(name)
    arm = cell.add("arm", Robot(name))
    start = arm.joints
    away = tuple(
        value + (0.1 if joint.revolute else 0.02) * (1 if value <= 0.5 * (joint.lower + joint.upper) else -1)
        if math.isfinite(joint.upper)
        else value + 0.1
        for value, joint in zip(start, arm.mechanism.joints, strict=True)
    )

    @cell.program
    def demo():
        arm.move(away)
        arm.home()

    file = folder / f"{name}.recording"
    result = cell.run(record=file)
    with Recording.open(file) as recording:
        again = recording.tracks.track("moves", "arm").values
        assert [(move.kind, move.duration) for move in again] == [(m.kind, m.duration) for m in result.moves["arm"]]
    moves = result.moves["arm"]
    assert [move.slowed for move in moves] == [1.0, 1.0]
    assert moves[0].joints == pytest.approx(away)
    assert moves[0].distance > 1 * mm
    drawing = LineDrawing(cell.world)
    drawing.expose(0, tuple(cell.world.bodies.values()))
    assert drawing.svg().count("<path") >= 1


@pytest.mark.parametrize("name", ARMS[::16])
def test_arms_move_and_are_drawn_in_a_cell(name, tmp_path):
    works(name, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("name", ARMS)
def test_every_arm_moves_and_is_drawn_in_a_cell(name, tmp_path):
    works(name, tmp_path)


def test_every_arm_has_its_figures_and_says_what_is_missing():
    for name in ARMS:
        data = load_robot(name).data
        assert data.maker
        assert data.payload > 0
        assert data.reach > 0
        missing = dict(data.missing)
        estimated = any(joint.acceleration is None for joint in robot_heads()[name].joints.values())
        assert estimated == ("accelerations" in missing), name


def test_figures_that_no_source_states_are_listed_as_missing():
    for name in ARMS:
        data = load_robot(name).data
        for what in ("repeatability", "mass"):
            assert (getattr(data, what) is None) == (what in dict(data.missing)), (name, what)


def test_limits_cite_the_makers_document_where_the_description_names_it():
    assert "IRB 2600 technical data sheet (Version: ROB0142EN_B, October 2010)" in load_robot("irb2600-12-1.65").source
    assert sum("limits after: " in load_robot(name).source for name in ARMS) == 37


def test_impossible_figures_of_the_sources_are_rejected():
    for name in ("aubo-i16", "franka-panda", "kr16-r1610-2", "kr20-r1810-2", "xarm6"):
        assert any(why.startswith("rejected: a principal moment") for _, why in load_robot(name).data.missing), name
    for name in ("jaka-zu3", "jaka-zu5", "jaka-zu7", "comau-ns16hand"):
        arm = load_robot(name)
        assert all(link.inertia is None for link in arm.links)
        assert "heavier than the whole arm" in dict(arm.data.missing)["link masses"]


def test_no_link_is_heavier_than_its_arm_and_every_inertia_is_possible():
    for name in ARMS:
        arm = load_robot(name)
        masses = [link.inertia.mass for link in arm.links if link.inertia]
        assert arm.data.mass is None or sum(masses) <= 1.15 * arm.data.mass, name
        for link in arm.links:
            if link.inertia and link.inertia.moments:
                a, b, c, d, e, f = link.inertia.moments
                low, middle, high = np.linalg.eigvalsh([[a, b, c], [b, d, e], [c, e, f]])
                assert low > -1e-12
                assert high <= (low + middle) * (1 + 1e-5) + 1e-12, (name, link.name)


def test_solids_are_marked_with_their_origin_and_deviation():
    assert load_robot("ur5e").data.outline == "own"
    assert load_robot("ur5e").links[1].deviation == pytest.approx(18.7 * mm)
    same = load_robot("kr10-r900-2")
    assert same.data.outline == "kr6-r900-2"
    assert same.links[1].shape is load_robot("kr6-r900-2").links[1].shape
    longer = load_robot("lrmate200id7l")
    assert longer.data.outline == "lrmate200id"
    assert longer.links[1].deviation > load_robot("lrmate200id").links[1].deviation
    short = load_robot("lrmate200id")
    gain = longer.links[2].origin.z - short.links[2].origin.z
    assert gain > 100 * mm
    tops = [arm.links[1].shape.bounds[1][2] for arm in (longer, short)]
    assert tops[0] - tops[1] == pytest.approx(gain, abs=0.1 * mm)  # the end keeps its shape
    arm = load_robot("gp7")
    elbow, forearm = (Placed(arm.links[k].shape, arm.link_poses([0.0] * 6)[k]) for k in (2, 3))
    assert distance(elbow, forearm) < 2 * mm  # the forearm, which reaches back from the wrist, is lengthened backwards
    assert load_robot("kr210-r2700-2").data.outline == "generic"


def test_every_arm_has_a_thumbnail():
    from PIL import Image

    size = 0
    for name in ARMS:
        path = LIBRARY / thumbnail(name)
        size += path.stat().st_size
        with Image.open(path) as picture:
            assert picture.size == (112, 112), name
            assert len(picture.convert("RGB").getcolors()) > 15, f"{name}: nothing is drawn"
    assert size < 1_500_000


@pytest.mark.parametrize("kind", ["robots", "tools"])
def test_every_thumbnail_shows_the_robot_or_tool_as_it_is_now(kind):
    from PIL import Image

    spec = importlib.util.spec_from_file_location("thumbnails", Path(__file__).parents[2] / "tools" / "thumbnails.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    stale = []
    for name in robot_names() if kind == "robots" else tool_names():
        path = LIBRARY / thumbnail(name)
        if not path.exists():  # such as a model of a family
            continue
        with Image.open(path) as picture:
            if picture.text.get(tool.DIGEST) != tool.digest(tool.scene(name)):
                stale.append(name)
    assert not stale, f"draw them again: python tools/thumbnails.py {' '.join(stale)}"


def test_the_controllers_base_is_a_frame():
    assert load_robot("ur5e").mark("controller").pose.rpy[2] == pytest.approx(math.pi)


def test_an_unknown_arm_is_reported_with_similar_names():
    with pytest.raises(UnknownName, match="did you mean 'ur16e' or 'ur5e'"):
        Cell().add("arm", Robot("ur6e"))


@pytest.mark.parametrize(("gap", "seen"), [(6 * mm, True), (8 * mm, False)])
def test_clearances_count_from_the_real_surface(gap, seen):
    """The hand of the UR5e protrudes by up to 5.8 mm from its solid: 1 mm of clearance is missed at 6 mm."""
    cell = Cell("clearance")
    arm = cell.add("arm", Robot("ur5e"))
    x, y, z = arm.pose.position
    cell.add("block", Body(Box(20 * mm, 20 * mm, 20 * mm), at=(x, y, z - 50 * mm - gap - 10 * mm)))
    cell.check_collisions(clearance=1 * mm)

    @cell.program
    def down():
        arm.move_linear(shifted(arm.here, z=-50 * mm))
        arm.move_linear(shifted(arm.here, z=50 * mm))

    result = cell.run()
    assert not result.collisions
    assert bool([miss for miss in result.near_misses if {"block", "arm/wrist_3_link"} == {miss.a, miss.b}]) == seen

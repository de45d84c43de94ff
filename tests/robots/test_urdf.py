"""URDF: joints, links, shapes, limits and mimic joints are read, and errors name the mistake."""

import math
import os

import numpy as np
import pytest

from drycell import Body, Cell, DrycellError, Robot
from drycell.base import MechanismError, Pose
from drycell.cell import CellSource
from drycell.geometry import Box, Compound, Cylinder
from drycell.robots import OutOfReach, robot_from_file
from drycell.robots.urdf import read_urdf

ARM = """<?xml version="1.0"?>
<robot name="crane">
  <link name="foot"><collision><geometry><box size="0.4 0.4 0.1"/></geometry></collision></link>
  <link name="mast">
    <inertial>
      <mass value="3.5"/><origin xyz="0 0 0.2"/><inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual><geometry><sphere radius="1"/></geometry></visual>
    <collision><origin xyz="0 0 0.25"/><geometry><cylinder radius="0.05" length="0.5"/></geometry></collision>
  </link>
  <link name="boom"><visual><geometry><box size="0.6 0.05 0.05"/></geometry></visual></link>
  <link name="hook"/>
  <link name="jaw_left"/>
  <link name="jaw_right"/>
  <joint name="turn" type="continuous">
    <parent link="foot"/><child link="mast"/><origin xyz="0 0 0.05"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="lift" type="prismatic">
    <parent link="mast"/><child link="boom"/><origin xyz="0.1 0 0.5" rpy="0 0 1.5707963267948966"/>
    <axis xyz="0 0 2"/><limit lower="-0.2" upper="0.3" velocity="0.4" effort="10"/>
  </joint>
  <joint name="end" type="fixed"><parent link="boom"/><child link="hook"/><origin xyz="0.3 0 0"/></joint>
  <joint name="left" type="prismatic">
    <parent link="hook"/><child link="jaw_left"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" velocity="0.1" effort="1"/>
  </joint>
  <joint name="right" type="prismatic">
    <parent link="hook"/><child link="jaw_right"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" velocity="0.1" effort="1"/>
    <mimic joint="left" multiplier="-1" offset="0.001"/>
  </joint>
</robot>
"""


def test_joints_links_and_limits_come_out_as_written():
    crane = read_urdf(ARM, tip="hook")
    assert crane.name == "crane"
    assert crane.joint_names == ("turn", "lift", "left")
    assert crane.link_names == ("mast", "boom", "hook", "jaw_left", "jaw_right")
    assert (crane.joints[0].lower, crane.joints[0].upper) == (-math.inf, math.inf)
    assert (crane.joints[1].lower, crane.joints[1].upper, crane.joints[1].speed) == (-0.2, 0.3, 0.4)
    assert crane.base == Box(0.4, 0.4, 0.1)


def test_forward_kinematics_follow_origins_and_axes():
    crane = read_urdf(ARM, tip="hook")
    # Turned by 90 deg the boom, which starts 0.1 m out and is turned itself, points to -x.
    flange = crane.forward((math.pi / 2, 0.2, 0.0))
    assert flange.position == pytest.approx((-0.3, 0.1, 0.05 + 0.5 + 0.2))


def test_mimic_joints_follow_their_master():
    crane = read_urdf(ARM)
    assert crane.gripper is None  # its jaws have no shapes, so they stay joints of the crane
    poses = crane.link_poses((0.0, 0.0, 0.03))
    hook, left, right = poses[2:]
    assert (hook.inverse() @ left).y == pytest.approx(0.03)
    assert (hook.inverse() @ right).y == pytest.approx(-0.03 + 0.001)


def test_collision_shapes_go_before_visual_ones():
    crane = read_urdf(ARM)
    assert crane.links[0].shape == Compound(((Pose(0, 0, 0.25), Cylinder(0.05, 0.5)),))
    assert crane.links[1].shape == Box(0.6, 0.05, 0.05)
    assert crane.links[2].shape is None


def test_by_default_the_flange_is_on_the_last_link_before_the_fingers():
    assert read_urdf(ARM).links[read_urdf(ARM).flange.link].name == "hook"
    with pytest.raises(MechanismError, match=r"there is no link 'hok'\n  try: did you mean 'hook'"):
        read_urdf(ARM, tip="hok")


def test_pinocchio_reads_the_same_robot():
    import pinocchio as pin

    crane = read_urdf(ARM, tip="hook")
    model = pin.buildModelFromXML(ARM)
    data = model.createData()
    angle = 0.7
    # pinocchio keeps an endless joint as cosine and sine, and mimic joints as free ones.
    pin.framesForwardKinematics(model, data, np.array([math.cos(angle), math.sin(angle), 0.1, 0.0, 0.0]))
    theirs = data.oMf[model.getFrameId("hook")].homogeneous
    assert crane.forward((angle, 0.1, 0.0)).matrix == pytest.approx(theirs, abs=1e-12)


def test_a_robot_from_a_urdf_file_takes_its_meshes_from_beside_it(tmp_path):
    from drycell.geometry import save_mesh

    (tmp_path / "meshes").mkdir()
    save_mesh(Box(0.1, 0.2, 0.3), tmp_path / "meshes" / "foot.stl", units="mm")
    text = ARM.replace(
        '<box size="0.4 0.4 0.1"/>', '<mesh filename="package://crane/meshes/foot.stl" scale="0.001 0.001 0.001"/>'
    )
    (tmp_path / "arm.urdf").write_text(text, encoding="utf-8")
    crane = robot_from_file(tmp_path / "arm.urdf")
    assert crane.base is not None
    assert crane.base.mass_properties.volume == pytest.approx(0.006)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (
            '<robot name="crane">',
            '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="crane">',
            "entities",
        ),
        ("</robot>", "", r"robot.urdf:\d+: this is not XML"),
        ('type="continuous"', 'type="rotary"', "joint 'turn' is of type 'rotary'"),
        (
            '<parent link="foot"/>',
            '<parent link="fot"/>',
            "joint 'turn' names link 'fot'\n  try: did you mean 'foot'",
        ),
        (
            '<link name="hook"/>',
            '<link name="hook"/><link name="loose"/>',
            "one root link, but there are 2: 'foot', 'loose'",
        ),
        ('<parent link="foot"/>', '<parent link="hook"/>', "one root link|is part of a closed loop"),
        ('<axis xyz="0 0 2"/>', '<axis xyz="0 0 0"/>', "joint 'lift' has an axis of length zero"),
        ('<axis xyz="0 0 2"/>', '<axis xyz="0 0"/>', "'lift': xyz must be three numbers, not '0 0'"),
        ('upper="0.3"', 'upper="far"', "'lift': upper is not a number: 'far'"),
        ('lower="-0.2"', 'lower="-inf"', "joint 'lift' slides without end: -inf..0.3 m"),
        ('<mimic joint="left"', '<mimic joint="right"', "joint 'right' mimics itself"),
        ('name="right"', 'name="left"', "there are two joints called 'left'"),
    ],
)
def test_mistakes_in_a_urdf_file_are_named(old, new, text):
    assert old in ARM
    broken = ARM.replace(old, new)
    with pytest.raises(MechanismError, match=text):
        read_urdf(broken)


def noted(old, new, folder=None, **options):
    """The crane after an exchange of text, and the only note about it."""
    assert old in ARM
    crane = read_urdf(ARM.replace(old, new), folder=folder, **options)
    (note,) = [each for each in crane.notes if not each.startswith("joint 'turn': states no speed")]
    return crane, note


def test_a_speed_that_is_zero_or_missing_is_a_usual_one_with_a_note():
    crane, note = noted('velocity="0.4"', 'velocity="0"')
    assert crane.joints[1].speed == 1.0
    assert note == "joint 'lift': states no speed (velocity), so 1 m/s is used"
    assert read_urdf(ARM).notes == ("joint 'turn': states no speed (velocity), so 180 deg/s is used",)


def test_a_joint_with_equal_limits_is_fixed_there():
    crane, note = noted('lower="-0.2" upper="0.3"', 'lower="0.1" upper="0.1"')
    assert crane.joint_names == ("turn", "left")
    assert crane.forward((0.0, 0.0)).z == pytest.approx(0.05 + 0.5 + 0.1)
    assert note == "joint 'lift': has equal limits, so it is fixed"


def test_limits_in_the_wrong_order_are_exchanged():
    crane, note = noted('lower="-0.2" upper="0.3"', 'lower="0.3" upper="-0.2"')
    assert (crane.joints[1].lower, crane.joints[1].upper) == (-0.2, 0.3)
    assert "lower limit above its upper one" in note


@pytest.mark.parametrize("kind", ["floating", "planar", "spherical"])
def test_joints_with_several_freedoms_do_not_move(kind):
    crane, note = noted('type="continuous"', f'type="{kind}"')
    assert crane.joint_names == ("lift", "left")
    assert note == f"joint 'turn': joints of type '{kind}' do not move in drycell"


def test_a_mimic_of_a_joint_that_does_not_exist_moves_by_itself():
    crane, note = noted('<mimic joint="left"', '<mimic joint="lef"')
    assert crane.joint_names == ("turn", "lift", "left", "right")
    assert note == "joint 'right': mimics 'lef', which does not exist, so it moves by itself"


def test_a_mimic_of_a_mimic_follows_the_joint_that_moves():
    chained = ARM.replace(
        "</robot>",
        """<link name="third"/><joint name="third" type="prismatic">
        <parent link="hook"/><child link="third"/><axis xyz="0 1 0"/><limit lower="0" upper="1" velocity="1"/>
        <mimic joint="right" multiplier="2" offset="0.5"/></joint></robot>""",
    )
    crane = read_urdf(chained, tip="hook")
    assert crane.joint_names == ("turn", "lift", "left")
    hook, third = (crane.link_poses((0.0, 0.0, 0.03))[crane.link(name)] for name in ("hook", "third"))
    assert (hook.inverse() @ third).y == pytest.approx(2 * (-0.03 + 0.001) + 0.5)


def test_the_parent_link_world_need_not_be_declared():
    standing = ARM.replace(
        "</robot>",
        """<joint name="stand" type="fixed"><parent link="world"/><child link="foot"/>
        <origin xyz="0 0 1"/></joint></robot>""",
    )
    assert read_urdf(standing).forward((0.0, 0.0, 0.0)).z == pytest.approx(1.55)


def test_commas_and_a_declaration_below_a_comment_are_read():
    text = "<!-- ours -->\n" + ARM.replace('xyz="0.1 0 0.5"', 'xyz="0.1, 0, 0.5"')
    assert read_urdf(text).forward((0.0, 0.0, 0.0)) == read_urdf(ARM).forward((0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("solid", "text"),
    [
        ('<torus r="1"/>', "geometry 'torus' is not supported"),
        ('<box size="0.4 0 0.1"/>', "box: y is 0"),
        ('<mesh filename="package://crane/none.stl"/>', "there is no mesh 'package://crane/none.stl' in the folder"),
        ('<mesh filename="../outside.stl"/>', "there is no mesh '../outside.stl' in the folder"),
        ('<mesh filename="package://../outside.stl"/>', "there is no mesh 'package://../outside.stl'"),
        ('<mesh filename="link.stl"/>', "there is no mesh 'link.stl' in the folder"),
        ('<mesh filename="pipe.stl"/>', "there is no mesh 'pipe.stl' in the folder"),
        ('<mesh filename="broken.stl"/>', "broken.stl: it is damaged"),
        ('<mesh filename="whole.stl" scale="0 1 1"/>', "a mesh is scaled by '0 1 1'"),
    ],
)
def test_a_bad_solid_affects_only_that_solid(tmp_path, solid, text):
    from drycell.geometry import save_mesh

    folder = tmp_path / "urdf"
    folder.mkdir()
    save_mesh(Box(0.1, 0.2, 0.3), tmp_path / "outside.stl", units="m")
    save_mesh(Box(0.1, 0.2, 0.3), folder / "whole.stl", units="m")
    (folder / "broken.stl").write_bytes((folder / "whole.stl").read_bytes()[:-7])
    (folder / "link.stl").symlink_to(tmp_path / "outside.stl")
    os.mkfifo(folder / "pipe.stl")
    crane, note = noted('<box size="0.4 0.4 0.1"/>', solid, folder)
    assert crane.base is None
    assert crane.joint_names == ("turn", "lift", "left")
    assert note.startswith("link 'foot': ")
    assert text in note


def test_an_open_mesh_becomes_its_convex_hull_with_a_note(tmp_path):
    from drycell.geometry import Mesh, save_mesh

    vertices, faces = Box(0.1, 0.2, 0.3).triangles()
    save_mesh(Mesh(vertices, faces[:-1]), tmp_path / "open.stl", units="m")
    crane, note = noted('<box size="0.4 0.4 0.1"/>', '<mesh filename="open.stl"/>', tmp_path)
    assert crane.base.volume == pytest.approx(0.006)
    assert note == "link 'foot': mesh 'open.stl' has 3 open edges, so its convex hull is used"


@pytest.mark.parametrize("scale", ["2 2 2", "2", "2 1 -3"])
def test_meshes_are_scaled(tmp_path, scale):
    from drycell.geometry import save_mesh

    save_mesh(Box(0.1, 0.2, 0.3), tmp_path / "a.stl", units="m")
    text = ARM.replace('<box size="0.4 0.4 0.1"/>', f'<mesh filename="a.stl" scale="{scale}"/>')
    factor = {"2 2 2": 8, "2": 8, "2 1 -3": 6}[scale]
    assert read_urdf(text, folder=tmp_path).base.volume == pytest.approx(0.006 * factor)


@pytest.mark.parametrize("layout", ["name", "package.xml", "sibling", "packages"])
def test_packages_are_found_from_the_file_upwards_or_by_name(tmp_path, layout):
    from drycell.geometry import save_mesh

    home = {"name": "crane_description", "package.xml": "checkout", "sibling": "other", "packages": "x"}[layout]
    folder = tmp_path / home / "urdf" / "deep"
    folder.mkdir(parents=True)
    place = {"sibling": tmp_path / "crane_description", "packages": tmp_path / "elsewhere"}.get(layout, tmp_path / home)
    (place / "meshes").mkdir(parents=True)
    save_mesh(Box(0.1, 0.2, 0.3), place / "meshes" / "foot.stl", units="m")
    if layout == "package.xml":
        (place / "package.xml").write_text("<package><name>crane_description</name></package>")
    address = "package://crane_description/meshes/foot.stl"
    file = folder / "crane.urdf"
    file.write_text(ARM.replace('<box size="0.4 0.4 0.1"/>', f'<mesh filename="{address}"/>'), encoding="utf-8")
    packages = {"crane_description": place} if layout == "packages" else None
    assert robot_from_file(file, packages=packages).base.volume == pytest.approx(0.006)
    if layout == "packages":
        assert robot_from_file(file).base is None


COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit meter="0.001"/><up_axis>Y_UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="a" count="12">0 0 0 100 0 0 0 100 0 0 0 60</float_array>
      <technique_common><accessor source="#a" count="4" stride="3">
        <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>
      </technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <polylist count="4"><input semantic="VERTEX" source="#v" offset="0"/>
      <vcount>3 3 3 3</vcount><p>0 2 1 0 1 3 1 2 3 2 0 3</p></polylist>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node><translate>10 0 0</translate>
    <instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
"""


def test_collada_is_read_in_its_own_unit_with_its_scene_and_without_its_up_axis(tmp_path):
    (tmp_path / "a.dae").write_text(COLLADA, encoding="utf-8")
    text = ARM.replace('<box size="0.4 0.4 0.1"/>', '<mesh filename="a.dae" scale="2 2 2"/>')
    base = read_urdf(text, folder=tmp_path).base
    assert base.volume == pytest.approx(0.1 * 0.1 * 0.06 / 6 * 8)
    assert np.array(base.bounds) == pytest.approx(np.array(((0.02, 0, 0), (0.22, 0.2, 0.12))))


def test_a_robot_whose_joints_are_beside_its_chain_reaches_only_where_it_is():
    wheels = """<robot name="rover"><link name="base"/><link name="left"/><link name="right"/><link name="mast"/>
      <joint name="l" type="continuous"><parent link="base"/><child link="left"/></joint>
      <joint name="r" type="continuous"><parent link="base"/><child link="right"/></joint>
      <joint name="m" type="fixed"><parent link="base"/><child link="mast"/><origin xyz="0 0 0.3"/></joint></robot>"""
    for tip in ("left", "mast", "base", None):
        rover = read_urdf(wheels, tip=tip)
        assert rover.inverse(rover.forward((0.0, 0.0))).joints == pytest.approx((0.0, 0.0))
        with pytest.raises(OutOfReach):
            rover.inverse(Pose(1.0, 0.0, 0.0))


def test_a_file_without_joints_is_a_robot_that_cannot_move():
    crate = read_urdf('<robot name="crate"><link name="box"/></robot>')
    assert crate.dof == 0
    assert "crate: 0 joints" in str(crate)
    cell = Cell("still")
    cell.add("crate", Robot(crate))
    with pytest.raises(OutOfReach):
        crate.inverse(Pose(1.0, 0.0, 0.0))
    assert cell.run().clean


def hand(left, right):
    """An arm of three axes with a palm and two fingers, each a box of 10 × 20 × 60 mm beside the middle."""
    axes = "".join(
        f"""<link name="l{n}"/><joint name="j{n}" type="revolute"><parent link="{parent}"/><child link="l{n}"/>
        <origin xyz="0 0 0.2"/><axis xyz="{axis}"/><limit lower="-2" upper="2" velocity="2"/></joint>"""
        for n, parent, axis in ((1, "foot", "0 0 1"), (2, "l1", "0 1 0"), (3, "l2", "0 1 0"))
    )
    fingers = "".join(
        f"""<link name="{name}_finger"><collision><origin xyz="0 {at} 0.03"/><geometry>
        <box size="0.02 0.01 0.06"/></geometry></collision></link>{joint}"""
        for name, at, joint in (("left", 0.005, left), ("right", -0.005, right))
    )
    palm = """<link name="palm"><collision><geometry><box size="0.05 0.2 0.02"/></geometry></collision></link>
        <joint name="mount" type="fixed"><parent link="l3"/><child link="palm"/><origin xyz="0 0 0.1"/></joint>"""
    return f'<robot name="arm"><link name="foot"/>{axes}{palm}{fingers}</robot>'


def finger(name, kind="prismatic", axis="0 1 0", limits='lower="0" upper="0.04"', mimic=""):
    return f"""<joint name="{name}" type="{kind}"><parent link="palm"/><child link="{name}_finger"/>
        <origin xyz="0 0 0.01"/><axis xyz="{axis}"/><limit {limits} velocity="0.2"/>{mimic}</joint>"""


SLIDING = hand(finger("left"), finger("right", axis="0 -1 0", mimic='<mimic joint="left"/>'))
FREE = hand(finger("left"), finger("right", axis="0 -1 0"))
TURNING = hand(
    finger("left", "revolute", "-1 0 0", 'lower="0" upper="0.8"'),
    finger("right", "revolute", "1 0 0", 'lower="0" upper="0.8"', '<mimic joint="left"/>'),
)


@pytest.mark.parametrize("text", [SLIDING, FREE])
def test_sliding_fingers_are_a_gripper_with_the_gap_between_their_inner_faces(text):
    arm = read_urdf(text)
    assert arm.joint_names == ("j1", "j2", "j3")
    assert arm.links[arm.flange.link].name == "palm"
    assert arm.gripper.link_names == ("left_finger", "right_finger")
    assert "gripper left_finger, right_finger" in str(arm)
    cell = Cell("hand")
    live = cell.add("arm", Robot(arm))
    assert live.gripper.opening == pytest.approx((0.0, 0.08))
    assert live.gripper.gap == pytest.approx(0.08)
    assert live.tool.position == pytest.approx((0.0, 0.0, 0.06))  # 10 mm inside the fingertips


@pytest.mark.parametrize("text", [SLIDING, FREE, TURNING])
@pytest.mark.parametrize("width", [0.02, 0.035])
def test_the_gripper_of_a_urdf_grasps_what_is_between_its_jaws(text, width):
    cell = Cell("grasp")
    arm = cell.add("arm", Robot(read_urdf(text)))
    middle = arm.pose.position
    part = cell.add("part", Body(Box(0.02, width, 0.01), at=middle, part=True))

    @cell.program
    def grasp():
        assert arm.gripper.close()
        assert arm.gripper.held is part
        arm.gripper.open()
        assert arm.gripper.held is None
        cell.world.place(part, Pose(5.0, 0.0, 0.0))
        arm.gripper.close(0.5 * width)
        assert arm.gripper.gap == pytest.approx(0.5 * width, abs=1e-9)

    cell.run(until=20.0)
    if text != TURNING:
        return
    low, high = arm.gripper.opening
    assert low == pytest.approx(0.0, abs=1e-9)
    assert high == pytest.approx(2 * 0.05 * math.sin(0.8))  # the TCP is 50 mm from the axes of the fingers


def test_a_cell_file_names_tip_and_packages(tmp_path):
    from drycell.geometry import save_mesh

    (tmp_path / "their" / "meshes").mkdir(parents=True)
    save_mesh(Box(0.1, 0.2, 0.3), tmp_path / "their" / "meshes" / "foot.stl", units="m")
    text = ARM.replace('<box size="0.4 0.4 0.1"/>', '<mesh filename="package://crane/meshes/foot.stl"/>')
    (tmp_path / "crane.urdf").write_text(text, encoding="utf-8")
    file = tmp_path / "cell.yaml"
    file.write_text("robots:\n  arm: {file: crane.urdf, tip: boom, packages: {crane: their}}\n", encoding="utf-8")
    arm = CellSource.find(str(file)).build(programs=False).robots["arm"]
    assert arm.mechanism.links[arm.mechanism.flange.link].name == "boom"
    assert arm.base.shape.volume == pytest.approx(0.006)
    file.write_text("robots:\n  arm: {model: ur5-like, tip: boom}\n", encoding="utf-8")
    with pytest.raises(DrycellError, match="is only for URDF files"):
        CellSource.find(str(file)).build(programs=False)

"""URDF: the joints, links, shapes and limits it says, mimic joints, and refusals that name what is wrong."""

import math

import numpy as np
import pytest

from drycell.base import MechanismError, Pose
from drycell.geometry import Box, Compound, Cylinder
from drycell.robots import robot_from_file
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
    poses = crane.link_poses((0.0, 0.0, 0.03))
    hook, left, right = poses[2:]
    assert (hook.inverse() @ left).y == pytest.approx(0.03)
    assert (hook.inverse() @ right).y == pytest.approx(-0.03 + 0.001)


def test_collision_shapes_go_before_visual_ones():
    crane = read_urdf(ARM)
    assert crane.links[0].shape == Compound(((Pose(0, 0, 0.25), Cylinder(0.05, 0.5)),))
    assert crane.links[1].shape == Box(0.6, 0.05, 0.05)
    assert crane.links[2].shape is None


def test_the_flange_is_the_link_with_most_joints_on_its_way_by_default():
    assert read_urdf(ARM).flange.link == 4
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
        ('type="continuous"', 'type="floating"', "joint 'turn' is of type 'floating'"),
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
        ('upper="0.3"', 'upper="-0.3"', "lower limit -200.0 mm at or above its upper limit -300.0 mm"),
        ('<mimic joint="left"', '<mimic joint="lef"', "joint 'right' mimics 'lef'\n  try: did you mean 'left'"),
        ('<box size="0.4 0.4 0.1"/>', '<torus r="1"/>', "link 'foot' has a geometry of 'torus'"),
        (
            '<box size="0.4 0.4 0.1"/>',
            '<mesh filename="../../etc/passwd"/>',
            "needs mesh '../../etc/passwd', which is not in or below",
        ),
        ('<box size="0.4 0.4 0.1"/>', '<mesh filename="a.stl" scale="2 2 2"/>', "scales its mesh by"),
    ],
)
def test_what_is_wrong_with_a_urdf_is_named(old, new, text):
    assert old in ARM
    broken = ARM.replace(old, new)
    with pytest.raises(MechanismError, match=text):
        read_urdf(broken)

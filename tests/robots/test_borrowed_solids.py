"""A robot of the library with the solids of a URDF file keeps its own data."""

import math
from pathlib import Path

import pytest

from drycell import Cell, DrycellError, Model
from drycell.base import deg, mm
from drycell.robots import load_robot


def urdf(name: str, *, bent: float = 0.0) -> str:
    """A URDF text of an arm in the library with a box on each link; ``bent`` turns the third joint's axis."""
    arm = load_robot(name)
    box = "<collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision>"
    lines = [f"<robot name='{name}'><link name='stand'>{box}</link>"]
    parent = "stand"
    for number, link in enumerate(arm.links):
        (drive,) = link.drives
        joint = arm.joints[drive.joint]
        x, y, z = link.origin.position
        roll, pitch, yaw = link.origin.rpy
        lines.append(
            f"<link name='l{number}'>{box}</link><joint name='j{number}' type='revolute'><parent link='{parent}'/>"
            f"<child link='l{number}'/><origin xyz='{x} {y} {z}' rpy='{roll + bent * (number == 2)} {pitch} {yaw}'/>"
            f"<axis xyz='{' '.join(map(str, drive.axis))}'/>"
            f"<limit lower='{joint.lower}' upper='{joint.upper}' velocity='9' effort='1'/></joint>"
        )
        parent = f"l{number}"
    return "".join((*lines, "</robot>"))


def arm_in_a_cell(folder: Path, model: str, text: str) -> Cell:
    (folder / "arm.urdf").write_text(text)
    (folder / "cell.yaml").write_text(f"robots: {{arm: {{model: {model}, file: arm.urdf}}}}\n")
    return Cell(Model.load(folder))


def test_the_solids_of_a_urdf_file_replace_those_of_the_library(tmp_path: Path):
    cell = arm_in_a_cell(tmp_path, "ur5e", urdf("ur5e"))
    arm, plain = cell["arm"].mechanism, load_robot("ur5e")
    assert arm.joints == plain.joints  # not the 9 rad/s of the file
    assert arm.home == plain.home
    assert [link.inertia for link in arm.links] == [link.inertia for link in plain.links]
    assert arm.data.payload == plain.data.payload
    assert arm.forward(plain.home).distance_to(plain.forward(plain.home)) == pytest.approx((0.0, 0.0), abs=1e-9)
    for link in arm.links:
        low, high = link.shape.bounds
        assert (*low, *high) == pytest.approx((-0.05,) * 3 + (0.05,) * 3, abs=1e-9)
        assert link.deviation == 0.0
    assert arm.base_deviation == 0.0
    assert "the solids are those of arm.urdf" in arm.notes


def test_a_file_of_another_robot_is_refused_by_link(tmp_path: Path):
    with pytest.raises(DrycellError) as error:
        arm_in_a_cell(tmp_path, "ur5e", urdf("ur3e"))
    assert "of arm.urdf does not move like " in str(error.value)
    assert "use the URDF file of the same robot" in str(error.value)
    with pytest.raises(DrycellError, match=r"link 'l2' of arm\.urdf does not move like forearm_link of ur5e.* 0\.0 mm"):
        arm_in_a_cell(tmp_path, "ur5e", urdf("ur5e", bent=5 * deg))


def test_a_file_with_another_number_of_joints_is_refused(tmp_path: Path):
    with pytest.raises(DrycellError, match=r"arm\.urdf has 6 joints up to its tip, but franka-panda has 7"):
        arm_in_a_cell(tmp_path, "franka-panda", urdf("ur5e"))


def test_a_moved_arm_collides_with_its_borrowed_solids(tmp_path: Path):
    cell = arm_in_a_cell(tmp_path, "ur5e", urdf("ur5e"))
    arm = cell["arm"]
    tip = arm.mechanism.link_poses(arm.joints)[-1].position
    low, high = cell.world.body("arm/wrist_3_link").shape.bounds
    assert math.dist(low, high) == pytest.approx(100 * mm * math.sqrt(3))
    assert cell.world.pose(cell.world.body("arm/wrist_3_link")).position == pytest.approx(tip)

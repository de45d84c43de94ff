"""Xacro files: macros, arguments and packages are expanded; they are code, so a cell needs trust."""

import re
import sys
from pathlib import Path

import pytest

from drycell.base import CellFileError, MechanismError
from drycell.cell import CellSource, Untrusted
from drycell.robots import robot_from_file

XACRO = """<robot name="crane" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="reach" default="0.3"/>
  <xacro:property name="reach" value="$(arg reach)"/>
  <xacro:include filename="$(find crane_parts)/joint.xacro"/>
  <link name="foot"/><link name="boom"/><link name="hook"/>
  <xacro:turning name="turn" parent="foot" child="boom" x="0"/>
  <xacro:turning name="lift" parent="boom" child="hook" x="${2 * reach}"/>
</robot>
"""
JOINT = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="turning" params="name parent child x">
    <joint name="${name}" type="revolute"><parent link="${parent}"/><child link="${child}"/>
      <origin xyz="${x} 0 0"/><axis xyz="0 0 1"/><limit lower="${-pi / 2}" upper="${pi / 2}" velocity="1" effort="1"/>
    </joint>
  </xacro:macro>
</robot>
"""


@pytest.fixture
def crane(tmp_path: Path) -> Path:
    (tmp_path / "crane" / "urdf").mkdir(parents=True)
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "joint.xacro").write_text(JOINT)
    file = tmp_path / "crane" / "urdf" / "crane.urdf.xacro"
    file.write_text(XACRO)
    return file


def test_macros_arguments_and_packages_are_expanded(crane: Path, tmp_path: Path) -> None:
    arm = robot_from_file(crane, packages={"crane_parts": tmp_path / "parts"}, arguments={"reach": "0.5"})
    assert [joint.name for joint in arm.joints] == ["turn", "lift"]
    assert arm.forward((0.0, 0.0)).x == pytest.approx(1.0)


def test_a_package_beside_the_file_is_found_and_defaults_apply(crane: Path, tmp_path: Path) -> None:
    (tmp_path / "parts").rename(tmp_path / "crane_parts")
    (tmp_path / "crane" / "package.xml").write_text("<package><name>crane</name></package>")
    assert robot_from_file(crane).forward((0.0, 0.0)).x == pytest.approx(0.6)


def test_a_file_of_a_missing_package_is_named(crane: Path) -> None:
    with pytest.raises(MechanismError, match=r"crane\.urdf\.xacro: xacro cannot expand it: .*joint\.xacro") as caught:
        robot_from_file(crane)
    assert "'packages'" in str(caught.value.hint)


def test_a_mistake_in_an_expression_is_reported_with_the_file(crane: Path) -> None:
    crane.write_text(XACRO.replace("2 * reach", "2 * raech"))
    with pytest.raises(MechanismError, match=r"crane\.urdf\.xacro: xacro cannot expand it: .*raech"):
        robot_from_file(crane, packages={"crane_parts": crane.parents[2] / "parts"})


def test_without_the_extra_the_message_says_what_to_install(crane: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(MechanismError, match="needs the extra 'xacro'"):
        robot_from_file(crane)


def test_a_cell_that_names_a_xacro_file_is_built_only_if_it_is_trusted(
    crane: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "robots:\n  arm:\n    file: crane/urdf/crane.urdf.xacro\n"
    (tmp_path / "cell.yaml").write_text(
        text + "    packages: {crane_parts: parts}\n    arguments: {reach: '0.4'}\n", encoding="utf-8"
    )
    source = CellSource.find(tmp_path)
    assert source.build().robots["arm"].mechanism.forward((0.0, 0.0)).x == pytest.approx(0.8)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody"))
    with pytest.raises(Untrusted, match=r"cell\.yaml runs code: crane\.urdf\.xacro"):
        source.check_trusted()


@pytest.mark.parametrize("file", ["robot.xacro/", "robot.XACRO", "./robot.xacro/."])
def test_no_spelling_of_the_name_avoids_the_check_for_trust(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody is trusted"))
    (tmp_path / "robot.xacro").write_text(XACRO)
    (tmp_path / "robot.XACRO").write_text(XACRO)
    (tmp_path / "cell.yaml").write_text(f'robots: {{arm: {{file: "{file}"}}}}\n')
    with pytest.raises(Untrusted, match=re.escape(str(tmp_path))):
        CellSource.find(tmp_path).check_trusted()


@pytest.mark.parametrize(
    ("path", "value"), [("robots.arm.file", "robot.xacro"), ("robots.arm", "{file: robot.xacro/}")]
)
def test_a_setting_cannot_name_a_file_with_macros(path: str, value: str, tmp_path: Path) -> None:
    """A recording can contain settings, which are not part of the check for trust."""
    (tmp_path / "robot.xacro").write_text(XACRO)
    (tmp_path / "cell.yaml").write_text("robots: {arm: {file: robot.yaml}}\n")
    with pytest.raises(CellFileError, match=r"would run the code in 'robot.xacro/?', so --set cannot name it"):
        CellSource.find(tmp_path).set(path, value).build()

"""The library: every robot loads, cites its sources, and a wrong name or file is reported with a suggestion."""

import pytest

from drycell.base import FileError, UnknownName, deg, mm
from drycell.robots import load_robot, robot_from_file, robot_names
from drycell.robots.description import read_robot

SLIDER = """\
robot: slider
source: made up for this test
joints:
  x: {limits: [0 mm, 500 mm], speed: 100 mm/s, acceleration: 1 m/s^2, jerk: 10 m/s^3}
links:
  carriage:
    moves: [{by: x, axis: x}]
    shapes:
      - {box: [50 mm, 40 mm, 30 mm], at: [0 mm, 0 mm, 15 mm]}
flange: {on: carriage, at: [0 mm, 0 mm, 30 mm]}
home: [250 mm]
"""


def test_the_library_has_the_robots_the_design_names():
    arms = {"scorbot-er3", "puma560", "ur5-like", "irb2000-like", "scara", "box-frame"}
    assert arms | {"cmm", "machine-tool"} <= set(robot_names())


@pytest.mark.parametrize("name", robot_names())
def test_every_robot_cites_its_sources_and_has_solids(name):
    robot = load_robot(name)
    assert len(robot.source) > 60
    assert any(link.shape is not None for link in robot.links)
    robot.check_joints(robot.home)


def test_an_unknown_robot_is_reported_with_the_nearest_name():
    with pytest.raises(UnknownName, match=r"there is no robot 'puma500'\n  try: did you mean 'puma560'"):
        load_robot("puma500")
    with pytest.raises(UnknownName, match="there is no robot 'puma560/small'"):
        load_robot("puma560/small")
    with pytest.raises(UnknownName):
        load_robot("../library/puma560")


def test_a_new_robot_is_a_page_of_data():
    slider = read_robot(SLIDER)
    assert slider.forward((0.2,)).position == pytest.approx((0.2, 0, 0.03))
    assert slider.home == (250 * mm,)
    assert slider.inverse(slider.forward((0.1,))).joints == pytest.approx((0.1,))


def test_a_custom_robot_comes_from_a_file(tmp_path):
    (tmp_path / "slider.yaml").write_text(SLIDER, encoding="utf-8")
    assert robot_from_file(tmp_path / "slider.yaml") == read_robot(SLIDER)
    with pytest.raises(FileError, match=r"did you mean 'slider\.yaml'"):
        robot_from_file(tmp_path / "slidr.yaml")


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (
            "speed: 100 mm/s",
            "speed: 100",
            "robot.yaml:4:38: joints.x.speed: expected an angular speed or a speed, got 100",
        ),
        ("speed: 100 mm/s", "speed: 90 deg/s", "joints.x.speed: must be in millimetres (it slides)"),
        ("limits: [0 mm, 500 mm]", "limits: [500 mm, 0 mm]", "lower limit 500.0 mm at or above its upper limit 0.0 mm"),
        ("by: x", "by: y", "links.carriage.moves[0].by: there is no joint 'y'\n"),
        ("axis: x", "axis: w", "links.carriage.moves[0].axis: expected 'x', 'y', 'z', '-x', '-y' or '-z', got 'w'"),
        ("on: carriage", "on: carrige", "flange.on: there is no link 'carrige' before it\n"),
        (
            "home: [250 mm]",
            "home: [600 mm]",
            "the home position of slider/x is past its limit: 600.0 mm is not between 0.0 and 500.0 mm",
        ),
        ("home: [250 mm]", "home: [25 deg]", "robot.yaml:11:8: home[0]: must be in millimetres (it slides)"),
        ("home: [250 mm]", "home: [1 mm, 2 mm]", "home: has 2 values for 1 joints"),
        ("home:", "hoem:", "robot.yaml:11:1: hoem: there is no such field"),
        ("source: made up for this test\n", "", "source: this field must be given"),
        (
            "box: [50 mm, 40 mm, 30 mm]",
            "box: [50 mm, 40 mm, 0 mm]",
            "robot.yaml:9:30: links.carriage.shapes[0].box[2]: '0 mm' must be above 0",
        ),
        (
            "{box: [50 mm, 40 mm, 30 mm],",
            "{sphere: 5 mm, box: [5 mm, 4 mm, 3 mm],",
            "shapes[0]: a shape must have exactly one kind, but has 'sphere' and 'box'",
        ),
        (
            "{box: [50 mm, 40 mm, 30 mm],",
            "{cone: {radius: 5 mm, length: 9 mm, top: 2 mm},",
            "robot.yaml:9:45: links.carriage.shapes[0].cone.top: there is no such field\n  at robot.yaml, line 9\n"
            "  try: write 'top_radius'",
        ),
        (
            "{box: [50 mm, 40 mm, 30 mm],",
            "{rod: {radius: 5 mm, start: [0, 0], end: [0, 0]},",
            "robot.yaml:9:15: links.carriage.shapes[0].rod: start and end are the same point",
        ),
        ("limits: [0 mm, 500 mm]", "limits: [0, 0]", "joints.x.limits: the limits have no unit"),
        ("robot: slider", "robot: [", "invalid YAML"),
    ],
)
def test_mistakes_in_a_robot_file_are_reported_with_line_and_field(old, new, text):
    assert old in SLIDER
    with pytest.raises(FileError) as caught:
        read_robot(SLIDER.replace(old, new))
    assert text in str(caught.value)


def test_tables_in_files_may_turn_and_offset():
    arm = read_robot(
        """\
robot: arm
source: made up for this test
joints:
  one: {limits: [-90 deg, 90 deg], speed: 90 deg/s, acceleration: 90 deg/s^2, jerk: 900 deg/s^3}
  two: {limits: [-90 deg, 90 deg], speed: 90 deg/s, acceleration: 90 deg/s^2, jerk: 900 deg/s^3}
dh: {rows: [{a: 300 mm}, {a: 200 mm, theta: 90 deg}]}
links: {upper: {}, fore: {shapes: [{rod: {radius: 20 mm, start: [0 mm, 0 mm, 0 mm], end: [200 mm, 0 mm, 0 mm]}}]}}
flange: {on: fore}
"""
    )
    assert arm.forward((0.0, 0.0)).position == pytest.approx((0.3, 0.2, 0.0))
    assert arm.forward((0.0, -90 * deg)).position == pytest.approx((0.5, 0.0, 0.0))

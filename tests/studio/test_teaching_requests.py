"""Teaching before a run, as the page asks for it."""

import json
import math

import pytest

from drycell import Body, Box, Cell, Robot, deg, mm
from drycell.base import DrycellError, FieldError, FileError, MotionError
from drycell.studio.api.codec import decode
from drycell.studio.host.session import HostSession
from drycell.teach import PointSpec, plain

from .asking import answered

DOWN = [0.0, 1.0, 0.0, 0.0]


@pytest.fixture
def session(tmp_path) -> HostSession:
    cell = Cell("ready")
    table = cell.add("table", Body(Box(700 * mm, 700 * mm, 40 * mm), material="aluminium", at=(200 * mm, 0, -20 * mm)))
    cell.add("block", Body(Box(40 * mm, 30 * mm, 40 * mm), material="beech", on=table.name, at=(60 * mm, -150 * mm)))
    arm = cell.add("arm", Robot("scorbot-er3", gripper="two-finger", on=table.name, at=(-200 * mm, 0)))
    cell.program(name="old")(lambda: arm.home())
    cell.check_collisions(allow=[("block", "table")])
    made = HostSession(tmp_path, lambda event: None)
    made.open_cell(cell)
    return made


def ask(session: HostSession, do: str, **arguments):
    return answered(session, do, arguments)[0]


def lesson_file(points: dict[str, dict], steps: list[dict]) -> str:
    """The text of a lesson file."""
    written = {name: plain(decode(PointSpec, point, name)) for name, point in points.items()}
    return json.dumps({"lesson": "pick and place", "robot": "arm", "points": written, "steps": steps})


def lesson_of(session: HostSession, *first: dict) -> str:
    """A lesson taught as the page does it: with picked points."""
    top = ask(session, "teaching.pick_to_workpoint", name="grasp", body="block", point=[0.262, -0.149, 0.04], normal=[0, 0, 1], centre=True)  # fmt: skip  # noqa: E501
    grasp = ask(session, "teaching.grasp_point", name="grasp", robot="arm", point=top["point"])
    assert grasp["pose"][:3] == pytest.approx([0.26, -0.15, 0.02])  # half way down
    grasp = ask(session, "teaching.adjust_point", name="grasp", point=grasp["point"], raised=5 * mm)
    spot = ask(
        session, "teaching.pick_to_workpoint", name="place", body="table", point=[0.25, 0.12, 0], normal=[0, 0, 1]
    )
    place = ask(session, "teaching.set_down", name="place", robot="arm", grasp=grasp["point"], onto=spot["point"])
    assert place["pose"][:3] == pytest.approx([0.25, 0.12, 0.025])
    return lesson_file(
        {"grasp": grasp["point"], "place": place["point"]},
        [
            *first,
            {"grip": "open"},
            {"move": {"to": "grasp", "before": "60 mm"}},
            {"move": {"to": "grasp", "linear": True}},
            {"grip": "close"},
            {"move": {"back": "60 mm"}},
            {"move": {"to": "place", "before": "60 mm"}},
            {"move": {"to": "place", "linear": True}},
            {"grip": "open"},
            {"move": {"back": "60 mm"}},
        ],
    )


def test_the_pendant_shows_joints_limits_and_the_tool(session) -> None:
    state = ask(session, "teaching.robot_state", robot="arm")
    assert [joint["name"] for joint in state["joints"]] == ["base", "shoulder", "elbow", "pitch", "roll"]
    assert state["directions"] == ["x", "y", "z", "pitch", "roll"]
    assert state["gripper"]["high"] == pytest.approx(65 * mm)
    assert state["tcp"][:3] == pytest.approx(session.cell.robots["arm"].pose.position)


def test_jogging_is_put_back_before_the_run(session) -> None:
    before = session.cell.robots["arm"].joints
    moved = ask(session, "teaching.jog", robot="arm", joint="base", by=10 * deg)
    assert moved["moved"] == pytest.approx(10 * deg)
    assert moved["joints"][0]["value"] == pytest.approx(10 * deg)
    ask(session, "teaching.jog", robot="arm", direction="z", by=-20 * mm, frame="world")
    ask(session, "teaching.put_gripper", robot="arm", gap=0.0)
    session.start(paused=True)
    assert session.cell.robots["arm"].joints == before
    assert session.cell.robots["arm"].gripper.gap == pytest.approx(65 * mm)


def test_a_stopped_jog_reports_the_reason(session) -> None:
    assert (
        ask(session, "teaching.jog", robot="arm", joint="base", by=math.pi)["stopped"]
        == "base is at its limit 155.0 deg"
    )
    ask(session, "teaching.back_to_start", robot="arm")
    assert session.cell.robots["arm"].joints[0] == 0.0
    with pytest.raises(MotionError, match="past its limit"):
        ask(session, "teaching.put_joints", robot="arm", joints=[4.0, 0.0, 0.0, 0.0, 0.0])


def test_nothing_is_jogged_while_the_cell_runs(session) -> None:
    session.mode = "live"
    with pytest.raises(MotionError, match="the cell is running: arm cannot be jogged"):
        ask(session, "teaching.jog", robot="arm", joint="base", by=0.1)


def test_a_point_shows_its_lamp(session) -> None:
    near = ask(session, "teaching.pick_to_workpoint", name="p", body="table", point=[0.25, 0.0, 0.0], normal=[0, 0, 1])
    points = {
        "good": ask(session, "teaching.adjust_point", name="good", point=near["point"], raised=0.1)["point"],
        "far": ask(session, "teaching.adjust_point", name="far", point=near["point"], frame=[2.0, 0.0, 0.1, *DOWN])[
            "point"
        ],
    }
    lesson = lesson_file(points, [])
    checked = ask(session, "teaching.check", lesson=lesson)["points"]
    assert (checked["good"]["lamp"], checked["good"]["straight_possible"]) == ("green", True)
    assert checked["far"]["lamp"] == "red"
    ask(session, "teaching.to_frame", robot="arm", pose=[0.25, 0.0, 0.1, *DOWN])
    assert ask(session, "teaching.robot_state", robot="arm")["tcp"][:3] == pytest.approx([0.25, 0.0, 0.1])


def test_a_point_dragged_elsewhere_stays_on_its_body(session) -> None:
    top = ask(
        session, "teaching.pick_to_workpoint", name="p", body="block", point=[0.26, -0.15, 0.04], normal=[0, 0, 1]
    )
    moved = ask(session, "teaching.adjust_point", name="p", point=top["point"], frame=[0.27, -0.15, 0.05, *DOWN])
    assert moved["point"]["on"] == "block"
    assert moved["pose"][:3] == pytest.approx([0.27, -0.15, 0.05])
    free = ask(session, "teaching.adjust_point", name="p", point=moved["point"], attach="")
    assert free["point"]["on"] is None
    assert free["pose"] == pytest.approx(moved["pose"])
    onto = ask(session, "teaching.adjust_point", name="p", point=free["point"], attach="table")
    assert onto["point"]["on"] == "table"
    assert onto["pose"] == pytest.approx(moved["pose"])
    typed = ask(session, "teaching.adjust_point", name="p", point=onto["point"], at=[0.05, 0.0, 0.03])
    assert typed["pose"] == pytest.approx([0.25, 0.0, 0.01, *moved["pose"][3:]])


def test_a_lesson_is_checked_step_by_step_and_comes_as_text(session) -> None:
    ask(session, "teaching.jog", robot="arm", joint="base", by=50 * deg)  # the walk begins where a run would
    checked = ask(session, "teaching.check", lesson=lesson_of(session))
    assert [step["lamp"] for step in checked["steps"]] == ["green"] * 9
    assert checked["points"]["grasp"]["lamp"] == "green"
    assert checked["points"]["grasp"]["used"] == 2
    assert "def pick_and_place(arm, block, table):" in checked["python"]["text"]
    assert checked["pascal"]["gaps"] == []
    assert "MoveXYZ(260, -150, 85, -90," in checked["pascal"]["text"]
    assert checked["instead_of"] == ["old"]


def test_programs_do_not_depend_on_where_the_arm_was_jogged(session) -> None:
    lesson = lesson_of(session, {"move": {"back": "20 mm"}})
    before = ask(session, "teaching.check", lesson=lesson)
    assert "MoveZ(20);" in before["pascal"]["text"]
    ask(session, "teaching.jog", robot="arm", joint="pitch", by=-20 * deg)
    ask(session, "teaching.jog", robot="arm", joint="base", by=50 * deg)
    after = ask(session, "teaching.check", lesson=lesson)
    assert (after["python"], after["pascal"], after["steps"]) == (before["python"], before["pascal"], before["steps"])


def test_a_preview_shows_the_arm_on_its_way(session) -> None:
    shown = ask(session, "teaching.preview", lesson=lesson_of(session), step=1)
    assert shown["path"][-1] == pytest.approx([0.26, -0.15, 0.085])
    names = {name for name, _, _ in shown["ghosts"]}
    assert {"arm/forearm", "arm/gripper/palm"} <= names
    assert len(shown["ghosts"]) == 7 * len(names)
    with pytest.raises(DrycellError, match="there is no step 41"):
        ask(session, "teaching.preview", lesson=lesson_of(session), step=40)


@pytest.mark.parametrize("language", ["python", "pascal"])
def test_a_lesson_entered_and_run_brings_the_part_to_the_place(session, language) -> None:
    entered = ask(session, "teaching.enter", lesson=lesson_of(session), language=language)
    assert entered == "pick_and_place"
    assert list(session.cell.programs) == ["pick_and_place"]
    session.speed = None
    session.start()
    session.perform()
    assert session.failure is None
    assert not session.result.collisions
    assert session.cell.body("block").pose.position == pytest.approx((0.25, 0.12, 0.02), abs=1e-6)


def test_an_invalid_lesson_is_refused(session) -> None:
    with pytest.raises(FileError, match=r"steps\[0\].grip"):
        ask(session, "teaching.check", lesson="lesson: x\nrobot: arm\nsteps: [{grip: shut}]")
    with pytest.raises(FieldError, match=r"request 'teaching\.to_frame': pose"):
        ask(session, "teaching.to_frame", robot="arm", pose=[0.0])


def test_a_lesson_to_be_saved_names_its_points(session) -> None:
    made = ask(session, "teaching.program", lesson=lesson_of(session))
    assert made["file"] == "pick_and_place.py"
    assert made["instead_of"] == ["old"]
    assert 'arm.move_linear("grasp")' in made["text"]
    assert ask(session, "teaching.program", lesson=lesson_of(session), language="pascal")["controller"] == "scorbot"

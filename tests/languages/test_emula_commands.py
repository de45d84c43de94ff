"""The commands that reach the engine, in SI units, and what the user sees."""

from collections.abc import Callable
from pathlib import Path

import pytest

from drycell.base import WorldError, deg, inch, mm
from drycell.languages.emula import EmulaError, Interpreter, SensorGuard
from drycell.languages.emula.console import GROUPS, overview, page
from drycell.languages.emula.routines import all_routines

Shown = Callable[[str], str]
Engine = object


def commands(engine, session: Interpreter, text: str) -> list:  # type: ignore[no-untyped-def,type-arg]
    engine.commands.clear()
    session.execute(text)
    return engine.commands


def moved(engine, session: Interpreter, text: str) -> tuple[dict[str, float], SensorGuard | None]:  # type: ignore[no-untyped-def]
    (_, targets, guard, _), *_ = commands(engine, session, text)
    return {name: pytest.approx(value) for name, value in targets.items()}, guard


def refused(session: Interpreter, text: str) -> str:
    with pytest.raises(EmulaError) as caught:
        session.execute(text)
    return caught.value.diagnostics[0].what


# ---------------------------------------------------------------- the two MOVEs


def test_three_numbers_move_the_hand_by_them(engine, session) -> None:  # type: ignore[no-untyped-def]
    session.execute("move (1,1,1)")
    assert moved(engine, session, "move (-2,10,8)")[0] == {"x": -1 * inch, "y": 11 * inch, "z": 9 * inch}


def test_motors_and_values_move_the_motors_there(engine, session) -> None:  # type: ignore[no-untyped-def]
    session.execute("move (1,1,1)")
    assert moved(engine, session, "MOVE(<1,2,3>, <-2,10,8>)")[0] == {"x": -2 * inch, "y": 10 * inch, "z": 8 * inch}
    assert moved(engine, session, "MOVE(GRIPPER, 2)")[0] == {"gripper": 2 * inch}
    assert moved(engine, session, "MOVE('roll', 90)")[0] == {"roll": 90 * deg}


def test_a_monitor_as_third_argument_makes_it_amls_move(engine, session) -> None:  # type: ignore[no-untyped-def]
    session.execute("m: NEW MONITOR(<1,2>, 10)")
    assert moved(engine, session, "MOVE(3, 5, m)") == ({"z": 5 * inch}, SensorGuard((1, 2), 10.0))
    assert moved(engine, session, "MOVE(3, 5, <m>)")[1] == SensorGuard((1, 2), 10.0)


def test_dmove_is_relative(engine, session) -> None:  # type: ignore[no-untyped-def]
    session.execute("MOVE(Z, 5)")
    assert moved(engine, session, "DMOVE(3, -1.0)")[0] == {"z": 4 * inch}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("MOVE(<1,2>, <3>)", "2 motors need 2 values, not 1"),
        ("MOVE(<9>, 1)", "INT 9 is not a motor"),
        ("MOVE('rol', 1)", "there is no motor 'rol'"),
        ("MOVE(<1,1>, <2,3>)", "motor x is named twice"),
        ("MOVE(<>, <>)", "no motors are named"),
        ("MOVE(3, 'a')", "move needs a number here, not STRING 'a'"),
        ("MOVE(3, 5, <1>)", "move needs a monitor here, not INT 1"),
        ("move (1)", "move takes 2 to 3 arguments, not 1"),
        ("MOVE(Z, 5) until sensors (1) exceed (2)", "MOVE of motors takes monitors, not UNTIL"),
        ("m: NEW MONITOR(1, 2); ENDMONITOR(m); MOVE(3, 5, m)", "monitor 1 has ended"),
        ("MOVE(3, 5, <MONITOR(1, 2), MONITOR(2, 3)>)", "monitors with different limits (2, 3) cannot guard one move"),
    ],
)
def test_moves_that_make_no_sense_move_nothing(engine, session, text: str, what: str) -> None:  # type: ignore[no-untyped-def]
    engine.commands.clear()
    assert refused(session, text) == what
    assert not [each for each in engine.commands if each[0] == "move_to"]


# ---------------------------------------------------------------- the paper's other moves


def test_up_down_rotate_open_and_close(engine, session) -> None:  # type: ignore[no-untyped-def]
    assert moved(engine, session, "moveup (10)")[0] == {"z": 10 * inch}
    assert moved(engine, session, "movedown (4)")[0] == {"z": 6 * inch}
    assert moved(engine, session, "rotate (90)")[0] == {"roll": 90 * deg}
    assert moved(engine, session, "open")[0] == {"gripper": 3.25 * inch}
    assert moved(engine, session, "open (1)")[0] == {"gripper": 1 * inch}
    assert moved(engine, session, "close")[0] == {"gripper": 0}
    assert moved(engine, session, "close (.5)")[0] == {"gripper": 0.5 * inch}


def test_guards_are_handed_on(engine, session) -> None:  # type: ignore[no-untyped-def]
    assert moved(engine, session, "movedown (10) until sensors (1,2) exceed (10)")[1] == SensorGuard((1, 2), 10.0)
    assert moved(engine, session, "s: NEW <1,2>; close until sensors (s, 3) exceed 2 * 5")[1] == SensorGuard(
        (1, 2, 3), 10.0
    )


def test_units_can_be_chosen(engine, session, shown: Shown) -> None:  # type: ignore[no-untyped-def]
    session.execute("UNITS(mm, rad)")
    assert moved(engine, session, "moveup (100)")[0] == {"z": 100 * mm}
    assert moved(engine, session, "rotate (1)")[0] == {"roll": 1.0}
    assert engine.unit == mm
    assert shown("DISPLAY(QPOSITION(<3,4>)); UNITS") == "<100.0,1.0>\n  lengths in mm, angles in rad"
    assert refused(session, "UNITS(furlong)") == "there is no unit 'furlong'"


def test_the_output_of_a_move(engine, session, shown: Shown) -> None:  # type: ignore[no-untyped-def]
    assert shown("move (-2,10,8)") == "  3 motors moved, 1.50 s, now at X -2.000 Y 10.000 Z 8.000"
    engine.script = [2]
    assert shown("movedown (4) until sensors (1,2) exceed (10)") == (
        "  sensor 2 exceeded 10 after 41 cycles at Z 4.000: finger1 touches parta"
    )
    assert shown("moveup (1) until sensors (1) exceed (10)").endswith("Z 5.000, no sensor exceeded its limit")


# ---------------------------------------------------------------- monitors and asynchronous moves


def test_a_monitor_knows_whether_it_stopped_the_move(engine, session, shown: Shown) -> None:  # type: ignore[no-untyped-def]
    session.execute("m: NEW MONITOR(<1,2>, 10); n: NEW MONITOR(3, 10)")
    engine.script = [3]
    session.execute("MOVE(3, 5, <m, n>)")
    assert shown("DISPLAY(QMONITOR(m), QMONITOR(n), QMONITOR(<m,n>))") == "0 1 <0,1>"
    session.execute("MOVE(3, 6, <m, n>)")
    assert shown("DISPLAY(QMONITOR(n))") == "0"


def test_amove_goes_on_at_once_and_waitmove_waits(engine, session, shown: Shown) -> None:  # type: ignore[no-untyped-def]
    session.execute("m: NEW MONITOR(1, 10)")
    engine.script = [1]
    assert shown("AMOVE(3, 5, m)") == ""
    assert shown("DISPLAY(QMONITOR(m))") == "0"
    assert "sensor 1 exceeded 10" in shown("WAITMOVE")
    assert shown("DISPLAY(QMONITOR(m))") == "1"
    assert shown("WAITMOVE") == ""


def test_the_next_move_waits_for_one_under_way(engine, session) -> None:  # type: ignore[no-untyped-def]
    names = [each[0] for each in commands(engine, session, "AMOVE(3, 5); moveup (1)")]
    assert names == ["move_to", "wait_move", "move_to"]


# ---------------------------------------------------------------- sensors


def test_attach_takes_bare_words_strings_and_values(engine, session) -> None:  # type: ignore[no-untyped-def]
    assert commands(engine, session, "attach (1,contact,finger1,parta)") == [
        ("attach", 1, "contact", ["finger1", "parta"])
    ]
    assert commands(engine, session, "ATTACH(3,CONTACT,gripper,'robot/base')") == [
        ("attach", 3, "contact", ["gripper", "robot/base"])
    ]
    assert commands(engine, session, "p: NEW .8; attach (1,random,6,.1,p)") == [("attach", 1, "random", [6, 0.1, 0.8])]
    assert commands(engine, session, "detach (1); detach (2,random)") == [("detach", 1, None), ("detach", 2, "random")]


def test_sensors_are_read_and_unattached_ones_are_zero(engine, session, shown: Shown) -> None:  # type: ignore[no-untyped-def]
    engine.sensors[2] = 4.5
    assert shown("DISPLAY(SENSOR(2), SENSIO(1), SENSOR(<1,2>))") == "4.5 0.0 <0.0,4.5>"
    assert refused(session, "SENSOR(0)") == "sensor 0 does not exist"


def test_signals_of_the_cell_are_read_and_set_by_name(engine, session, shown: Shown) -> None:  # type: ignore[no-untyped-def]
    engine.cell.kernel.signal("press.start", False)
    engine.cell.kernel.signal("count", 3)
    assert shown("DISPLAY(SENSIO('press.start'), SENSIO(count))") == "0 3"
    assert shown("SENSIO('press.start', 1); DISPLAY(SENSIO('press.start'))") == "1"
    assert engine.cell.kernel.signals["press.start"].value is True
    assert refused(session, "SENSIO('pres.start')") == "there is no signal 'pres.start'"
    assert refused(session, "SENSIO(1, 5)") == "a sensor cannot be set"


# ---------------------------------------------------------------- assertions, display, emulation


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("grasp (parta)", ("grasp", "parta", None, None)),
        ("grasp(parta) at (1,0,0) from (finger1)", ("grasp", "parta", (inch, 0.0, 0.0), "finger1")),
        ("p: NEW <1,0,0>; grasp(parta) at p", ("grasp", "parta", (inch, 0.0, 0.0), None)),
        ("release", ("release", None)),
        ("release (parta)", ("release", "parta")),
        ("translate (parta, 1, 0, 2)", ("translate", "parta", inch, 0.0, 2 * inch)),
        ("translate (parta, y, 2)", ("translate", "parta", 0.0, 2 * inch, 0.0)),
        ("rotate (parta, Z, 180)", ("rotate", "parta", "z", 180 * deg)),
        ("merge ('frame')", ("merge", "frame")),
        ("setfuzzy (parta, 1, 1, 0)", ("set_fuzzy", "parta", (inch, inch, 0.0))),
        ("redraw", ("redraw", None)),
        ("draw", ("display.draw",)),
        ("erase", ("display.erase",)),
        ("setdisplay (0)", ("display.set_display", 0)),
        ("setdisplaytk(5)", ("display.set_every", 5)),
        ("setdrawall(1)", ("display.set_draw_all", True)),
        ("seterase(0)", ("display.set_erase", False)),
        ("setview (front)", ("display.set_view", "front", 1.0, None)),
        ("setview (iso, 2.5, <-2,10,0>)", ("display.set_view", "iso", 2.5, (-2 * inch, 10 * inch, 0.0))),
        ("setfilm ('a.mp4')", ("display.film", Path("a.mp4"), False)),
        ("setfilm ('a.gif', lines)", ("display.film", Path("a.gif"), True)),
        ("setfilm (0)", ("display.film", None)),
        ("startupmotors", ("start_up",)),
        ("setincrement(0)", ("set_increment", False)),
        ("setcycle (.05)", ("set_cycle", 0.05)),
        ("setspeed (.5)", ("set_speed", 0.5)),
        ("setclearance (.1)", ("set_clearance", 0.1 * inch)),
        ("setcrashchk (1, 'FINGER1', finger2)", ("set_collision_check", True, "FINGER1", "finger2")),
        ("setmodel (detailed)", ("exchange_model", "detailed", None)),
        ("setjournal (0)", ("close_journal",)),
    ],
)
def test_each_command_reaches_the_engine(engine, session, text: str, call: tuple[object, ...]) -> None:  # type: ignore[no-untyped-def]
    (last,) = commands(engine, session, text)
    assert last[0] == call[0]
    for given, wanted in zip(last[1:], call[1:], strict=True):
        assert given == (pytest.approx(wanted) if isinstance(wanted, (float, tuple)) else wanted)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("setdisplay (2)", "setdisplay needs 1 (on) or 0 (off) here, not INT 2"),
        ("setdisplaytk (-1)", "a drawing every -1 cycles is not possible"),
        ("setcycle (0)", "a basic cycle of 0 s is not possible"),
        ("setspeed (0)", "the speed cannot be 0 times the maximum"),
        ("grasp (3)", "grasp needs a name here, not INT 3"),
        ("grasp (parta) at (1,2)", "AT needs three numbers, not 2"),
        ("grasp (parta) until sensors (1) exceed (1)", "grasp does not accept UNTIL"),
        ("support (table, parta, 0, 0, 0)", "a direction cannot be zero"),
        ("rotate (parta, 1)", "rotate takes an angle, or a body, an axis and an angle"),
        ("translate (parta, w, 1)", "'w' is not an axis"),
        ("movedown (1) until sensors (0) exceed (1)", "sensor 0 does not exist: sensors are 1, 2, …"),
        ("setjournal (1, '../../x')", "'../../x' is not a plain file name"),
        ("setjournal (1, '')", "'' is not a plain file name"),
        ("setfilm ('/x.mp4')", "'/x.mp4' is not a plain file name"),
        ("setfilm ('x.mp4', shaded)", "'shaded' is not a kind of film"),
        ("DELAY(-1)", "a delay of -1 s is not possible"),
        ("LOAD('nothing.eml')", "cannot read nothing.eml: No such file or directory"),
        ("draw (1)", "draw takes no arguments, not 1"),
    ],
)
def test_wrong_arguments_are_refused_with_their_position(engine, session, text: str, what: str) -> None:  # type: ignore[no-untyped-def]
    engine.commands.clear()
    assert refused(session, text) == what
    assert not engine.commands


def test_journals_go_to_the_output_folder(engine, session, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    session.out = tmp_path
    assert commands(engine, session, "setjournal (1)") == [("open_journal", tmp_path / "emula.journal")]
    assert commands(engine, session, "setjournal (1,'a','09:00:00:000')") == [
        ("open_journal", tmp_path / "a", "09:00:00:000")
    ]


def test_the_journal_contains_commands_as_typed_and_their_results(engine, session) -> None:  # type: ignore[no-untyped-def]
    engine.script = [1]
    session.execute(
        "open (1); /* open fingers */\n\n/* a remark */\nmovedown (1) until sensors (1) exceed (2) /* two\nlines */"
    )
    session.execute("  DISPLAY('x')  ")
    refused(session, "movdown (1)")
    assert engine.notes == [
        ("command", "open (1); /* open fingers */"),
        ("command", "movedown (1) until sensors (1) exceed (2) /* two"),
        ("command", "lines */"),
        ("response", "sensor 1 exceeded 2 after 41 cycles at Z -1.000: finger1 touches parta"),
        ("command", "DISPLAY('x')"),
        ("response", "x"),
        ("command", "movdown (1)"),
        ("response", "console:1:1: unknown command 'movdown'"),
    ]


def test_refusals_of_the_engine_have_a_position(engine, session) -> None:  # type: ignore[no-untyped-def]
    def release(body: str | None) -> None:
        raise WorldError("nothing is held", hint="grasp it first")

    engine.release = release
    with pytest.raises(EmulaError) as caught:
        session.execute("open\n  release", file="t.eml")
    assert str(caught.value) == "t.eml:2:3: nothing is held\n      release\n      ^~~~~~~\n  try: grasp it first"


def test_a_fault_of_the_engine_does_not_end_the_session(engine, session, shown: Shown) -> None:  # type: ignore[no-untyped-def]
    def release(body: str | None) -> None:
        raise KeyError("boom")

    engine.release = release
    assert refused(session, "release") == "release failed: KeyError: 'boom'"
    assert shown("DISPLAY(1)") == "1"


def test_load_runs_a_file_in_the_session(session, shown: Shown, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "a.eml").write_text("twice: SUBR(a); RETURN(2 * a); END;\nb: NEW 4\n")
    assert shown(f"LOAD('{tmp_path}/a.eml'); DISPLAY(twice(b))") == "8"
    (tmp_path / "b.eml").write_text(f"LOAD('{tmp_path}/b.eml')")
    assert "loads itself" in refused(session, f"LOAD('{tmp_path}/b.eml')")


def test_status_shows_motors_and_variables(engine, session, shown: Shown) -> None:  # type: ignore[no-untyped-def]
    engine.attached = {1: "contact,finger1,parta"}
    engine.sensors[1] = 10.0
    text = shown("f: SUBR(a); END; v: NEW 'x'; status")
    assert "motors    X 0.000" in text
    assert "sensor 1  10  (contact,finger1,parta)" in text
    assert "SUBR(a)" in text
    assert "v         'x'" in text


# ---------------------------------------------------------------- help


def test_every_command_has_help_and_stands_in_the_overview() -> None:
    listed = overview().lower().split()
    for each in all_routines():
        assert each.summary.endswith("."), each.name
        assert each.group in GROUPS
        assert each.name in listed
        assert each.usage[0] in page(each.name.upper())


def test_help_on_nothing_known_names_the_nearest() -> None:
    assert "did you mean 'movedown'?" in page("movdown")
    assert "UNTIL" in page("language")

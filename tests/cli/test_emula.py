"""``drycell emula``: batch and console from the command line, with exit codes for the outcome."""

import io
from pathlib import Path

import pytest

from drycell.cli.main import main


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Run a program; return the exit code, the output and the errors."""

    def start(text: str | None, *options: str) -> tuple[int, str, str]:
        given = []
        if text is not None:
            (tmp_path / "p.eml").write_text(text)
            given = [str(tmp_path / "p.eml")]
        code = main(["emula", *given, "--out", str(tmp_path / "out"), *options])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return start


def test_a_successful_program_ends_with_0(run) -> None:  # type: ignore[no-untyped-def]
    code, out, err = run("moveup (1)\nDISPLAY(TIME)\n")
    assert code == 0
    assert out.splitlines()[:2] == ["  1 motor moved, 0.30 s, now at Z 4.000", "0.3"]
    assert out.splitlines()[2].endswith("p.eml: 2 statements, 0.300 s of cell time, seed 0")
    assert err == ""


def test_a_mistake_ends_with_1_and_its_place(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    code, _, err = run("moveup (1)\n  grasp (partc)\n")
    assert code == 1
    assert err == (
        f"EmulaError: {tmp_path}/p.eml:2:3: there is no body 'partc'\n"
        "      grasp (partc)\n"
        "      ^~~~~~~~~~~~~\n"
        "  at 0.300 s, program 'emula' (p.eml:2), seed 0\n"
        "  try: did you mean 'partb' or 'parta'?\n"
    )


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        (
            "move (0,0,90)",
            "Z is beyond its limit: 93.000 inch is not between 0.000 and 17.000 inch",
            "within 0.000..17.000; it is at 3.000",
        ),
        (
            "DMOVE(ROLL, 500)",
            "ROLL is beyond its limit: 500.000 deg is not between -135.000 and 135.000 deg",
            "it is at 0.000 now",
        ),
        (
            "UNITS(cm); open (9)",
            "GRIPPER is beyond its limit: 9.000 cm is not between 0.000 and 8.255 cm",
            "within 0.000..8.255",
        ),
        (
            "AMOVE(Z, -3)",
            "Z is beyond its limit: -3.000 inch is not between 0.000 and 17.000 inch",
            "it is at 3.000 now",
        ),
        (
            "moveup 3",
            "expected ';' or a new line after the statement, found '3'",
            "put arguments in brackets: moveup (3)",
        ),
    ],
)
def test_refused_moves_are_reported_in_the_words_of_the_program(run, text: str, what: str, hint: str) -> None:  # type: ignore[no-untyped-def]
    code, out, err = run(text)
    assert (code, out) == (1, "")
    assert what in err
    assert hint in err


def test_all_mistakes_of_the_syntax_are_reported_before_anything_moves(run) -> None:  # type: ignore[no-untyped-def]
    code, out, err = run("moveup (1)\nmove (,\nopen )\n")
    assert code == 1
    assert out == ""
    assert "has 2 mistakes" in err


def test_a_collision_ends_with_2(run) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = run("open (1)\nsetcrashchk (1, finger1, finger2)\nclose\n")
    assert code == 2
    assert "2 cycles with a collision" in out


def test_answers_come_from_a_file(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "answers").write_text("no change\n4\nlimit\n")
    program = "attach (1,query)\nmoveup (4) until sensors (1) exceed (10)\n"
    code, out, _ = run(program, "--answers", str(tmp_path / "answers"))
    assert code == 0
    assert "sensor 1 exceeded 10 after 3 cycles at Z 4.200: answered 10" in out
    code, _, err = run(program)
    assert code == 1
    assert "QUERY of sensor 1 needs answer 1 in cycle 1, but the file has only 0" in err


def test_sensor_functions_come_from_a_file_named_on_the_command_line(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    functions = tmp_path / "mine.py"
    functions.write_text("from math import sqrt\n\ndef height(look, gain=1.0):\n    return gain * look.position[2]\n")
    program = "attach (1,height,2)\nmoveup (4) until sensors (1) exceed (.2)\n"
    code, out, _ = run(program, "--functions", str(functions))
    assert code == 0
    assert "sensor 1 exceeded 0.2 after 3 cycles at Z 4.200: height gives" in out
    code, _, err = run("attach (1,sqrt)\n", "--functions", str(functions))
    assert code == 1
    assert "there is no sensor function 'sqrt'" in err
    assert "cannot" not in err
    assert run(program, "--functions", str(tmp_path / "nothing.py"))[0] == 1


def test_a_failing_sensor_function_is_named_with_the_command(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    functions = tmp_path / "mine.py"
    functions.write_text("def broken(look):\n    return 1 / 0\n")
    code, _, err = run("attach (1,broken)\nmoveup (4)\n", "--functions", str(functions))
    assert code == 1
    assert "p.eml:2:1: sensor function 'broken' of sensor 1 failed: ZeroDivisionError: division by zero" in err


def test_the_journal_is_kept_from_the_start_and_written_after_a_mistake_too(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    code, _, _ = run("open (1); /* open */\ngrasp (partc)\n", "--journal", str(tmp_path / "j"))
    assert code == 1
    assert (tmp_path / "j").read_text().splitlines() == [
        "***JOURNAL OPENED AT 10:00:00:000***",
        "open (1); /* open */",
        "grasp (partc)",
        f"{tmp_path}/p.eml:2:1: there is no body 'partc'",
        "***JOURNAL CLOSED AT 10:00:02:500***",
    ]


def test_seeds_change_random_events_and_only_they(run) -> None:  # type: ignore[no-untyped-def]
    program = "attach (1,random,6,.1,.8)\nmove (-2,10,8)\nmovedown (10) until sensors (1) exceed (10)\n"
    found = {run(program, "--seed", str(seed))[1].splitlines()[1] for seed in range(8)}
    assert 2 <= len(found) <= 8
    assert run(program, "--seed", "3")[1] == run(program, "--seed", "3")[1]


def test_models_of_the_family_end_at_the_same_motors(run) -> None:  # type: ignore[no-untyped-def]
    program = "UNITS(mm)\nmove (10,20,30)\nrotate (45)\nsetmodel (hand)\nDISPLAY(QPOSITION(<1,2,3,4,5,6,7>))\n"
    ends = {run(program, "--model", model)[1].splitlines()[-2] for model in ("hand", "stylised", "detailed")}
    assert len(ends) == 1
    assert run(program, "--model", "wooden")[0] == 1


def test_another_cell_can_be_emulated(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "cell.py").write_text(
        "from drycell import Robot\n"
        "def build(cell):\n"
        "    cell.add('h', Robot('box-frame/hand'))\n"
        "    cell.add('i', Robot('box-frame/hand', at=(2, 0, 0)))\n"
    )
    code, _, err = run("moveup (1)", "--cell", str(tmp_path))
    assert code == 1
    assert "has 2 robots, but only one can be emulated" in err
    assert run("moveup (1)", "--cell", str(tmp_path), "--robot", "i")[0] == 0


def test_piped_input_is_run_as_if_typed(run, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("sys.stdin", io.StringIO("moveup (1)\nWHILE 0 DO\nopen\n1 + 1\n"))
    code, out, _ = run(None)
    assert code == 0
    assert out.splitlines()[0] == "EMULA on drycell. Cell: workstation (box-frame/stylised). 'help' lists the commands."
    assert out.splitlines()[1:3] == ["  1 motor moved, 0.30 s, now at Z 4.000", "  2"]
    monkeypatch.setattr("sys.stdin", io.StringIO("movdown (1)\nmoveup (1)\n"))
    code, out, _ = run(None)
    assert code == 1
    assert "now at Z 4.000" in out


def test_a_file_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["emula", "nothing.eml"]) == 1
    assert "cannot read nothing.eml" in capsys.readouterr().err


def test_a_recorded_program_is_replayed_with_the_answers_it_got(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "answers").write_text("no change\n4\nlimit\n")
    program = "attach (1,query);\nmoveup (4) until sensors (1) exceed (10);\n"
    file = tmp_path / "ask.dry"
    assert run(program, "--answers", str(tmp_path / "answers"), "--record", str(file))[0] == 0
    (tmp_path / "answers").unlink()
    (tmp_path / "p.eml").unlink()  # the recording contains all of it
    assert main(["replay", str(file)]) == 0


def test_functions_in_python_cannot_be_recorded(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    code, _, err = run("moveup (1);\n", "--record", str(tmp_path / "x.dry"), "--functions", "warm.py")
    assert code == 1
    assert "a recording cannot store Python functions" in err


def test_a_model_is_never_ignored(run, tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "cell.yaml").write_text("format: 1\nrobots: {arm: {model: box-frame/hand}}\n")
    cell = ("--cell", str(tmp_path))
    code, _, err = run("moveup (1)", *cell, "--model", "nonsense")
    assert (code, err.splitlines()[0]) == (1, "UnknownName: there is no model 'nonsense'")
    code, _, err = run("moveup (1)", "--model", "nonsense")
    assert (code, err.splitlines()[0]) == (1, "UnknownName: there is no model 'nonsense'")
    monkeypatch.setattr("sys.stdin", io.StringIO("moveup (1)\n"))
    code, out, err = run(None, *cell, "--model", "detailed", "--record", str(tmp_path / "r.dry"))
    assert "Cell: " in out
    assert "(detailed)" in out
    assert main(["replay", str(tmp_path / "r.dry"), "--trust"]) == 0

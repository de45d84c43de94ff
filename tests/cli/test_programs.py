"""``drycell run --program`` replaces a program with another file; ``drycell show`` lists the wiring."""

from pathlib import Path

import pytest

from drycell.cli.main import main

CELL = """\
name: two languages
robots:
  arm: {model: scorbot-er3, gripper: two-finger}
signals: {go: false}
devices:
  mill: {machine: {duration: 2 s}, at: [0, 700 mm]}
controllers:
  scorbot: {robot: arm, inputs: {1: mill.ready, part: go}, outputs: {1: mill.start}}
programs:
  robot: {file: robot.py, controller: scorbot}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cell.yaml").write_text(CELL, encoding="utf-8")
    (tmp_path / "robot.py").write_text("def robot(io):\n    io.pulse(1)\n    print('python')\n", encoding="utf-8")
    (tmp_path / "robot.pas").write_text(
        "program R;\nuses ScorPas;\nbegin\n  SetOutputNo(1);\n  repeat delay(100) until InputStatus(1);\n"
        "  writeln('pascal')\nend.\n",
        encoding="utf-8",
    )
    return tmp_path


def test_another_language_takes_a_programs_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(folder)]) == 0
    assert capsys.readouterr().out.startswith("python\n")
    assert main(["run", str(folder), "--program", "robot=robot.pas"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("pascal\n")
    assert "at 2.000 s" in printed


@pytest.mark.parametrize("own", [None, "def robot(:\n"], ids=["missing", "broken"])
def test_the_program_whose_place_is_taken_need_not_be_readable(
    folder: Path, own: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "robot.py").unlink()
    if own is not None:
        (folder / "robot.py").write_text(own, encoding="utf-8")
    assert main(["run", str(folder)]) == 1
    assert main(["run", str(folder), "--program", "robot=robot.pas"]) == 0
    assert capsys.readouterr().out.startswith("pascal\n")


def test_a_replay_knows_the_program_that_was_exchanged(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "other.pas"
    elsewhere.write_text((folder / "robot.pas").read_text(encoding="utf-8"), encoding="utf-8")
    record = str(folder / "run.dry")
    assert main(["run", str(folder), "--program", f"robot={elsewhere}", "--record", record]) == 0
    capsys.readouterr()
    assert main(["replay", record]) == 0
    assert "identical: " in capsys.readouterr().out
    elsewhere.write_text("program R;\nbegin\n  writeln('other')\nend.\n", encoding="utf-8")
    assert main(["replay", record, "--changed"]) == 2
    assert "changed since the recording: ../elsewhere0/other.pas" in capsys.readouterr().out
    elsewhere.unlink()
    assert main(["replay", record]) == 1
    assert "was made with --program robot=../elsewhere0/other.pas, which no longer exists" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--program", "robot"], "--program takes NAME=FILE, not 'robot'"),
        (["--program", "robot=robo.pas"], "try: choose a file, such as --program robot="),
        (["--program", "robot=robo.pas"], "there is no program file 'robo.pas', neither here nor in"),
    ],
)
def test_invalid_programs_are_reported(
    folder: Path, options: list[str], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(folder), *options]) == 1
    assert what in capsys.readouterr().err


def test_show_lists_devices_and_wiring(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert (
        "mill       machine      mill.start = off, mill.running = off, mill.ready = off, mill.broken = off" in printed
    )
    assert (
        "controller scorbot, moves arm\n"
        "  input  1              mill.ready\n"
        "  input  part           go\n"
        "  output 1              mill.start\n" in printed
    )
    assert "programs  robot (on scorbot)" in printed

"""The two commands side by side, in processes of their own: one is the controller, the other drives it."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from drycell.cli.main import main

from .conftest import HERE

CELL = """\
from drycell import Robot, wait


def build(cell):
    cell.add("arm", Robot("scorbot-er3", gripper="two-finger"))
    there, lamp = cell.signal("part_there", False), cell.signal("lamp", False)

    @cell.program(daemon=True)
    def feeder():
        while True:
            for on in (True, False):
                wait(lamp.rises())
                wait(~lamp)
                there.set(on)

    @cell.program
    def robot(arm):
        arm.home()
"""
SLOW = """\
program Slow;
uses ScorPas;
begin
  Speed(1);
  MoveXYZ(0, 300, 250, -90, 0);
  delay(1000);
  writeln('on its way');
  MoveXYZ(300, 0, 250, -90, 0);
  Waitpos
end.
"""
WAIT = 120


WIRED = """\
from drycell import Controller, Robot, delay, wait


def build(cell):
    arm = cell.add("arm", Robot("scorbot-er3", gripper="two-finger"))
    cell.signal("part_there", False), cell.signal("lamp", False)
    cell.add("scorbot", Controller(robot=arm.name, inputs={1: "part_there"}, outputs={8: "lamp"}))

    @cell.program(controller="scorbot")
    def robot(scorbot):
        raise AssertionError("the program comes over the line")
"""


def test_a_controller_of_the_cell_brings_its_wiring_but_not_its_programs(tmp_path: Path, capsys) -> None:
    (tmp_path / "cell.py").write_text(WIRED)
    cell = str(tmp_path / "cell.py")
    assert main(["emulate", cell, "--controller", "scorbot", "--speed", "1000", "--until", "1 s"]) == 0
    assert re.fullmatch(
        r".*: a controller answers at /dev/\S+, 1000 × real time; press Ctrl-C to end\n"
        r"0 commands in 1\.0 s of cell time\n",
        capsys.readouterr().out,
    )
    assert main(["emulate", cell, "--controller", "plc"]) == 1
    assert "'plc'" in capsys.readouterr().err
    assert main(["emulate", cell, "--input", "17=lamp"]) == 1
    assert "'17=lamp' does not wire an input" in capsys.readouterr().err
    assert main(["emulate", cell, "--without", "robt"]) == 1
    assert "did you mean 'robot'?" in capsys.readouterr().err


def started(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "drycell.cli.main", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        start_new_session=True,
    )


def test_one_process_drives_the_other_and_ctrl_c_stops_arm_and_controller(tmp_path: Path) -> None:
    (tmp_path / "cell.py").write_text(CELL)
    (tmp_path / "slow.pas").write_text(SLOW)
    cell, log = str(tmp_path / "cell.py"), tmp_path / "far.journal"
    wires = ["--input", "1=part_there", "--output", "8=lamp", "--without", "robot"]
    far = started("emulate", cell, *wires, "--speed", "20", "--journal", str(log))
    near = None
    try:
        assert far.stdout is not None
        said = far.stdout.readline()
        assert "a controller answers at /dev/" in said, far.communicate(timeout=WAIT)
        port = said.split(" answers at ")[1].split(",")[0]
        journal = str(tmp_path / "near.journal")
        options = ["--serial", port, "--cell", cell, "--timeout", "60", "--speed", "20", "--journal", journal]
        tiny = started("scorpas", str(HERE / "tiny.pas"), *options)
        assert tiny.communicate(timeout=WAIT) == (f"{HERE / 'tiny.pas'} on {port}: finished\n", "")
        assert 'sent="SHOW DIN"' in Path(journal).read_text()

        options = ["--serial", port, "--cell", cell, "--timeout", "60"]
        near = started("scorpas", str(tmp_path / "slow.pas"), *options)
        assert near.stdout is not None
        assert near.stdout.readline() == "on its way\n", near.communicate(timeout=WAIT)
        near.send_signal(signal.SIGINT)
        out, err = near.communicate(timeout=WAIT)
        assert (near.returncode, err) == (2, "")
        assert f"on {port}: interrupted; abort and motors off were sent" in out
        far.send_signal(signal.SIGINT)
        out, err = far.communicate(timeout=WAIT)
        assert (far.returncode, err) == (0, "")
        assert " commands in " in out
        text = log.read_text()
        assert text.index("Ctrl-A") < text.index("COFF")
    finally:
        for process in (far, near):
            if process is not None and process.poll() is None:
                process.kill()
                process.communicate()

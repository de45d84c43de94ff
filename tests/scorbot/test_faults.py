"""On a line that misbehaves, a program ends with a clear error, and the arm stands."""

import re

import pytest

from drycell.base import deg
from drycell.cli.main import main
from drycell.scorbot import LineFaults

from .conftest import HERE, emulation

SLOW = """\
program Slow;
uses ScorPas;
var turn: integerTypeArray;
begin
  Speed(1);
  turn[1] := 12000;
  GoPuls(turn);
  Waitpos
end.
"""
# ECHO, CON, DEFP, HERE, LISTPV; five values, SPEED, MOVE: from the 13th command on the arm is on a way of minutes.
ON_ITS_WAY = 15


def run_slow(tmp_path, capsys: pytest.CaptureFixture[str], faults: LineFaults, timeout: str):
    """The program on a line with faults: the exit code, what was printed, the cell, and its last posts."""
    path = tmp_path / "slow.pas"
    path.write_text(SLOW)
    with emulation(speed=2.0, faults=faults) as (cell, _, port):
        code = main(["scorpas", str(path), "--serial", port, "--speed", "20", "--timeout", timeout])
        said = capsys.readouterr().err
    posts = [record.fields["note"] for record in cell.kernel.journal.records if record.kind == "post"]
    return code, said.replace(port, "PORT"), cell, posts


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (
            "silent",
            r"LineTimeout: PORT: the controller did not answer; sent 'LISTPV POSITION', received nothing, waited 1",
        ),
        ("lost_prompt", r"LineTimeout: PORT: the controller did not answer; sent 'LISTPV POSITION', received b'LISTPV"),
        ("garbage", r"LineGarbage: PORT: .* sent 'LISTPV POSITION', received b'"),
    ],
)
def test_the_arm_is_stopped_on_its_way(tmp_path, capsys: pytest.CaptureFixture[str], kind: str, message: str) -> None:
    timeout = "60" if kind == "garbage" else "1"
    code, said, cell, posts = run_slow(tmp_path, capsys, LineFaults(at={ON_ITS_WAY: kind}), timeout)
    assert code == 1
    assert re.match(message, said)
    assert "abort and motors off were sent" in said
    assert "program 'slow' (slow.pas:8), seed 0" in said
    assert "\n  try: check that " in said
    assert posts[-3:] == ["Ctrl-A", "an empty line", "COFF"]
    assert cell.robots["arm"].joints[0] < 60 * deg  # of 84.6°


def test_an_unplugged_line_is_reported_at_once_and_nothing_more_is_sent(
    tmp_path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said, _, posts = run_slow(tmp_path, capsys, LineFaults(at={ON_ITS_WAY: "unplug"}), "60")
    assert code == 1
    assert said.startswith("LineLost: PORT: ")
    assert "sent 'LISTPV POSITION'" in said
    assert "use the emergency stop if the arm still moves" in said
    assert "check the plug" in said
    assert posts[-1] == "LISTPV POSITION"


def test_late_answers_are_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    with emulation(faults=LineFaults(late=0.5, seed=1)) as (_, controller, port):
        options = ["--serial", port, "--speed", "40", "--timeout", "60", "--cell", str(HERE / "cell.py")]
        assert main(["scorpas", str(HERE / "tiny.pas"), *options]) == 0
        assert controller.commands > 20


def test_a_port_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str], tmp_path) -> None:
    assert main(["scorpas", str(HERE / "tiny.pas"), "--serial", str(tmp_path / "ttyUSB7")]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"DrycellError: cannot open the serial port '{tmp_path}/ttyUSB7': ")
    assert "try: give the port its system name" in said


def test_an_address_is_not_a_port(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scorpas", str(HERE / "tiny.pas"), "--serial", "socket://localhost:1"]) == 1
    assert "cannot open the serial port 'socket://localhost:1'" in capsys.readouterr().err

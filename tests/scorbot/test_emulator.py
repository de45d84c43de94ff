"""The emulated controller: its language, its timing, its faults, and that it leaves nothing behind."""

import threading
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from drycell.base import FieldError, UnknownName, deg
from drycell.recording import Recording
from drycell.scorbot import AclInterpreter, AclSession, LineError, LineFaults, SerialPort

from .conftest import emulated, emulation, tiny_cell
from .far_end import StillArm


def test_positions_are_defined_recorded_changed_and_gone_to() -> None:
    arm = StillArm()
    arm.place = (5, -4, 3, -2, 1)
    acl = AclInterpreter(arm)
    assert acl.execute("MOVE P1") == ["*** UNDEFINED POINT"]
    assert acl.execute("defp p1") == ["Done."]
    assert acl.execute("DEFP P1") == ["*** POINT ALREADY DEFINED"]
    assert acl.execute("MOVE P1") == ["*** POINT NOT RECORDED"]
    assert acl.execute("HERE P1") == ["Done."]
    assert acl.execute("SETPV P1 2 -777") == ["Done."]
    assert acl.execute("LISTPV P1") == ["1:      5   2:   -777   3:      3   4:     -2   5:      1", "Done."]
    assert acl.execute("SPEED 20") == ["Done."]
    assert acl.execute("MOVE P1") == ["Done."]
    assert arm.commands == ["move (5, -777, 3, -2, 1) at 20 %"]
    assert acl.execute("COFF") == ["Done."]
    assert acl.execute("MOVE P1") == ["*** CONTROL DISABLED"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("SPEED 0", "BAD VALUE"),
        ("SPEED", "MISSING ARGUMENT"),
        ("SPEED fast", "BAD VALUE"),
        ("JUMP", "UNKNOWN COMMAND"),
        ("SET OUT[17]=1", "ILLEGAL INDEX"),
        ("SHOW ME", "UNKNOWN COMMAND"),
        ("DEFP TOOLONG", "ILLEGAL NAME"),
    ],
)
def test_errors_are_reported_with_asterisks(line: str, said: str) -> None:
    assert AclInterpreter(StillArm()).execute(line) == [f"*** {said}"]


def test_no_line_breaks_the_interpreter() -> None:
    stream = Random(11)
    words = ["MOVE", "SETPV", "DEFP", "HERE", "SHOW", "SET", "OUT[1]=1", "DIN", "P", "-5", "99999999", "LISTPV", "\xb2"]
    acl = AclInterpreter(StillArm())
    for _ in range(20_000):
        line = " ".join(stream.choices(words, k=stream.randrange(5)))
        if stream.random() < 0.2:
            line += stream.randbytes(8).decode("latin-1")
        lines = acl.execute(line)
        assert not line.split() or lines[-1] == "Done." or lines[0].startswith("*** ")


def test_faults_are_the_same_for_the_same_seed_and_befall_their_share() -> None:
    faults = LineFaults(late=0.1, garbage=0.2, lost_prompt=0.1, silent=0.1, seed=3)
    answer = b"SPEED 5\r\nDone.\r\n>"
    answers = [faults.apply(number, answer) for number in range(1, 2001)]
    assert answers == [faults.apply(number, answer) for number in range(1, 2001)]
    plain = sum(each.answer == answer and each.late == 0.0 for each in answers)
    assert 900 <= plain <= 1100
    assert LineFaults(at={7: "unplug"}).apply(7, answer).unplugged
    with pytest.raises(FieldError, match=r"1\.5 is not between 0 and 1"):
        LineFaults(late=1.5)
    with pytest.raises(FieldError, match=r"add up to 1\.2"):
        LineFaults(late=0.6, silent=0.6)
    with pytest.raises(UnknownName, match="there is no fault of a line 'pulled'"):
        LineFaults(at={1: "pulled"})


def test_a_terminal_answers_after_any_noise_and_is_gone_in_the_end() -> None:
    stream = Random(2)
    with emulation(speed=100.0) as (_, _, name):
        port = SerialPort(name)
        for _ in range(20):
            port.write(bytes(byte for byte in stream.randbytes(200) if byte not in (0x11, 0x13)))
        while True:  # the controller answers noise with refusals, and the last of them may be late
            session = AclSession(port, timeout=60.0)
            try:
                session.open()
                break
            except LineError:
                continue
        assert session.ask("SPEED 20") == ()
        session.close()
        assert [thread.name for thread in threading.enumerate() if name in thread.name]
    assert not [thread.name for thread in threading.enumerate() if name in thread.name]


def test_the_cell_behind_the_line_moves_and_its_wires_are_its_signals() -> None:
    with emulation(speed=100.0) as (cell, controller, name):
        session = AclSession(SerialPort(name), timeout=60.0)
        session.open()
        session.ask("DEFP P")
        session.ask("HERE P")
        session.ask("SETPV P 1 1419")
        session.ask("SPEED 100")
        session.ask("MOVE P")
        while "1:   1419" not in session.ask("LISTPV POSITION")[0]:
            pass
        session.ask("SET OUT[8]=1")
        assert session.ask("SHOW DOUT")[1].split()[7] == "1"
        session.ask("SET OUT[8]=0")
        while session.ask("SHOW DIN")[1][0] != "1":
            pass
        session.close()
        assert controller.commands > 10
    assert cell.robots["arm"].joints[0] == pytest.approx(10 * deg, abs=0.01 * deg)
    assert [value for _, value, _ in cell.kernel.signals["lamp"].history] == [False, True, False]


def test_commands_from_the_line_are_on_the_tape_and_are_replayed(tmp_path: Path) -> None:
    controller = emulated(tiny_cell())

    def drive() -> None:
        with closing(AclSession(SerialPort(controller.port))) as session:
            for command in ("SET OUT[8]=1", "DEFP A", "HERE A", "MOVE A", "SET OUT[8]=0"):
                session.ask(command)
        controller.stop()

    driver = threading.Thread(target=drive)
    driver.start()
    lived = controller.run(record=str(tmp_path / "line.dry"))
    driver.join(60)
    with Recording.open(tmp_path / "line.dry") as recording:
        rows = list(recording.inputs)
    assert {"line", "stop"} <= {row.what for row in rows}

    cell = tiny_cell()
    emulated(cell)  # wired, but without an effect
    cell.play(rows)
    again = cell.run(record=tmp_path / "again.dry")
    assert again.outcome == lived.outcome
    assert (tmp_path / "again.dry").read_bytes() == (tmp_path / "line.dry").read_bytes()

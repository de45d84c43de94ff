"""Errors of a line report what was sent, what was received, and how long the computer waited."""

import pytest

from drycell.scorbot import AclSession, CommandRefused, LineGarbage, LineLost, LineTimeout

from .far_end import FarEnd, StillArm
from .test_codec import Noise


def noisy(*pieces: bytes) -> AclSession:
    port = Noise(list(reversed((b"", *pieces))))  # no spontaneous message
    return AclSession(port, timeout=2.0, clock=lambda: port.time)


def test_a_controller_is_found_at_its_prompt_and_reported_to_echo() -> None:
    port = FarEnd(StillArm())
    session = AclSession(port)
    session.open()
    assert session.ask("SHOW DIN") == ("1 -> 16:", "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0")
    assert port.log == ["", "ECHO", "SHOW DIN"]


def test_silence_is_a_time_out() -> None:
    session = noisy(b"SPEED 50\r\n")
    with pytest.raises(LineTimeout) as caught:
        session.ask("SPEED 50")
    assert str(caught.value) == (
        "noise: the controller did not answer; sent 'SPEED 50', received b'SPEED 50\\r\\n', waited 2.0 s\n"
        "  try: check that the controller is on, in DIRECT mode and at 9600 baud, 8 data bits, no parity, 1 stop bit, "
        "and that no other program uses the port"
    )


def test_strange_bytes_are_garbage() -> None:
    session = noisy(b"SPEED 50\r\nDo\xf0\xf1.\r\n>")
    with pytest.raises(LineGarbage, match="2 invalid bytes") as caught:
        session.ask("SPEED 50")
    assert caught.value.received == b"SPEED 50\r\nDo\xf0\xf1.\r\n>"


def test_a_command_with_a_wrong_echo_is_garbage() -> None:
    session = noisy(b"SPEED 90\r\nDone.\r\n>")
    with pytest.raises(LineGarbage, match="the echo of the command is wrong"):
        session.ask("SPEED 50")


def test_bytes_without_end_are_garbage() -> None:
    session = noisy(*[b"x" * 1000] * 20)
    with pytest.raises(
        LineGarbage, match="8192 bytes were received without a prompt; sent 'SPEED 50', received 8192 bytes"
    ):
        session.ask("SPEED 50")


def test_output_of_programs_on_the_controller_is_ignored() -> None:
    session = noisy(b"hello\r\n>SPEED 50\r\nDone.\r\n>")
    assert session.ask("SPEED 50") == ()


def test_trouble_that_the_controller_reports_by_itself_is_an_error() -> None:
    port = Noise([b"\r\n*** IMPACT PROTECTION AXIS 2\r\n>"])
    session = AclSession(port, timeout=2.0, clock=lambda: port.time)
    with pytest.raises(CommandRefused, match=r"reports a fault: \*\*\* IMPACT PROTECTION AXIS 2"):
        session.ask("SPEED 50")


def test_a_refusal_says_what_the_controller_said() -> None:
    session = AclSession(FarEnd(StillArm()))
    session.open()
    with pytest.raises(CommandRefused, match=r"the controller says \*\*\* UNDEFINED POINT; sent 'MOVE NOWHERE'"):
        session.ask("MOVE NOWHERE")
    assert not session.broken


def test_after_a_fault_nothing_more_is_sent_but_what_stops_the_arm() -> None:
    port = FarEnd(StillArm(), unplugged_after=3)
    session = AclSession(port)
    session.open()
    session.ask("CON")
    session.ask("SPEED 5")
    with pytest.raises(LineLost):
        session.ask("SPEED 6")
    with pytest.raises(Exception, match="the line has failed before, so nothing more is sent"):
        session.ask("MOVE DRY")
    assert session.stop() == ("abort and motors off could not be sent: use the emergency stop if the arm still moves")
    assert port.log == ["", "ECHO", "CON", "SPEED 5"]


def test_stopping_aborts_first_and_then_switches_the_motors_off() -> None:
    arm = StillArm()
    session = AclSession(FarEnd(arm))
    session.open()
    assert session.stop() == "abort and motors off were sent and done"
    assert arm.commands == ["abort", "abort", "control off"]
    silent = noisy()
    assert silent.stop().startswith("abort and motors off were sent, but not confirmed")

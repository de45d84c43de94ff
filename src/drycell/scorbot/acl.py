"""ACL, the command language of SCORBOT controllers, at the computer's end of a serial line.

From bytes to replies (``ReplyDecoder``) to one command at a time (``Session``). Every error says what was sent, what
came back, and how long it was waited for::

    LineError
    ├── LineTimeout   no prompt in time
    ├── LineGarbage   bytes that no controller sends, an echo of something else, or no end of them
    ├── LineLost      the line itself is gone
    └── Refused       the controller understood, and will not

In DIRECT mode a controller echoes a command, prints its lines, and shows its prompt: ``>`` at the start of a line.
"""

import re
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from drycell.base import DrycellError, ProgramError

_SHOWN: Final = 120


class LineError(DrycellError):
    """Something went wrong between the computer and the controller. ``stopped`` tells what was done about the arm."""

    trouble = "the line is out of order"
    advice = "look at the cable and the controller"

    def __init__(
        self,
        port: str,
        *,
        sent: str,
        received: bytes = b"",
        waited: float = 0.0,
        trouble: str | None = None,
        advice: str | None = None,
    ) -> None:
        self.port, self.sent, self.received, self.waited = port, sent, received, waited
        self.trouble = trouble or self.trouble
        self._told = f"{port}: {self.trouble}; sent {sent!r}, received {shown(received)}, waited {waited:.1f} s"
        self.stopped = ""
        super().__init__(self._told, hint=advice or self.advice)

    def note_stop(self, text: str) -> None:
        """Add what was done to stop the arm."""
        self.stopped = text
        self.what = f"{self._told}; {text}"
        self.args = (self.what,)


class LineTimeout(LineError):
    """No prompt came in time."""

    trouble = "the controller did not answer"
    advice = (
        "see that the controller is on, in DIRECT mode and at 9600 baud, 8 data bits, no parity, 1 stop bit, and that "
        "no other program has the port"
    )


class LineGarbage(LineError):
    """What came cannot be from a controller that is well."""

    trouble = "what came back makes no sense"
    advice = "see that both ends have the same baud rate and framing, and that the cable is shielded and grounded"


class LineLost(LineError):
    """The line itself is gone."""

    trouble = "the line is gone"
    advice = "see whether the plug is in; an adapter may have a new name after it was pulled"


class Refused(LineError):
    """The controller understood the line, and refused the command."""

    trouble = "the controller refused"
    advice = "see what it says; is the arm homed, its motors on (CON), and the target within its reach?"


def shown(data: bytes) -> str:
    """Bytes as Python writes them; of many, the last ones."""
    if not data:
        return "nothing"
    return repr(data) if len(data) <= _SHOWN else f"{len(data)} bytes ending in {data[-_SHOWN:]!r}"


BAUD: Final = 9600
_WRITE_TIMEOUT: Final = 2.0


class Port(Protocol):
    """A line to a controller."""

    name: str

    def read(self, timeout: float) -> bytes:
        """What has come; waits for the first byte, but no longer than so many seconds."""

    def write(self, data: bytes) -> None:
        """Send bytes."""

    def close(self) -> None:
        """Give the line back."""


class SerialPort:
    """A serial line: 8 data bits, no parity, 1 stop bit, XON/XOFF."""

    def __init__(self, name: str, baud: int = BAUD) -> None:
        try:
            from serial import Serial, SerialException
        except ImportError:
            raise DrycellError(
                "a serial line needs the library pyserial, which is not installed", hint="pip install 'drycell[serial]'"
            ) from None
        self.name = name
        try:
            # Serial, not serial_for_url: a name is a device of this machine, never an address somewhere else.
            self._serial = Serial(
                name, baud, bytesize=8, parity="N", stopbits=1, xonxoff=True, write_timeout=_WRITE_TIMEOUT, timeout=0
            )
        except (SerialException, *_faults(), ValueError) as error:
            raise DrycellError(
                f"cannot open the serial port {name!r}: {error}",
                hint="name the port as the system does, such as /dev/ttyUSB0 or COM3, and see who may use it",
            ) from None

    def read(self, timeout: float) -> bytes:
        """What has come."""
        try:
            self._serial.timeout = timeout
            first: bytes = self._serial.read(1)
            if not first:
                return b""
            self._serial.timeout = 0
            return first + bytes(self._serial.read(1024))
        except _faults() as error:
            raise LineLost(self.name, sent="", trouble=f"the line is gone ({error})") from None

    def write(self, data: bytes) -> None:
        """Sends, or says that nobody takes it."""
        try:
            self._serial.write(data)
        except _faults() as error:
            raise LineLost(self.name, sent=repr(data), trouble=f"nothing can be sent ({error})") from None

    def close(self) -> None:
        """Gives the line back; one that is gone already is no fault."""
        try:
            self._serial.close()
        except _faults():
            return


def _faults() -> tuple[type[BaseException], ...]:
    """What pyserial raises when a line is gone: its own errors are OSErrors, but it lets others through."""
    if sys.platform == "win32":
        return (OSError, TypeError)
    import termios

    return (OSError, TypeError, termios.error)


PROMPT: Final = ord(">")
ABORT: Final = b"\x01"
"""Ctrl-A: stops all programs and all motion of the controller, whatever stands on its line."""
LONGEST_COMMAND: Final = 79
LONGEST_REPLY: Final = 8192
_MOST_REPLIES: Final = 64
_LINE_END: Final = (0x0D, 0x0A)
_SILENT: Final = frozenset((0x00, 0x07, 0x11, 0x13))  # fill, bell, XON, XOFF: no part of any text
_PRINTABLE: Final = frozenset((0x09, *range(0x20, 0x7F)))


def command_bytes(command: str) -> bytes:
    """A command as it goes over the line."""
    if len(command) > LONGEST_COMMAND or not (command.isascii() and (command.isprintable() or not command)):
        raise ProgramError(
            f"{command[:LONGEST_COMMAND]!r} cannot be sent to a controller",
            hint=f"a command has up to {LONGEST_COMMAND} letters, digits and signs of ASCII",
        )
    return command.encode("ascii") + b"\r"


@dataclass(frozen=True, slots=True)
class AclReply:
    """What came up to a prompt: its lines without blanks around them, empty ones left out, and the bytes themselves."""

    lines: tuple[str, ...]
    raw: bytes
    strange: int = 0
    """How many bytes no controller sends."""

    def after_echo(self, command: str) -> "tuple[tuple[str, ...], tuple[str, ...]] | None":
        """The lines before and after the echo of a command; None when it was not echoed."""
        for place, line in enumerate(self.lines):
            if line.upper() == command.upper():
                return self.lines[:place], self.lines[place + 1 :]
        return None


class ReplyDecoder:
    """Takes bytes as they come, in pieces of any size, and gives replies."""

    def __init__(self) -> None:
        self._raw = bytearray()
        self._line = bytearray()
        self._lines: list[str] = []
        self._strange = 0
        self._replies: deque[AclReply] = deque(maxlen=_MOST_REPLIES)

    @property
    def pending(self) -> bytes:
        """What came since the last prompt."""
        return bytes(self._raw)

    @property
    def overfull(self) -> bool:
        """Whether more came without a prompt than any reply has; what comes now is no longer kept."""
        return len(self._raw) >= LONGEST_REPLY

    def feed(self, data: bytes) -> None:
        """Take what has come."""
        for byte in data:
            if self.overfull:
                return
            self._raw.append(byte)
            if byte in _SILENT:
                continue
            if byte in _LINE_END:
                self._end_line()
            elif byte == PROMPT and not self._line:
                self._replies.append(AclReply(tuple(self._lines), bytes(self._raw), self._strange))
                self._forget()
            else:
                self._strange += byte not in _PRINTABLE
                self._line.append(byte)

    def take(self) -> AclReply | None:
        """The oldest reply that is complete."""
        return self._replies.popleft() if self._replies else None

    def clear(self) -> None:
        """Forget everything."""
        self._forget()
        self._replies.clear()

    def _end_line(self) -> None:
        text = self._line.decode("ascii", "replace").strip()
        if text:
            self._lines.append(text)
        self._line.clear()

    def _forget(self) -> None:
        self._raw.clear()
        self._line.clear()
        self._lines.clear()
        self._strange = 0


INPUTS: Final = 16
_AXIS: Final = re.compile(r"(?<![\w.])([1-9])\s*:\s*([+-]?\d{1,9})(?![\w.])")
_RANGE: Final = re.compile(r"^(\d{1,2})\s*->\s*(\d{1,2})\s*:?(.*)$")


def listed_counts(lines: Sequence[str], axes: int) -> tuple[int, ...] | None:
    """The counts of the axes from the lines of LISTPV: ``1:   2441  2:  2153 …``; None if one is missing."""
    found: dict[int, int] = {}
    for line in lines:
        for axis, count in _AXIS.findall(line):
            if int(axis) in found:
                return None
            found[int(axis)] = int(count)
    wanted = range(1, axes + 1)
    return tuple(found[axis] for axis in wanted) if all(axis in found for axis in wanted) else None


def listed_inputs(lines: Sequence[str]) -> tuple[bool, ...] | None:
    """The inputs from the lines of SHOW DIN: ``1 -> 16:`` and as many noughts and ones; None if they do not come so."""
    for place, line in enumerate(lines):
        match = _RANGE.match(line)
        if match is None:
            continue
        first, last = int(match[1]), int(match[2])
        signs = match[3].split() or (lines[place + 1].split() if place + 1 < len(lines) else [])
        if len(signs) == 1:  # some print them without blanks
            signs = list(signs[0])
        if first == 1 and len(signs) == last <= INPUTS and all(sign in ("0", "1") for sign in signs):
            return tuple(sign == "1" for sign in signs)
    return None


TIMEOUT: Final = 5.0
"""Seconds in which a controller answers; it does not wait for motion."""
DONE: Final = "DONE."
_STOP_TIMEOUT: Final = 2.0
_GRACE: Final = 0.3
_QUIET: Final = 0.2


class GivenUp(Exception):
    """Nobody waits for the answer any more."""


class AclSession:
    """Asks a controller, on one thread at a time. After a fault on the line only :meth:`stop` is of use."""

    def __init__(self, port: Port, *, timeout: float = TIMEOUT, clock: Callable[[], float] = time.monotonic) -> None:
        self.port = port
        self.timeout = timeout
        self.broken = False
        self._clock = clock
        self._decoder = ReplyDecoder()
        self._given_up = False

    def open(self) -> None:
        """Finds the controller at its prompt, and has it echo what it is sent, so that a spoilt command is seen."""
        started = self._clock()
        while (data := self._read(_QUIET)) and self._clock() - started < self.timeout:
            self._decoder.feed(data)  # switching on makes noise, and an earlier program may have been cut off
        self._decoder.clear()
        self._exchange("")
        self.ask("ECHO")

    def ask(self, command: str) -> tuple[str, ...]:
        """Has a command done and gives the lines it printed. Raises Refused if the controller does not say Done."""
        started = self._clock()
        self._drain()
        reply = self._exchange(command)
        parts = reply.after_echo(command)
        # Turning the echo on is the one command that may come back without it.
        before, lines = parts if parts is not None else ((), reply.lines)
        waited = self._clock() - started
        if reply.strange or (parts is None and command != "ECHO"):
            trouble = f"{reply.strange} bytes that no controller sends came back" if reply.strange else None
            trouble = trouble or "the command came back as something else, or not at all"
            raise self._failed(LineGarbage, command, reply.raw, waited, trouble)
        self._see(before, reply, command)
        if not lines or lines[-1].upper() != DONE:
            told = "; ".join(lines) or "nothing"
            raise Refused(
                self.port.name, sent=command, received=reply.raw, waited=waited, trouble=f"the controller said {told}"
            )
        return lines[:-1]

    def abort(self) -> None:
        """Stops all motion at once and finds the prompt again."""
        self._send(ABORT, "Ctrl-A")
        self._exchange("")
        self._drain()

    def give_up(self) -> None:
        """Has a command that is under way on another thread end with GivenUp instead of an answer."""
        self._given_up = True

    def stop(self) -> str:
        """Tries everything that stops the arm: abort, then motors off. Never raises; says what came of it."""
        self._decoder.clear()
        self._given_up = False
        try:
            self.port.write(ABORT)
            self.port.write(command_bytes(""))
            self.port.write(command_bytes("COFF"))
        except (LineError, DrycellError):
            return "abort and motors off could not be sent: use the emergency stop if the arm still moves"
        sent = "abort and motors off were sent"
        try:
            end = self._clock() + _STOP_TIMEOUT
            while self._clock() < end:
                self._decoder.feed(self.port.read(0.05))
                while (reply := self._decoder.take()) is not None:
                    parts = reply.after_echo("COFF")
                    if parts is not None and DONE in (line.upper() for line in parts[1]):
                        return f"{sent} and done"
        except LineError:
            pass
        return f"{sent}, but not confirmed: use the emergency stop if the arm still moves"

    def close(self) -> None:
        """Gives the line back."""
        self.port.close()

    def _exchange(self, command: str) -> AclReply:
        """Sends a line and waits for the prompt after its echo.

        A prompt without that echo may end something that was printed unasked: another one is waited for, but only as
        long as a spoilt line may go unnoticed while the arm moves.
        """
        started = self._clock()
        self._send(command_bytes(command), command)
        stray: AclReply | None = None
        end = started + self.timeout
        while True:
            while (reply := self._decoder.take()) is not None:
                if not command or reply.after_echo(command) is not None:
                    return reply
                self._see(reply.lines, reply, command)
                stray, end = reply, min(end, self._clock() + _GRACE)
            if self._given_up:
                raise GivenUp
            now = self._clock()
            if self._decoder.overfull:
                trouble = f"{LONGEST_REPLY} bytes came without a prompt"
                raise self._failed(LineGarbage, command, self._decoder.pending, now - started, trouble)
            if now >= end:
                if stray is not None:
                    return stray
                raise self._failed(LineTimeout, command, self._decoder.pending, now - started)
            try:
                self._decoder.feed(self.port.read(min(0.05, end - now)))
            except LineLost as lost:
                waited = self._clock() - started
                raise self._failed(LineLost, command, self._decoder.pending, waited, lost.trouble) from None

    def _send(self, data: bytes, command: str) -> None:
        if self.broken:
            raise LineError(self.port.name, sent=command, trouble="the line failed before, nothing more is sent")
        try:
            self.port.write(data)
        except LineLost:
            raise self._failed(LineLost, command, b"", 0.0) from None

    def _drain(self) -> None:
        """Takes what came unasked; a fault that the controller tells of is one."""
        taken = 0
        while data := self._read(0.0):
            self._decoder.feed(data)
            taken += len(data)
            if taken > LONGEST_REPLY or self._decoder.overfull:
                raise self._failed(LineGarbage, "", self._decoder.pending, 0.0, "bytes come without end, unasked")
            while (reply := self._decoder.take()) is not None:
                if reply.strange:
                    trouble = f"{reply.strange} bytes that no controller sends came unasked"
                    raise self._failed(LineGarbage, "", reply.raw, 0.0, trouble)
                self._see(reply.lines, reply, "")

    def _read(self, timeout: float) -> bytes:
        try:
            return self.port.read(timeout)
        except LineLost:
            raise self._failed(LineLost, "", self._decoder.pending, 0.0) from None

    def _see(self, lines: tuple[str, ...], reply: AclReply, command: str) -> None:
        """Controllers tell of trouble with the arm (an impact, a limit) whenever it happens, in lines with stars."""
        for line in lines:
            if line.startswith("***"):
                raise Refused(
                    self.port.name, sent=command, received=reply.raw, trouble=f"the controller tells of trouble: {line}"
                )

    def _failed(
        self, kind: type[LineError], command: str, received: bytes, waited: float, trouble: str | None = None
    ) -> LineError:
        self.broken = True
        return kind(self.port.name, sent=command, received=received, waited=waited, trouble=trouble)

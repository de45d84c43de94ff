"""ACL, the command language of SCORBOT controllers, on the computer's side of a serial line.

``ReplyDecoder`` turns bytes into replies, ``AclSession`` sends one command at a time. Every error shows what was sent
and received, and how long the computer waited::

    LineError
    ├── LineTimeout      no prompt in time
    ├── LineGarbage invalid bytes, a wrong echo, or an endless reply
    ├── LineLost         the serial line is gone
    └── CommandRefused   the controller refused a command

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
    """An error between the computer and the controller. ``stopped`` describes what was done to stop the arm."""

    trouble = "the line has failed"
    advice = "check the cable and the controller"

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
        self._message = f"{port}: {self.trouble}; sent {sent!r}, received {shown(received)}, waited {waited:.1f} s"
        self.stopped = ""
        super().__init__(self._message, hint=advice or self.advice)

    def note_stop(self, text: str) -> None:
        """Add what was done to stop the arm to the message."""
        self.stopped = text
        self.what = f"{self._message}; {text}"
        self.args = (self.what,)


class LineTimeout(LineError):
    """No prompt arrived in time."""

    trouble = "the controller did not answer"
    advice = (
        "check that the controller is on, in DIRECT mode and at 9600 baud, 8 data bits, no parity, 1 stop bit, and "
        "that no other program uses the port"
    )


class LineGarbage(LineError):
    """The received bytes cannot be from a working controller."""

    trouble = "the reply is unreadable"
    advice = "check that both ends have the same baud rate and framing, and that the cable is shielded and grounded"


class LineLost(LineError):
    """The serial line is gone."""

    trouble = "the line is gone"
    advice = "check the plug; an adapter may have a new name after it was unplugged"


class CommandRefused(LineError):
    """The controller refused a command."""

    trouble = "the controller refused"
    advice = "check that the arm is homed, that its motors are on (CON), and that the target is within its reach"


def shown(data: bytes) -> str:
    """Format bytes for a message; only the end of long data is shown."""
    if not data:
        return "nothing"
    return repr(data) if len(data) <= _SHOWN else f"{len(data)} bytes ending in {data[-_SHOWN:]!r}"


BAUD: Final = 9600
_WRITE_TIMEOUT: Final = 2.0


class Port(Protocol):
    """A serial line to a controller."""

    name: str

    def read(self, timeout: float) -> bytes:
        """Return the bytes that have arrived; wait at most ``timeout`` seconds for the first one."""

    def write(self, data: bytes) -> None:
        """Send bytes."""

    def close(self) -> None:
        """Close the line."""


class SerialPort:
    """A serial line: 8 data bits, no parity, 1 stop bit, XON/XOFF."""

    def __init__(self, name: str, baud: int = BAUD) -> None:
        try:
            from serial import Serial, SerialException
        except ImportError:
            raise DrycellError(
                "a serial line needs the library pyserial, which is not installed",
                hint="pip install 'path/to/drycell[serial]'",
            ) from None
        self.name = name
        try:
            # Serial, not serial_for_url: a name is a device of this computer, never a network address.
            self._serial = Serial(
                name, baud, bytesize=8, parity="N", stopbits=1, xonxoff=True, write_timeout=_WRITE_TIMEOUT, timeout=0
            )
        except (SerialException, *_faults(), ValueError) as error:
            raise DrycellError(
                f"cannot open the serial port {name!r}: {error}",
                hint="give the port its system name, such as /dev/ttyUSB0 or COM3, and check your access rights",
            ) from None

    def read(self, timeout: float) -> bytes:
        """Return the bytes that have arrived; wait at most ``timeout`` seconds for the first one."""
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
        """Send bytes. Raises LineLost if that is not possible."""
        try:
            self._serial.write(data)
        except _faults() as error:
            raise LineLost(self.name, sent=repr(data), trouble=f"nothing can be sent ({error})") from None

    def close(self) -> None:
        """Close the line, even if it is already gone."""
        try:
            self._serial.close()
        except _faults():
            return


def _faults() -> tuple[type[BaseException], ...]:
    """The errors that pyserial raises when a line is gone: its own are OSErrors, but it also lets others through."""
    if sys.platform == "win32":
        return (OSError, TypeError)
    import termios

    return (OSError, TypeError, termios.error)


PROMPT: Final = ord(">")
ABORT: Final = b"\x01"
"""Ctrl-A: stops all programs and all motion of the controller at once."""
LONGEST_COMMAND: Final = 79
LONGEST_REPLY: Final = 8192
_MOST_REPLIES: Final = 64
_LINE_END: Final = (0x0D, 0x0A)
_CONTROL: Final = frozenset((0x00, 0x07, 0x11, 0x13))  # fill, bell, XON, XOFF: not part of a text
_PRINTABLE: Final = frozenset((0x09, *range(0x20, 0x7F)))


def command_bytes(command: str) -> bytes:
    """Return the bytes of a command. Raises ProgramError if it cannot be sent."""
    if len(command) > LONGEST_COMMAND or not (command.isascii() and (command.isprintable() or not command)):
        raise ProgramError(
            f"{command[:LONGEST_COMMAND]!r} cannot be sent to a controller",
            hint=f"a command has at most {LONGEST_COMMAND} printable ASCII characters",
        )
    return command.encode("ascii") + b"\r"


@dataclass(frozen=True, slots=True)
class AclReply:
    """A reply up to the prompt: its lines without surrounding blanks and without empty ones, and its bytes."""

    lines: tuple[str, ...]
    raw: bytes
    invalid: int = 0
    """Number of bytes that no controller sends."""

    def after_echo(self, command: str) -> "tuple[tuple[str, ...], tuple[str, ...]] | None":
        """Return the lines before and after the echo of a command; None if there is no echo."""
        for place, line in enumerate(self.lines):
            if line.upper() == command.upper():
                return self.lines[:place], self.lines[place + 1 :]
        return None


class ReplyDecoder:
    """Turns received bytes, in pieces of any size, into replies."""

    def __init__(self) -> None:
        self._raw = bytearray()
        self._line = bytearray()
        self._lines: list[str] = []
        self._invalid = 0
        self._replies: deque[AclReply] = deque(maxlen=_MOST_REPLIES)

    @property
    def pending(self) -> bytes:
        """The bytes since the last prompt."""
        return bytes(self._raw)

    @property
    def overfull(self) -> bool:
        """Whether more bytes arrived without a prompt than any reply has. Further bytes are dropped."""
        return len(self._raw) >= LONGEST_REPLY

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
        for byte in data:
            if self.overfull:
                return
            self._raw.append(byte)
            if byte in _CONTROL:
                continue
            if byte in _LINE_END:
                self._end_line()
            elif byte == PROMPT and not self._line:
                self._replies.append(AclReply(tuple(self._lines), bytes(self._raw), self._invalid))
                self._forget()
            else:
                self._invalid += byte not in _PRINTABLE
                self._line.append(byte)

    def take(self) -> AclReply | None:
        """Remove and return the oldest complete reply; None if there is none."""
        return self._replies.popleft() if self._replies else None

    def clear(self) -> None:
        """Drop everything received so far."""
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
        self._invalid = 0


INPUTS: Final = 16
_AXIS: Final = re.compile(r"(?<![\w.])([1-9])\s*:\s*([+-]?\d{1,9})(?![\w.])")
_RANGE: Final = re.compile(r"^(\d{1,2})\s*->\s*(\d{1,2})\s*:?(.*)$")


def listed_counts(lines: Sequence[str], axes: int) -> tuple[int, ...] | None:
    """Parse the counts of the axes from the lines of LISTPV, ``1:   2441  2:  2153 …``; None if one is missing."""
    found: dict[int, int] = {}
    for line in lines:
        for axis, count in _AXIS.findall(line):
            if int(axis) in found:
                return None
            found[int(axis)] = int(count)
    wanted = range(1, axes + 1)
    return tuple(found[axis] for axis in wanted) if all(axis in found for axis in wanted) else None


def listed_inputs(lines: Sequence[str]) -> tuple[bool, ...] | None:
    """Parse the inputs from the lines of SHOW DIN: ``1 -> 16:`` and 16 zeros and ones; None if they are not valid."""
    for place, line in enumerate(lines):
        match = _RANGE.match(line)
        if match is None:
            continue
        first, last = int(match[1]), int(match[2])
        digits = match[3].split() or (lines[place + 1].split() if place + 1 < len(lines) else [])
        if len(digits) == 1:  # some controllers print them without spaces
            digits = list(digits[0])
        if first == 1 and len(digits) == last <= INPUTS and all(digit in ("0", "1") for digit in digits):
            return tuple(digit == "1" for digit in digits)
    return None


TIMEOUT: Final = 5.0
"""Seconds to wait for an answer. A controller answers without waiting for motion."""
DONE: Final = "DONE."
_STOP_TIMEOUT: Final = 2.0
_GRACE: Final = 0.3
_QUIET: Final = 0.2


class CommandCancelled(Exception):
    """A command was cancelled from another thread."""


class AclSession:
    """Sends commands to a controller, one thread at a time. After an error of the line only :meth:`stop` works."""

    def __init__(self, port: Port, *, timeout: float = TIMEOUT, clock: Callable[[], float] = time.monotonic) -> None:
        self.port = port
        self.timeout = timeout
        self.broken = False
        self._clock = clock
        self._decoder = ReplyDecoder()
        self._cancelled = False

    def open(self) -> None:
        """Find the prompt and switch the echo on, so that corrupted commands are noticed."""
        started = self._clock()
        while (data := self._read(_QUIET)) and self._clock() - started < self.timeout:
            self._decoder.feed(data)  # noise from power-up, or the rest of an interrupted program
        self._decoder.clear()
        self._exchange("")
        self.ask("ECHO")

    def ask(self, command: str) -> tuple[str, ...]:
        """Execute a command and return the lines it prints. Raises CommandRefused unless the controller prints Done."""
        started = self._clock()
        self._drain()
        reply = self._exchange(command)
        parts = reply.after_echo(command)
        # Only the command that switches the echo on may have no echo.
        before, lines = parts if parts is not None else ((), reply.lines)
        waited = self._clock() - started
        if reply.invalid or (parts is None and command != "ECHO"):
            trouble = f"{reply.invalid} invalid bytes were received" if reply.invalid else None
            trouble = trouble or "the echo of the command is wrong or missing"
            raise self._failed(LineGarbage, command, reply.raw, waited, trouble)
        self._check_faults(before, reply, command)
        if not lines or lines[-1].upper() != DONE:
            text = "; ".join(lines) or "nothing"
            raise CommandRefused(
                self.port.name,
                sent=command,
                received=reply.raw,
                waited=waited,
                trouble=f"the controller says {text}",
            )
        return lines[:-1]

    def abort(self) -> None:
        """Stop all motion at once, and find the prompt again."""
        self._send(ABORT, "Ctrl-A")
        self._exchange("")
        self._drain()

    def cancel(self) -> None:
        """Cancel a command on another thread: it raises CommandCancelled."""
        self._cancelled = True

    def stop(self) -> str:
        """Stop the arm in every possible way: abort, then motors off. Never raises; returns what was achieved."""
        self._decoder.clear()
        self._cancelled = False
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
        """Close the line."""
        self.port.close()

    def _exchange(self, command: str) -> AclReply:
        """Send a line and wait for the prompt after its echo.

        A prompt without this echo may belong to a spontaneous message. The session then waits for another prompt, but
        only for a short time: the arm may be moving, and the command may be corrupted.
        """
        started = self._clock()
        self._send(command_bytes(command), command)
        stray: AclReply | None = None
        end = started + self.timeout
        while True:
            while (reply := self._decoder.take()) is not None:
                if not command or reply.after_echo(command) is not None:
                    return reply
                self._check_faults(reply.lines, reply, command)
                stray, end = reply, min(end, self._clock() + _GRACE)
            if self._cancelled:
                raise CommandCancelled
            now = self._clock()
            if self._decoder.overfull:
                trouble = f"{LONGEST_REPLY} bytes were received without a prompt"
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
            raise LineError(self.port.name, sent=command, trouble="the line has failed before, so nothing more is sent")
        try:
            self.port.write(data)
        except LineLost:
            raise self._failed(LineLost, command, b"", 0.0) from None

    def _drain(self) -> None:
        """Read spontaneous messages. Raises CommandRefused if the controller reports a fault."""
        taken = 0
        while data := self._read(0.0):
            self._decoder.feed(data)
            taken += len(data)
            if taken > LONGEST_REPLY or self._decoder.overfull:
                raise self._failed(LineGarbage, "", self._decoder.pending, 0.0, "the controller does not stop sending")
            while (reply := self._decoder.take()) is not None:
                if reply.invalid:
                    trouble = f"{reply.invalid} invalid bytes were received between commands"
                    raise self._failed(LineGarbage, "", reply.raw, 0.0, trouble)
                self._check_faults(reply.lines, reply, "")

    def _read(self, timeout: float) -> bytes:
        try:
            return self.port.read(timeout)
        except LineLost:
            raise self._failed(LineLost, "", self._decoder.pending, 0.0) from None

    def _check_faults(self, lines: tuple[str, ...], reply: AclReply, command: str) -> None:
        """Raise CommandRefused for a fault such as an impact: controllers can print one at any time, with asterisks."""
        for line in lines:
            if line.startswith("***"):
                raise CommandRefused(
                    self.port.name, sent=command, received=reply.raw, trouble=f"the controller reports a fault: {line}"
                )

    def _failed(
        self, kind: type[LineError], command: str, received: bytes, waited: float, trouble: str | None = None
    ) -> LineError:
        self.broken = True
        return kind(self.port.name, sent=command, received=received, waited=waited, trouble=trouble)

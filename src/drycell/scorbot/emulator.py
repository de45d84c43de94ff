"""The emulated controller: a cell's robot behind a pseudo-terminal, with the commands, timing and faults of ACL.

It shares no code with the driver. Both follow the same description of ACL, which has not been verified against a real
controller: where the description is wrong, both are, and tests between the two do not show it.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from random import Random
from select import select
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final

from drycell.base import DrycellError, FieldError, MotionError, UnknownName, mm, s
from drycell.kernel import Arguments, Mailbox, Pace, Request, Signal
from drycell.scorbot.calibration import SCORBOT, Calibration

if TYPE_CHECKING:
    from drycell.cell import Cell, Result
    from drycell.robots import LiveRobot

FAULTS: Final = ("late", "garbage", "lost_prompt", "silent", "unplug")


@dataclass(frozen=True, slots=True)
class LineFaults:
    """Faults of a serial line, as fractions of all commands. A command has one fault at most.

    ``at`` sets the fault of certain commands, counted from 1: ``{12: "garbage", 30: "unplug"}``.
    """

    late: float = 0.0
    garbage: float = 0.0
    lost_prompt: float = 0.0
    silent: float = 0.0
    at: Mapping[int, str] = field(default_factory=dict)
    late_by: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        for name, fraction in self._fractions():
            if not 0.0 <= fraction <= 1.0:
                raise FieldError(
                    f"{name} cannot be {fraction:g}: {fraction:g} is not between 0 and 1",
                    hint="give a fraction of the commands",
                )
        if (whole := sum(fraction for _, fraction in self._fractions())) > 1.0 + 1e-9:
            raise FieldError(f"the fractions of faults add up to {whole:g}, more than 1")
        for kind in self.at.values():
            if kind not in FAULTS:
                raise UnknownName("fault of a line", kind, FAULTS)

    def apply(self, number: int, answer: bytes) -> "_FaultyAnswer":
        """Apply the fault of a command to its answer. The same seed always gives the same fault."""
        # Each command has its own stream: the faults of others do not influence it.
        stream = Random(f"{self.seed}/{number}")
        kind, drawn = self.at.get(number), stream.random()
        for name, fraction in self._fractions():
            if kind is None and drawn < fraction:
                kind = name
            drawn -= fraction
        match kind:
            case "late":
                return _FaultyAnswer(answer, late=self.late_by)
            case "garbage":
                return _FaultyAnswer(_corrupted(answer, stream))
            case "lost_prompt":
                return _FaultyAnswer(answer.removesuffix(b">"))
            case "silent":
                return _FaultyAnswer(b"")
            case "unplug":
                return _FaultyAnswer(b"", unplugged=True)
        return _FaultyAnswer(answer)

    def _fractions(self) -> tuple[tuple[str, float], ...]:
        return (
            ("late", self.late),
            ("garbage", self.garbage),
            ("lost_prompt", self.lost_prompt),
            ("silent", self.silent),
        )


@dataclass(frozen=True, slots=True)
class _FaultyAnswer:
    """The bytes to send, the delay in seconds, and whether the line is unplugged instead."""

    answer: bytes
    late: float = 0.0
    unplugged: bool = False


def _corrupted(answer: bytes, stream: Random) -> bytes:
    """Replace some bytes, as a framing error does."""
    corrupted = bytearray(answer)
    for _ in range(max(1, len(corrupted) // 4)):
        corrupted[stream.randrange(len(corrupted))] = stream.randrange(128, 256)
    return bytes(corrupted)


AXES: Final = 5
LINES: Final = 16
MOST_POSITIONS: Final = 1000
_NAME: Final = re.compile(r"[A-Z][A-Z0-9]{0,4}")
_INDEXED: Final = re.compile(r"OUT\s*\[\s*(\d{1,2})\s*\]\s*=\s*([01])")


class _Rejected(Exception):
    """A command is rejected with this text."""


class AclInterpreter:
    """Executes the commands of DIRECT mode that a driver needs. Like a real controller, it refuses others."""

    def __init__(self, arm: "Station") -> None:
        self._arm = arm
        self.echo = True
        self.speed = 50
        self.linear_speed = 50
        self.controlled = True
        self._positions: dict[str, list[int] | None] = {}
        self._verbs: Mapping[str, Callable[[list[str]], list[str] | None]] = {
            "ECHO": lambda words: self._set_echo(True),
            "NOECHO": lambda words: self._set_echo(False),
            "CON": lambda words: self._control(True),
            "COFF": lambda words: self._control(False),
            "A": lambda words: self.abort(),
            "SPEED": self._set_speed,
            "DEFP": self._define,
            "HERE": self._here,
            "SETPV": self._set_value,
            "LISTPV": self._list,
            "SPEEDL": self._set_linear_speed,
            "MOVE": lambda words: self._move(words, linear=False),
            "MOVEL": lambda words: self._move(words, linear=True),
            "OPEN": lambda words: self._grip(True),
            "CLOSE": lambda words: self._grip(False),
            "SHOW": self._show,
            "SET": self._set_output,
        }

    def execute(self, line: str) -> list[str]:
        """Execute a line; returns the printed lines, with "Done." at the end unless the command is rejected."""
        words = line.upper().split()
        if not words:
            return []
        verb = self._verbs.get(words[0])
        try:
            if verb is None:
                raise _Rejected("UNKNOWN COMMAND")
            return [*(verb(words[1:]) or ()), "Done."]
        except _Rejected as problem:
            return [f"*** {problem}"]

    def abort(self) -> None:
        """Stop all motion, as Ctrl-A does."""
        self._arm.abort()

    def _set_echo(self, on: bool) -> None:
        self.echo = on

    def _control(self, on: bool) -> None:
        if not on:
            self._arm.abort()
        self.controlled = on
        self._arm.control(on)

    def _set_speed(self, words: list[str]) -> None:
        self.speed = _number(words, 0, 1, 100)

    def _set_linear_speed(self, words: list[str]) -> None:
        self.linear_speed = _number(words, 0, 1, 1000)

    def _define(self, words: list[str]) -> None:
        name = _word(words, 0)
        if not _NAME.fullmatch(name) or name == "POSITION":
            raise _Rejected("ILLEGAL NAME")
        if name in self._positions:
            raise _Rejected("POINT ALREADY DEFINED")
        if len(self._positions) >= MOST_POSITIONS:
            raise _Rejected("NO MORE POINTS")
        self._positions[name] = None

    def _here(self, words: list[str]) -> None:
        self._positions[self._known(words)] = list(self._arm.counts())

    def _set_value(self, words: list[str]) -> None:
        values = self._positions[self._known(words)]
        if values is None:
            raise _Rejected("POINT NOT RECORDED")
        values[_number(words, 1, 1, AXES) - 1] = _number(words, 2, -999_999, 999_999)

    def _list(self, words: list[str]) -> list[str]:
        if _word(words, 0) == "POSITION":
            values = list(self._arm.counts())
        else:
            stored = self._positions[self._known(words)]
            if stored is None:
                raise _Rejected("POINT NOT RECORDED")
            values = stored
        return ["   ".join(f"{axis}:{value:7d}" for axis, value in enumerate(values, 1))]

    def _move(self, words: list[str], *, linear: bool) -> None:
        values = self._positions[self._known(words)]
        if values is None:
            raise _Rejected("POINT NOT RECORDED")
        if not self.controlled:
            raise _Rejected("CONTROL DISABLED")
        counts = tuple(values)
        wrong = self._arm.move_linear(counts, self.linear_speed) if linear else self._arm.move(counts, self.speed)
        if wrong:
            raise _Rejected(wrong)

    def _grip(self, opened: bool) -> None:
        wrong = self._arm.grip(opened)
        if wrong:
            raise _Rejected(wrong)

    def _show(self, words: list[str]) -> list[str]:
        what = _word(words, 0)
        if what == "SPEED":
            return [f"SPEED: {self.speed}"]
        if what not in ("DIN", "DOUT"):
            raise _Rejected("UNKNOWN COMMAND")
        values = self._arm.inputs() if what == "DIN" else self._arm.outputs()
        return [f"1 -> {len(values)}:", " ".join(str(int(each)) for each in values)]

    def _set_output(self, words: list[str]) -> None:
        match = _INDEXED.fullmatch(" ".join(words))
        if match is None or not 1 <= int(match[1]) <= LINES:
            raise _Rejected("ILLEGAL INDEX")
        self._arm.set_output(int(match[1]), match[2] == "1")

    def _known(self, words: list[str]) -> str:
        name = _word(words, 0)
        if name not in self._positions:
            raise _Rejected("UNDEFINED POINT")
        return name


def _word(words: list[str], place: int) -> str:
    if place >= len(words):
        raise _Rejected("MISSING ARGUMENT")
    return words[place]


def _number(words: list[str], place: int, low: int, high: int) -> int:
    text = _word(words, place)
    if not re.fullmatch(r"[+-]?\d{1,7}", text) or not low <= int(text) <= high:
        raise _Rejected("BAD VALUE")
    return int(text)


_BUFFER: Final = 32

_Buffered = tuple[tuple[float, ...], float, bool] | bool
"""Joint angles, speed (m/s if linear, else a fraction), and whether it is linear; or whether to open the gripper."""


class Station:
    """A robot of a cell with its wiring. Call its methods on the cell's thread."""

    def __init__(
        self,
        cell: "Cell",
        robot: "LiveRobot",
        inputs: Mapping[int, Signal[Any]],
        outputs: Mapping[int, Signal[bool]],
        calibration: Calibration = SCORBOT,
        *,
        name: str = "controller",
    ) -> None:
        self._cell = cell
        self._robot, self._inputs, self._outputs = robot, dict(inputs), dict(outputs)
        self._calibration = calibration
        self._own = [False] * LINES
        self._buffer: Mailbox[_Buffered] = Mailbox(cell.kernel, f"{name}.buffer", _BUFFER)
        cell.program(self._work, name=name)

    def counts(self) -> tuple[int, ...]:
        """Return the current encoder counts."""
        return self._calibration.counts(self._robot.joints)

    def move(self, counts: tuple[int, ...], percent: int) -> str:
        """Buffer a joint move; returns an error message, or an empty string."""
        return self._put(counts, percent / 100.0, False)

    def move_linear(self, counts: tuple[int, ...], speed: int) -> str:
        """Buffer a linear move at a speed in mm/s; returns an error message, or an empty string."""
        return self._put(counts, speed * mm / s, True)

    def _put(self, counts: tuple[int, ...], speed: float, linear: bool) -> str:
        joints = self._calibration.joints(counts)
        try:
            self._robot.mechanism.check_joints(joints)
        except MotionError:
            return "POINT OUT OF RANGE"
        return "" if self._buffer.offer((joints, speed, linear)) else "MOVE BUFFER FULL"

    def grip(self, opened: bool) -> str:
        """Buffer a motion of the gripper; returns an error message, or an empty string."""
        try:
            self._robot.gripper  # noqa: B018  (raises if there is none)
        except MotionError:
            return "NO GRIPPER"
        return "" if self._buffer.offer(opened) else "MOVE BUFFER FULL"

    def inputs(self) -> tuple[bool, ...]:
        """Return all inputs; those without a wire are off."""
        return tuple(number in self._inputs and bool(self._inputs[number].value) for number in range(1, LINES + 1))

    def outputs(self) -> tuple[bool, ...]:
        """Return all outputs as they were set."""
        return tuple(self._own)

    def set_output(self, number: int, on: bool) -> None:
        """Set an output, and the signal it is wired to, if any."""
        self._own[number - 1] = on
        if number in self._outputs:
            self._outputs[number].set(on)

    def abort(self) -> None:
        """Stop the arm and clear the buffer."""
        while self._buffer.poll() is not None:
            pass
        if self._robot.moving:
            self._robot.stop()

    def control(self, on: bool) -> None:
        """Switch the motors. The arm of a cell does not sag without them, so this does nothing."""

    def _work(self) -> None:
        """The program of the controller: execute the buffer, one motion after the other."""
        robot = self._robot
        while True:
            motion = self._buffer.get()
            if isinstance(motion, bool):
                robot.gripper.open() if motion else robot.gripper.close()
                continue
            joints, speed, linear = motion
            if linear:
                base = self._cell.world.pose(robot.base)
                robot.move_linear(base @ robot.mechanism.forward(joints) @ robot.tool, speed)
            else:
                robot.move_joints(joints, speed)


LONGEST_LINE: Final = 127
_BITS_A_BYTE: Final = 10
_POLL: Final = 0.2
_CTRL_A: Final = 0x01
_ENDS: Final = (0x0D, 0x0A)


class Terminal:
    """A pseudo-terminal that echoes, executes and answers commands line by line.

    Args:
        execute: executes a command and returns the lines it prints; None once the run is over.
        abort: stops all motion.
        faults: faults of the line.
        baud: speed of the line in bits per second.
        latency: time that a command takes besides the transmission, in seconds.
        factor: speed relative to real time.
    """

    def __init__(
        self,
        execute: Callable[[str], list[str] | None],
        abort: Callable[[], None],
        *,
        faults: LineFaults | None = None,
        baud: int = 9600,
        latency: float = 0.02,
        factor: float = 1.0,
    ) -> None:
        if not hasattr(os, "openpty"):
            raise DrycellError(
                "this system has no pseudo-terminals", hint="run the emulated controller on Linux or macOS"
            )
        import tty

        self._execute, self._abort = execute, abort
        self._faults = faults or LineFaults()
        self._byte_time, self._latency, self._factor = _BITS_A_BYTE / baud, latency, factor
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)  # kept open, so that a line without a reader is not an error
        self.name = os.ttyname(self._slave)
        self.commands = 0
        self._line = bytearray()
        self._skips_feed = False
        self._closing = Event()
        self._thread = Thread(target=self._serve, name=f"drycell controller {self.name}", daemon=True)

    def start(self) -> None:
        """Start listening."""
        self._thread.start()

    def unplug(self) -> None:
        """Unplug the line permanently."""
        self._closing.set()

    def close(self) -> None:
        """End the thread and close the line."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()
        self._close_line()

    def _serve(self) -> None:
        with suppress(OSError):
            while not self._closing.is_set():
                ready, _, _ = select([self._master], [], [], _POLL)
                if ready:
                    for byte in os.read(self._master, 256):
                        self._take(byte)
        self._close_line()

    def _take(self, byte: int) -> None:
        feed, self._skips_feed = self._skips_feed and byte == 0x0A, False
        if self._closing.is_set() or feed:
            return
        if byte == _CTRL_A:
            self._line.clear()
            self._abort()
        elif byte in _ENDS:
            self._skips_feed = byte == 0x0D
            line = self._line.decode("ascii", "replace")
            self._line.clear()
            self._answer(line)
        elif len(self._line) < LONGEST_LINE:
            self._line.append(byte)

    def _answer(self, line: str) -> None:
        lines = self._execute(line)
        if lines is None:
            return
        text = "".join(f"{each}\r\n" for each in (line, *lines))
        answer = text.encode("ascii", "replace") + b">"
        if line.strip():
            self.commands += 1
            faulty = self._faults.apply(self.commands, answer)
            if faulty.unplugged:
                self.unplug()
                return
            answer, late = faulty.answer, faulty.late
        else:
            late = 0.0
        self._closing.wait((self._latency + late + (len(line) + 1 + len(answer)) * self._byte_time) / self._factor)
        while answer and not self._closing.is_set():
            # A driver that does not read must not delay the closing of the line.
            if select([], [self._master], [], _POLL)[1]:
                answer = answer[os.write(self._master, answer) :]

    def _close_line(self) -> None:
        for end in (self._master, self._slave):
            if end >= 0:
                with suppress(OSError):
                    os.close(end)
        self._master = self._slave = -1


class EmulatedController:
    """The controller of a robot of a cell, on a pseudo-terminal whose name is ``port``.

    Remove the programs of the cell that command this robot: their commands arrive over the line.

    Args:
        cell: the cell.
        station: the robot with its wiring.
        speed: speed of the cell and the line relative to real time.
        faults: faults of the line.
        latency: time that a command takes besides the transmission, in seconds.
    """

    def __init__(
        self,
        cell: "Cell",
        station: Station,
        *,
        speed: float = 1.0,
        faults: LineFaults | None = None,
        latency: float = 0.02,
    ) -> None:
        self._cell = cell
        self._interpreter = AclInterpreter(station)
        self._pace = Pace(speed, attended=True)
        self._over = Event()
        self._answer: list[str] = []
        cell.kernel.requests["line"] = Request(_line_text, self._carry_out_line, {"text": str})
        cell.kernel.requests["abort"] = Request(lambda given: "Ctrl-A", self._carry_out_abort, {})
        self._terminal = Terminal(self._execute, self._abort, faults=faults, latency=latency, factor=speed)

    @property
    def port(self) -> str:
        """Name of the serial port for a driver."""
        return self._terminal.name

    @property
    def commands(self) -> int:
        """Number of commands so far."""
        return self._terminal.commands

    def run(self, until: float | None = None, *, journal: str | None = None, record: str | None = None) -> "Result":
        """Run the cell on this thread until it is stopped, or to a cell time, then close the line."""
        self._terminal.start()
        try:
            return self._cell.run(until, pace=self._pace, journal=journal, record=record)
        finally:
            self._over.set()
            self._terminal.close()

    @contextmanager
    def running(self, until: float | None = None) -> Iterator[str]:
        """Run the cell on another thread for the time of a ``with`` block; yields the name of the port."""
        failures: list[BaseException] = []

        def run() -> None:
            try:
                self.run(until)
            except BaseException as error:  # raised again below, on the thread that waits
                failures.append(error)

        thread = Thread(target=run, name="drycell emulated cell", daemon=True)
        thread.start()
        try:
            yield self.port
        finally:
            self.stop()
            thread.join()
        if failures:
            raise failures[0]

    def unplug(self) -> None:
        """Unplug the line."""
        self._terminal.unplug()

    def stop(self) -> None:
        """End the run. Any thread may call it."""
        self._cell.kernel.stop("the controller was switched off")

    # ---------------------------------------------------------------- on the line's thread

    def _execute(self, line: str) -> list[str] | None:
        return self._in_cell("line", {"text": line})

    def _abort(self) -> None:
        self._in_cell("abort", {})

    def _in_cell(self, what: str, arguments: Mapping[str, Any]) -> list[str] | None:
        """Execute a request on the cell's thread; returns the printed lines, or None if the run ends first."""
        done, answers = Event(), list[list[str]]()

        def finished(refused: DrycellError | None) -> None:
            answers.append(self._answer)
            done.set()

        self._cell.kernel.request(what, arguments, "controller", done=finished)
        while not done.wait(0.05):
            if self._over.is_set():
                return None
        return answers[0]

    # ---------------------------------------------------------------- on the cell's thread

    def _carry_out_line(self, who: str, given: Arguments) -> None:
        self._answer = self._interpreter.execute(given["text"])

    def _carry_out_abort(self, who: str, given: Arguments) -> None:
        self._interpreter.abort()


def _line_text(given: Arguments) -> str:
    return given["text"].strip() or "an empty line"

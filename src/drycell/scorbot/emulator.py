"""The emulated controller: a cell's robot behind a pseudo-terminal, with the commands, timing and faults of ACL.

It shares no code with the driver's side of the line, but the same notion of ACL, which nobody has held against a
controller: where that is wrong, both are, and tests between the two do not show it.
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
    """How often, and how, a line misbehaves. The shares are of commands; at most one fault befalls each.

    ``at`` names the fault of certain commands, the first being 1: ``{12: "garbage", 30: "unplug"}``.
    """

    late: float = 0.0
    garbage: float = 0.0
    lost_prompt: float = 0.0
    silent: float = 0.0
    at: Mapping[int, str] = field(default_factory=dict)
    late_by: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        for name, share in self._shares():
            if not 0.0 <= share <= 1.0:
                raise FieldError(f"{name} is not 0 ≤ {share:g} ≤ 1", hint="give a share of the commands")
        if (whole := sum(share for _, share in self._shares())) > 1.0 + 1e-9:
            raise FieldError(f"the shares of faults add up to {whole:g}, more than 1")
        for kind in self.at.values():
            if kind not in FAULTS:
                raise UnknownName("fault of a line", kind, FAULTS)

    def verdict(self, number: int, answer: bytes) -> "_FaultyAnswer":
        """What happens to the answer of a command: the same for the same seed."""
        # A stream of its own for each command: what happened to others does not shift it.
        stream = Random(f"{self.seed}/{number}")
        kind, drawn = self.at.get(number), stream.random()
        for name, share in self._shares():
            if kind is None and drawn < share:
                kind = name
            drawn -= share
        match kind:
            case "late":
                return _FaultyAnswer(answer, late=self.late_by)
            case "garbage":
                return _FaultyAnswer(_spoilt(answer, stream))
            case "lost_prompt":
                return _FaultyAnswer(answer.removesuffix(b">"))
            case "silent":
                return _FaultyAnswer(b"")
            case "unplug":
                return _FaultyAnswer(b"", unplugged=True)
        return _FaultyAnswer(answer)

    def _shares(self) -> tuple[tuple[str, float], ...]:
        return (
            ("late", self.late),
            ("garbage", self.garbage),
            ("lost_prompt", self.lost_prompt),
            ("silent", self.silent),
        )


@dataclass(frozen=True, slots=True)
class _FaultyAnswer:
    """What goes out, how many seconds late, and whether the plug is pulled instead."""

    answer: bytes
    late: float = 0.0
    unplugged: bool = False


def _spoilt(answer: bytes, stream: Random) -> bytes:
    """Some bytes replaced, as a wrong framing does it."""
    spoilt = bytearray(answer)
    for _ in range(max(1, len(spoilt) // 4)):
        spoilt[stream.randrange(len(spoilt))] = stream.randrange(128, 256)
    return bytes(spoilt)


AXES: Final = 5
LINES: Final = 16
MOST_POSITIONS: Final = 1000
_NAME: Final = re.compile(r"[A-Z][A-Z0-9]{0,4}")
_INDEXED: Final = re.compile(r"OUT\s*\[\s*(\d{1,2})\s*\]\s*=\s*([01])")


class _Rejected(Exception):
    """A command that is not done; the text is printed."""


class AclInterpreter:
    """Does the commands of DIRECT mode that a driver needs. Unknown ones are refused, as by the real one."""

    def __init__(self, arm: "Station") -> None:
        self._arm = arm
        self.echo = True
        self.speed = 50
        self.straight_speed = 50
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
            "SPEEDL": self._set_straight_speed,
            "MOVE": lambda words: self._move(words, straight=False),
            "MOVEL": lambda words: self._move(words, straight=True),
            "OPEN": lambda words: self._grip(True),
            "CLOSE": lambda words: self._grip(False),
            "SHOW": self._show,
            "SET": self._set_output,
        }

    def execute(self, line: str) -> list[str]:
        """The lines that are printed, "Done." last if it is done; none for an empty line."""
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
        """Ctrl-A."""
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

    def _set_straight_speed(self, words: list[str]) -> None:
        self.straight_speed = _number(words, 0, 1, 1000)

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

    def _move(self, words: list[str], *, straight: bool) -> None:
        values = self._positions[self._known(words)]
        if values is None:
            raise _Rejected("POINT NOT RECORDED")
        if not self.controlled:
            raise _Rejected("CONTROL DISABLED")
        counts = tuple(values)
        wrong = self._arm.move_straight(counts, self.straight_speed) if straight else self._arm.move(counts, self.speed)
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
"""Joint angles, a share of full speed or m/s, and whether the tool goes straight; or whether the gripper is to open."""


class Station:
    """A robot with its wiring. All but the making happens on the cell's own thread."""

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
        """Of the encoders, now."""
        return self._calibration.counts(self._robot.joints)

    def move(self, counts: tuple[int, ...], percent: int) -> str:
        """Puts a motion into the buffer."""
        return self._put(counts, percent / 100.0, False)

    def move_straight(self, counts: tuple[int, ...], speed: int) -> str:
        """Puts a straight motion into the buffer."""
        return self._put(counts, speed * mm / s, True)

    def _put(self, counts: tuple[int, ...], speed: float, straight: bool) -> str:
        joints = self._calibration.joints(counts)
        try:
            self._robot.mechanism.check_joints(joints)
        except MotionError:
            return "POINT OUT OF RANGE"
        return "" if self._buffer.offer((joints, speed, straight)) else "MOVE BUFFER FULL"

    def grip(self, opened: bool) -> str:
        """The gripper waits its turn behind the motions before it."""
        try:
            self._robot.gripper  # noqa: B018  (asking for one that is not there raises)
        except MotionError:
            return "NO GRIPPER"
        return "" if self._buffer.offer(opened) else "MOVE BUFFER FULL"

    def inputs(self) -> tuple[bool, ...]:
        """Those without a wire are off."""
        return tuple(number in self._inputs and bool(self._inputs[number].value) for number in range(1, LINES + 1))

    def outputs(self) -> tuple[bool, ...]:
        """As they were set."""
        return tuple(self._own)

    def set_output(self, number: int, on: bool) -> None:
        """One without a wire has a lamp on the controller's front, and nothing else."""
        self._own[number - 1] = on
        if number in self._outputs:
            self._outputs[number].set(on)

    def abort(self) -> None:
        """Stops the arm."""
        while self._buffer.poll() is not None:
            pass
        if self._robot.moving:
            self._robot.stop()

    def control(self, on: bool) -> None:
        """Switches the motors; the arm of a cell does not sag without them, so nothing is to be done."""

    def _work(self) -> None:
        """The controller's own task: what is in the buffer, one after the other."""
        robot = self._robot
        while True:
            motion = self._buffer.get()
            if isinstance(motion, bool):
                robot.gripper.open() if motion else robot.gripper.close()
                continue
            joints, speed, straight = motion
            if straight:
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
    """Echoes, executes and answers line by line. ``execute`` gives the lines that a command prints, None at the end.

    ``latency`` is what a command takes beside the time of its bytes at ``baud``; ``factor`` is how much faster than
    the wall clock all of this goes.
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
        tty.setraw(self._slave)  # and kept open: a line with nobody at its end is no fault
        self.name = os.ttyname(self._slave)
        self.commands = 0
        self._line = bytearray()
        self._skips_feed = False
        self._closing = Event()
        self._thread = Thread(target=self._serve, name=f"drycell controller {self.name}", daemon=True)

    def start(self) -> None:
        """Listens from now on."""
        self._thread.start()

    def unplug(self) -> None:
        """Pulls the plug, for good."""
        self._closing.set()

    def close(self) -> None:
        """Ends the thread and the line."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()
        self._hang_up()

    def _serve(self) -> None:
        with suppress(OSError):
            while not self._closing.is_set():
                ready, _, _ = select([self._master], [], [], _POLL)
                if ready:
                    for byte in os.read(self._master, 256):
                        self._take(byte)
        self._hang_up()

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
            verdict = self._faults.verdict(self.commands, answer)
            if verdict.unplugged:
                self.unplug()
                return
            answer, late = verdict.answer, verdict.late
        else:
            late = 0.0
        self._closing.wait((self._latency + late + (len(line) + 1 + len(answer)) * self._byte_time) / self._factor)
        while answer and not self._closing.is_set():
            # A far end that reads nothing must not hold up the closing of the line.
            if select([], [self._master], [], _POLL)[1]:
                answer = answer[os.write(self._master, answer) :]

    def _hang_up(self) -> None:
        for end in (self._master, self._slave):
            if end >= 0:
                with suppress(OSError):
                    os.close(end)
        self._master = self._slave = -1


class EmulatedController:
    """The controller of a robot of a cell, on a pseudo-terminal whose name is ``port``.

    Programs of the cell that command this robot must not be among its programs: they come over the line. ``speed`` is
    how many times faster than the wall clock the cell and the line go.
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
        """What a driver opens."""
        return self._terminal.name

    @property
    def commands(self) -> int:
        """How many have come so far."""
        return self._terminal.commands

    def run(self, until: float | None = None, *, journal: str | None = None, record: str | None = None) -> "Result":
        """Runs the cell on this thread until it is stopped, or to a cell time; the line is closed in the end."""
        self._terminal.start()
        try:
            return self._cell.run(until, pace=self._pace, journal=journal, record=record)
        finally:
            self._over.set()
            self._terminal.close()

    @contextmanager
    def running(self, until: float | None = None) -> Iterator[str]:
        """Within it, the cell runs on a thread of its own; gives the name of the port."""
        failures: list[BaseException] = []

        def run() -> None:
            try:
                self.run(until)
            except BaseException as error:  # of the cell: raised where it is waited for
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
        """Pulls the plug."""
        self._terminal.unplug()

    def stop(self) -> None:
        """Ends the run; from any thread."""
        self._cell.kernel.stop("the controller was switched off")

    # ---------------------------------------------------------------- on the line's thread

    def _execute(self, line: str) -> list[str] | None:
        return self._in_cell("line", {"text": line})

    def _abort(self) -> None:
        self._in_cell("abort", {})

    def _in_cell(self, what: str, arguments: Mapping[str, Any]) -> list[str] | None:
        """Has something done on the cell's thread; None when the run is over before it comes to that."""
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

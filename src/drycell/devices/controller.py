"""Controllers: numbered and named inputs and outputs, wired to signals of sensors, devices and other controllers.

A program that runs in the cell can use all signals. A program that runs on a controller can only use the I/O lines of
that controller, by number or name, and its robot.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Final, TypeVar

from drycell.base import (
    DrycellError,
    Duration,
    FieldError,
    InvalidThing,
    KernelError,
    Naming,
    Problem,
    ProgramError,
    Ref,
    Thing,
    UnknownName,
    did_you_mean,
    ms,
)
from drycell.cell import Cell, Live, Stage, plain_name
from drycell.kernel import Condition, Rank, Reserved, Signal, Timer, Value, acted, asked, ticks
from drycell.robots import LiveRobot

K = TypeVar("K")


class Drivers:
    """The signals that are driven by outputs of controllers and rules of logic blocks."""

    def __init__(self) -> None:
        self._lines: dict[str, str] = {}

    def claim(self, outputs: Mapping[K, Signal[Any]], line: Callable[[K], str]) -> dict[K, KernelError]:
        """Claim signals for outputs, all or none. ``line`` describes an output. Returns an error for each conflict."""
        lines, refused = dict(self._lines), dict[K, KernelError]()
        for key, signal in outputs.items():
            if signal.name in lines:
                refused[key] = KernelError(
                    f"{line(key)} and {lines[signal.name]} both drive '{signal.name}'",
                    hint="use two signals, and combine them in a logic block",
                )
            lines[signal.name] = line(key)
        if not refused:
            self._lines = lines
        return refused


PULSE: Final = 200 * ms
LINES: Final = 8
_MOST: Final = 999
Key = int | str
Wiring = Mapping[Key, Signal[Any]]


@dataclass(frozen=True)
class _Line(Naming):
    """A line: a number from 1, or a name."""

    def check(self, value: Any) -> Any:
        """A number, also from a string of digits as in the keys of files, or a name."""
        if isinstance(value, str) and value.isascii() and value.isdecimal():
            value = int(value)
        if type(value) is not int:
            return super().check(value)
        if not 1 <= value <= _MOST:
            raise FieldError(f"a line cannot have the number {value}", hint=f"use a number from 1 to {_MOST}")
        return value

    def text_schema(self) -> dict[str, Any]:
        """The pattern of a name or number."""
        found = super().text_schema()
        return {**found, "pattern": f"{found['pattern']}|^0*[1-9][0-9]{{0,2}}$"}


class _Wire(Ref):
    """The name of the signal that is wired to a line."""

    def __init__(self) -> None:
        super().__init__("signal", needed=False)

    def missing(self, named: str, known: Iterable[str]) -> tuple[str, str]:
        """The message, with a hint on how to declare the signal."""
        what, hint = super().missing(named, known)
        return what, f"{hint}; or declare it: signals: {{{named}: false}}"


Lines = Mapping[Annotated[int, _Line()] | Annotated[str, _Line()], Annotated[str, _Wire()]]


class NoLine(ProgramError, AttributeError):
    """A program uses an input or output that its controller does not have."""


class CommandSet(Thing):
    """The commands of a make of robot controllers, in addition to its I/O lines.

    A subclass has the make as its ``kind``: ``class MakerCommands(CommandSet, kind="maker")``. A program on a
    controller with a suitable robot gets them under that name.
    """

    def fits(self, robot: LiveRobot) -> bool:
        """Whether controllers of this make can move a robot."""
        raise NotImplementedError

    def commands(self, controller: "LiveController") -> object:
        """Create the object that programs call. Called once for each controller."""
        raise NotImplementedError


class Controller(
    Thing, kind="controller", section="controllers", stage=Stage.CONTROLLERS, icon="settings_input_component"
):
    """A controller: its I/O lines, wired to signals, and the robot that it moves.

    Programs that run on it can use its lines and its robot only.

    >>> from drycell import Cell, Controller, ms, s
    >>> cell = Cell("io")
    >>> eye, lamp = cell.signal("eye", True), cell.signal("lamp", False)
    >>> plc = cell.add("plc", Controller(inputs={1: "eye"}, outputs={"lamp": "lamp"}, pulse=200*ms))
    >>> plc.input(1)
    True
    >>> plc.set_output("lamp", True)
    >>> lamp.value
    True
    """

    robot: Annotated[str, Ref("robot")] | None = None
    """The robot that it moves."""
    inputs: Lines | None = None
    """Input lines by number or name, and the signals that they read."""
    outputs: Lines | None = None
    """Output lines by number or name, and the signals that they set."""
    pulse: Duration = PULSE
    """Duration of a pulse on an output."""

    def problems(self) -> Iterable[Problem]:
        """Yield a problem if a pulse is shorter than a tick."""
        if ticks(self.pulse) < 1:
            yield Problem(("pulse",), f"a pulse of {self.pulse:g} s is too short", "give a time such as 200 ms")

    def build(self, cell: Cell, name: str) -> "LiveController":
        """Wire the controller. All its signals must exist."""
        return LiveController(cell, name, self)


class LiveController(Live[Controller]):
    """A controller in a running cell. Programs use it as ``io``.

    Numbered lines go from 1 to 8, or to the highest number that is wired. An input without a wire is off; setting an
    output without a wire has no effect in the cell.
    """

    def __init__(self, cell: Cell, name: str, model: Controller) -> None:
        super().__init__(cell, name, model)
        self._kernel = cell.kernel
        self._robot: LiveRobot | None = None if model.robot is None else _robot(cell, model.robot)
        self.inputs: dict[Key, Signal[Any]] = _wired(cell, "inputs", model.inputs)
        self.outputs: dict[Key, Signal[Any]] = _wired(cell, "outputs", model.outputs)
        if problems := [*self._refused()]:
            raise InvalidThing(Controller, problems)
        self._unseen: dict[Key, bool] = {}  # values of outputs without a wire
        self._pulses: dict[Key, Timer] = {}
        self._commanded: dict[str, object] = {}  # by make

    def _refused(self) -> Iterator[Problem]:
        """Problems of outputs whose signals are also set by something else."""
        for key, signal in self.outputs.items():
            if isinstance(signal, Reserved):
                error = signal.refusal(f"output {key} of controller {self.name!r}")
                yield Problem(("outputs", str(key)), error.what, error.hint)
        drivers = self.cell.shared(Drivers, Drivers)
        for key, error in drivers.claim(self.outputs, lambda key: f"output {key} of {self.name!r}").items():
            yield Problem(("outputs", str(key)), error.what, error.hint)

    @property
    def robot(self) -> LiveRobot:
        """The robot that it moves. Raises ProgramError if it has none."""
        if self._robot is None:
            raise ProgramError(f"controller {self.name!r} has no robot", hint="add one: robot: arm")
        return self._robot

    @property
    def moves_robot(self) -> bool:
        """Whether it has a robot."""
        return self._robot is not None

    def commanded_as(self, make: str) -> object:
        """Return the commands of a make of controllers for its robot.

        Args:
            make: The make, such as ``"scorbot"``.

        Raises:
            UnknownName: The make is unknown.
            DrycellError: The robot does not fit the make.
        """
        if make not in self._commanded:
            sets = self._command_sets
            if make not in sets:
                raise UnknownName("make of controllers", make, sets)
            self._commanded[make] = sets[make].commands(self)
        return self._commanded[make]

    @cached_property
    def _command_sets(self) -> dict[str, CommandSet]:
        found = self.cell.kinds.under(CommandSet)
        return {make: each() for make, each in found.items() if issubclass(each, CommandSet)}

    # ---------------------------------------------------------------- for programs

    def offered(self) -> dict[str, object]:
        """Return the objects for its programs, by name: its lines as ``io``, its robot, all bodies and workpoints."""
        world = self.cell.world
        things: dict[str, object] = {}
        for group in (world.bodies, world.workpoints):
            for name, thing in group.items():
                things[plain_name(name)] = thing
        things["io"] = self
        if self.moves_robot:
            things["robot"] = self.robot
            for make, commands in self._command_sets.items():
                if commands.fits(self.robot):
                    things[make] = self.commanded_as(make)
        return things

    def missing(self, program: str, wanted: str) -> DrycellError:
        """Return the error for an object that a program cannot use, with a hint on where to find it.

        Args:
            program: The name of the program.
            wanted: The name of the parameter.
        """
        if wanted not in self.cell.offered():
            what = f"program {program!r} asks for {wanted!r}, but neither controller {self.name!r} nor the cell has it"
            return UnknownName("thing", wanted, self.offered(), what=what)
        what = f"program {program}() runs on controller {self.name!r} and cannot use {wanted!r} of the cell"
        for other in (self, *(each for each in self.cell.controllers.values() if each is not self)):
            lines = [("input", key, signal) for key, signal in other.inputs.items()]
            lines += [("output", key, signal) for key, signal in other.outputs.items()]
            for line, key, signal in lines:
                if plain_name(signal.name) == wanted:
                    if other is self:
                        return ProgramError(what, hint=f"it is {line} {key} of the controller: use io.{line}({key!r})")
                    return ProgramError(
                        f"{what}: it is wired to controller {other.name!r}", hint=f"wire it to {self.name!r} as well"
                    )
        return ProgramError(what, hint="a program on a controller can use io, robot, bodies and workpoints")

    def sets(self) -> Iterator[object]:
        """Yield what programs set and move through it: its outputs and its robot, but not its inputs."""
        yield from self.outputs.values()
        if self._robot is not None:
            yield self._robot

    # ---------------------------------------------------------------- inputs

    def input(self, key: Key) -> Value:
        """Return the value of an input: True or False, or a number if a measuring sensor is wired to it.

        Args:
            key: The number or name of the input. A numbered input without a wire is off.

        Raises:
            NoLine: The controller has no such input.
        """
        signal = self._line("input", key)
        if signal is None:
            return False
        answer: Value = signal.value
        asked(signal, answer)
        return answer

    def inputs_value(self) -> int:
        """Return all numbered inputs as one integer, with input 1 as the lowest bit."""
        last = _last(self.inputs)
        return sum(bool(self.input(number)) << (number - 1) for number in range(1, last + 1))

    def on(self, key: Key) -> Condition:
        """Return the condition that an input is on: ``wait(io.on(3))``. For a named input, write
        ``wait(io.part_at_pick)``.

        Args:
            key: The number or name of the input.

        Raises:
            NoLine: The controller has no such input, or nothing is wired to it.
        """
        return self._wired("input", key).is_on

    def rises(self, key: Key) -> Condition:
        """Return the condition that an input turns on.

        Args:
            key: The number or name of the input.

        Raises:
            NoLine: The controller has no such input, or nothing is wired to it.
        """
        return self._wired("input", key).rises()

    def falls(self, key: Key) -> Condition:
        """Return the condition that an input turns off.

        Args:
            key: The number or name of the input.

        Raises:
            NoLine: The controller has no such input, or nothing is wired to it.
        """
        return self._wired("input", key).falls()

    def __getattr__(self, name: str) -> Any:
        """The condition of an input by its name, or the commands of a make of controllers: ``controller.scorbot``."""
        if name.startswith("_"):
            raise AttributeError(name)
        return self.commanded_as(name) if name in self._command_sets else self.on(name)

    # ---------------------------------------------------------------- outputs

    def output(self, key: Key) -> Value:
        """Return the value that was last set on an output.

        Args:
            key: The number or name of the output.

        Raises:
            NoLine: The controller has no such output.
        """
        signal = self._line("output", key)
        return self._unseen.get(key, False) if signal is None else signal.value

    def set_output(self, key: Key, value: Value = True) -> None:
        """Set an output and end any pulse on it.

        Args:
            key: The number or name of the output. Setting a numbered output without a wire has no effect in the cell.
            value: The new value; True by default.

        Raises:
            NoLine: The controller has no such output.
        """
        self._end_pulse(key)
        self._set(key, value)

    def pulse(self, key: Key, width: float | None = None) -> None:
        """Set an output and reset it after some time. Returns at once. Another pulse during that time extends it.

        Args:
            key: The number or name of the output.
            width: The duration of the pulse in seconds; by default the ``pulse`` of the controller.

        Raises:
            NoLine: The controller has no such output.
            KernelError: The pulse is shorter than 1 µs.
        """
        until = self._kernel.now + ticks(self.model.pulse if width is None else self._width(width))
        if key in self._pulses:
            until = max(until, self._pulses[key].time)
        self._end_pulse(key)
        self._set(key, True)
        signal = self._line("output", key)
        owner = f"{self.name}.output.{key}"
        self._pulses[key] = self._kernel.at(
            until,
            lambda: self._reset(key),
            Rank.DEVICE,
            owner,
            writes=() if signal is None else (signal,),
        )

    def _set(self, key: Key, value: Value) -> None:
        acted()
        signal = self._line("output", key)
        if signal is None:
            self._unseen[key] = bool(value)
        else:
            signal.set(value)

    def _reset(self, key: Key) -> None:
        del self._pulses[key]
        self._set(key, False)

    def _end_pulse(self, key: Key) -> None:
        timer = self._pulses.pop(key, None)
        if timer is not None:
            timer.cancel()

    def _width(self, width: float) -> float:
        if ticks(width) < 1:
            raise KernelError(
                f"controller {self.name!r}: a pulse of {width:g} s is too short", hint="give a time such as 200 ms"
            )
        return width

    # ---------------------------------------------------------------- lines

    def _line(self, what: str, key: Key) -> Signal[Any] | None:
        """The signal of a line; None if a numbered line has no wire."""
        wires = self.inputs if what == "input" else self.outputs
        found = wires.get(key)
        if found is None and not (isinstance(key, int) and 1 <= key <= _last(wires)):
            raise self._no_line(what, key, wires)
        return found

    def _wired(self, what: str, key: Key) -> Signal[Any]:
        found = self._line(what, key)
        if found is None:
            hint = f"wire it: controllers: {{{self.name}: {{{what}s: {{{key}: SIGNAL}}}}}}"
            raise NoLine(f"nothing is wired to {what} {key} of controller {self.name!r}", hint=hint)
        return found

    def _no_line(self, what: str, key: Key, wires: Wiring) -> NoLine:
        if isinstance(key, int):
            return NoLine(f"controller {self.name!r} has no {what} {key}: {key} is not between 1 and {_last(wires)}")
        for other in self.cell.controllers.values():
            theirs = other.inputs if what == "input" else other.outputs
            if other is not self and (key in theirs or any(signal.name == key for signal in theirs.values())):
                return NoLine(
                    f"controller {self.name!r} has no {what} {key!r}: it is wired to controller {other.name!r}",
                    hint=f"a program can only use the lines of its own controller; wire it to {self.name!r} as well",
                )
        here = next((line for line, signal in wires.items() if signal.name == key), None)
        names = [each for each in wires if isinstance(each, str)]
        hint = f"it is {what} {here!r} of this controller" if here is not None else did_you_mean(key, names)
        return NoLine(f"controller {self.name!r} has no {what} {key!r}", hint=hint)


def _last(wires: Wiring) -> int:
    """The highest number of a line."""
    return max(LINES, *(key for key in wires if isinstance(key, int)), LINES)


def _robot(cell: Cell, name: str) -> LiveRobot:
    if name not in cell.robots:
        raise InvalidThing(Controller, [Problem(("robot",), *Ref("robot").missing(name, cell.robots))])
    found: LiveRobot = cell.robots[name]
    return found


def _wired(cell: Cell, field: str, lines: Mapping[Any, str] | None) -> dict[Key, Signal[Any]]:
    """The signals of lines. Raises InvalidThing with all signals that do not exist."""
    known = cell.kernel.signals
    wanted = dict(lines or {})
    missing = [(line, named) for line, named in wanted.items() if named not in known]
    if missing:
        found = [Problem((field, str(line)), *_Wire().missing(named, known)) for line, named in missing]
        raise InvalidThing(Controller, found)
    numbered = [(line, known[named]) for line, named in wanted.items() if isinstance(line, int)]
    # For a reserved signal, _refused() reports a better reason: what sets it.
    settable = [(line, signal) for line, signal in numbered if field == "inputs" or not isinstance(signal, Reserved)]
    analogue = [(line, signal) for line, signal in settable if not isinstance(signal.peek(), bool)]
    if analogue:
        hint = "numbered lines are digital: give the sensor a boolean output, or wire it to a line with a name"
        raise InvalidThing(
            Controller,
            [
                Problem((field, str(line)), f"{signal.name!r} is a value ({signal.peek()!r}), not on or off", hint)
                for line, signal in analogue
            ],
        )
    return {line: known[named] for line, named in wanted.items()}

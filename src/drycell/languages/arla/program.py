"""ARLA programs: read, checked, and executed line by line in a cell."""

import operator
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from drycell.base import Pose, ProgramError, did_you_mean, mm
from drycell.kernel import (
    LOOK_EVERY,
    POLL_PERIOD,
    Location,
    ProgramCall,
    ProgramFile,
    Variable,
    VariableScope,
    current_process,
    in_program,
)
from drycell.languages.arla import syntax
from drycell.languages.arla.machine import ArlaMachine, PositionMove
from drycell.languages.arla.parser import LARGEST, SMALLEST, ArlaError, parse
from drycell.languages.arla.syntax import ArlaText, Instruction, Value
from drycell.languages.kit import (
    COMPARISONS,
    Diagnostic,
    LanguageProgram,
    SourceSpan,
    SourceText,
    StatementError,
    quotient,
    runtime_error,
)

MAX_CALLS: Final = 20
"""The maximum nesting depth of program calls."""
_LOOP: Final = 0
"""The number of the one loop that stands for all backward jumps of a run: a program of jumps has no other structure."""
_ARITHMETIC: Final[Mapping[str, Callable[[int, int], int]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": quotient,
}


class ArlaRun:
    """One run of a program text. ``program_file`` provides breakpoints, stepping and the charge for polling."""

    def __init__(
        self, text: ArlaText, machine: ArlaMachine, program_file: ProgramFile, registers: Mapping[int, int]
    ) -> None:
        self._text = text
        self._machine = machine
        self._names = program_file.namespace
        self.registers: dict[int, int] = dict(registers)
        self._stored: dict[int, Pose] = {}
        self._reached: Pose | None = None
        """The target of the last POS, or the pose at which its search ended."""
        self._straight = True
        self._turns = 0
        self._reported: set[str] = set()
        self.calls: list[tuple[int, Instruction]] = []
        """The active programs, outermost first, each with the instruction it has reached."""

    def location(self) -> Location | None:
        """The line being executed, for reports of the kernel."""
        if not self.calls:
            return None
        span, name = self.trail[-1]
        return Location(span.file, span.line, name)

    def inspect(self) -> list[ProgramCall]:
        """The active programs, innermost first, with the variables that all of them share."""
        return [ProgramCall(name, span.file, span.line, self._scopes) for span, name in reversed(self.trail)]

    def _scopes(self) -> list[VariableScope]:
        registers = sorted({*self._text.registers, *self.registers})
        return [
            VariableScope(
                "registers", tuple(Variable(f"R{n}", "register", str(self.registers.get(n, 0))) for n in registers)
            ),
            VariableScope("stored positions", tuple(_position(f"{n}", self._stored[n]) for n in sorted(self._stored))),
            VariableScope(
                "taught positions", tuple(_position(f"#{n}", pose) for n, pose in sorted(self._taught().items()))
            ),
        ]

    def _taught(self) -> dict[int, Pose]:
        found = {number: self._machine.taught(number) for number in self._text.taught}
        return {**self._text.positions, **{number: pose for number, pose in found.items() if pose is not None}}

    @property
    def trail(self) -> list[tuple[SourceSpan, str]]:
        """The active programs, outermost first: the instruction each has reached, and its name."""
        return [(instruction.span, f"PROGRAM {number}") for number, instruction in self.calls]

    def program(self, number: int) -> None:
        """Execute a program to its end."""
        program = self._text.programs[number]
        if len(self.calls) >= MAX_CALLS:
            raise StatementError(f"more than {MAX_CALLS} nested program calls", "return before calling again")
        if not program.instructions:
            return
        index = 0
        self.calls.append((number, program.instructions[0]))
        while index < len(program.instructions):
            instruction = program.instructions[index]
            self.calls[-1] = (number, instruction)
            if self._names["__marks__"]:
                self._hook("__mark__", instruction.span.line)
            match instruction.action:
                case syntax.Jump(target, _, when) if self._all(when):
                    following = program.indices[target]
                    if following <= index:
                        self._turn(instruction.span.line)
                    index = following
                    continue
                case syntax.Return(when) if self._all(when):
                    break
                case _:
                    self._execute(instruction)
            index += 1
        self.calls.pop()

    # ---------------------------------------------------------------- instructions

    def _execute(self, instruction: Instruction) -> None:
        machine = self._machine
        match instruction.action:
            case syntax.MoveTo() as move:
                self._move(move)
            case syntax.StorePosition(number):
                self._stored[number] = self._reached if self._reached is not None else machine.here()
            case syntax.Let(register, value):
                self.registers[register] = self._checked(self._value(value))
            case syntax.CallProgram(number, _, when) if self._all(when):
                self.program(number)
            case syntax.SetOutput(output, on):
                machine.set_output(output, on)
            case syntax.Pause(seconds):
                machine.delay(seconds)
            case syntax.Await(inputs):
                machine.wait_inputs(inputs)
            case syntax.Grip(opened):
                machine.set_gripper(opened)
            case syntax.SelectTool(number):
                machine.select_tool(number)
                self._reached = None
            case syntax.Coordinates(straight):
                self._straight = straight
            case syntax.Velocity(speed, limit):
                machine.set_speed(speed, limit)
            case syntax.Stub(text):
                self._stub(text, instruction.span.line)

    def _move(self, move: syntax.MoveTo) -> None:
        target, name = self._target(move.position)
        command = PositionMove(target, name, move.fraction, self._straight, move.zone)
        self._reached = target
        if move.sensor is None:
            self._machine.move(command)
        else:
            self._reached = self._machine.search(command, move.sensor) or target

    def _target(self, position: syntax.Position) -> tuple[Pose, str]:
        if isinstance(position, syntax.TaughtPosition):
            taught = self._text.positions.get(position.number) or self._machine.taught(position.number)
            if taught is None:
                raise StatementError(*untaught(position.number))
            return taught, f"#{position.number}"
        stored = self._stored.get(position.number)
        if stored is None:
            known = ", ".join(map(str, sorted(self._stored))) or "none"
            raise StatementError(
                f"position {position.number} has not been stored", f"stored positions: {known}; use STORE POSITION"
            )
        offset = ", ".join(f"{round(each / mm, 3) + 0.0:g}" for each in position.offset)
        name = f"position {position.number}" + (f" + ({offset}) mm" if any(position.offset) else "")
        return stored.moved(*position.offset), name

    def _stub(self, text: str, line: int) -> None:
        if text not in self._reported and in_program():
            self._reported.add(text)
            process = current_process()
            process.kernel.journal.write("stub", process.name, instruction=text, line=line)

    # ---------------------------------------------------------------- values

    def _all(self, conditions: syntax.Conditions) -> bool:
        return all(COMPARISONS[each.operator](self._value(each.left), self._value(each.right)) for each in conditions)

    def _value(self, value: Value) -> int:
        match value:
            case syntax.Number(number):
                return number
            case syntax.Register(number):
                return self.registers.get(number, 0)
            case syntax.IOLine(number, output):
                return int(self._machine.output(number) if output else self._machine.input(number))
            case syntax.Calculation(left, sign, right):
                first, second = self._value(left), self._value(right)
                if sign == "/" and second == 0:
                    raise StatementError(f"{first} / 0: division by zero")
                return self._checked(_ARITHMETIC[sign](first, second))

    def _checked(self, value: int) -> int:
        if not SMALLEST <= value <= LARGEST:
            raise StatementError(f"{value} does not fit into a register ({SMALLEST}..{LARGEST})")
        return value

    # ---------------------------------------------------------------- hooks of the kernel

    def _turn(self, line: int) -> None:
        """Count a backward jump: a loop that polls must let cell time pass, as in Python programs."""
        self._turns += 1
        if self._turns >= LOOK_EVERY:
            turns = self._hook("__turn__", _LOOP, line, True)
            self._turns = turns if isinstance(turns, int) else 0

    def _hook(self, name: str, *arguments: object) -> object:
        hook = self._names[name]
        assert callable(hook)
        return hook(*arguments)


def _position(name: str, pose: Pose) -> Variable:
    """A position as a listing shows it, in millimetres."""
    axes = tuple(Variable(axis, "mm", f"{each / mm:.1f}") for axis, each in zip("XYZ", pose.position, strict=True))
    rotation = tuple(Variable(f"Q{n}", "", f"{each:.4f}") for n, each in enumerate(pose.quaternion, 1))
    return Variable(name, "position", " ".join(f"{each.name}={each.value}" for each in axes), (*axes, *rotation))


def untaught(number: int) -> tuple[str, str]:
    """The message and the hint for a position that has not been taught."""
    return (
        f"position #{number} has not been taught",
        f"give the cell a workpoint p{number}, or list #{number} below POSITIONS",
    )


class ArlaProgram(LanguageProgram):
    """A checked text. Run it in a cell: ``cell.program(load_arla("robot.arl", machine), name="robot")``."""

    def __init__(
        self,
        text: ArlaText,
        machine: ArlaMachine,
        *,
        main: int | None = None,
        registers: Mapping[int, int] | None = None,
        poll: float = POLL_PERIOD,
    ) -> None:
        self._text, self._machine = text, machine
        self._main = next(iter(text.programs)) if main is None else main
        if self._main not in text.programs:
            hint = did_you_mean(str(self._main), map(str, text.programs))
            raise ProgramError(f"{text.source.file} has no PROGRAM {self._main}", hint=hint)
        file = ProgramFile("", text.source.file, {}, poll)
        super().__init__(f"PROGRAM {self._main}", file, text.stubs, (machine,))
        self._registers = dict(registers or {})
        started = text.programs[self._main]
        self.program_file.first = started.instructions[0].span.line if started.instructions else started.span.line
        self.lines.update(each.span.line for each in text.instructions)

    def __call__(self) -> dict[int, int]:
        """Run the main program to its end, and return the registers."""
        self._check_positions()
        run = ArlaRun(self._text, self._machine, self.program_file, self._registers)
        process = current_process() if in_program() else None
        if process is not None:
            process.locator, process.inspector = run.location, run.inspect
        try:
            run.program(self._main)
        except StatementError as error:
            source = self._text.source
            raise runtime_error(ArlaError, error, {source.file: source}, run.trail) from None
        return run.registers

    def _check_positions(self) -> None:
        """Check, before anything moves, that all positions in use have been taught."""
        missing = [
            Diagnostic(span, *untaught(number))
            for number, span in self._text.taught.items()
            if self._machine.taught(number) is None
        ]
        if missing:
            raise ArlaError.of(self._text.source, missing)


def load_arla(
    source: str | Path | SourceText,
    machine: ArlaMachine,
    *,
    main: int | None = None,
    registers: Mapping[int, int] | None = None,
    poll: float = POLL_PERIOD,
) -> ArlaProgram:
    """Read and check the programs of an ARLA text.

    Args:
        source: the file, or its text.
        machine: what the instructions command, such as a :class:`VirtualS3`.
        main: the number of the program to start; default: the first one of the text.
        registers: initial values of registers by number; default: 0.
        poll: the cell time, in seconds, charged for each iteration of a loop that polls.

    Raises:
        ArlaError: the text has mistakes; the error lists all of them.
        FileError: the file cannot be read.
    """
    text = source if isinstance(source, SourceText) else SourceText.read(Path(source))
    return ArlaProgram(parse(text), machine, main=main, registers=registers, poll=poll)

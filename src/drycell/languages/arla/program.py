"""ARLA programs as programs of a cell: read, checked, started by the kernel like any function, and run line by line."""

import operator
from collections.abc import Callable, Mapping
from itertools import pairwise
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
from drycell.languages.kit import Diagnostic, SourceSpan, SourceText, StatementError

DEEPEST: Final = 20
"""Programs that have called each other."""
_LOOP: Final = 0
"""All loops of a run are looked at together: a program of jumps has no other structure."""
_COMPARE: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class ArlaRun:
    """One start of a text. ``guard`` is the kernel's program: break points, stepping, the charge for polling."""

    def __init__(self, text: ArlaText, machine: ArlaMachine, guard: ProgramFile, registers: Mapping[int, int]) -> None:
        self._text = text
        self._machine = machine
        self._names = guard.namespace
        self.registers: dict[int, int] = dict(registers)
        self._stored: dict[int, Pose] = {}
        self._place: Pose | None = None
        """Where the last POS has led to, or its search has ended."""
        self._straight = True
        self._turns = 0
        self._told: set[str] = set()
        self.calls: list[tuple[int, Instruction]] = []
        """The programs under way, each with the instruction it stands at."""

    def location(self) -> Location | None:
        """The line that is executed now, for the kernel's reports."""
        if not self.calls:
            return None
        number, instruction = self.calls[-1]
        return Location(instruction.span.file, instruction.span.line, f"PROGRAM {number}")

    def inspect(self) -> list[ProgramCall]:
        """The programs under way, the innermost first, and what all of them share: registers and stored positions."""
        return [
            ProgramCall(f"PROGRAM {number}", instruction.span.file, instruction.span.line, self._scopes)
            for number, instruction in reversed(self.calls)
        ]

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
    def span(self) -> SourceSpan | None:
        """The instruction that is executed now."""
        return self.calls[-1][1].span if self.calls else None

    def program(self, number: int) -> None:
        """Executes a program to its end."""
        program = self._text.programs[number]
        if len(self.calls) >= DEEPEST:
            raise StatementError(f"more than {DEEPEST} programs have called each other", "return before calling again")
        if not program.instructions:
            return
        place, last = 0, len(program.instructions)
        self.calls.append((number, program.instructions[0]))
        while place < last:
            instruction = program.instructions[place]
            self.calls[-1] = (number, instruction)
            if self._names["__marks__"]:
                self._hook("__mark__", instruction.span.line)
            match instruction.action:
                case syntax.Jump(target, _, when) if self._all(when):
                    following = program.places[target]
                    if following <= place:
                        self._turn(instruction.span.line)
                    place = following
                    continue
                case syntax.Return(when) if self._all(when):
                    break
                case _:
                    self._execute(instruction)
            place += 1
        self.calls.pop()

    # ---------------------------------------------------------------- instructions

    def _execute(self, instruction: Instruction) -> None:
        machine = self._machine
        match instruction.action:
            case syntax.MoveTo() as move:
                self._move(move)
            case syntax.StorePosition(number):
                self._stored[number] = self._place if self._place is not None else machine.here()
            case syntax.Let(register, value):
                self.registers[register] = self._fitting(self._value(value))
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
                self._place = None
            case syntax.Coordinates(straight):
                self._straight = straight
            case syntax.Velocity(speed, limit):
                machine.set_speed(speed, limit)
            case syntax.Stub(text):
                self._stub(text, instruction.span.line)

    def _move(self, move: syntax.MoveTo) -> None:
        place, name = self._where(move.place)
        travel = PositionMove(place, name, move.share, self._straight, move.zone)
        self._place = place
        if move.sensor is None:
            self._machine.move(travel)
            return
        found = self._machine.search(travel, move.sensor)
        if found is not None:
            self._place = found

    def _where(self, place: syntax.Place) -> tuple[Pose, str]:
        if isinstance(place, syntax.TaughtPosition):
            taught = self._text.positions.get(place.number) or self._machine.taught(place.number)
            if taught is None:
                raise StatementError(*untaught(place.number))
            return taught, f"#{place.number}"
        stored = self._stored.get(place.number)
        if stored is None:
            known = ", ".join(map(str, sorted(self._stored))) or "none"
            raise StatementError(
                f"position {place.number} was not stored yet", f"stored are {known}; see STORE POSITION"
            )
        moved = ", ".join(f"{round(each / mm, 3) + 0.0:g}" for each in place.offset)
        name = f"position {place.number}" + (f" + ({moved}) mm" if any(place.offset) else "")
        return stored.moved(*place.offset), name

    def _stub(self, text: str, line: int) -> None:
        if text not in self._told and in_program():
            self._told.add(text)
            process = current_process()
            process.kernel.journal.write("stub", process.name, instruction=text, line=line)

    # ---------------------------------------------------------------- values

    def _all(self, conditions: syntax.Conditions) -> bool:
        return all(_COMPARE[each.sign](self._value(each.left), self._value(each.right)) for each in conditions)

    def _value(self, value: Value) -> int:
        match value:
            case syntax.Number(number):
                return number
            case syntax.Register(number):
                return self.registers.get(number, 0)
            case syntax.IOLine(number, output):
                return int(self._machine.output(number) if output else self._machine.input(number))
            case syntax.Calculation(left, sign, right):
                return self._fitting(self._calculated(self._value(left), sign, self._value(right)))

    def _calculated(self, left: int, sign: syntax.Arithmetic, right: int) -> int:
        match sign:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
        if right == 0:
            raise StatementError(f"{left} / 0 is no number")
        return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)

    def _fitting(self, value: int) -> int:
        if not SMALLEST <= value <= LARGEST:
            raise StatementError(f"{value} does not fit a register, which holds {SMALLEST}..{LARGEST}")
        return value

    # ---------------------------------------------------------------- the kernel's guard

    def _turn(self, line: int) -> None:
        """A jump back: a loop that asks without end must let cell time pass, as in Python programs."""
        self._turns += 1
        if self._turns >= LOOK_EVERY:
            turns = self._hook("__turn__", _LOOP, line, True)
            self._turns = turns if isinstance(turns, int) else 0

    def _hook(self, name: str, *arguments: object) -> object:
        hook = self._names[name]
        assert callable(hook)
        return hook(*arguments)


def _position(name: str, pose: Pose) -> Variable:
    """A place as a listing writes it, in millimetres."""
    x, y, z = pose.position
    turn = pose.quaternion
    axes = tuple(Variable(axis, "mm", f"{each / mm:.1f}") for axis, each in zip("XYZ", (x, y, z), strict=True))
    turned = tuple(Variable(f"Q{place}", "", f"{each:.4f}") for place, each in enumerate(turn, 1))
    return Variable(name, "position", " ".join(f"{each.name}={each.value}" for each in axes), (*axes, *turned))


def untaught(number: int) -> tuple[str, str]:
    """What to say of a position nobody has taught, and what to try."""
    return (
        f"nobody has taught position #{number}",
        f"give the cell a workpoint p{number}, or list #{number} below POSITIONS",
    )


class ArlaProgram:
    """A text that is in order. Call it in a cell: ``cell.program(load_arla("robot.arl", machine), name="robot")``.

    ``stubs`` are the instructions that are not known here: they do nothing, and the journal says so when one is met.
    """

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
        self.file = text.source.file
        self.name = self.__name__ = f"PROGRAM {self._main}"
        self.stubs = text.stubs
        self._registers = dict(registers or {})
        # The kernel's own program gives break points, stepping, and the charge for loops that poll.
        self._guard = ProgramFile("", self.file, {}, poll)
        started = text.programs[self._main]
        self._guard.first = started.instructions[0].span.line if started.instructions else started.span.line
        self._guard.lines |= {each.span.line for program in text.programs.values() for each in program.instructions}

    @property
    def __globals__(self) -> dict[str, object]:
        """Where the kernel looks for what break points are set in."""
        return self._guard.namespace

    @property
    def lines(self) -> set[int]:
        """The lines that a break point can be set on."""
        return self._guard.lines

    def __call__(self) -> dict[int, int]:
        """Runs the main program to its end, in a program of a cell; returns the registers as they are then."""
        self._check_positions()
        run = ArlaRun(self._text, self._machine, self._guard, self._registers)
        process = current_process() if in_program() else None
        if process is not None:
            process.locator, process.inspector = run.location, run.inspect
        try:
            run.program(self._main)
        except StatementError as trouble:
            raise self._placed(run, trouble) from None
        return run.registers

    def _check_positions(self) -> None:
        """All positions that are used must be taught before anything moves."""
        missing = [
            Diagnostic(span, *untaught(number))
            for number, span in self._text.taught.items()
            if self._machine.taught(number) is None
        ]
        if missing:
            raise ArlaError.of(self._text.source, missing)

    def _placed(self, run: ArlaRun, trouble: StatementError) -> ArlaError:
        """The trouble with the place in the text where the program stands, and the calls that led there."""
        span = run.span
        if span is None:
            return ArlaError(trouble.what, hint=trouble.hint)
        error = ArlaError.at(self._text.source, span, trouble.what, trouble.hint)
        location = run.location()
        if in_program() and location is not None:
            error.where = current_process().place(location)
        error.calls = tuple(
            f"PROGRAM {number}, called at {calling.span.place}" for (_, calling), (number, _) in pairwise(run.calls)
        )
        return error


def load_arla(
    path: str | Path,
    machine: ArlaMachine,
    *,
    main: int | None = None,
    registers: Mapping[int, int] | None = None,
    poll: float = POLL_PERIOD,
) -> ArlaProgram:
    """The programs of a file, for a machine; all that is wrong with them comes in one error.

    ``main`` is the program to start, the file's first if left out; ``registers`` are values to start with (else 0);
    ``poll`` is the cell time charged to a turn of a loop that polls.
    """
    return compile_arla(SourceText.read(Path(path)), machine, main=main, registers=registers, poll=poll)


def compile_arla(
    source: SourceText,
    machine: ArlaMachine,
    *,
    main: int | None = None,
    registers: Mapping[int, int] | None = None,
    poll: float = POLL_PERIOD,
) -> ArlaProgram:
    """The programs of a text, for a machine; see :func:`load_arla` for the other arguments."""
    return ArlaProgram(parse(source), machine, main=main, registers=registers, poll=poll)

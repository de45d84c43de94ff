"""The syntax tree of ARLA: programs of numbered instructions, and taught positions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from drycell.base import Pose
from drycell.languages.kit import SourceSpan, SourceText

Comparison = Literal["=", "<>", "<", "<=", ">", ">="]
Arithmetic = Literal["+", "-", "*", "/"]


# ---------------------------------------------------------------- values


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number."""

    value: int


@dataclass(frozen=True, slots=True)
class Register:
    """``R11``."""

    number: int


@dataclass(frozen=True, slots=True)
class IOLine:
    """``INP 1`` or ``OUT 1``: an input or output, as 0 or 1."""

    number: int
    output: bool = False


@dataclass(frozen=True, slots=True)
class Calculation:
    """Two values with an operator between them."""

    left: "Value"
    operator: Arithmetic
    right: "Value"


Value = Number | Register | IOLine | Calculation


@dataclass(frozen=True, slots=True)
class RegisterCondition:
    """``R41 > 0``."""

    left: Value
    operator: Comparison
    right: Value


Conditions = tuple[RegisterCondition, ...]
"""Conditions that must all be true; no conditions are always true."""


# ---------------------------------------------------------------- positions


@dataclass(frozen=True, slots=True)
class TaughtPosition:
    """``#58``."""

    number: int


@dataclass(frozen=True, slots=True)
class StoredPosition:
    """``PATH POSITION 2 OFFSET X=0.0 Y=0.0 Z=10.0``; the offset is in metres."""

    number: int
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)


Position = TaughtPosition | StoredPosition


# ---------------------------------------------------------------- instructions


@dataclass(frozen=True, slots=True)
class MoveTo:
    """``POS V=100.0% C1 #58``. With ``zone`` 0 the robot stops at the position; with a ``sensor`` it is a search."""

    fraction: float
    position: Position
    zone: int = 0
    sensor: int | None = None


@dataclass(frozen=True, slots=True)
class StorePosition:
    """``STORE POSITION 10``."""

    number: int


@dataclass(frozen=True, slots=True)
class Let:
    """``LET R11 = R3 + 1``."""

    register: int
    value: Value


@dataclass(frozen=True, slots=True)
class Jump:
    """``JUMP TO 290 IF R11 = 1``."""

    target: int
    span: SourceSpan
    when: Conditions = ()


@dataclass(frozen=True, slots=True)
class CallProgram:
    """``CALL PROG 300 IF R11 = 1``."""

    program: int
    span: SourceSpan
    when: Conditions = ()


@dataclass(frozen=True, slots=True)
class Return:
    """``RETURN``."""

    when: Conditions = ()


@dataclass(frozen=True, slots=True)
class SetOutput:
    """``SET OUT 4`` and ``RESET OUT 4``."""

    output: int
    on: bool


@dataclass(frozen=True, slots=True)
class Pause:
    """``WAIT 2.0 S``."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Await:
    """``WAIT UNTIL INP 3 = 1 * INP 4 = 0``: the inputs and their wanted states."""

    inputs: tuple[tuple[int, bool], ...]


@dataclass(frozen=True, slots=True)
class Grip:
    """``GRIPPER OPEN`` and ``GRIPPER CLOSE``."""

    opened: bool


@dataclass(frozen=True, slots=True)
class SelectTool:
    """``TCP 1``."""

    number: int


@dataclass(frozen=True, slots=True)
class Coordinates:
    """``RECT COORD``: moves are straight lines of the TCP from now on; ``ROBOT COORD``: joint moves."""

    straight: bool


@dataclass(frozen=True, slots=True)
class Velocity:
    """``V=1000.0 MM/S MAX=1500.0 MM/S``: the speed that is 100 %, and the limit, in m/s."""

    speed: float
    limit: float


@dataclass(frozen=True, slots=True)
class Stub:
    """An instruction that drycell does not know. It does nothing, and the journal reports it."""

    text: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A number followed by a comment or by nothing: a target for jumps."""


Action = (
    MoveTo
    | StorePosition
    | Let
    | Jump
    | CallProgram
    | Return
    | SetOutput
    | Pause
    | Await
    | Grip
    | SelectTool
    | Coordinates
    | Velocity
) | (Stub | Remark)


@dataclass(frozen=True, slots=True)
class Instruction:
    """A numbered line of a program."""

    number: int
    action: Action
    span: SourceSpan


@dataclass(slots=True)
class NumberedProgram:
    """``PROGRAM 300`` and its instructions."""

    number: int
    span: SourceSpan
    instructions: list[Instruction] = field(default_factory=list)
    indices: dict[int, int] = field(default_factory=dict)
    """The index of each instruction in the list, by its number."""

    def add(self, instruction: Instruction) -> None:
        """Append an instruction."""
        self.indices[instruction.number] = len(self.instructions)
        self.instructions.append(instruction)


@dataclass(frozen=True, slots=True)
class ArlaText:
    """A whole text: its programs by number, in order, and the positions that it lists."""

    source: SourceText
    programs: Mapping[int, NumberedProgram]
    positions: Mapping[int, Pose]

    @property
    def instructions(self) -> Iterator[Instruction]:
        """The instructions of all programs."""
        return (each for program in self.programs.values() for each in program.instructions)

    @property
    def stubs(self) -> tuple[str, ...]:
        """The instructions that drycell does not know, each once, in the order of the text."""
        return tuple(dict.fromkeys(each.action.text for each in self.instructions if isinstance(each.action, Stub)))

    @property
    def taught(self) -> Mapping[int, SourceSpan]:
        """The taught positions that the programs use but the text does not list, with the first use of each."""
        found: dict[int, SourceSpan] = {}
        for each in self.instructions:
            position = each.action.position if isinstance(each.action, MoveTo) else None
            if isinstance(position, TaughtPosition) and position.number not in self.positions:
                found.setdefault(position.number, each.span)
        return found

    @property
    def registers(self) -> frozenset[int]:
        """The registers that the programs use."""
        return frozenset(number for each in self.instructions for number in _registers(each.action))


def _registers(action: Action) -> Iterator[int]:
    values: list[Value] = []
    match action:
        case Let(register, value):
            yield register
            values.append(value)
        case Jump(when=when) | CallProgram(when=when) | Return(when=when):
            values += (side for each in when for side in (each.left, each.right))
    while values:
        match values.pop():
            case Register(number):
                yield number
            case Calculation(left, _, right):
                values += (left, right)

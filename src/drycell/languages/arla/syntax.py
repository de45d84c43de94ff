"""The tree of an ARLA text: programs of numbered instructions, and taught positions."""

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
    """``INP 1`` or ``OUT 1``: an input or output, which is 0 or 1."""

    number: int
    output: bool = False


@dataclass(frozen=True, slots=True)
class Calculation:
    """Two values with a sign between them."""

    left: "Value"
    sign: Arithmetic
    right: "Value"


Value = Number | Register | IOLine | Calculation


@dataclass(frozen=True, slots=True)
class RegisterCondition:
    """``R41 > 0``."""

    left: Value
    sign: Comparison
    right: Value


Conditions = tuple[RegisterCondition, ...]
"""All of them must hold; none holds always."""


# ---------------------------------------------------------------- places


@dataclass(frozen=True, slots=True)
class TaughtPosition:
    """``#58``."""

    number: int


@dataclass(frozen=True, slots=True)
class StoredPosition:
    """``PATH POSITION 2 OFFSET X=0.0 Y=0.0 Z=10.0``; the offset in metres."""

    number: int
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)


Place = TaughtPosition | StoredPosition


# ---------------------------------------------------------------- instructions


@dataclass(frozen=True, slots=True)
class MoveTo:
    """``POS V=100.0% C1 #58``. ``zone`` 0 is a stop at the point; with ``sensor`` it is a search."""

    share: float
    place: Place
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
    """``WAIT UNTIL INP 3 = 1 * INP 4 = 0``: inputs and what they must be."""

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
    """``RECT COORD``: the tool goes straight from now on; ``ROBOT COORD``: as the joints like best."""

    straight: bool


@dataclass(frozen=True, slots=True)
class Velocity:
    """``V=1000.0 MM/S MAX=1500.0 MM/S``: what 100 % is, and the limit; in m/s."""

    speed: float
    limit: float


@dataclass(frozen=True, slots=True)
class Stub:
    """An instruction that is not known here: it does nothing, and the journal says so."""

    text: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A number with a comment, or with nothing: something to jump to."""


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
    """``PROGRAM 300`` and its instructions in order."""

    number: int
    span: SourceSpan
    instructions: list[Instruction] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)
    """Where the instruction of a number stands in the list."""

    def add(self, instruction: Instruction) -> None:
        """The next line."""
        self.places[instruction.number] = len(self.instructions)
        self.instructions.append(instruction)


@dataclass(frozen=True, slots=True)
class ArlaText:
    """A whole text: its programs by number, the first one first, and the positions that stand in it."""

    source: SourceText
    programs: Mapping[int, NumberedProgram]
    positions: Mapping[int, Pose]

    @property
    def stubs(self) -> tuple[str, ...]:
        """The instructions that are not known here, each once, in the order of the text."""
        actions = (each.action for program in self.programs.values() for each in program.instructions)
        return tuple(dict.fromkeys(action.text for action in actions if isinstance(action, Stub)))

    @property
    def taught(self) -> Mapping[int, SourceSpan]:
        """The taught positions that are used and do not stand in the text, and where each is used first."""
        found: dict[int, SourceSpan] = {}
        for program in self.programs.values():
            for each in program.instructions:
                place = each.action.place if isinstance(each.action, MoveTo) else None
                if isinstance(place, TaughtPosition) and place.number not in self.positions:
                    found.setdefault(place.number, each.span)
        return found

    @property
    def registers(self) -> frozenset[int]:
        """The registers that stand in it."""
        return frozenset(
            number
            for program in self.programs.values()
            for each in program.instructions
            for number in _registers(each.action)
        )


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

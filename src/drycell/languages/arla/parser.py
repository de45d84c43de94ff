"""The parser: reads a program line by line, and reports all mistakes in it together."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Final, cast

from drycell.base import Pose, did_you_mean, mm
from drycell.languages.arla import syntax
from drycell.languages.arla.syntax import (
    Action,
    Arithmetic,
    ArlaText,
    Comparison,
    Conditions,
    Instruction,
    NumberedProgram,
    Position,
    RegisterCondition,
    Value,
)
from drycell.languages.kit import (
    COMPARISONS,
    END,
    BadToken,
    Diagnostic,
    Infix,
    Lexer,
    ParseError,
    Pratt,
    SourceError,
    SourceText,
    Token,
    TokenStream,
    TooMany,
)

LEXER: Final = Lexer(
    [
        ("blank", r"[ \t\r\f\v]+"),
        ("line", r"\n"),
        ("comment", r"/\*[^\n]*"),  # as in the listing, comments extend to the end of the line, with or without */
        ("cut", r"\.\.+|…"),
        ("number", r"[0-9]+\.?[0-9]*|\.[0-9]+"),
        ("register", r"[Rr][0-9]+(?![A-Za-z_0-9])"),
        ("sensor", r"[Ss][0-9]+(?![A-Za-z_0-9])"),
        ("zone", r"[Cc][0-9]+(?![A-Za-z_0-9])"),
        ("name", r"[A-Za-z_]+"),
        ("symbol", r"<=|>=|<>|[-+*/()#%=<>]"),
    ],
    trivia=("blank", "comment"),
    bad_tokens={"cut": BadToken("the listing is abridged here", "write the missing instructions")},
)


REGISTERS: Final = 120
"""The S3 has 120 registers, numbered from 1."""
SMALLEST: Final = -32768
LARGEST: Final = 32767
"""A register holds 16 bits."""
_MAX_DIGITS: Final = 12
"""The longest number, in digits."""
_MAX_OPERATORS: Final = 100
"""The most arithmetic operators in one value."""


class ValueParser:
    """Parses numbers, registers, calculations and conditions."""

    def __init__(self, stream: TokenStream) -> None:
        self.stream = stream
        self._operators = 0
        prefixes: dict[str, Callable[[Token], Value]] = {
            "number": lambda token: syntax.Number(self._whole(token)),
            "register": lambda token: syntax.Register(self._register(token)),
            "name": self._io_line,
            "-": lambda token: syntax.Calculation(syntax.Number(0), "-", self._pratt.expression(3)),
            "(": self._grouped,
        }
        infixes = {sign: Infix(power, self._calculation) for sign, power in (("+", 1), ("-", 1), ("*", 2), ("/", 2))}
        self._pratt: Pratt[Value] = Pratt(stream, prefixes, infixes, wanted="a number, a register, INP or OUT")

    # ---------------------------------------------------------------- numbers

    def whole(self, purpose: str, least: int = 1, most: int = 9999) -> int:
        """Parse a whole number within limits."""
        token = self.stream.expect("number", purpose)
        value = self._whole(token)
        if not least <= value <= most:
            raise self._mistake(token, f"{value} is out of range: {purpose.removeprefix('of ')} is {least}..{most}")
        return value

    def decimal(self, purpose: str) -> float:
        """Parse a number with an optional sign and decimals."""
        sign = self.stream.accept("+", "-")
        token = self.stream.expect("number", purpose)
        self._check_digits(token)
        return -float(token.text) if sign is not None and sign.kind == "-" else float(token.text)

    def positive(self, purpose: str, most: float) -> float:
        """Parse a number above 0, up to a maximum."""
        token = self.stream.now
        value = self.decimal(purpose)
        if not 0.0 < value <= most:
            raise self._mistake(
                token, f"{value:g} is out of range: {purpose.removeprefix('of ')} must be above 0 and at most {most:g}"
            )
        return value

    def register(self) -> int:
        """Parse a register, and return its number."""
        return self._register(self.stream.expect("register", "", "registers are written R1, R2, …"))

    def line(self, *words: str) -> int:
        """Parse ``INP n`` or ``OUT n``, and return the number."""
        self.stream.expect_word(*words, wanted=words[0].upper())
        return self.whole("of a line")

    # ---------------------------------------------------------------- values and conditions

    def value(self) -> Value:
        """Parse a calculation."""
        self._operators = 0
        return self._pratt.expression()

    def conditions(self) -> tuple[RegisterCondition, ...]:
        """Parse ``R41 > 0 * R42 > 0``: the * between conditions means AND, so inside them it does not multiply."""
        found = [self._condition()]
        while self.stream.accept("*"):
            found.append(self._condition())
        return tuple(found)

    def offset(self) -> tuple[float, float, float]:
        """Parse ``X=0.0 Y=0.0 Z=10.0`` in millimetres, and return metres; the default of each axis is 0."""
        found: dict[str, float] = {}
        while self.stream.at_word("x", "y", "z"):
            token = self.stream.take()
            if token.text.lower() in found:
                raise self._mistake(token, f"{token.text} is given twice")
            self.stream.expect("=")
            found[token.text.lower()] = self.decimal("of millimetres") * mm
        if not found:
            raise self.stream.unexpected("X=, Y= or Z=")
        return found.get("x", 0.0), found.get("y", 0.0), found.get("z", 0.0)

    def _condition(self) -> RegisterCondition:
        left = self._operand()
        if self.stream.now.kind not in COMPARISONS:
            raise self.stream.unexpected("=, <>, <, <=, > or >=")
        operator = cast(Comparison, self.stream.take().kind)
        return RegisterCondition(left, operator, self._operand())

    def _operand(self) -> Value:
        self._operators = 0
        return self._pratt.expression(2)

    def _io_line(self, token: Token) -> Value:
        word = token.text.lower()
        if word not in ("inp", "out", "outp"):
            raise self._mistake(token, f"{token.text} is not a value", "values are numbers, R1, INP 1 and OUT 1")
        return syntax.IOLine(self.whole("of a line"), output=word != "inp")

    def _grouped(self, token: Token) -> Value:
        value = self._pratt.expression()
        self.stream.expect(")")
        return value

    def _calculation(self, left: Value, token: Token) -> Value:
        operator = cast(Arithmetic, token.kind)
        self._operators += 1
        if self._operators > _MAX_OPERATORS:
            raise self._mistake(token, f"more than {_MAX_OPERATORS} operators in one value", "calculate in steps")
        return syntax.Calculation(left, operator, self._pratt.expression(1 if operator in "+-" else 2))

    def _register(self, token: Token) -> int:
        number = int(token.text[1:_MAX_DIGITS])
        if not 1 <= number <= REGISTERS:
            raise self._mistake(
                token, f"register {token.text[:_MAX_DIGITS]} does not exist; registers are R1 to R{REGISTERS}"
            )
        return number

    def _whole(self, token: Token) -> int:
        self._check_digits(token)
        if not token.text.isdigit():
            raise self._mistake(token, f"{token.text} is not a whole number", "registers hold whole numbers only")
        return int(token.text)

    def _check_digits(self, token: Token) -> None:
        if len(token.text) > _MAX_DIGITS:
            raise self._mistake(token, f"this number has more than {_MAX_DIGITS} digits")

    def _mistake(self, token: Token, what: str, hint: str | None = None) -> ParseError:
        return self.stream.mistake(what, self.stream.span(token), hint)


_FASTEST: Final = 10_000.0
_LONGEST_WAIT: Final = 1e6
_SIMILARITY: Final = 0.75
"""The similarity above which an unknown word counts as a misspelt instruction, not as a stub."""


class InstructionParser:
    """Parses one instruction at a time."""

    def __init__(self, stream: TokenStream) -> None:
        self.stream = stream
        self.values = ValueParser(stream)
        self._readers: Mapping[str, Callable[[], Action]] = {
            "pos": self._pos,
            "store": self._store,
            "let": self._let,
            "jump": self._jump,
            "call": self._call,
            "return": lambda: syntax.Return(self._when()),
            "set": lambda: self._set(True),
            "reset": lambda: self._set(False),
            "wait": self._wait,
            "gripper": self._gripper,
            "tcp": lambda: syntax.SelectTool(self.values.whole("of a tool", 0, 99)),
            "rect": lambda: self._coordinates(True),
            "robot": lambda: self._coordinates(False),
            "v": self._velocity,
        }

    def action(self) -> Action:
        """Parse what follows the number of a line, up to the end of the line."""
        stream = self.stream
        if stream.at("line", END):
            return syntax.Remark()
        first = stream.now
        word = first.text.lower()
        if first.kind != "name":
            raise stream.unexpected("an instruction")
        read = self._readers.get(word)
        if read is None:
            near = get_close_matches(word[:40], self._readers, n=1, cutoff=_SIMILARITY)
            if near:
                what = f"unknown instruction {first.text[:40]}"
                raise stream.mistake(what, stream.span(first), f"did you mean {near[0].upper()}?")
            return self._stub()
        stream.take()
        return read()

    def _stub(self) -> Action:
        first = self.stream.now
        while not self.stream.at("line", END):
            self.stream.take()
        span = self.stream.since(first)
        return syntax.Stub(" ".join(self.stream.source.text[span.start : span.end].split())[:100])

    # ---------------------------------------------------------------- moves

    def _pos(self) -> Action:
        stream = self.stream
        stream.expect_word("v", wanted="V= and a percentage of the speed, such as V=100.0%")
        stream.expect("=")
        fraction = self.values.positive("of the speed", 100.0) / 100.0
        stream.expect("%", "after the speed")
        if stream.accept_word("store"):
            return self._store()  # nothing moves, so the speed of such a line has no meaning
        zone = self._zone()
        sensor = self._sensor(zone) if stream.accept_word("search") else None
        return syntax.MoveTo(fraction, self._position(), zone, sensor)

    def _zone(self) -> int:
        token = None if self.stream.accept_word("fine", "finec") else self.stream.accept("zone")
        if token is None:
            return 0
        number = int(token.text[1:6])
        if not 1 <= number <= 9:
            what = f"zone {token.text[:6]} does not exist; zones are C1 to C9"
            raise self.stream.mistake(what, self.stream.span(token))
        return number

    def _sensor(self, zone: int) -> int:
        token = self.stream.expect("sensor", "", "the sensor of a search is written S1, S2, …")
        if zone:
            what = f"a search stops at its end, so it cannot have zone C{zone}"
            raise self.stream.mistake(what, self.stream.span(token), "write FINE, or no zone")
        number = int(token.text[1:6])
        if not 1 <= number <= 99:
            what = f"sensor {token.text[:6]} does not exist; sensors are S1 to S99"
            raise self.stream.mistake(what, self.stream.span(token))
        return number

    def _position(self) -> Position:
        stream = self.stream
        if stream.accept("#"):
            return syntax.TaughtPosition(self.values.whole("of a position"))
        hint = "write #58, or PATH POSITION 2 OFFSET X=0.0 Y=0.0 Z=0.0"
        stream.expect_word("path", wanted="a position", hint=hint)
        stream.expect_word("position")
        number = self.values.whole("of a position")
        if stream.accept_word("offset"):
            return syntax.StoredPosition(number, self.values.offset())
        return syntax.StoredPosition(number)

    def _store(self) -> Action:
        self.stream.expect_word("position")
        return syntax.StorePosition(self.values.whole("of a position"))

    def _coordinates(self, straight: bool) -> Action:
        self.stream.expect_word("coord")
        return syntax.Coordinates(straight)

    def _velocity(self) -> Action:
        speed = self._speed()
        return syntax.Velocity(speed, self._speed() if self.stream.accept_word("max") else _FASTEST * mm)

    def _speed(self) -> float:
        self.stream.expect("=")
        speed = self.values.positive("of the speed in mm/s", _FASTEST) * mm
        self.stream.expect_word("mm")
        self.stream.expect("/")
        self.stream.expect_word("s")
        return speed

    # ---------------------------------------------------------------- registers and flow

    def _let(self) -> Action:
        register = self.values.register()
        self.stream.expect("=")
        return syntax.Let(register, self.values.value())

    def _jump(self) -> Action:
        self.stream.expect_word("to")
        target, first = self.values.whole("of an instruction", 0, 99999), self.stream.last
        return syntax.Jump(target, self.stream.span(first), self._when())

    def _call(self) -> Action:
        self.stream.expect_word("prog", "program")
        program, first = self.values.whole("of a program"), self.stream.last
        return syntax.CallProgram(program, self.stream.span(first), self._when())

    def _when(self) -> Conditions:
        return self.values.conditions() if self.stream.accept_word("if") else ()

    # ---------------------------------------------------------------- lines, time, gripper

    def _set(self, on: bool) -> Action:
        return syntax.SetOutput(self.values.line("out", "outp"), on)

    def _wait(self) -> Action:
        stream = self.stream
        if not stream.accept_word("until"):
            seconds = self.values.positive("of seconds", _LONGEST_WAIT)
            stream.expect_word("s")
            return syntax.Pause(seconds)
        first = stream.now
        found: list[tuple[int, bool]] = []
        for condition in self.values.conditions():
            match condition:
                case syntax.RegisterCondition(syntax.IOLine(number, output=False), "=", syntax.Number(0 | 1 as value)):
                    found.append((number, bool(value)))
                case _:
                    what = "WAIT UNTIL accepts inputs only: registers do not change while a program waits"
                    raise stream.mistake(what, stream.since(first), "write WAIT UNTIL INP 1 = 1")
        return syntax.Await(tuple(found))

    def _gripper(self) -> Action:
        return syntax.Grip(self.stream.expect_word("open", "close").text.lower() == "open")


_DOWN = (0.0, 1.0, 0.0, 0.0)
"""The default orientation of a position: the tool points straight down."""


class ArlaError(SourceError):
    """A mistake in an ARLA program, found when it is read or when it runs."""


def parse(source: SourceText) -> ArlaText:
    """Parse a text.

    Raises:
        ArlaError: the text has mistakes; the error lists all of them.
    """
    return ArlaParser(source).text()


class ArlaParser:
    """Parses a whole text: programs, and lists of positions."""

    def __init__(self, source: SourceText) -> None:
        self._stream = TokenStream(source, LEXER)
        self._instructions = InstructionParser(self._stream)
        self._values = self._instructions.values
        self._programs: dict[int, NumberedProgram] = {}
        self._now: NumberedProgram | None = None
        self._positions: dict[int, Pose] = {}
        self._in_positions = False  # below a line POSITIONS

    def text(self) -> ArlaText:
        """Parse all lines."""
        stream, source = self._stream, self._stream.source
        try:
            while not stream.at(END):
                if stream.accept("line"):
                    continue
                try:
                    self._line()
                    if not stream.at("line", END):
                        raise stream.unexpected("the end of the line")
                except ParseError as mistake:
                    stream.recover(mistake, "line")
            if not self._programs and not stream.diagnostics.found:
                raise stream.unexpected("PROGRAM and its number")
            self._check_targets()
        except ParseError as mistake:
            stream.diagnostics.add(mistake.diagnostic)
        except TooMany:
            pass
        stream.diagnostics.raise_any(ArlaError)
        return ArlaText(source, self._programs, self._positions)

    def _line(self) -> None:
        stream = self._stream
        if stream.at_word("program"):
            self._program()
        elif stream.accept_word("positions"):
            self._in_positions = True
        elif stream.at("#"):
            self._position()
        elif stream.at("number") and not self._in_positions:
            self._instruction()
        elif self._in_positions:
            raise stream.unexpected("# and the number of a position", "write #58 X=900.0 Y=0.0 Z=500.0")
        else:
            raise stream.unexpected("the number of an instruction", "begin each instruction with a number: 10 TCP 1")

    def _program(self) -> None:
        stream = self._stream
        stream.take()
        self._in_positions = False
        token = stream.now
        number = self._values.whole("of a program")
        program = self._now = NumberedProgram(number, stream.span(token))  # read to report its mistakes
        if number in self._programs:
            raise stream.mistake(f"PROGRAM {number} already exists", program.span, "use another number")
        self._programs[number] = program

    def _instruction(self) -> None:
        stream, first = self._stream, self._stream.now
        number = self._values.whole("of an instruction", 0, 99999)
        if self._now is None:
            raise stream.mistake("this instruction is outside a program", stream.span(first), "begin with PROGRAM 1")
        before = self._now.instructions[-1].number if self._now.instructions else -1
        if number <= before:
            what = f"instruction {number} follows instruction {before}"
            stream.diagnostics.add(Diagnostic(stream.span(first), what, "numbers must increase from line to line"))
        action: syntax.Action = syntax.Remark()
        try:
            action = self._instructions.action()
        finally:  # a jump to a line with a mistake is not another mistake
            self._now.add(Instruction(number, action, stream.since(first)))

    def _position(self) -> None:
        stream = self._stream
        first = stream.take()
        if not self._in_positions:
            raise stream.mistake(
                "this position is among instructions", stream.span(first), "list positions below a line POSITIONS"
            )
        number = self._values.whole("of a position")
        position = self._values.offset()
        orientation = self._quaternion() if stream.at_word("q") else _DOWN
        if number in self._positions:
            raise stream.mistake(f"position #{number} is given twice", stream.since(first))
        self._positions[number] = Pose.of_quaternion(orientation, position)

    def _quaternion(self) -> Sequence[float]:
        stream, first = self._stream, self._stream.now
        found = []
        for number in range(1, 5):
            if not stream.at_word("q") or stream.ahead().text != str(number):
                raise stream.unexpected(f"Q{number}=", "a rotation needs all of Q1=, Q2=, Q3= and Q4=")
            stream.take()
            stream.take()
            stream.expect("=")
            found.append(self._values.decimal("of the rotation"))
        if sum(each * each for each in found) < 1e-6:
            raise stream.mistake("a rotation cannot be all zeros", stream.since(first), "down is 0, 1, 0, 0")
        return found

    def _check_targets(self) -> None:
        for program in self._programs.values():
            for each in program.instructions:
                match each.action:
                    case syntax.Jump(target, span) if target not in program.indices:
                        what = f"PROGRAM {program.number} has no instruction {target}"
                        self._stream.diagnostics.add(Diagnostic(span, what, _nearest(target, program.indices)))
                    case syntax.CallProgram(number, span) if number not in self._programs:
                        hint = did_you_mean(str(number), map(str, self._programs))
                        self._stream.diagnostics.add(Diagnostic(span, f"PROGRAM {number} does not exist", hint))


def _nearest(target: int, numbers: Iterable[int]) -> str:
    """Suggest the instructions next to a missing number: it is easy to forget jumps when changing a program."""
    near = sorted(sorted(numbers, key=lambda each: (abs(each - target), each))[:2])
    return f"did you mean {' or '.join(map(str, near))}?"

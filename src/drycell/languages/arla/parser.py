"""The parser: reads a text line by line, reports all its mistakes together, and gives back its programs."""

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
    Place,
    RegisterCondition,
    Value,
)
from drycell.languages.kit import (
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
        ("comment", r"/\*[^\n]*"),  # as in the listing: a comment goes to the end of its line, with */ or without
        ("cut", r"\.\.+|…"),
        ("number", r"[0-9]+\.?[0-9]*|\.[0-9]+"),
        ("register", r"[Rr][0-9]+(?![A-Za-z_0-9])"),
        ("sensor", r"[Ss][0-9]+(?![A-Za-z_0-9])"),
        ("zone", r"[Cc][0-9]+(?![A-Za-z_0-9])"),
        ("name", r"[A-Za-z_]+"),
        ("sign", r"<=|>=|<>|[-+*/()#%=<>]"),
    ],
    trivia=("blank", "comment"),
    faults={"cut": BadToken("the listing is cut here", "complete the program: what is left out cannot be run")},
)


REGISTERS: Final = 120
"""There are so many registers, numbered from 1, as in the S3."""
SMALLEST: Final = -32768
LARGEST: Final = 32767
"""A register holds 16 bits."""
_LONGEST: Final = 12
"""Digits of a number; more make no place and no time."""
_MOST_SIGNS: Final = 100
"""Signs of arithmetic in one value: what is longer no person has written."""
_COMPARISONS: Final = ("=", "<>", "<", "<=", ">", ">=")


class ValueReader:
    """Reads values from a stream of tokens."""

    def __init__(self, stream: TokenStream) -> None:
        self.stream = stream
        self._signs = 0
        prefixes: dict[str, Callable[[Token], Value]] = {
            "number": lambda token: syntax.Number(self._whole(token)),
            "register": lambda token: syntax.Register(self._register(token)),
            "name": self._line,
            "-": lambda token: syntax.Calculation(syntax.Number(0), "-", self._pratt.expression(3)),
            "(": self._grouped,
        }
        infixes = {sign: Infix(power, self._calculation) for sign, power in (("+", 1), ("-", 1), ("*", 2), ("/", 2))}
        self._pratt: Pratt[Value] = Pratt(stream, prefixes, infixes, wanted="a number, a register, INP or OUT")

    # ---------------------------------------------------------------- numbers

    def whole(self, purpose: str, least: int = 1, most: int = 9999) -> int:
        """A whole number within bounds."""
        token = self.stream.expect("number", purpose)
        value = self._whole(token)
        if not least <= value <= most:
            raise self._mistake(token, f"{value} is out of range: {purpose.removeprefix('of ')} is {least}..{most}")
        return value

    def decimal(self, purpose: str) -> float:
        """A number with or without a sign and decimals."""
        sign = self.stream.accept("+", "-")
        token = self.stream.expect("number", purpose)
        self._bounded(token)
        return -float(token.text) if sign is not None and sign.kind == "-" else float(token.text)

    def positive(self, purpose: str, most: float) -> float:
        """A number above 0, up to a greatest."""
        token = self.stream.now
        value = self.decimal(purpose)
        if not 0.0 < value <= most:
            raise self._mistake(
                token, f"{value:g} is out of range: {purpose.removeprefix('of ')} is above 0, up to {most:g}"
            )
        return value

    def register(self) -> int:
        """The number of a register."""
        return self._register(self.stream.expect("register", "", "registers are written R1, R2, …"))

    def line(self, *words: str) -> int:
        """``INP n`` or ``OUT n``: the number of the line."""
        if not self.stream.at_word(*words):
            raise self.stream.unexpected(" or ".join(word.upper() for word in words[:1]))
        self.stream.take()
        return self.whole("of a line")

    # ---------------------------------------------------------------- values and conditions

    def value(self) -> Value:
        """A calculation."""
        self._signs = 0
        return self._pratt.expression()

    def conditions(self) -> tuple[RegisterCondition, ...]:
        """``R41 > 0 * R42 > 0``: the sign * between conditions means AND, so it multiplies in none of them."""
        found = [self._condition()]
        while self.stream.accept("*"):
            found.append(self._condition())
        return tuple(found)

    def offset(self) -> tuple[float, float, float]:
        """``X=0.0 Y=0.0 Z=10.0`` in millimetres, as metres; axes that are left out are 0."""
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
        if self.stream.now.kind not in _COMPARISONS:
            raise self.stream.unexpected("=, <>, <, <=, > or >=")
        sign = cast(Comparison, self.stream.take().kind)
        return RegisterCondition(left, sign, self._operand())

    def _operand(self) -> Value:
        self._signs = 0
        return self._pratt.expression(2)

    # ---------------------------------------------------------------- inside

    def _line(self, token: Token) -> Value:
        word = token.text.lower()
        if word not in ("inp", "out", "outp"):
            raise self._mistake(token, f"{token.text} is no value", "values are numbers, R1, INP 1 and OUT 1")
        return syntax.IOLine(self.whole("of a line"), output=word != "inp")

    def _grouped(self, token: Token) -> Value:
        value = self._pratt.expression()
        self.stream.expect(")")
        return value

    def _calculation(self, left: Value, token: Token) -> Value:
        sign = cast(Arithmetic, token.kind)
        self._signs += 1
        if self._signs > _MOST_SIGNS:
            raise self._mistake(token, f"more than {_MOST_SIGNS} signs in one value", "calculate in several steps")
        return syntax.Calculation(left, sign, self._pratt.expression(1 if sign in "+-" else 2))

    def _register(self, token: Token) -> int:
        number = int(token.text[1:_LONGEST])
        if not 1 <= number <= REGISTERS:
            raise self._mistake(token, f"there is no register {token.text[:_LONGEST]}, they go R1..R{REGISTERS}")
        return number

    def _whole(self, token: Token) -> int:
        self._bounded(token)
        if not token.text.isdigit():
            raise self._mistake(token, f"{token.text} is no whole number", "registers and numbers of things are whole")
        return int(token.text)

    def _bounded(self, token: Token) -> None:
        if len(token.text) > _LONGEST:
            raise self._mistake(token, f"this number has more than {_LONGEST} digits")

    def _mistake(self, token: Token, what: str, hint: str | None = None) -> ParseError:
        return self.stream.mistake(what, self.stream.span(token), hint)


_FASTEST: Final = 10_000.0
_LONGEST_WAIT: Final = 1e6
_FINE: Final = ("fine", "finec")
_ALIKE: Final = 0.75
"""How much a word must be like an instruction's to be taken for a misspelt one, not for one that is unknown here."""


class InstructionReader:
    """Reads one instruction at a time."""

    def __init__(self, stream: TokenStream) -> None:
        self.stream = stream
        self.values = ValueReader(stream)
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
        """What stands behind the number of a line, up to the line's end."""
        stream = self.stream
        if stream.at("line", END):
            return syntax.Remark()
        first = stream.now
        word = first.text.lower()
        if first.kind != "name":
            raise stream.unexpected("an instruction")
        read = self._readers.get(word)
        if read is None:
            near = get_close_matches(word[:40], self._readers, n=1, cutoff=_ALIKE)
            if near:
                what = f"there is no instruction {first.text[:40]}"
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
        if not stream.at_word("v"):
            raise stream.unexpected("V= and a share of the speed, such as V=100.0%")
        stream.take()
        stream.expect("=")
        share = self.values.positive("of the speed", 100.0) / 100.0
        stream.expect("%", "behind the share of the speed")
        if stream.at_word("store"):
            stream.take()
            return self._store()  # nothing moves: the speed of such a line says nothing
        zone = self._zone()
        sensor = None
        if stream.at_word("search"):
            stream.take()
            sensor = self._sensor(zone)
        return syntax.MoveTo(share, self._place(), zone, sensor)

    def _zone(self) -> int:
        if self.stream.at_word(*_FINE):
            self.stream.take()
            return 0
        token = self.stream.accept("zone")
        if token is None:
            return 0
        number = int(token.text[1:6])
        if not 1 <= number <= 9:
            raise self.stream.mistake(f"there is no zone {token.text[:6]}, they go C1..C9", self.stream.span(token))
        return number

    def _sensor(self, zone: int) -> int:
        token = self.stream.expect("sensor", "", "the sensor of a search is written S1, S2, …")
        if zone:
            what = f"a search ends at rest, it cannot pass through zone C{zone}"
            raise self.stream.mistake(what, self.stream.span(token), "write FINE, or no zone")
        number = int(token.text[1:6])
        if not 1 <= number <= 99:
            raise self.stream.mistake(f"there is no sensor {token.text[:6]}, they go S1..S99", self.stream.span(token))
        return number

    def _place(self) -> Place:
        stream = self.stream
        if stream.accept("#"):
            return syntax.TaughtPosition(self.values.whole("of a position"))
        if not stream.at_word("path"):
            raise stream.unexpected("a place", "a place is #58, or PATH POSITION 2 OFFSET X=0.0 Y=0.0 Z=0.0")
        stream.take()
        self._word("position")
        number = self.values.whole("of a position")
        if stream.at_word("offset"):
            stream.take()
            return syntax.StoredPosition(number, self.values.offset())
        return syntax.StoredPosition(number)

    def _store(self) -> Action:
        self._word("position")
        return syntax.StorePosition(self.values.whole("of a position"))

    def _coordinates(self, straight: bool) -> Action:
        self._word("coord")
        return syntax.Coordinates(straight)

    def _velocity(self) -> Action:
        speed = self._speed()
        if self.stream.at_word("max"):
            self.stream.take()
            return syntax.Velocity(speed, self._speed())
        return syntax.Velocity(speed, _FASTEST * mm)

    def _speed(self) -> float:
        self.stream.expect("=")
        speed = self.values.positive("of the speed in mm/s", _FASTEST) * mm
        self._word("mm")
        self.stream.expect("/")
        self._word("s")
        return speed

    # ---------------------------------------------------------------- registers and flow

    def _let(self) -> Action:
        register = self.values.register()
        self.stream.expect("=")
        return syntax.Let(register, self.values.value())

    def _jump(self) -> Action:
        self._word("to")
        target, first = self.values.whole("of an instruction", 0, 99999), self.stream.last
        return syntax.Jump(target, self.stream.span(first), self._when())

    def _call(self) -> Action:
        self._word("prog", "program")
        program, first = self.values.whole("of a program"), self.stream.last
        return syntax.CallProgram(program, self.stream.span(first), self._when())

    def _when(self) -> Conditions:
        if not self.stream.at_word("if"):
            return ()
        self.stream.take()
        return self.values.conditions()

    # ---------------------------------------------------------------- lines, time, gripper

    def _set(self, on: bool) -> Action:
        return syntax.SetOutput(self.values.line("out", "outp"), on)

    def _wait(self) -> Action:
        stream = self.stream
        if not stream.at_word("until"):
            seconds = self.values.positive("of seconds", _LONGEST_WAIT)
            self._word("s")
            return syntax.Pause(seconds)
        stream.take()
        first = stream.now
        found: list[tuple[int, bool]] = []
        for condition in self.values.conditions():
            match condition:
                case syntax.RegisterCondition(syntax.IOLine(number, output=False), "=", syntax.Number(0 | 1 as value)):
                    found.append((number, bool(value)))
                case _:
                    what = "WAIT UNTIL takes inputs only: registers do not change while a program waits"
                    raise stream.mistake(what, stream.since(first), "write WAIT UNTIL INP 1 = 1")
        return syntax.Await(tuple(found))

    def _gripper(self) -> Action:
        opened = self.stream.at_word("open")
        self._word("open", "close")
        return syntax.Grip(opened)

    def _word(self, *words: str) -> None:
        if not self.stream.at_word(*words):
            raise self.stream.unexpected(" or ".join(word.upper() for word in words))
        self.stream.take()


_DOWN = (0.0, 1.0, 0.0, 0.0)
"""How the tool points where a position does not say it: straight down."""


class ArlaError(SourceError):
    """What is wrong with an ARLA program, found when it is read or when it runs."""


def parse(source: SourceText) -> ArlaText:
    """The programs of a text; all that is wrong with it comes in one :class:`ArlaError`."""
    return _Parser(source).text()


class _Parser:
    def __init__(self, source: SourceText) -> None:
        self._stream = TokenStream(source, LEXER)
        self._reader = InstructionReader(self._stream)
        self._programs: dict[int, NumberedProgram] = {}
        self._now: NumberedProgram | None = None
        self._positions: dict[int, Pose] = {}
        self._listing = False  # positions, not instructions

    def text(self) -> ArlaText:
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
        elif stream.at_word("positions"):
            stream.take()
            self._listing = True
        elif stream.at("#"):
            self._position()
        elif stream.at("number") and not self._listing:
            self._instruction()
        elif self._listing:
            raise stream.unexpected("# and the number of a position", "a position is #58 X=900.0 Y=0.0 Z=500.0")
        else:
            raise stream.unexpected(
                "the number of an instruction", "every instruction begins with its number: 10 TCP 1"
            )

    def _program(self) -> None:
        stream = self._stream
        stream.take()
        self._listing = False
        token = stream.now
        number = self._reader.values.whole("of a program")
        made = NumberedProgram(number, stream.span(token))
        # One that comes twice is read all the same, for its own mistakes.
        self._now = made
        if number in self._programs:
            raise stream.mistake(f"there is a PROGRAM {number} above", made.span, "give each a number of its own")
        self._programs[number] = made

    def _instruction(self) -> None:
        stream, first = self._stream, self._stream.now
        number = self._reader.values.whole("of an instruction", 0, 99999)
        if self._now is None:
            raise stream.mistake("this instruction stands in no program", stream.span(first), "begin with PROGRAM 1")
        before = self._now.instructions[-1].number if self._now.instructions else -1
        if number <= before:
            what = f"instruction {number} comes after instruction {before}"
            stream.diagnostics.add(Diagnostic(stream.span(first), what, "numbers go up from line to line"))
        action: syntax.Action = syntax.Remark()
        try:
            action = self._reader.action()
        finally:  # a jump to a line with a mistake is no second mistake
            self._now.add(Instruction(number, action, stream.since(first)))

    def _position(self) -> None:
        stream = self._stream
        first = stream.take()
        if not self._listing:
            raise stream.mistake(
                "this position stands among instructions", stream.span(first), "list positions below a line POSITIONS"
            )
        number = self._reader.values.whole("of a position")
        place = self._reader.values.offset()
        turn = self._quaternion() if stream.at_word("q") else _DOWN
        if number in self._positions:
            raise stream.mistake(f"position #{number} is given twice", stream.since(first))
        self._positions[number] = Pose.of_quaternion(turn, place)

    def _quaternion(self) -> Sequence[float]:
        stream, first = self._stream, self._stream.now
        found = []
        for number in range(1, 5):
            if not stream.at_word("q") or stream.ahead().text != str(number):
                raise stream.unexpected(f"Q{number}=", "a rotation is given by all of Q1=, Q2=, Q3= and Q4=")
            stream.take()
            stream.take()
            stream.expect("=")
            found.append(self._reader.values.decimal("of the rotation"))
        if sum(each * each for each in found) < 1e-6:
            raise stream.mistake("this is no rotation: all of it is 0", stream.since(first), "down is 0, 1, 0, 0")
        return found

    # ---------------------------------------------------------------- what must hold in the end

    def _check_targets(self) -> None:
        for program in self._programs.values():
            numbers = program.places
            for each in program.instructions:
                match each.action:
                    case syntax.Jump(target, span) if target not in numbers:
                        what = f"PROGRAM {program.number} has no instruction {target}"
                        self._stream.diagnostics.add(Diagnostic(span, what, _nearest(target, numbers)))
                    case syntax.CallProgram(number, span) if number not in self._programs:
                        hint = did_you_mean(str(number), map(str, self._programs))
                        self._stream.diagnostics.add(Diagnostic(span, f"there is no PROGRAM {number} here", hint))


def _nearest(target: int, numbers: Iterable[int]) -> str:
    """The instructions next to a number that is missing: who changes a program forgets jumps."""
    near = sorted(sorted(numbers, key=lambda each: (abs(each - target), each))[:2])
    return f"did you mean {' or '.join(map(str, near))}?"

"""The parser: reads a text line by line, reports all its mistakes together, and gives back its programs."""

from collections.abc import Iterable, Sequence

from drycell.base import Pose, did_you_mean
from drycell.languages.arla import syntax
from drycell.languages.arla.instructions import InstructionReader
from drycell.languages.arla.syntax import Instruction, Program, Text
from drycell.languages.arla.tokens import LEXER
from drycell.languages.kit import END, Diagnostic, Mistake, Source, SourceError, TokenStream, TooMany

_DOWN = (0.0, 1.0, 0.0, 0.0)
"""How the tool points where a position does not say it: straight down."""


class ArlaError(SourceError):
    """What is wrong with an ARLA program, found when it is read or when it runs."""


def parse(source: Source) -> Text:
    """The programs of a text; all that is wrong with it comes in one :class:`ArlaError`."""
    return _Parser(source).text()


class _Parser:
    def __init__(self, source: Source) -> None:
        self._stream = TokenStream(source, LEXER)
        self._reader = InstructionReader(self._stream)
        self._programs: dict[int, Program] = {}
        self._now: Program | None = None
        self._positions: dict[int, Pose] = {}
        self._listing = False  # positions, not instructions

    def text(self) -> Text:
        stream, source = self._stream, self._stream.source
        try:
            while not stream.at(END):
                if stream.accept("line"):
                    continue
                try:
                    self._line()
                    if not stream.at("line", END):
                        raise stream.unexpected("the end of the line")
                except Mistake as mistake:
                    stream.recover(mistake, "line")
            if not self._programs and not stream.diagnostics.found:
                raise stream.unexpected("PROGRAM and its number")
            self._check_targets()
        except Mistake as mistake:
            stream.diagnostics.add(mistake.diagnostic)
        except TooMany:
            pass
        stream.diagnostics.raise_any(ArlaError)
        return Text(source, self._programs, self._positions)

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
        made = Program(number, stream.span(token))
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
                    case syntax.Call(number, span) if number not in self._programs:
                        hint = did_you_mean(str(number), map(str, self._programs))
                        self._stream.diagnostics.add(Diagnostic(span, f"there is no PROGRAM {number} here", hint))


def _nearest(target: int, numbers: Iterable[int]) -> str:
    """The instructions next to a number that is missing: who changes a program forgets jumps."""
    near = sorted(sorted(numbers, key=lambda each: (abs(each - target), each))[:2])
    return f"did you mean {' or '.join(map(str, near))}?"

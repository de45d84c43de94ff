"""The instructions of the dialect: from the words of a line to what it asks for."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Final

from drycell.base import mm
from drycell.languages.arla import syntax
from drycell.languages.arla.syntax import Action, Conditions, Place
from drycell.languages.arla.values import ValueReader
from drycell.languages.kit import END, TokenStream

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
            "tcp": lambda: syntax.Tool(self.values.whole("of a tool", 0, 99)),
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
        return syntax.Move(share, self._place(), zone, sensor)

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
            return syntax.Taught(self.values.whole("of a position"))
        if not stream.at_word("path"):
            raise stream.unexpected("a place", "a place is #58, or PATH POSITION 2 OFFSET X=0.0 Y=0.0 Z=0.0")
        stream.take()
        self._word("position")
        number = self.values.whole("of a position")
        if stream.at_word("offset"):
            stream.take()
            return syntax.Stored(number, self.values.offset())
        return syntax.Stored(number)

    def _store(self) -> Action:
        self._word("position")
        return syntax.Store(self.values.whole("of a position"))

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
        return syntax.Call(program, self.stream.span(first), self._when())

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
                case syntax.Condition(syntax.Line(number, output=False), "=", syntax.Number(0 | 1 as value)):
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

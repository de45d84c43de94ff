"""The language of the emulated controller: a line becomes what it does and what is printed.

It shares no code with the driver's side of the line, but the same notion of ACL, which nobody has held against a
controller: where that is wrong, both are, and tests between the two do not show it.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, Protocol

AXES: Final = 5
LINES: Final = 16
MOST_POSITIONS: Final = 1000
_NAME: Final = re.compile(r"[A-Z][A-Z0-9]{0,4}")
_INDEXED: Final = re.compile(r"OUT\s*\[\s*(\d{1,2})\s*\]\s*=\s*([01])")


class Arm(Protocol):
    """What the controller drives."""

    def counts(self) -> tuple[int, ...]:
        """Of the encoders, now."""

    def move(self, counts: tuple[int, ...], percent: int) -> str:
        """Put a motion into the buffer; what is wrong with it, if anything is."""

    def move_straight(self, counts: tuple[int, ...], speed: int) -> str:
        """The same for a straight motion of the tool, at a speed in mm/s."""

    def grip(self, opened: bool) -> str:
        """Put a motion of the gripper into the buffer; what is wrong with it."""

    def inputs(self) -> tuple[bool, ...]:
        """All of them, now."""

    def outputs(self) -> tuple[bool, ...]:
        """All of them, now."""

    def set_output(self, number: int, on: bool) -> None:
        """Set one."""

    def abort(self) -> None:
        """Stop, and forget what is in the buffer."""

    def control(self, on: bool) -> None:
        """Motors on or off."""


class Problem(Exception):
    """A command that is not done; the text is printed."""


class Interpreter:
    """Does the commands of DIRECT mode that a driver needs. Unknown ones are refused, as by the real one."""

    def __init__(self, arm: Arm) -> None:
        self._arm = arm
        self.echo = True
        self.speed = 50
        self.straight_speed = 50
        self.controlled = True
        self._positions: dict[str, list[int] | None] = {}
        self._verbs: Mapping[str, Callable[[list[str]], list[str]]] = {
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
                raise Problem("UNKNOWN COMMAND")
            return [*verb(words[1:]), "Done."]
        except Problem as problem:
            return [f"*** {problem}"]

    def abort(self) -> list[str]:
        """Ctrl-A."""
        self._arm.abort()
        return []

    def _set_echo(self, on: bool) -> list[str]:
        self.echo = on
        return []

    def _control(self, on: bool) -> list[str]:
        if not on:
            self._arm.abort()
        self.controlled = on
        self._arm.control(on)
        return []

    def _set_speed(self, words: list[str]) -> list[str]:
        self.speed = _number(words, 0, 1, 100)
        return []

    def _set_straight_speed(self, words: list[str]) -> list[str]:
        self.straight_speed = _number(words, 0, 1, 1000)
        return []

    def _define(self, words: list[str]) -> list[str]:
        name = _word(words, 0)
        if not _NAME.fullmatch(name) or name == "POSITION":
            raise Problem("ILLEGAL NAME")
        if name in self._positions:
            raise Problem("POINT ALREADY DEFINED")
        if len(self._positions) >= MOST_POSITIONS:
            raise Problem("NO MORE POINTS")
        self._positions[name] = None
        return []

    def _here(self, words: list[str]) -> list[str]:
        self._positions[self._known(words)] = list(self._arm.counts())
        return []

    def _set_value(self, words: list[str]) -> list[str]:
        values = self._positions[self._known(words)]
        if values is None:
            raise Problem("POINT NOT RECORDED")
        values[_number(words, 1, 1, AXES) - 1] = _number(words, 2, -999_999, 999_999)
        return []

    def _list(self, words: list[str]) -> list[str]:
        if _word(words, 0) == "POSITION":
            values = list(self._arm.counts())
        else:
            stored = self._positions[self._known(words)]
            if stored is None:
                raise Problem("POINT NOT RECORDED")
            values = stored
        return ["   ".join(f"{axis}:{value:7d}" for axis, value in enumerate(values, 1))]

    def _move(self, words: list[str], *, straight: bool) -> list[str]:
        values = self._positions[self._known(words)]
        if values is None:
            raise Problem("POINT NOT RECORDED")
        if not self.controlled:
            raise Problem("CONTROL DISABLED")
        counts = tuple(values)
        wrong = self._arm.move_straight(counts, self.straight_speed) if straight else self._arm.move(counts, self.speed)
        if wrong:
            raise Problem(wrong)
        return []

    def _grip(self, opened: bool) -> list[str]:
        wrong = self._arm.grip(opened)
        if wrong:
            raise Problem(wrong)
        return []

    def _show(self, words: list[str]) -> list[str]:
        what = _word(words, 0)
        if what == "SPEED":
            return [f"SPEED: {self.speed}"]
        if what not in ("DIN", "DOUT"):
            raise Problem("UNKNOWN COMMAND")
        values = self._arm.inputs() if what == "DIN" else self._arm.outputs()
        return [f"1 -> {len(values)}:", " ".join(str(int(each)) for each in values)]

    def _set_output(self, words: list[str]) -> list[str]:
        match = _INDEXED.fullmatch(" ".join(words))
        if match is None or not 1 <= int(match[1]) <= LINES:
            raise Problem("ILLEGAL INDEX")
        self._arm.set_output(int(match[1]), match[2] == "1")
        return []

    def _known(self, words: list[str]) -> str:
        name = _word(words, 0)
        if name not in self._positions:
            raise Problem("UNDEFINED POINT")
        return name


def _word(words: list[str], place: int) -> str:
    if place >= len(words):
        raise Problem("MISSING ARGUMENT")
    return words[place]


def _number(words: list[str], place: int, low: int, high: int) -> int:
    text = _word(words, place)
    if not re.fullmatch(r"[+-]?\d{1,7}", text) or not low <= int(text) <= high:
        raise Problem("BAD VALUE")
    return int(text)

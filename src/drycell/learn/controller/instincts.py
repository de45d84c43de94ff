"""Instincts: sensor conditions that should hold, in order of priority, as data (tables 26, 29, 31 and 34)."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from drycell.base import Name, Problem, Ratio, Thing, UnknownName
from drycell.learn.data import ENDING, read_data

LIBRARY: Final = Path(__file__).parent / "library"
Values = Mapping[str, float]  # what the inputs read, in the sensors' own units


class Instinct(Thing):
    """A rule about one thing: an input, the difference of two inputs, or the motion."""

    name: Name
    """Name of the rule."""
    inputs: tuple[Name, ...] = ()
    """Inputs of which each must keep the limits."""
    difference: tuple[Name, ...] = ()
    """Two inputs whose difference, without its sign, must keep the limits."""
    below: Ratio | None = None
    """The rule is violated below this value."""
    above: Ratio | None = None
    """The rule is violated above this value."""
    least: Ratio | None = None
    """The rule is violated at this value and above."""
    moves: Name | None = None
    """The rule is violated by every motion but this one."""

    def problems(self) -> Iterator[Problem]:
        """One thing to look at, with limits that suit it."""
        limits = sum(limit is not None for limit in (self.below, self.above, self.least))
        kinds = bool(self.inputs) + bool(self.difference) + (self.moves is not None)
        if kinds != 1 or (self.moves is None and not limits) or (self.moves is not None and limits):
            hint = "write {inputs: [front], below: 30}, {difference: [left, right], least: 15} or {moves: forward}"
            yield Problem((), f"the instinct {self.name!r} must look at one thing, within limits", hint)
        elif self.difference and (len(self.difference) != 2 or self.below is not None):
            what = f"the instinct {self.name!r} takes the difference of {len(self.difference)} inputs"
            yield Problem((), what, "write two inputs, and a limit by 'least' or 'above'")

    def violated(self, values: Values, motion: str) -> bool:
        """Whether this rule is broken by what the inputs read and how the robot moves."""
        if self.moves is not None:
            return motion != self.moves
        if self.difference:
            return self._out(abs(self.off(values)))
        return any(self._out(values[name]) for name in self.inputs)

    def off(self, values: Values) -> float:
        """The difference of two inputs, with its sign; 0 for a rule that takes none."""
        return values[self.difference[0]] - values[self.difference[1]] if self.difference else 0.0

    def _out(self, value: float) -> bool:
        if self.below is not None and value < self.below:
            return True
        if self.above is not None and value > self.above:
            return True
        return self.least is not None and value >= self.least


class Instincts(Thing):
    """Rules in order of priority: a violation of one must end before the next is looked at."""

    rules: Name
    """Name of the set."""
    source: str = ""
    """Where the rules come from."""
    instincts: tuple[Instinct, ...]
    """The rules, the most urgent first."""

    def violation(self, values: Values, motion: str) -> Instinct | None:
        """The most urgent rule that is broken, or None."""
        return next((instinct for instinct in self.instincts if instinct.violated(values, motion)), None)


def rules_names() -> list[str]:
    """The names :func:`load_rules` takes."""
    return sorted(path.stem for path in LIBRARY.glob("table-*.yaml"))


@cache
def load_rules(name: str) -> Instincts:
    """Rules of the library, ``table-29`` and so on, or of a file of one's own."""
    if name.endswith(ENDING):
        return rules_from_file(name)
    if name not in rules_names():
        raise UnknownName("set of instinct rules", name, rules_names())
    return rules_from_file(LIBRARY / f"{name}.yaml")


def rules_from_file(path: str | Path) -> Instincts:
    """Rules from a file of one's own, written as those of the library are."""
    return read_data(Instincts, path)

"""Instincts: conditions on sensor readings in order of priority, as data (tables 26, 29, 31 and 34)."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from drycell.base import Name, Problem, Ratio, Thing
from drycell.learn.data import DataLibrary

Values = Mapping[str, float]  # readings of the inputs, in the units of the sensors


class Instinct(Thing):
    """A rule about inputs, about the difference of two inputs, or about the motion."""

    name: Name
    """Name of the rule."""
    inputs: tuple[Name, ...] = ()
    """Inputs that must each be within the limits."""
    difference: tuple[Name, ...] = ()
    """Two inputs whose absolute difference must be within the limits."""
    below: Ratio | None = None
    """The rule is violated below this value."""
    above: Ratio | None = None
    """The rule is violated above this value."""
    least: Ratio | None = None
    """The rule is violated at or above this value."""
    moves: Name | None = None
    """The rule is violated by every motion except this one."""

    def problems(self) -> Iterator[Problem]:
        """Yield problems: a rule must be about exactly one of these, with matching limits."""
        limits = sum(limit is not None for limit in (self.below, self.above, self.least))
        kinds = bool(self.inputs) + bool(self.difference) + (self.moves is not None)
        if kinds != 1 or (self.moves is None and not limits) or (self.moves is not None and limits):
            hint = "write {inputs: [front], below: 30}, {difference: [left, right], least: 15} or {moves: forward}"
            yield Problem(
                (), f"the instinct {self.name!r} must be about inputs, a difference or a motion, with limits", hint
            )
        elif self.difference and (len(self.difference) != 2 or self.below is not None):
            what = f"the instinct {self.name!r} has a difference of {len(self.difference)} inputs"
            yield Problem((), what, "write two inputs, and a limit by 'least' or 'above'")

    def violated(self, values: Values, motion: str) -> bool:
        """Return whether the readings or the motion violate the rule."""
        if self.moves is not None:
            return motion != self.moves
        if self.difference:
            return self._out(abs(self.off(values)))
        return any(self._out(values[name]) for name in self.inputs)

    def off(self, values: Values) -> float:
        """Return the difference of the two inputs; 0 for a rule without a difference."""
        return values[self.difference[0]] - values[self.difference[1]] if self.difference else 0.0

    def _out(self, value: float) -> bool:
        if self.below is not None and value < self.below:
            return True
        if self.above is not None and value > self.above:
            return True
        return self.least is not None and value >= self.least


class Instincts(Thing):
    """Rules in order of priority. A violated rule hides the rules after it."""

    rules: Name
    """Name of the set."""
    source: str = ""
    """Where the rules come from."""
    instincts: tuple[Instinct, ...]
    """The rules, the most urgent first."""

    def violation(self, values: Values, motion: str) -> Instinct | None:
        """Return the most urgent violated rule, or None."""
        return next((instinct for instinct in self.instincts if instinct.violated(values, motion)), None)


RULES: Final = DataLibrary(Instincts, Path(__file__).parent / "library", "set of instinct rules", "table-*.yaml")
"""The rules of the library."""


def load_rules(name: str) -> Instincts:
    """Load rules of the library by name, such as ``table-29``, or from a file. Raises UnknownName or FileError."""
    return RULES.load(name)

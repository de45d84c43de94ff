"""Instincts: sensor conditions that should hold, in order of priority, as data (tables 26, 29, 31 and 34)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar, Final

from drycell.errors import FieldError, UnknownName
from drycell.fields import Name, Ratio
from drycell.learn.data import ENDING, read_data

LIBRARY: Final = Path(__file__).parent / "library"
_STRICT: Final[Mapping[str, object]] = {"extra": "forbid"}
Values = Mapping[str, float]  # what the inputs read, in the sensors' own units


@dataclass(frozen=True, kw_only=True)
class Instinct:
    """One rule, and when it is violated: an input (any of ``inputs``) ``below`` or ``above`` a limit, a ``difference``
    of two inputs that is ``least`` or more or ``above`` a limit, or a motion other than ``moves``.
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT
    name: Name
    inputs: tuple[Name, ...] = ()
    difference: tuple[Name, ...] = ()
    below: Ratio | None = None
    above: Ratio | None = None
    least: Ratio | None = None
    moves: Name | None = None

    def __post_init__(self) -> None:
        limits = sum(limit is not None for limit in (self.below, self.above, self.least))
        kinds = bool(self.inputs) + bool(self.difference) + (self.moves is not None)
        if kinds != 1 or (self.moves is None and not limits) or (self.moves is not None and limits):
            raise FieldError(
                f"the instinct {self.name!r} must look at one thing, within limits",
                hint="write {inputs: [front], below: 30}, {difference: [left, right], least: 15} or {moves: forward}",
            )
        if self.difference and (len(self.difference) != 2 or self.below is not None):
            raise FieldError(
                f"the instinct {self.name!r} takes the difference of {len(self.difference)} inputs",
                hint="write two inputs, and a limit by 'least' or 'above'",
            )

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


@dataclass(frozen=True, kw_only=True)
class Instincts:
    """Rules in order of priority, the most urgent first: a violation of it must stop before the next is looked at."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT
    rules: Name
    source: str = ""
    instincts: tuple[Instinct, ...]

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

"""Expectations: limits for the figures of a run, such as a minimum throughput. A run that misses one is not clean."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from drycell.base import DrycellError, UnknownName, did_you_mean

_SIGNS: Final[dict[str, Callable[[float, float], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
}
_PATTERN: Final = re.compile(r"\s*([\w./ -]+?)\s*(>=|<=|==|>|<)\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*")
_WAITS: Final = ".longest_wait_s"  # a column that exists only for programs that have waited

Figures = Mapping[str, bool | int | float | str | None]


@dataclass(frozen=True, slots=True)
class Expectation:
    """A limit for one of the figures of ``Result.row()``."""

    figure: str
    sign: str
    limit: float

    @classmethod
    def parse(cls, text: str) -> "Expectation":
        """Read ``stored >= 50``.

        Raises:
            DrycellError: The text does not have this form.
        """
        found = _PATTERN.fullmatch(text)
        if found is None:
            hint = "write a figure, a comparison and a number, such as 'stored >= 50' or 'cycle_mean_s < 30'"
            raise DrycellError(f"{text!r} is not an expectation", hint=hint)
        return cls(found[1], found[2], float(found[3]))

    def check_name(self, known: Figures) -> None:
        """Raise UnknownName if no result of the cell has this figure, and DrycellError if it is not a number."""
        numbers = [name for name, value in known.items() if not isinstance(value, (bool, str))]
        if self.figure in known and self.figure not in numbers:
            raise DrycellError(
                f"{self.figure!r} is not a number, so it cannot have a limit", hint=did_you_mean(self.figure, numbers)
            )
        if self.figure not in numbers and not self.figure.endswith(_WAITS):
            raise UnknownName("figure", self.figure, numbers)

    def missed(self, figures: Figures) -> str:
        """Return what is wrong with the figures of a run; empty if the expectation is met."""
        value = figures.get(self.figure)
        if isinstance(value, (int, float)) and _SIGNS[self.sign](value, self.limit):
            return ""
        return f"{self}, but it is {'not known' if value is None else value}"

    def __str__(self) -> str:
        return f"{self.figure} {self.sign} {self.limit:g}"

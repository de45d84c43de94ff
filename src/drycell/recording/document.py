"""JSON documents read with checks: every getter says which entry was wrong and what was wanted there."""

import math
from collections.abc import Iterable, Iterator
from typing import Union

from drycell.base import Pose, RecordingError, Vector

Json = Union[None, bool, int, float, str, list["Json"], dict[str, "Json"]]  # noqa: UP007  # recursive: needs the strings

_ENDLESS = {"inf": math.inf, "-inf": -math.inf}


class Node:
    """A value somewhere in a document, with the way to it for messages: ``bodies[3].shape.radius``."""

    __slots__ = ("value", "way")

    def __init__(self, value: object, way: str = "") -> None:
        self.value, self.way = value, way

    def __getitem__(self, key: str) -> "Node":
        value = self.value
        if not isinstance(value, dict):
            raise self.wrong("an object")
        way = f"{self.way}.{key}" if self.way else key
        if key not in value:
            raise RecordingError(f"{way!r} is missing")
        return Node(value[key], way)

    def __iter__(self) -> Iterator["Node"]:
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return (Node(value, f"{self.way}[{place}]") for place, value in enumerate(self.value))

    def items(self) -> Iterator[tuple[str, "Node"]]:
        """Keys and values of an object."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        return ((str(key), Node(value, f"{self.way}.{key}")) for key, value in self.value.items())

    def wrong(self, wanted: str) -> RecordingError:
        """The error that says what stands here instead of what was wanted."""
        found = repr(self.value)
        return RecordingError(f"{self.way!r} is {found if len(found) <= 60 else found[:59] + '…'}, wanted {wanted}")

    @property
    def empty(self) -> bool:
        """Whether there is nothing: null."""
        return self.value is None

    @property
    def text(self) -> str:
        """A text."""
        if not isinstance(self.value, str):
            raise self.wrong("a text")
        return self.value

    @property
    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value

    @property
    def number(self) -> float:
        """A float; without end, it is written as the text ``inf`` or ``-inf``."""
        value = self.value
        if isinstance(value, str) and value in _ENDLESS:
            return _ENDLESS[value]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong("a number")
        return float(value)

    def integer(self, low: int, high: int) -> int:
        """A whole number of ``low`` ≤ it < ``high``."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not low <= self.value < high:
            raise self.wrong(f"a whole number of {low}…{high - 1}")
        return self.value

    def numbers(self, count: int) -> list[float]:
        """That many floats."""
        found = [node.number for node in self]
        if len(found) != count:
            raise self.wrong(f"{count} numbers")
        return found

    @property
    def vector(self) -> Vector:
        """Three floats."""
        x, y, z = self.numbers(3)
        return (x, y, z)

    @property
    def pose(self) -> Pose:
        """Twelve floats: the rows of a pose."""
        a, b, c, x, d, e, f, y, g, h, i, z = self.numbers(12)
        return Pose.of_rows((a, b, c, x, d, e, f, y, g, h, i, z))


def number(value: float) -> Json:
    """A float as the document keeps it: exact by its shortest decimals; JSON has no word for infinity."""
    return value if math.isfinite(value) else str(float(value))


def numbers(values: Iterable[float]) -> Json:
    """Floats as the document keeps them."""
    return [number(value) for value in values]

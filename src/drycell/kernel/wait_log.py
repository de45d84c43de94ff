"""The log of all waits of a run: who waited how long for what, in which line. Kept only when somebody asks for it."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from drycell.kernel.location import Location


@dataclass(frozen=True, slots=True)
class Waited:
    """One wait that is over: its end and its length in ticks, for what it was, and where."""

    end: int
    span: int
    condition: str
    at: Location


class WaitLog:
    """Every wait of every program, in a few bytes each: ``kernel.wait_log = WaitLog()`` before a run."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, Location], int] = {}
        self._told: list[tuple[str, Location]] = []
        self._rows: dict[str, tuple[array[int], array[int], array[int]]] = {}

    def add(self, process: str, end: int, span: int, condition: str, at: Location) -> None:
        """A wait is over."""
        key = (condition, at)
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self._told)
            self._told.append(key)
        rows = self._rows.get(process)
        if rows is None:
            rows = self._rows[process] = (array("q"), array("q"), array("i"))
        for column, value in zip(rows, (end, span, place), strict=True):
            column.append(value)

    @property
    def processes(self) -> list[str]:
        """Who ever waited."""
        return list(self._rows)

    def waits(self, process: str, until: int) -> Iterator[Waited]:
        """The waits of a program that were over at an instant, in order."""
        ends, spans, places = self._rows.get(process, _NONE)
        for index in range(bisect_right(ends, until)):
            yield Waited(ends[index], spans[index], *self._told[places[index]])

    def during(self, process: str, t: int) -> Waited | None:
        """The wait that a program was in at an instant, if that was over later."""
        ends, spans, places = self._rows.get(process, _NONE)
        index = bisect_right(ends, t)
        if index == len(ends) or ends[index] - spans[index] >= t:
            return None
        return Waited(ends[index], spans[index], *self._told[places[index]])


_NONE: tuple[array[int], array[int], array[int]] = (array("q"), array("q"), array("i"))

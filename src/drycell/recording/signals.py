"""Signals in columns: a row for each change, in a table for each type of value."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

import numpy as np

from drycell.base import RecordingError
from drycell.kernel import Changes
from drycell.recording.columns import Columns, Table
from drycell.recording.document import Json, Node

TYPES: Final[dict[str, type]] = {"bool": bool, "int": int, "float": float, "str": str}


@dataclass
class SignalWriter:
    """Puts down the changes of signals. Signals are numbered in the order they were made."""

    signals: Mapping[str, Changes[Any]]
    columns: Columns
    _written: dict[str, int] = field(default_factory=dict)
    _texts: dict[str, int] = field(default_factory=dict)

    def write(self, before: int) -> None:
        """Puts down all changes earlier than an instant. At that instant itself more may come."""
        found: list[tuple[int, int, int, Changes[Any]]] = []
        for number, (name, changes) in enumerate(self.signals.items()):
            first = self._written.setdefault(name, 0) - changes.dropped
            if first < 0:
                raise RecordingError(
                    f"signal {name!r} has dropped changes that were not yet recorded",
                    hint="call flush() before signals forget their past",
                )
            last = changes.count(before - 1)
            found += [(changes.times[row], number, row, changes) for row in range(first, last)]
        # By time and signal: the rows are the same however often this is asked.
        found.sort(key=lambda row: row[:3])
        for time, number, row, changes in found:
            self._write(number, time, changes.values[row], changes.writers[row], f"signals_{changes.type}")
        for name, changes in self.signals.items():
            self._written[name] = max(self._written[name], changes.dropped + changes.count(before - 1))

    def _write(self, number: int, time: int, value: Any, writer: str, table: str) -> None:
        self.columns[f"{table}/signal"].append(number)
        self.columns[f"{table}/time"].append(time)
        self.columns[f"{table}/writer"].append(self._text(writer))
        try:
            self.columns[f"{table}/value"].append(self._text(value) if isinstance(value, str) else value)
        except OverflowError:
            raise RecordingError(
                f"a signal has the value {value}, beyond the 64 bits of a recording", hint="make it a float or a text"
            ) from None

    def _text(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def data(self) -> dict[str, Json]:
        """What ``world.json`` says of signals, and the texts their rows name by number."""
        signals: list[Json] = [
            {"name": name, "type": each.type, "unit": each.unit, "quiet": each.quiet}
            for name, each in self.signals.items()
        ]
        return {"signals": signals, "texts": list(self._texts)}


def read_signals(node: Node, tables: Mapping[str, Table]) -> dict[str, Changes[Any]]:
    """All signals of a recording by name; ``tables`` has one for each type of value."""
    texts = [each.text for each in node["texts"]]
    names, signals = [], []
    for each in node["signals"]:
        if each["type"].text not in TYPES:
            raise each["type"].wrong(f"one of {', '.join(TYPES)}")
        names.append(each["name"].text)
        signals.append(Changes[Any](TYPES[each["type"].text], each["unit"].text, each["quiet"].flag))
    for kind, table in tables.items():
        numbers, writers, values, times = (table[name] for name in ("signal", "writer", "value", "time"))
        _within(f"{table.name}/signal", numbers, len(signals))
        _within(f"{table.name}/writer", writers, len(texts))
        if kind == "str":
            _within(f"{table.name}/value", values, len(texts))
        order = np.argsort(numbers, kind="stable")
        ends = np.cumsum(np.bincount(numbers.astype(np.int64), minlength=len(signals)))
        for number, (first, last) in enumerate(pairwise([0, *ends.tolist()])):
            if first == last:
                continue
            changes = signals[number]
            if changes.type != kind:
                raise RecordingError(f"signal {names[number]!r} holds {changes.type}, but has a change in {table.name}")
            rows = order[first:last]
            if (np.diff(times[rows].astype(np.int64)) < 0).any():
                raise RecordingError(f"the changes of signal {names[number]!r} are not in the order of time")
            changes.times = array("q", times[rows].astype(np.int64).tobytes())
            changes.writers = [texts[writer] for writer in writers[rows].tolist()]
            changes.values = _values(kind, values[rows], texts)
    found = dict(zip(names, signals, strict=True))
    if len(found) != len(signals):
        raise RecordingError("two signals have the same name")
    return found


def _values(kind: str, column: "np.typing.NDArray[np.generic]", texts: list[str]) -> Any:
    if kind == "float":
        return array("d", column.astype(np.float64).tobytes())
    values = column.tolist()
    if kind == "str":
        return [texts[value] for value in values]
    return [bool(value) for value in values] if kind == "bool" else values


def _within(name: str, column: "np.typing.NDArray[np.generic]", count: int) -> None:
    if len(column) and not (int(column.min()) >= 0 and int(column.max()) < count):
        raise RecordingError(f"{name} has numbers outside 0…{count - 1}")

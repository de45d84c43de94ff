"""Signals in columns: a row for each change, in a table for each type of value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np

from drycell.errors import RecordingError
from drycell.recording.columns import Columns, Table
from drycell.recording.document import Json, Node

Value = bool | int | float | str
Change = tuple[int, Value, str]  # time in ticks, value, writer

TYPES: Final[dict[str, type]] = {"bool": bool, "int": int, "float": float, "str": str}


class Recorded(Protocol):
    """What is recorded of a signal."""

    @property
    def unit(self) -> str:
        """The unit people read its value in."""

    @property
    def history(self) -> Sequence[Change]:
        """Its changes so far, or the last of them."""


@dataclass
class _Track:
    number: int
    kind: str
    unit: str
    last: Change | None = None


@dataclass
class SignalLog:
    """Collects the changes of signals from their histories. Signals are numbered in the order they were made."""

    signals: Mapping[str, Recorded]
    columns: Columns
    _tracks: dict[str, _Track] = field(default_factory=dict)
    _texts: dict[str, int] = field(default_factory=dict)

    def collect(self, before: int) -> None:
        """Puts down all changes earlier than an instant. At that instant itself more may come."""
        found: list[tuple[int, int, int, Change, _Track]] = []
        for name, signal in self.signals.items():
            track = self._tracks.get(name)
            if track is None:
                kind = type(signal.history[0][1]).__name__
                if kind not in TYPES:
                    raise RecordingError(f"signal {name!r} holds {kind}, which cannot be recorded")
                track = self._tracks[name] = _Track(len(self._tracks), kind, signal.unit)
            new = self._new(name, signal.history, track, before)
            found += [(change[0], track.number, place, change, track) for place, change in enumerate(new)]
            if new:
                track.last = new[-1]
        # By time and signal: the rows are the same however often this is asked.
        found.sort(key=lambda row: row[:3])
        for _, _, _, change, track in found:
            self._write(change, track)

    def _new(self, name: str, history: Sequence[Change], track: _Track, before: int) -> list[Change]:
        first = len(history)
        while first > 0 and history[first - 1] is not track.last:
            first -= 1
        if first == 0 and track.last is not None:
            raise RecordingError(
                f"signal {name!r} has dropped changes that were not yet recorded",
                hint="let signals keep more of their history, or call flush() more often",
            )
        return [change for change in history[first:] if change[0] < before]

    def _write(self, change: Change, track: _Track) -> None:
        time, value, writer = change
        table = f"signals_{track.kind}"
        self.columns[f"{table}/signal"].append(track.number)
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
            {"name": name, "type": track.kind, "unit": track.unit} for name, track in self._tracks.items()
        ]
        return {"signals": signals, "texts": list(self._texts)}


@dataclass(frozen=True)
class SignalHistory:
    """A signal as it was: its type, unit and all (time, value, writer) of its changes."""

    name: str
    type: str
    unit: str
    changes: list[Change]


def read_signals(node: Node, tables: Mapping[str, Table]) -> dict[str, SignalHistory]:
    """All signals of a recording by name; ``tables`` has one for each type of value."""
    texts = [each.text for each in node["texts"]]
    signals = [SignalHistory(each["name"].text, each["type"].text, each["unit"].text, []) for each in node["signals"]]
    for kind, table in tables.items():
        numbers, writers, values = table["signal"], table["writer"], table["value"]
        _within(f"{table.name}/signal", numbers, len(signals))
        _within(f"{table.name}/writer", writers, len(texts))
        if kind == "str":
            _within(f"{table.name}/value", values, len(texts))
        rows = zip(numbers.tolist(), table["time"].tolist(), values.tolist(), writers.tolist(), strict=True)
        for number, time, value, writer in rows:
            signal = signals[number]
            if signal.type != kind:
                raise RecordingError(f"signal {signal.name!r} holds {signal.type}, but has a change in {table.name}")
            plain = texts[value] if kind == "str" else bool(value) if kind == "bool" else value
            signal.changes.append((time, plain, texts[writer]))
    found = {signal.name: signal for signal in signals}
    if len(found) != len(signals):
        raise RecordingError("two signals have the same name")
    return found


def _within(name: str, column: "np.typing.NDArray[np.generic]", count: int) -> None:
    if len(column) and not (int(column.min()) >= 0 and int(column.max()) < count):
        raise RecordingError(f"{name} has numbers outside 0…{count - 1}")

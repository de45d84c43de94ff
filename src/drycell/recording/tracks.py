"""Tracks in a recording: a row for each change of a signal, and a row for each value of all other tracks.

Signals have a table for each type of value. Other tracks are stored as JSON, with equal values only once.
"""

import json
import os
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

from drycell.base import RecordingError
from drycell.kernel import Awaited, Changes, TapeRow, Tracks, is_users, seconds
from drycell.looks import COURSES
from drycell.record import FAULT_STATES
from drycell.recording.container import ColumnTable, ColumnWriters, DocumentNode, Json, json_number, json_numbers
from drycell.recording.header import seen_from
from drycell.world import FOREVER, CarriedLoad, Collision, NearMiss, PartStep

TYPES: Final[dict[str, type]] = {"bool": bool, "int": int, "float": float, "str": str}
_MOST: Final = 1 << 31


@dataclass(frozen=True, slots=True)
class RecordedMove:
    """A move of a robot in a recording. Times are ticks."""

    kind: str
    target: str
    guard: str | None
    start: int
    end: int | None
    duration: float
    distance: float
    top_speed: float

    @property
    def start_time(self) -> float:
        """When it began, in seconds of cell time."""
        return seconds(self.start)


def write_tracks(tracks: Tracks, columns: ColumnWriters, folder: Path | None) -> dict[str, Json]:
    """Write all tracks and return their description for ``world.json``.

    Paths of source files are relative to ``folder``, or just names, so that equal runs give equal bytes anywhere.
    """
    described: list[Json] = []
    values: dict[str, int] = {}
    for table, (encode, _) in _TABLES.items():
        for name, track in tracks.named(table).items():
            for time, value in zip(track.times, track.values, strict=True):
                text = json.dumps(encode(value, folder), ensure_ascii=False, separators=(",", ":"))
                columns["tracks/track"].append(len(described))
                columns["tracks/time"].append(time)
                columns["tracks/value"].append(values.setdefault(text, len(values)))
            described.append({"table": table, "name": name})
    return {
        "tracks": described,
        "values": [json.loads(text) for text in values],
        "daemons": [*sorted(tracks.daemons)],
        "flow": tracks.flow,
        "checked": tracks.checked,
    }


def read_tracks(node: DocumentNode, table: ColumnTable) -> Tracks:
    """Read the tracks; source files are relative to the cell's folder."""
    tracks = Tracks()
    tracks.daemons = {each.text for each in node["daemons"]}
    tracks.flow = node["flow"].flag
    tracks.checked = None if node["checked"].empty else node["checked"].integer(0, FOREVER)
    values = list(node["values"])
    number, time, value = (table[name].astype(np.int64) for name in ("track", "time", "value"))
    described = list(node["tracks"])
    for what, column, count in (("track", number, len(described)), ("value", value, len(values))):
        if len(column) and not (column.min() >= 0 and column.max() < count):
            raise RecordingError(f"tracks/{what} has numbers outside 0…{count - 1}")
    if (np.diff(number) < 0).any() or (np.diff(time)[np.diff(number) == 0] < 0).any():
        raise RecordingError("the rows of tracks are not in order")
    ends = np.cumsum(np.bincount(number, minlength=len(described)))
    for place, each in enumerate(described):
        kind = each["table"].text
        if kind not in _TABLES:
            raise each["table"].wrong(f"one of {', '.join(_TABLES)}")
        decode = _TABLES[kind][1]
        track = tracks.track(kind, each["name"].text)
        if track:
            raise RecordingError(f"two tracks of {kind!r} are called {each['name'].text!r}")
        rows = slice(int(ends[place - 1]) if place else 0, int(ends[place]))
        track.times = array("q", time[rows].tobytes())
        known: dict[int, Callable[[int], Any]] = {}
        for start, code in zip(track.times, value[rows].tolist(), strict=True):
            made = known.get(code)
            if made is None:
                made = known[code] = decode(values[code])
            track.values.append(made(start))
    _check_parts(tracks)
    return tracks


def _check_parts(tracks: Tracks) -> None:
    """Check that parts are numbered in order of arrival, and that nothing happens to a part before it arrives."""
    arrived = 0
    for step in tracks.track("parts"):
        if step.step == "arrives":
            arrived += 1
        if not 0 <= step.part < arrived or (step.step == "arrives" and step.part != arrived - 1):
            raise RecordingError(f"part {step.part} {step.step}, but {arrived} had arrived")


# ---------------------------------------------------------------- rows


def _text(value: str, folder: Path | None) -> Json:
    return value


def _awaited(value: Awaited | None, folder: Path | None) -> Json:
    if value is None:
        return None
    if not is_users(value.file):  # a line in drycell's own code, whose path differs between installations
        return [value.condition, "", 0]
    file = os.path.basename(value.file) if folder is None else seen_from(folder, Path(value.file))
    return [value.condition, file, value.line]


def _move(value: Any, folder: Path | None) -> Json:
    # Times are relative to the start of the move, so that the equal moves of a looping program are stored once.
    span = round(value.duration * 1e6) if value.end is None else value.end - value.start
    over = value.end is not None
    return [
        value.kind,
        value.target,
        value.guard,
        span,
        over,
        json_number(value.distance),
        json_number(value.top_speed),
    ]


def _step(value: PartStep, folder: Path | None) -> Json:
    return list(value)


def _lost(value: tuple[str, bool], folder: Path | None) -> Json:
    return list(value)


def _fault(value: tuple[str, str], folder: Path | None) -> Json:
    return list(value)


def _load(value: CarriedLoad, folder: Path | None) -> Json:
    return [json_number(value.mass), json_number(value.limit), [*value.unknown]]


def _collision(value: Collision, folder: Path | None) -> Json:
    return [value.a, value.b, json_numbers(value.point), json_number(value.depth), value.end]


def _near_miss(value: NearMiss, folder: Path | None) -> Json:
    one, two = value.points
    return [value.a, value.b, value.time, json_number(value.distance), json_numbers(one), json_numbers(two)]


def _input(value: TapeRow, folder: Path | None) -> Json:
    return [value.who, value.what, dict(value.arguments)]


def _measure(value: float, folder: Path | None) -> Json:
    return json_number(value)


def _items(node: DocumentNode, count: int) -> list[DocumentNode]:
    found = list(node)
    if len(found) != count:
        raise node.wrong(f"{count} values")
    return found


# Equal values are read once and shared by all their rows.


def _always(value: Any) -> Callable[[int], Any]:
    return lambda t: value


def _as_text(node: DocumentNode) -> Callable[[int], str]:
    return _always(node.text)


def _as_awaited(node: DocumentNode) -> Callable[[int], Awaited | None]:
    if node.empty:
        return _always(None)
    condition, file, line = _items(node, 3)
    return _always(Awaited(condition.text, file.text, line.integer(0, _MOST)))


def _as_move(node: DocumentNode) -> Callable[[int], RecordedMove]:
    kind, target, guard, span, over, distance, top_speed = _items(node, 7)
    ticks, ended = span.integer(0, FOREVER), over.flag
    head = kind.text, target.text, None if guard.empty else guard.text
    tail = seconds(ticks), distance.number, top_speed.number
    return lambda t: RecordedMove(*head, t, t + ticks if ended else None, *tail)


def _as_step(node: DocumentNode) -> Callable[[int], PartStep]:
    found = cast(Any, node.value)
    # Checked without DocumentNode first: a day has many thousands of these.
    plain = type(found) is list and [type(each) for each in found] == _STEP_TYPES and found[1] in _HAPPENINGS
    if plain and 0 <= found[0] < _MOST:
        return _always(PartStep(*found))
    part, step, place, name, kind = _items(node, 5)
    if step.text not in _HAPPENINGS:
        raise step.wrong(f"one of {', '.join(_HAPPENINGS)}")
    made = PartStep(part.integer(0, _MOST), step.text, place.text, name.text, kind.text)  # type: ignore[arg-type]  # looked up
    return _always(made)


_STEP_TYPES: Final = [int, str, str, str, str]
_HAPPENINGS: Final = ("arrives", "carried", "machined", "stored", "unstored", "sunk", "lost", "found", "gone")


def _as_lost(node: DocumentNode) -> Callable[[int], tuple[str, bool]]:
    name, lost = _items(node, 2)
    return _always((name.text, lost.flag))


def _as_fault(node: DocumentNode) -> Callable[[int], tuple[str, str]]:
    fault, state = _items(node, 2)
    if state.text not in FAULT_STATES:
        raise state.wrong(f"one of {', '.join(FAULT_STATES)}")
    return _always((fault.text, state.text))


def _as_load(node: DocumentNode) -> Callable[[int], CarriedLoad]:
    mass, limit, unknown = _items(node, 3)
    return _always(CarriedLoad(mass.number, limit.number, tuple(each.text for each in unknown)))


def _as_collision(node: DocumentNode) -> Callable[[int], Collision]:
    a, b, point, depth, end = _items(node, 5)
    rest = a.text, b.text, point.vector, depth.number, None if end.empty else end.integer(0, FOREVER)
    return lambda t: Collision(t, *rest)


def _as_near_miss(node: DocumentNode) -> Callable[[int], NearMiss]:
    a, b, time, distance, one, two = _items(node, 6)
    rest = time.integer(0, FOREVER), a.text, b.text, distance.number, (one.vector, two.vector)
    return lambda t: NearMiss(*rest, t)


def _as_measure(node: DocumentNode) -> Callable[[int], float]:
    return _always(node.number)


def _as_input(node: DocumentNode) -> Callable[[int], TapeRow]:
    who, what, arguments = _items(node, 3)
    rest = who.text, what.text, {name: each.value for name, each in arguments.items()}
    return lambda t: TapeRow(t, *rest)


def _course(value: tuple[float, float, float], folder: Path | None) -> Json:
    return json_numbers(value)


def _as_course(node: DocumentNode) -> Callable[[int], tuple[float, float, float]]:
    value, rate, acceleration = node.numbers(3)
    return lambda start: (value, rate, acceleration)


_TABLES: Final[dict[str, tuple[Callable[[Any, Path | None], Json], Callable[[DocumentNode], Callable[[int], Any]]]]] = {
    "states": (_text, _as_text),
    "waits": (_awaited, _as_awaited),
    "moves": (_move, _as_move),
    "faults": (_fault, _as_fault),
    "loads": (_load, _as_load),
    "parts": (_step, _as_step),
    "lost": (_lost, _as_lost),
    "warnings": (_text, _as_text),
    "collisions": (_collision, _as_collision),
    "near misses": (_near_miss, _as_near_miss),
    "inputs": (_input, _as_input),
    COURSES: (_course, _as_course),
    "measures": (_measure, _as_measure),
}


# ---------------------------------------------------------------- signals


@dataclass
class SignalWriter:
    """Writes the changes of signals. Signals are numbered in the order in which they were created."""

    signals: Mapping[str, Changes[Any]]
    columns: ColumnWriters
    _written: dict[str, int] = field(default_factory=dict)
    _texts: dict[str, int] = field(default_factory=dict)

    def write(self, before: int) -> None:
        """Write all changes before an instant; changes at the instant itself may still be incomplete."""
        found: list[tuple[int, int, int, Changes[Any]]] = []
        for number, (name, changes) in enumerate(self.signals.items()):
            first = self._written.setdefault(name, 0) - changes.dropped
            if first < 0:
                raise RecordingError(
                    f"signal {name!r} has dropped changes that were not yet recorded",
                    hint="call flush() before signals drop old changes",
                )
            last = changes.count(before - 1)
            found += [(changes.times[row], number, row, changes) for row in range(first, last)]
        # Sorted by time and signal, so the rows do not depend on how many times this is called.
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
                f"a signal has the value {value}, beyond the 64 bits of a recording", hint="make it a float or a string"
            ) from None

    def _text(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def data(self) -> dict[str, Json]:
        """Return the description of signals for ``world.json``, and the texts that rows refer to by number."""
        signals: list[Json] = [
            {"name": name, "type": each.type, "unit": each.unit, "quiet": each.quiet}
            for name, each in self.signals.items()
        ]
        return {"signals": signals, "texts": list(self._texts)}


def read_signals(node: DocumentNode, tables: Mapping[str, ColumnTable]) -> dict[str, Changes[Any]]:
    """Read all signals of a recording, by name; ``tables`` has one table for each type of value."""
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
                raise RecordingError(f"the changes of signal {names[number]!r} are not in chronological order")
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

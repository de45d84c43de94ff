"""The tracks that figures are made of, in columns: a row for each, its value named by number."""

import json
import os
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

from drycell.base import RecordingError
from drycell.kernel import Awaited, TapeRow, Tracks, is_users, seconds
from drycell.record import FAULT_STATES
from drycell.recording.columns import Columns, Table
from drycell.recording.document import Json, Node, number, numbers
from drycell.recording.header import seen_from
from drycell.world import FOREVER, Collision, NearMiss, PartStep

_MOST: Final = 1 << 31


@dataclass(frozen=True, slots=True)
class RecordedMove:
    """A move of a robot, as a recording knows it. Times are ticks."""

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


def write_tracks(tracks: Tracks, columns: Columns, folder: Path | None) -> dict[str, Json]:
    """Puts down all tracks, and returns what ``world.json`` says of them.

    Source files are seen from ``folder``, or known by their names alone, so that equal runs give equal bytes anywhere.
    """
    told: list[Json] = []
    values: dict[str, int] = {}
    for table, (encode, _) in _TABLES.items():
        for name, track in tracks.named(table).items():
            for time, value in zip(track.times, track.values, strict=True):
                text = json.dumps(encode(value, folder), ensure_ascii=False, separators=(",", ":"))
                columns["tracks/track"].append(len(told))
                columns["tracks/time"].append(time)
                columns["tracks/value"].append(values.setdefault(text, len(values)))
            told.append({"table": table, "name": name})
    return {
        "tracks": told,
        "values": [json.loads(text) for text in values],
        "daemons": [*sorted(tracks.daemons)],
        "flow": tracks.flow,
        "checked": tracks.checked,
    }


def read_tracks(node: Node, table: Table) -> Tracks:
    """The tracks again; source files are seen from the cell's folder."""
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
    """Parts are numbered as they arrive, and nothing happens to one before."""
    arrived = 0
    for step in tracks.track("parts"):
        if step.step == "arrives":
            arrived += 1
        if not 0 <= step.part < arrived or (step.step == "arrives" and step.part != arrived - 1):
            raise RecordingError(f"part {step.part} {step.step}, but {arrived} had arrived")


# ---------------------------------------------------------------- what a row is


def _text(value: str, folder: Path | None) -> Json:
    return value


def _awaited(value: Awaited | None, folder: Path | None) -> Json:
    if value is None:
        return None
    if not is_users(value.file):  # a line of drycell's own, wherever that is installed
        return [value.condition, "", 0]
    file = os.path.basename(value.file) if folder is None else seen_from(folder, Path(value.file))
    return [value.condition, file, value.line]


def _move(value: Any, folder: Path | None) -> Json:
    # Seen from its start: a program that loops makes equal moves, which are kept once.
    span = round(value.duration * 1e6) if value.end is None else value.end - value.start
    over = value.end is not None
    return [value.kind, value.target, value.guard, span, over, number(value.distance), number(value.top_speed)]


def _step(value: PartStep, folder: Path | None) -> Json:
    return list(value)


def _lost(value: tuple[str, bool], folder: Path | None) -> Json:
    return list(value)


def _fault(value: tuple[str, str], folder: Path | None) -> Json:
    return list(value)


def _collision(value: Collision, folder: Path | None) -> Json:
    return [value.a, value.b, numbers(value.point), number(value.depth), value.end]


def _near_miss(value: NearMiss, folder: Path | None) -> Json:
    one, two = value.points
    return [value.a, value.b, value.time, number(value.distance), numbers(one), numbers(two)]


def _input(value: TapeRow, folder: Path | None) -> Json:
    return [value.who, value.what, dict(value.arguments)]


def _items(node: Node, count: int) -> list[Node]:
    found = list(node)
    if len(found) != count:
        raise node.wrong(f"{count} values")
    return found


# Equal values are read once: what is found makes the row of any time.


def _always(value: Any) -> Callable[[int], Any]:
    return lambda t: value


def _as_text(node: Node) -> Callable[[int], str]:
    return _always(node.text)


def _as_awaited(node: Node) -> Callable[[int], Awaited | None]:
    if node.empty:
        return _always(None)
    condition, file, line = _items(node, 3)
    return _always(Awaited(condition.text, file.text, line.integer(0, _MOST)))


def _as_move(node: Node) -> Callable[[int], RecordedMove]:
    kind, target, guard, span, over, distance, top_speed = _items(node, 7)
    ticks, ended = span.integer(0, FOREVER), over.flag
    head = kind.text, target.text, None if guard.empty else guard.text
    tail = seconds(ticks), distance.number, top_speed.number
    return lambda t: RecordedMove(*head, t, t + ticks if ended else None, *tail)


def _as_step(node: Node) -> Callable[[int], PartStep]:
    found = cast(Any, node.value)
    # Looked at by hand first: a day has many thousands of these.
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


def _as_lost(node: Node) -> Callable[[int], tuple[str, bool]]:
    name, lost = _items(node, 2)
    return _always((name.text, lost.flag))


def _as_fault(node: Node) -> Callable[[int], tuple[str, str]]:
    fault, state = _items(node, 2)
    if state.text not in FAULT_STATES:
        raise state.wrong(f"one of {', '.join(FAULT_STATES)}")
    return _always((fault.text, state.text))


def _as_collision(node: Node) -> Callable[[int], Collision]:
    a, b, point, depth, end = _items(node, 5)
    told = a.text, b.text, point.vector, depth.number, None if end.empty else end.integer(0, FOREVER)
    return lambda t: Collision(t, *told)


def _as_near_miss(node: Node) -> Callable[[int], NearMiss]:
    a, b, time, distance, one, two = _items(node, 6)
    told = time.integer(0, FOREVER), a.text, b.text, distance.number, (one.vector, two.vector)
    return lambda t: NearMiss(*told, t)


def _as_input(node: Node) -> Callable[[int], TapeRow]:
    who, what, arguments = _items(node, 3)
    told = who.text, what.text, {name: each.value for name, each in arguments.items()}
    return lambda t: TapeRow(t, *told)


_TABLES: Final[dict[str, tuple[Callable[[Any, Path | None], Json], Callable[[Node], Callable[[int], Any]]]]] = {
    "states": (_text, _as_text),
    "waits": (_awaited, _as_awaited),
    "moves": (_move, _as_move),
    "faults": (_fault, _as_fault),
    "parts": (_step, _as_step),
    "lost": (_lost, _as_lost),
    "collisions": (_collision, _as_collision),
    "near misses": (_near_miss, _as_near_miss),
    "inputs": (_input, _as_input),
}

"""What sinks have taken, in a file: one JSON object per line, which a source of another cell can replay."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from drycell.base import IDENTITY, FileError, Pose, read_regular, text_beside
from drycell.kernel import seconds, ticks

_LARGEST: Final = 64 << 20  # bytes of a file
_DEEPEST: Final = 20  # parts on parts
_LONGEST: Final = 1e12  # seconds and metres


@dataclass(frozen=True, slots=True)
class SunkPart:
    """A part that a sink has taken, with what it carried.

    Args:
        name: its name.
        kind: its kind.
        pose: its pose relative to what carried it; the identity for what the sink took itself.
        parts: what it carried.
    """

    name: str
    kind: str
    pose: Pose = IDENTITY
    parts: tuple["SunkPart", ...] = ()


@dataclass(frozen=True, slots=True)
class Sunk:
    """A line of the record: when a sink took a part.

    Args:
        time: the time in ticks.
        sink: the name of the sink.
        part: the part.
    """

    time: int
    sink: str
    part: SunkPart


def write_sunk(path: str | Path, rows: Iterable[Sunk]) -> int:
    """Write what sinks have taken, in chronological order.

    Args:
        path: the file, which is replaced when it is complete.
        rows: what the sinks took.

    Returns:
        The number of lines.
    """
    ordered = sorted(rows, key=lambda row: (row.time, row.sink, row.part.name))
    with text_beside(path) as file:
        for row in ordered:
            head = {"time_s": seconds(row.time), "sink": row.sink}
            file.write(json.dumps(head | _plain(row.part), ensure_ascii=False) + "\n")
    return len(ordered)


def _plain(part: SunkPart) -> dict[str, Any]:
    found: dict[str, Any] = {"part": part.name, "kind": part.kind}
    if part.pose != IDENTITY:
        found["position_m"] = [round(value, 9) + 0.0 for value in part.pose.position]
        found["quaternion_wxyz"] = [round(value, 12) + 0.0 for value in part.pose.quaternion]
    if part.parts:
        found["parts"] = [_plain(each) for each in part.parts]
    return found


def read_sunk(path: str | Path, sink: str | None = None) -> list[Sunk]:
    """Read a record of sinks.

    Args:
        path: the file.
        sink: the sink whose lines are wanted; needed if the file has those of several.

    Returns:
        Its lines, in chronological order.

    Raises:
        FileError: the file cannot be read, or a line is not as :func:`write_sunk` writes it.
    """
    data = read_regular(path, _LARGEST + 1)
    if len(data) > _LARGEST:
        raise FileError(f"{path} is larger than {_LARGEST >> 20} MB", hint="record a shorter run")
    rows = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if line.strip():
            try:
                rows.append(_row(json.loads(line)))
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                what = f"line {number} of {path} is not the record of a sink: {type(error).__name__}: {error}"
                raise FileError(what, hint="write it with drycell run --sinks FILE") from None
    sinks = sorted({row.sink for row in rows})
    if sink is not None:
        if sink not in sinks:
            raise FileError(f"{path} has nothing from a sink {sink!r}", hint=f"it has {', '.join(sinks) or 'no lines'}")
        rows = [row for row in rows if row.sink == sink]
    elif len(sinks) > 1:
        raise FileError(f"{path} has the records of {len(sinks)} sinks", hint=f"choose one: {', '.join(sinks)}")
    return sorted(rows, key=lambda row: row.time)


def _row(given: Any) -> Sunk:
    time = float(given["time_s"])
    if not 0.0 <= time < _LONGEST:
        raise ValueError(f"time_s cannot be {time:g}")
    return Sunk(ticks(time), str(given["sink"]), _part(given, 0))


def _part(given: Any, depth: int) -> SunkPart:
    if depth > _DEEPEST:
        raise ValueError(f"parts are nested more than {_DEEPEST} deep")
    position = _numbers(given.get("position_m", (0.0, 0.0, 0.0)), 3)
    turned = _numbers(given.get("quaternion_wxyz", (1.0, 0.0, 0.0, 0.0)), 4)
    if not 0.5 < sum(value * value for value in turned) < 2.0:
        raise ValueError("quaternion_wxyz is not a unit quaternion")
    parts = given.get("parts", [])
    if not isinstance(parts, list):
        raise ValueError("parts must be a list")
    pose = Pose.of_quaternion(turned, position)
    return SunkPart(str(given["part"]), str(given["kind"]), pose, tuple(_part(each, depth + 1) for each in parts))


def _numbers(given: Any, count: int) -> Sequence[float]:
    values = tuple(float(value) for value in given)
    if len(values) != count or not all(abs(value) < _LONGEST for value in values):
        raise ValueError(f"expected {count} numbers")
    return values

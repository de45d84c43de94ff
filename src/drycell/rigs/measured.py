"""Measured responses of a real sensor, from a CSV file: what stood where before it, and what it put out."""

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from drycell.base import MOST_BYTES, FileError, Mistake, deg, mm, read_text

COLUMNS: Final = ("distance_mm", "angle_deg", "value")
MOST_POINTS: Final = 20_000
_MOST_MISTAKES: Final = 5  # a file of the wrong kind is wrong in every line


@dataclass(frozen=True)
class Point:
    """A target's distance from the sensor (m), its direction off the sensor's axis (rad), and the sensor's output."""

    distance: float
    angle: float
    value: float


def read_measured(path: str | Path) -> list[Point]:
    """The points of a CSV file with the columns distance_mm, angle_deg and value; others are passed over."""
    name, text = str(path), read_text(Path(path))
    if len(text) > MOST_BYTES:
        raise FileError(f"{name!r} has more than the {MOST_BYTES} characters that are read", hint="thin the data out")
    reader = csv.reader(io.StringIO(text), strict=True)
    places: list[int] = []
    points: list[Point] = []
    mistakes: list[Mistake] = []
    try:
        for row in reader:
            if not any(each.strip() for each in row) or row[0].lstrip().startswith("#"):
                continue
            if not places:
                places = _places(row, name, reader.line_num)
            elif len(points) == MOST_POINTS:
                raise FileError.of(
                    name, [Mistake(f"more than {MOST_POINTS} points", line=reader.line_num, hint="thin the data out")]
                )
            else:
                found = _point(row, places, reader.line_num)
                if isinstance(found, Point):
                    points.append(found)
                else:
                    mistakes.append(found)
            if len(mistakes) == _MOST_MISTAKES:
                break
    except csv.Error as error:
        raise FileError.of(name, [Mistake(f"this is not CSV: {error}", line=reader.line_num)]) from error
    if mistakes:
        raise FileError.of(name, mistakes)
    if not points:
        raise FileError(
            f"{name!r} has no points", hint=f"a first line '{','.join(COLUMNS)}', then a line for each point"
        )
    return points


def _places(row: list[str], name: str, line: int) -> list[int]:
    """In which columns the three are; the first line of the file must say."""
    heads = [each.strip() for each in row]
    missing = [each for each in COLUMNS if each not in heads]
    if missing:
        hint = "separate columns by commas, and numbers have a decimal point" if ";" in row[0] else None
        raise FileError.of(
            name,
            [
                Mistake(
                    f"the first line must name the columns {', '.join(COLUMNS)}; missing: {', '.join(missing)}",
                    line=line,
                    hint=hint or f"write '{','.join(COLUMNS)}' as the first line",
                )
            ],
        )
    return [heads.index(each) for each in COLUMNS]


def _point(row: list[str], places: list[int], line: int) -> Point | Mistake:
    values = []
    for column, place in zip(COLUMNS, places, strict=True):
        if place >= len(row):
            return Mistake(f"only {len(row)} columns", field=column, line=line, hint="every line has all columns")
        try:
            value = float(row[place])
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            return Mistake(f"{row[place].strip()[:40]!r} is not a number", field=column, line=line)
        values.append(value)
    distance, angle, value = values
    if not 0.0 < distance <= 1e6:
        return Mistake(f"{distance:g} mm is not a distance before the sensor", field=COLUMNS[0], line=line)
    if not -180.0 <= angle <= 180.0:
        return Mistake(f"{angle:g} deg is not within -180..180 deg", field=COLUMNS[1], line=line)
    return Point(distance * mm, angle * deg, value)

"""The response of a sensor to a standard target, as a function of the target's distance and angle off the axis.

The target is a square plate, as in the diagrams of data sheets. It faces the sensor, or, for inductive and capacitive
sensors, stays parallel to the sensor's face. Distance and angle are those of the middle of its face. Nothing moves: the
model is evaluated point by point, without noise or delay.
"""

import csv
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from drycell.base import MOST_BYTES, FileError, Mistake, Pose, deg, mm, read_text, um
from drycell.cell import Cell
from drycell.geometry import Box
from drycell.rigs.extent import half_angle_of, half_width_of, reach_of
from drycell.sensors import Noise, SensorModel, look
from drycell.world import LiveBody, Material

COLUMNS: Final = ("distance_mm", "angle_deg", "value")
MOST_POINTS: Final = 20_000
_MOST_MISTAKES: Final = 5  # more would not help: a file in another format has an error in every line


@dataclass(frozen=True)
class MeasuredPoint:
    """A measured point: the target's distance (m), its angle off the sensor's axis (rad), and the sensor's output."""

    distance: float
    angle: float
    value: float


def read_measured(path: str | Path) -> list[MeasuredPoint]:
    """Read the points of a CSV file with the columns distance_mm, angle_deg and value; other columns are ignored."""
    name, text = str(path), read_text(Path(path))
    if len(text) > MOST_BYTES:
        raise FileError(f"{name!r} is longer than {MOST_BYTES} characters", hint="thin out the data")
    reader = csv.reader(io.StringIO(text), strict=True)
    places: list[int] = []
    points: list[MeasuredPoint] = []
    mistakes: list[Mistake] = []
    try:
        for row in reader:
            if not any(each.strip() for each in row) or row[0].lstrip().startswith("#"):
                continue
            if not places:
                places = _places(row, name, reader.line_num)
            elif len(points) == MOST_POINTS:
                raise FileError.of(
                    name, [Mistake(f"more than {MOST_POINTS} points", line=reader.line_num, hint="thin out the data")]
                )
            else:
                found = _point(row, places, reader.line_num)
                if isinstance(found, MeasuredPoint):
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
    """Return the indices of the three columns, from the first line of the file."""
    heads = [each.strip() for each in row]
    missing = [each for each in COLUMNS if each not in heads]
    if missing:
        hint = "separate columns with commas and use a decimal point in numbers" if ";" in row[0] else None
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


def _point(row: list[str], places: list[int], line: int) -> MeasuredPoint | Mistake:
    values = []
    for column, place in zip(COLUMNS, places, strict=True):
        if place >= len(row):
            return Mistake(f"only {len(row)} columns", field=column, line=line, hint="every line needs all columns")
        try:
            value = float(row[place])
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            return Mistake(f"{row[place].strip()[:40]!r} is not a number", field=column, line=line)
        values.append(value)
    distance, angle, value = values
    if not 0.0 < distance <= 1e6:
        return Mistake(f"{distance:g} mm is not a distance in front of the sensor", field=COLUMNS[0], line=line)
    if not -180.0 <= angle <= 180.0:
        return Mistake(f"{angle:g} deg is not within -180..180 deg", field=COLUMNS[1], line=line)
    return MeasuredPoint(distance * mm, angle * deg, value)


WHITE_PAPER: Final = Material("white paper", 800, 0.4, 0.3, False, 0.05, 5 * um, 0.9, (0.95, 0.95, 0.95))

_THICK: Final = 1 * mm  # of standard targets (IEC 60947-5-2)
_PLATE: Final = 100 * mm
_NARROWEST: Final = 5 * deg
_FINE: Final = 1 * um


@dataclass(frozen=True)
class BeamTarget:
    """A square plate: its side in m, its material, and whether it turns to face the sensor."""

    side: float
    material: str
    facing: bool = True


@dataclass(frozen=True)
class BeamResponse:
    """The sensor's output for a position of the target, and whether it detects the target."""

    distance: float
    angle: float
    value: float
    detected: bool


class BeamRig:
    """A sensor and its target: computes the output for a distance (m) and an angle (rad) of the target."""

    def __init__(self, model: SensorModel, target: BeamTarget | None = None) -> None:
        self.reach = reach_of(model)
        self.model = replace(model, noise=Noise())
        self.target = target or standard_target(model)
        self._cell = Cell("beam")
        self._cell.world.materials.add(WHITE_PAPER)
        side = self.target.side
        self._cell.world.add(LiveBody("target", Box(side, side, _THICK), material=self.target.material))

    @property
    def farthest(self) -> float:
        """The maximum distance of a diagram: a little beyond the sensor's range."""
        aside = 0.0 if self.target.facing else self.target.side / 2 + half_width_of(self.model)
        return 1.1 * math.hypot(self.reach, aside)

    @property
    def widest(self) -> float:
        """The maximum angle of a diagram: beyond it, beam and target could meet only within half the reach."""
        aside = self.target.side / 2 + half_width_of(self.model)
        plate = math.atan2(aside, self.reach / (2 if self.target.facing else 5))
        return min(85 * deg, max(_NARROWEST, 1.3 * half_angle_of(self.model) + plate))

    def response(self, distance: float, angle: float) -> BeamResponse:
        """Return the output with the target's face at a distance and an angle off the axis, towards +x."""
        turned = Pose.turn_y(angle)
        seen = Pose(*turned.point((0.0, 0.0, distance)))
        if self.target.facing:
            seen = seen @ turned
        # The target is at the world's origin, and the sensor is placed accordingly.
        pose = (seen @ Pose(0.0, 0.0, _THICK / 2)).inverse()
        reading = look(self.model, self._cell.scene, pose, thorough=False)
        found = reading.quantity is not None if self.model.type == "range" else bool(reading.seen)
        return BeamResponse(distance, angle, float(reading.value), found)

    def map(
        self, distances: Sequence[float], angles: Sequence[float], progress: Callable[[float], None] | None = None
    ) -> list[list[BeamResponse]]:
        """Return the responses at all distances, for each angle."""
        rows = []
        for number, angle in enumerate(angles, 1):
            rows.append([self.response(distance, angle) for distance in distances])
            if progress is not None:
                progress(number / len(angles))
        return rows

    def area(
        self, ahead: int, across: int, progress: Callable[[float], None] | None = None
    ) -> list[tuple[float, float]]:
        """Return where the target is detected, as positions (ahead, across) in m on a regular grid."""
        aside = half_width_of(self.model) + self.target.side / 2 + math.tan(half_angle_of(self.model)) * self.reach
        found = []
        for column in range(ahead):
            z = self.reach * 1.05 * (column + 0.5) / ahead
            for row in range(across):
                x = 1.15 * aside * (2 * (row + 0.5) / across - 1)
                if self.response(math.hypot(x, z), math.atan2(x, z)).detected:
                    found.append((z, x))
            if progress is not None:
                progress((column + 1) / ahead)
        return found

    def span(self, row: Sequence[BeamResponse]) -> tuple[float, float] | None:
        """Return the distances between which the target is detected at one angle, to 1 µm; ``row`` holds that angle's
        responses."""
        seen = [number for number, each in enumerate(row) if each.detected]
        if not seen:
            return None
        first, last = seen[0], seen[-1]
        before = row[first - 1].distance if first else row[0].distance * 1e-6
        after = row[min(last + 1, len(row) - 1)].distance
        angle = row[0].angle
        return self._edge(row[first].distance, before, angle), self._edge(row[last].distance, after, angle)

    def _edge(self, seen: float, unseen: float, angle: float) -> float:
        """Return where detection ends between two distances, by bisection."""
        if self.response(unseen, angle).detected:
            return unseen
        while abs(unseen - seen) > _FINE:
            middle = (seen + unseen) / 2
            if self.response(middle, angle).detected:
                seen = middle
            else:
                unseen = middle
        return seen


def standard_target(model: SensorModel) -> BeamTarget:
    """Return the plate that data sheets use for this kind of sensor.

    Inductive and capacitive: steel; its side is three times the rated distance or the sensor's diameter, whichever is
    larger (IEC 60947-5-2). Light: 100 mm of white paper. All others: 100 mm of steel.
    """
    if model.senses in ("metal", "dielectric"):
        return BeamTarget(max(3 * reach_of(model), 2 * half_width_of(model)), "steel", facing=False)
    return BeamTarget(_PLATE, WHITE_PAPER.name if model.senses == "light" else "steel")


def first_hole(rows: Sequence[Sequence[BeamResponse]]) -> float | None:
    """Return the nearest distance at which the target is detected on either side of an angle at which it is not."""
    for column in zip(*rows, strict=True):
        seen = [number for number, each in enumerate(column) if each.detected]
        if seen and len(seen) != seen[-1] - seen[0] + 1:
            return float(column[0].distance)
    return None


@dataclass(frozen=True)
class Agreement:
    """The agreement of a model with measurements: each point with the model's response."""

    pairs: tuple[tuple[MeasuredPoint, BeamResponse], ...]

    @property
    def rmse(self) -> float:
        """The root mean square of the differences, in the unit of the sensor's output."""
        return math.sqrt(math.fsum(self.difference(*pair) ** 2 for pair in self.pairs) / len(self.pairs))

    @property
    def bias(self) -> float:
        """The mean of model minus measurement."""
        return math.fsum(self.difference(*pair) for pair in self.pairs) / len(self.pairs)

    @property
    def worst(self) -> tuple[MeasuredPoint, BeamResponse]:
        """The pair with the largest difference; the first, if several are equal."""
        return max(self.pairs, key=lambda pair: abs(self.difference(*pair)))

    @staticmethod
    def difference(point: MeasuredPoint, response: BeamResponse) -> float:
        """Return model minus measurement."""
        return response.value - point.value


def agreement(
    beam: BeamRig, points: Sequence[MeasuredPoint], progress: Callable[[float], None] | None = None
) -> Agreement:
    """Compare measured points with the model's responses at the same positions."""
    pairs = []
    for number, point in enumerate(points, 1):
        pairs.append((point, beam.response(point.distance, point.angle)))
        if progress is not None and number % 100 == 0:
            progress(number / len(points))
    return Agreement(tuple(pairs))

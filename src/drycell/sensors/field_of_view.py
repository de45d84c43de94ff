"""The field of view of a sensor: volumes, beams, directivity and trace-lines."""

import math
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np

from drycell.base import (
    IDENTITY,
    Array,
    FieldError,
    Many,
    Pose,
    Position,
    Problem,
    Quantity,
    Several,
    Size,
    Thing,
    Vector,
    Whole,
    format_angle,
    type_of,
)
from drycell.geometry import (
    Ball,
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Fan,
    Mesh,
    MeshFile,
    PosedShape,
    Prism,
    Shape,
    ShapeModel,
    Sphere,
)

if TYPE_CHECKING:
    from drycell.sensors.model import SensorModel


Points = Annotated[
    tuple[tuple[float, float], ...], Many(Several((Quantity("angle"), Quantity("ratio")), "[10 deg, 0.7]"))
]
Frequency = Annotated[float, Quantity("frequency", above=0.0)]
Speed = Annotated[float, Quantity("speed", above=0.0)]


class Piston(Thing):
    """A round transducer that sends and receives.

    The amplitude of the echo at an angle θ off the axis is |2 J₁(ka sin θ) / (ka sin θ)|² of that on the axis (once for
    sending, once for receiving), with k = 2π·frequency/speed. Echoes fade as 1/r, so this is also the fraction of the
    range.
    """

    radius: Size
    """Radius of the transducer."""
    frequency: Frequency
    """Frequency of the sound."""
    speed: Speed = 343.0
    """Speed of sound."""


class Directivity(Thing):
    """The fraction of a sensor's range at angles off its axis: a ``table`` or a ``piston``."""

    table: Points = ()
    """Rows of an angle and the fraction there; linear between rows, 0 beyond the last."""
    piston: Piston | None = None
    """The transducer from which the fractions are computed."""

    def problems(self) -> Iterable[Problem]:
        """Yield problems: there must be a table or a piston, with increasing angles and fractions in 0…1."""
        if bool(self.table) == (self.piston is not None):
            hint = "write {table: [[0 deg, 1], [10 deg, 0.7]]} or {piston: {radius: 18 mm, frequency: 50 Hz}}"
            yield Problem((), "a directivity needs either a table or a piston", hint)
        angles = [angle for angle, _ in self.table]
        if angles != sorted(set(angles)):
            yield Problem(("table",), "the angles of a directivity must increase from row to row", "sort the table")
        for index, (angle, fraction) in enumerate(self.table):
            if not (0.0 <= fraction <= 1.0 and 0.0 <= angle <= math.pi):
                what = (
                    f"a directivity of {fraction:g} at {math.degrees(angle):g} deg: fractions are 0…1, angles 0…180 deg"
                )
                yield Problem(("table", index), what, "divide by the value on the axis")

    def fraction(self, angle: float) -> float:
        """The fraction of the range at an angle off the axis, 0…1."""
        if self.piston is not None:
            return _piston(self.piston, angle)
        angles = [each for each, _ in self.table]
        above = bisect_right(angles, angle)
        if above == 0:
            return self.table[0][1]
        if above == len(angles):
            return self.table[-1][1] if angle <= angles[-1] + 1e-12 else 0.0
        (a, low), (b, high) = self.table[above - 1], self.table[above]
        return low + (high - low) * (angle - a) / (b - a)


@lru_cache(maxsize=4096)
def _piston(piston: Piston, angle: float) -> float:
    from scipy.special import j1

    if angle >= math.pi / 2:
        return 0.0  # as if mounted in a wall: no sound travels backwards
    x = 2.0 * math.pi * piston.frequency / piston.speed * piston.radius * math.sin(angle)
    return 1.0 if abs(x) < 1e-6 else float((2.0 * float(j1(x)) / x) ** 2)


HalfAngle = Annotated[float, Quantity("angle", above=0.0, below=math.pi / 2)]


class Beam(
    ShapeModel,
    kind="beam",
    kw_only=False,
    icon="wb_incandescent",
    example={"length": "300 mm", "half_angle": "8 deg"},
):
    """A beam that widens along z: a cone with its apex at the origin."""

    length: Size
    """Length along z."""
    half_angle: HalfAngle
    """Half of the opening angle."""

    def solid(self, folder: Path) -> Shape:
        """The cone, with its apex at the origin."""
        return Compound((self.placed(folder),))

    def placed(self, folder: Path) -> tuple[Pose, Shape]:
        """The cone and its pose."""
        shape, pose = _reaching(self, 1.0)
        return pose, shape


class Volume(PosedShape, kw_only=False):
    """A detection volume. The lower end of its shape is at the sensor's origin, unless ``at`` and ``rpy`` move it.

    A mesh or rod is used at its own position.
    """

    def reaching(self, fraction: float = 1.0) -> tuple[Shape, Pose]:
        """The volume as a solid and its pose relative to the sensor, shortened to a fraction of its length.

        A beam or cone keeps its angle, a cylinder, box or prism its width, a sphere its lower end, and a capsule its
        ends if possible. Any other shape is scaled along z.
        """
        shape, pose = _reaching(self.shape, fraction)
        return shape, self.pose @ pose

    @property
    def beam(self) -> Beam | None:
        """Its shape, if that is a beam."""
        return self.shape if isinstance(self.shape, Beam) else None

    def located(self, folder: Path) -> "Volume":
        """The volume with its mesh file, relative to a folder, as an absolute path."""
        if not isinstance(self.shape, MeshFile):
            return self
        return self.changed(shape=self.shape.changed(file=str((folder / self.shape.file).absolute())))


@lru_cache(maxsize=1024)
def _reaching(shape: ShapeModel, fraction: float) -> tuple[Shape, Pose]:
    """The solid about its middle, and the pose of the middle."""
    match shape:
        case Beam():
            length = shape.length * fraction
            return Cone(0.0, length, length * math.tan(shape.half_angle)), _above(length / 2)
        case Cylinder():
            length = shape.length * fraction
            return Cylinder(shape.radius, length), _above(length / 2)
        case Box():
            return Box(shape.x, shape.y, shape.z * fraction), _above(shape.z * fraction / 2)
        case Sphere():
            radius = shape.radius * fraction
            return Sphere(radius), _above(radius)
        case Capsule():
            whole = (shape.length + 2 * shape.radius) * fraction
            radius = min(shape.radius, whole / 2 * (1.0 - 1e-9))
            return Capsule(radius, whole - 2 * radius), _above(whole / 2)
        case Cone():
            length = shape.length * fraction
            top = shape.radius + (shape.top_radius - shape.radius) * fraction
            return Cone(shape.radius, length, max(top, 0.0)), _above(length / 2)
        case Prism():
            length = shape.length * fraction
            return Prism(shape.outline, length), _above(length / 2)
    pose, whole_shape = shape.placed(Path())
    if fraction == 1.0:
        return whole_shape, pose
    vertices, faces = whole_shape.triangles()
    placed = vertices @ pose.rotation.T + pose.translation
    return Mesh(placed * (1.0, 1.0, fraction), faces), Pose()


def _above(height: float) -> Pose:
    return Pose(0.0, 0.0, height)


Line = tuple[Vector, Vector]  # origin, direction of length 1, in the sensor's frame
Number = Annotated[int, Whole(least=1, most=10_000)]
Spread = Annotated[float, Quantity("angle", least=0.0, below=math.pi / 2)]
_DIRECTION = Several((Quantity("ratio"),) * 3, "[0, 0, 1]")
Lines = Annotated[
    tuple[tuple[Vector, Vector], ...], Many(Several((type_of(Position), _DIRECTION), "[[0, 0, 0], [0, 0, 1]]"))
]


class Row(Thing):
    """Parallel lines along z, spread evenly along x, as in a light curtain."""

    count: Number
    """Number of lines."""
    width: Size
    """Distance from the first to the last line."""


class TraceLines(Thing):
    """A fan, a row, or single lines. Each line ends where it leaves the sensor's volume, or at ``reach``."""

    count: Number | None = None
    """Number of lines of a fan: one on the axis, the others evenly on a cone; two lines are in the x-z plane."""
    spread: Spread = 0.0
    """Half of the opening angle of the fan."""
    row: Row | None = None
    """Parallel lines side by side."""
    lines: Lines = ()
    """Single lines, each with an origin and a direction."""
    reach: Size | None = None
    """Length of the lines; by default they end where they leave the volume."""

    def problems(self) -> Iterable[Problem]:
        """Yield problems: there must be exactly one kind of lines, and every line needs a direction."""
        ways = (self.count is not None) + (self.row is not None) + bool(self.lines)
        if ways != 1:
            hint = "write {count: 5, spread: 6 deg}, {row: {count: 8, width: 200 mm}} or {lines: [[…], …]}"
            yield Problem((), f"trace-lines are given in {ways} ways; expected one", hint)
        for index, (_, direction) in enumerate(self.lines):
            if not any(direction):
                hint = "write for example [0, 0, 1]"
                yield Problem(("lines", index), "a trace-line has the direction [0, 0, 0]", hint)

    def drawn(self) -> tuple[Line, ...]:
        """All lines in the sensor's frame."""
        if self.lines:
            return tuple((origin, _unit(direction)) for origin, direction in self.lines)
        if self.row is not None:
            step = self.row.width / max(self.row.count - 1, 1)
            first = -self.row.width / 2 if self.row.count > 1 else 0.0
            return tuple(((first + k * step, 0.0, 0.0), (0.0, 0.0, 1.0)) for k in range(self.row.count))
        count = self.count or 1
        sine, cosine = math.sin(self.spread), math.cos(self.spread)
        if count == 2:
            return tuple(((0.0, 0.0, 0.0), (x, 0.0, cosine)) for x in (sine, -sine))
        turns = [2.0 * math.pi * k / max(count - 1, 1) for k in range(count - 1)]
        around = [(sine * math.cos(turn), sine * math.sin(turn), cosine) for turn in turns]
        return tuple(((0.0, 0.0, 0.0), direction) for direction in ((0.0, 0.0, 1.0), *around))


def _unit(direction: Vector) -> Vector:
    x, y, z = direction
    length = math.sqrt(x * x + y * y + z * z)
    return (x / length, y / length, z / length)


_RINGS: Final = 24
_SIDES: Final = 32


@lru_cache(maxsize=256)
def lobe(beam: Beam, pattern: Directivity, fraction: float) -> Mesh:
    """A beam shortened by its directivity: a faceted solid with its apex at the origin.

    It is used to find bodies that the trace-lines miss. The lines themselves are exact.
    """
    angles = [beam.half_angle * (k + 1) / _RINGS for k in range(_RINGS)]
    if pattern.table:
        angles = sorted({*angles, *(angle for angle, _ in pattern.table if 0.0 < angle < beam.half_angle)})
    length = beam.length * fraction
    rings = [(length * max(pattern.fraction(angle), 1e-3), angle) for angle in angles]
    vertices: list[tuple[float, float, float]] = [
        (0.0, 0.0, 0.0),
        (0.0, 0.0, length * max(pattern.fraction(0.0), 1e-3)),
    ]
    for radius, angle in rings:
        for k in range(_SIDES):
            turn = 2.0 * math.pi * k / _SIDES
            across = radius * math.sin(angle)
            vertices.append((across * math.cos(turn), across * math.sin(turn), radius * math.cos(angle)))
    points: Array = np.array(vertices)
    faces: list[tuple[int, int, int]] = []
    for k in range(_SIDES):
        after = (k + 1) % _SIDES
        faces.append((1, 2 + k, 2 + after))
        for ring in range(len(rings) - 1):
            low, high = 2 + ring * _SIDES, 2 + (ring + 1) * _SIDES
            faces += [(low + k, high + k, high + after), (low + k, high + after, low + after)]
        last = 2 + (len(rings) - 1) * _SIDES
        faces.append((0, last + after, last + k))
    return Mesh(points, np.array(faces, dtype=np.int64))


_GRAZE: Final = 1e-6  # metres: a shorter line only touches its volume, like all lines at the tip of a cone


class Probe:
    """The field of view of a sensor: its lines, their lengths, and its volumes at any fraction of their length."""

    def __init__(self, model: "SensorModel") -> None:
        self._model = model
        lines = model.trace_lines
        if lines is None and model.type == "range":
            lines = TraceLines(count=1)  # by default a range sensor measures along its axis
        self.lines: tuple[Line, ...] = () if lines is None else lines.drawn()
        self.reaches = tuple(self._reach(number, line, lines) for number, line in enumerate(self.lines) if lines)
        # A switch stays on beyond the distance at which it switched on.
        self.hold = 1.0
        whole = max(self.reaches, default=0.0) or max(
            (_height(*volume.reaching()) for volume in model.volumes), default=0.0
        )
        if model.type == "proximity" and model.hysteresis and whole:
            ratio = getattr(model.hysteresis, "dimension", None) == "ratio"
            self.hold = 1.0 + (model.hysteresis if ratio else model.hysteresis / whole)
        self.fan = Fan(self.lines, max(self.reaches) * self.hold) if self.lines else None
        self.volumes = lru_cache(maxsize=256)(self._volumes)

    def _volumes(self, fraction: float) -> tuple[tuple[Shape, Pose], ...]:
        """The volumes at a fraction of their length, and their poses relative to the sensor."""
        pattern = self._model.directivity
        if pattern is None:
            return tuple(volume.reaching(fraction) for volume in self._model.volumes)
        return tuple(
            (lobe(beam, pattern, fraction), volume.pose)
            for volume in self._model.volumes
            if (beam := volume.beam) is not None
        )

    @cached_property
    def ball(self) -> Ball:
        """A ball that encloses all lines and volumes, in the sensor's frame."""
        balls: list[Ball] = []
        for (origin, along), reach in zip(self.lines, self.reaches, strict=True):
            far = [p + reach * self.hold * d for p, d in zip(origin, along, strict=True)]
            balls += [(origin, 0.0), ((far[0], far[1], far[2]), 0.0)]
        for shape, pose in self.volumes(self.hold):
            centre, radius = shape.sphere
            balls.append((pose.point(centre), radius))
        if not balls:
            return (0.0, 0.0, 0.0), 0.0
        lower, upper = (
            [pick(centre[k] + sign * radius for centre, radius in balls) for k in range(3)]
            for pick, sign in ((min, -1.0), (max, 1.0))
        )
        x, y, z = (0.5 * (low + high) for low, high in zip(lower, upper, strict=True))
        return (x, y, z), max(math.dist((x, y, z), centre) + radius for centre, radius in balls)

    def _reach(self, number: int, line: Line, lines: TraceLines) -> float:
        """The length of a line: as given, or up to where it leaves the volume; shorter off the axis."""
        model = self._model
        reach = lines.reach
        if reach is None:
            reach = max(_leaves(line, *volume.reaching()) for volume in model.volumes)
            if reach <= _GRAZE:
                angle = math.atan2(math.hypot(*line[1][:2]), line[1][2])
                raise FieldError(
                    f"trace-line {number + 1} ({format_angle(angle)} off the axis) is not in the sensor's volume",
                    hint="use a smaller spread or a wider volume, or set its reach",
                )
            if model.directivity is not None and not any(any((*volume.at, *volume.rpy)) for volume in model.volumes):
                # The lobe is round: it ends at the length of the beam, not at its flat end.
                reach = max(beam.length for volume in model.volumes if (beam := volume.beam) is not None)
        if model.directivity is not None:
            reach *= model.directivity.fraction(math.atan2(math.hypot(*line[1][:2]), line[1][2]))
        return reach


def _leaves(line: Line, shape: Shape, pose: Pose) -> float:
    """The distance along a line to its last point in a volume; 0 if it is never in it."""
    back = pose.inverse() if pose != IDENTITY else IDENTITY
    origin, along = back.point(line[0]), back.direction(line[1])
    centre, radius = shape.sphere
    far = math.dist(origin, centre) + 2.0 * radius
    start = (origin[0] + far * along[0], origin[1] + far * along[1], origin[2] + far * along[2])
    hit = shape.ray(start, (-along[0], -along[1], -along[2]), far)
    return 0.0 if hit is None else max(far - hit.distance, 0.0)


def _height(shape: Shape, pose: Pose) -> float:
    """The extent of a volume along the sensor's z."""
    lower, upper = shape.bounds
    corners = [(x, y, z) for x in (lower[0], upper[0]) for y in (lower[1], upper[1]) for z in (lower[2], upper[2])]
    return max(pose.point(corner)[2] for corner in corners)

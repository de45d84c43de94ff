"""The world in a recording: every change, written as it happens, and the description, written at the end.

Motions are columns. Each change of motion or attachment adds a row to ``segments`` and a row to the table of its kind;
the n-th segment of a kind belongs to the n-th row of that kind's table. Equal curves of joint trajectories are stored
once, because a looping program repeats its moves. The loaded world consists of real bodies, motions and linkages, so
its poses are computed by the code that ran the cell.
"""

import hashlib
import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Final, overload
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from drycell import packages
from drycell.base import IDENTITY, Pose, RecordingError, Vector
from drycell.geometry import Shape
from drycell.kernel import Track
from drycell.looks import Look
from drycell.recording.container import ColumnTable, ColumnWriters, DocumentNode, Json, json_number, json_numbers
from drycell.recording.looks import look_data, look_from
from drycell.recording.shapes import MeshArrays, Meshes, shape_data, shape_from
from drycell.world import (
    ALWAYS,
    FOREVER,
    Along,
    ArcPath,
    ArcPathPiece,
    Fall,
    JointTrajectory,
    Linkage,
    LinkMotion,
    LiveBody,
    Material,
    Motion,
    Rest,
    Sampled,
    Segment,
    Travel,
    World,
)

ColumnTables = Callable[[str], ColumnTable]
KINDS: Final = ("rest", "travel", "fall", "sampled", "link", "along")
WORLD: Final = -1  # parent number of a body that is not attached

Numbered = tuple[int, int, int, Motion]  # body, start, parent, motion


class MotionWriter:
    """Writes segments. ``number`` returns the index of a linkage in the description of the world."""

    def __init__(self, columns: ColumnWriters, number: Callable[[Linkage], int]) -> None:
        self._columns = columns
        self._number = number
        self._paths: dict[ArcPath, int] = {}

    def write(self, body: int, segment: Segment, parent: int) -> None:
        """Write one segment of a body."""
        columns = self._columns
        kind = self._motion(segment.motion)
        columns["segments/body"].append(body)
        columns["segments/start"].append(segment.start)
        columns["segments/parent"].append(parent)
        columns["segments/kind"].append(KINDS.index(kind))

    def _motion(self, motion: Motion) -> str:
        columns = self._columns
        if type(motion) is Rest:
            columns["rest/pose"].extend(motion.pose(0).rows)
            return "rest"
        if type(motion) is LinkMotion:
            columns["link/linkage"].append(self._number(motion.linkage))
            columns["link/index"].append(motion.index)
            return "link"
        if type(motion) is Travel or type(motion) is Fall:
            kind = "travel" if type(motion) is Travel else "fall"
            columns[f"{kind}/start"].append(motion.start)
            columns[f"{kind}/end"].append(motion.end)
            columns[f"{kind}/pose"].extend(motion.first.rows)
            columns[f"{kind}/velocity"].extend(motion.velocity)
            if type(motion) is Fall:
                columns["fall/gravity"].extend(motion.gravity)
            return kind
        if isinstance(motion, Sampled):
            columns["sampled/count"].append(len(motion.times))
            columns["samples/time"].extend(motion.times)
            for pose in motion.poses:
                columns["samples/pose"].extend(pose.rows)
            return "sampled"
        if type(motion) is Along:
            columns["along/start"].append(motion.start)
            columns["along/end"].append(motion.end)
            columns["along/path"].append(self._path(motion.path))
            columns["along/place"].append(motion.place)
            columns["along/speed"].append(motion.speed)
            columns["along/offset"].extend(motion.offset.rows)
            return "along"
        raise RecordingError(
            f"a motion of type {type(motion).__name__} cannot be recorded: the known types are {', '.join(KINDS)}",
            hint="give the body a Sampled motion, or add the kind to drycell.recording.world",
        )

    def _path(self, path: ArcPath) -> int:
        """The number of a path. Many motions share one."""
        found = self._paths.get(path)
        if found is None:
            found = self._paths[path] = len(self._paths)
            columns = self._columns
            columns["paths/count"].append(len(path.pieces))
            columns["paths/begin"].append(path.begin)
            columns["paths/closed"].append(int(path.closed))
            for piece in path.pieces:
                columns["path_pieces/pose"].extend(piece.start.rows)
                columns["path_pieces/length"].append(piece.length)
                columns["path_pieces/curvature"].append(piece.curvature)
        return found


def _read_segments(table: ColumnTables, bodies: int, link: Callable[[int, int], Motion]) -> Iterator[Numbered]:
    """Read all segments with their motions, in the order of writing; ``link`` finds the motion of a link."""
    segments = table("segments")
    body, parent, kind = segments["body"], segments["parent"], segments["kind"]
    if segments.length:
        for what, column, low, high in (
            ("body", body, 0, bodies),
            ("parent", parent, WORLD, bodies),
            ("kind", kind, 0, len(KINDS)),
        ):
            if int(column.min()) < low or int(column.max()) >= high:
                raise RecordingError(f"segments/{what} has numbers outside {low}…{high - 1}")
    counts = np.bincount(kind, minlength=len(KINDS)).tolist()
    motions = {name: _READERS[name](table) for name in KINDS if name != "link"}
    links = table("link")
    motions["link"] = map(link, links["linkage"].tolist(), links["index"].tolist())
    for name, count in zip(KINDS, counts, strict=True):
        rows = table(name).length
        if rows != count:
            raise RecordingError(f"{count} segments are of kind {name!r}, but there are {rows} of them")
    iterators = [motions[name] for name in KINDS]
    numbers = zip(body.tolist(), segments["start"].tolist(), parent.tolist(), kind.tolist(), strict=True)
    for number, start, above, which in numbers:
        yield number, start, above, next(iterators[which])


def _rests(table: ColumnTables) -> Iterator[Motion]:
    return (Rest(_pose_of(rows)) for rows in table("rest")["pose"].tolist())


def _travels(table: ColumnTables) -> Iterator[Motion]:
    columns = [table("travel")[name].tolist() for name in ("start", "end", "pose", "velocity")]
    return (Travel(start, end, _pose_of(rows), velocity) for start, end, rows, velocity in zip(*columns, strict=True))


def _falls(table: ColumnTables) -> Iterator[Motion]:
    columns = [table("fall")[name].tolist() for name in ("start", "end", "pose", "velocity", "gravity")]
    return (
        Fall(start, end, _pose_of(rows), velocity, gravity)
        for start, end, rows, velocity, gravity in zip(*columns, strict=True)
    )


def _sampled(table: ColumnTables) -> Iterator[Motion]:
    samples = table("samples")
    times, poses = samples["time"].tolist(), samples["pose"].tolist()
    first = 0
    for count in table("sampled")["count"].tolist():
        last = first + count
        if count < 0 or last > len(times):
            raise RecordingError(f"a sampled motion has {count} samples, but only {len(times) - first} are left")
        yield Sampled(times[first:last], [_pose_of(rows) for rows in poses[first:last]])
        first = last


def _paths(table: ColumnTables) -> list[ArcPath]:
    pieces, paths = table("path_pieces"), table("paths")
    poses, columns = pieces["pose"].tolist(), [pieces[name].tolist() for name in ("length", "curvature")]
    found: list[ArcPath] = []
    first = 0
    for count, begin, closed in zip(*(paths[name].tolist() for name in ("count", "begin", "closed")), strict=True):
        last = first + count
        if count < 1 or last > len(poses):
            raise RecordingError(f"a path has {count} pieces, but {len(poses) - first} are left")
        rows = zip(poses[first:last], *(column[first:last] for column in columns), strict=True)
        made = tuple(ArcPathPiece(_pose_of(pose), length, curvature) for pose, length, curvature in rows)
        if not all(0.0 < piece.length < _LONGEST for piece in made):
            raise RecordingError("path_pieces/length has lengths that are not above 0")
        found.append(ArcPath(made, begin, bool(closed)))
        first = last
    return found


def _alongs(table: ColumnTables) -> Iterator[Motion]:
    paths = _paths(table)
    columns = [table("along")[name].tolist() for name in ("start", "end", "path", "place", "speed", "offset")]
    for start, end, path, place, speed, offset in zip(*columns, strict=True):
        if not 0 <= path < len(paths):
            raise RecordingError(f"along/path has the number {path}, but there are {len(paths)} paths")
        yield Along(start, end, paths[path], place, speed, _pose_of(offset))


_READERS: Final[dict[str, Callable[[ColumnTables], Iterator[Motion]]]] = {
    "rest": _rests,
    "travel": _travels,
    "fall": _falls,
    "sampled": _sampled,
    "along": _alongs,
}


def _pose_of(rows: Sequence[float]) -> Pose:
    a, b, c, x, d, e, f, y, g, h, i, z = rows
    return Pose.of_rows((a, b, c, x, d, e, f, y, g, h, i, z))


# ---------------------------------------------------------------- joint trajectories


Integers = NDArray[np.int64]

_LONGEST: Final = 1e12  # seconds
_KEPT: Final = 512  # number of cached trajectories


class TrajectoryWriter:
    """Writes trajectories that can no longer be cut."""

    def __init__(self, columns: ColumnWriters) -> None:
        self._columns = columns
        self._curves: dict[bytes, int] = {}

    def write(self, linkage: int, trajectory: JointTrajectory) -> None:
        """Write one trajectory of a linkage."""
        columns = self._columns
        columns["trajectories/linkage"].append(linkage)
        columns["trajectories/start"].append(trajectory.start)
        columns["trajectories/end"].append(trajectory.end)
        columns["trajectories/curve"].append(self._curve(trajectory))

    def _curve(self, trajectory: JointTrajectory) -> int:
        breaks, coefficients = trajectory.breaks, trajectory.coefficients
        digest = hashlib.blake2b(breaks.tobytes(), digest_size=16, person=b"breaks")
        digest.update(coefficients.tobytes())
        key = digest.digest()
        found = self._curves.get(key)
        if found is None:
            found = self._curves[key] = len(self._curves)
            self._columns["curves/pieces"].append(len(breaks) - 1)
            self._columns["curves/breaks"].extend(breaks.tolist())
            self._columns["curves/coefficients"].extend(coefficients.ravel().tolist())
        return found


class _Curves:
    """The curves of a recording. A curve has a column for each joint of its linkages."""

    def __init__(self, table: ColumnTable, joints: Integers) -> None:
        self._joints, self._pieces = joints, table["pieces"].astype(np.int64)
        self._breaks, self._values = table["breaks"].astype(float), table["coefficients"].astype(float)
        if len(self._pieces) and int(self._pieces.min()) < 1:
            raise RecordingError("curves/pieces has numbers below 1")
        if not (np.abs(self._breaks) < _LONGEST).all():
            raise RecordingError("curves/breaks contains invalid times")
        self._first_break = np.concatenate(([0], np.cumsum(self._pieces + 1)))
        self._first_value = np.concatenate(([0], np.cumsum(self._pieces * 4 * joints)))
        if self._first_break[-1] != len(self._breaks) or self._first_value[-1] != len(self._values):
            raise RecordingError(
                f"curves need {self._first_break[-1]} breaks and {self._first_value[-1]} coefficients, "
                f"but there are {len(self._breaks)} and {len(self._values)}"
            )

    def trajectory(self, curve: int, start: int, end: int) -> JointTrajectory:
        """A curve that a linkage follows between two times."""
        breaks = self._breaks[self._first_break[curve] : self._first_break[curve + 1]]
        values = self._values[self._first_value[curve] : self._first_value[curve + 1]]
        shape = (int(self._pieces[curve]), 4, int(self._joints[curve]))
        return JointTrajectory(start, breaks, values.reshape(shape), end=end)


class Trajectories(Sequence[JointTrajectory]):
    """The trajectories of one linkage in order, created on demand: a whole day's would fill the memory."""

    def __init__(self, curves: _Curves, starts: list[int], ends: list[int], numbers: list[int]) -> None:
        self._curves, self.starts, self._ends, self._numbers = curves, starts, ends, numbers
        self._made: dict[int, JointTrajectory] = {}

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, place: int) -> JointTrajectory: ...
    @overload
    def __getitem__(self, place: slice) -> list[JointTrajectory]: ...

    def __getitem__(self, place: int | slice) -> JointTrajectory | list[JointTrajectory]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        found = self._made.get(place)
        if found is None:
            if len(self._made) >= _KEPT:
                self._made.clear()
            found = self._curves.trajectory(self._numbers[place], self.starts[place], self._ends[place])
            self._made[place] = found
        return found


def read_trajectories(table: ColumnTable, curves: ColumnTable, dofs: Sequence[int]) -> list[Trajectories]:
    """The trajectories of every linkage; ``dofs`` are the numbers of joints of the linkages."""
    linkage, curve = table["linkage"].astype(np.int64), table["curve"].astype(np.int64)
    for what, column, count in (("linkage", linkage, len(dofs)), ("curve", curve, curves.length)):
        if len(column) and not (column.min() >= 0 and column.max() < count):
            raise RecordingError(f"trajectories/{what} has numbers outside 0…{count - 1}")
    # A curve has one column for each joint of its linkage.
    joints = np.zeros(curves.length, np.int64)
    followed = np.array(dofs, np.int64)[linkage]
    joints[curve] = followed
    if not (joints[curve] == followed).all():
        raise RecordingError("a curve is followed by linkages with different numbers of joints")
    made = _Curves(curves, joints)
    starts, ends = table["start"].astype(np.int64), table["end"].astype(np.int64)
    found = []
    for number in range(len(dofs)):
        rows = np.flatnonzero(linkage == number)
        if not len(rows) or (np.diff(starts[rows]) < 0).any():
            raise RecordingError(f"the trajectories of linkage {number} are missing or not in chronological order")
        found.append(Trajectories(made, starts[rows].tolist(), ends[rows].tolist(), curve[rows].tolist()))
    return found


# ---------------------------------------------------------------- sensors and linkages


Line = tuple[Vector, Vector, float]  # origin, unit direction, length in metres


@dataclass(frozen=True, slots=True)
class RecordedSensor:
    """A sensor in a recording: its pose, its field of view, and the value it publishes while it detects nothing.

    Its output is in its signal: a recording stores only the results of sensing. Volumes and lines are in the sensor's
    frame.
    """

    name: str
    kind: str
    model: str
    body: LiveBody
    rest: bool | float
    """The value it publishes while it detects nothing."""
    volumes: tuple[tuple[Shape, Pose], ...]
    lines: tuple[Line, ...]


def _sensor_data(sensor: RecordedSensor, body: int, shape_number: Callable[[Shape], int]) -> Json:
    """Return a sensor as plain data; its body and the shapes it watches are given by number."""
    return {
        "name": sensor.name,
        "kind": sensor.kind,
        "model": sensor.model,
        "body": body,
        "rest": sensor.rest if isinstance(sensor.rest, bool) else json_number(sensor.rest),
        "volumes": [{"shape": shape_number(shape), "pose": json_numbers(pose.rows)} for shape, pose in sensor.volumes],
        "lines": [json_numbers((*origin, *along, reach)) for origin, along, reach in sensor.lines],
    }


def _sensor_from(node: DocumentNode, bodies: Sequence[LiveBody], shapes: Sequence[Shape]) -> RecordedSensor:
    """Read a sensor from plain data."""
    rest = node["rest"]
    return RecordedSensor(
        name=node["name"].text,
        kind=node["kind"].text,
        model=node["model"].text,
        body=bodies[node["body"].integer(0, len(bodies))],
        rest=rest.value if isinstance(rest.value, bool) else rest.number,
        volumes=tuple((shapes[each["shape"].integer(0, len(shapes))], each["pose"].pose) for each in node["volumes"]),
        lines=tuple(_line(each) for each in node["lines"]),
    )


def _line(node: DocumentNode) -> Line:
    x, y, z, along_x, along_y, along_z, reach = node.numbers(7)
    if not math.isfinite(reach):
        raise node.wrong("a length as the last number")
    return (x, y, z), (along_x, along_y, along_z), reach


def kinematics_data(linkage: Linkage) -> Json:
    """Return the kinematics of a linkage as plain data, from its method ``recorded``; ``packages.kinematics`` reads it
    back. Raises RecordingError if there is no such method.
    """
    recorded: Callable[[], Json] | None = getattr(linkage.kinematics, "recorded", None)
    if recorded is None:
        raise RecordingError(
            f"{linkage.name!r} is moved by a {type(linkage.kinematics).__name__}, which cannot be recorded",
            hint="describe it as a Mechanism",
        )
    return recorded()


# ---------------------------------------------------------------- writing the world


class WorldLog:
    """Records a world from its current state on. Bodies and linkages are numbered in order of appearance. Rows are
    written in the order of events, independent of when they are requested. A segment is final when it begins; a joint
    trajectory is final when the next one is appended, because only the last can be cut.
    """

    def __init__(self, world: World, columns: ColumnWriters) -> None:
        self._world = world
        self._motions = MotionWriter(columns, self._linkage_number)
        self._trajectories = TrajectoryWriter(columns)
        self._numbers: WeakKeyDictionary[LiveBody, int] = WeakKeyDictionary()
        self._bodies: list[LiveBody | Json] = []  # of a removed body, only the description remains
        self._segments: dict[LiveBody, int] = {}  # number of segments written for each body
        self._linkages: dict[Linkage, int] = {}
        self._moves: dict[Linkage, int] = {}
        self._first_links: dict[LiveBody, Linkage] = {}
        self._shapes: dict[str, int] = {}
        self._shape_data: list[Json] = []
        self._looks: dict[Look, int] = {}
        self._look_data: list[Json] = []
        self.meshes: Meshes = {}
        self._following = False

    def begin(self) -> None:
        """Write the current state of the world, and every change from now on."""
        self._following = True
        for body in list(self._world.bodies.values()):
            self._number(body)
        self._world.subscribe(self._changed)

    def stop(self) -> None:
        """Stop following the world."""
        self._following = False

    def finish(self, sensors: Iterable[RecordedSensor] = ()) -> dict[str, Json]:
        """Write unfinished trajectories and return the description, ``world.json``."""
        # A workpoint may sit on a body that was merged into another before this log began.
        workpoints: list[Json] = [
            {
                "name": point.name,
                "body": None if point.body is None else self._number(point.body),
                "local": json_numbers(point.local.rows),
            }
            for point in self._world.workpoints.values()
        ]
        watching: list[Json] = [_sensor_data(each, self._number(each.body), self._shape_number) for each in sensors]
        for linkage, number in self._linkages.items():
            self._write_trajectories(linkage)
            self._trajectories.write(number, linkage.history.values[-1])
        bodies = [self._body_data(each) if isinstance(each, LiveBody) else each for each in self._bodies]
        names = sorted({str(each["material"]) for each in bodies if isinstance(each, dict)})
        materials: list[Json] = [
            {**asdict(self._world.materials[name]), "colour": list(self._world.materials[name].colour)}
            for name in names
        ]
        return {
            "bodies": bodies,
            "shapes": self._shape_data,
            "looks": self._look_data,
            "materials": materials,
            "linkages": [self._linkage_data(linkage) for linkage in self._linkages],
            "workpoints": workpoints,
            "sensors": watching,
        }

    # ---------------------------------------------------------------- during the run

    def _changed(self, body: LiveBody) -> None:
        if not self._following:
            return
        if body.gone != FOREVER:
            for each in self._world.subtree(body):
                self._forget(each)
            return
        self._number(body)
        self._write_segments(body)
        linkage = self._first_links.get(body)
        if linkage is not None:
            self._write_trajectories(linkage)

    def _number(self, body: LiveBody) -> int:
        found = self._numbers.get(body)
        if found is None:
            found = self._numbers[body] = len(self._bodies)
            self._bodies.append(body)
            self._write_segments(body)
        return found

    def _write_segments(self, body: LiveBody) -> None:
        history = body.history
        for row in range(max(self._segments.get(body, 0), history.dropped), history.rows):
            segment = history.values[row - history.dropped]
            # Registered first: adding an unknown parent below may lead back here.
            self._segments[body] = row + 1
            parent = WORLD if segment.parent is None else self._number(segment.parent)
            self._motions.write(self._numbers[body], segment, parent)

    def _write_trajectories(self, linkage: Linkage) -> None:
        history = linkage.history
        for row in range(max(self._moves.get(linkage, 0), history.dropped), history.rows - 1):
            self._moves[linkage] = row + 1
            self._trajectories.write(self._linkages[linkage], history.values[row - history.dropped])

    def _linkage_number(self, linkage: Linkage) -> int:
        found = self._linkages.get(linkage)
        if found is None:
            kinematics_data(linkage)  # fails now rather than at the end of the run
            found = self._linkages[linkage] = len(self._linkages)
            self._first_links[linkage.links[0]] = linkage
        return found

    def _forget(self, body: LiveBody) -> None:
        number = self._numbers.get(body)
        if number is not None:
            self._bodies[number] = self._body_data(body)
            self._segments.pop(body, None)

    # ---------------------------------------------------------------- the description

    def _body_data(self, body: LiveBody) -> Json:
        look = None if body.look is None else body.look()
        return {
            "name": body.name,
            "shape": None if body.shape is None else self._shape_number(body.shape),
            "material": body.material,
            "part": body.part,
            "hole": body.hole,
            "born": body.born,
            "gone": body.gone,
            **({} if look is None else {"look": self._look_number(look)}),
        }

    def _look_number(self, look: Look) -> int:
        found = self._looks.get(look)
        if found is None:
            found = self._looks[look] = len(self._look_data)
            self._look_data.append(look_data(look, self._shape_number))
        return found

    def _shape_number(self, shape: Shape) -> int:
        found = self._shapes.get(shape.key)
        if found is None:
            found = self._shapes[shape.key] = len(self._shape_data)
            self._shape_data.append(shape_data(shape, self.meshes))
        return found

    def _linkage_data(self, linkage: Linkage) -> Json:
        return {
            "name": linkage.name,
            "base": self._number(linkage.base),
            "links": [self._number(link) for link in linkage.links],
            "mechanism": kinematics_data(linkage),
        }


# ---------------------------------------------------------------- reading the world


@dataclass
class _EndedClock:
    """The clock of a finished run."""

    now: int


class RecordedWorld:
    """A world with all bodies that were ever in it; ``bodies`` lists them in the order of the recording."""

    def __init__(
        self, node: DocumentNode, table: ColumnTables, mesh: Callable[[str], MeshArrays], duration: int
    ) -> None:
        self.world = World(_EndedClock(duration))
        for each in node["materials"]:
            self.world.materials.add(_material(each))
        shapes = [shape_from(each, mesh) for each in node["shapes"]]
        looks = [look_from(each, shapes) for each in node.optional("looks") or ()]
        self.bodies = [_body(each, shapes, looks) for each in node["bodies"]]
        self.linkages = self._linkages(node, table)
        self._histories(table, self.linkages)
        for body, each in zip(self.bodies, node["bodies"], strict=True):
            body.born, body.gone = (each[key].integer(ALWAYS, FOREVER + 1) for key in ("born", "gone"))
            body.world = self.world
            if body.gone == FOREVER and body.parent is not None:
                body.parent.children.append(body)
        self.world.bodies.clear()
        self.world.bodies.update((body.name, body) for body in self.bodies if body.gone == FOREVER)
        for each in node["workpoints"]:
            on = None if each["body"].empty else self.bodies[each["body"].integer(0, len(self.bodies))]
            self.world.add_workpoint(each["name"].text, on, each["local"].pose)
        self.sensors = [_sensor_from(each, self.bodies, shapes) for each in node["sensors"]]

    def _linkages(self, node: DocumentNode, table: ColumnTables) -> list[Linkage]:
        described = list(node["linkages"])
        mechanisms = [packages.kinematics(each["mechanism"]) for each in described]
        trajectories = read_trajectories(table("trajectories"), table("curves"), [each.dof for each in mechanisms])
        made: list[Linkage] = []
        count = len(self.bodies)
        for each, mechanism, moves in zip(described, mechanisms, trajectories, strict=True):
            base = self.bodies[each["base"].integer(0, count)]
            links = [self.bodies[link.integer(0, count)] for link in each["links"]]
            # A name may be reused after its body was removed, so each linkage is paired with its own base.
            self.world.bodies.clear()
            self.world.bodies[base.name] = base
            for link in links:
                link.history = Track()
            linkage = Linkage(self.world, each["name"].text, mechanism, base, links, [0.0] * mechanism.dof)
            linkage.history.times, linkage.history.values = array("q", [ALWAYS, *moves.starts[1:]]), moves  # type: ignore[assignment]  # complete
            self.world.add_linkage(linkage)
            made.append(linkage)
        return made

    def _histories(self, table: ColumnTables, linkages: Sequence[Linkage]) -> None:
        def link(number: int, index: int) -> Motion:
            if not 0 <= number < len(linkages) or not 0 <= index < len(linkages[number].links):
                raise RecordingError(f"a segment moves with link {index} of linkage {number}, which does not exist")
            return LinkMotion(linkages[number], index)

        for body in self.bodies:
            body.history = Track()
            body.children.clear()
        for number, start, parent, motion in _read_segments(table, len(self.bodies), link):
            body = self.bodies[number]
            if body.history and start < body.history.times[-1]:
                raise RecordingError(f"the segments of body {body.name!r} are not in chronological order")
            body.history.append(start, Segment(start, None if parent == WORLD else self.bodies[parent], motion))
        for body in self.bodies:
            if not body.history:
                raise RecordingError(f"body {body.name!r} has no segment, so its pose is unknown")


def _body(node: DocumentNode, shapes: Sequence[Shape], looks: Sequence[Look]) -> LiveBody:
    made = LiveBody(
        node["name"].text,
        None if node["shape"].empty else shapes[node["shape"].integer(0, len(shapes))],
        material=node["material"].text,
        part=node["part"].flag,
        hole=node["hole"].flag,
    )
    look = node.optional("look")
    if look is not None:
        made.look = partial(looks.__getitem__, look.integer(0, len(looks)))
    made.history.append(
        ALWAYS, Segment(ALWAYS, None, Rest(IDENTITY))
    )  # placeholder until its own is read: a linkage needs a base
    return made


def _material(node: DocumentNode) -> Material:
    red, green, blue = node["colour"].numbers(3)
    return Material(
        name=node["name"].text,
        density=node["density"].number,
        friction=node["friction"].number,
        restitution=node["restitution"].number,
        metal=node["metal"].flag,
        absorption=node["absorption"].number,
        roughness=node["roughness"].number,
        reflectivity=node["reflectivity"].number,
        colour=(red, green, blue),
    )

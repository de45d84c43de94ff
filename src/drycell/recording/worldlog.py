"""The world as it is written down while a run goes on: every change as it happens, the description at the end."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any
from weakref import WeakKeyDictionary

from drycell.base import RecordingError
from drycell.geometry import Shape
from drycell.recording.columns import Columns
from drycell.recording.document import Json, numbers
from drycell.recording.mechanisms import mechanism_data
from drycell.recording.motions import WORLD, MotionWriter
from drycell.recording.sensors import sensor_data
from drycell.recording.shapes import Meshes, shape_data
from drycell.recording.trajectories import TrajectoryWriter
from drycell.robots import Mechanism
from drycell.sensors import LiveSensor
from drycell.world import FOREVER, Linkage, LiveBody, World


class WorldLog:
    """Follows a world from where it stands. Bodies and linkages are numbered in the order they are met.

    Rows are put down in the order of events, so that they do not depend on when someone asks for them. A segment is
    final when it begins; a joint trajectory when the next one is appended, for only the last can be cut.
    """

    def __init__(self, world: World, columns: Columns) -> None:
        self._world = world
        self._motions = MotionWriter(columns, self._linkage_number)
        self._trajectories = TrajectoryWriter(columns)
        self._numbers: WeakKeyDictionary[LiveBody, int] = WeakKeyDictionary()
        self._bodies: list[LiveBody | Json] = []  # a body that is gone leaves its description alone behind
        self._segments: dict[LiveBody, int] = {}  # how many of a body are put down
        self._linkages: dict[Linkage, int] = {}
        self._moves: dict[Linkage, int] = {}
        self._first_links: dict[LiveBody, Linkage] = {}
        self._shapes: dict[str, int] = {}
        self._shape_data: list[Json] = []
        self.meshes: Meshes = {}
        self._following = False

    def begin(self) -> None:
        """Puts down the world as it stands, and every change from now on."""
        self._following = True
        for body in list(self._world.bodies.values()):
            self._number(body)
        self._world.subscribe(self._changed)

    def stop(self) -> None:
        """Takes no notice of the world any more."""
        self._following = False

    def finish(self, sensors: Iterable[LiveSensor[Any]] = ()) -> dict[str, Json]:
        """Puts down what was still open and returns the description: ``world.json``."""
        # A workpoint may sit on a body that was merged into another before this log began.
        workpoints: list[Json] = [
            {
                "name": point.name,
                "body": None if point.body is None else self._number(point.body),
                "local": numbers(point.local.rows),
            }
            for point in self._world.workpoints.values()
        ]
        watching: list[Json] = [sensor_data(each, self._number(each.body), self._shape_number) for each in sensors]
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
            "materials": materials,
            "linkages": [self._linkage_data(linkage) for linkage in self._linkages],
            "workpoints": workpoints,
            "sensors": watching,
        }

    # ---------------------------------------------------------------- while the run goes on

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
            # Noted first: the parent may be unknown yet, and its own way may lead back here.
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
            if not isinstance(linkage.kinematics, Mechanism):
                raise RecordingError(
                    f"{linkage.name!r} moves by a {type(linkage.kinematics).__name__}, which cannot be recorded",
                    hint="describe it as a Mechanism",
                )
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
        return {
            "name": body.name,
            "shape": None if body.shape is None else self._shape_number(body.shape),
            "material": body.material,
            "part": body.part,
            "hole": body.hole,
            "born": body.born,
            "gone": body.gone,
        }

    def _shape_number(self, shape: Shape) -> int:
        found = self._shapes.get(shape.key)
        if found is None:
            found = self._shapes[shape.key] = len(self._shape_data)
            self._shape_data.append(shape_data(shape, self.meshes))
        return found

    def _linkage_data(self, linkage: Linkage) -> Json:
        if not isinstance(linkage.kinematics, Mechanism):
            raise RecordingError(f"{linkage.name!r} is no longer a Mechanism")
        return {
            "name": linkage.name,
            "base": self._number(linkage.base),
            "links": [self._number(link) for link in linkage.links],
            "mechanism": mechanism_data(linkage.kinematics),
        }

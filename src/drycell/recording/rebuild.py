"""The world of a recording, made of real bodies, motions and linkages: its poses come from the code of the run."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from drycell.errors import RecordingError
from drycell.geometry import Shape
from drycell.recording.columns import Table
from drycell.recording.document import Node
from drycell.recording.mechanisms import mechanism_from
from drycell.recording.motions import WORLD, read_segments
from drycell.recording.sensors import sensor_from
from drycell.recording.shapes import MeshArrays, shape_from
from drycell.recording.trajectories import Trajectories, read_trajectories
from drycell.robots import Mechanism
from drycell.spatial import IDENTITY
from drycell.world import FOREVER, Body, JointTrajectory, Linkage, Motion, Rest, Segment, World
from drycell.world.linkage import LinkMotion
from drycell.world.material import Material
from drycell.world.motion import ALWAYS

Tables = Callable[[str], Table]


@dataclass
class Ended:
    """The clock of a run that is over."""

    now: int


class RecordedLinkage(Linkage):
    """A linkage whose whole joint history is known: ``moves``. Its own ``history`` has the last of them alone."""

    def __init__(
        self,
        world: World,
        name: str,
        mechanism: Mechanism,
        base: Body,
        links: Sequence[Body],
        moves: Trajectories,
    ) -> None:
        super().__init__(world, name, mechanism, base, links, [0.0] * mechanism.dof)
        self.moves = moves
        self.history = [moves[-1]]
        self._move_starts = [ALWAYS, *moves.starts[1:]]

    def trajectory(self, t: int) -> JointTrajectory:
        """The trajectory that holds at an instant."""
        return self.moves[bisect_right(self._move_starts, t) - 1]

    def trajectories(self, t0: int, t1: int) -> list[JointTrajectory]:
        """All that held during ``t0``…``t1``, in order."""
        first = bisect_right(self._move_starts, t0) - 1
        return self.moves[first : max(bisect_right(self._move_starts, t1), first + 1)]

    def next_start(self, t: int) -> int:
        """When the trajectory begins that follows the one that holds at an instant; FOREVER after the last."""
        place = bisect_right(self._move_starts, t)
        return self._move_starts[place] if place < len(self._move_starts) else FOREVER


class Rebuilt:
    """A world with all bodies that ever were in it; ``bodies`` has them in the order of the recording."""

    def __init__(self, node: Node, table: Tables, mesh: Callable[[str], MeshArrays], duration: int) -> None:
        self.world = World(Ended(duration))
        for each in node["materials"]:
            self.world.materials.add(_material(each))
        shapes = [shape_from(each, mesh) for each in node["shapes"]]
        self.bodies = [_body(each, shapes) for each in node["bodies"]]
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
        # Recordings of early versions do not tell of sensors.
        told = node["sensors"] if isinstance(node.value, dict) and "sensors" in node.value else ()
        self.sensors = [sensor_from(each, self.bodies, shapes) for each in told]

    def _linkages(self, node: Node, table: Tables) -> list[RecordedLinkage]:
        described = list(node["linkages"])
        mechanisms = [mechanism_from(each["mechanism"]) for each in described]
        trajectories = read_trajectories(table("trajectories"), table("curves"), [each.dof for each in mechanisms])
        made: list[RecordedLinkage] = []
        count = len(self.bodies)
        for each, mechanism, moves in zip(described, mechanisms, trajectories, strict=True):
            base = self.bodies[each["base"].integer(0, count)]
            links = [self.bodies[link.integer(0, count)] for link in each["links"]]
            # Names may have been used again after a body was gone: each linkage meets its own base alone.
            self.world.bodies.clear()
            self.world.bodies[base.name] = base
            for link in links:
                link.history.clear()
                link.starts.clear()
            linkage = RecordedLinkage(self.world, each["name"].text, mechanism, base, links, moves)
            self.world.add_linkage(linkage)
            made.append(linkage)
        return made

    def _histories(self, table: Tables, linkages: Sequence[RecordedLinkage]) -> None:
        def link(number: int, index: int) -> Motion:
            if not 0 <= number < len(linkages) or not 0 <= index < len(linkages[number].links):
                raise RecordingError(f"a segment moves with link {index} of linkage {number}, which is not there")
            return LinkMotion(linkages[number], index)

        for body in self.bodies:
            body.history.clear()
            body.starts.clear()
            body.children.clear()
        for number, start, parent, motion in read_segments(table, len(self.bodies), link):
            body = self.bodies[number]
            if body.starts and start < body.starts[-1]:
                raise RecordingError(f"the segments of body {body.name!r} are not in the order of time")
            body.history.append(Segment(start, None if parent == WORLD else self.bodies[parent], motion))
            body.starts.append(start)
        for body in self.bodies:
            if not body.history:
                raise RecordingError(f"body {body.name!r} has no segment: it is nowhere")


def _body(node: Node, shapes: Sequence[Shape]) -> Body:
    return Body(
        node["name"].text,
        None if node["shape"].empty else shapes[node["shape"].integer(0, len(shapes))],
        material=node["material"].text,
        part=node["part"].flag,
        hole=node["hole"].flag,
        history=[Segment(ALWAYS, None, Rest(IDENTITY))],  # until its own is read: a linkage stands on a base
        starts=[ALWAYS],
    )


def _material(node: Node) -> Material:
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

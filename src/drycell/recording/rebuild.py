"""The world of a recording, made of real bodies, motions and linkages: its poses come from the code of the run."""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from drycell.base import IDENTITY, RecordingError
from drycell.geometry import Shape
from drycell.kernel import Track
from drycell.recording.columns import Table
from drycell.recording.document import Node
from drycell.recording.mechanisms import mechanism_from
from drycell.recording.motions import WORLD, read_segments
from drycell.recording.sensors import sensor_from
from drycell.recording.shapes import MeshArrays, shape_from
from drycell.recording.trajectories import read_trajectories
from drycell.world import ALWAYS, FOREVER, Linkage, LinkMotion, LiveBody, Material, Motion, Rest, Segment, World

Tables = Callable[[str], Table]


@dataclass
class Ended:
    """The clock of a run that is over."""

    now: int


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
        self.sensors = [sensor_from(each, self.bodies, shapes) for each in node["sensors"]]

    def _linkages(self, node: Node, table: Tables) -> list[Linkage]:
        described = list(node["linkages"])
        mechanisms = [mechanism_from(each["mechanism"]) for each in described]
        trajectories = read_trajectories(table("trajectories"), table("curves"), [each.dof for each in mechanisms])
        made: list[Linkage] = []
        count = len(self.bodies)
        for each, mechanism, moves in zip(described, mechanisms, trajectories, strict=True):
            base = self.bodies[each["base"].integer(0, count)]
            links = [self.bodies[link.integer(0, count)] for link in each["links"]]
            # Names may have been used again after a body was gone: each linkage meets its own base alone.
            self.world.bodies.clear()
            self.world.bodies[base.name] = base
            for link in links:
                link.history = Track()
            linkage = Linkage(self.world, each["name"].text, mechanism, base, links, [0.0] * mechanism.dof)
            linkage.history.times, linkage.history.values = array("q", [ALWAYS, *moves.starts[1:]]), moves  # type: ignore[assignment]  # it is over: nothing comes to it
            self.world.add_linkage(linkage)
            made.append(linkage)
        return made

    def _histories(self, table: Tables, linkages: Sequence[Linkage]) -> None:
        def link(number: int, index: int) -> Motion:
            if not 0 <= number < len(linkages) or not 0 <= index < len(linkages[number].links):
                raise RecordingError(f"a segment moves with link {index} of linkage {number}, which is not there")
            return LinkMotion(linkages[number], index)

        for body in self.bodies:
            body.history = Track()
            body.children.clear()
        for number, start, parent, motion in read_segments(table, len(self.bodies), link):
            body = self.bodies[number]
            if body.history and start < body.history.times[-1]:
                raise RecordingError(f"the segments of body {body.name!r} are not in the order of time")
            body.history.append(start, Segment(start, None if parent == WORLD else self.bodies[parent], motion))
        for body in self.bodies:
            if not body.history:
                raise RecordingError(f"body {body.name!r} has no segment: it is nowhere")


def _body(node: Node, shapes: Sequence[Shape]) -> LiveBody:
    made = LiveBody(
        node["name"].text,
        None if node["shape"].empty else shapes[node["shape"].integer(0, len(shapes))],
        material=node["material"].text,
        part=node["part"].flag,
        hole=node["hole"].flag,
    )
    made.history.append(ALWAYS, Segment(ALWAYS, None, Rest(IDENTITY)))  # until its own is read: a linkage has a base
    return made


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

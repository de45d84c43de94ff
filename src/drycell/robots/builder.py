"""Builds joints, links and shapes from what a robot or family file says, and places every mistake in the file."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.base import DrycellError, FileError, InvalidThing, Mistake, Node, Pose, dotted
from drycell.robots.joint import Joint
from drycell.robots.link import BASE, Drive, Link, Mark

if TYPE_CHECKING:
    from drycell.geometry import PosedShape, Shape
    from drycell.robots.description import FrameSpec, JointSpec, NodeSpec

_AXES: Final = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


class Builder:
    """Works for one file: knows its name, its tree with the lines, and the folder its meshes are in."""

    def __init__(self, file: str, root: Node, folder: Path | None) -> None:
        self._file, self._root, self._folder = file, root, folder or Path()

    @contextmanager
    def placing(self, *path: str | int) -> Iterator[None]:
        """Gives errors the place of a field in the file."""
        try:
            yield
        except FileError:
            raise
        except InvalidThing as error:
            found = [self._mistake((*path, *each.path), each.what, each.hint) for each in error.problems]
            raise FileError.of(self._file, found) from None
        except DrycellError as error:
            raise FileError.of(self._file, [self._mistake(path, error.what, error.hint)]) from None

    def _mistake(self, path: tuple[str | int, ...], what: str, hint: str | None) -> Mistake:
        node = self._root.place(path)
        return Mistake(what, dotted(path), node.line, node.column, hint)

    def joints(self, specs: "Mapping[str, JointSpec]", where: str) -> tuple[Joint, ...]:
        """The joints, in the order of the file."""
        joints: list[Joint] = []
        for name, spec in specs.items():
            values = (*spec.limits, spec.speed, spec.acceleration, spec.jerk)
            with self.placing(where, name):
                joints.append(Joint(name, "revolute" if spec.turns else "prismatic", *map(float, values)))
        return tuple(joints)

    def links(
        self, specs: "Mapping[str, NodeSpec]", shapes: "Mapping[str, Shape | None]", joints: Sequence[Joint]
    ) -> tuple[Link, ...]:
        """The links; one that does not say what it is attached to is attached to the one before it."""
        names, places = list(specs), {joint.name: number for number, joint in enumerate(joints)}
        links: list[Link] = []
        for number, (name, spec) in enumerate(specs.items()):
            parent = number - 1 if spec.on is None else _link(spec.on, names)
            drives = tuple(
                Drive(places[move.by], joints[places[move.by]].kind, _AXES[move.axis], move.ratio)
                for move in spec.moves
            )
            links.append(Link(name, parent, spec.pose, drives, shapes.get(name)))
        return tuple(links)

    def mark(self, spec: "FrameSpec", names: Sequence[str]) -> Mark:
        """A frame on a link."""
        return Mark(_link(spec.on, names), spec.pose)

    def shape(self, pieces: "Sequence[PosedShape]", path: tuple[str, ...]) -> "Shape | None":
        """The pieces as one shape: none, the piece itself if it needs no pose, or a compound."""
        from drycell.geometry import Compound

        parts: list[tuple[Pose, Shape]] = []
        for number, piece in enumerate(pieces):
            with self.placing(*path, number):
                parts.append(piece.placed(self._folder))
        if not parts:
            return None
        return parts[0][1] if len(parts) == 1 and parts[0][0] == Pose() else Compound(tuple(parts))


def _link(name: str, names: Sequence[str]) -> int:
    return BASE if name == "base" else names.index(name)

"""Builds joints, links and shapes from what a robot or family file says, and places every mistake in the file."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

from drycell.datafile import FieldPath, Node, field_name, read_tree, validated
from drycell.errors import DrycellError, FileError, Mistake, did_you_mean
from drycell.robots.joint import Joint, JointKind
from drycell.robots.link import BASE, Drive, Link, Mark
from drycell.robots.quantity import Amount
from drycell.spatial import Pose, align_z

if TYPE_CHECKING:
    from drycell.geometry import Shape
    from drycell.robots.description import FrameSpec, JointSpec, LinkSpec, PieceSpec

_AXES: Final = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}

T = TypeVar("T")


def parsed(text: str, kind: type[T], file: str) -> tuple[T, Node]:
    """The data of a YAML text as a dataclass, and the tree it stands in; raises FileError with all mistakes."""
    tree = read_tree(text, file)
    value, mistakes = validated(kind, tree)
    if mistakes:
        raise FileError.of(file, sorted(mistakes, key=lambda each: (each.line or 0, each.column or 0)))
    return cast(T, value), tree


class Builder:
    """Works for one file: knows its name, its tree with the lines, and the folder its meshes are in."""

    def __init__(self, file: str, tree: Node, folder: Path | None) -> None:
        self._file, self._tree, self._folder = file, tree, folder

    def wrong(self, path: FieldPath, what: str, hint: str | None = None) -> FileError:
        """An error about one field."""
        line, column = self._tree.place_of(path)
        return FileError.of(self._file, [Mistake(what, field_name(path), line, column, hint)])

    def checked(self, make: Callable[[], T], path: FieldPath = ()) -> T:
        """What a function makes; its errors get the place in the file."""
        try:
            return make()
        except FileError:
            raise
        except DrycellError as error:
            raise self.wrong(path, error.what, error.hint) from None

    def joints(self, specs: "Mapping[str, JointSpec]", where: str) -> tuple[Joint, ...]:
        """The joints, each with all its quantities for turning or all for sliding."""
        joints: list[Joint] = []
        for name, spec in specs.items():
            turns = spec.limits[0].turns
            amounts = {
                "limits": spec.limits[1],
                "speed": spec.speed,
                "acceleration": spec.acceleration,
                "jerk": spec.jerk,
            }
            for field, amount in amounts.items():
                self._same_kind((where, name, field), amount, turns)
            values = (spec.limits[0], *amounts.values())
            kind: JointKind = "revolute" if turns else "prismatic"
            numbers = [value.value for value in values]
            joints.append(self.checked(partial(Joint, name, kind, *numbers), (where, name)))
        return tuple(joints)

    def home(self, values: Sequence[Amount], joints: Sequence[Joint]) -> tuple[float, ...]:
        """Joint values, each in its joint's unit."""
        if values and len(values) != len(joints):
            raise self.wrong(("home",), f"has {len(values)} values for {len(joints)} joints")
        for number, (value, joint) in enumerate(zip(values, joints, strict=False)):
            self._same_kind(("home", number), value, joint.revolute)
        return tuple(value.value for value in values)

    def links(
        self,
        specs: "Mapping[str, LinkSpec]",
        shapes: "Mapping[str, Shape | None]",
        joints: Sequence[Joint],
        where: str,
    ) -> tuple[Link, ...]:
        """The links; one that does not say what it is on hangs on the one before it."""
        names, places = list(specs), {joint.name: number for number, joint in enumerate(joints)}
        links: list[Link] = []
        for number, (name, spec) in enumerate(specs.items()):
            parent = number - 1 if spec.on is None else self._link(spec.on, names[:number], (where, name, "on"))
            drives = []
            for place, move in enumerate(spec.moves):
                if move.by not in places:
                    path = (where, name, "moves", place, "by")
                    raise self.wrong(path, f"there is no joint {move.by!r}", did_you_mean(move.by, places))
                joint = places[move.by]
                drives.append(Drive(joint, joints[joint].kind, _AXES[move.axis], move.ratio))
            origin = Pose.of_rpy(*spec.rpy, at=spec.at)
            links.append(Link(name, parent, origin, tuple(drives), shapes.get(name)))
        return tuple(links)

    def mark(self, spec: "FrameSpec", names: Sequence[str], path: FieldPath) -> Mark:
        """A frame on a link."""
        return Mark(self._link(spec.on, names, (*path, "on")), Pose.of_rpy(*spec.rpy, at=spec.at))

    def shape(self, pieces: "Sequence[PieceSpec]", path: FieldPath) -> "Shape | None":
        """The pieces as one shape: none, the piece itself if it needs no pose, or a compound."""
        from drycell.geometry import Compound

        parts = [
            self.checked(partial(self._piece, piece, (*path, number)), (*path, number))
            for number, piece in enumerate(pieces)
        ]
        if not parts:
            return None
        return parts[0][1] if len(parts) == 1 and parts[0][0] == Pose() else Compound(tuple(parts))

    def _piece(self, spec: "PieceSpec", path: FieldPath) -> "tuple[Pose, Shape]":
        from drycell.geometry import Box, Capsule, Cone, Cylinder, Prism, Sphere

        pose = Pose.of_rpy(*spec.rpy, at=spec.at)
        named = {
            name: getattr(spec, name)
            for name in ("box", "cylinder", "cone", "sphere", "capsule", "rod", "prism", "mesh")
            if getattr(spec, name) is not None
        }
        if len(named) != 1:
            raise self.wrong(path, f"names {len(named)} shapes", "write one of box, cylinder, cone, sphere, rod, …")
        if spec.box is not None:
            return pose, Box(*spec.box)
        if spec.cylinder is not None:
            return pose, Cylinder(spec.cylinder.radius, spec.cylinder.length)
        if spec.cone is not None:
            return pose, Cone(spec.cone.radius, spec.cone.length, spec.cone.top)
        if spec.sphere is not None:
            return pose, Sphere(spec.sphere)
        if spec.capsule is not None:
            return pose, Capsule(spec.capsule.radius, spec.capsule.length)
        if spec.prism is not None:
            return pose, Prism(spec.prism.outline, spec.prism.length)
        if spec.mesh is not None:
            from drycell.geometry import load_mesh

            return pose, load_mesh((self._folder or Path()) / spec.mesh.file, units=spec.mesh.units)
        return self._rod(spec, pose, path)

    def _rod(self, spec: "PieceSpec", pose: Pose, path: FieldPath) -> "tuple[Pose, Shape]":
        from drycell.geometry import Capsule

        if spec.rod is None:
            raise self.wrong(path, "is no shape")
        along = tuple(b - a for a, b in zip(spec.rod.start, spec.rod.end, strict=True))
        length = sum(v * v for v in along) ** 0.5
        if length == 0.0:
            raise self.wrong((*path, "rod"), "starts where it ends", "use a sphere")
        middle = tuple((a + b) / 2.0 for a, b in zip(spec.rod.start, spec.rod.end, strict=True))
        return pose @ align_z(along, middle), Capsule(spec.rod.radius, length)

    def _link(self, name: str, names: Sequence[str], path: FieldPath) -> int:
        if name == "base":
            return BASE
        if name not in names:
            raise self.wrong(path, f"there is no link {name!r} before it", did_you_mean(name, ["base", *names]))
        return names.index(name)

    def _same_kind(self, path: FieldPath, amount: Amount, turns: bool) -> None:
        if amount.turns != turns:
            wanted = "degrees (it turns)" if turns else "millimetres (it slides)"
            raise self.wrong(path, f"must be in {wanted}, as the joint's first limit is")

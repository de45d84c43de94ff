"""Model files: read a robot file or one model of a family, and write it with other solids."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from drycell.base import (
    IDENTITY,
    FileError,
    FileNaming,
    MechanismError,
    OneOf,
    Pose,
    Type,
    UnknownName,
    Vector,
    deg,
    read_text,
    read_thing,
    read_tree,
    seen_from,
    text_beside,
)
from drycell.geometry import (
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    MeshFile,
    PosedShape,
    Prism,
    Shape,
    Sphere,
    Taper,
    save_mesh,
)
from drycell.robots.arguments import tree
from drycell.robots.catalogue import LIBRARY, is_family, is_urdf, robot_names
from drycell.robots.description import SHAPES, RobotFile, file_text, read_robot
from drycell.robots.family import FamilyFile, ModelSpec, read_family
from drycell.robots.mechanism import Mechanism

_DIGITS: Final = 10  # in metres: rounded to 0.1 nm, so that files are readable


@dataclass(frozen=True)
class ModelFile:
    """A robot file, or a family file with one selected model."""

    path: Path
    spec: RobotFile | FamilyFile
    model: str | None
    mechanism: Mechanism

    @classmethod
    def find(cls, given: str, model: str | None = None) -> "ModelFile":
        """Find a robot and read its file.

        Args:
            given: A robot of the library (``puma560``, ``box-frame/detailed``) or the path of a YAML file.
            model: The model of a family; its default model if not given.

        Raises:
            UnknownName: There is no such robot or model.
            FileError: The file is URDF, or has mistakes.
        """
        path = Path(given)
        if is_urdf(path):
            raise FileError(
                f"{given} is a URDF file, which can be read but not written",
                hint="use drycell.robots.simpler.simpler_model on robot_from_file(…) in Python",
            )
        if path.suffix not in (".yaml", ".yml"):
            stem, slash, inner = given.partition("/")
            path = LIBRARY / f"{stem}.yaml"
            if not stem or Path(stem).name != stem or not path.is_file():
                raise UnknownName("robot", given, robot_names())
            model = model or (inner if slash else None)
        text = read_text(path)
        if is_family(text):
            spec = read_thing(FamilyFile, text, str(path), SHAPES)
            family = read_family(text, str(path), path.parent)
            return cls(path, spec, model or family.default, family.model(model))
        if model is not None:
            raise MechanismError(
                f"{given} is a robot, not a family, and has no model {model!r}", hint="remove the model"
            )
        robot = read_tree(RobotFile, tree(text, str(path)), str(path), SHAPES)
        return cls(path, robot, None, read_robot(text, str(path), path.parent))

    def write(self, target: Path, shapes: Mapping[str, Shape | None], name: str, comment: str) -> list[Path]:
        """Write the robot with other solids for some nodes. Of a family, add a model with them and make it the default.

        Shapes that are not primitives are saved as mesh files next to it. Returns the paths of all files.
        """
        meshes = _Meshes(target)
        if isinstance(self.spec, RobotFile) and self.spec.outline is not None:  # the file has no solids to keep
            there = {link.name: link.shape for link in self.mechanism.links}
            shapes = {"base": self.mechanism.base, **there, **shapes}
        new = {node: meshes.pieces(shape, node) for node, shape in shapes.items()}
        text = self._text(new, name, comment, target.parent)
        # The meshes are written first, so that the target file is complete as soon as it exists.
        for path, shape in meshes.found.items():
            save_mesh(shape, path, units="m")
        with text_beside(target) as file:
            file.write(text)
        return [target, *meshes.found]

    def _text(self, new: Mapping[str, tuple[PosedShape, ...]], name: str, comment: str, folder: Path) -> str:
        spec = self._seen_from(folder)
        if isinstance(spec, FamilyFile):
            looks = spec.models[self.model or spec.default]
            nodes = {node: new.get(node, pieces) for node, pieces in looks.nodes.items()}
            made = ModelSpec(nodes=nodes, base=new.get("base", looks.base))
            return file_text(spec.changed(models={**spec.models, name: made}, default=name), comment)
        links = {link: each.changed(shapes=new.get(link, each.shapes)) for link, each in spec.links.items()}
        solids = {"links": links, "base": new.get("base", spec.base), "outline": None, "arguments": None}
        return file_text(spec.changed(robot=name, **solids), comment)

    def _seen_from(self, folder: Path) -> RobotFile | FamilyFile:
        """The model with the paths of its mesh files relative to another folder."""

        def moved(kind: Type, value: Any) -> Any:
            return seen_from(folder, value, self.path.parent) if isinstance(kind, FileNaming) else value

        found: RobotFile | FamilyFile = OneOf(type(self.spec)).mapped(self.spec, moved)
        return found


class _Meshes:
    """Converts shapes to fields of a file, and collects the meshes that need their own files."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self.found: dict[Path, Shape] = {}

    def pieces(self, shape: Shape | None, node: str, pose: Pose = IDENTITY) -> tuple[PosedShape, ...]:
        """A node's solids, piece by piece."""
        if shape is None:
            return ()
        if isinstance(shape, Compound):
            return tuple(piece for local, part in shape.parts for piece in self.pieces(part, node, pose @ local))
        if isinstance(shape, Cone) and shape.radius == 0.0:
            shape, pose = Cone(shape.top_radius, shape.length), pose @ Pose.turn_x(180 * deg)
        return (PosedShape(self._written(shape, node), _rounded(pose.position), _angles(pose.rpy)),)

    def _written(self, shape: Shape, node: str) -> Shape | MeshFile:
        """A primitive with readable dimensions, or a mesh file."""
        if isinstance(shape, Box):
            return Box(*_rounded((shape.x, shape.y, shape.z)))
        if isinstance(shape, Cone):
            return Cone(_round(shape.radius), _round(shape.length), _round(shape.top_radius))
        if isinstance(shape, Sphere) or (isinstance(shape, Capsule) and shape.length == 0.0):
            return Sphere(_round(shape.radius))
        if isinstance(shape, Cylinder | Capsule):
            return type(shape)(_round(shape.radius), _round(shape.length))
        if isinstance(shape, Prism | Taper):
            return shape
        number = sum(path.name.startswith(f"{self._target.stem}-{node}-") for path in self.found) + 1
        path = self._target.with_name(f"{self._target.stem}-{node}-{number}.ply")
        self.found[path] = shape
        return MeshFile(path.name, "m")


def _round(value: float) -> float:
    return round(value, _DIGITS) + 0.0


def _rounded(values: Vector) -> Vector:
    x, y, z = values
    return (_round(x), _round(y), _round(z))


def _angles(values: Vector) -> Vector:
    x, y, z = (round(value / deg, 8) * deg + 0.0 for value in values)
    return (x, y, z)

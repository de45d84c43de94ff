"""Model files: the text of a robot or of one model of a family, opened to be given other solids and written again."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from drycell.datafile import read_text
from drycell.errors import FileError, MechanismError, UnknownName
from drycell.files import text_beside
from drycell.geometry import Box, Capsule, Compound, Cone, Cylinder, Prism, Shape, Sphere, save_mesh
from drycell.robots.builder import parsed
from drycell.robots.catalogue import LIBRARY, is_family, robot_names
from drycell.robots.description import (
    ConeSpec,
    MeshSpec,
    PieceSpec,
    PrismSpec,
    RobotFile,
    RoundSpec,
    read_robot,
)
from drycell.robots.family import FamilyFile, ModelSpec, read_family
from drycell.robots.filetext import family_text, robot_text
from drycell.robots.mechanism import Mechanism
from drycell.spatial import IDENTITY, Pose, Vector
from drycell.units import deg

_DIGITS: Final = 10  # of a metre: a tenth of a nanometre, so that files are readable


@dataclass(frozen=True)
class ModelFile:
    """A robot file, or a family file of which one model is meant."""

    path: Path
    spec: RobotFile | FamilyFile
    model: str | None
    mechanism: Mechanism

    @classmethod
    def find(cls, given: str, model: str | None = None) -> "ModelFile":
        """A robot of the library (``puma560``, ``box-frame/detailed``) or a YAML file, of which one model is meant."""
        path = Path(given)
        if path.suffix in (".urdf", ".xml"):
            raise FileError(
                f"{given} is URDF, which is read but not written",
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
            spec, _ = parsed(text, FamilyFile, str(path))
            family = read_family(text, str(path), path.parent)
            return cls(path, spec, model or family.default, family.model(model))
        if model is not None:
            raise MechanismError(f"{given} is a robot by itself and has no model {model!r}", hint="leave the model out")
        robot, _ = parsed(text, RobotFile, str(path))
        return cls(path, robot, None, read_robot(text, str(path), path.parent))

    def write(self, target: Path, shapes: Mapping[str, Shape | None], name: str, comment: str) -> list[Path]:
        """Writes the robot, or the family with one model more (and its default), with other solids for some nodes.

        What is no primitive goes into mesh files beside it. All files are returned.
        """
        meshes = _Meshes(target)
        new = {node: meshes.pieces(shape, node) for node, shape in shapes.items()}
        text = self._text(new, name, comment, target.parent)
        # The files it names come first: what bears the name asked for is whole.
        for path, shape in meshes.found.items():
            save_mesh(shape, path, units="m")
        with text_beside(target) as file:
            file.write(text)
        return [target, *meshes.found]

    def _text(self, new: Mapping[str, tuple[PieceSpec, ...]], name: str, comment: str, folder: Path) -> str:
        if isinstance(self.spec, FamilyFile):
            models = {model: self._moved_model(looks, folder) for model, looks in self.spec.models.items()}
            looks = models[self.model or self.spec.default]
            nodes = {node: new.get(node, pieces) for node, pieces in looks.nodes.items()}
            models[name] = ModelSpec(nodes, new.get("base", looks.base))
            return family_text(replace(self.spec, models=models, default=name), comment)
        links = {
            link: replace(spec, shapes=new.get(link, self._moved(spec.shapes, folder)))
            for link, spec in self.spec.links.items()
        }
        base = new.get("base", self._moved(self.spec.base, folder))
        return robot_text(replace(self.spec, robot=name, links=links, base=base), comment)

    def _moved_model(self, looks: ModelSpec, folder: Path) -> ModelSpec:
        nodes = {node: self._moved(pieces, folder) for node, pieces in looks.nodes.items()}
        return ModelSpec(nodes, self._moved(looks.base, folder))

    def _moved(self, pieces: tuple[PieceSpec, ...], folder: Path) -> tuple[PieceSpec, ...]:
        """Pieces whose mesh files are named as seen from another folder."""
        source, target = self.path.parent.resolve(), folder.resolve()
        return tuple(
            piece
            if piece.mesh is None or os.path.isabs(piece.mesh.file)
            else replace(piece, mesh=replace(piece.mesh, file=_seen(source / piece.mesh.file, target)))
            for piece in pieces
        )


def _seen(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix()


class _Meshes:
    """Turns shapes into what a file says, and gathers the meshes that need files of their own."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self.found: dict[Path, Shape] = {}

    def pieces(self, shape: Shape | None, node: str, pose: Pose = IDENTITY) -> tuple[PieceSpec, ...]:
        """A node's solids, piece by piece."""
        if shape is None:
            return ()
        if isinstance(shape, Compound):
            return tuple(piece for local, part in shape.parts for piece in self.pieces(part, node, pose @ local))
        return (self._piece(shape, node, pose),)

    def _piece(self, shape: Shape, node: str, pose: Pose) -> PieceSpec:
        if isinstance(shape, Cone) and shape.radius == 0.0:
            return self._piece(Cone(shape.top_radius, shape.length), node, pose @ Pose.turn_x(180 * deg))
        at, rpy = _rounded(pose.position), _angles(pose.rpy)
        if isinstance(shape, Box):
            return PieceSpec(box=_rounded((shape.x, shape.y, shape.z)), at=at, rpy=rpy)
        if isinstance(shape, Cylinder):
            return PieceSpec(cylinder=RoundSpec(_round(shape.radius), _round(shape.length)), at=at, rpy=rpy)
        if isinstance(shape, Cone):
            cone = ConeSpec(_round(shape.radius), _round(shape.length), _round(shape.top_radius))
            return PieceSpec(cone=cone, at=at, rpy=rpy)
        if isinstance(shape, Sphere) or (isinstance(shape, Capsule) and shape.length == 0.0):
            return PieceSpec(sphere=_round(shape.radius), at=at, rpy=rpy)
        if isinstance(shape, Capsule):
            return PieceSpec(capsule=RoundSpec(_round(shape.radius), _round(shape.length)), at=at, rpy=rpy)
        if isinstance(shape, Prism):
            return PieceSpec(prism=PrismSpec(shape.outline, shape.length), at=at, rpy=rpy)
        number = sum(path.name.startswith(f"{self._target.stem}-{node}-") for path in self.found) + 1
        path = self._target.with_name(f"{self._target.stem}-{node}-{number}.ply")
        self.found[path] = shape
        return PieceSpec(mesh=MeshSpec(path.name, "m"), at=at, rpy=rpy)


def _round(value: float) -> float:
    return round(value, _DIGITS) + 0.0


def _rounded(values: Vector) -> Vector:
    x, y, z = values
    return (_round(x), _round(y), _round(z))


def _angles(values: Vector) -> Vector:
    x, y, z = (round(value / deg, 8) * deg + 0.0 for value in values)
    return (x, y, z)

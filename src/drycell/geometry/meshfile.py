"""Mesh files: reads STL, OBJ, PLY, glTF, Collada and STEP with explicit units; writes STL, OBJ, PLY, GLB and STEP."""

import io
import math
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from drycell.base import (
    FileName,
    GeometryError,
    InvalidThing,
    Problem,
    UnitError,
    Vector,
    beside,
    did_you_mean,
    read_regular,
)
from drycell.geometry import solid
from drycell.geometry.collada import collada_triangles
from drycell.geometry.polyhedron import Mesh
from drycell.geometry.shape import Shape, ShapeModel
from drycell.geometry.step_text import step_text

if TYPE_CHECKING:
    import trimesh

UNITS: Final = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254}
STEP: Final = (".step", ".stp")
WITH_UNITS: Final = (*STEP, ".dae")
"""Formats that contain their unit."""
READ: Final = (".stl", ".obj", ".ply", ".gltf", ".glb", *WITH_UNITS)
WRITTEN: Final = (".stl", ".obj", ".ply", ".glb", *STEP)
MOST_BYTES: Final = 256 * 1024 * 1024


class MeshFile(ShapeModel, kind="mesh", kw_only=False, icon="deployed_code"):
    """A closed surface from a file: STL, OBJ, PLY, glTF, Collada or STEP.

    >>> from drycell import Body, MeshFile
    >>> housing = Body(MeshFile("meshes/housing.stl", units="mm"), material="aluminium")
    >>> housing.shape.units
    'mm'
    """

    file: FileName
    """The file, relative to the file that names it."""
    units: Literal["m", "mm", "cm", "um", "in", "file"]
    """Unit of the numbers in the file; ``file`` for STEP and Collada, which contain their unit."""

    def solid(self, folder: Path) -> Mesh:
        """Return the mesh in the file.

        Raises:
            InvalidThing: The file does not exist.
            GeometryError: The file cannot be read.
        """
        return load_mesh(self.found(folder), self.units)

    def found(self, folder: Path) -> Path:
        """Return the path of the file.

        Args:
            folder: The folder that the file name is relative to.

        Raises:
            InvalidThing: The file does not exist.
        """
        found = folder / self.file
        if not found.is_file():
            there = sorted(each.name for each in found.parent.iterdir()) if found.parent.is_dir() else []
            missing = Problem(
                ("mesh", "file"), f"the file {self.file!r} does not exist", did_you_mean(found.name, there)
            )
            raise InvalidThing(MeshFile, [missing])
        return found


def load_mesh(path: str | os.PathLike[str], units: str, *, scale: Vector = (1.0, 1.0, 1.0), solid: bool = True) -> Mesh:
    """Read a mesh from a file. A scene of several meshes becomes one.

    Vertices that are closer than a millionth of the mesh's size are merged if that closes the surface.

    Args:
        path: an STL, OBJ, PLY, glTF, Collada or STEP file. Facets of a STEP file are within 0.01 mm of the true
            surface.
        units: unit of the numbers in the file (m, cm, mm, um or in), or "file" for STEP and Collada, which contain
            their unit. Collada's up axis is ignored, as ROS does: the axes are those of the numbers in the file.
        scale: factors along x, y and z.
        solid: whether to reject a surface that is not closed.

    Raises:
        GeometryError: the file cannot be read, or the surface is not closed.
        UnitError: the unit is unknown.
    """
    file = Path(path)
    suffix = _suffix(file, READ, "read")
    factor = _factor(file, suffix, units)
    data = _bytes(file)
    try:
        if suffix == ".dae":
            vertices, faces = collada_triangles(data)
        else:
            loaded = _step(file, data) if suffix in STEP else _trimesh(data, suffix[1:], file)
            vertices, faces = loaded.vertices, loaded.faces
        if math.prod(scale) < 0.0:  # mirroring turns the surface inside out
            faces = faces[:, ::-1]
        mesh = Mesh(vertices * (factor * np.array(scale)), faces)
        if solid and not mesh.is_solid:
            edges = f"{mesh.open_edges} open edge{'s' if mesh.open_edges > 1 else ''}"
            raise GeometryError(
                f"the surface is not closed: it has {edges} (not shared by two triangles)",
                hint="close the surface in the CAD system, or export it as a solid and not as faces",
            )
        return mesh
    except GeometryError as error:
        raise GeometryError(f"{file.name}: {error.what}", where=str(file), hint=error.hint) from None


def save_mesh(shape: Shape, path: str | os.PathLike[str], units: str, *, deviation: float | None = 1e-4) -> None:
    """Write a shape as STL, OBJ, PLY, GLB or STEP.

    A STEP file contains solids with planar faces: triangles in one plane become one face, and round surfaces are
    facets.

    Args:
        shape: the shape.
        path: the file to write; its suffix decides the format.
        units: unit of the numbers in the file; "file" for STEP, which is written in mm.
        deviation: largest deviation of facets from round surfaces, in metres.

    Raises:
        GeometryError: the format is unknown, or a surface for STEP is not closed.
        UnitError: the unit is unknown.
    """
    file = Path(path)
    suffix = _suffix(file, WRITTEN, "written")
    factor = _factor(file, suffix, units)
    if suffix in STEP:
        # The parts of a compound may overlap, which the faces of a solid must not.
        vertices, faces = solid.arrays(solid.solid_of(shape, deviation))
        content = step_text(vertices, faces, file.stem).encode()
    else:
        import trimesh

        vertices, faces = shape.triangles(deviation)
        data = trimesh.Trimesh(vertices / factor, faces, process=False).export(file_type=suffix[1:])
        content = data.encode() if isinstance(data, str) else bytes(data)
    with beside(file) as part:
        part.write_bytes(content)


def _suffix(file: Path, known: tuple[str, ...], verb: str) -> str:
    suffix = file.suffix.lower()
    if suffix not in known:
        raise GeometryError(
            f"{file.name}: files with suffix {suffix!r} cannot be {verb}",
            where=str(file),
            hint=f"convert it to one of {', '.join(name[1:] for name in known)}",
        )
    return suffix


def _factor(file: Path, suffix: str, units: str) -> float:
    if suffix in WITH_UNITS:
        if units != "file":
            kind = "Collada" if suffix == ".dae" else "STEP"
            raise UnitError(
                f"{file.name}: a {kind} file contains its own units, but units={units!r} is given",
                where=str(file),
                hint="write units='file'",
            )
        return 1.0
    if units not in UNITS:
        raise UnitError(
            f"{file.name}: {units!r} is not a unit for meshes", where=str(file), hint=did_you_mean(units, UNITS)
        )
    return UNITS[units]


def _bytes(file: Path) -> bytes:
    try:
        size = file.stat().st_size
        if size > MOST_BYTES:
            raise GeometryError(
                f"{file.name} is {size / 2**20:.0f} MB; the limit is {MOST_BYTES / 2**20:.0f} MB",
                where=str(file),
                hint="export it with coarser facets",
            )
        return read_regular(file)
    except OSError as error:
        raise GeometryError(
            f"{file.name} cannot be read: {error.strerror}", where=str(file), hint="check the path and its spelling"
        ) from None


def _trimesh(data: bytes, kind: str, file: Path) -> "trimesh.Trimesh":
    """Parse the bytes with trimesh. Errors of its parsers become GeometryErrors."""
    import trimesh

    if not data:
        raise GeometryError("the file is empty", hint="export it again")
    if kind == "stl" and b"facet" not in data[:1024]:
        _check_stl_length(data)
    try:
        scene = trimesh.load_scene(
            io.BytesIO(data),
            file_type=kind,
            resolver=_Folder(file.parent) if kind == "gltf" else None,
            skip_materials=True,
            process=False,
        )
        mesh = scene.to_mesh()
    except Exception as error:
        # Given damaged files, parsers raise all kinds of exceptions. To the user, all mean the same.
        text = str(error).strip().splitlines() or [type(error).__name__]
        raise GeometryError(
            f"it cannot be read as {kind.upper()}: {text[0][:120]}",
            hint="open and export it again; a truncated or renamed file looks like this",
        ) from error
    if not len(mesh.faces):
        raise GeometryError("it has no triangles", hint="export the faces, not only points or lines")
    return mesh


class _Folder:
    """The files that a glTF file may refer to: regular files in or below its own folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()

    def __getitem__(self, name: str) -> bytes:
        """Return the bytes of a file."""
        path = (self._folder / name.strip()).resolve()
        if not path.is_relative_to(self._folder):
            raise ValueError(f"it refers to {name!r}, which is not in or below its folder")
        try:
            return read_regular(path)
        except OSError as error:
            raise ValueError(f"it refers to {name!r}: {error.strerror}") from None


def _check_stl_length(data: bytes) -> None:
    """Reject a binary STL whose length does not match its header: a parser could treat it as text and find nothing."""
    count = int.from_bytes(data[80:84], "little")
    if len(data) != 84 + 50 * count:
        raise GeometryError(
            f"it is damaged: {count} triangles need {84 + 50 * count} bytes, the file has {len(data)}",
            hint="export or copy it again; it may be truncated",
        )


def _step(file: Path, data: bytes) -> "trimesh.Trimesh":
    try:
        import cascadio
    except ImportError:
        raise GeometryError(
            "reading STEP needs the extra 'step' (cascadio), which is not installed",
            hint="pip install 'path/to/drycell[step]', or export the part as STL",
        ) from None
    text = data.strip()
    if not (text.startswith(b"ISO-10303-21;") and text.endswith(b"END-ISO-10303-21;")):
        raise GeometryError(
            "it is not a complete STEP file (ISO-10303-21)", hint="export it again; it may be truncated"
        )
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "part.glb"
        cascadio.step_to_glb(str(file), str(made), 0.01, 0.2)  # 0.01 mm, 0.2 rad
        if not made.exists():
            raise GeometryError("the STEP file contains no shape that can be meshed", hint="export a solid")
        return _trimesh(made.read_bytes(), "glb", file)

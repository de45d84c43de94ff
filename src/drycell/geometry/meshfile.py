"""Mesh files: reads STL, OBJ, PLY, glTF and STEP with explicit units; writes STL, OBJ, PLY and GLB."""

import io
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from drycell.base import FileName, GeometryError, InvalidThing, Problem, UnitError, did_you_mean
from drycell.geometry.polyhedron import Mesh
from drycell.geometry.shape import Shape, ShapeModel

if TYPE_CHECKING:
    import trimesh

UNITS: Final = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254}
READ: Final = (".stl", ".obj", ".ply", ".gltf", ".glb", ".step", ".stp")
WRITTEN: Final = (".stl", ".obj", ".ply", ".glb")
MOST_BYTES: Final = 256 * 1024 * 1024


class MeshFile(ShapeModel, kind="mesh", kw_only=False, icon="deployed_code"):
    """A closed surface from a file: STL, OBJ, PLY, glTF or STEP.

    >>> from drycell import Body, MeshFile
    >>> housing = Body(MeshFile("meshes/housing.stl", units="mm"), material="aluminium")
    >>> housing.shape.units
    'mm'
    """

    file: FileName
    """The file, relative to the one that names it."""
    units: Literal["m", "mm", "cm", "um", "in", "file"]
    """Unit of the numbers in the file; ``file`` for STEP, which contains its unit."""

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


def load_mesh(path: str | os.PathLike[str], units: str) -> Mesh:
    """Read a mesh from a file. A scene of several meshes becomes one.

    Args:
        path: an STL, OBJ, PLY, glTF or STEP file. Facets of a STEP file are within 0.01 mm of the true surface.
        units: unit of the numbers in the file (m, cm, mm, um or in), or "file" for STEP, which contains its unit.

    Raises:
        GeometryError: the file cannot be read.
        UnitError: the unit is unknown.
    """
    file = Path(path)
    suffix = _suffix(file, READ, "read")
    factor = _factor(file, suffix, units)
    data = _bytes(file)
    step = suffix in (".step", ".stp")
    try:
        loaded = _step(file, data) if step else _trimesh(data, suffix[1:], file)
        return Mesh(loaded.vertices * factor, loaded.faces)
    except GeometryError as error:
        raise GeometryError(f"{file.name}: {error.what}", where=str(file), hint=error.hint) from None


def save_mesh(shape: Shape, path: str | os.PathLike[str], units: str, *, deviation: float | None = 1e-4) -> None:
    """Write the triangles of a shape as STL, OBJ, PLY or GLB.

    Args:
        shape: the shape.
        path: the file to write; its suffix decides the format.
        units: unit of the numbers in the file.
        deviation: largest deviation of facets from round surfaces, in metres.
    """
    import trimesh

    file = Path(path)
    suffix = _suffix(file, WRITTEN, "written")
    factor = _factor(file, suffix, units)
    vertices, faces = shape.triangles(deviation)
    mesh = trimesh.Trimesh(vertices / factor, faces, process=False)
    data = mesh.export(file_type=suffix[1:])
    content = data.encode() if isinstance(data, str) else bytes(data)
    beside = file.with_name(f".{file.name}.part")  # the file appears under its name only when it is complete
    try:
        beside.write_bytes(content)
        beside.replace(file)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise GeometryError(
            f"{file.name} cannot be written: {error.strerror}",
            where=str(file),
            hint="choose an existing folder with write permission",
        ) from None


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
    if suffix in (".step", ".stp"):
        if units != "file":
            raise UnitError(
                f"{file.name}: a STEP file contains its own units, but units={units!r} is given",
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
                f"{file.name} has {size / 2**20:.0f} MB, the limit is {MOST_BYTES / 2**20:.0f} MB",
                where=str(file),
                hint="export it with coarser facets",
            )
        return file.read_bytes()
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
        resolver = trimesh.resolvers.FilePathResolver(str(file)) if kind == "gltf" else None
        scene = trimesh.load_scene(
            io.BytesIO(data), file_type=kind, resolver=resolver, skip_materials=True, process=False
        )
        mesh = scene.to_mesh()
    except Exception as error:
        # Parsers of damaged files raise all kinds of exceptions, and all of them mean the same to the user.
        text = str(error).strip().splitlines() or [type(error).__name__]
        raise GeometryError(
            f"it cannot be read as {kind.upper()}: {text[0][:120]}",
            hint="open and export it again; a truncated or renamed file looks like this",
        ) from error
    if not len(mesh.faces):
        raise GeometryError("it has no triangles", hint="export the faces, not only points or lines")
    return mesh


def _check_stl_length(data: bytes) -> None:
    """Reject a binary STL whose length does not match its header. A parser could take it for text and find nothing."""
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

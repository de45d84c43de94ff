"""Import CAD files: inspect a file in a given unit, then copy it next to the cell file."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from drycell.base import CellFileError, GeometryError, Vector, beside, write_errors
from drycell.editing.draft import Draft

ENDINGS: Final = (".stl", ".obj", ".ply", ".glb", ".gltf", ".step", ".stp")
UNITS: Final = ("mm", "m", "in", "cm", "um")
MOST_BYTES: Final = 100 * 1024 * 1024
MOST_TRIANGLES: Final = 1_000_000
FOLDER: Final = "meshes"
_LONG: Final = 10.0  # sizes above this are shown in metres


@dataclass(frozen=True, slots=True)
class CadFile:
    """A CAD file before its import: its size and centre in metres, and the number of triangles."""

    path: Path
    units: str
    size: Vector
    middle: Vector
    triangles: int

    @property
    def size_text(self) -> str:
        """The size as text: ``120 × 80 × 10 mm``, ``25 × 8 × 3.5 m``."""
        scale, unit = (1.0, "m") if max(self.size) >= _LONG else (1e3, "mm")
        return " × ".join(f"{each * scale:.4g}" for each in self.size) + f" {unit}"


def look_at(path: str | Path, units: str | None = None) -> CadFile:
    """Inspect a CAD file. A STEP file states its unit; for all other formats it must be given."""
    from drycell.geometry import load_mesh

    path = Path(path)
    step = path.suffix.lower() in (".step", ".stp")
    if units is None and not step:
        raise GeometryError(
            f"{path.name} does not say which unit it uses",
            hint=f"give the unit: units='mm', or one of {', '.join(UNITS)}",
        )
    if path.is_file() and path.stat().st_size > MOST_BYTES:
        raise GeometryError(
            f"{path.name} is {path.stat().st_size / 2**20:.0f} MB; the limit is {MOST_BYTES / 2**20:.0f} MB",
            hint="export it with coarser facets",
        )
    units = "file" if step else str(units)
    mesh = load_mesh(path, units)
    lower, upper = mesh.bounds
    triangles = len(mesh.triangles()[1])
    if triangles > MOST_TRIANGLES:
        what = f"{path.name} has {triangles} triangles; the limit is {MOST_TRIANGLES}"
        raise GeometryError(what, hint="export it with coarser facets")
    x, y, z = (high - low for low, high in zip(lower, upper, strict=True))
    u, v, w = ((low + high) / 2 for low, high in zip(lower, upper, strict=True))
    return CadFile(path, units, (x, y, z), (u, v, w), triangles)


def body_name(path: Path) -> str:
    """Return the name of a body for a file: the file's name without characters that names cannot contain."""
    stem = re.sub(r"[^\w.-]+", "_", path.stem, flags=re.ASCII).strip("._-")[:60] or "part"
    return stem if stem[0].isalpha() else f"part_{stem}"


def bring_in(draft: Draft, cad: CadFile, name: str | None = None, **fields: Any) -> str:
    """Copy a CAD file into the folder of the cell, add a body with its shape, and return the body's name.

    ``fields`` are those of the body: ``on``, ``at``, ``material`` and so on.
    """
    if draft.path is None:
        raise CellFileError("this cell has no folder to copy the file into yet", hint="save it first")
    made = name or draft.free_name(body_name(cad.path))
    target = _copied(cad, draft.path.parent / FOLDER, body_name(cad.path))
    mesh = {"file": f"{FOLDER}/{target.name}", "units": cad.units}
    try:
        return draft.add("bodies", {"shape": {"mesh": mesh}, **fields}, made)
    except Exception:
        target.unlink(missing_ok=True)
        raise


def _copied(cad: CadFile, folder: Path, stem: str) -> Path:
    """Return an unused path for the file in its new folder."""
    # A glTF file may refer to further files, so it is written as a single file.
    ending = ".glb" if cad.path.suffix.lower() == ".gltf" else cad.path.suffix.lower()
    target, number = folder / f"{stem}{ending}", 1
    while target.exists():
        number += 1
        target = folder / f"{stem}{number}{ending}"
    with write_errors(target):
        if ending == cad.path.suffix.lower():
            with beside(target) as part:
                shutil.copyfile(cad.path, part)
        else:
            from drycell.geometry import load_mesh, save_mesh

            save_mesh(load_mesh(cad.path, cad.units), target, cad.units)
    return target

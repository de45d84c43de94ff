"""Writing cell files: values to text with units, and to disk so that a failure leaves the old file as it was."""

import dataclasses
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.cell.file.model import CellFile
from drycell.cell.file.reader import read_cell_file
from drycell.cell.file.section import registered_sections
from drycell.datafile import element, field_types, marks, written_name
from drycell.errors import CellFileError
from drycell.fields import Amount, FileNaming, JointValue, OneOrMore, Quantity
from drycell.files import text_beside
from drycell.units import render

if TYPE_CHECKING:
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

_LINE: Final = 100
# What a thing is comes first, then where it stands, then what it holds.
_LAST: Final = {"at": 1, "rpy": 2, "children": 3}


def save_cell_file(cell_file: CellFile, path: str | Path) -> None:
    """Writes a cell file that reads back as the same cell. It is written beside and renamed when complete.

    Names of files stay right when the cell moves to another folder. Comments of a file it was read from are not kept.
    """
    path = Path(path)
    moved = _moved(cell_file, path)
    text = cell_file_text(moved)
    if read_cell_file(text, path) != moved:
        raise CellFileError(f"{str(path)!r} would not read back as the same cell", hint="report this, with the cell")
    try:
        with text_beside(path) as file:
            file.write(text)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CellFileError(f"{str(path)!r} cannot be written: {reason}", hint="check the folder") from error


def cell_file_text(cell_file: CellFile) -> str:
    """The text of a cell file: defaults left out, quantities with units, short lists on one line."""
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap

    root = CommentedMap()
    root["format"] = cell_file.format
    root["name"] = _text(cell_file.name)
    for name, kind in field_types(CellFile).items():
        value = getattr(cell_file, name)
        if name not in ("format", "name", "sections", "origin") and not _is_default(cell_file, name):
            root[name] = written(value, kind)
    known = registered_sections()
    for name, value in cell_file.sections.items():
        if name not in known:
            raise CellFileError(f"the section {name!r} is not registered", hint="register_section() it first")
        root[name] = written(value, known[name].type)
    yaml = YAML(typ="rt", pure=True)
    yaml.width = _LINE
    yaml.allow_unicode = True
    stream = io.StringIO()
    yaml.dump(root, stream)
    return stream.getvalue()


def _is_default(holder: object, name: str) -> bool:
    field = next(each for each in dataclasses.fields(holder) if each.name == name)  # type: ignore[arg-type]
    default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
    return bool(getattr(holder, name) == default)


def written(value: object, kind: object, depth: int = 0) -> object:
    """A value as the file says it."""
    if isinstance(value, JointValue):
        return 0 if value.dimension is None else render(value.value, value.dimension)
    if isinstance(value, Amount) and value.dimension is not None:
        return float(value) if value.dimension == "ratio" else render(value, value.dimension)
    if isinstance(value, int | float) and not isinstance(value, bool):
        quantity = next((mark for mark in marks(kind) if isinstance(mark, Quantity)), None)
        if quantity is None or quantity.dimension == "ratio":
            return value
        return render(float(value), quantity.dimension)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return _mapping({key: written(item, element(kind, key), depth + 1) for key, item in value.items()}, depth)
    if isinstance(value, tuple) and len(value) == 1 and any(isinstance(mark, OneOrMore) for mark in marks(kind)):
        return written(value[0], element(kind, 0), depth)
    if isinstance(value, tuple | list):
        return _sequence([written(item, element(kind, index), depth + 1) for index, item in enumerate(value)])
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        types = field_types(type(value))
        given = sorted((name for name in types if not _is_default(value, name)), key=lambda name: _LAST.get(name, 0))
        return _mapping(
            {written_name(name): written(getattr(value, name), types[name], depth + 1) for name in given}, depth
        )
    return value


def _text(text: str) -> object:
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

    if text.isprintable():
        return text
    # Several lines stand as they are; whatever YAML would fold or drop is quoted and escaped.
    lines = text.split("\n")
    if lines[-1] == "" and lines[0] and all(line.isprintable() and line == line.strip() for line in lines):
        return LiteralScalarString(text)
    return DoubleQuotedScalarString(text)


def _mapping(items: dict[str, object], depth: int) -> "CommentedMap":
    from ruamel.yaml.comments import CommentedMap

    mapping = CommentedMap(items)
    # Sections and their entries stand line by line; a small thing inside an entry, such as a shape, on one line.
    inner = [item for item in items.values() if isinstance(item, CommentedMap)]
    small = depth >= 2 and len(str(items)) < _LINE - 20 and all(item.fa.flow_style() for item in inner)
    if small or not items:
        mapping.fa.set_flow_style()
    return mapping


def _sequence(items: list[object]) -> "CommentedSeq":
    from ruamel.yaml.comments import CommentedSeq

    sequence = CommentedSeq(items)
    sequence.fa.set_flow_style()
    return sequence


def _moved(cell_file: CellFile, path: Path) -> CellFile:
    """The same cell with its relative file names seen from another folder."""
    if cell_file.origin is None or cell_file.folder.resolve() == path.parent.resolve():
        return cell_file
    source, target = cell_file.folder.resolve(), path.parent.resolve()

    def seen_from_target(value: object, kind: object) -> object:
        if isinstance(value, str) and any(isinstance(mark, FileNaming) for mark in marks(kind)):
            return value if os.path.isabs(value) else Path(os.path.relpath(source / value, target)).as_posix()
        if isinstance(value, dict):
            return {key: seen_from_target(item, element(kind, key)) for key, item in value.items()}
        if isinstance(value, tuple):
            return tuple(seen_from_target(item, element(kind, index)) for index, item in enumerate(value))
        if dataclasses.is_dataclass(value) and not isinstance(value, type) and not isinstance(value, JointValue):
            types = field_types(type(value))
            changed = {name: seen_from_target(getattr(value, name), types[name]) for name in types}
            return dataclasses.replace(value, **changed)
        return value

    types = field_types(CellFile)
    changed = {name: seen_from_target(getattr(cell_file, name), types[name]) for name in types if name != "origin"}
    known = registered_sections()
    changed["sections"] = {
        name: seen_from_target(value, known[name].type) for name, value in cell_file.sections.items() if name in known
    }
    return dataclasses.replace(cell_file, **changed)  # type: ignore[arg-type]

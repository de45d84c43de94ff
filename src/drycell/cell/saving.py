"""Saving: a model as a certain file must say it, with the files that it needs named from there or written beside it."""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from drycell.base import CellFileError, FileNaming, Kinds, OneOf, Thing, Type, beside, fields_of, seen_from
from drycell.cell.model import Head, Model, known_kinds, section_type
from drycell.geometry import MeshFile, Shape, save_mesh


def saved(model: Model, target: Path) -> Model:
    """The model as a file at ``target`` says it. Shapes that files cannot describe are written beside it as meshes."""
    folder, here = target.parent, model.folder
    listed = {(here / each).resolve() for each in model.head.uses}
    foreign = {cls: file for cls, file in _foreign(model) if file not in listed}
    model = replace(model, kinds=Kinds((*model.kinds.classes, *foreign)))
    model.check()
    meshes = _Meshes(folder, {here / each.value for each in model.leaves() if isinstance(each.type, FileNaming)})

    def moved(kind: Type, value: Any) -> Any:
        return seen_from(folder, value, here) if isinstance(kind, FileNaming) else value

    things = {}
    for name, thing in model.things.items():

        def written(kind: Type, value: Any, name: str = name) -> Any:
            return meshes.saved(value, name) if _is_bare(value) else moved(kind, value)

        things[name] = OneOf(type(thing)).mapped(thing.as_written(), written)
    about = {each: section_type(model.kinds, each).mapped(said, moved) for each, said in model.about.items()}
    head = OneOf(Head).mapped(model.head, moved)
    files = dict.fromkeys(file for file in foreign.values() if file is not None)
    uses = (Path(os.path.relpath(file, folder.resolve())).as_posix() for file in files)
    return replace(model, head=head.changed(uses=(*head.uses, *uses)), things=things, about=about, path=target)


def _is_bare(value: object) -> bool:
    """Whether it is a shape that only Python can hold."""
    return isinstance(value, Shape) and not value.meta.kind


def _foreign(model: Model) -> Iterator[tuple[type[Thing], Path | None]]:
    """The classes that the model's kinds do not include, and the Python files that define them: none for plug-ins."""
    used = {type(each): None for each in _inside([model.things, model.about, model.head])}
    for cls in used:
        if not cls.meta.kind or cls in model.kinds.classes:
            continue
        if cls in known_kinds(plug_ins=True).classes:
            yield cls, None
            continue
        module = sys.modules.get(cls.__module__)
        file = getattr(module, "__file__", None)
        if file is None or cls.__module__ == "__main__" or getattr(module, cls.__qualname__, None) is not cls:
            raise CellFileError(
                f"no file that a cell file could name defines the kind {cls.meta.kind!r}",
                hint=f"define {cls.__name__} in a Python file of its own, and import it from there",
            )
        yield cls, Path(file).resolve()


def _inside(value: Any) -> Iterator[Thing]:
    """All things in a value, as files write them."""
    if isinstance(value, Thing):
        value = value.as_written()
        yield value
        if not _is_bare(value):
            for field in fields_of(type(value)):
                yield from _inside(getattr(value, field.name))
    elif isinstance(value, Mapping):
        yield from _inside(list(value.values()))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _inside(each)


class _Meshes:
    """Saves shapes as mesh files in a folder. What is there already, or is to be there for the cell, stays as it is."""

    def __init__(self, folder: Path, used: set[Path]) -> None:
        self._folder, self._used = folder, {each.resolve() for each in used}

    def saved(self, shape: Shape, name: str) -> MeshFile:
        """The mesh file for a shape of the thing of that name."""
        stem = name.replace("/", "-")
        with TemporaryDirectory() as aside:
            save_mesh(shape, Path(aside) / "mesh.ply", units="m")
            content = (Path(aside) / "mesh.ply").read_bytes()
        for number in count(1):
            file = self._folder / f"{stem}{f'-{number}' if number > 1 else ''}.ply"
            if not file.exists() and file.resolve() not in self._used:
                with beside(file) as part:
                    part.write_bytes(content)
                break
            if file.is_file() and file.read_bytes() == content:
                break
        return MeshFile(file.name, "m")

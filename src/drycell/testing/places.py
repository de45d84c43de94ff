"""Where tests find cells and programs: beside the test's file, or below pytest's root."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from drycell.base import CellFileError, FieldError
from drycell.cell import Cell, CellSource
from drycell.testing.bench import Factory, Programs


def subject_from(given: "str | Path | CellSource | Factory", folders: Sequence[Path]) -> "CellSource | Factory":
    """The cell that is meant by a path, a source or a function ``build(cell)``."""
    if isinstance(given, CellSource):
        return given
    if isinstance(given, (str, Path)):
        return CellSource.find(_found(given, folders, "cell"))
    if isinstance(given, Cell) or not callable(given):
        raise FieldError(
            f"drycell_cell takes a path or a function build(cell), not {given!r}",
            hint="a cell runs once: give what builds it",
        )
    return given


def programs_from(
    given: "Mapping[str, str | Path | Callable[..., object]] | None", folders: Sequence[Path]
) -> Programs:
    """Programs to exchange, by name; those in files with their paths."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise FieldError(
            f"program is given as {given!r}, which does not say whose program it is",
            hint='give names: program={"robot": "robot.py"}, or a function instead of the file',
        )
    return {
        name: program if callable(program) else _found(program, folders, "program") for name, program in given.items()
    }


def _found(given: str | Path, folders: Sequence[Path], kind: str) -> Path:
    for folder in dict.fromkeys(folders):
        if (folder / given).exists():
            return folder / given
    looked = " and ".join(str(folder) for folder in dict.fromkeys(folders))
    raise CellFileError(f"there is no {kind} {str(given)!r}", hint=f"looked in {looked}")

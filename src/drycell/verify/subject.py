"""The subject of a search: a cell that can be built anew for every run, and its checks."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.base import KernelError
from drycell.verify.checks import Function, functions_in

if TYPE_CHECKING:
    from drycell.cell import Cell, CellSource, Model
    from drycell.kernel import Chooser

Build = Callable[["Cell"], object]


@dataclass(frozen=True, slots=True)
class Subject:
    """Where the cell comes from: a source on disk, or a function ``build(cell)``."""

    name: str
    source: "CellSource | None"
    model: "Model | None"
    """The source as it was read, once for all runs; None: it is not a cell file."""
    builder: Build | None
    seed: int | None
    checks: tuple[Function, ...]

    @classmethod
    def of(cls, given: "str | Path | CellSource | Build", seed: int | None, checks: Iterable[Function]) -> "Subject":
        """The subject a person means by a path, a source or a function."""
        from drycell.cell import Cell, CellSource

        if isinstance(given, Cell):
            raise KernelError(
                "a cell runs once, and a search runs it many times",
                hint="give verify the cell's path, or the function build(cell) that fills it",
            )
        if isinstance(given, (str, Path, CellSource)):
            source = given if isinstance(given, CellSource) else CellSource.find(given)
            folder = source.path.resolve().parent
            name = folder.name if source.path.stem == "cell" else source.path.stem
            read = None if source.path.suffix == ".py" else source.model()
            return cls(name, source, read, None, seed, (*functions_in(folder), *checks))
        return cls(getattr(given, "__name__", "cell"), None, None, given, seed, tuple(checks))

    def build(self, chooser: "Chooser | None") -> "Cell":
        """A new cell."""
        from drycell.cell import Cell

        if self.model is not None:
            return Cell(self.model, seed=self.seed, chooser=chooser)
        if self.source is not None:
            return self.source.build(seed=self.seed, chooser=chooser)
        cell = Cell(self.name, seed=self.seed or 0, chooser=chooser)
        if self.builder is not None:
            self.builder(cell)
        return cell

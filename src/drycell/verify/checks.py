"""User-defined checks: functions that must hold after every step of every run.

They are defined in a file ``checks.py`` beside the cell file. As in programs, the parameters of a check name the things
it reads. A check that returns a false value is violated. The first line of its docstring, or its name, describes the
requirement.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from inspect import getdoc, isfunction
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.cell import LiveProgram
from drycell.kernel import load_program, naming_line

if TYPE_CHECKING:
    from drycell.cell import Cell

FILE = "checks.py"
Function = Callable[..., object]


def functions_in(folder: Path) -> list[Function]:
    """Return the checks of a cell's folder: the functions of its ``checks.py`` whose names do not start with an
    underscore."""
    path = folder / FILE
    if not path.is_file():
        return []
    with naming_line(f"reading {path}"):
        names = load_program(path).namespace
    return [
        thing
        for name, thing in names.items()
        if isfunction(thing) and thing.__globals__ is names and not name.startswith("_")
    ]


@dataclass(slots=True)
class Check:
    """A check bound to the things of one cell."""

    text: str
    function: Function
    arguments: list[object]
    reads: set[str] = field(default_factory=set)
    """The names read so far."""

    def holds(self, cell: "Cell") -> bool:
        """Return whether it holds now. Its reads are recorded here and do not become part of the run."""
        kernel = cell.kernel
        footprint, budget = kernel.footprint, kernel.budget
        kernel.footprint = {}
        try:
            return bool(self.function(*self.arguments))
        finally:
            self.reads.update(kernel.footprint)
            kernel.footprint, kernel.budget = footprint, budget


def bound(functions: Iterable[Function], cell: "Cell") -> list[Check]:
    """Fill the parameters of checks from a cell."""
    offered = cell.offered()
    made = []
    for function in functions:
        text = (getdoc(function) or function.__name__.replace("_", " ")).splitlines()[0].rstrip(".")
        made.append(Check(text, function, LiveProgram(function).arguments(offered)))
    return made

"""Programs from files, by the ending of the file's name: Python, and whatever languages have been registered.

A language is told here how its files are read; the cell knows nothing else of it.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.cell.culprit import naming_line
from drycell.cell.program import Function, Program
from drycell.errors import ProgramError
from drycell.kernel import load_program

if TYPE_CHECKING:
    from drycell.cell.cell import Cell

    Load = Callable[[Path, Cell, str | None], Function]

_LANGUAGES: "dict[str, Load]" = {}
# Modules of drycell that register languages. They are loaded when a file has an ending that is not known yet.
_OWN: Final = ("drycell.languages.programs",)


def register_language(ending: str, load: "Load") -> None:
    """Makes files with an ending, such as ``.pas``, programs.

    ``load`` gets the file, the cell, and the name of the controller that the program commands; None in a cell without
    robots.
    """
    _LANGUAGES[ending.lower()] = load


def endings() -> list[str]:
    """All endings that files of programs may have."""
    for module in _OWN:
        import_module(module)
    return [".py", *sorted(_LANGUAGES)]


def load_function(cell: "Cell", path: Path, function: str | None, name: str, controller: str | None) -> Function:
    """What a program's file says is to be done: ``function`` of a Python file, or the whole of another."""
    ending = path.suffix.lower()
    if ending == ".py":
        with naming_line(f"reading {path}"):
            program = load_program(path)
        return program.function(function or name)
    if ending not in endings():
        raise ProgramError(
            f"{path.name} is in no language that programs can be in", hint=f"endings are {', '.join(endings())}"
        )
    if function is not None:
        raise ProgramError(
            f"{path.name} is one program, and has no function {function!r} to start", hint="leave it out"
        )
    commanded = controller or only_controller(cell, name)
    return _LANGUAGES[ending](path, cell, commanded)


def only_controller(cell: "Cell", program: str) -> str | None:
    """The controller that a program which names none is for; None if the cell has no robot."""
    moving = [name for name, each in cell.controllers.items() if each.moves_robot]
    if len(moving) == 1:
        return moving[0]
    if not cell.robots:
        return None
    what = f"{len(moving)} controllers that move a robot" if moving else "no controller that moves a robot"
    hint = (
        f"say which: controller: {' or '.join(moving)}" if moving else "add one: controllers: {scorbot: {robot: arm}}"
    )
    raise ProgramError(f"program {program!r} commands a robot, but the cell has {what}", hint=hint)


def replace_program(cell: "Cell", name: str, path: Path, controller: str | None = None) -> None:
    """Lets another file be a program of the cell, on the controller it had or another; a new one is added."""
    known = cell.programs.get(name)
    if controller is None and known is not None:
        controller = known.controller
    function = load_function(cell, path, None, name, controller)
    cell.programs[name] = Program(
        function,
        known.given if known is not None else {},
        known.daemon if known is not None else False,
        known.priority if known is not None else 0,
        controller,
    )

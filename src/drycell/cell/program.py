"""Programs of a cell: functions whose parameters name the things they use, from Python or a file in any language."""

import inspect
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from drycell.base import (
    CellFileError,
    DrycellError,
    FileName,
    InvalidThing,
    Kinds,
    Name,
    PlainOrList,
    Problem,
    ProgramError,
    Ref,
    Scalar,
    Thing,
    UnknownName,
    did_you_mean,
)
from drycell.cell.live import Stage
from drycell.kernel import load_program, naming_line

if TYPE_CHECKING:
    from drycell.cell.cell import Cell

Function = Callable[..., object]
Given = Scalar | tuple[Scalar, ...]


class Program(Thing, kind="python", section="programs", stage=Stage.PROGRAMS, kw_only=False, icon="code"):
    """A program: a file, the function to start in it, the controller it runs on, and values for its parameters.

    The extension of the file determines the language. A language is a subclass with its own ``ending`` and ``load``.

    >>> from drycell import Program
    >>> Program(file="robot.py", priority=1).priority
    1
    """

    file: FileName
    """The program's file, relative to the cell file."""
    function: Name | None = None
    """The function to start; by default the one with the name of the program."""
    controller: Annotated[str, Ref("controller")] | None = None
    """The controller it runs on, whose lines and robot it gets."""
    args: dict[Name, PlainOrList] | None = None
    """Values for parameters of the function."""
    daemon: bool = False
    """Whether the run may end while it still runs."""
    priority: int = 0
    """Programs with a higher priority run first when several are due at the same instant."""
    ending: ClassVar[str] = ".py"

    def offers(self, name: str) -> dict[str, tuple[str, ...]]:
        """Return the program's own name, which nothing else refers to."""
        return {name: ("program",)}

    def load(self, cell: "Cell", path: Path, name: str) -> Function:
        """Return the function to run; a hook for languages.

        Args:
            cell: The cell.
            path: The file of the program.
            name: The name of the program.
        """
        with naming_line(f"reading {path}"):
            program = load_program(path)
        return program.function(self.function or name)

    def build(self, cell: "Cell", name: str) -> "LiveProgram":
        """Load the file and add it as a program of the cell."""
        return cell.start(name, self.loaded(cell, name))

    def loaded(self, cell: "Cell", name: str) -> "LiveProgram":
        """Load the file in the language of its extension, without adding the program to the cell.

        Args:
            cell: The cell, whose folder the file is relative to.
            name: The name of the program.

        Raises:
            InvalidThing: The file does not exist.
            ProgramError: No language has such an extension, or the language has no functions to choose from.
        """
        path = cell.folder / self.file
        if not path.is_file():
            there = sorted(each.name for each in path.parent.iterdir()) if path.parent.is_dir() else []
            hint = did_you_mean(path.name, there)
            raise InvalidThing(Program, [Problem(("file",), f"there is no file {self.file!r}", hint)])
        language = language_of(cell, path)
        if language.ending != ".py" and self.function is not None:
            what = f"{path.name} is a single program without functions, so 'function: {self.function}' does not apply"
            raise ProgramError(what, hint="remove 'function'")
        return LiveProgram(language.load(self, cell, path, name), self)


def exchange(cell: "Cell", name: str, file: Path, controller: str | None = None) -> None:
    """Replace a program of the cell by a file, on its controller or another; in a cell without programs, add it.

    Raises:
        UnknownName: The cell has programs, but none with that name.
    """
    known = cell.programs.get(name)
    if known is None and cell.programs:
        raise UnknownName("program", name, cell.programs)
    kept: dict[str, Any] = {}
    if known is not None:
        kept = {"args": known.given or None, "daemon": known.daemon, "priority": known.priority}
        controller = controller or known.controller
    model = Program(Path(os.path.relpath(file, cell.folder)).as_posix(), controller=controller, **kept)
    found = model.loaded(cell, name)
    # The other program may have fewer parameters, or, in another language, none.
    taken = inspect.signature(found.function).parameters
    found.given = {given: value for given, value in found.given.items() if given in taken}
    cell.programs[name] = found  # in the old position, because programs start in order


def language_of(cell: "Cell", path: Path) -> type[Program]:
    """Return the language of a file, by its extension."""
    from drycell.base import known_kinds

    languages = _languages(cell.kinds)
    if path.suffix.lower() not in languages:
        languages |= _languages(known_kinds(plug_ins=True))
    if path.suffix.lower() not in languages:
        what = f"{path.name} is not in a supported program language"
        raise ProgramError(what, hint=f"supported file extensions: {', '.join(sorted(languages))}")
    return languages[path.suffix.lower()]


def _languages(kinds: Kinds) -> dict[str, type[Program]]:
    return {each.ending: each for each in kinds.under(Program).values() if issubclass(each, Program)}


def endings(kinds: Kinds) -> list[str]:
    """Return all extensions of program files."""
    return sorted(_languages(kinds))


class LiveProgram:
    """A function that starts with the run, and the model it was loaded from, if any."""

    def __init__(
        self,
        function: Function,
        model: Program | None = None,
        *,
        given: Mapping[str, Given] | None = None,
        controller: str | None = None,
        daemon: bool = False,
        priority: int = 0,
    ) -> None:
        self.function, self.model = function, model
        self.given = dict(given or (model.args if model is not None else None) or {})
        self.controller = controller if model is None else model.controller
        self.daemon = daemon if model is None else model.daemon
        self.priority = priority if model is None else model.priority

    def arguments(
        self, offered: Mapping[str, object], missing: Callable[[str, str], DrycellError] | None = None
    ) -> list[object]:
        """Return the values of its parameters by name: given values, robots, bodies, workpoints, signals, or ``cell``.

        ``missing(program, parameter)`` returns the error about a missing thing.
        """
        name = getattr(self.function, "__name__", "program")
        known = {**offered, **self.given}
        values: list[object] = []
        parameters = inspect.signature(self.function).parameters
        for given in self.given:
            if given not in parameters:
                what = f"program {name!r} is given a value for {given!r}, but has no parameter with that name"
                raise UnknownName("parameter", given, parameters, what=what, where=self._place())
        for parameter in parameters.values():
            if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                raise ProgramError(
                    f"program {name}() has the parameter '{parameter}', which cannot name a thing of the cell",
                    hint="name the robots, bodies, workpoints and signals it uses, one plain parameter each",
                )
            if parameter.name in known:
                values.append(known[parameter.name])
            elif parameter.default is not parameter.empty:
                values.append(parameter.default)
            elif missing is not None:
                error = missing(name, parameter.name)
                error.where = error.where or self._place()
                raise error
            else:
                raise self._missing(name, parameter.name, known)
        return values

    def _missing(self, name: str, parameter: str, known: Mapping[str, object]) -> UnknownName:
        what = (
            f"program {name!r} asks for {parameter!r}, but the cell has no robot, body, signal or device with that name"
        )
        return UnknownName("robot, body, signal or device", parameter, known, what=what, where=self._place())

    def _place(self) -> str | None:
        """The file and line of the function, if they are known."""
        code = getattr(inspect.unwrap(self.function), "__code__", None)
        return None if code is None else f"{code.co_filename}, line {code.co_firstlineno}"

    def as_model(self, name: str, folder: Path) -> Program:
        """Return the program's entry for a cell file in a folder. Raises CellFileError if that is impossible."""
        if self.model is not None:
            return self.model
        kept: dict[str, Any] = {"controller": self.controller, "daemon": self.daemon, "priority": self.priority}
        code, whole = getattr(self.function, "__code__", None), getattr(self.function, "file", None)
        if code is None and isinstance(whole, str):  # a program in a language other than Python
            return Program(Path(os.path.relpath(whole, folder)).as_posix(), **kept)
        if code is None or code.co_freevars or "<" in self.function.__qualname__:
            raise CellFileError(
                f"program {name!r} is defined inside another function and cannot be named by a file",
                hint="move it to the top level of its file; its parameters name the robots, bodies and signals it uses",
            )
        file = Path(os.path.relpath(code.co_filename, folder)).as_posix()
        return Program(file, function=code.co_name, args=self.given or None, **kept)

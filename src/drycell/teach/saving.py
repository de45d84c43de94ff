"""Save a lesson into a cell: its program beside the cell file, its points as workpoints."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from drycell.base import FileError, ProgramError, text_beside
from drycell.editing import Draft
from drycell.teach.lesson import plain
from drycell.teach.step import PointSpec

if TYPE_CHECKING:
    from drycell.cell import Cell, LiveProgram
    from drycell.teach.lesson import Lesson

Language = Literal["python", "pascal"]
ENDINGS: Final[dict[Language, str]] = {"python": ".py", "pascal": ".pas"}
_CONTROLLER: Final = "scorbot"  # name of a controller that is added
_TAUGHT: Final = ": taught to "  # marks taught programs in their first lines


@dataclass(frozen=True, slots=True)
class LessonProgram:
    """A lesson as a program of a cell: its text, its file, and its entry in the cell file.

    Its points become workpoints of the cell. ``controller`` runs a program in Pascal, and is added if the robot has
    none. ``instead_of`` are the programs that command the robot now, and which it replaces.
    """

    name: str
    file: str
    text: str
    controller: str | None
    instead_of: tuple[str, ...]


def commanders(cell: "Cell", robot: str) -> list[str]:
    """Return the programs of a cell that command a robot, through their controller or a parameter."""
    return [name for name, program in cell.programs.items() if _commands(cell, program, robot)]


def lesson_program(
    lesson: "Lesson", cell: "Cell", language: Language = "python", start: Sequence[float] | None = None
) -> LessonProgram:
    """Return a lesson as a program of a cell. Raises ProgramError if Pascal cannot express a step.

    ``start`` are the joint values at the start of a run, if the arm has been jogged since.
    """
    controller = _controller(cell, lesson.robot) if language == "pascal" else None
    text = lesson.as_python(cell, named=True) if language == "python" else complete_pascal(lesson, cell, start)
    others = tuple(name for name in commanders(cell, lesson.robot) if name != lesson.program)
    return LessonProgram(lesson.program, f"{lesson.program}{ENDINGS[language]}", text, controller, others)


def write_into(draft: Draft, lesson: "Lesson", program: LessonProgram) -> None:
    """Add the points and the program of a lesson to a draft of the cell file, as one change."""
    with draft.one_step(f"teach {lesson.name}"):
        for point in lesson.points.values():
            _put(draft, "workpoints", point.name, plain(PointSpec.of(point)))
        for name in program.instead_of:
            draft.remove(name, "programs")
        entry: dict[str, object] = {"file": program.file}
        if program.controller is not None:
            entry["controller"] = program.controller
            if draft.get(("controllers", program.controller)) is None:
                draft.add("controllers", {"robot": lesson.robot}, program.controller)
        _put(draft, "programs", program.name, entry)


def save_into(lesson: "Lesson", path: str | Path, *, language: Language = "python") -> LessonProgram:
    """Save a lesson as a program of a cell file. Its points become workpoints; comments are kept.

    It replaces the programs that command the robot now. A file that was not taught is never overwritten.
    """
    from drycell.cell import CellSource

    source = CellSource.find(path)
    draft = Draft.open(source.path)
    program = lesson_program(lesson, source.build(), language)
    file = source.path.parent / program.file
    check_taught(file)
    write_into(draft, lesson, program)
    with text_beside(file) as written:
        written.write(program.text)
    draft.save()
    return program


def check_taught(file: Path) -> None:
    """Raise FileError if a file exists that was not written by teaching, so that it is not overwritten."""
    if not file.exists():
        return
    try:
        head = file.read_text(encoding="utf-8")[:1000]
    except (OSError, UnicodeDecodeError):
        head = ""
    if _TAUGHT not in head:
        raise FileError(f"{file.name} exists and was not taught", hint="give the lesson another name")


def _commands(cell: "Cell", program: "LiveProgram", robot: str) -> bool:
    if program.controller is not None:
        controller = cell.controllers.get(program.controller)
        return controller is not None and controller.moves_robot and controller.robot.name == robot
    called = "".join(character if character.isalnum() else "_" for character in robot)
    function = program.function
    if called in inspect.signature(function).parameters:
        return True
    closed = inspect.getclosurevars(function).nonlocals if inspect.isfunction(function) else {}
    return any(value is cell.robots[robot] for value in closed.values())


def _put(draft: Draft, section: str, name: str, entry: dict[str, object]) -> None:
    if draft.get((section, name)) is None:
        draft.add(section, entry, name)
    else:
        draft.set((section, name), entry)


def _controller(cell: "Cell", robot: str) -> str:
    """Return the controller that moves a robot, or the name for a new one."""
    for name, each in cell.controllers.items():
        if each.moves_robot and each.robot.name == robot:
            return name
    return _CONTROLLER if _CONTROLLER not in cell.controllers else f"{_CONTROLLER}_{robot}"


def enter(lesson: "Lesson", cell: "Cell", file: Path) -> None:
    """Write the program of a lesson to a file, in the language of its extension, and add it to the cell."""
    from drycell.cell import exchange
    from drycell.devices import Controller

    pascal = file.suffix == ENDINGS["pascal"]
    text = complete_pascal(lesson, cell) if pascal else lesson.as_python(cell)
    controller = _controller(cell, lesson.robot) if pascal else None
    if controller is not None and controller not in cell.controllers:
        cell.add(controller, Controller(robot=lesson.robot))
    with text_beside(file) as written:
        written.write(text)
    exchange(cell, lesson.program, file, controller)


def complete_pascal(lesson: "Lesson", cell: "Cell", start: Sequence[float] | None = None) -> str:
    """Return the program in Pascal. Raises ProgramError if it cannot express all steps."""
    made = lesson.as_pascal(cell, start=start)
    if not made.complete:
        raise ProgramError(
            f"Pascal cannot express {len(made.gaps)} of the steps of {lesson.name!r}; {made.gaps[0]}",
            hint="change these steps, or use Python",
        )
    return made.text

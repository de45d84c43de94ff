"""A lesson made part of a cell: its program beside the cell file, its points as workpoints in it."""

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
_CONTROLLER: Final = "scorbot"  # the name of one that is added
_TAUGHT: Final = ": taught to "  # stands at the top of every program that was taught


@dataclass(frozen=True, slots=True)
class LessonProgram:
    """A lesson as a program of a cell: its text, the file it belongs in, and what its entry in a cell file says.

    Its points are named in it: they become workpoints of the cell. ``controller`` is the one that a program in Pascal
    runs on, which is added to a cell that has none for the robot. ``instead_of`` are the programs of the cell that
    command the same robot, whose place it takes.
    """

    name: str
    file: str
    text: str
    controller: str | None
    instead_of: tuple[str, ...]


def commanders(cell: "Cell", robot: str) -> list[str]:
    """The programs of a cell that command a robot: by the controller they run on, or because they ask for it."""
    return [name for name, program in cell.programs.items() if _commands(cell, program, robot)]


def lesson_program(
    lesson: "Lesson", cell: "Cell", language: Language = "python", start: Sequence[float] | None = None
) -> LessonProgram:
    """What a lesson is as a program of a cell; in Pascal it must be without gaps.

    ``start`` are the joint values at which a run begins, if the arm has been jogged from there.
    """
    controller = _controller(cell, lesson.robot) if language == "pascal" else None
    text = lesson.as_python(cell, named=True) if language == "python" else complete_pascal(lesson, cell, start)
    others = tuple(name for name in commanders(cell, lesson.robot) if name != lesson.program)
    return LessonProgram(lesson.program, f"{lesson.program}{ENDINGS[language]}", text, controller, others)


def write_into(draft: Draft, lesson: "Lesson", program: LessonProgram) -> None:
    """Enters a lesson's points and program into a draft of the cell file, as one step."""
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
    """Saves a lesson as a program of a cell file: its taught points become workpoints there, comments are kept.

    It takes the place of the programs that command the robot now. A file that was not taught is never overwritten.
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
    """Raises FileError if a file is there that was not written by teaching: nobody's own program is written over."""
    if not file.exists():
        return
    try:
        head = file.read_text(encoding="utf-8")[:1000]
    except (OSError, UnicodeDecodeError):
        head = ""
    if _TAUGHT not in head:
        raise FileError(f"{file.name} is there already, and was not taught", hint="give the lesson another name")


def _commands(cell: "Cell", program: "LiveProgram", robot: str) -> bool:
    if program.controller is not None:
        controller = cell.controllers.get(program.controller)
        return controller is not None and controller.moves_robot and controller.robot.name == robot
    called = "".join(sign if sign.isalnum() else "_" for sign in robot)
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
    """The controller that moves a robot, or the name of one to be added for it."""
    for name, each in cell.controllers.items():
        if each.moves_robot and each.robot.name == robot:
            return name
    return _CONTROLLER if _CONTROLLER not in cell.controllers else f"{_CONTROLLER}_{robot}"


def enter(lesson: "Lesson", cell: "Cell", file: Path) -> None:
    """Writes the program of a lesson to a file, in the language of its ending, and makes it a program of the cell."""
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
    """The program in Pascal; a lesson with steps that Pascal cannot say is refused."""
    made = lesson.as_pascal(cell, start=start)
    if not made.complete:
        raise ProgramError(
            f"Pascal cannot say {len(made.gaps)} of the steps of {lesson.name!r}; {made.gaps[0]}",
            hint="change these steps, or take the program in Python",
        )
    return made.text

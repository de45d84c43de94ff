"""The section ``controllers`` of a cell file, and what a program that runs on a controller may see of the cell."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar

from drycell.cell.file import CellFile, Section, register_section
from drycell.datafile import FieldPath
from drycell.devices.controller import PULSE, Key
from drycell.errors import DrycellError, FieldError, KernelError, Mistake, ProgramError, UnknownName, did_you_mean
from drycell.fields import Duration, Name, Naming
from drycell.kernel import Reserved

if TYPE_CHECKING:
    from drycell.cell.cell import Cell
    from drycell.devices.controller import Controller


@dataclass(frozen=True)
class _Line(Naming):
    """A line: a number from 1 on, or a name. Kept as text, as keys of a file are."""

    def read(self, written: object) -> str:
        if isinstance(written, str) and written.isascii() and written.isdecimal():
            number = int(written)
            if not 1 <= number <= 999:
                raise FieldError(f"there is no line {number}", hint="lines are numbered from 1 on")
            return str(number)
        return super().read(written)


Line = Annotated[str, _Line()]


@dataclass(frozen=True, kw_only=True)
class ControllerSpec:
    """The lines of a controller, wired to signals, and the robot it moves."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}
    robot: Name | None = None
    inputs: dict[Line, Name] = field(default_factory=dict)
    outputs: dict[Line, Name] = field(default_factory=dict)
    pulse: Duration = PULSE


def controllers_of(cell_file: CellFile) -> dict[str, ControllerSpec]:
    """The controllers a file describes, by name, in its order."""
    found = cell_file.sections.get("controllers", {})
    return found if isinstance(found, dict) else {}


def _rules(cell_file: CellFile) -> Iterable[Mistake]:
    for name, spec in controllers_of(cell_file).items():
        if spec.robot is not None and spec.robot not in cell_file.robots:
            path: FieldPath = ("controllers", name, "robot")
            yield cell_file.mistake(
                path, f"there is no robot {spec.robot!r}", did_you_mean(spec.robot, cell_file.robots)
            )


register_section(Section("controllers", dict[Name, ControllerSpec], _rules))


# ---------------------------------------------------------------- from a file, and back


def add_controllers(cell: "Cell", cell_file: CellFile) -> None:
    """Wires the controllers of a file; every signal they name must be there."""
    for name, spec in controllers_of(cell_file).items():
        path: FieldPath = ("controllers", name)
        for lines in ("inputs", "outputs"):
            for line, signal in getattr(spec, lines).items():
                if signal not in cell.kernel.signals:
                    hint = did_you_mean(signal, cell.kernel.signals) + f"; or declare it: signals: {{{signal}: false}}"
                    raise cell_file.error((*path, lines, line), f"there is no signal {signal!r}", hint)
                found = cell.kernel.signals[signal]
                if lines == "outputs" and isinstance(found, Reserved):
                    error = found.refusal(f"output {line} of controller {name!r}")
                    raise cell_file.error((*path, lines, line), error.what, error.hint)
        try:
            cell.add_controller(
                name, robot=spec.robot, inputs=_keyed(spec.inputs), outputs=_keyed(spec.outputs), pulse=spec.pulse
            )
        except KernelError as error:
            raise cell_file.error((*path, "outputs"), error.what, error.hint) from error


def controller_specs(cell: "Cell") -> dict[str, object]:
    """The section of a cell's file; nothing if there are no controllers."""
    specs = {
        name: ControllerSpec(
            robot=each.robot.name if each.moves_robot else None,
            inputs={str(key): signal.name for key, signal in each.inputs.items()},
            outputs={str(key): signal.name for key, signal in each.outputs.items()},
            pulse=each.pulse_width,
        )
        for name, each in cell.controllers.items()
    }
    return {"controllers": specs} if specs else {}


def _keyed(lines: Mapping[str, str]) -> dict[Key, str]:
    return {int(line) if line.isdecimal() else line: signal for line, signal in lines.items()}


# ---------------------------------------------------------------- for programs


class OnController:
    """What a program on a controller can ask for by name: ``robot``, ``io``, ``scorbot``, and places."""

    def __init__(self, cell: "Cell", name: str) -> None:
        self._cell = cell
        self._lines: Controller = cell.controller(name)

    def offered(self) -> dict[str, object]:
        """The controller's lines as ``io``, its robot, and bodies and workpoints, which programs only go to."""
        cell, lines = self._cell, self._lines
        things: dict[str, object] = {}
        for group in (cell.world.bodies, cell.world.workpoints):
            for name, thing in group.items():
                things[plain_name(name)] = thing
        things["io"] = lines
        if lines.moves_robot:
            things["robot"] = lines.robot
            if lines.robot.mechanism.dof == 5:
                things["scorbot"] = cell.scorbot(lines.name)
        return things

    def missing(self, program: str, wanted: str) -> DrycellError:
        """The error about something else, that says where it is to be had."""
        own = self._lines
        everything = self._cell.offered()
        if wanted not in everything:
            return UnknownName(
                f"thing on controller {own.name!r} for program {program}() called", wanted, self.offered()
            )
        what = f"program {program}() runs on controller {own.name!r} and cannot have {wanted!r} of the cell"
        for other in (own, *(each for each in self._cell.controllers.values() if each is not own)):
            lines = [("input", key, signal) for key, signal in other.inputs.items()]
            lines += [("output", key, signal) for key, signal in other.outputs.items()]
            for line, key, signal in lines:
                if plain_name(signal.name) == wanted:
                    if other is own:
                        return ProgramError(what, hint=f"it is {line} {key} there: ask for io, and io.{line}({key!r})")
                    return ProgramError(
                        f"{what}: it is wired to controller {other.name!r}", hint=f"wire it to {own.name!r}, too"
                    )
        return ProgramError(what, hint="a program on a controller gets io, robot, bodies and workpoints")


def plain_name(name: str) -> str:
    """A name as a parameter can be called: signs other than letters and digits become _."""
    return "".join(sign if sign.isalnum() else "_" for sign in name)

"""Programs of a cell that are written in Pascal or ARLA. The extension of a file selects the language."""

from pathlib import Path
from typing import ClassVar

from drycell.base import ProgramError
from drycell.cell import Cell, Function, Program
from drycell.devices import LiveController


class Pascal(Program, kind="pascal", icon="code"):
    """A program in Pascal with ScorPas, which commands a robot through its controller."""

    ending: ClassVar[str] = ".pas"

    def load(self, cell: Cell, path: Path, name: str) -> Function:
        """Load the file as one program for the controller."""
        from drycell.languages.kit import ScorbotInterface
        from drycell.languages.pascal import load_pascal

        controller = commanded(cell, self.controller, name)
        if controller is None:
            return load_pascal(path)
        commands = controller.commanded_as("scorbot")
        if not isinstance(commands, ScorbotInterface):
            raise ProgramError(
                f"{path.name} needs the commands of ScorPas, but 'scorbot' is {type(commands).__name__}",
                hint="rename the command set that uses the kind 'scorbot'",
            )
        return load_pascal(path, commands)


class Arla(Program, kind="arla", icon="code"):
    """A program in ARLA, which commands a robot through its controller."""

    ending: ClassVar[str] = ".arl"

    def load(self, cell: Cell, path: Path, name: str) -> Function:
        """Load the file as one program for the controller."""
        from drycell.languages.arla import VirtualS3, load_arla

        controller = commanded(cell, self.controller, name)
        if controller is None:
            raise ProgramError(
                f"{path.name} commands a robot, but the cell has no robot", hint="add one: robots: {arm: {…}}"
            )
        return load_arla(path, VirtualS3.on(cell, controller))


def commanded(cell: Cell, controller: str | None, program: str) -> LiveController | None:
    """The controller that a program commands: the one it names, or the only one; None if the cell has no robot."""
    if controller is not None:
        named: LiveController = cell[controller]
        return named
    moving: dict[str, LiveController] = {name: each for name, each in cell.controllers.items() if each.moves_robot}
    if len(moving) == 1:
        return next(iter(moving.values()))
    if not cell.robots:
        return None
    what = f"{len(moving)} controllers that move a robot" if moving else "no controller that moves a robot"
    hint = f"name one: controller: {' or '.join(moving)}" if moving else "add one: controllers: {scorbot: {robot: arm}}"
    raise ProgramError(f"program {program!r} commands a robot, but the cell has {what}", hint=hint)

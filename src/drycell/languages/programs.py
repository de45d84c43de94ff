"""The languages, besides Python, that programs of a cell may be written in: in which files, and how they are read."""

from pathlib import Path

from drycell.cell import Cell
from drycell.cell.loading import register_language
from drycell.cell.program import Function
from drycell.errors import ProgramError


def _pascal(path: Path, cell: Cell, controller: str | None) -> Function:
    from drycell.languages.pascal import load_pascal

    return load_pascal(path, None if controller is None else cell.scorbot(controller))


def _arla(path: Path, cell: Cell, controller: str | None) -> Function:
    from drycell.languages.arla import VirtualS3, load_arla

    if controller is None:
        raise ProgramError(f"{path.name} is for a robot, but the cell has none", hint="add one: robots: {arm: {…}}")
    return load_arla(path, VirtualS3.on(cell, cell.controller(controller)))


register_language(".arl", _arla)
register_language(".pas", _pascal)

"""The languages, besides Python, that programs of a cell may be written in: in which files, and how they are read."""

from pathlib import Path

from drycell.cell.loading import register_language
from drycell.cell.program import Function
from drycell.devices.scorbot_controller import ScorbotController


def _pascal(path: Path, controller: ScorbotController | None) -> Function:
    from drycell.languages.pascal import load_pascal

    return load_pascal(path, controller)


register_language(".pas", _pascal)

"""EMULA: the emulation system for sensory robots of 1981, on drycell; its language, its engine and its console."""

from drycell.languages.emula.emulation import Emulation
from drycell.languages.emula.fault import EmulaError
from drycell.languages.emula.guard import Guard, MoveReport
from drycell.languages.emula.interpreter import Interpreter, Outcome, run_text
from drycell.languages.emula.workstation import build_workstation

__all__ = ["EmulaError", "Emulation", "Guard", "Interpreter", "MoveReport", "Outcome", "build_workstation", "run_text"]

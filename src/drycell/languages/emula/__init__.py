"""EMULA: the emulation system for sensory robots of 1981, on drycell; its language, its engine and its console."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.languages.emula.completion import Completer as Completer
    from drycell.languages.emula.emulation import Emulation as Emulation
    from drycell.languages.emula.fault import EmulaError as EmulaError
    from drycell.languages.emula.guard import Guard as Guard, MoveReport as MoveReport
    from drycell.languages.emula.inspection import lines_of as lines_of
    from drycell.languages.emula.interpreter import Interpreter as Interpreter, Outcome as Outcome, run_text as run_text
    from drycell.languages.emula.parser import parse as parse
    from drycell.languages.emula.session import (
        Setup as Setup,
        add_console as add_console,
        offer as offer,
        robot_of as robot_of,
        run_batch as run_batch,
        run_console as run_console,
        workstation as workstation,
    )
    from drycell.languages.emula.workstations import build_workstation as build_workstation
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)

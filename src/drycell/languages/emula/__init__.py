"""EMULA, the emulation system for sensory robots of 1981, on drycell: its language, its engine and its console.

``parser`` reads a text into a syntax tree, and ``interpreter`` executes it statement by statement. Commands are
routines (``routines``, ``commands``), which call the engine (``emulation``).
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.languages.emula.console import Completer as Completer
    from drycell.languages.emula.emulation import Emulation as Emulation
    from drycell.languages.emula.environment import lines_of as lines_of
    from drycell.languages.emula.interpreter import Interpreter as Interpreter, run_text as run_text
    from drycell.languages.emula.parser import EmulaError as EmulaError, parse as parse
    from drycell.languages.emula.sensor_functions import SensorCall as SensorCall, UserFunction as UserFunction
    from drycell.languages.emula.sensors import MoveReport as MoveReport, SensorGuard as SensorGuard
    from drycell.languages.emula.session import (
        SessionOptions as SessionOptions,
        add_console as add_console,
        register_session as register_session,
        robot_of as robot_of,
        run_batch as run_batch,
        run_console as run_console,
        workstation as workstation,
    )
    from drycell.languages.emula.workstations import build_workstation as build_workstation
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)

"""EMULA's console in a session: the page sends its input, and its robot moves in the view."""

import signal
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from drycell.base import DrycellError
from drycell.studio.api.emula import (
    EmulaApi,
    EmulaCompletion,
    EmulaDrawing,
    EmulaEntry,
    EmulaState,
    EmulaTranscript,
)
from drycell.studio.host.session import HostSession

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.languages.emula import Interpreter

_KEPT: Final = 2000  # entries of the transcript
_LONGEST: Final = 10_000  # characters of a line
_WAITING: Final = 500  # lines typed ahead
_POLL: Final = 0.02  # seconds between two checks for input, while cell time stands still


class HostEmula(EmulaApi):
    """The console of a session. There is at most one."""

    def __init__(self, session: HostSession) -> None:
        self._session = session
        self._open: _Console | None = None

    async def begin(self, cell: str | None = None, model: str = "stylised", seed: int | None = None) -> EmulaState:
        from drycell.languages.emula import SessionOptions, add_console, robot_of, workstation

        if cell is None:
            built, robot = workstation(model, seed or 0)
        else:
            from drycell.cell import CellSource

            source = CellSource.find(cell)
            source.check_trusted()
            built = source.build(seed=seed)
            robot = robot_of(built)
        out = self._session.folder / "emula"

        def echo(text: str) -> None:
            self._console().add(text.replace(f"{out}/", ""))  # the temporary folder of this host means nothing to users

        setup = SessionOptions(echo=echo, out=out, model=model if cell is None else None)
        interpreter, _ = add_console(lambda prompt: self._console().read(prompt), built, robot, setup)
        console = self._open = _Console(self._session, built, interpreter)
        self._session.open_cell(built)
        self._session.start()
        kind = robot.model_name
        console.add(f"EMULA on drycell. Cell: {built.name} ({kind}). 'help' lists the commands.")
        return console.state()

    async def transcript(self) -> EmulaTranscript | None:
        console = self._open
        return None if console is None else EmulaTranscript(console.state(), tuple(console.transcript))

    async def type_line(self, line: str) -> EmulaState:
        console = self._console()
        lines = line.splitlines() or [""]
        if len(console.lines) + len(lines) > _WAITING or max(map(len, lines)) > _LONGEST:
            raise DrycellError(
                f"{len(lines)} lines are too many at once, or one is too long",
                hint=f"enter at most {_WAITING} lines of {_LONGEST} characters; LOAD('file.eml') reads a whole file",
            )
        console.lines.extend(lines)
        return console.state()

    async def interrupt(self) -> EmulaState:
        console = self._console()
        console.lines.clear()
        if console.prompt is not None:
            console.interrupted = True
        else:
            signal.raise_signal(signal.SIGINT)  # handled by the console: it stops the robot at the next event
        return console.state()

    async def complete(self, line: str) -> EmulaCompletion:
        from drycell.languages.emula import Completer

        words = line.replace("(", " ").replace(",", " ").replace("<", " ").split(" ")
        found = Completer(self._console().interpreter).words(words[-1], line[: len(line) - len(words[-1])])
        return EmulaCompletion(words[-1], tuple(found[:50]))

    async def drawing(self, number: int) -> EmulaDrawing:
        display = self._console().interpreter.emulation.display
        if not 1 <= number <= len(display.pages):
            raise DrycellError(f"there is no drawing {number}", hint=f"there are {len(display.pages)} drawings so far")
        display.flush()
        page = Path(display.pages[number - 1])
        return EmulaDrawing(page.name, "svg" if page.suffix == ".svg" else "png", page.read_bytes())

    def _console(self) -> "_Console":
        if self._open is None:
            raise DrycellError("no EMULA console is open", hint="open one in the EMULA tab")
        return self._open


class _Console:
    """One EMULA session: its transcript, the prompt at which it waits, and its drawings."""

    def __init__(self, session: HostSession, cell: "Cell", interpreter: "Interpreter") -> None:
        self._session, self._cell = session, cell
        self.interpreter = interpreter
        self.transcript: deque[EmulaEntry] = deque(maxlen=_KEPT)
        self.lines: deque[str] = deque()
        self.prompt: str | None = None
        self.interrupted = False
        self.ended = False

    def add(self, text: str, kind: Literal["typed", "answer"] = "answer") -> None:
        """Add a line to the transcript and send it to the page."""
        entry = EmulaEntry(kind, text)
        self.transcript.append(entry)
        self._session.push(entry)

    def read(self, prompt: str) -> str:
        """Wait for the next line. The page's requests are served in the meantime; cell time stands still."""
        kernel, pace = self._cell.kernel, self._session.pace
        self.interpreter.emulation.display.flush()
        self.prompt = prompt
        self._push_state()
        while not self.lines and not self.interrupted and not kernel.ending:
            if kernel.inspections:
                kernel.serve_inspections()
            else:
                time.sleep(_POLL)
        self.prompt = None
        self._push_state()
        if pace is not None:
            pace.factor = pace.factor  # resets the pace: the waiting time is not made up
        if kernel.ending:
            self.ended = True
            raise EOFError
        if self.interrupted:
            self.interrupted = False
            raise KeyboardInterrupt
        line = self.lines.popleft()
        self.add(f"{prompt}{line}", "typed")
        return line

    def state(self) -> EmulaState:
        """The prompt, and the number of drawings."""
        return EmulaState(self.prompt, len(self.interpreter.emulation.display.pages), self.ended)

    def _push_state(self) -> None:
        self._session.push(self.state())

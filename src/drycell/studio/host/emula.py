"""EMULA's console in a session: its robot moves in the view, and lines come from the page instead of a terminal."""

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
_POLL: Final = 0.02  # seconds between two looks for a line, while cell time stands still


class HostEmula(EmulaApi):
    """The console of a session: one at most, for a host is used for one thing."""

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
            self._console().say(text.replace(f"{out}/", ""))  # where this host keeps its files means nothing to anybody

        setup = SessionOptions(echo=echo, out=out, model=model if cell is None else None)
        interpreter, _ = add_console(lambda prompt: self._console().read(prompt), built, robot, setup)
        console = self._open = _Console(self._session, built, interpreter)
        self._session.set_up(built)
        self._session.start()
        kind = getattr(built.models[robot.name], "model", None) or robot.mechanism.name
        console.say(f"EMULA on drycell. Cell: {built.name} ({kind}). 'help' lists the commands.")
        return console.state()

    async def transcript(self) -> EmulaTranscript | None:
        console = self._open
        return None if console is None else EmulaTranscript(console.state(), tuple(console.transcript))

    async def type_line(self, line: str) -> EmulaState:
        console = self._console()
        lines = line.splitlines() or [""]
        if len(console.lines) + len(lines) > _WAITING or max(map(len, lines)) > _LONGEST:
            raise DrycellError(
                f"{len(lines)} lines are too much at a time, or one is too long",
                hint=f"at most {_WAITING} lines of {_LONGEST} characters; LOAD('file.eml') reads a whole file",
            )
        console.lines.extend(lines)
        return console.state()

    async def interrupt(self) -> EmulaState:
        console = self._console()
        console.lines.clear()
        if console.prompt is not None:
            console.interrupted = True
        else:
            signal.raise_signal(signal.SIGINT)  # the console's own: it stops the robot at the cell's next event
        return console.state()

    async def complete(self, line: str) -> EmulaCompletion:
        from drycell.languages.emula import Completer

        words = line.replace("(", " ").replace(",", " ").replace("<", " ").split(" ")
        found = Completer(self._console().interpreter).words(words[-1], line[: len(line) - len(words[-1])])
        return EmulaCompletion(words[-1], tuple(found[:50]))

    async def drawing(self, number: int) -> EmulaDrawing:
        display = self._console().interpreter.emulation.display
        if not 1 <= number <= len(display.pages):
            raise DrycellError(f"there is no page {number}", hint=f"{len(display.pages)} have been drawn")
        display.flush()
        page = Path(display.pages[number - 1])
        return EmulaDrawing(page.name, "svg" if page.suffix == ".svg" else "png", page.read_bytes())

    def _console(self) -> "_Console":
        if self._open is None:
            raise DrycellError("no EMULA console is open", hint="begin one in the EMULA tab")
        return self._open


class _Console:
    """One session: what was typed and answered, the prompt it waits at, and the pages it has drawn."""

    def __init__(self, session: HostSession, cell: "Cell", interpreter: "Interpreter") -> None:
        self._session, self._cell = session, cell
        self.interpreter = interpreter
        self.transcript: deque[EmulaEntry] = deque(maxlen=_KEPT)
        self.lines: deque[str] = deque()
        self.prompt: str | None = None
        self.interrupted = False
        self.ended = False

    def say(self, text: str, kind: Literal["typed", "answer"] = "answer") -> None:
        """Puts a text down and tells the page."""
        entry = EmulaEntry(kind, text)
        self.transcript.append(entry)
        self._session.push(entry)

    def read(self, prompt: str) -> str:
        """The next line that is typed. Whoever looks at the cell meanwhile is served: its clock stands still."""
        kernel, pace = self._cell.kernel, self._session.pace
        self.interpreter.emulation.display.flush()
        self.prompt = prompt
        self._tell()
        while not self.lines and not self.interrupted and not kernel.ending:
            if kernel.inspections:
                kernel.serve_inspections()
            else:
                time.sleep(_POLL)
        self.prompt = None
        self._tell()
        if pace is not None:
            pace.factor = pace.factor  # the time somebody thought is not to be made up for
        if kernel.ending:
            self.ended = True
            raise EOFError
        if self.interrupted:
            self.interrupted = False
            raise KeyboardInterrupt
        line = self.lines.popleft()
        self.say(f"{prompt}{line}", "typed")
        return line

    def state(self) -> EmulaState:
        """What the page needs to show the console: where it waits, and how many pages there are."""
        return EmulaState(self.prompt, len(self.interpreter.emulation.display.pages), self.ended)

    def _tell(self) -> None:
        self._session.push(self.state())

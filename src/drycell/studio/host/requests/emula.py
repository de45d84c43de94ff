"""EMULA's console on the stage: its robot moves in the view, and lines come from the page instead of a terminal."""

import signal
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.base import DrycellError
from drycell.studio.host.session import HostSession
from drycell.studio.host.table import Reply, request
from drycell.studio.host.wire import Json

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.languages.emula import Interpreter

_KEPT: Final = 2000  # entries of the transcript
_LONGEST: Final = 10_000  # characters of a line
_WAITING: Final = 500  # lines typed ahead
_POLL: Final = 0.02  # seconds between two looks for a line, while cell time stands still


class EmulaSession:
    """One session: what was typed and answered, the prompt it waits at, and the pages it has drawn."""

    def __init__(self, session: HostSession, cell: "Cell", interpreter: "Interpreter") -> None:
        self._session, self._cell = session, cell
        self.interpreter = interpreter
        self.transcript: deque[dict[str, Json]] = deque(maxlen=_KEPT)
        self.lines: deque[str] = deque()
        self.prompt: str | None = None
        self.interrupted = False
        self.ended = False

    def say(self, text: str, kind: str = "answer") -> None:
        """Puts a text down and tells the page."""
        entry: dict[str, Json] = {"kind": kind, "text": text}
        self.transcript.append(entry)
        self._session.push("emula", {"entry": entry})

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

    def state(self) -> dict[str, Json]:
        """What the page needs to show the console: where it waits, and how many pages there are."""
        return {"prompt": self.prompt, "drawings": len(self.interpreter.emulation.display.pages), "ended": self.ended}

    def _tell(self) -> None:
        self._session.push("emula", self.state())


_consoles: dict[HostSession, EmulaSession] = {}  # one at most: a stage is used for one thing


@request("emula_begin")
def begin(session: HostSession, *, cell: str | None = None, model: str = "stylised", seed: int | None = None) -> Reply:
    """Puts the paper's work station on stage, or another cell with one robot, and opens the console."""
    from drycell.languages.emula import SessionOptions, add_console, robot_of, workstation

    if cell is None:
        built, robot = workstation(model, seed or 0)
    else:
        from drycell.cell import CellSource

        source = CellSource.find(cell)
        source.check_trusted()
        built = source.build(seed=seed)
        robot = robot_of(built)
    out = session.folder / "emula"

    def echo(text: str) -> None:
        _console(session).say(text.replace(f"{out}/", ""))  # where this stage keeps its files says nothing to anybody

    setup = SessionOptions(echo=echo, out=out, model=model if cell is None else None)
    interpreter, _ = add_console(lambda prompt: _console(session).read(prompt), built, robot, setup)
    console = _consoles[session] = EmulaSession(session, built, interpreter)
    session.set_up(built)
    session.start()
    kind = getattr(built.models[robot.name], "model", None) or robot.mechanism.name
    console.say(f"EMULA on drycell. Cell: {built.name} ({kind}). 'help' lists the commands.")
    return console.state()


@request("emula_state")
def state(session: HostSession) -> Reply:
    """All that was typed and answered so far, and where the console waits; null where none is open."""
    console = _consoles.get(session)
    if console is None:
        return {"session": None}
    return {"session": console.state(), "transcript": list(console.transcript)}


@request("emula_type")
def type_line(session: HostSession, *, line: str) -> Reply:
    """Types a line, or several; they are read when the console asks for one."""
    console = _console(session)
    lines = line.splitlines() or [""]
    if len(console.lines) + len(lines) > _WAITING or max(map(len, lines)) > _LONGEST:
        raise DrycellError(
            f"{len(lines)} lines are too much at a time, or one is too long",
            hint=f"at most {_WAITING} lines of {_LONGEST} characters; LOAD('file.eml') reads a whole file",
        )
    console.lines.extend(lines)
    return console.state()


@request("emula_interrupt")
def interrupt(session: HostSession) -> Reply:
    """As Ctrl-C: stops the running move, or gives up the line being typed."""
    console = _console(session)
    console.lines.clear()
    if console.prompt is not None:
        console.interrupted = True
    else:
        signal.raise_signal(signal.SIGINT)  # the console's own: it stops the robot at the cell's next event
    return console.state()


@request("emula_complete")
def complete(session: HostSession, *, line: str) -> Reply:
    """The words that the end of a line can become."""
    from drycell.languages.emula import Completer

    words = line.replace("(", " ").replace(",", " ").replace("<", " ").split(" ")
    found = Completer(_console(session).interpreter).words(words[-1], line[: len(line) - len(words[-1])])
    return {"beginning": words[-1], "words": found[:50]}


@request("emula_drawing")
def drawing(session: HostSession, *, number: int) -> Reply:
    """A page as a file: SVG of lines, or a shaded PNG."""
    display = _console(session).interpreter.emulation.display
    if not 1 <= number <= len(display.pages):
        raise DrycellError(f"there is no page {number}", hint=f"{len(display.pages)} have been drawn")
    display.flush()
    page = Path(display.pages[number - 1])
    return {"name": page.name, "kind": page.suffix[1:]}, page.read_bytes()


def _console(session: HostSession) -> EmulaSession:
    console = _consoles.get(session)
    if console is None:
        raise DrycellError("no EMULA console is open", hint="begin one in the EMULA tab")
    return console

"""The console: a program of the cell that reads commands from the user, with help and completion.

Cell time stands still while the user types. A mistake is printed, and the session continues. Ctrl-C discards the
current line, or stops the running move; Ctrl-D or ``quit`` ends the session.
"""

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from drycell.base import DrycellError, did_you_mean
from drycell.kernel import Arguments, Request, in_program
from drycell.languages.emula.interpreter import Interpreter
from drycell.languages.emula.parser import KEYWORDS, EmulaError, is_unfinished
from drycell.languages.emula.routines import all_routines, routine_named
from drycell.languages.emula.sensor_functions import BUILT_IN
from drycell.languages.kit import SourceText

GROUPS: Final = {
    "moves": "Moves (the paper's are relative; AML's MOVE names its motors and is absolute)",
    "sensors": "Sensors and monitors",
    "assertions": "Assertions about the world, and changes to its model",
    "emulation": "Control of the emulation",
    "display": "Pictures",
    "session": "The session",
    "aggregates": "Aggregates and strings",
    "mathematics": "Mathematics",
}
TOPICS: Final = {
    "language": """\
  count: NEW 3                     declares a variable; every variable must be declared
  count = count + 1                assigns a value; inside an expression '=' compares
  place: NEW <1,2,3>               an aggregate; place(2) is 2, place + <0,0,1> adds element by element
  IF count LT 3 THEN open ELSE close
  WHILE count GT 0 DO BEGIN moveup (1); count = count - 1; END
  REPEAT movedown (.5) UNTIL SENSOR(1) GE 10
  twice: SUBR(a); RETURN(2 * a); END;
  operators: + - * / DIV MOD ** # (joins), EQ NE LT LE GT GE = <> < <= > >=, AND OR NOT
  statements end with ; or at the end of the line; /* comments */ and -- comments; case does not matter""",
    "until": """\
  movedown (10) until sensors (1,2) exceed (10)
  The move stops as soon as any of the sensors is at the limit or above it. ATTACH gives a sensor its value.""",
    "monitors": """\
  m: NEW MONITOR(<1,2>, 10)        a guard as a value
  MOVE(GRIPPER, 0, m)              the move stops when one of the sensors is at the limit or above it
  IF QMONITOR(m) = 1 THEN ...      1 if the monitor stopped the move
  ENDMONITOR(m)                    ends the monitor""",
}
"""Help on topics that are not commands."""
_WORDS = ("sensors", "exceed", "at", "from", "help", "quit")
CONSOLE: Final = "console"
"""The source of typed lines, in the recorded input of the run."""
PROMPT: Final = "> "
MORE: Final = ". "
_MAX_LENGTH: Final = 100_000
"""The longest statement over several lines, in characters."""
_ENDS: Final = ("quit", "exit", "bye")
Read = Callable[[str], str]
"""Shows a prompt and returns a line; raises EOFError at the end of the input."""


class EmulaConsole:
    """Reads and runs commands until the input ends."""

    def __init__(self, session: Interpreter, read: Read, echo: Callable[[str], None]) -> None:
        self._session = session
        self._kernel = session.emulation.cell.kernel
        self._kernel.requests["interrupt"] = Request(
            lambda given: "Ctrl-C at the console", self._stop_command, {"command": int}
        )
        self._ask = read
        self._echo = echo
        self._running = False
        self._stopping = False
        self._insisted = False
        self._commands = 0
        self.mistakes = 0
        """The number of lines with a mistake."""

    def run(self) -> None:
        """Run the whole session. Add this to the cell as a program."""
        with self._interrupts():
            while True:
                try:
                    text = self._statement()
                    if text is None or self._ends(text):
                        return
                    if not self._helped(text):
                        self._execute(text)
                except KeyboardInterrupt:
                    if self._insisted:
                        raise
                    self._echo("")

    def ask(self, prompt: str) -> str:
        """Ask the user a question of QUERY. Ctrl-C stops the move."""
        self._running = False
        try:
            return self._read(prompt)
        except KeyboardInterrupt:
            self._stopping = True
            raise EOFError from None
        finally:
            self._running = True

    def _read(self, prompt: str) -> str:
        """Read a line through the recorded input of the run, which keeps it, or returns it in a replay."""
        return self._kernel.tape.ask(CONSOLE, lambda: self._ask(prompt))

    def _statement(self) -> str | None:
        """Read a statement, over several lines if needed; an empty line ends it. None at the end of the input."""
        text, prompt = "", PROMPT
        while True:
            try:
                line = self._read(prompt)
            except EOFError:
                if text:
                    self._execute(text)
                return None
            except KeyboardInterrupt:
                self._echo("")
                return ""
            text = f"{text}\n{line}" if text else line
            if (prompt == MORE and not line.strip()) or not self._open(text):
                return text
            prompt = MORE

    def _open(self, text: str) -> bool:
        """Whether the statement needs another line."""
        if len(text) > _MAX_LENGTH or text.strip().lower().startswith(("help", "?")):
            return False
        return is_unfinished(SourceText(text, "console"))

    @staticmethod
    def _ends(text: str) -> bool:
        return text.strip().rstrip(";").strip().lower() in _ENDS

    def _helped(self, text: str) -> bool:
        words = text.replace("?", " help ", 1).split() if text.lstrip().startswith("?") else text.split()
        if not words or words[0].lower().rstrip(";") != "help":
            return False
        rest = " ".join(words[1:]).strip(" ;()'")
        self._echo(page(rest) if rest else overview())
        return True

    def _execute(self, text: str) -> None:
        self._running, self._stopping = True, False
        self._commands += 1
        try:
            self._session.execute(text)
        except DrycellError as error:
            if self._stopping:
                span = error.span if isinstance(error, EmulaError) else None
                self._echo(f"  stopped at {span.place}" if span else "  stopped")
            else:
                self.mistakes += 1
                self._echo(str(error))
        finally:
            self._running = False

    @contextmanager
    def _interrupts(self) -> Iterator[None]:
        """Handle Ctrl-C in the console; otherwise it would end the whole run."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self._interrupted)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if not self._running:
            raise KeyboardInterrupt
        if self._stopping:
            self._insisted = True  # the first had no effect: this one interrupts Python as usual and ends the session
            raise KeyboardInterrupt
        self._stopping = True
        if in_program():
            self._session.interrupt()  # it may compute endlessly, so that no event of the cell ever occurs
        self._kernel.request("interrupt", {"command": self._commands}, CONSOLE)

    def _stop_command(self, who: str, given: Arguments) -> None:
        """Stop the command, at the end of an instant. A later command, which may have started since, is not stopped."""
        if given["command"] != self._commands or not self._running:
            return
        self._stopping = True
        self._session.interrupt()
        robot = self._session.emulation.robot
        if robot.moving:
            robot.stop()


class Completer:
    """Completes words for readline. A word in upper case is completed in upper case."""

    def __init__(self, session: Interpreter) -> None:
        self._session = session
        self._found: list[str] = []

    def words(self, beginning: str, line: str = "") -> list[str]:
        """All words that begin with ``beginning``; ``line`` is the text before it."""
        if line.lower().split()[:1] == ["help"]:
            known = {*TOPICS, *(each.name for each in all_routines())}
        else:
            names = self._session.emulation.names.known()
            known = {each.name for each in all_routines()} | KEYWORDS | {*_WORDS, *BUILT_IN}
            known |= {name for name in names if name.replace("_", "").isalnum()} | {*self._session.scope.names()}
        found = sorted(word for word in known if word.lower().startswith(beginning.lower()))
        return [word.upper() for word in found] if beginning.isupper() and len(beginning) > 1 else found

    def __call__(self, beginning: str, state: int) -> str | None:
        """The completion number ``state``, as readline asks for it; None after the last one."""
        if state == 0:
            import readline

            self._found = self.words(beginning, readline.get_line_buffer()[: readline.get_begidx()])
        return self._found[state] if state < len(self._found) else None


def overview() -> str:
    """Help on everything: the commands by group."""
    lines = []
    for group, title in GROUPS.items():
        lines.append(title)
        members = [each for each in all_routines() if each.group == group]
        lines.extend(
            f"  {line}" for line in _wrapped(each.name if not each.gives else each.name.upper() for each in members)
        )
    lines.append(f"Type 'help NAME' for details of each, or of {', '.join(TOPICS)}. 'quit' or Ctrl-D ends the session.")
    return "\n".join(lines)


def page(name: str) -> str:
    """Help on one command or topic."""
    asked = name.strip().lower()
    if asked in TOPICS:
        return TOPICS[asked]
    known = routine_named(asked)
    if known is None:
        subjects = [*TOPICS, *(each.name for each in all_routines())]
        return f"  no help on {name.strip()[:40]!r}: {did_you_mean(asked, subjects)}"
    return "\n".join([*(f"  {usage}" for usage in known.usage), f"  {known.summary}"])


def _wrapped(names: Iterable[str], width: int = 100) -> list[str]:
    lines = [""]
    for name in names:
        if len(lines[-1]) + len(name) + 1 > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {name}".strip()
    return lines

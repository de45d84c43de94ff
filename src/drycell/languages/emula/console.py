"""The console: a program of the cell that reads commands from a person. Cell time stands still while the person thinks.

Whatever is typed, the session goes on: mistakes are printed and nothing else happens. Ctrl-C gives up the line being
typed, or stops the running move; Ctrl-D or ``quit`` ends the session.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from drycell.base import DrycellError
from drycell.kernel import Arguments, Request, in_program
from drycell.languages.emula import help as help_pages
from drycell.languages.emula.fault import EmulaError
from drycell.languages.emula.interpreter import Interpreter
from drycell.languages.emula.parser import is_unfinished
from drycell.languages.kit import Source

CONSOLE: Final = "console"
"""Who a line is from, on the tape of the run."""
PROMPT: Final = "> "
MORE: Final = ". "
_MOST: Final = 100_000
"""Signs of one statement over several lines."""
_ENDS: Final = ("quit", "exit", "bye")

Read = Callable[[str], str]
"""Shows a prompt and gives a line; raises EOFError at the end of the input."""


class Console:
    """Reads, runs and prints until the input ends."""

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
        """How many lines went wrong."""

    def run(self) -> None:
        """The whole session; give it to the cell as a program."""
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
        """A question of QUERY to the person; Ctrl-C at it stops the move."""
        self._running = False
        try:
            return self._read(prompt)
        except KeyboardInterrupt:
            self._stopping = True
            raise EOFError from None
        finally:
            self._running = True

    # ---------------------------------------------------------------- inside

    def _read(self, prompt: str) -> str:
        """A line, by the tape of the run: it keeps what is typed, and is asked instead when it is played."""
        return self._kernel.tape.ask(CONSOLE, lambda: self._ask(prompt))

    def _statement(self) -> str | None:
        """A line, and those after it as long as something is open; an empty one ends that. None: no more input."""
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
        """Whether more is to come."""
        if len(text) > _MOST or text.strip().lower().startswith(("help", "?")):
            return False
        return is_unfinished(Source(text, "console"))

    @staticmethod
    def _ends(text: str) -> bool:
        return text.strip().rstrip(";").strip().lower() in _ENDS

    def _helped(self, text: str) -> bool:
        words = text.replace("?", " help ", 1).split() if text.lstrip().startswith("?") else text.split()
        if not words or words[0].lower().rstrip(";") != "help":
            return False
        rest = " ".join(words[1:]).strip(" ;()'")
        self._echo(help_pages.page(rest) if rest else help_pages.overview())
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
        """Within it, Ctrl-C is the console's: it would end the whole run otherwise."""
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
            self._insisted = True  # the first was not heard: this one interrupts Python as usual, and ends the session
            raise KeyboardInterrupt
        self._stopping = True
        if in_program():
            self._session.interrupt()  # it computes, perhaps without end: no event of the cell may ever come
        self._kernel.request("interrupt", {"command": self._commands}, CONSOLE)

    def _stop_command(self, who: str, given: Arguments) -> None:
        """Done at the end of an instant, which may come only with a later command: that one must not suffer."""
        if given["command"] != self._commands or not self._running:
            return
        self._stopping = True
        self._session.interrupt()
        robot = self._session.emulation.robot
        if robot.moving:
            robot.stop()

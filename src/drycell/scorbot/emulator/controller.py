"""The emulated controller: a cell runs at its own pace, and what comes over the line happens in it.

Each line is a request of its own on the tape of the run.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from drycell.base import DrycellError
from drycell.kernel import Arguments, Pace, Request
from drycell.scorbot.emulator.faults import LineFaults
from drycell.scorbot.emulator.interpreter import Interpreter
from drycell.scorbot.emulator.station import Station
from drycell.scorbot.emulator.terminal import Terminal

if TYPE_CHECKING:
    from drycell.cell import Cell, Result


class EmulatedController:
    """The controller of a robot of a cell, on a pseudo-terminal whose name is ``port``.

    Programs of the cell that command this robot must not be among its programs: they come over the line. ``speed`` is
    how many times faster than the wall clock the cell and the line go.
    """

    def __init__(
        self,
        cell: "Cell",
        station: Station,
        *,
        speed: float = 1.0,
        faults: LineFaults | None = None,
        latency: float = 0.02,
    ) -> None:
        self._cell = cell
        self._interpreter = Interpreter(station)
        self._pace = Pace(speed, attended=True)
        self._over = Event()
        self._answer: list[str] = []
        cell.kernel.requests["line"] = Request(_line_text, self._carry_out_line, {"text": str})
        cell.kernel.requests["abort"] = Request(lambda given: "Ctrl-A", self._carry_out_abort, {})
        self._terminal = Terminal(self._execute, self._abort, faults=faults, latency=latency, factor=speed)

    @property
    def port(self) -> str:
        """What a driver opens."""
        return self._terminal.name

    @property
    def commands(self) -> int:
        """How many have come so far."""
        return self._terminal.commands

    def run(self, until: float | None = None, *, journal: str | None = None, record: str | None = None) -> "Result":
        """Runs the cell on this thread until it is stopped, or to a cell time; the line is closed in the end."""
        self._terminal.start()
        try:
            return self._cell.run(until, pace=self._pace, journal=journal, record=record)
        finally:
            self._over.set()
            self._terminal.close()

    @contextmanager
    def running(self, until: float | None = None) -> Iterator[str]:
        """Within it, the cell runs on a thread of its own; gives the name of the port."""
        failures: list[BaseException] = []

        def run() -> None:
            try:
                self.run(until)
            except BaseException as error:  # of the cell: raised where it is waited for
                failures.append(error)

        thread = Thread(target=run, name="drycell emulated cell", daemon=True)
        thread.start()
        try:
            yield self.port
        finally:
            self.stop()
            thread.join()
        if failures:
            raise failures[0]

    def unplug(self) -> None:
        """Pulls the plug."""
        self._terminal.unplug()

    def stop(self) -> None:
        """Ends the run; from any thread."""
        self._cell.kernel.stop("the controller was switched off")

    # ---------------------------------------------------------------- on the line's thread

    def _execute(self, line: str) -> list[str] | None:
        return self._in_cell("line", {"text": line})

    def _abort(self) -> None:
        self._in_cell("abort", {})

    def _in_cell(self, what: str, arguments: Mapping[str, Any]) -> list[str] | None:
        """Has something done on the cell's thread; None when the run is over before it comes to that."""
        done, answers = Event(), list[list[str]]()

        def finished(refused: DrycellError | None) -> None:
            answers.append(self._answer)
            done.set()

        self._cell.kernel.request(what, arguments, "controller", done=finished)
        while not done.wait(0.05):
            if self._over.is_set():
                return None
        return answers[0]

    # ---------------------------------------------------------------- on the cell's thread

    def _carry_out_line(self, who: str, given: Arguments) -> None:
        self._answer = self._interpreter.execute(given["text"])

    def _carry_out_abort(self, who: str, given: Arguments) -> None:
        self._interpreter.abort()


def _line_text(given: Arguments) -> str:
    return given["text"].strip() or "an empty line"

"""The line of the emulated controller: a pseudo-terminal, read and answered by a thread of its own."""

import os
from collections.abc import Callable
from contextlib import suppress
from select import select
from threading import Event, Thread
from typing import Final

from drycell.base import DrycellError
from drycell.scorbot.emulator.faults import LineFaults

LONGEST_LINE: Final = 127
_BITS_A_BYTE: Final = 10
_LOOK: Final = 0.2
_CTRL_A: Final = 0x01
_ENDS: Final = (0x0D, 0x0A)


class Terminal:
    """Echoes, executes and answers line by line. ``execute`` gives the lines that a command prints, None at the end.

    ``latency`` is what a command takes beside the time of its bytes at ``baud``; ``factor`` is how much faster than
    the wall clock all of this goes.
    """

    def __init__(
        self,
        execute: Callable[[str], list[str] | None],
        abort: Callable[[], None],
        *,
        faults: LineFaults | None = None,
        baud: int = 9600,
        latency: float = 0.02,
        factor: float = 1.0,
    ) -> None:
        if not hasattr(os, "openpty"):
            raise DrycellError(
                "this system has no pseudo-terminals", hint="run the emulated controller on Linux or macOS"
            )
        import tty

        self._execute, self._abort = execute, abort
        self._faults = faults or LineFaults()
        self._byte_time, self._latency, self._factor = _BITS_A_BYTE / baud, latency, factor
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)  # and kept open: a line with nobody at its end is no fault
        self.name = os.ttyname(self._slave)
        self.commands = 0
        self._line = bytearray()
        self._skips_feed = False
        self._closing = Event()
        self._thread = Thread(target=self._serve, name=f"drycell controller {self.name}", daemon=True)

    def start(self) -> None:
        """Listens from now on."""
        self._thread.start()

    def unplug(self) -> None:
        """Pulls the plug, for good."""
        self._closing.set()

    def close(self) -> None:
        """Ends the thread and the line."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()
        self._hang_up()

    def _serve(self) -> None:
        with suppress(OSError):
            while not self._closing.is_set():
                ready, _, _ = select([self._master], [], [], _LOOK)
                if ready:
                    for byte in os.read(self._master, 256):
                        self._take(byte)
        self._hang_up()

    def _take(self, byte: int) -> None:
        feed, self._skips_feed = self._skips_feed and byte == 0x0A, False
        if self._closing.is_set() or feed:
            return
        if byte == _CTRL_A:
            self._line.clear()
            self._abort()
        elif byte in _ENDS:
            self._skips_feed = byte == 0x0D
            line = self._line.decode("ascii", "replace")
            self._line.clear()
            self._answer(line)
        elif len(self._line) < LONGEST_LINE:
            self._line.append(byte)

    def _answer(self, line: str) -> None:
        lines = self._execute(line)
        if lines is None:
            return
        text = "".join(f"{each}\r\n" for each in (line, *lines))
        answer = text.encode("ascii", "replace") + b">"
        if line.strip():
            self.commands += 1
            verdict = self._faults.verdict(self.commands, answer)
            if verdict.unplugged:
                self.unplug()
                return
            answer, late = verdict.answer, verdict.late
        else:
            late = 0.0
        self._closing.wait((self._latency + late + (len(line) + 1 + len(answer)) * self._byte_time) / self._factor)
        while answer and not self._closing.is_set():
            # A far end that reads nothing must not hold up the closing of the line.
            if select([], [self._master], [], _LOOK)[1]:
                answer = answer[os.write(self._master, answer) :]

    def _hang_up(self) -> None:
        for end in (self._master, self._slave):
            if end >= 0:
                with suppress(OSError):
                    os.close(end)
        self._master = self._slave = -1

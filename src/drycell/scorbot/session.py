"""A session with a controller: one command at a time and its reply, or an error that says what came instead."""

import time
from collections.abc import Callable
from typing import Final

from drycell.base import DrycellError
from drycell.scorbot.codec import ABORT, LONGEST_REPLY, Decoder, Reply, command_bytes
from drycell.scorbot.fault import LineError, LineGarbage, LineLost, LineTimeout, Refused
from drycell.scorbot.port import Port

TIMEOUT: Final = 5.0
"""Seconds in which a controller answers; it does not wait for motion."""
DONE: Final = "DONE."
_STOP_TIMEOUT: Final = 2.0
_GRACE: Final = 0.3
_QUIET: Final = 0.2


class GivenUp(Exception):
    """Nobody waits for the answer any more."""


class Session:
    """Asks a controller, on one thread at a time. After a fault on the line only :meth:`stop` is of use."""

    def __init__(self, port: Port, *, timeout: float = TIMEOUT, clock: Callable[[], float] = time.monotonic) -> None:
        self.port = port
        self.timeout = timeout
        self.broken = False
        self._clock = clock
        self._decoder = Decoder()
        self._given_up = False

    def open(self) -> None:
        """Finds the controller at its prompt, and has it echo what it is sent, so that a spoilt command is seen."""
        started = self._clock()
        while (data := self._read(_QUIET)) and self._clock() - started < self.timeout:
            self._decoder.feed(data)  # switching on makes noise, and an earlier program may have been cut off
        self._decoder.clear()
        self._exchange("")
        self.ask("ECHO")

    def ask(self, command: str) -> tuple[str, ...]:
        """Has a command done and gives the lines it printed. Raises Refused if the controller does not say Done."""
        started = self._clock()
        self._drain()
        reply = self._exchange(command)
        parts = reply.after_echo(command)
        # Turning the echo on is the one command that may come back without it.
        before, lines = parts if parts is not None else ((), reply.lines)
        waited = self._clock() - started
        if reply.strange or (parts is None and command != "ECHO"):
            trouble = f"{reply.strange} bytes that no controller sends came back" if reply.strange else None
            trouble = trouble or "the command came back as something else, or not at all"
            raise self._failed(LineGarbage, command, reply.raw, waited, trouble)
        self._see(before, reply, command)
        if not lines or lines[-1].upper() != DONE:
            told = "; ".join(lines) or "nothing"
            raise Refused(
                self.port.name, sent=command, received=reply.raw, waited=waited, trouble=f"the controller said {told}"
            )
        return lines[:-1]

    def abort(self) -> None:
        """Stops all motion at once and finds the prompt again."""
        self._send(ABORT, "Ctrl-A")
        self._exchange("")
        self._drain()

    def give_up(self) -> None:
        """Has a command that is under way on another thread end with GivenUp instead of an answer."""
        self._given_up = True

    def stop(self) -> str:
        """Tries everything that stops the arm: abort, then motors off. Never raises; says what came of it."""
        self._decoder.clear()
        self._given_up = False
        try:
            self.port.write(ABORT)
            self.port.write(command_bytes(""))
            self.port.write(command_bytes("COFF"))
        except (LineError, DrycellError):
            return "abort and motors off could not be sent: use the emergency stop if the arm still moves"
        sent = "abort and motors off were sent"
        try:
            end = self._clock() + _STOP_TIMEOUT
            while self._clock() < end:
                self._decoder.feed(self.port.read(0.05))
                while (reply := self._decoder.take()) is not None:
                    parts = reply.after_echo("COFF")
                    if parts is not None and DONE in (line.upper() for line in parts[1]):
                        return f"{sent} and done"
        except LineError:
            pass
        return f"{sent}, but not confirmed: use the emergency stop if the arm still moves"

    def close(self) -> None:
        """Gives the line back."""
        self.port.close()

    def _exchange(self, command: str) -> Reply:
        """Sends a line and waits for the prompt after its echo.

        A prompt without that echo may end something that was printed unasked: another one is waited for, but only as
        long as a spoilt line may go unnoticed while the arm moves.
        """
        started = self._clock()
        self._send(command_bytes(command), command)
        stray: Reply | None = None
        end = started + self.timeout
        while True:
            while (reply := self._decoder.take()) is not None:
                if not command or reply.after_echo(command) is not None:
                    return reply
                self._see(reply.lines, reply, command)
                stray, end = reply, min(end, self._clock() + _GRACE)
            if self._given_up:
                raise GivenUp
            now = self._clock()
            if self._decoder.overfull:
                trouble = f"{LONGEST_REPLY} bytes came without a prompt"
                raise self._failed(LineGarbage, command, self._decoder.pending, now - started, trouble)
            if now >= end:
                if stray is not None:
                    return stray
                raise self._failed(LineTimeout, command, self._decoder.pending, now - started)
            try:
                self._decoder.feed(self.port.read(min(0.05, end - now)))
            except LineLost as lost:
                waited = self._clock() - started
                raise self._failed(LineLost, command, self._decoder.pending, waited, lost.trouble) from None

    def _send(self, data: bytes, command: str) -> None:
        if self.broken:
            raise LineError(self.port.name, sent=command, trouble="the line failed before, nothing more is sent")
        try:
            self.port.write(data)
        except LineLost:
            raise self._failed(LineLost, command, b"", 0.0) from None

    def _drain(self) -> None:
        """Takes what came unasked; a fault that the controller tells of is one."""
        taken = 0
        while data := self._read(0.0):
            self._decoder.feed(data)
            taken += len(data)
            if taken > LONGEST_REPLY or self._decoder.overfull:
                raise self._failed(LineGarbage, "", self._decoder.pending, 0.0, "bytes come without end, unasked")
            while (reply := self._decoder.take()) is not None:
                if reply.strange:
                    trouble = f"{reply.strange} bytes that no controller sends came unasked"
                    raise self._failed(LineGarbage, "", reply.raw, 0.0, trouble)
                self._see(reply.lines, reply, "")

    def _read(self, timeout: float) -> bytes:
        try:
            return self.port.read(timeout)
        except LineLost:
            raise self._failed(LineLost, "", self._decoder.pending, 0.0) from None

    def _see(self, lines: tuple[str, ...], reply: Reply, command: str) -> None:
        """Controllers tell of trouble with the arm (an impact, a limit) whenever it happens, in lines with stars."""
        for line in lines:
            if line.startswith("***"):
                raise Refused(
                    self.port.name, sent=command, received=reply.raw, trouble=f"the controller tells of trouble: {line}"
                )

    def _failed(
        self, kind: type[LineError], command: str, received: bytes, waited: float, trouble: str | None = None
    ) -> LineError:
        self.broken = True
        return kind(self.port.name, sent=command, received=received, waited=waited, trouble=trouble)

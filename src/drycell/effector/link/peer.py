"""One connection as a server holds it: what has come, what waits to go, and since when."""

import socket
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Final

from drycell.effector.link.framing import GreetedDecoder, encode
from drycell.effector.link.limits import Limits
from drycell.effector.messages import Answer, Code, Malformed, Refusal

_CHUNK: Final = 4096
_LEFT_OVER: Final = 65536


class Peer:
    """A controlling program at the far end. ``send`` may be called from any thread; the rest is the server's."""

    def __init__(
        self,
        line: socket.socket,
        name: str,
        limits: Limits,
        wake: Callable[[], None],
        carry: Callable[["Peer", Answer], object],
    ) -> None:
        self.name, self.line = name, line
        self.decoder = GreetedDecoder()
        self.pending: deque[Answer | Malformed] = deque()
        """What has come and was not served yet."""
        self.sensible = False
        """Whether a good command ever came."""
        self.trusted = False
        """Whether it has given the token, or need not."""
        self.throttled = False
        self.events = 0
        """What the server waits for on its line."""
        self.ended = False
        """That the far end has sent its last message."""
        self.cut = ""
        """Why it is to be cut."""
        self.owed = 0
        now = time.monotonic()
        self.heard = self.moved = now
        self._limits, self._wake, self._carry = limits, wake, carry
        self._allowance, self._counted = float(limits.burst), now
        self._unsent = bytearray()
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"<Peer {self.name}>"

    @property
    def ready(self) -> bool:
        """Whether something can be served now: it has come, and there is room for the answer."""
        return bool(self.pending) and not self.cut and len(self._unsent) <= self._limits.unsent

    @property
    def thirsty(self) -> bool:
        """Whether more is to be read: not before what has come is served and its answers are nearly gone."""
        return not self.pending and not self.ended and len(self._unsent) <= self._limits.unsent

    @property
    def unsent(self) -> int:
        """Bytes that wait to go."""
        return len(self._unsent)

    def send(self, answer: Answer) -> None:
        """Send an answer to a command, from any thread. What is sent to a connection that is gone is dropped."""
        with self._lock:
            self.owed = max(self.owed - 1, 0)
        self._carry(self, answer)

    def owe(self) -> None:
        """A command was handed on: an answer is due."""
        with self._lock:
            self.owed += 1

    def write(self, answer: Answer) -> bool:
        """Put an answer on the line, or behind what waits already; says whether the far end is still there."""
        data = encode(answer, self.decoder.framing or "text")
        with self._lock:
            if self.cut:
                return False
            if not self._unsent:
                self.moved = time.monotonic()
                data = self._push(data)
            self._unsent += data
            if len(self._unsent) > self._limits.most_unsent:
                self.cut = f"{len(self._unsent)} bytes of answers were not read"
            wanted = bool(self._unsent) or bool(self.cut) or (self.ended and not self.owed)
        if wanted:
            self._wake()
        return True

    def flush(self) -> None:
        """Send what waits, as far as the line takes it."""
        with self._lock:
            if self._unsent and not self.cut:
                left = self._push(bytes(self._unsent))
                del self._unsent[: len(self._unsent) - len(left)]

    def read(self, now: float) -> None:
        """Take in what has come, at most one turn's worth."""
        try:
            data = self.line.recv(_CHUNK)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self.cut = (error.strerror or str(error)).lower()
            return
        if not data:
            self.ended = True
            return
        # Half a message does not grow younger by another byte of it.
        if not self.decoder.partial:
            self.heard = now
        found = self.decoder.feed(data)
        if found:
            self.heard = now
            self.pending.extend(found)

    def allowed(self, now: float) -> int:
        """How many messages may be served now, by the rate."""
        limits = self._limits
        self._allowance = min(self._allowance + (now - self._counted) * limits.rate, float(limits.burst))
        self._counted = self.heard = now  # what waits for its turn is not silent
        return min(int(self._allowance), limits.turn)

    def spend(self) -> None:
        """One message was served."""
        self._allowance -= 1.0

    def overdue(self, now: float) -> Refusal | str | None:
        """Why the connection is to be cut at this time: with a word, without one, or not at all."""
        limits = self._limits
        if self.unsent and now - self.moved > limits.half:
            return f"answers were not read for {limits.half:g} s"
        if self.pending:
            return None
        if self.ended:
            return None if self.owed and now - self.heard < limits.linger else "the far end has ended it"
        silent = now - self.heard
        if self.decoder.partial and silent > limits.half:
            return Refusal(Code.IDLE, f"half a message, and no more of it for {limits.half:g} s")
        if not self.trusted and silent > limits.half:
            return Refusal(Code.TOKEN, f"no token within {limits.half:g} s")
        if not self.owed and silent > limits.idle:
            return Refusal(Code.IDLE, f"nothing came for {limits.idle:g} s")
        return None

    def hang_up(self) -> None:
        """End the connection. What has come is read first: closed over it, last words would be lost with it."""
        with self._lock, suppress(OSError):
            self.cut = self.cut or "hung up"
            self.line.shutdown(socket.SHUT_WR)
            self.line.recv(_LEFT_OVER)
        self.line.close()

    def _push(self, data: bytes) -> bytes:
        """Hand bytes to the system, and give back those that it does not take now."""
        try:
            taken = self.line.send(data)
        except (BlockingIOError, InterruptedError):
            return data
        except OSError as error:
            self.cut = (error.strerror or str(error)).lower()
            return b""
        self.moved = time.monotonic()
        return data[taken:]

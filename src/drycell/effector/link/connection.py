"""A channel to a device in another process, in real time, as the controlling program holds it."""

import socket
import time
from collections import deque
from contextlib import suppress
from errno import ECONNREFUSED, ECONNRESET, ETIMEDOUT
from select import POLLIN, POLLOUT, poll
from typing import Final

from drycell.effector.link.address import Address
from drycell.effector.link.fault import LinkLost
from drycell.effector.link.framing import Decoder, Framing, encode, token_line
from drycell.effector.messages import Answer, Malformed, Message

OPENING: Final = 5.0
"""Seconds in which a connection is made."""
SENDING: Final = 5.0
"""Seconds in which the far end takes what it is sent."""
_AGAIN: Final = 0.02
_CHUNK: Final = 65536


class SocketChannel:
    """Carries messages over a Unix socket or TCP. After a loss everything raises LinkLost until ``reopen``."""

    def __init__(self, address: Address, *, token: str = "", framing: Framing = "text") -> None:
        self._address, self._token = address, token
        self._framing = framing
        self._socket: socket.socket | None = None
        self._lost = ""
        self._open()

    @property
    def name(self) -> str:
        """The address."""
        return str(self._address)

    @property
    def clock(self) -> float:
        """The computer's monotonic clock."""
        return time.monotonic()

    def send(self, message: Message) -> None:
        """Send a command."""
        line = self._live()
        data = encode(message, self._framing)
        try:
            line.settimeout(0)
            while data := data[self._push(line, data) :]:
                self._wait_for_room(line)
        except OSError as error:
            self._take_last_words(line)
            raise self._lose(_told(error)) from None

    def receive(self, timeout: float | None) -> Answer | None:
        """The next answer; None when the time is out first."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self._come:
            line = self._live()
            left = None if end is None else max(end - time.monotonic(), 0.0)
            try:
                line.settimeout(left)  # with 0 it only looks
                data = line.recv(_CHUNK)
            except (TimeoutError, BlockingIOError):
                return None
            except OSError as error:
                raise self._lose(_told(error)) from None
            if not data:
                raise self._lose("the device ended it")
            self._come.extend(self._decoder.feed(data))
        answer = self._come.popleft()
        if isinstance(answer, Malformed):
            raise self._lose(f"what came is no message, {answer.refusal}; is it a device that listens there?")
        return answer

    def reopen(self, timeout: float) -> None:
        """Connect again, trying until the time is out: a device that was just started may not listen yet."""
        end = time.monotonic() + timeout
        while True:
            try:
                return self._open()
            except LinkLost:
                if time.monotonic() + _AGAIN > end:
                    raise
            time.sleep(_AGAIN)

    def close(self) -> None:
        """End the connection."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
            self._lost = "it was closed"

    def _open(self) -> None:
        self.close()
        self._decoder = Decoder()
        self._come: deque[Answer | Malformed] = deque()
        address = self._address
        try:
            if address.path:
                made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                try:
                    made.settimeout(OPENING)
                    made.connect(address.path)
                except BaseException:
                    made.close()
                    raise
            else:
                made = socket.create_connection((address.host, address.port), OPENING)
                if made.getsockname() == made.getpeername():
                    # The system may give out the very port that is called, when nobody listens at it.
                    made.close()
                    raise ConnectionRefusedError(ECONNREFUSED, "connection refused")
                # One message is one packet: waiting for more to send would cost 40 ms.
                made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket = made
            if self._token:
                made.sendall(token_line(self._token))
        except OSError as error:
            self.close()
            hint = f"is the device running? `{_starting(address)}` starts one that listens there"
            raise LinkLost(self.name, _told(error), hint) from None

    def _push(self, line: socket.socket, data: bytes) -> int:
        try:
            return line.send(data)
        except BlockingIOError:
            return 0

    def _wait_for_room(self, line: socket.socket) -> None:
        """Read until more can be sent: the device may wait for its answers to be read before it reads on."""
        watch = poll()
        watch.register(line, POLLIN | POLLOUT)
        found = watch.poll(SENDING * 1000)
        if not found:
            raise TimeoutError(ETIMEDOUT, f"the device took nothing for {SENDING:g} s")
        if found[0][1] & POLLIN:
            data = line.recv(_CHUNK)
            if not data:
                raise ConnectionResetError(ECONNRESET, "the device ended it")
            self._come.extend(self._decoder.feed(data))

    def _take_last_words(self, line: socket.socket) -> None:
        """Receive what the far end said before it ended: that tells why it did."""
        with suppress(OSError):
            line.settimeout(0)
            self._come.extend(self._decoder.feed(line.recv(_CHUNK)))

    def _live(self) -> socket.socket:
        if self._socket is None:
            raise LinkLost(self.name, self._lost)
        return self._socket

    def _lose(self, why: str) -> LinkLost:
        self.close()
        self._lost = why
        return LinkLost(self.name, why)


def _starting(address: Address) -> str:
    """The command that starts a device at an address."""
    if address.path:
        return f"drycell device gripper --socket {address.path}"
    host = "" if address.loopback else f" --host {address.host}"
    return f"drycell device gripper{host} --port {address.port}"


def _told(error: OSError) -> str:
    return (error.strerror or str(error) or type(error).__name__).lower()
